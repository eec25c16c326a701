// Many holds expire at the same time: the expiry job may stop between batches, no hold is lost or released twice, and a hold that cannot be
// released does not delay others.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openDb } from '../../../../src/db/pool.js';
import { sql } from '../../../../src/db/sql.js';
import { networkMessageJobs } from '../../../../src/domains/cards/network-messages/jobs.js';
import { findDueTimes } from '../../../../src/domains/core/platform/actions.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { plusMs } from '../../../../src/kernel/time.js';
import { assertAtRest, fundedCard, gist, issuerOf, moneyOn, networkOf } from '../../../support/card-transactions.js';
import { expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

const HOLDS = 130;
const HOLD_LIFE_MS = 7 * 86_400_000;

let service: TestService;
before(async () => {
  service = await startTestService({ ROLE: 'api', RATE_LIMIT_PER_MINUTE: 'off' });
});
after(() => service.stop());

/** The jobs as the worker runs them, and the ids of the transactions whose failure they log. */
function jobsOf(retryAfterMs?: number, db = service.db) {
  const failed: string[] = [];
  const deps = {
    db,
    wallets: { authorize: () => assert.fail('no wallet is called') },
    holdLifeMs: HOLD_LIFE_MS,
    log: { error: ({ objectId }: { objectId: string }) => void failed.push(objectId) } as never,
  };
  const job = (name: string) => {
    const found = networkMessageJobs(deps, retryAfterMs).find((one) => one.name === name);
    assert.ok(found);
    return found;
  };
  return { failed, expiry: job('card-authorization-expiry'), messages: job('card-messages') };
}

/** Every change of the card's transactions fails until `heal`. */
async function broken(card: { readonly id: string }) {
  const become = (program: string) => service.db.run(sql`update cards set program = ${program} where id = ${card.id.slice(5)}`);
  await become('issuer_decided');
  return { heal: () => become('service_full') };
}

test('a stopped expiry job starts no further batch; the remaining holds stay due', async () => {
  const { platform, db } = service;
  const { card, account } = await fundedCard(platform, HOLDS);
  const { ask } = issuerOf(platform, card);
  await Promise.all(Array.from({ length: HOLDS }, () => expectStatus(200, ask({ amount: 1 }))));
  assert.deepEqual(await moneyOn(db, account), { available: 0, total: HOLDS });

  const { expiry } = jobsOf();
  const platformId = await platformIdOf(service, platform);
  const afterAll = plusMs(await platform.clock.now(), HOLD_LIFE_MS);
  const first = await expiry.run(db, platformId, afterAll, () => true);
  assert.ok(first > 0 && first < HOLDS, `${first} of ${HOLDS}`);
  assert.deepEqual(await moneyOn(db, account), { available: first, total: HOLDS });

  const rest = await expiry.run(db, platformId, afterAll, () => false);
  assert.equal(first + rest, HOLDS);
  assert.deepEqual(await moneyOn(db, account), { available: HOLDS, total: HOLDS });
});

test('more than a batch of holds that cannot be released are skipped: later holds expire, in this run and in the next', async () => {
  const platform = await service.newPlatform();
  const platformId = await platformIdOf(service, platform);
  const stuck = await fundedCard(platform, HOLDS);
  const fine = await fundedCard(platform, 10);
  await Promise.all(Array.from({ length: HOLDS }, () => expectStatus(200, issuerOf(platform, stuck.card).ask({ amount: 1 }))));
  await expectStatus(200, issuerOf(platform, fine.card).ask({ amount: 4 }));
  const { heal } = await broken(stuck.card);
  const { expiry, failed } = jobsOf();
  const afterAll = plusMs(await platform.clock.now(), HOLD_LIFE_MS);
  const run = () => expiry.run(service.db, platformId, afterAll, () => false);

  assert.equal(await run(), 1);
  assert.deepEqual(await moneyOn(service.db, fine.account), { available: 10, total: 10 });
  assert.equal(new Set(failed).size, HOLDS);
  assert.equal(failed.length, HOLDS, 'each was tried once');

  await expectStatus(200, issuerOf(platform, fine.card).ask({ amount: 5 }));
  assert.equal((await findDueTimes(service.db, [expiry], platformId)).length, 1, 'the later hold is next');
  assert.equal(await expiry.run(service.db, platformId, plusMs(afterAll, HOLD_LIFE_MS), () => false), 1);
  assert.equal(failed.length, HOLDS, 'failed holds are not retried before the backoff ends');
  assert.deepEqual(await findDueTimes(service.db, [expiry], platformId), []);

  await heal();
  assert.equal(await jobsOf().expiry.run(service.db, platformId, afterAll, () => false), HOLDS, 'every hold is released');
  await assertAtRest(service.db, platformId);
});

test('a card that stays locked delays only its own expiry', async () => {
  const platform = await service.newPlatform();
  const platformId = await platformIdOf(service, platform);
  const locked = await fundedCard(platform, 10);
  const free = await fundedCard(platform, 10);
  await expectStatus(200, issuerOf(platform, locked.card).ask({ amount: 4 }));
  await expectStatus(200, issuerOf(platform, free.card).ask({ amount: 4 }));
  const impatient = openDb({ url: service.databaseUrl, poolSize: 2, lockTimeoutMs: 100 });
  const holder = await service.db.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from cards where platform_id = $1 and id = $2 for update', [uuidOf(platformId), locked.card.id.slice(5)]);
    const afterAll = plusMs(await platform.clock.now(), HOLD_LIFE_MS);
    assert.equal(await jobsOf(60_000, impatient).expiry.run(impatient, platformId, afterAll, () => false), 1);
    assert.deepEqual(await moneyOn(service.db, free.account), { available: 10, total: 10 });
  } finally {
    await holder.query('rollback');
    await holder.end();
    await impatient.close();
  }
});

