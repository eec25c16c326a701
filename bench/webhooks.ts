// Events committed and delivered to a local receiver, compared with plain HTTP posts of the same size to the same receiver at the same concurrency.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type Db, openDb } from '../src/db/pool.js';
import { sql } from '../src/db/sql.js';
import { enqueueEvents } from '../src/domains/core/webhooks/actions.js';
import { createDeliverer } from '../src/domains/core/webhooks/delivery.js';
import { createDeliveryMetrics } from '../src/domains/core/webhooks/metrics.js';
import { createOutbound, SANDBOX_POLICY } from '../src/domains/core/webhooks/outbound.js';
import { newId, newUuid, type PlatformId, uuidOf } from '../src/kernel/ids.js';
import { createKeyCustody } from '../src/providers/key-custody.js';
import { createDatabase } from '../test/support/database.js';
import { type Row, roundByRound } from './measure.js';

const EVENTS = 8_000;
const CONCURRENCY = 32;
const OBJECTS = 1_000;
/** Events of one batch commit of card authorizations. */
const PER_COMMIT = 32;
const COMMITTERS = 4;
const ROUNDS = { warmUp: 2, rounds: 5 };

/** A card transaction of about the size that the API renders. */
const DATA = {
  id: newId('Transaction'),
  type: 'CARD',
  status: 'AUTHORIZED',
  cardId: newId('Card'),
  customerId: newId('Customer'),
  direction: 'DEBIT',
  authorizedAmount: { amount: 1250, currency: { code: 'USD', name: 'United States Dollar', symbol: '$', decimals: 2 } },
  merchant: { descriptor: 'COFFEE HOUSE 17', mcc: '5814', country: 'US' },
  createdAt: '2026-03-01T12:00:00.000Z',
  updatedAt: '2026-03-01T12:00:00.000Z',
};

export async function webhooks(): Promise<Row[]> {
  const database = await createDatabase();
  const db = openDb({ url: database.url, poolSize: 10 });
  const receiver = fork(fileURLToPath(new URL('./bare-receiver.js', import.meta.url)));
  try {
    const [url] = (await once(receiver, 'message')) as [string];
    const platformId = await givenPlatform(db, url);
    const { ours, theirs } = await roundByRound(
      () => commitAndDeliver(db, platformId, receiver),
      () => barePosts(url),
      ROUNDS,
    );
    const rate = (perSecond: number) => `${Math.round(perSecond).toLocaleString('en-US')}/s`;
    return [
      {
        name: `events committed, signed and delivered (${EVENTS} events of ${OBJECTS} objects, ${CONCURRENCY} requests at once)`,
        measured: rate(ours),
        beside: `bare posts ${rate(theirs)}`,
        ratio: ours / theirs,
        limit: '≥ 0.7',
        holds: ours / theirs >= 0.7,
      },
    ];
  } finally {
    receiver.kill();
    await db.close();
    await database.drop();
  }
}

async function givenPlatform(db: Db, url: string): Promise<PlatformId> {
  const id = newId('Platform');
  await db.run(sql`
    insert into platforms (id, name, mode, config, webhook_endpoint, created_at, updated_at)
    values (${uuidOf(id)}, 'bench', 'sandbox', '{}', ${url}, now(), now())`);
  return id;
}

/** Measures from the first commit to the last received event, with a new deliverer. */
async function commitAndDeliver(db: Db, platformId: PlatformId, receiver: ChildProcess): Promise<number> {
  const deliverer = createDeliverer({
    db,
    custody,
    mode: 'sandbox',
    outbound: createOutbound({ policy: SANDBOX_POLICY }),
    metrics: createDeliveryMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    concurrency: CONCURRENCY,
    onAnswer: async () => {},
  });
  const objects = Array.from({ length: OBJECTS }, () => newId('Transaction'));
  const already = await received(receiver, 0);
  deliverer.start();
  const began = performance.now();
  let queued = 0;
  await Promise.all(
    Array.from({ length: COMMITTERS }, async (_, committer) => {
      // Each committer uses its own objects, because events of one object are enqueued under its lock.
      const own = objects.filter((_object, i) => i % COMMITTERS === committer);
      for (let next = 0; queued < EVENTS; ) {
        const count = Math.min(PER_COMMIT, EVENTS - queued);
        queued += count;
        const events = Array.from({ length: count }, () => {
          const objectId = own[next++ % own.length] as string;
          return { type: 'CARD_TRANSACTION.AUTHORIZED', objectId, data: DATA } as const;
        });
        await db.transaction(async (tx) => enqueueEvents(tx, platformId, NOW, events));
      }
    }),
  );
  await received(receiver, already + EVENTS);
  const seconds = (performance.now() - began) / 1_000;
  await deliverer.stop();
  return EVENTS / seconds;
}

const NOW = new Date('2026-03-01T12:00:00.000Z');
const custody = createKeyCustody([randomBytes(32)]);

/** Waits until the receiver has this number of distinct events, and returns the number it has. */
async function received(receiver: ChildProcess, count: number): Promise<number> {
  receiver.send(count);
  const [distinct] = (await once(receiver, 'message')) as [number];
  return distinct;
}

/** The same number of posts with node:http, with body and headers of the same size. */
async function barePosts(url: string): Promise<number> {
  const agent = new http.Agent({ keepAlive: true });
  const body = Buffer.from(
    JSON.stringify({
      id: newId('Webhook'),
      type: 'CARD_TRANSACTION.AUTHORIZED',
      timestamp: NOW,
      objectId: newUuid(),
      sequence: 1,
      data: DATA,
    }),
  );
  const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-padding': 'x'.repeat(360) };
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
        response.on('data', () => {});
        response.on('end', resolve);
      });
      request.on('error', reject);
      request.end(body);
    });
  const began = performance.now();
  let sent = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (sent++ < EVENTS) await post();
    }),
  );
  agent.destroy();
  return EVENTS / ((performance.now() - began) / 1_000);
}
