// `npm run doctor`: the schema of the configured database compared with this build, without a write.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { startEmbeddedPostgres } from '../../src/db/embedded.js';
import { migrate, readMigrations } from '../../src/db/migrate.js';
import { openDb } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { projectRoot } from '../../src/root.js';
import { startService } from '../../src/service.js';
import { expectStatus } from '../support/client.js';
import { createDatabase, createEmptyDatabase } from '../support/database.js';
import { given } from '../support/given.js';
import { startOwnService } from '../support/service.js';
import { temporaryDirectory } from '../support/temporary.js';

type Printed = { readonly code: number; readonly text: string };

const doctor = (env: Record<string, string>): Promise<Printed> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(projectRoot, 'dist/src/doctor.js')],
      { env: { PATH: process.env['PATH'], PORT: '0', METRICS_PORT: 'off', ...env } },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });

const migrations = await readMigrations();
const names = migrations.map(({ name }) => name);

test('empty database: all migrations are pending, and the doctor writes nothing', async (t) => {
  const database = await createEmptyDatabase();
  const db = openDb({ url: database.url, poolSize: 1 });
  try {
    const { code, text } = await doctor({ DATABASE_URL: database.url, DATA_DIR: temporaryDirectory(t) });
    assert.match(text, /^ {2}ok {4}Migrations applied: none$/m);
    assert.match(text, new RegExp(`^  ok    Migrations pending, applied at the next start: ${names.join(', ')}$`, 'm'));
    assert.equal(code, 0);
    assert.deepEqual(await db.many(sql`select tablename from pg_tables where schemaname = 'public'`), []);
  } finally {
    await db.close();
    await database.drop();
  }
});

test('database of an older build: the doctor names applied and pending migrations', async (t) => {
  const database = await createEmptyDatabase();
  const db = openDb({ url: database.url, poolSize: 1 });
  try {
    const session = await db.connect();
    await migrate(session, migrations.slice(0, 2));
    await session.end();
    const { code, text } = await doctor({ DATABASE_URL: database.url, DATA_DIR: temporaryDirectory(t) });
    assert.match(text, new RegExp(`Migrations applied: ${names.slice(0, 2).join(', ')}$`, 'm'));
    assert.match(text, new RegExp(`Migrations pending, applied at the next start: ${names.slice(2).join(', ')}$`, 'm'));
    assert.equal(code, 0);
  } finally {
    await db.close();
    await database.drop();
  }
});

test('unknown or changed migrations: the doctor names them, and a start is refused', async (t) => {
  const database = await createDatabase();
  const db = openDb({ url: database.url, poolSize: 1 });
  const start = () =>
    startService(
      readConfig({ PORT: '0', METRICS_PORT: 'off', DATA_DIR: temporaryDirectory(t), DATABASE_URL: database.url }),
      pino({ level: 'silent' }),
    );
  try {
    await db.run(sql`insert into schema_migrations (name, checksum) values ('9998_newer.sql', 'x'), ('9999_newest.sql', 'y')`);
    const newer = await doctor({ DATABASE_URL: database.url, DATA_DIR: temporaryDirectory(t) });
    assert.match(newer.text, /^ {2}WRONG Migrations unknown to this build: 9998_newer\.sql, 9999_newest\.sql\./m);
    assert.match(newer.text, /^ {2}ok {4}Migrations pending: none$/m);
    assert.equal(newer.code, 1);
    await assert.rejects(start(), {
      name: 'MigrationError',
      message: /migrations that this build does not know: 9998_newer\.sql, 9999_newest\.sql/,
    });

    await db.run(sql`delete from schema_migrations where name like '999%'`);
    await db.run(sql`update schema_migrations set checksum = 'x' where name = ${names[1]}`);
    const changed = await doctor({ DATABASE_URL: database.url, DATA_DIR: temporaryDirectory(t) });
    assert.match(changed.text, new RegExp(`^  WRONG Migrations changed after they were applied: ${names[1]}\\.`, 'm'));
    assert.equal(changed.code, 1);
    await assert.rejects(start(), { name: 'MigrationError', message: new RegExp(`changed after they were applied: ${names[1]}`) });
  } finally {
    await db.close();
    await database.drop();
  }
});

