import assert from 'node:assert/strict';
import '../../../support/own-process.js';
import net, { type AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import {
  createOutbound,
  isAddressAllowed,
  LIVE_POLICY,
  type OutboundOptions,
  type OutboundResult,
  SANDBOX_POLICY,
} from '../../../../src/domains/core/webhooks/outbound.js';
import { type ReceiverOptions, startReceiver, TLS_FIXTURE } from '../../../support/webhooks/receiver.js';

const BODY = Buffer.from('{"type":"TEST"}');
const closers: (() => unknown)[] = [];
after(async () => {
  for (const close of closers) await close();
});

const givenReceiver = async (options?: ReceiverOptions) => {
  const receiver = await startReceiver(options);
  closers.push(receiver.close);
  return receiver;
};
const givenOutbound = (options: Partial<OutboundOptions> = {}) => {
  const outbound = createOutbound({ policy: SANDBOX_POLICY, ...options });
  closers.push(outbound.close);
  return outbound;
};
/** A connection is reused one turn of the event loop after its answer, so that a receiver had time to close it. */
const connectionRests = () => new Promise(setImmediate);
const assertFailed = (result: OutboundResult, failure: string) =>
  assert.deepEqual({ ...result, durationMs: 0 }, { kind: 'FAILED', failure, durationMs: 0 });
const assertAnswered = (result: OutboundResult, status: number, body = '') =>
  assert.deepEqual({ ...result, durationMs: 0 }, { kind: 'ANSWERED', status, body, durationMs: 0 });

/** Hosts that must never be reached in live mode, in every spelling that a URL allows. */
const FORBIDDEN_HOSTS = [
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '017700000001', '0177.0.0.1', '127.255.255.254', '127.0.0.1.'],
  ...['１２７.０.０.１', '127。0。0。1', '%31%32%37.0.0.1', 'localhost', 'LOCALHOST', 'localhost.'],
  ...['0.0.0.0', '0', '0x0', '10.0.0.1', '10.255.255.255', '012.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '3232235777'],
  ...[
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '168.63.129.16',
    '100.64.0.1',
    '100.127.255.255',
    '100.100.100.200',
  ],
  ...[
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:8.8.8.8]',
    '[::127.0.0.1]',
  ],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b::8.8.8.8]', '[64:ff9b:1::1]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]'],
  ...['[2001::1]', '[2001:0:7f00:1::]', '[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[2001:db8::1]', '[100::1]'],
];

