// "every committed change reaches the platform, signed, at least once"
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../../../src/kernel/ids.js';
import { DAY_MS, MINUTE_MS } from '../../../../src/kernel/time.js';
import { type Client, expectStatus } from '../../../support/client.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { cardData, cardEvent, envelopeOf, givenEndpoint, setEndpoint, settle, tell } from '../../../support/webhooks/platform.js';
import { type Receiver, type Reply, startReceiver } from '../../../support/webhooks/receiver.js';
import { verifyServiceSignature, verifyStandardSignature } from '../../../support/webhooks/verify.js';

let service: TestService;
let platform: Client;
let receiver: Receiver;
let reply: (index: number) => Reply = () => 200;
before(async () => {
  // An advance ends after 20 s of real time, done or not: no other platform may slow it down.
  service = await startOwnService();
  platform = service.platform;
  await platform.clock.freeze();
  receiver = await givenEndpoint(platform, { reply: (_, index) => reply(index) });
});
after(async () => {
  await receiver.close();
  await service.stop();
});

/** Day by day, so that each advance is done well within its time. */
const advanceDays = async (client: Client, days: number) => {
  for (let day = 0; day < days; day += 1) assert.equal((await client.clock.advance(DAY_MS)).body.complete, true);
};
const begin = (answers: typeof reply) => {
  receiver.received.length = 0;
  reply = answers;
};
const eventOf = async (objectId: string, client = platform) =>
  (await expectStatus(200, client.get(`/webhooks/events?objectId=${objectId}`))).data[0];

describe('one event', () => {
  test('arrives once, with the data of the event', async () => {
    begin(() => 200);
    const card = newId('Card');
    await tell(service, platform, cardEvent(card, { status: 'FROZEN' }));
    await settle(platform);
    await platform.clock.advance(DAY_MS);
    assert.equal(receiver.received.length, 1);
    const { type, objectId, sequence, data } = envelopeOf(receiver.received[0]);
    assert.deepEqual(
      { type, objectId, sequence, data },
      { type: 'card.status_change', objectId: card, sequence: 1, data: cardData(card, { status: 'FROZEN' }) },
    );
    assert.equal((await eventOf(card)).deliveryStatus, 'DELIVERED');
  });

  test('"everything else … is retried": 3xx, 4xx, 5xx and silence, the same id and body each time, each with its own timestamp and signatures', async () => {
    // A reset on an idle connection is repeated once on a new connection before the attempt fails.
    const answers: Reply[] = [500, 301, 404, 429, 'RESET', 'RESET', { status: 400, body: 'no' }, 204];
    begin((index) => answers[index] ?? 200);
    const card = newId('Card');
    await tell(service, platform, cardEvent(card));
    await platform.clock.advance(10 * MINUTE_MS);
    assert.equal(receiver.received.length, answers.length);
    const [first] = receiver.received;
    const [key] = (await expectStatus(200, platform.get('/webhooks/signing-keys'))).data;
    for (const received of receiver.received) {
      assert.deepEqual(received.body, first?.body);
      assert.equal(received.headers['webhook-id'], first?.headers['webhook-id']);
      assert.ok(verifyServiceSignature(key.publicKeyPem, received.headers, received.body));
      assert.ok(verifyStandardSignature(key.standardWebhooksPublicKey, received.headers, received.body));
    }
    const event = await expectStatus(200, platform.get(`/webhooks/events/${envelopeOf(first).id}`));
    assert.equal(event.deliveryStatus, 'DELIVERED');
    assert.deepEqual(
      event.attempts.map(({ number, responseStatus, failure }: Record<string, unknown>) => [number, responseStatus ?? failure]),
      [
        [7, 204],
        [6, 400],
        [5, 'CONNECTION_FAILED'],
        [4, 429],
        [3, 404],
        [2, 301],
        [1, 500],
      ],
    );
  });

  test('the delays double, with jitter, up to thirty minutes; after seven days the event has failed', async () => {
    begin(() => 503);
    const card = newId('Card');
    const start = await platform.clock.now();
    await tell(service, platform, cardEvent(card));
    await settle(platform);
    const waiting = await eventOf(card);
    assert.equal(waiting.deliveryStatus, 'PENDING');
    const firstWait = Date.parse(waiting.nextAttemptAt) - start.getTime();
    assert.ok(firstWait >= 2_500 && firstWait <= 5_000, String(firstWait));

    await advanceDays(platform, 8);
    const event = await expectStatus(200, platform.get(`/webhooks/events/${waiting.id}`));
    assert.equal(event.deliveryStatus, 'FAILED');
    assert.equal(event.nextAttemptAt, undefined);
    const times = event.attempts.map(({ startedAt }: { startedAt: string }) => Date.parse(startedAt)).reverse();
    const waits = times.slice(1).map((at: number, i: number) => at - times[i]);
    for (const [i, wait] of waits.entries()) {
      const full = Math.min(30 * MINUTE_MS, 5_000 * 2 ** i);
      assert.ok(wait >= full / 2 && wait <= full, `wait ${i}: ${wait} of ${full}`);
    }
    assert.ok(times.at(-1) - start.getTime() > 7 * DAY_MS - 30 * MINUTE_MS);
    assert.ok(times.at(-1) - start.getTime() <= 7 * DAY_MS);
  });

  test('"409" is delivered', async () => {
    begin(() => 409);
    const card = newId('Card');
    await tell(service, platform, cardEvent(card));
    await platform.clock.advance(DAY_MS);
    assert.equal(receiver.received.length, 1);
    assert.equal((await eventOf(card)).deliveryStatus, 'DELIVERED');
  });
});

