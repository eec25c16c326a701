import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../../../src/kernel/ids.js';
import { MINUTE_MS } from '../../../../src/kernel/time.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardData, cardEvent, givenEndpoint, settle, tell } from '../../../support/webhooks/platform.js';
import type { Receiver, Reply } from '../../../support/webhooks/receiver.js';

let service: TestService;
let platform: Client;
let receiver: Receiver;
let answer: Reply = 200;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  await platform.clock.freeze('2026-03-01T12:00:00Z');
  receiver = await givenEndpoint(platform, { reply: () => answer });
});
after(async () => {
  await receiver.close();
  await service.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
const list = (query: string, client = platform): Promise<any> => expectStatus(200, client.get(`/webhooks/events${query}`));
// biome-ignore lint/suspicious/noExplicitAny: as above.
const objectsOf = ({ data }: any): string[] => data.map(({ objectId }: { objectId: string }) => objectId);

describe('200', () => {
  test('newest first, with attempts: "request headers, status, response body up to 2 kB, duration, next attempt"', async () => {
    answer = { status: 503, body: 'x'.repeat(5_000) };
    const cards = [newId('Card'), newId('Card')];
    for (const card of cards) {
      await tell(service, platform, cardEvent(card, { status: 'ACTIVE' }));
      await settle(platform);
    }
    const page = await list('?limit=2');
    assert.deepEqual(objectsOf(page), [...cards].reverse());
    const [event] = page.data;
    assert.deepEqual(
      { ...event, id: '', nextAttemptAt: '', attempts: [] },
      {
        id: '',
        type: 'card.status_change',
        timestamp: '2026-03-01T12:00:00.000Z',
        objectId: cards[1],
        sequence: 1,
        data: cardData(cards[1] ?? '', { status: 'ACTIVE' }),
        deliveryStatus: 'PENDING',
        attemptCount: 1,
        nextAttemptAt: '',
        attempts: [],
      },
    );
    assert.ok(Date.parse(event.nextAttemptAt) > Date.parse(event.timestamp));
    const [attempt] = event.attempts;
    assert.equal(attempt.number, 1);
    assert.equal(attempt.url, receiver.url);
    assert.equal(attempt.responseStatus, 503);
    assert.equal(attempt.responseBody, 'x'.repeat(2_048));
    assert.equal(attempt.startedAt, '2026-03-01T12:00:00.000Z');
    assert.ok(attempt.durationMs >= 0);
    const sent = receiver.received.at(-1)?.headers ?? {};
    for (const name of ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-service-signature'])
      assert.equal(attempt.requestHeaders[name], sent[name], name);
    answer = 200;
    await platform.clock.advance(MINUTE_MS);
  });

  test('a list shows the last three attempts', async () => {
    answer = 500;
    const card = newId('Card');
    await tell(service, platform, cardEvent(card));
    await platform.clock.advance(3 * MINUTE_MS);
    const [event] = (await list(`?objectId=${card}`)).data;
    assert.ok(event.attemptCount > 3);
    assert.deepEqual(
      event.attempts.map(({ number }: { number: number }) => number),
      [event.attemptCount, event.attemptCount - 1, event.attemptCount - 2],
    );
    answer = 200;
    await platform.clock.advance(5 * MINUTE_MS);
  });

  test('pages follow each other without a gap and give the total count', async () => {
    const client = await service.newPlatform();
    const cards = Array.from({ length: 5 }, () => newId('Card'));
    await tell(service, client, ...cards.map((card) => cardEvent(card)));
    const first = await list('?limit=2', client);
    assert.equal(first.totalCount, 5);
    assert.equal(first.hasMore, true);
    const second = await list(`?limit=2&cursor=${first.nextCursor}`, client);
    const third = await list(`?limit=2&cursor=${second.nextCursor}`, client);
    assert.equal(third.hasMore, false);
    assert.deepEqual([first, second, third].flatMap(objectsOf), [...cards].reverse());
  });

  test('filters: type, objectId, deliveryStatus, createdAfter (included), createdBefore (not included)', async () => {
    const client = await service.newPlatform();
    await client.clock.freeze('2026-05-01T00:00:00Z');
    const own = await givenEndpoint(client);
    try {
      const [early, late] = [newId('Card'), newId('Card')];
      await tell(service, client, cardEvent(early));
      await settle(client);
      await client.clock.advance(MINUTE_MS);
      await tell(service, client, cardEvent(late), { type: 'CARD.PIN_STATUS_CHANGE', objectId: late, data: cardData(late) });
      const found = async (query: string) =>
        (await list(query, client)).data.map((event: Record<string, unknown>) => [event['type'], event['objectId']]);
      const change = 'card.status_change';
      assert.deepEqual(await found(`?type=${change}`), [
        [change, late],
        [change, early],
      ]);
      assert.deepEqual(await found(`?objectId=${early}`), [[change, early]]);
      assert.deepEqual(await found(`?type=${change}&createdAfter=2026-05-01T00:01:00Z`), [[change, late]]);
      assert.deepEqual(await found(`?type=${change}&createdBefore=2026-05-01T00:01:00Z`), [[change, early]]);
      await settle(client);
      assert.equal((await found('?deliveryStatus=DELIVERED')).length, 4);
      assert.deepEqual(await found('?deliveryStatus=PENDING'), []);
      assert.deepEqual(await found('?deliveryStatus=FAILED'), []);
    } finally {
      await own.close();
    }
  });

  test('without an endpoint events are recorded as well', async () => {
    const client = await service.newPlatform();
    await tell(service, client, cardEvent());
    const [event] = (await list('', client)).data;
    assert.equal(event.deliveryStatus, 'NOT_QUEUED');
    assert.equal(event.attemptCount, 0);
    assert.deepEqual(event.attempts, []);
    assert.equal(event.nextAttemptAt, undefined);
  });
});

describe('400 INVALID_INPUT', () => {
  test('an unknown type, status, timestamp or cursor is named', async () => {
    assertInvalid(await platform.get('/webhooks/events?type=CARD.UNKNOWN'), 'type');
    assertInvalid(await platform.get('/webhooks/events?deliveryStatus=LOST'), 'deliveryStatus');
    assertInvalid(await platform.get('/webhooks/events?createdAfter=yesterday'), 'createdAfter');
    assertInvalid(await platform.get('/webhooks/events?cursor=abc'), 'cursor');
    assertInvalid(await platform.get('/webhooks/events?limit=101'), 'limit');
  });
});

describe('401 UNAUTHORIZED', () => {
  test('without a token', async () => {
    assertRefused(await service.as('nobody', 'nothing').get('/webhooks/events'), 401, 'UNAUTHORIZED');
  });
});
