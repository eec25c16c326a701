// `switchyard record` and `switchyard replay`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { differences, mapped, type Recording, withoutPolling } from '../../cli/recording.js';
import { projectRoot } from '../../src/root.js';
import { commandLine } from './command-line.js';
import { environmentOf, MAIN, run } from './run.js';

const cli = commandLine();
const { home, as } = cli;

describe('a recorded session', () => {
  const file = join(home, 'session.json');
  const read = (): Recording => JSON.parse(readFileSync(file, 'utf8'));

  test('has the calls, the clock moves and the events, and no credentials', async () => {
    const platform = await cli.service.newPlatform();
    const { code, err } = await as(platform, 'record', file, '--', process.execPath, MAIN, 'trigger', 'payment.returned', '--json');
    assert.equal(code, 0, err);
    const { calls, events } = read();
    const sent = calls.map(({ method, path }) => `${method} ${path.replace(/[?].*|\/\w+:.*(?=\/)/, '')}`);
    for (const one of ['POST /customers', 'POST /quotes', 'PUT /sandbox/clock'])
      assert.ok(sent.includes(one), `${one} in ${sent.join(', ')}`);
    assert.ok(events.some(({ type }) => type === 'OUTGOING_PAYMENT.REFUND_COMPLETED'));
    assert.doesNotMatch(readFileSync(file, 'utf8'), new RegExp(`${platform.secret}|${platform.authorization}`));
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test('"runs again on a fresh platform and compares, ids mapped": everything is as recorded', async () => {
    const platform = await cli.service.newPlatform();
    const { code, out, err } = await as(platform, 'replay', file, '--no-json');
    assert.equal(code, 0, err);
    assert.match(out, /^\d+ calls and \d+ events as recorded\n$/);
    const again = await as(platform, 'replay', file);
    assert.deepEqual([again.code, /Reset it first/.test(again.err)], [2, true]);
  });

  test('the tour is such a recording: its signatures are made anew, and everything else is as recorded', async () => {
    const { code, out, err } = await as(await cli.service.newPlatform(), 'replay', join(projectRoot, 'tour/tour.json'), '--no-json');
    assert.equal(code, 0, err);
    assert.match(out, /^\d+ calls and \d+ events as recorded\n$/);
  });

  test('an answer that differs is named by its call and member', async () => {
    const recording = read();
    const other = join(home, 'other.json');
    const calls = recording.calls.map((call) =>
      call.path === '/quotes' ? { ...call, answer: { ...(call.answer as object), totalSendingAmount: 1 } } : call,
    );
    writeFileSync(other, JSON.stringify({ ...recording, calls }));
    const { code, err } = await as(await cli.service.newPlatform(), 'replay', other);
    assert.equal(code, 1);
    assert.match(err, /call \d+, POST \/quotes: totalSendingAmount is 10000, not 1/);
  });

  test('a file that is no recording is a mistake of usage', async () => {
    const wrong = join(home, 'wrong.json');
    writeFileSync(wrong, '{}');
    assert.equal((await as(cli.service.platform, 'replay', wrong)).code, 2);
    assert.equal((await as(cli.service.platform, 'replay')).code, 2);
    assert.equal((await as(cli.service.platform, 'record')).code, 2);
  });

  test('a command that fails is recorded, and its failure is the failure of the recorder', async () => {
    const { code } = await as(
      cli.service.platform,
      'record',
      join(home, 'failed.json'),
      '--',
      process.execPath,
      MAIN,
      'cards',
      'get',
      'Card:none',
    );
    assert.equal(code, 1);
    const { calls }: Recording = JSON.parse(readFileSync(join(home, 'failed.json'), 'utf8'));
    assert.deepEqual(
      calls.map(({ status }) => status),
      [404],
    );
  });

  test('a client that breaks off an upload, and an answer that breaks off, end one exchange and not the recorder', async () => {
    // A service whose answer to one path ends in the middle.
    const broken = createServer((incoming, outgoing) => {
      incoming.resume();
      const answer = JSON.stringify({ data: [], now: '2026-01-01T00:00:00Z', frozen: false });
      const isBroken = incoming.url?.includes('/broken') ?? false;
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      if (isBroken) outgoing.write(answer.slice(1), () => outgoing.destroy());
      else outgoing.end(answer);
    });
    await once(broken.listen(0, '127.0.0.1'), 'listening');
    const client = `
      const { connect } = await import('node:net');
      const url = new URL(process.env.SWITCHYARD_URL);
      await new Promise((resolve) => {
        const socket = connect(Number(url.port), url.hostname, () => {
          socket.write('POST /2025-10-13/customers HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 100\\r\\n\\r\\nhalf');
          setTimeout(() => socket.destroy(), 100);
        });
        socket.on('close', () => setTimeout(resolve, 200));
      });
      const answer = await fetch(url + '/broken').then((response) => response.text()).catch(() => 'broken off');
      if (answer !== 'broken off') throw new Error(answer);
      await (await fetch(url + '/config')).text();`;
    const to = { baseUrl: `http://127.0.0.1:${(broken.address() as AddressInfo).port}/2025-10-13`, platform: cli.service.platform };
    const out = join(home, 'broken.json');
    try {
      const { code, err } = await run(
        ['record', out, '--', process.execPath, '--input-type=module', '-e', client],
        environmentOf(to, home),
      );
      assert.equal(code, 0, err);
    } finally {
      broken.closeAllConnections();
      broken.close();
    }
    const { calls }: Recording = JSON.parse(readFileSync(out, 'utf8'));
    assert.deepEqual(
      calls.map(({ path }) => path),
      ['/config'],
    );
  });
});

describe('comparing', () => {
  const a = 'Card:01954200-0000-7000-8000-000000000001';
  const b = 'Card:01954200-0000-7000-8000-000000000002';

  test('ids and times may differ, each id in one way', () => {
    const mapping = new Map<string, string>();
    assert.deepEqual(differences({ id: a, at: '2031-01-01T00:00:00Z' }, { id: b, at: '2032-02-02T00:00:00Z' }, mapping), []);
    assert.equal(mapping.get(a), b);
    assert.deepEqual(differences({ id: a }, { id: a.replace('1', '3') }, mapping).length, 1);
    assert.deepEqual(differences({ id: `Customer:${a.slice(5)}x` }, { id: b }, new Map()).length, 1);
  });

  test('a later version may answer further members', () => {
    assert.deepEqual(differences({ a: 1 }, { a: 1, b: 2 }, new Map()), []);
  });

  test('an event may have happened because of an advance of the clock, of the worker or of another request', () => {
    const [request, other] = [a.slice(5), b.slice(5)];
    const causes = [
      { requestId: request, job: 'payments' },
      { job: 'payments' },
      { requestId: other },
      { requestId: other, job: 'refunds' },
    ];
    for (const was of causes)
      for (const is of causes) assert.deepEqual(differences({ cause: was }, { cause: is }, new Map([[request, a]])), []);
    const mapping = new Map<string, string>();
    differences({ cause: { requestId: request } }, { cause: { requestId: other } }, mapping);
    assert.deepEqual([...mapping], [[request, other]]);
    assert.equal(differences({ data: { type: 'A', cause: causes[0] } }, { data: { type: 'A' } }, new Map()).length, 1);
    assert.equal(differences({ details: { cause: 'OTP_EXPIRED' } }, { details: { cause: 'OTP_WRONG' } }, new Map()).length, 1);
  });

  test('a random value or a cursor may have no digit by chance', () => {
    const [was, is] = ['WyIxIiwicThlTnIxbGgwN3Vfazl1RCJd', 'WyIxIiwiWEFCTDZSODdEMWszTFpXayJd'];
    assert.deepEqual(differences({ nextCursor: was }, { nextCursor: is }, new Map()), []);
    assert.deepEqual(differences({ nextCursor: is }, { nextCursor: was }, new Map()), []);
    assert.deepEqual(differences({ reference: was }, { reference: is }, new Map()), []);
    assert.equal(differences({ status: 'CARD_NOT_ACTIVE' }, { status: 'SPEND_LIMIT_EXCEEDED' }, new Map()).length, 1);
  });

  test('a value is replaced in a text, in a path and inside JSON', () => {
    const mapping = new Map([['{"a":1}', '{"b":2}']]);
    assert.equal(mapped(JSON.stringify({ x: '{"a":1}' }), mapping), JSON.stringify({ x: '{"b":2}' }));
    assert.equal(mapped('/x?y=%7B%22a%22%3A1%7D', mapping), '/x?y=%7B%22b%22%3A2%7D');
  });

  test('everything else must be the same', () => {
    const pairs: [unknown, unknown][] = [
      [1, 2],
      ['ACTIVE', 'CLOSED'],
      [[1], [1, 2]],
      [{ a: 1 }, {}],
      [null, {}],
      [true, 'true'],
    ];
    for (const [was, is] of pairs) assert.equal(differences(was, is, new Map()).length, 1, JSON.stringify([was, is]));
  });

  test('of reads that wait for something the last one counts', () => {
    const call = (method: string, path: string, status: number) => ({ method, path, status });
    const calls = [call('GET', '/a', 1), call('GET', '/a', 2), call('POST', '/a', 3), call('POST', '/a', 4), call('GET', '/a', 5)];
    assert.deepEqual(
      withoutPolling(calls).map(({ status }) => status),
      [2, 3, 4, 5],
    );
  });
});
