// Retries against a server that fails as it is told to.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { createSwitchyard, isCode, NoAnswer, type Switchyard } from '../../client/client.js';
import { pauseMs } from '../../client/transport.js';

type Fault = (request: IncomingMessage, response: ServerResponse) => void;
type Received = { readonly method: string; readonly key: string | undefined; readonly lastEventId: string | undefined };

/** Answers the next requests, one each; after them everything is answered with 200. */
let faults: Fault[] = [];
let received: Received[] = [];
const server = createServer((request, response) => {
  const { 'idempotency-key': key, 'last-event-id': lastEventId } = request.headers;
  received.push({ method: request.method ?? '', key: key as string, lastEventId: lastEventId as string });
  request.resume().on('end', () => (faults.shift() ?? answer(200, { data: [], hasMore: false }))(request, response));
});
let sy: Switchyard;
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  sy = createSwitchyard({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'a:b' });
});
after(() => {
  server.close();
  server.closeAllConnections();
});
afterEach(() => {
  faults = [];
  received = [];
});

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Fault =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refuse = (status: number, code: string, headers = {}) => answer(status, { code, reason: 'as told' }, headers);
const breakOff: Fault = (request) => void request.socket.destroy();
const never: Fault = () => {};
/** Status and headers arrive, and a part of the body. */
const cutOff: Fault = (request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"data":[');
  setTimeout(() => request.socket.destroy(), 50);
};
const create = (options = {}) => sy.customers.create({ customerType: 'INDIVIDUAL', fullName: 'Ada' }, options);

for (const [name, fault] of [
  ['408', refuse(408, 'REQUEST_TIMEOUT')],
  ['429', refuse(429, 'RATE_LIMITED', { 'retry-after': '0' })],
  ['503', refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' })],
  ['a broken connection', breakOff],
  ['an answer that is cut off', cutOff],
] as const)
  describe(`after ${name}`, () => {
    test('a read is repeated', async () => {
      faults = [fault, fault];
      await sy.customers.list();
      assert.equal(received.length, 3);
    });
    test('a write that carries a key is repeated with the same key', async () => {
      faults = [fault];
      await create();
      assert.equal(received.length, 2);
      assert.ok(received[0]?.key);
      assert.equal(received[0].key, received[1]?.key);
    });
    test('a write without a key is not repeated', async () => {
      faults = [fault];
      await assert.rejects(sy.webhooks.test());
      assert.equal(received.length, 1);
    });
    test('the third failure is thrown', async () => {
      faults = [fault, fault, fault];
      await assert.rejects(sy.customers.list());
      assert.equal(received.length, 3);
    });
  });

for (const status of [400, 401, 403, 404, 409, 422, 500, 502])
  test(`${status} is not repeated`, async () => {
    faults = [refuse(status, 'INVALID_INPUT')];
    await assert.rejects(sy.customers.list(), (error) => isCode(error, 'INVALID_INPUT') && error.status === status);
    assert.equal(received.length, 1);
  });

test('`retries: 0` turns them off', async () => {
  faults = [breakOff];
  await assert.rejects(sy.customers.list(undefined, { retries: 0 }), (error) => error instanceof NoAnswer);
  assert.equal(received.length, 1);
});

test('Retry-After is waited for', async () => {
  faults = [refuse(429, 'RATE_LIMITED', { 'retry-after': '1' })];
  const started = performance.now();
  await sy.customers.list();
  assert.ok(performance.now() - started >= 950);
});

test('a Retry-After of more than half a minute is left to the caller', async () => {
  faults = [refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '31' })];
  await assert.rejects(sy.customers.list(), (error) => isCode(error, 'SERVICE_UNAVAILABLE') && error.retryAfter === 31);
  assert.equal(received.length, 1);
});

test('without Retry-After the pause is 250 ms, doubled each time, less a random part of up to one half', () => {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const whole = Math.min(30_000, 250 * 2 ** attempt);
    for (let draw = 0; draw < 100; draw += 1) {
      const ms = pauseMs(attempt);
      assert.ok(ms > whole / 2 - 1e-9 && ms <= whole, `${ms} at attempt ${attempt}`);
    }
  }
});

