import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { enqueueEvents } from '../../../../src/domains/core/webhooks/actions.js';
import { newId, uuidOf } from '../../../../src/kernel/ids.js';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { openStream } from '../../../support/stream.js';
import { cardEvent, platformIdOf, tell } from '../../../support/webhooks/platform.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService();
  platform = service.platform;
});
after(() => service.stop());

type Envelope = { readonly id: string; readonly objectId: string; readonly sequence: number };
const open = (lastEventId?: string, client = platform, query = '') =>
  openStream<Envelope>(service, client, `/webhooks/stream${query}`, lastEventId);

describe('200', () => {
  test('events as they happen, with id, type and envelope', async () => {
    await tell(service, platform, cardEvent());
    const stream = await open();
    const card = newId('Card');
    await tell(service, platform, cardEvent(card, { status: 'FROZEN' }));
    const [message] = await stream.take(1);
    assert.equal(message?.event, 'card.status_change');
    assert.equal(message?.id, message?.data.id);
    assert.equal(message?.data.objectId, card);
    stream.close();
  });

  test('"resumes after the last id seen": nothing twice, nothing missing', async () => {
    const first = await open();
    const cards = Array.from({ length: 10 }, () => newId('Card'));
    for (const card of cards) await tell(service, platform, cardEvent(card));
    const seen = await first.take(4);
    first.close();
    const second = await open(seen.at(-1)?.id);
    const rest = await second.take(6);
    second.close();
    assert.deepEqual(
      [...seen, ...rest].map(({ data }) => data.objectId),
      cards,
    );
  });

  test('a browser that reconnects to a URL with lastEventId continues after the last event it received', async () => {
    const first = await open();
    await tell(service, platform, cardEvent(), cardEvent(), cardEvent());
    const [one, two, three] = await first.take(3);
    first.close();
    const resumed = await open(two?.id, platform, `?lastEventId=${one?.id}`);
    assert.deepEqual(await resumed.take(1), [three]);
    resumed.close();
    const begun = await open(undefined, platform, `?lastEventId=${one?.id}`);
    assert.deepEqual(await begun.take(2), [two, three]);
    begun.close();
  });

  test('an event whose transaction was open while a later one was committed is not skipped', async () => {
    const stream = await open();
    const platformId = await platformIdOf(service, platform);
    const now = new Date('2026-03-01T12:00:00Z');
    const [slow, quick] = [newId('Card'), newId('Card')];
    await service.db.transaction(async (tx) => {
      enqueueEvents(tx, platformId, now, [cardEvent(slow)]);
      assert.equal(
        (await tx.many(sql`select from webhook_events where object_id = ${slow}`)).length,
        1,
        'the event is written, not committed',
      );
      await service.db.transaction(async (other) => enqueueEvents(other, platformId, now, [cardEvent(quick)]));
    });
    const got = await stream.take(2);
    stream.close();
    assert.deepEqual(new Set(got.map(({ data }) => data.objectId)), new Set([slow, quick]));
  });

  test("one object's events come in the order of their commits, also when the later transaction has the smaller id", async () => {
    const stream = await open();
    const platformId = await platformIdOf(service, platform);
    const now = new Date('2026-03-01T12:00:00Z');
    const [card, other] = [newId('Card'), newId('Card')];
    await service.db.transaction(async (tx) => {
      await tx.one(sql`select pg_current_xact_id()`);
      await tell(service, platform, cardEvent(card), cardEvent(card));
      await tell(service, platform, cardEvent(other));
      enqueueEvents(tx, platformId, now, [cardEvent(card), cardEvent(card)]);
    });
    await tell(service, platform, cardEvent(card));
    const received = await stream.take(6);
    stream.close();
    const numbers = (messages: readonly { readonly data: Envelope }[]) =>
      messages.filter(({ data }) => data.objectId === card).map(({ data }) => data.sequence);
    assert.deepEqual(numbers(received), [1, 2, 3, 4, 5]);
    for (const [i, { id }] of received.slice(0, -1).entries()) {
      const resumed = await open(id);
      assert.deepEqual(await resumed.take(5 - i), received.slice(i + 1));
      resumed.close();
    }
  });

  test('in a database restored on a server whose clock is behind, new events are still streamed, in order', async () => {
    const client = await service.newPlatform();
    const card = newId('Card');
    await tell(service, client, cardEvent(card));
    const stream = await open(undefined, client);
    const ahead = 4_000_000_000_000_000n;
    await service.db.run(sql`
      update webhook_cursors set last_position = ${ahead}, settled = ${ahead}, claimed = ${ahead}
      where platform_id = ${uuidOf(await platformIdOf(service, client))}`);
    await tell(service, client, cardEvent(card));
    await tell(service, client, cardEvent(card));
    const received = await stream.take(2);
    stream.close();
    assert.deepEqual(
      received.map(({ data }) => data.sequence),
      [2, 3],
    );
  });

  test("another platform's events do not appear", async () => {
    const other = await service.newPlatform();
    const stream = await open();
    const mine = newId('Card');
    await tell(service, other, cardEvent());
    await tell(service, platform, cardEvent(mine));
    assert.equal((await stream.take(1))[0]?.data.objectId, mine);
    stream.close();
  });
});

