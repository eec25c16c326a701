import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { openStream } from '../../../support/stream.js';

let service: TestService;
let client: Client;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

type Summary = { readonly operation: string; readonly status: number };
const open = (reader: Client, { query = '', lastEventId }: { query?: string; lastEventId?: string } = {}) =>
  openStream<Summary>(service, reader, `/requests/stream${query}`, lastEventId);

const requestId = (answer: { headers: Headers }): string => answer.headers.get('x-request-id') as string;

describe('streamRequests', () => {
  before(async () => {
    client = await service.newPlatform();
  });

  test('requests as they end, with id and summary, each once and in order', async () => {
    const stream = await open(client);
    const ids = [];
    for (let i = 0; i < 5; i += 1) ids.push(requestId(await client.get('/config')));
    const messages = await stream.take(5);
    assert.deepEqual(
      messages.map(({ id }) => id),
      ids,
    );
    assert.deepEqual(new Set(messages.map(({ event }) => event)), new Set(['request']));
    assert.deepEqual([messages[0]?.data.operation, messages[0]?.data.status], ['getPlatformConfig', 200]);
    stream.close();
  });

  test('goes on after the last request seen, by header or parameter', async () => {
    const [first, second, third] = [await client.get('/config'), await client.get('/config'), await client.get('/config')].map(requestId);
    for (const from of [
      { lastEventId: first },
      { query: `?lastRequestId=${first}` },
      { lastEventId: first, query: `?lastRequestId=${third}` },
    ]) {
      const stream = await open(client, from as { lastEventId?: string });
      assert.deepEqual(
        (await stream.take(2)).map(({ id }) => id),
        [second, third],
      );
      stream.close();
    }
  });

  test('filters by status and by operation', async () => {
    const refused = await open(client, { query: '?status=4xx' });
    const configs = await open(client, { query: '?operation=getPlatformConfig' });
    await client.get('/cards');
    const missing = requestId(await client.get('/cards/Card:01a1e489-0000-7000-8000-000000000000'));
    const config = requestId(await client.get('/config'));
    assert.deepEqual((await refused.take(1))[0]?.id, missing);
    assert.deepEqual((await configs.take(1))[0]?.id, config);
    refused.close();
    configs.close();
  });

  test("shows no other platform's requests", async () => {
    const other = await service.newPlatform();
    const stream = await open(other);
    await client.get('/config');
    const mine = requestId(await other.get('/config'));
    assert.equal((await stream.take(1))[0]?.id, mine);
    stream.close();
  });

  test('an unknown last request is 404, a filter of wrong shape 400', async () => {
    assertRefused(await client.get('/requests/stream?lastRequestId=01a1e489-0000-7000-8000-000000000000'), 404, 'NOT_FOUND');
    assertInvalid(await client.get('/requests/stream?status=5'), 'status');
  });

  test('ends when its token is deleted', async () => {
    const { id, clientId, clientSecret } = await expectStatus(201, client.post('/tokens', { name: 'reader', permissions: ['VIEW'] }));
    const stream = await open(service.as(clientId, clientSecret));
    await expectStatus(204, client.delete(`/tokens/${id}`));
    await stream.ended();
  });
});