describe('SSRF: "0 connects to a blocked address, checked at the socket"', () => {
  test(`${FORBIDDEN_HOSTS.length} spellings of a forbidden host are refused in live mode`, async () => {
    const trap = await givenReceiver();
    const outbound = givenOutbound({ policy: LIVE_POLICY });
    for (const host of FORBIDDEN_HOSTS) {
      const result = await outbound.post(`https://${host}:${trap.port}/`, {}, BODY);
      assert.equal(result.kind, 'FAILED', host);
      assert.ok(result.kind === 'FAILED' && /^(URL|ADDRESS)_REFUSED$/.test(result.failure), `${host}: ${JSON.stringify(result)}`);
    }
    assert.equal(trap.connections(), 0);
  });

  test('in live mode https only, no user info, no fragment, no port of another protocol', async () => {
    const resolve = async () => assert.fail('nothing is resolved for a URL that is refused on sight');
    const outbound = givenOutbound({ policy: LIVE_POLICY, resolve });
    const urls = [
      'http://a.example/',
      'ftp://a.example/',
      'file:///etc/passwd',
      'gopher://a.example:70/',
      'https://u:p@a.example/',
      'https://u@a.example/',
    ];
    const more = [
      'https://a.example/#x',
      'https://a.example:22/',
      'https://a.example:25/',
      'https://a.example:80/',
      'https://a.example:0/',
      'https://a.example./',
    ];
    for (const url of [...urls, ...more, 'https://', 'not a url', '']) assertFailed(await outbound.post(url, {}, BODY), 'ADDRESS_REFUSED');
  });

  test('in live mode a name that is not resolved is reported like one that is refused', async () => {
    for (const resolve of [async () => [], async () => ['10.0.0.1'], () => Promise.reject(new Error('SERVFAIL'))]) {
      const result = await givenOutbound({ policy: LIVE_POLICY, resolve }).post('https://nobody.example/', {}, BODY);
      assert.deepEqual(result, { kind: 'FAILED', failure: 'ADDRESS_REFUSED', durationMs: 0 });
    }
  });

  test('in sandbox loopback is allowed, every other private form is still refused', () => {
    for (const address of ['127.0.0.1', '127.8.8.8', '::1']) assert.equal(isAddressAllowed(address, SANDBOX_POLICY), true, address);
    for (const address of [
      '10.0.0.1',
      '192.168.0.1',
      '169.254.169.254',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
      'fe80::1%lo',
      'fd00::1',
      '::',
    ])
      assert.equal(isAddressAllowed(address, SANDBOX_POLICY), false, address);
  });

  test('ordinary public addresses are allowed, and the refused blocks have the right bounds', () => {
    const allowed = [
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '128.0.0.0',
      '169.253.255.255',
      '172.15.255.255',
      '172.32.0.0',
    ];
    for (const address of [...allowed, '223.255.255.255', '2606:4700::1111', '2001:4860:4860::8888', '2a00:1450::1', '3ffe::1'])
      assert.equal(isAddressAllowed(address, LIVE_POLICY), true, address);
    for (const address of ['4000::1', '1fff:ffff::1', '3fff::1', 'not an address', ''])
      assert.equal(isAddressAllowed(address, LIVE_POLICY), false, address);
  });

  test('rebinding: the connection goes to the address that was checked, even if the name resolves to another next', async () => {
    const receiver = await givenReceiver();
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? ['10.0.0.1'];
    const outbound = givenOutbound({ resolve });
    assertAnswered(await outbound.post(`http://rebind.example:${receiver.port}/`, {}, BODY), 200);
    assert.equal(asked, 1);
    outbound.close();
    assertFailed(await givenOutbound({ resolve }).post(`http://rebind.example:${receiver.port}/`, {}, BODY), 'ADDRESS_REFUSED');
  });

  test('rebinding: a name that turns to loopback in live mode is refused at the connection', async () => {
    const trap = await givenReceiver();
    const outbound = givenOutbound({ policy: LIVE_POLICY, resolve: async () => ['127.0.0.1'] });
    assertFailed(await outbound.post(`https://rebind.example:${trap.port}/`, {}, BODY), 'ADDRESS_REFUSED');
    assert.equal(trap.connections(), 0);
  });

  test('concurrent requests share one lookup of a name; a later request looks it up again', async () => {
    const [receiver, another] = [await givenReceiver(), await givenReceiver()];
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      // Long enough for all requests to wait.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      return ['127.0.0.1'];
    };
    const outbound = givenOutbound({ resolve });
    const posts = Array.from({ length: 8 }, () => outbound.post(`http://slow.example:${receiver.port}/`, {}, BODY));
    for (const answer of await Promise.all(posts)) assertAnswered(answer, 200);
    assert.equal(asked, 1);
    assertAnswered(await outbound.post(`http://slow.example:${another.port}/`, {}, BODY), 200);
    assert.equal(asked, 2);
  });

  test('split answer: one bad address among good ones refuses the name', async () => {
    const receiver = await givenReceiver();
    for (const split of [
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
      ['127.0.0.1', '::ffff:169.254.169.254'],
      ['1.1.1.1', 'nonsense'],
    ]) {
      const outbound = givenOutbound({ resolve: async () => split });
      assertFailed(await outbound.post(`http://split.example:${receiver.port}/`, {}, BODY), 'ADDRESS_REFUSED');
    }
    assert.equal(receiver.connections(), 0);
  });

  test('redirect: a 3xx is an ordinary answer and is not followed', async () => {
    const trap = await givenReceiver();
    const receiver = await givenReceiver({ reply: () => ({ status: 307, headers: { location: trap.url } }) });
    assertAnswered(await givenOutbound().post(receiver.url, {}, BODY), 307);
    assert.equal(trap.connections(), 0);
  });

  test('TLS name: the certificate must be for the name in the URL, and from a known authority', async () => {
    const receiver = await givenReceiver({ tls: TLS_FIXTURE });
    const resolve = async () => ['127.0.0.1'];
    const trusting = givenOutbound({ resolve, ca: TLS_FIXTURE.cert });
    assertAnswered(await trusting.post(`https://receiver.example:${receiver.port}/`, {}, BODY), 200);
    assertFailed(await trusting.post(`https://other.example:${receiver.port}/`, {}, BODY), 'TLS_FAILED');
    assertFailed(await givenOutbound({ resolve }).post(`https://receiver.example:${receiver.port}/`, {}, BODY), 'TLS_FAILED');
    assert.equal(receiver.received.length, 1);
  });

  test('no proxy environment', async () => {
    const proxy = await givenReceiver();
    const receiver = await givenReceiver();
    const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.url;
    try {
      assertAnswered(await givenOutbound().post(receiver.url, {}, BODY), 200);
    } finally {
      for (const name of names) delete process.env[name];
    }
    assert.equal(proxy.connections(), 0);
  });
});

