import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let client: Client;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

type Message = { readonly id: string; readonly event: string; readonly data: { readonly operation: string; readonly status: number } };

/** Opens the stream and waits until it is open. `take` waits for that many more requests. */
async function open(reader: Client, { query = '', lastEventId = '' } = {}) {
  const abort = new AbortController();
  const response = await fetch(`${service.baseUrl}/requests/stream${query}`, {
    headers: { authorization: reader.authorization, ...(lastEventId && { 'last-event-id': lastEventId }) },
    signal: abort.signal,
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.ok(response.body);
  const body = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const messages: Message[] = [];
  const read = async () => {
    const { value, done } = await body.read();
    if (done) return false;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (field('id')) messages.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) });
    }
    return true;
  };
  await read();
  return {
    async take(count: number): Promise<Message[]> {
      while (messages.length < count) assert.ok(await read(), 'the stream ended early');
      return messages.splice(0, count);
    },
    async ended(): Promise<void> {
      while (await read());
    },
    close: () => abort.abort(),
  };
}

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
