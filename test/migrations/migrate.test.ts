// How migrations are applied: one by one, under one lock, each whole or not at all.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MigrationError, migrate, migrationOf, migrationStatus, readMigrations } from '../../src/db/migrate.js';
import { type Db, openDb, type Session } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { splitStatements } from '../../src/db/statements.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

const users = migrationOf('0001_users.sql', 'create table users (id int primary key);');
const orders = migrationOf('0002_orders.sql', 'create table orders (id int primary key); insert into orders values (1);');
const broken = migrationOf('0003_broken.sql', 'create table half (id int); select 1 / 0;');
const later = migrationOf('0004_later.sql', 'create table later (id int);');
const index = migrationOf(
  '0003_index.sql',
  '-- transaction: none\ncreate index concurrently if not exists orders_id on orders (id);\ncreate table if not exists after_index (id int);\n',
);

let database: TestDatabase;
let db: Db;
before(async () => {
  database = await createEmptyDatabase();
  db = openDb({ url: database.url, poolSize: 4 });
});
beforeEach(async () => {
  await db.run(sql`drop schema public cascade`);
  await db.run(sql`create schema public`);
});
after(async () => {
  await db.close();
  await database.drop();
});

async function withSession<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
  const session = await db.connect();
  try {
    return await work(session);
  } finally {
    await session.end().catch(() => {});
  }
}
const run = (...migrations: Parameters<typeof migrate>[1]) => withSession((session) => migrate(session, migrations));
const status = (...migrations: Parameters<typeof migrate>[1]) => withSession((session) => migrationStatus(session, migrations));
const exists = async (table: string) =>
  (await db.one<{ exists: boolean }>(sql`select to_regclass(${table}) is not null as exists`))?.exists;
const recorded = async () =>
  (await db.many<{ name: string }>(sql`select name from schema_migrations order by name`)).map(({ name }) => name);

describe('in a transaction', () => {
  test('pending migrations are applied in order, once', async () => {
    assert.deepEqual(await run(users, orders), [users.name, orders.name]);
    assert.deepEqual(await run(users, orders, later), [later.name]);
    assert.deepEqual(await recorded(), [users.name, orders.name, later.name]);
  });

  test('a failing migration leaves earlier ones applied and recorded, itself not at all, and later ones pending', async () => {
    await assert.rejects(run(users, orders, broken, later), (error: Error) => {
      assert.ok(error instanceof MigrationError);
      assert.equal(error.message, 'migration 0003_broken.sql failed: division by zero');
      return true;
    });
    assert.deepEqual(await recorded(), [users.name, orders.name]);
    assert.deepEqual([await exists('orders'), await exists('half'), await exists('later')], [true, false, false]);
    const repaired = migrationOf(broken.name, 'create table half (id int);');
    assert.deepEqual(await run(users, orders, repaired, later), [repaired.name, later.name]);
  });

  test('a changed migration is refused and nothing is applied', async () => {
    await run(users, orders);
    const edited = migrationOf(orders.name, `${orders.text} -- edited`);
    await assert.rejects(run(users, edited, later), {
      name: 'MigrationError',
      message: /changed after they were applied: 0002_orders\.sql/,
    });
    assert.equal(await exists('later'), false);
  });

  test('a database with migrations that the build does not know is refused, and they are named', async () => {
    await run(users, orders, later);
    await assert.rejects(run(users, migrationOf('0002_other.sql', 'create table other (id int);')), {
      name: 'MigrationError',
      message:
        'the database has migrations that this build does not know: 0002_orders.sql, 0004_later.sql. Run the build that applied them, or a newer one.',
    });
    assert.equal(await exists('other'), false);
  });

  test('a session that ends in the middle of a migration leaves nothing of it', async () => {
    const dying = migrationOf(later.name, `${later.text} select pg_terminate_backend(pg_backend_pid());`);
    await assert.rejects(run(users, dying), MigrationError);
    assert.deepEqual([await recorded(), await exists('later')], [[users.name], false]);
    assert.deepEqual(await run(users, later), [later.name]);
  });
});

describe('several processes at once', () => {
  test('each migration is applied by one of them', async () => {
    const slow = migrationOf('0003_slow.sql', 'select pg_sleep(0.2);');
    const applied = await Promise.all(Array.from({ length: 4 }, () => run(users, orders, slow)));
    assert.deepEqual(applied.flat().sort(), [users.name, orders.name, slow.name]);
  });

  test('waiting processes do not block `create index concurrently`', { timeout: 20_000 }, async () => {
    const slow = migrationOf('0002_slow.sql', `${orders.text} select pg_sleep(0.2);`);
    const applied = await Promise.all(Array.from({ length: 4 }, () => run(users, slow, index)));
    assert.deepEqual(applied.flat().sort(), [users.name, slow.name, index.name]);
  });

  test('the lock of a failed run is released while its session stays open', async () => {
    await withSession(async (session) => {
      await assert.rejects(migrate(session, [broken]), MigrationError);
      assert.deepEqual(await run(users), [users.name]);
    });
  });
});