test('a failed expiry is retried in later runs, once in each', async () => {
  const platform = await service.newPlatform();
  const platformId = await platformIdOf(service, platform);
  const { card } = await fundedCard(platform, 10);
  await expectStatus(200, issuerOf(platform, card).ask({ amount: 1 }));
  const { heal } = await broken(card);
  const { expiry, failed } = jobsOf(0);
  const afterAll = plusMs(await platform.clock.now(), HOLD_LIFE_MS);
  const run = () => expiry.run(service.db, platformId, afterAll, () => false);
  assert.deepEqual([await run(), failed.length, await run(), failed.length], [0, 1, 0, 2]);
  await heal();
  assert.deepEqual([await run(), failed.length], [1, 2]);
});

test('a message that fails delays later messages of its transaction and of no other', async () => {
  const platform = await service.newPlatform();
  const platformId = await platformIdOf(service, platform);
  await platform.clock.freeze();
  const [stuck, fine] = [await fundedCard(platform, 100), await fundedCard(platform, 100)];
  const waiting = async ({ card }: typeof stuck) => {
    const network = networkOf(platform, card);
    const purchase = await network.authorize(10, 'SHOP 005');
    for (const amount of [3, 4]) await network.clear(purchase, amount);
    return { network, purchase };
  };
  const first = await waiting(stuck);
  const second = await waiting(fine);
  const { heal } = await broken(stuck.card);
  const { messages, failed } = jobsOf(0);
  const later = plusMs(await platform.clock.now(), 30_000);
  assert.equal(await messages.run(service.db, platformId, later, () => false), 2);
  assert.deepEqual(failed, [first.purchase.id]);
  assert.deepEqual(gist(await second.network.read(second.purchase.id)), { status: 'PARTIALLY_SETTLED', authorized: 10, settled: 7 });
  await heal();
  assert.equal(await messages.run(service.db, platformId, later, () => false), 2);
  assert.deepEqual(gist(await first.network.read(first.purchase.id)), { status: 'PARTIALLY_SETTLED', authorized: 10, settled: 7 });
  await assertAtRest(service.db, platformId);
});

test('an advance of the clock skips an expiry that fails and runs all others; a running clock keeps running', async () => {
  const platform = await service.newPlatform();
  const [stuck, fine] = [await fundedCard(platform, 10), await fundedCard(platform, 10)];
  const lost = await networkOf(platform, stuck.card).authorize(1);
  await platform.clock.advance(60_000);
  const held = await networkOf(platform, fine.card).authorize(4);
  await broken(stuck.card);
  const { body } = await platform.clock.advance(HOLD_LIFE_MS);
  assert.equal(body.frozen, false);
  assert.deepEqual(
    body.ran.filter(({ job }: { job: string }) => job === 'card-authorization-expiry'),
    [{ job: 'card-authorization-expiry', count: 1 }],
  );
  assert.equal((await networkOf(platform, fine.card).read(held.id)).status, 'VOIDED');
  assert.equal((await networkOf(platform, stuck.card).read(lost.id)).status, 'AUTHORIZED');
  assert.ok(service.logged.some((line) => line.includes(lost.id)));
});
