// The HTTP of the command line: answers in every form that a server or a proxy may send them, in pieces of any size.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { createCaller } from '../../cli/call.js';
import { exchange, ReplyReader } from '../../cli/http.js';

const lines = (...text: string[]): string => text.join('\r\n');

const WHOLE: Readonly<Record<string, { text: string; status: number; body: string; isClosed?: true }>> = {
  'with its length': { text: lines('HTTP/1.1 200 OK', 'Content-Length: 5', '', 'hello'), status: 200, body: 'hello' },
  'of an old server, without a reason': { text: lines('HTTP/1.0 404', 'content-length: 2', '', 'no'), status: 404, body: 'no' },
  'without content': { text: lines('HTTP/1.1 204 No Content', 'x-request-id: 1', '', ''), status: 204, body: '' },
  'after an interim one': {
    text: lines(
      'HTTP/1.1 100 Continue',
      '',
      'HTTP/1.1 103 Early Hints',
      'link: x',
      '',
      'HTTP/1.1 201 Created',
      'content-length: 2',
      '',
      '{}',
    ),
    status: 201,
    body: '{}',
  },
  'in chunks, with an extension and a trailer': {
    text: lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '5;note=x', 'hello', 'B', ' w\r\norld 12', '0', 'digest: x', '', ''),
    status: 200,
    body: 'hello w\r\norld 12',
    isClosed: true,
  },
  'until the end of the connection': { text: lines('HTTP/1.1 200 OK', '', 'all of it'), status: 200, body: 'all of it', isClosed: true },
};

describe('an answer', () => {
  for (const [name, { text, status, body, isClosed = false }] of Object.entries(WHOLE))
    test(`${name} is read wherever the network cuts it`, () => {
      const bytes = Buffer.from(text, 'latin1');
      for (let at = 0; at <= bytes.length; at += 1) {
        const reader = new ReplyReader('GET');
        reader.push(bytes.subarray(0, at));
        const early = reader.read(false);
        if (at < bytes.length || isClosed) assert.equal(early, undefined, `${at} bytes are not all`);
        reader.push(bytes.subarray(at));
        const reply = reader.read(isClosed);
        assert.deepEqual([reply?.status, reply?.bytes.toString()], [status, body], `cut at ${at}`);
      }
    });

  test('has its headers by lower-case name; cookies stay apart', () => {
    const reader = new ReplyReader('HEAD');
    reader.push(Buffer.from(lines('HTTP/1.1 200 OK', 'X-A:  1 ', 'x-a: 2', 'Set-Cookie: a=1', 'set-cookie: b=2', '__proto__: x', '', '')));
    const { headers } = reader.read(false) ?? {};
    assert.deepEqual({ ...headers }, { 'x-a': '1, 2', 'set-cookie': ['a=1', 'b=2'], ['__proto__']: 'x' });
  });

  for (const [name, text, message] of [
    ['nothing', '', /closed without an answer/],
    ['half of the head', 'HTTP/1.1 200 OK\r\ncontent-le', /closed without an answer/],
    ['less than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', /cut off/],
    ['no last chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n', /cut off/],
    ['half a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf', /cut off/],
    ['something else', 'SSH-2.0-OpenSSH\r\n\r\n', /not HTTP/],
  ] as const)
    test(`${name} is an error that says so`, () => {
      const reader = new ReplyReader('GET');
      reader.push(Buffer.from(text));
      assert.throws(() => reader.read(true), message);
    });
});

test('a request has its host, its length and its headers, and a value never becomes a second header', async (t) => {
  let seen = '';
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      seen += chunk;
      if (seen.endsWith('{}')) socket.end(lines('HTTP/1.1 200 OK', 'content-length: 0', '', ''));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const send = (headers: Record<string, string>) =>
    exchange(`http://127.0.0.1:${port}/a b?c=ü`, { method: 'POST', headers, payload: Buffer.from('{}'), timeoutMs: 10_000 });
  assert.equal((await send({ authorization: 'Basic x' })).status, 200);
  const expected = [
    'POST /a%20b?c=%C3%BC HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    'connection: close',
    'content-length: 2',
    'authorization: Basic x',
  ];
  assert.equal(seen, lines(...expected, '', '{}'));
  for (const headers of [{ 'x-a': 'b\r\nx-c: d' }, { 'x a': 'b' }, { 'x-a': '\u2028' }])
    await assert.rejects(send(headers), /cannot be sent/);
});

describe('a call that may be repeated', () => {
  /** Answers in turn; null closes the connection. */
  const calledWith = async (t: TestContext, answers: readonly (string | null)[], headers: Record<string, string> = {}) => {
    let calls = 0;
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        const answer = answers[calls];
        calls += 1;
        socket.end(answer ?? '');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const caller = createCaller({ url, tokenId: 'id', secret: 'secret', source: '', profile: '' });
    const answer = await caller.send({ method: 'POST', path: '/', headers }).catch((error: { code: number }) => error);
    return { calls, outcome: 'status' in answer ? answer.status : answer.code };
  };
  const limited = (after: string) => lines('HTTP/1.1 429 No', `retry-after: ${after}`, 'content-length: 0', '', '');
  const good = lines('HTTP/1.1 200 OK', 'content-length: 0', '', '');
  const key = { 'idempotency-key': 'k' };

  test('is not repeated before the time that Retry-After names: what is longer than 30 s is left to the caller', async (t) => {
    assert.deepEqual(await calledWith(t, [limited('31'), good], key), { calls: 1, outcome: 429 });
    assert.deepEqual(await calledWith(t, [limited('0'), good], key), { calls: 2, outcome: 200 });
    assert.deepEqual(await calledWith(t, [limited('Wed, 21 Oct 2026 07:28:00 GMT'), good], key), { calls: 2, outcome: 200 });
  });

  test('"answered with 503, or not at all": it is repeated with its key; without a key, or signed, it is not', async (t) => {
    assert.deepEqual(await calledWith(t, [null, good], key), { calls: 2, outcome: 200 });
    assert.deepEqual(await calledWith(t, [null, null, null, good], key), { calls: 3, outcome: 4 });
    assert.deepEqual(await calledWith(t, [null, good]), { calls: 1, outcome: 4 });
    assert.deepEqual(await calledWith(t, [null, good], { ...key, 'service-wallet-signature': 's' }), { calls: 1, outcome: 4 });
  });
});