describe('one request and a limited answer', () => {
  test('posts the exact bytes with the headers given', async () => {
    const receiver = await givenReceiver({ reply: () => ({ status: 202, body: 'taken' }) });
    assertAnswered(
      await givenOutbound().post(`${receiver.url}?a=1`, { 'content-type': 'application/json', 'webhook-id': 'Webhook:1' }, BODY),
      202,
      'taken',
    );
    const [received] = receiver.received;
    assert.equal(received?.path, '/hooks?a=1');
    assert.deepEqual(received?.body, BODY);
    assert.equal(received?.headers['webhook-id'], 'Webhook:1');
    assert.equal(received?.headers['content-type'], 'application/json');
    assert.equal(received?.headers.host, `127.0.0.1:${receiver.port}`);
  });

  test('keeps 2 kB of the answer and uses the connection again', async () => {
    const receiver = await givenReceiver({ reply: () => ({ status: 500, body: 'é'.repeat(5_000) }) });
    const outbound = givenOutbound();
    for (let i = 0; i < 3; i += 1) {
      assertAnswered(await outbound.post(receiver.url, {}, BODY), 500, 'é'.repeat(1_024));
      await connectionRests();
    }
    assert.equal(receiver.connections(), 1);
  });

  test('an endless answer is aborted', async () => {
    let written = 0;
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const pour = () => {
          while (!socket.destroyed && socket.write('x'.repeat(16_384))) written += 16_384;
        };
        socket.on('drain', pour);
        pour();
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    closers.push(() => server.close());
    const result = await givenOutbound().post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {}, BODY);
    assertAnswered(result, 200, 'x'.repeat(2_048));
    assert.ok(written < 64 * 1_048_576);
  });

  test('a broken last character and NUL are dropped', async () => {
    const receiver = await givenReceiver({ reply: () => ({ status: 200, body: `\0a${'é'.repeat(2_000)}` }) });
    assertAnswered(await givenOutbound().post(receiver.url, {}, BODY), 200, `a${'é'.repeat(1_023)}`);
  });

  test('no answer, a slow answer and a slow lookup end at the total timeout', async () => {
    const silent = await givenReceiver({ reply: () => 'HANG' });
    assertFailed(await givenOutbound({ timeoutMs: 50 }).post(silent.url, {}, BODY), 'TIMEOUT');

    const dripping = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    await new Promise<void>((listening) => dripping.listen(0, '127.0.0.1', listening));
    closers.push(() => dripping.close());
    const url = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}/`;
    assertFailed(await givenOutbound({ timeoutMs: 50 }).post(url, {}, BODY), 'TIMEOUT');

    const never = givenOutbound({ timeoutMs: 50, resolve: () => new Promise(() => {}) });
    assertFailed(await never.post('http://slow.example/', {}, BODY), 'TIMEOUT');
  });

  test('"timeouts (15 s)"', async (t) => {
    const silent = await givenReceiver({ reply: () => 'HANG' });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let ended = false;
    const posted = givenOutbound()
      .post(silent.url, {}, BODY)
      .finally(() => {
        ended = true;
      });
    while (silent.received.length === 0) await new Promise(setImmediate);
    t.mock.timers.tick(14_900);
    await new Promise(setImmediate);
    assert.equal(ended, false);
    t.mock.timers.tick(100);
    assertFailed(await posted, 'TIMEOUT');
  });

  test('a refused, reset or invalid answer and an unknown name each have their failure code', async () => {
    const gone = await startReceiver();
    await gone.close();
    assertFailed(await givenOutbound().post(gone.url, {}, BODY), 'CONNECTION_FAILED');

    const resetting = await givenReceiver({ reply: () => 'RESET' });
    assertFailed(await givenOutbound().post(resetting.url, {}, BODY), 'CONNECTION_FAILED');

    for (const [answer, failure] of [
      ['SSH-2.0-OpenSSH_9\r\n', 'ANSWER_INVALID'],
      ['HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'CONNECTION_FAILED'],
    ] as const) {
      const odd = net.createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(answer));
      });
      await new Promise<void>((listening) => odd.listen(0, '127.0.0.1', listening));
      closers.push(() => odd.close());
      assertFailed(await givenOutbound().post(`http://127.0.0.1:${(odd.address() as AddressInfo).port}/`, {}, BODY), failure);
    }

    const nameless = givenOutbound({ resolve: async () => [] });
    assertFailed(await nameless.post('http://nobody.example/', {}, BODY), 'NAME_NOT_RESOLVED');
    const failing = givenOutbound({ resolve: () => Promise.reject(new Error('SERVFAIL')) });
    assertFailed(await failing.post('http://nobody.example/', {}, BODY), 'NAME_NOT_RESOLVED');
  });

  test('an idle connection that the receiver has closed is no failed attempt', async () => {
    const receiver = await givenReceiver({ reply: (_, index) => (index === 1 ? 'RESET' : 200) });
    const outbound = givenOutbound();
    assertAnswered(await outbound.post(receiver.url, {}, BODY), 200);
    await connectionRests();
    assertAnswered(await outbound.post(receiver.url, {}, BODY), 200);
    assert.equal(receiver.connections(), 2);
  });
});
