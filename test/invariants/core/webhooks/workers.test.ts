// Several workers share the platforms: no first attempt is made twice, and a worker that stops leaves nothing behind.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { createOutbound, LIVE_POLICY, type Outbound, SANDBOX_POLICY } from '../../../../src/domains/core/webhooks/outbound.js';
import { newId, uuidOf } from '../../../../src/kernel/ids.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardEvent, envelopeOf, platformIdOf, setEndpoint, tell } from '../../../support/webhooks/platform.js';
import { startReceiver } from '../../../support/webhooks/receiver.js';
import { workerOn } from '../../../support/webhooks/worker.js';

const key = randomBytes(32);
const EVENTS = 300;
const CARDS = 30;

let service: TestService;
before(async () => {
  // Without its own worker: only the workers below deliver.
  service = await startTestService({ ROLE: 'api', KEY_ENCRYPTION_KEY: key.toString('base64') });
});
after(() => service.stop());

test('two workers deliver each event once, in order per object, while one of them is replaced', async () => {
  const { platform, db } = service;
  const receiver = await startReceiver();
  const workers = [workerOn(db, key, { concurrency: 4 }), workerOn(db, key, { concurrency: 4 })];
  try {
    await setEndpoint(platform, receiver.url);
    for (const worker of workers) worker.start();
    const cards = Array.from({ length: CARDS }, () => newId('Card'));
    for (let i = 0; i < EVENTS; i += 5) {
      await tell(service, platform, ...Array.from({ length: 5 }, (_, k) => cardEvent(cards[(i + k) % CARDS])));
      if (i !== EVENTS / 2) continue;
      await workers[0]?.stop();
      workers[0] = workerOn(db, key, { concurrency: 4 });
      workers[0].start();
    }
    while (receiver.received.length < EVENTS + 1) await new Promise(setImmediate);
    const platformId = await platformIdOf(service, platform);
    const isBehind = sql`select from webhook_cursors where platform_id = ${uuidOf(platformId)} and (settled < last_position or leased_by is not null)`;
    while (await db.one(isBehind)) await new Promise(setImmediate);

    const events = receiver.received.map(envelopeOf).filter(({ type }) => type !== 'TEST');
    assert.equal(events.length, EVENTS);
    for (const card of cards)
      assert.deepEqual(
        events.filter(({ objectId }) => objectId === card).map(({ sequence }) => sequence),
        Array.from({ length: EVENTS / CARDS }, (_, i) => i + 1),
      );
    assert.deepEqual(
      await db.many(sql`select from webhook_deliveries where platform_id = ${uuidOf(platformId)}`),
      [],
      'nothing needed a row',
    );
  } finally {
    for (const worker of workers) await worker.stop();
    await receiver.close();
  }
});