describe('outside a transaction', () => {
  const indexState = () =>
    db.one<{ indisvalid: boolean }>(sql`select indisvalid from pg_index where indexrelid = to_regclass('orders_id')`);

  test('statements run one by one, and the row is written after the last', async () => {
    assert.deepEqual(await run(users, orders, index, later), [users.name, orders.name, index.name, later.name]);
    assert.deepEqual(await indexState(), { indisvalid: true });
  });

  test('without the directive `create index concurrently` fails', async () => {
    const plain = migrationOf(index.name, index.text.replace('-- transaction: none\n', ''));
    await assert.rejects(run(users, orders, plain), /CREATE INDEX CONCURRENTLY cannot (run inside a transaction block|be executed)/);
  });

  test('an interrupted build leaves the row missing and an invalid index; the next run builds the index again', {
    timeout: 20_000,
  }, async () => {
    await run(users, orders);
    await withSession(async (writer) => {
      // The build of the index waits for this transaction.
      await writer.query('begin; insert into orders values (2)');
      const interrupted = assert.rejects(run(users, orders, index), {
        name: 'MigrationError',
        message: /^migration 0003_index\.sql failed/,
      });
      await terminateBuild();
      await interrupted;
      await writer.query('commit');
    });
    assert.deepEqual(await indexState(), { indisvalid: false });
    assert.deepEqual((await status(users, orders, index)).pending, [index.name]);

    assert.deepEqual(await run(users, orders, index), [index.name]);
    assert.deepEqual(await indexState(), { indisvalid: true });
    assert.equal(await exists('after_index'), true);
  });

  test('a valid index of an interrupted migration is kept', async () => {
    await run(users, orders);
    await db.run(sql`create index orders_id on orders (id)`);
    const oid = () => db.one<{ oid: number }>(sql`select to_regclass('orders_id')::oid::int as oid`);
    const before = await oid();
    await run(users, orders, index);
    assert.deepEqual(await oid(), before);
  });

  test('an invalid index that the migration does not name is left alone', async () => {
    await run(users, orders);
    await db.run(sql`insert into orders values (2)`);
    await db.run(sql`create table duplicates as select 1 as id from orders`);
    await assert.rejects(withSession((session) => session.query('create unique index concurrently elsewhere on duplicates (id)')));
    await run(users, orders, index);
    assert.deepEqual(await db.one(sql`select indisvalid from pg_index where indexrelid = to_regclass('elsewhere')`), { indisvalid: false });
  });

  async function terminateBuild(): Promise<void> {
    for (;;) {
      const stopped = await db.many(
        sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and query like '%create index concurrently%' and wait_event_type = 'Lock'
              and pid <> pg_backend_pid()`,
      );
      if (stopped.length > 0) return;
      await sleep(10);
    }
  }
});

describe('the files', () => {
  test('the status of an empty database: everything is pending, and nothing is written', async () => {
    const migrations = await readMigrations();
    assert.ok(migrations.length > 0);
    assert.deepEqual(await status(...migrations), {
      applied: [],
      pending: migrations.map(({ name }) => name),
      unknown: [],
      changed: [],
    });
    assert.equal(await exists('schema_migrations'), false);
  });

  test('an unknown transaction mode is refused', () => {
    assert.throws(() => migrationOf('0001_x.sql', '-- transaction: never\nselect 1;'), /the only transaction mode is "none"/);
    assert.equal(migrationOf('0001_x.sql', '-- transaction: none\nselect 1;').inTransaction, false);
    assert.equal(migrationOf('0001_x.sql', '-- A comment.\n-- transaction: none\nselect 1;').inTransaction, true);
  });

  test('a script is split at the semicolons that end statements', () => {
    const statements = [
      `-- first; not the end\nselect 'a;''b' as "c;d"`,
      'select /* x; y */ 1',
      'create function f() returns int language sql as $body$ select 1; $body$',
      'do $$ begin perform 1; end $$',
      `select e'it\\'s; here', E'\\\\'`,
    ];
    assert.deepEqual(splitStatements(`${statements.join(';\n')};\n-- the end;\n`), statements);
    assert.deepEqual(splitStatements('-- nothing;\n ; ;'), []);
  });
});