describe('"410 stops the endpoint"', () => {
  test('nothing more is sent; events wait; setting the endpoint again sends them', async () => {
    begin(() => 410);
    const cards = [newId('Card'), newId('Card')];
    await tell(service, platform, cardEvent(cards[0]));
    await settle(platform);
    assert.equal((await eventOf(cards[0] as string)).deliveryStatus, 'FAILED');
    await tell(service, platform, cardEvent(cards[1]));
    await platform.clock.advance(DAY_MS);
    assert.equal(receiver.received.length, 1);
    assert.equal((await eventOf(cards[1] as string)).deliveryStatus, 'PENDING');

    begin(() => 200);
    await setEndpoint(platform, receiver.url);
    await settle(platform);
    assert.deepEqual(
      receiver.received.map((received) => envelopeOf(received).objectId),
      [cards[1]],
    );
  });

  test('an event that waited for seven days has failed', async () => {
    begin(() => 410);
    const cards = [newId('Card'), newId('Card')];
    await tell(service, platform, cardEvent(cards[0]));
    await settle(platform);
    await tell(service, platform, cardEvent(cards[1]));
    await advanceDays(platform, 7);
    assert.equal((await eventOf(cards[1] as string)).deliveryStatus, 'PENDING');
    await platform.clock.advance(1);
    assert.equal((await eventOf(cards[1] as string)).deliveryStatus, 'FAILED');
    begin(() => 200);
    await setEndpoint(platform, receiver.url);
    await settle(platform);
    assert.equal(receiver.received.length, 0);
  });
});