describe('404 NOT_FOUND', () => {
  test('an id that is not one of the platform', async () => {
    const other = await service.newPlatform();
    await tell(service, other, cardEvent());
    const [event] = (await other.get('/webhooks/events')).body.data;
    for (const id of [newId('Webhook'), event.id, 'nonsense'])
      assertRefused(await platform.get(`/webhooks/stream?lastEventId=${id}`), 404, 'NOT_FOUND');
  });
});

describe('429 RATE_LIMITED', () => {
  test('a platform may open 32 streams without limiting other platforms; a closed stream makes room', async () => {
    const [greedy, modest] = [await service.newPlatform(), await service.newPlatform()];
    const streams: Awaited<ReturnType<typeof open>>[] = [];
    for (let i = 0; i < 32; i += 1) streams.push(await open(undefined, greedy));
    const refused = await greedy.get('/webhooks/stream');
    assertRefused(refused, 429, 'RATE_LIMITED');
    assert.ok(refused.headers.get('retry-after'));
    const other = await open(undefined, modest);

    streams.pop()?.close();
    const options = { headers: { authorization: greedy.authorization }, agent: false } as const;
    const statusOf = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = http.get(`${service.baseUrl}/webhooks/stream`, options, (response) => {
          resolve(response.statusCode);
          response.destroy();
        });
        request.on('error', reject);
      });
    while ((await statusOf()) !== 200);
    for (const stream of [...streams, other]) stream.close();
  });
});

describe('a stream does not outlive its token', { timeout: 60_000 }, () => {
  const viewer = async () => {
    const token = await expectStatus(201, platform.post('/tokens', { name: 'viewer', permissions: ['VIEW'] }));
    return { id: token.id as string, client: service.as(token.clientId, token.clientSecret) };
  };

  test('a deleted token ends the streams it opened and no others', async () => {
    const [gone, kept] = [await viewer(), await viewer()];
    const [ends, stays] = [await open(undefined, gone.client), await open(undefined, kept.client)];
    await expectStatus(204, platform.delete(`/tokens/${gone.id}`));
    await ends.ended();
    const card = newId('Card');
    await tell(service, platform, cardEvent(card));
    assert.equal((await stays.take(1))[0]?.data.objectId, card);
    stays.close();
  });

  test('an expired token does the same', async () => {
    const { id, client } = await viewer();
    const stream = await open(undefined, client);
    const now = await client.clock.now();
    await service.db.run(sql`update api_tokens set expires_at = ${now} where id = ${id.slice('Token:'.length)}`);
    await stream.ended();
    assertRefused(await client.get('/config'), 401, 'UNAUTHORIZED');
  });
});

describe('the service stops', () => {
  test('open streams end, so that stopping does not wait for them', async () => {
    const own = await startOwnService();
    const response = await fetch(`${own.baseUrl}/webhooks/stream`, { headers: { authorization: own.platform.authorization } });
    assert.equal(response.status, 200);
    const ended = response.text();
    await own.stop();
    assert.match(await ended, /^: connected\n\n/);
  });
});