test('embedded database: migrations are applied at start if it is stopped, and compared if it runs', async (t) => {
  const dataDir = temporaryDirectory(t);
  chmodSync(dataDir, 0o711);
  const stopped = await doctor({ DATA_DIR: dataDir });
  assert.match(
    stopped.text,
    /The embedded PostgreSQL is not running\. Pending migrations are applied at start; this build has: 0001_core\.sql/,
  );
  assert.equal(stopped.code, 0);
  assert.deepEqual(readdirSync(dataDir), [], 'nothing was created');

  const postgres = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {}, error() {} } });
  try {
    const running = await doctor({ DATA_DIR: dataDir });
    assert.match(running.text, /^ {2}ok {4}The embedded PostgreSQL answers: PostgreSQL 18/m);
    assert.match(running.text, /^ {2}ok {4}Migrations applied: none$/m);
  } finally {
    await postgres.stop();
  }
});

test('a database of this build: the doctor shows the service-side balances of all platforms and of each', async (t) => {
  const key = randomBytes(32).toString('base64');
  const service = await startOwnService({ KEY_ENCRYPTION_KEY: key });
  try {
    await given(service.platform).fundedAccount('USD', 12_345);
    const other = await service.newPlatform();
    const alone = await doctor({ DATABASE_URL: service.databaseUrl, DATA_DIR: temporaryDirectory(t), KEY_ENCRYPTION_KEY: key });
    assert.match(
      alone.text,
      /^ {2}ok {4}Service-side balances of all platforms: .*FEES 0\.00 USD.*FUNDING -123\.45 USD.*RESERVE 0\.00 USD/m,
    );
    const { id } = await expectStatus(200, service.platform.get('/config'));
    assert.match(alone.text, new RegExp(`^  ok    Service-side balances of ${id}: FUNDING -123\\.45 USD$`, 'm'));
    const { id: otherId } = await expectStatus(200, other.get('/config'));
    assert.match(alone.text, new RegExp(`^  ok    Service-side balances of ${otherId}: none$`, 'm'));
    assert.equal(alone.code, 0);
  } finally {
    await service.stop();
  }
});

test('keys that do not open the database are wrong, also where there is none, and no key is made', async (t) => {
  const key = () => randomBytes(32).toString('base64');
  const [own, later] = [key(), key()];
  const service = await startOwnService({ KEY_ENCRYPTION_KEY: own });
  try {
    const dataDir = temporaryDirectory(t);
    const env = { DATABASE_URL: service.databaseUrl, DATA_DIR: dataDir };
    for (const keys of [key(), '']) {
      const { code, text } = await doctor({ ...env, KEY_ENCRYPTION_KEY: keys });
      assert.match(text, /^ {2}WRONG KEY_ENCRYPTION_KEY: is not the key this database was sealed with\./m);
      assert.equal(code, 1);
    }
    const { code, text } = await doctor({ ...env, KEY_ENCRYPTION_KEY: `${later},${own}` });
    assert.match(text, /^ {2}ok {4}KEY_ENCRYPTION_KEY opens what the database holds sealed$/m);
    assert.equal(code, 0);
    assert.deepEqual(readdirSync(dataDir), []);
  } finally {
    await service.stop();
  }
});

test('the port of a worker is not looked at; a DATA_DIR that cannot be made is wrong', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const PORT = String((taken.address() as AddressInfo).port);
  const directory = temporaryDirectory(t);
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const worker = await doctor({ ROLE: 'worker', PORT, DATA_DIR: join(directory, 'new', 'one') });
  assert.deepEqual([worker.code, /WRONG/.test(worker.text)], [0, false], worker.text);
  const api = await doctor({ ROLE: 'api', PORT, DATA_DIR: join(file, 'data') });
  assert.match(api.text, /^ {2}WRONG PORT \d+ on 127\.0\.0\.1 cannot be used: EADDRINUSE$/m);
  assert.match(api.text, /^ {2}WRONG DATA_DIR \S+ cannot be used: ENOTDIR/m);
});

test('a database that refuses the connection: the doctor says so, also where its name has several addresses', async (t) => {
  // As `localhost` on most machines: Node then has an error for each address, and the error of all of them has no text.
  const twoAddresses = `import dns from 'node:dns';
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    dns.lookup = (_name, options, done = options) => options.all ? done(null, addresses) : done(null, '127.0.0.1', 4);`;
  for (const options of ['', `--import=data:text/javascript,${encodeURIComponent(twoAddresses)}`]) {
    const { code, text } = await doctor({
      DATABASE_URL: 'postgres://switchyard@localhost:1/switchyard',
      DATA_DIR: temporaryDirectory(t),
      NODE_OPTIONS: options,
    });
    assert.match(text, /^ {2}WRONG DATABASE_URL cannot be used: .*ECONNREFUSED/m);
    assert.equal(code, 1);
  }
});
