// Invalid and malicious JSON and HTTP: a 4xx in the common error format, no change, never a 5xx.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.js';
import { assertRefused, expectStatus } from '../support/client.js';
import { startOwnService, type TestService } from '../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

const create = (body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${service.baseUrl}/tokens`, {
    method: 'POST',
    headers: { authorization: service.platform.authorization, 'content-type': 'application/json', ...headers },
    body: body as BodyInit,
  });

const named = (name: string) => `{"name":${name},"permissions":["VIEW"]}`;
const tokenCount = async (): Promise<number> => (await expectStatus(200, service.platform.get('/tokens'))).totalCount;

/** Sends bytes unchanged and returns everything that is received. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let out = '';
    socket.on('data', (chunk) => {
      out += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(out));
    socket.on('error', reject);
    socket.setTimeout(5_000, () => socket.destroy());
  });

describe('JSON that is refused with 400 and changes nothing', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const cases: Record<string, string | Buffer> = {
    'a duplicate key': '{"name":"a","name":"b","permissions":["VIEW"]}',
    'a duplicate key through an escape': '{"name":"a","n\\u0061me":"b","permissions":["VIEW"]}',
    __proto__: '{"__proto__":{"x":1},"name":"a","permissions":["VIEW"]}',
    'constructor.prototype': '{"constructor":{"prototype":{}},"name":"a","permissions":["VIEW"]}',
    'an escaped NUL': named('"a\\u0000b"'),
    'a raw NUL': named('"a\u0000b"'),
    'a lone surrogate': named('"\\ud800"'),
    'invalid UTF-8': Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('","permissions":["VIEW"]}')]),
    'overlong UTF-8': Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('","permissions":["VIEW"]}')]),
    'UTF-16': Buffer.from(named('"a"'), 'utf16le'),
    'a byte order mark': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(named('"a"'))]),
    'depth 33': named(deep(32)),
    'depth 10,000': deep(10_000),
    'too many members': `[${'1,'.repeat(1_500)}1]`,
    'an unknown field': '{"name":"a","permissions":["VIEW"],"extra":1}',
    'a number for text': named('5'),
    'text after the value': `${named('"a"')} x`,
    'a trailing comma': '{"name":"a",}',
    'single quotes': "{'name':'a'}",
    'an empty body': '',
    'a top-level array': '[]',
    'a top-level null': 'null',
    'a comment': '{"name":"a"/**/,"permissions":["VIEW"]}',
    'Infinity by exponent': named('1e400'),
    NaN: named('NaN'),
  };
  for (const [what, body] of Object.entries(cases)) {
    test(what, async () => {
      const before = await tokenCount();
      const response = await create(body);
      const answer = (await response.json()) as { code: string; reason: string };
      assert.equal(response.status, 400, JSON.stringify(answer));
      assert.match(answer.code, /^INVALID_(INPUT|REQUEST_FORMAT)$/);
      assert.equal(await tokenCount(), before);
    });
  }

  for (const [what, number] of [
    ['beyond 2^53 − 1', '9007199254740993'],
    ['a fraction', '1.5'],
    ['a fraction that is parsed as an integer', '1.00000000000000000001'],
    ['a fraction with an exponent', '100000000000000001e-15'],
    ['a fraction that is parsed as 0', '1e-400'],
    ['text', '"1"'],
    ['negative', '-1'],
  ]) {
    test(`an integer that is ${what} is refused, never rounded`, async () => {
      const answer = await service.platform.patch('/config', `{"cardConfigs":{"maxSpendPerDay":${number}}}`);
      assert.equal(answer.status, 400, answer.text);
      assert.equal((await service.platform.get('/config')).body.cardConfigs, undefined);
    });
  }

  for (const body of ['null', '[]', '"x"', '1']) {
    test(`${body} instead of an object of a union`, async () => {
      assertRefused(await service.platform.post('/customers', body), 400, 'INVALID_INPUT');
    });
  }

  test('every invalid field is listed with its path and constraint', async () => {
    const answer = await service.platform.post('/tokens', { name: '', permissions: ['VIEW', 'FLY'], extra: 1 });
    assertRefused(answer, 400, 'INVALID_INPUT');
    assert.deepEqual(
      answer.body.details.errors.map(({ field, constraint }: { field: string; constraint: unknown }) => [field, constraint]).sort(),
      [
        ['extra', undefined],
        ['name', { minLength: 1 }],
        ['permissions.1', { enum: ['VIEW', 'TRANSACT', 'MANAGE'] }],
      ],
    );
  });

  test('the length of text is its number of code points', async () => {
    assert.equal((await service.platform.post('/tokens', { name: '🚂'.repeat(255), permissions: ['VIEW'] })).status, 201);
    assertRefused(await service.platform.post('/tokens', { name: '🚂'.repeat(256), permissions: ['VIEW'] }), 400, 'INVALID_INPUT');
  });
});

describe('HTTP', () => {
  const IN_FLIGHT = /^switchyard_http_requests_in_flight (\d+)$/m;
  const metric = async (pattern: RegExp): Promise<number> =>
    Number(pattern.exec(await (await fetch(`${service.service.metricsUrl}/metrics`)).text())?.[1] ?? 0);

  test('413 for a body over 64 kB', async () => {
    const response = await create(named(`"${'a'.repeat(70_000)}"`));
    assert.equal(response.status, 413);
    assert.equal(((await response.json()) as { code: string }).code, 'PAYLOAD_TOO_LARGE');
  });

  for (const type of [
    'text/plain',
    'application/json+x',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/jsonx',
    'multipart/form-data',
    '',
  ]) {
    test(`415 for a content type of "${type}"`, async () => {
      const response = await create(named('"a"'), { 'content-type': type });
      assert.equal(response.status, 415);
      assert.equal(((await response.json()) as { code: string }).code, 'UNSUPPORTED_MEDIA_TYPE');
    });
  }

  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json\t',
  ]) {
    test(`a body with content type ${JSON.stringify(type)} is validated`, async () => {
      const response = await create('{"name":1}', { 'content-type': type });
      assert.equal(response.status, 400);
    });
  }

  test('405 with Allow on a known path', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
      const response = await fetch(`${service.baseUrl}/tokens`, { method, headers: { authorization: service.platform.authorization } });
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get('allow'), 'GET, POST');
    }
  });

  test('a method override header is ignored', async () => {
    const response = await fetch(`${service.baseUrl}/tokens`, {
      headers: { authorization: service.platform.authorization, 'x-http-method-override': 'DELETE' },
    });
    assert.equal(response.status, 200);
  });

  test('404 in the common error format for unknown paths', async () => {
    for (const path of ['/nope', '//tokens', '/tokens/a/b']) {
      const response = await fetch(service.baseUrl + path, { headers: { authorization: service.platform.authorization } });
      assert.equal(response.status, 404, path);
      assert.equal(((await response.json()) as { code: string }).code, 'NOT_FOUND');
      assert.ok(response.headers.get('x-request-id'));
    }
  });

  test('malformed ids in the path answer like unknown ids', async () => {
    const unknown = await service.platform.get('/tokens/Token:019542f5-b3e7-7d02-8000-000000000001');
    for (const id of [
      'Token:x',
      'Card:019542f5-b3e7-7d02-8000-000000000001',
      '%00',
      'a%2Fb',
      'Token%3A019542F5',
      '..%2f..%2fconfig',
      '🚂',
      "';drop table platforms;--",
    ]) {
      const answer = await service.platform.get(`/tokens/${id.includes('%') ? id : encodeURIComponent(id)}`);
      assert.equal(answer.status, 404, id);
      assert.equal(answer.text, unknown.text, id);
    }
  });

  test('an invalid percent escape is a 400', async () => {
    const answer = await raw(
      `GET /2025-10-13/tokens/%zz HTTP/1.1\r\nhost: a\r\nauthorization: ${service.platform.authorization}\r\nconnection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /"code":"INVALID_INPUT"/);
  });

  for (const query of [
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'nope=1',
    'cursor=x',
    'cursor=',
    'name=%00',
    'name=%ff',
    'name=%C0%80',
    'name=%ED%A0%80',
    'name=%',
    'createdAfter=2026-02-30',
    'createdAfter=2026-13-01T00:00:00Z',
    'createdAfter=2026-01-01T00:00:00+01:00',
  ]) {
    test(`a query of ${query} is a 400`, async () => {
      assertRefused(await service.platform.get(`/tokens?${query}`), 400, 'INVALID_INPUT');
    });
  }

  test('the Unicode replacement character is accepted', async () => {
    await expectStatus(200, service.platform.get('/tokens?name=%EF%BF%BD'));
  });

  for (const scheme of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'Bearer', 'basic,']) {
    test(`401 for credentials of scheme ${scheme}`, async () => {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(`${service.baseUrl}/tokens`, { method, headers: { authorization: `${scheme} abc` } });
        assert.equal(response.status, 401);
        assert.equal(((await response.json()) as { code: string }).code, 'UNAUTHORIZED');
      }
    });
  }

  test('a request without Host is a 400; an unknown Expect header is ignored', async () => {
    const head = `GET /2025-10-13/config HTTP/1.1\r\nauthorization: ${service.platform.authorization}\r\nconnection: close\r\n`;
    const without = await raw(`${head}\r\n`);
    assert.match(without, /^HTTP\/1\.1 400 .*x-request-id: .*"code":"INVALID_INPUT"/s);
    assert.match(await raw(`${head}host: a\r\nexpect: 200-maybe\r\n\r\n`), /^HTTP\/1\.1 200 /);
  });

  test('pages outside the API: 405 with Allow, 404 in the common error format', async () => {
    for (const page of ['/healthz', '/readyz', '/openapi.json', '/docs']) {
      const response = await fetch(service.url + page, { method: 'POST' });
      assert.equal(response.status, 405, page);
      assert.equal(response.headers.get('allow'), 'GET');
    }
    const response = await fetch(`${service.url}/docs/nothing`);
    assert.equal(response.status, 404);
    assert.equal(((await response.json()) as { code: string }).code, 'NOT_FOUND');
  });

  test('a request whose client has disconnected is no longer in flight', { timeout: 20_000 }, async () => {
    const { hostname, port } = new URL(service.url);
    const request = (rest: string) => `POST /2025-10-13/tokens HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${rest}`;
    const unfinished = request('content-length: 100\r\n\r\n{');
    const pipelined = request('content-length: 2\r\n\r\n{}').repeat(20) + unfinished;
    await Promise.all(
      [unfinished, pipelined].flatMap((bytes) =>
        Array.from(
          { length: 20 },
          () =>
            new Promise<void>((resolve) => {
              const socket = connect(Number(port), hostname, () => socket.write(bytes, () => socket.resetAndDestroy()));
              socket.on('close', () => resolve());
              socket.on('error', () => {});
            }),
        ),
      ),
    );
    while ((await metric(IN_FLIGHT)) !== 0) await new Promise(setImmediate);
  });

  test('a request stays in flight until its work ends, also if its client has disconnected', { timeout: 20_000 }, async () => {
    const DISCONNECTED = /^switchyard_http_responses_total\{status="499"\} (\d+)$/m;
    const { hostname, port } = new URL(service.url);
    const request = `GET /2025-10-13/customers HTTP/1.1\r\nhost: a\r\nauthorization: ${service.platform.authorization}\r\n\r\n`;
    await service.db.transaction(async (tx) => {
      await tx.run(sql`lock table customers in access exclusive mode`);
      const sockets = Array.from({ length: 3 }, () => {
        const socket = connect(Number(port), hostname, () => socket.write(request));
        return socket.on('error', () => {});
      });
      // Their work has begun when they wait for the table.
      const WAITING = sql`select count(*)::int as count from pg_locks where relation = 'customers'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      while (((await service.db.one<{ count: number }>(WAITING))?.count ?? 0) < 3) await new Promise(setImmediate);
      // Counted here, after the clients of earlier tests that disconnected.
      const disconnected = await metric(DISCONNECTED);
      for (const socket of sockets) socket.resetAndDestroy();
      while ((await metric(DISCONNECTED)) < disconnected + 3) await new Promise(setImmediate);
      assert.ok((await metric(IN_FLIGHT)) >= 3);
    });
    while ((await metric(IN_FLIGHT)) !== 0) await new Promise(setImmediate);
  });

  const body = named('"x"');
  const framing: Record<string, string> = {
    'content-length and transfer-encoding': `content-length: ${body.length}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    'two content-lengths': `content-length: ${body.length}\r\ncontent-length: 5\r\n\r\n${body}`,
    'an invalid chunk size': `transfer-encoding: chunked\r\n\r\nZZ\r\n${body}\r\n0\r\n\r\n`,
    'a folded header': `x-a: b\r\n c\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    'a header without a name': `: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  };
  for (const [what, rest] of Object.entries(framing)) {
    test(`${what}: 400, and the connection is closed`, async () => {
      const before = await tokenCount();
      const answer = await raw(
        `POST /2025-10-13/tokens HTTP/1.1\r\nhost: a\r\nauthorization: ${service.platform.authorization}\r\ncontent-type: application/json\r\n${rest}`,
      );
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, /"code":"INVALID_INPUT"/);
      assert.equal(await tokenCount(), before);
    });
  }

  test('a request line without a version is refused, also for operations without credentials', async () => {
    const answer = await raw('GET /2025-10-13/sandbox/oidc/jwks.json\r\n\r\n');
    assert.match(answer, /"code":"INVALID_INPUT"/);
  });

  test('headers of more than 16 kB are refused', async () => {
    const answer = await raw(`GET /2025-10-13/config HTTP/1.1\r\nhost: a\r\nx-big: ${'a'.repeat(20_000)}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 4\d\d /);
  });
});