describe('the sandbox clock is set back', () => {
  const [LATER, NOW] = ['2031-05-04T12:00:00.000Z', '2026-03-01T12:00:00.000Z'];

  test('a retry due after the new time is made at once, and for seven days from then', async () => {
    const client = await service.newPlatform();
    let status = 503;
    const own = await givenEndpoint(client, { reply: () => status });
    try {
      const [first, second] = [newId('Card'), newId('Card')];
      await client.clock.freeze(LATER);
      await tell(service, client, cardEvent(first));
      await settle(client);
      await client.clock.freeze(NOW);
      assert.equal((await eventOf(first, client)).attemptCount, 2);
      await advanceDays(client, 7);
      assert.equal((await eventOf(first, client)).deliveryStatus, 'FAILED');

      await client.clock.freeze(LATER);
      await tell(service, client, cardEvent(second));
      await settle(client);
      status = 200;
      await client.clock.freeze(NOW);
      assert.equal((await eventOf(second, client)).deliveryStatus, 'DELIVERED');
    } finally {
      await own.close();
    }
  });

  test('an attempt in progress does not schedule a retry years ahead', async () => {
    const client = await service.newPlatform();
    let letGo = () => {};
    const held = new Promise<Reply>((resolve) => {
      letGo = () => resolve(503);
    });
    const own = await givenEndpoint(client, { reply: (received) => (envelopeOf(received).type === 'TEST' ? 200 : held) });
    try {
      const card = newId('Card');
      await client.clock.freeze(LATER);
      await tell(service, client, cardEvent(card));
      while (own.received.length < 1) await new Promise(setImmediate);
      const setBack = client.clock.freeze(NOW);
      while ((await client.clock.now()).toISOString() !== NOW) await new Promise(setImmediate);
      letGo();
      await setBack;
      // The clock does not wait for the record of an attempt that another turn of the worker makes.
      let event = await eventOf(card, client);
      while (event.attemptCount < 1) event = await eventOf(card, client);
      const { nextAttemptAt } = event;
      assert.ok(Date.parse(nextAttemptAt) <= Date.parse(NOW) + 30 * MINUTE_MS, nextAttemptAt);
    } finally {
      await own.close();
    }
  });
});

describe('order', () => {
  test('"First attempts of one object\'s events go out in the order of their commits", also when each of them fails', async () => {
    begin(() => 500);
    const card = newId('Card');
    for (let i = 0; i < 40; i += 1) await tell(service, platform, cardEvent(card));
    await settle(platform);
    assert.deepEqual(
      receiver.received.map((received) => envelopeOf(received).sequence),
      Array.from({ length: 40 }, (_, i) => i + 1),
    );
    reply = () => 200;
    await platform.clock.advance(MINUTE_MS);
  });

  test('a slow delivery of one object does not delay another object', async () => {
    const client = await service.newPlatform();
    const slow = newId('Card');
    let letGo = () => {};
    const held = new Promise<Reply>((resolve) => {
      letGo = () => resolve(200);
    });
    const own = await givenEndpoint(client, { reply: (received) => (envelopeOf(received).objectId === slow ? held : 200) });
    try {
      await tell(service, client, ...Array.from({ length: 200 }, () => cardEvent(slow)), cardEvent(), cardEvent(), cardEvent());
      const settled = settle(client);
      while (own.received.filter((received) => envelopeOf(received).objectId !== slow).length < 3) await new Promise(setImmediate);
      assert.equal(own.received.filter((received) => envelopeOf(received).objectId === slow).length, 1);
      letGo();
      await settled;
      assert.equal(own.received.length, 203);
    } finally {
      await own.close();
    }
  });
});

describe('platforms', () => {
  test('"Attempts for one endpoint that is down delay no other platform"', async () => {
    const dead = await service.newPlatform();
    const alive = await service.newPlatform();
    const silent = await startReceiver({ reply: () => 'HANG' });
    const quick = await givenEndpoint(alive);
    try {
      await setEndpoint(dead, silent.url);
      await tell(service, dead, ...Array.from({ length: 500 }, () => cardEvent()));
      while (silent.received.length < 2) await new Promise(setImmediate);
      await tell(service, alive, ...Array.from({ length: 100 }, () => cardEvent()));
      while (quick.received.length < 100) await new Promise(setImmediate);
      assert.ok(silent.received.length < 500, 'the silent endpoint is still being tried');
    } finally {
      await quick.close();
      // Closes its connections, so that stopping the service does not wait for the timeouts.
      await silent.close();
    }
  });

  test('one platform sees nothing of another', async () => {
    const other = await service.newPlatform();
    const card = newId('Card');
    begin(() => 200);
    await tell(service, platform, cardEvent(card));
    await settle(platform);
    assert.equal(await eventOf(card, other), undefined);
    const { id } = await eventOf(card);
    assert.equal((await other.get(`/webhooks/events/${id}`)).status, 404);
    assert.equal((await other.get(`/webhooks/events/${id}`)).text, (await other.get(`/webhooks/events/${newId('Webhook')}`)).text);
  });
});
