// Start, stop, and the pages outside the API.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import type { SandboxCredentials } from '../../src/bootstrap.js';
import { readConfig } from '../../src/config.js';
import { openDb } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { type Service, startService } from '../../src/service.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { startOwnService, startTestService, type TestService } from '../support/service.js';
import { temporaryDirectory } from '../support/temporary.js';
import { startReceiver } from '../support/webhooks/receiver.js';
import { verifyServiceSignature, verifyStandardSignature } from '../support/webhooks/verify.js';

const silent = pino({ level: 'silent' });

describe('sandbox mode', () => {
  let database: TestDatabase;
  const dataDir = temporaryDirectory({ after });
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  const start = (env: Record<string, string> = {}, dir = dataDir) =>
    startService(readConfig({ PORT: '0', METRICS_PORT: 'off', DATA_DIR: dir, DATABASE_URL: database.url, ...env }), silent);

  test('a restart keeps the token, and only the owner can read sandbox.env', async () => {
    const first = await start();
    await first.stop();
    const again = await start();
    try {
      assert.deepEqual(again.credentials, first.credentials);
      const file = join(dataDir, 'sandbox.env');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.match(readFileSync(file, 'utf8'), new RegExp(`SWITCHYARD_TOKEN_SECRET='${again.credentials?.secret}'`));
      const authorization = `Basic ${Buffer.from(`${again.credentials?.tokenId}:${again.credentials?.secret}`).toString('base64')}`;
      assert.equal((await fetch(`${again.baseUrl}/config`, { headers: { authorization } })).status, 200);
    } finally {
      await again.stop();
    }
  });

  test('webhook keys "survive restarts": the public key is the same, and the private key still signs', async () => {
    const receiver = await startReceiver();
    const call = async ({ baseUrl, credentials }: Service, method: string, path: string, body?: unknown) => {
      const authorization = `Basic ${Buffer.from(`${credentials?.tokenId}:${credentials?.secret}`).toString('base64')}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await fetch(`${baseUrl}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
      assert.equal(answer.status, 200);
      return answer.json();
    };
    const first = await start();
    const keys = (await call(first, 'GET', '/webhooks/signing-keys')) as {
      data: { publicKeyPem: string; standardWebhooksPublicKey: string }[];
    };
    await first.stop();
    const again = await start();
    try {
      assert.deepEqual(await call(again, 'GET', '/webhooks/signing-keys'), keys);
      await call(again, 'PATCH', '/config', { webhookEndpoint: receiver.url });
      await call(again, 'POST', '/webhooks/test');
      const [key] = keys.data;
      const { headers, body } = receiver.received[0] ?? assert.fail('no webhook was received');
      assert.ok(verifyServiceSignature(key?.publicKeyPem ?? '', headers, body));
      assert.ok(verifyStandardSignature(key?.standardWebhooksPublicKey ?? '', headers, body));
    } finally {
      await again.stop();
      await receiver.close();
    }
  });

  test('BOOTSTRAP_TOKEN creates one platform for each pair, once', async () => {
    const env = { BOOTSTRAP_TOKEN: 'one:first-secret-of-ours,two:second-secret-of-ours' };
    await (await start(env)).stop();
    const service = await start(env);
    try {
      const ids = await Promise.all(
        env.BOOTSTRAP_TOKEN.split(',').map(async (pair) => {
          const response = await fetch(`${service.baseUrl}/config`, {
            headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
          });
          assert.equal(response.status, 200);
          return ((await response.json()) as { id: string }).id;
        }),
      );
      assert.equal(new Set(ids).size, 2);
    } finally {
      await service.stop();
    }
  });

  const statusFor = async ({ baseUrl }: Service, { tokenId, secret }: SandboxCredentials, path = '/config', method = 'GET') =>
    (await fetch(baseUrl + path, { method, headers: { authorization: `Basic ${Buffer.from(`${tokenId}:${secret}`).toString('base64')}` } }))
      .status;
  const credentialsOf = ({ credentials }: Service): SandboxCredentials => credentials ?? assert.fail('no credentials');
  const platforms = async ({ db }: Service) => (await db.many(sql`select id from platforms`)).length;

  test('a deleted token stays deleted; the next start creates another token for the platform', async (t) => {
    const dir = temporaryDirectory(t);
    const key = { KEY_ENCRYPTION_KEY: readFileSync(join(dataDir, 'key-encryption-key'), 'utf8') };
    const first = await start(key, dir);
    const old = credentialsOf(first);
    const count = await platforms(first);
    await first.db.run(sql`update api_tokens set deleted_at = now() where client_id = ${old.tokenId}`);
    await first.stop();
    const again = await start(key, dir);
    try {
      assert.equal(await statusFor(again, old), 401);
      assert.equal(await statusFor(again, credentialsOf(again)), 200);
      assert.equal(await platforms(again), count);
    } finally {
      await again.stop();
    }
    const third = await start(key, dir);
    await third.stop();
    assert.deepEqual(third.credentials, again.credentials);
  });

  test('the first of several pairs is the first platform; a start without pairs uses it', async (t) => {
    const fresh = await createDatabase();
    const env = { DATABASE_URL: fresh.url, KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    await (await start({ ...env, BOOTSTRAP_TOKEN: 'aa:the-first-secret,bb:the-second-secret' }, temporaryDirectory(t))).stop();
    const later = await start(env, temporaryDirectory(t));
    try {
      const row = await later.db.one<{ name: string }>(sql`
        select p.name from platforms p join api_tokens t on t.platform_id = p.id where t.client_id = ${credentialsOf(later).tokenId}`);
      assert.equal(row?.name, 'Sandbox');
    } finally {
      await later.stop();
      await fresh.drop();
    }
  });

  test('BOOTSTRAP_TOKEN is valid after every start, also if it was deleted', async () => {
    const env = { BOOTSTRAP_TOKEN: 'named:the-secret-of-the-named' };
    const first = await start(env);
    const count = await platforms(first);
    await first.db.run(sql`update api_tokens set deleted_at = now() where client_id = 'named'`);
    await first.stop();
    const again = await start(env);
    try {
      assert.equal(await statusFor(again, credentialsOf(again)), 200);
      assert.equal(await platforms(again), count);
    } finally {
      await again.stop();
    }
  });

  test('a second process with its own directory uses the same platform; a worker needs no credentials', async (t) => {
    const first = await start();
    const count = await platforms(first);
    const key = { KEY_ENCRYPTION_KEY: readFileSync(join(dataDir, 'key-encryption-key'), 'utf8') };
    const [beside, worker] = [await start(key, temporaryDirectory(t)), await start({ ...key, ROLE: 'worker' }, temporaryDirectory(t))];
    try {
      assert.equal(await statusFor(first, credentialsOf(beside)), 200);
      assert.equal(worker.credentials, undefined);
      assert.equal(await platforms(first), count);
    } finally {
      await Promise.all([first, beside, worker].map((service) => service.stop()));
    }
  });

  test('"tokens belong to one environment": a live process refuses sandbox tokens, and a sandbox process refuses live tokens', async () => {
    const sandbox = await start();
    const key = readFileSync(join(dataDir, 'key-encryption-key'), 'utf8');
    const live = await start({ MODE: 'live', KEY_ENCRYPTION_KEY: key });
    const mine = credentialsOf(sandbox);
    const own = sql`id = (select platform_id from api_tokens where client_id = ${mine.tokenId})`;
    try {
      assert.deepEqual([await statusFor(sandbox, mine), await statusFor(live, mine)], [200, 401]);
      await sandbox.db.run(sql`update platforms set mode = 'live' where ${own}`);
      assert.deepEqual([await statusFor(sandbox, mine), await statusFor(live, mine)], [401, 200]);
    } finally {
      await sandbox.db.run(sql`update platforms set mode = 'sandbox' where ${own}`);
      await Promise.all([sandbox, live].map((service) => service.stop()));
    }
  });

  test('a start with the wrong KEY_ENCRYPTION_KEY is refused and names it', async (t) => {
    await (await start()).stop();
    await assert.rejects(start({}, temporaryDirectory(t)), /KEY_ENCRYPTION_KEY/);
  });

  test('a start with an unusable file of DATA_DIR is refused and names it, and what was cut off is not taken for a key', async (t) => {
    for (const [name, text] of [
      ['key-encryption-key', ''],
      ['key-encryption-key', 'c2hvcnQ='],
      ['key-encryption-key', undefined],
      ['sandbox.env', undefined],
    ] as const) {
      const dir = temporaryDirectory(t);
      if (text === undefined) mkdirSync(join(dir, name));
      else writeFileSync(join(dir, name), text);
      await assert.rejects(
        start(name === 'sandbox.env' ? { KEY_ENCRYPTION_KEY: readFileSync(join(dataDir, 'key-encryption-key'), 'utf8') } : {}, dir),
        {
          name: 'ConfigError',
          message: text === undefined ? /DATA_DIR: EISDIR/ : /DATA_DIR: .*key-encryption-key does not hold the key/,
        },
      );
    }
  });

  test('a start with an unusable port, address, directory or database is refused and names the setting', async (t) => {
    const taken = await start();
    const { port } = new URL(taken.url);
    const file = join(temporaryDirectory(t), 'file');
    writeFileSync(file, '');
    try {
      await assert.rejects(start({ PORT: port }), { name: 'ConfigError', message: /HOST and PORT: .*EADDRINUSE/ });
      await assert.rejects(start({ HOST: '203.0.113.7' }), { name: 'ConfigError', message: /HOST and PORT: / });
      await assert.rejects(start({}, file), { name: 'ConfigError', message: /DATA_DIR: EEXIST/ });
      await assert.rejects(start({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }), {
        name: 'ConfigError',
        message: /DATABASE_URL: .*ECONNREFUSED/,
      });
      const none = new URL(database.url);
      none.pathname = '/no_such_database';
      await assert.rejects(start({ DATABASE_URL: none.href }), { name: 'ConfigError', message: /DATABASE_URL: .*no_such_database/ });
    } finally {
      await taken.stop();
    }
  });

  test('several processes can start at once on one database', async () => {
    const fresh = await createDatabase();
    const services = await Promise.all(
      Array.from({ length: 4 }, () =>
        startService(
          readConfig({
            PORT: '0',
            METRICS_PORT: 'off',
            DATA_DIR: dataDir,
            DATABASE_URL: fresh.url,
            BOOTSTRAP_TOKEN: 'same:the-same-secret-for-all',
          }),
          silent,
        ),
      ),
    );
    try {
      const rows = await services[0]?.db.many<{ id: string }>({ text: 'select id from platforms', values: [] });
      assert.equal(rows?.length, 1);
    } finally {
      await Promise.all(services.map((service) => service.stop()));
      await fresh.drop();
    }
  });
});

test('before the schema is there, operations answer 503 with Retry-After, however their path is written', async (t) => {
  const database = await createDatabase();
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  // Whoever has this lock migrates.
  const db = openDb({ url: database.url, poolSize: 1 });
  const migrating = await db.connect();
  await migrating.query('select pg_advisory_lock(7226411)');
  let starting: Promise<Service> | undefined;
  t.after(async () => {
    await migrating.end();
    await db.close();
    await (await starting)?.stop();
    await database.drop();
  });
  const config = {
    PORT: String(port),
    HOST: '127.0.0.1',
    METRICS_PORT: 'off',
    DATA_DIR: temporaryDirectory(t),
    DATABASE_URL: database.url,
  };
  starting = startService(readConfig(config), silent);
  const ask = (target: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Basic YTpi\r\nconnection: close\r\n\r\n`),
      );
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  const isUp = () =>
    ask('/healthz').then(
      () => true,
      () => false,
    );
  while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const target of ['/2025-10-13/config', '/%32025-10-13/config', 'http://x/2025-10-13/config', '/2025-10-13/nothing']) {
    const answer = await ask(target);
    assert.match(answer, /^HTTP\/1\.1 503 /, target);
    assert.match(answer, /retry-after: 1/i, target);
  }
});

test('an idle connection does not prevent the service from stopping', { timeout: 20_000 }, async () => {
  const service = await startOwnService();
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // When the service has answered a later connection, it has also accepted this one.
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  const closed = once(socket.resume(), 'close');
  await Promise.all([service.stop(), closed]);
});

test('a service that stops answers what it has begun and then closes its connections, kept alive or streaming', {
  timeout: 30_000,
}, async () => {
  const service = await startOwnService();
  const platform = service.platform;
  const { hostname, port } = new URL(service.url);
  const ask = (path: string) => {
    const socket = connect(Number(port), hostname);
    socket.write(`GET /2025-10-13${path} HTTP/1.1\r\nhost: a\r\nauthorization: ${platform.authorization}\r\n\r\n`);
    let text = '';
    socket.on('data', (chunk) => (text += chunk));
    return { socket, closed: once(socket, 'close').then(() => text) };
  };
  const stream = ask('/webhooks/stream');
  await once(stream.socket, 'data');
  const [listed, stopped] = await service.db.transaction(async (tx) => {
    await tx.run(sql`lock table customers in access exclusive mode`);
    const list = ask('/customers');
    const WAITING = sql`select count(*)::int as count from pg_locks where relation = 'customers'::regclass and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    while (((await service.db.one<{ count: number }>(WAITING))?.count ?? 0) === 0) await new Promise(setImmediate);
    const stop = service.stop();
    await stream.closed;
    return [list.closed, stop];
  });
  assert.match(await listed, /^HTTP\/1.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n/i);
  await stopped;
});