test('an attempt that cannot be made loses no event: it and those behind it are sent later, in order', async () => {
  const { db } = service;
  const client = await service.newPlatform();
  const receiver = await startReceiver();
  let failures = 0;
  // As while the database is restarted: what is asked before an attempt has no answer.
  const faultOf = async () => {
    failures += 1;
    if (failures <= 4) throw new Error('the database is away');
    return undefined;
  };
  const worker = workerOn(db, key, { faultOf, leaseMs: 1_000 });
  try {
    await setEndpoint(client, receiver.url);
    const cards = [newId('Card'), newId('Card'), newId('Card')];
    await tell(service, client, ...[0, 1, 2, 0, 1, 2, 0].map((i) => cardEvent(cards[i])));
    worker.start();
    const until = performance.now() + 15_000;
    while (receiver.received.length < 8 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    const events = receiver.received.map(envelopeOf).filter(({ type }) => type !== 'TEST');
    assert.deepEqual(
      cards.map((card) => events.filter(({ objectId }) => objectId === card).map(({ sequence }) => sequence)),
      [
        [1, 2, 3],
        [1, 2],
        [1, 2],
      ],
    );
    const platformId = await platformIdOf(service, client);
    const isBehind = sql`select from webhook_cursors where platform_id = ${uuidOf(platformId)} and (settled < last_position or leased_by is not null)`;
    while ((await db.one(isBehind)) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(await db.one(isBehind), undefined, 'nothing is left to do');
  } finally {
    await worker.stop();
    await receiver.close();
  }
});

test('deliveries make room for open decisions and are all made', async () => {
  const { db } = service;
  const client = await service.newPlatform();
  const receiver = await startReceiver();
  const sent = createOutbound({ policy: SANDBOX_POLICY });
  let open = 0;
  let most = 0;
  const counting: Outbound = {
    ...sent,
    async post(...args) {
      open += 1;
      most = Math.max(most, open);
      return sent.post(...args).finally(() => {
        open -= 1;
      });
    },
  };
  const worker = workerOn(db, key, { outbound: counting, decisions: () => 64 });
  try {
    await setEndpoint(client, receiver.url);
    await tell(service, client, ...Array.from({ length: 40 }, () => cardEvent()));
    worker.start();
    while (receiver.received.length < 41) await new Promise(setImmediate);
    assert.ok(most <= 2, `${most} requests at once`);
  } finally {
    await worker.stop();
    await receiver.close();
  }
});

test('a worker whose outcome cannot be written sends the event again after its lease, and delivers the rest', async () => {
  const { db } = service;
  const client = await service.newPlatform();
  const platformId = await platformIdOf(service, client);
  const receiver = await startReceiver();
  let fails = true;
  // The first transaction that writes attempts fails after the requests were sent.
  const failing: typeof db = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) =>
        work({
          ...tx,
          send(query) {
            if (fails && query.text.includes('insert into webhook_attempts')) {
              fails = false;
              throw new Error('the database went away');
            }
            tx.send(query);
          },
        }),
      ),
  };
  const worker = workerOn(failing, key, { leaseMs: 1_000 });
  try {
    await setEndpoint(client, receiver.url);
    worker.start();
    await tell(service, client, cardEvent(), cardEvent());
    const isBehind = sql`select from webhook_cursors where platform_id = ${uuidOf(platformId)} and settled = last_position and last_position > 0`;
    while (!(await db.one(isBehind)) || fails) await new Promise((resolve) => setTimeout(resolve, 5));
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids).size, 3, 'the TEST of the endpoint, too');
    assert.ok(ids.length > 3, 'what could not be recorded was sent again');
  } finally {
    await worker.stop();
    await receiver.close();
  }
});

test('a worker of the other mode delivers nothing of a platform: what it may reach is not what the platform may', async () => {
  const { db } = service;
  const [client, other] = [await service.newPlatform(), await service.newPlatform()];
  const receiver = await startReceiver();
  await setEndpoint(client, receiver.url);
  await setEndpoint(other, receiver.url);
  await db.run(sql`update platforms set mode = 'live' where id = ${uuidOf(await platformIdOf(service, other))}`);
  const attempts = async (of: typeof client) =>
    db.many(sql`select a.failure from webhook_attempts a where a.platform_id = ${uuidOf(await platformIdOf(service, of))}`);
  const live = workerOn(db, key, { mode: 'live', outbound: createOutbound({ policy: LIVE_POLICY }) });
  const worker = workerOn(db, key, {});
  try {
    live.start();
    while ((await attempts(other)).length === 0) await new Promise(setImmediate);
    // It has found both platforms by now, if it looks for both.
    await live.stop();
    assert.deepEqual(await attempts(client), []);
    worker.start();
    while (receiver.received.length === 0) await new Promise(setImmediate);
    while ((await attempts(client)).length === 0) await new Promise(setImmediate);
    await worker.stop();
    assert.deepEqual(await attempts(client), [{ failure: null }]);
    assert.equal(receiver.received.length, 1, 'the event of the live platform went to no address of this machine');
  } finally {
    await live.stop();
    await worker.stop();
    await receiver.close();
  }
});
