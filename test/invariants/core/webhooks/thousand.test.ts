// In the long form of `npm run prove`: "1,000 events through a receiver that is down, slow, resetting and answering 500, every committed event received, none invented, order kept"
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { enqueueEvents } from '../../../../src/domains/core/webhooks/actions.js';
import { newId, uuidOf } from '../../../../src/kernel/ids.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/kernel/time.js';
import { randomOf as chosen, testSeed } from '../../../prove/random.js';
import { expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardEvent, envelopeOf, platformIdOf, setEndpoint } from '../../../support/webhooks/platform.js';
import { type Reply, startReceiver } from '../../../support/webhooks/receiver.js';
import { verifyServiceSignature, verifyStandardSignature } from '../../../support/webhooks/verify.js';

const EVENTS = Number(process.env['WEBHOOK_EVENTS'] ?? 300);
const CARDS = 60;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

/** The same sequence for the same seed, printed so that a failure can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

test('a receiver that is down, slow, resetting and answering 500', { timeout: 300_000 }, async (t) => {
  const seed = Number(process.env['SEED'] ?? chosen(testSeed()).int(0, 2 ** 32 - 1));
  t.diagnostic(`SEED=${seed}`);
  const random = randomOf(seed);
  const { platform } = service;
  await platform.clock.freeze('2026-03-01T00:00:00Z');
  const platformId = await platformIdOf(service, platform);

  // Down: no server listens at the endpoint yet.
  const place = await startReceiver();
  await place.close();
  await setEndpoint(platform, place.url);

  // Commits of one to five events, each card under its own lock; one commit in ten is rolled back.
  const cards = Array.from({ length: CARDS }, () => newId('Card'));
  const committed: string[] = [];
  const commit = async (upTo: number) => {
    const now = await platform.clock.now();
    while (committed.length < upTo) {
      const count = Math.min(upTo - committed.length, 1 + Math.floor(random() * 5));
      const events = Array.from({ length: count }, () => cardEvent(cards[Math.floor(random() * CARDS)]));
      const rollsBack = random() < 0.1;
      await service.db
        .transaction(async (tx) => {
          await enqueueEvents(tx, platformId, now, events);
          if (rollsBack) throw new Error('rolled back');
        })
        .then(
          () => committed.push(...events.map(({ objectId }) => objectId)),
          (error: Error) => assert.equal(error.message, 'rolled back'),
        );
    }
  };
  await commit(EVENTS / 2);
  await platform.clock.advance(MINUTE_MS);
  const whileDown = new Map<string, number>();
  for (const card of committed) whileDown.set(card, (whileDown.get(card) ?? 0) + 1);

  // Then it starts, and for hours half of its requests fail in some way.
  let bad = true;
  const replies: (() => Reply | Promise<Reply>)[] = [
    () => 500,
    () => 503,
    () => 302,
    () => 'RESET',
    () => new Promise((resolve) => setTimeout(resolve, 20, 500)),
    () => new Promise((resolve) => setTimeout(resolve, 20, 200)),
  ];
  const receiver = await startReceiver({
    port: place.port,
    reply: () => (bad && random() < 0.5 ? (replies[Math.floor(random() * replies.length)] as () => Reply)() : 200),
  });
  try {
    await commit(EVENTS);
    await platform.clock.advance(6 * HOUR_MS);
    bad = false;
    await platform.clock.advance(DAY_MS);

    const [key] = (await expectStatus(200, platform.get('/webhooks/signing-keys'))).data;
    const bodies = new Map<string, Buffer>();
    const firstSeen = new Map<string, number[]>();
    for (const { headers, body } of receiver.received) {
      const { id, type, objectId, sequence } = envelopeOf({ path: '', headers, body });
      assert.ok(verifyServiceSignature(key.publicKeyPem, headers, body));
      assert.ok(verifyStandardSignature(key.standardWebhooksPublicKey, headers, body));
      assert.equal(headers['webhook-id'], id);
      if (type === 'TEST') continue;
      if (bodies.has(id)) assert.deepEqual(body, bodies.get(id), 'the same bytes on every attempt');
      else firstSeen.set(objectId, [...(firstSeen.get(objectId) ?? []), sequence]);
      bodies.set(id, body);
    }

    // Every committed event was received, and none was invented.
    assert.equal(bodies.size, EVENTS);
    const expected = new Map<string, number>();
    for (const card of committed) expected.set(card, (expected.get(card) ?? 0) + 1);
    assert.deepEqual(new Map([...firstSeen].map(([card, numbers]) => [card, numbers.length])), expected);
    for (const [card, numbers] of firstSeen) {
      assert.deepEqual(
        [...numbers].sort((a, b) => a - b),
        Array.from({ length: numbers.length }, (_, i) => i + 1),
        card,
      );
    }
    const { totalCount } = await expectStatus(
      200,
      platform.get('/webhooks/events?deliveryStatus=DELIVERED&type=card.status_change&limit=1'),
    );
    assert.equal(totalCount, EVENTS);

    // Order: the receiver was up for these events, so the first request it received is the first attempt.
    for (const [card, numbers] of firstSeen) {
      const seenFromTheStart = numbers.filter((number) => number > (whileDown.get(card) ?? 0));
      assert.deepEqual(
        seenFromTheStart,
        [...seenFromTheStart].sort((a, b) => a - b),
        `${card}: first attempts in order`,
      );
    }
    // The first attempts of earlier events found no server; they were recorded in order.
    const written = await service.db.many<{ object_id: string; xact: bigint }>(sql`
      select e.object_id, a.xmin::text::bigint as xact
      from webhook_attempts a join webhook_events e on e.platform_id = a.platform_id and e.id = a.event_id
      where a.platform_id = ${uuidOf(platformId)} and a.number = 1 order by e.object_id, e.sequence`);
    for (const [i, { object_id, xact }] of written.entries()) {
      const before = written[i - 1];
      if (before?.object_id === object_id) assert.ok(before.xact <= xact, `${object_id}: first attempts in order`);
    }
    t.diagnostic(`${receiver.received.length} requests for ${EVENTS} events of ${CARDS} cards`);
  } finally {
    await receiver.close();
  }
});
