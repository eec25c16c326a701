import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { replayEvents } from '../../../../src/domains/core/webhooks/actions.js';
import { newId } from '../../../../src/kernel/ids.js';
import { MINUTE_MS } from '../../../../src/kernel/time.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardEvent, envelopeOf, givenEndpoint, platformIdOf, setEndpoint, settle, tell } from '../../../support/webhooks/platform.js';
import { startReceiver } from '../../../support/webhooks/receiver.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const minute = (n: number) => new Date(Date.parse('2026-03-01T00:00:00Z') + n * MINUTE_MS).toISOString();

/** Events of five cards, one per minute from minute zero; delivered if the platform has an endpoint. */
async function givenHistory(client: Client): Promise<string[]> {
  await client.clock.freeze(minute(0));
  const cards: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    await client.clock.set(minute(i));
    cards.push(newId('Card'));
    await tell(service, client, cardEvent(cards[i]));
  }
  await settle(client);
  return cards;
}

describe('202', () => {
  test('"replay all since a time": events at that time included, TEST events left out', async () => {
    const client = await service.newPlatform();
    const receiver = await givenEndpoint(client);
    try {
      const cards = await givenHistory(client);
      assert.equal(receiver.received.length, 5);
      receiver.received.length = 0;
      assert.deepEqual(await expectStatus(202, client.post('/webhooks/replay', { since: minute(2) })), { queued: 3 });
      await settle(client);
      assert.deepEqual(receiver.received.map((received) => envelopeOf(received).objectId).sort(), cards.slice(2).sort());

      receiver.received.length = 0;
      assert.deepEqual(await expectStatus(202, client.post('/webhooks/replay', { since: minute(0), types: ['TEST'] })), { queued: 0 });
      assert.deepEqual(await expectStatus(202, client.post('/webhooks/replay', { since: minute(0), undeliveredOnly: true })), {
        queued: 0,
      });
      assert.deepEqual(await expectStatus(202, client.post('/webhooks/replay', { since: minute(5) })), { queued: 0 });
      await settle(client);
      assert.equal(receiver.received.length, 0);
    } finally {
      await receiver.close();
    }
  });

  test('it ends on a platform that has an event all the time: what occurs meanwhile is sent anyway', async () => {
    const client = await service.newPlatform();
    const receiver = await givenEndpoint(client);
    const platformId = await platformIdOf(service, client);
    let looks = 0;
    const busy = {
      ...service.db,
      transaction: async (...work: Parameters<typeof service.db.transaction>) => {
        looks += 1;
        assert.ok(looks <= 3, 'every look finds the event that occurred since the one before it');
        await tell(service, client, cardEvent(newId('Card')));
        return service.db.transaction(...work);
      },
    } as typeof service.db;
    try {
      await replayEvents(busy, platformId, new Date(), { createdFrom: new Date(0), undeliveredOnly: false });
    } finally {
      await receiver.close();
    }
  });

  test('events from before the platform had an endpoint are sent for the first time, in order per object', async () => {
    const client = await service.newPlatform();
    await givenHistory(client);
    const card = newId('Card');
    for (let i = 0; i < 50; i += 1) await tell(service, client, cardEvent(card));
    const receiver = await startReceiver();
    try {
      await setEndpoint(client, receiver.url);
      await settle(client);
      receiver.received.length = 0;
      assert.deepEqual(await expectStatus(202, client.post('/webhooks/replay', { since: minute(0), undeliveredOnly: true })), {
        queued: 55,
      });
      await settle(client);
      assert.equal(receiver.received.length, 55);
      const ofCard = receiver.received.map(envelopeOf).filter(({ objectId }) => objectId === card);
      assert.deepEqual(
        ofCard.map(({ sequence }) => sequence),
        Array.from({ length: 50 }, (_, i) => i + 1),
      );
    } finally {
      await receiver.close();
    }
  });

  test('failed events are sent again; pending ones are left alone', async () => {
    const client = await service.newPlatform();
    let status = 500;
    const receiver = await givenEndpoint(client, { reply: () => status });
    try {
      await givenHistory(client);
      assert.deepEqual(await expectStatus(202, client.post('/webhooks/replay', { since: minute(0) })), { queued: 0 });
      status = 410;
      await client.clock.advance(MINUTE_MS);
      const failed = (await expectStatus(200, client.get('/webhooks/events?deliveryStatus=FAILED&type=card.status_change'))).totalCount;
      assert.ok(failed > 0);
      await setEndpoint(client, receiver.url);
      assert.deepEqual(await expectStatus(202, client.post('/webhooks/replay', { since: minute(0), undeliveredOnly: true })), {
        queued: failed,
      });
      status = 200;
      await client.clock.advance(5 * MINUTE_MS);
      assert.equal(
        (await expectStatus(200, client.get('/webhooks/events?deliveryStatus=DELIVERED&type=card.status_change'))).totalCount,
        5,
      );
    } finally {
      await receiver.close();
    }
  });
});

describe('400', () => {
  test('WEBHOOK_ENDPOINT_NOT_SET', async () => {
    assertRefused(await service.platform.post('/webhooks/replay', { since: minute(0) }), 400, 'WEBHOOK_ENDPOINT_NOT_SET');
  });
  test('INVALID_INPUT: since is required, types must exist, unknown members are refused', async () => {
    assertInvalid(await service.platform.post('/webhooks/replay', {}), 'since');
    assertInvalid(await service.platform.post('/webhooks/replay', { since: 'yesterday' }), 'since');
    assertInvalid(await service.platform.post('/webhooks/replay', { since: minute(0), types: ['NO'] }), 'types.0');
    assertInvalid(await service.platform.post('/webhooks/replay', { since: minute(0), until: minute(1) }), 'until');
  });
});