test('`fetch` can be given', async () => {
  const calls: string[] = [];
  const given: typeof fetch = async (input, init) => {
    calls.push(`${init?.method} ${input}`);
    assert.ok(init?.signal instanceof AbortSignal, 'every call has a limit');
    return Response.json({ data: [], hasMore: false });
  };
  const other = createSwitchyard({ baseUrl: 'https://payments.example/2025-10-13/', token: 'a:b', fetch: given });
  await other.customers.list({ limit: 5 });
  assert.deepEqual([calls, received], [['GET https://payments.example/2025-10-13/customers?limit=5'], []]);
});

test('no answer in time is an error that says so', async () => {
  faults = [never];
  await assert.rejects(sy.customers.list(undefined, { timeoutMs: 50, retries: 0 }), (error) => error instanceof NoAnswer);
});

test('an answer that stops in its body is no answer, whether it is cut off or takes too long', async () => {
  faults = [cutOff];
  await assert.rejects(sy.customers.list(undefined, { retries: 0 }), (error) => error instanceof NoAnswer);
  faults = [(_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{')];
  await assert.rejects(sy.customers.list(undefined, { timeoutMs: 200, retries: 0 }), (error) => error instanceof NoAnswer);
});

test('a header that is given replaces one of the client, however its name is written', async () => {
  await create({ headers: { 'Idempotency-Key': 'mine' } });
  assert.deepEqual(
    received.map(({ key }) => key),
    ['mine'],
  );
});

test("the caller's signal ends a call and its waiting with the caller's reason", async () => {
  faults = [refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '20' })];
  const controller = new AbortController();
  const call = sy.customers.list(undefined, { signal: controller.signal }).then(undefined, (error: unknown) => error);
  setTimeout(() => controller.abort(new Error('the user left')), 50);
  assert.equal(((await call) as Error).message, 'the user left');
});

test('an answer of a proxy, which is no JSON, is an error with its status', async () => {
  faults = [(_request, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')];
  await assert.rejects(sy.customers.list(), (error) => (error as { status?: number }).status === 502);
});

test('a list that a page for browsers answers is an error, and not an empty list', async () => {
  const page: Fault = (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  faults = [page, page];
  await assert.rejects(sy.customers.list().all(), /customers\.list: no answer: what came is no list; is http:\S+ the service\?/);
  await assert.rejects(Promise.resolve(sy.customers.list()), { name: 'NoAnswer' });
});

test('a stream that never opens ends as a call does, and waits for no service that is not there', async () => {
  const streamOf = async (baseUrl: string) => {
    for await (const _event of createSwitchyard({ baseUrl, token: 'a:b', retries: 1 }).webhooks.events.stream()) assert.fail('no event');
  };
  await assert.rejects(streamOf('http://127.0.0.1:1'), { name: 'NoAnswer' });
  await assert.rejects(streamOf('127.0.0.1:8080'), /webhooks\.events\.stream: no answer: Invalid URL/);
});

test('a stream that breaks is opened again after the last event, and no event comes twice', async () => {
  const event = (n: number) => `id: Webhook:${n}\nevent: TEST\ndata: {"id":"Webhook:${n}","type":"TEST","data":{}}\n\n`;
  const stream =
    (...parts: string[]): Fault =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const part of parts) response.write(part);
      // The bytes are sent before the connection breaks.
      setTimeout(() => response.destroy(), 20);
    };
  faults = [stream(': connected\n\n', event(1), event(2).slice(0, 20)), breakOff, stream(event(2), event(3))];
  const seen: string[] = [];
  for await (const { id } of sy.webhooks.events.stream()) {
    seen.push(id);
    if (seen.length === 3) break;
  }
  assert.deepEqual(seen, ['Webhook:1', 'Webhook:2', 'Webhook:3']);
  assert.deepEqual(
    received.map(({ lastEventId }) => lastEventId),
    [undefined, 'Webhook:1', 'Webhook:1'],
  );
});
