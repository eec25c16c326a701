// PgBouncer in transaction mode between the service and PostgreSQL: each transaction may get another connection of the server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Db, openDb } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { startSandbox } from '../../src/testing.js';
import { jsonNarrator } from '../../tour/narrate.js';
import { tour } from '../../tour/tour.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { missingPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.js';

const SERVER_CONNECTIONS = 3;

const skip = missingPgBouncer(process.env['TEST_DATABASE_URL'] ?? 'postgres://none');

describe('PgBouncer in transaction mode', { skip }, () => {
  let database: TestDatabase;
  let bouncer: PgBouncer;
  before(async () => {
    database = await createDatabase();
    bouncer = await startPgBouncer(database.url, SERVER_CONNECTIONS);
  });
  after(async () => {
    await bouncer.stop();
    await database.drop();
  });

  test('the whole tour runs through it, with more connections than the server has', { timeout: 120_000 }, async () => {
    const env = { DATABASE_POOLER: 'transaction', DATABASE_DIRECT_URL: database.url };
    const sandbox = await startSandbox({ databaseUrl: bouncer.url, env });
    const lines: { kind: string }[] = [];
    try {
      await tour(
        sandbox,
        jsonNarrator((line) => void lines.push(JSON.parse(line))),
      );
      const answers = await Promise.all(Array.from({ length: 64 }, () => sandbox.request('GET', '/customers')));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    } finally {
      await sandbox.stop();
    }
    assert.ok(lines.filter(({ kind }) => kind === 'chapter').length >= 8);
  });

  const on = async (plans: 'generic' | 'custom', work: (db: Db) => Promise<void>) => {
    const pooler = { directUrl: database.url };
    const db = openDb({ url: bouncer.url, poolSize: 8, plans, pooler, statementTimeoutMs: 5_000, lockTimeoutMs: 200 });
    try {
      await work(db);
    } finally {
      await db.close();
    }
  };

  test('timeouts and plan settings hold in every transaction, and leave nothing on the connections of the server', async () => {
    const NAMES = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'enable_seqscan'];
    const read = sql`select name, setting from pg_settings where name = any (${NAMES}) order by name`;
    await on('generic', async (db) => {
      const seen = await Promise.all(
        Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? db.many(read) : db.transaction((tx) => tx.many(read)))),
      );
      for (const rows of seen)
        assert.deepEqual(rows, [
          { name: 'enable_seqscan', setting: 'off' },
          { name: 'idle_in_transaction_session_timeout', setting: '60000' },
          { name: 'lock_timeout', setting: '200' },
          { name: 'statement_timeout', setting: '5000' },
        ]);
    });
    const plain = openDb({ url: bouncer.url, poolSize: SERVER_CONNECTIONS, pooler: { directUrl: database.url } });
    try {
      const left = await Promise.all(Array.from({ length: SERVER_CONNECTIONS }, () => plain.many(sql`select from pg_prepared_statements`)));
      assert.deepEqual(left, [[], [], []]);
    } finally {
      await plain.close();
    }
  });

  test('a lock wait is bounded, a violated constraint rolls back, and a session outside the pool is a real session', async () => {
    await on('custom', async (db) => {
      const session = await db.connect();
      try {
        await session.query('create table marks (mark text primary key)');
        await session.query('begin');
        await session.query('lock table marks');
        await assert.rejects(db.run(sql`insert into marks values ('a')`), { code: 'SERVICE_UNAVAILABLE' });
        await session.query('rollback');
        await session.query('select pg_advisory_lock(7)');
        assert.deepEqual((await session.query('select pg_advisory_unlock(7) as held')).rows, [{ held: true }]);
      } finally {
        await session.end();
      }
      assert.equal(await db.run(sql`insert into marks values ('a')`), 1);
      await assert.rejects(
        db.transaction(async (tx) => {
          tx.send(sql`insert into marks values ('b')`);
          tx.send(sql`insert into marks values ('a')`);
        }),
        { code: '23505' },
      );
      assert.deepEqual(await db.many(sql`select mark from marks`), [{ mark: 'a' }]);
    });
  });
});