describe('live mode', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({
      MODE: 'live',
      KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    });
  });
  after(() => service.stop());

  test('sandbox routes answer 404', async () => {
    const sandbox = Object.keys((service.contract.document['paths'] ?? {}) as object).filter((path) => path.startsWith('/sandbox'));
    assert.deepEqual(sandbox, []);
    assert.equal((await fetch(`${service.baseUrl}/sandbox/clock`)).status, 404);
  });

  test('no platform and no token is created', async () => {
    assert.equal(service.service.credentials, undefined);
    assert.deepEqual(await service.db.many({ text: 'select 1 from api_tokens', values: [] }), []);
  });
});

describe('pages outside the API', () => {
  let service: TestService;
  before(async () => {
    service = await startOwnService();
  });
  after(() => service.stop());

  test('/healthz and /readyz', async () => {
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  });

  test('/docs loads nothing from other servers', async () => {
    const response = await fetch(`${service.url}/docs/`);
    assert.equal(response.status, 200);
    const html = await response.text();
    assert.match(html, /openapi\.json/);
    const outside = [...html.matchAll(/(?:src|href)="(https?:\/\/[^"]+)"/g)].map((match) => match[1]);
    assert.deepEqual(outside, []);
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  });

  test('every operation is documented, pages for people excepted', () => {
    const paths = service.contract.document['paths'] as Record<string, Record<string, { operationId: string; responses: object }>>;
    const documented = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    assert.deepEqual([...documented].sort(), service.service.operations.flatMap(({ id, page }) => (page ? [] : [id])).sort());
    assert.equal(new Set(documented).size, documented.length);
  });

  test('logs contain the request id and no credentials', async () => {
    const answer = await service.platform.get('/config');
    const id = answer.headers.get('x-request-id') as string;
    assert.ok(service.logged.some((line) => line.includes(id)));
    assert.ok(!service.logged.some((line) => line.includes(service.platform.secret) || line.includes(service.platform.authorization)));
  });
});
