// A database of several servers, and connections that end in the middle of a transaction. `npm run prove -- failover` kills a real primary.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Db, openDb } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { createAgent, redeem } from '../support/agents.js';
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { type DatabaseProxy, type Role, startDatabaseProxy } from '../support/database-proxy.js';
import { given } from '../support/given.js';
import { startOwnService, type TestService } from '../support/service.js';

const severalHosts = (url: string, proxies: readonly DatabaseProxy[]): string => {
  const { username, pathname } = new URL(url);
  return `postgresql://${username}@${proxies.map(({ port }) => `127.0.0.1:${port}`).join()}${pathname}?target_session_attrs=read-write`;
};

describe('several hosts in DATABASE_URL', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createEmptyDatabase();
    const db = openDb({ url: database.url, poolSize: 1 });
    await db.run(sql`create table marks (mark text)`);
    await db.close();
  });
  after(() => database.drop());

  /** Two servers and connections to them. `marked`: whether a write is acknowledged; otherwise the code of the refusal. */
  const on = async (
    roles: readonly [Role, Role],
    work: (servers: readonly [DatabaseProxy, DatabaseProxy], marked: () => Promise<string>, db: Db) => Promise<void>,
  ) => {
    const servers = [await startDatabaseProxy(database.url, roles[0]), await startDatabaseProxy(database.url, roles[1])] as const;
    const db = openDb({ url: severalHosts(database.url, servers), poolSize: 2 });
    const marked = () =>
      db
        .transaction((tx) => tx.run(sql`insert into marks values ('x')`))
        .then(
          () => 'done',
          (error: { code: string }) => error.code,
        );
    try {
      await work(servers, marked, db);
    } finally {
      await db.close();
      for (const server of servers) await server.stop();
    }
  };

  test('the one that takes writes is used, wherever it stands', async () => {
    await on(['standby', 'primary'], async (_, marked) => assert.equal(await marked(), 'done'));
    await on(['gone', 'primary'], async (_, marked) => assert.equal(await marked(), 'done'));
    await on(['primary', 'silent'], async (_, marked) => assert.equal(await marked(), 'done'));
  });

  test('without a primary everything is refused as unavailable; the promoted standby is found by the next call', async () => {
    await on(['primary', 'standby'], async ([first, second], marked, db) => {
      assert.equal(await marked(), 'done');
      first.become('gone');
      // The first call may still hold a connection that was cut.
      for (let i = 0; i < 3; i += 1) assert.equal(await marked(), 'SERVICE_UNAVAILABLE');
      await assert.rejects(db.one(sql`select 1 as one`), { code: 'SERVICE_UNAVAILABLE' });
      await assert.rejects(db.connect(), { code: '25006' });
      second.become('primary');
      assert.equal(await marked(), 'done');
      const session = await db.connect();
      assert.deepEqual((await session.query('show transaction_read_only')).rows, [{ transaction_read_only: 'off' }]);
      await session.end();
    });
  });

  test('whoever waits for a server that fell silent is released when another one is the primary', { timeout: 60_000 }, async () => {
    await on(['primary', 'standby'], async ([first, second], marked) => {
      assert.equal(await marked(), 'done');
      first.become('silent');
      const waiting = marked();
      second.become('primary');
      assert.equal(await waiting, 'SERVICE_UNAVAILABLE');
      assert.equal(await marked(), 'done');
    });
  });
});

test('a session that became read-only is not used again', async () => {
  const database = await createEmptyDatabase();
  const db = openDb({ url: database.url, poolSize: 1 });
  try {
    await db.run(sql`create table marks (mark text)`);
    await db.run(sql`set default_transaction_read_only = on`);
    const write = () => db.transaction((tx) => tx.run(sql`insert into marks values ('x')`));
    await assert.rejects(write(), { code: 'SERVICE_UNAVAILABLE' });
    assert.equal(await write(), 1);
    await db.run(sql`set default_transaction_read_only = on`);
    // Sent without waiting: COMMIT tells of the failure.
    const send = () => db.transaction(async (tx) => tx.send(sql`insert into marks values ('x')`));
    await assert.rejects(send(), { code: 'SERVICE_UNAVAILABLE' });
    await send();
    assert.equal((await db.many(sql`select mark from marks`)).length, 2);
  } finally {
    await db.close();
    await database.drop();
  }
});

describe('the service', () => {
  let database: TestDatabase;
  let service: TestService;
  let servers: readonly [DatabaseProxy, DatabaseProxy];
  before(async () => {
    database = await createDatabase();
    servers = [await startDatabaseProxy(database.url, 'primary'), await startDatabaseProxy(database.url, 'standby')];
    service = await startOwnService({ ROLE: 'api', DATABASE_URL: severalHosts(database.url, servers) });
  });
  after(async () => {
    await service.stop();
    for (const server of servers) await server.stop();
    await database.drop();
  });

  const create = (key: string) =>
    service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' }, { headers: { 'idempotency-key': key } });

  test('a transaction whose connection ends by an administrator command answers 503, and its repeat is done once', async () => {
    const key = randomUUID();
    const holder = await service.db.connect();
    try {
      const { rows } = await holder.query('select pg_backend_pid() as pid');
      await holder.query('begin');
      await holder.query('lock table customers in access exclusive mode');
      const answer = create(key);
      for (let ended = false; !ended; ) {
        const found = await holder.query(
          'select pg_terminate_backend(pid) as ended from pg_stat_activity where $1 = any (pg_blocking_pids(pid))',
          [rows[0]?.['pid']],
        );
        ended = found.rows.some((row) => row['ended'] === true);
      }
      const refused = await answer;
      assert.deepEqual([refused.status, refused.body.code, refused.headers.get('retry-after')], [503, 'SERVICE_UNAVAILABLE', '1']);
    } finally {
      await holder.query('rollback');
      await holder.end();
    }
    const first = await create(key);
    assert.equal(first.status, 201);
    assert.equal((await create(key)).body.id, first.body.id);
  });

  test('without a primary every call answers 503 with Retry-After and the process is not ready; then it goes on by itself', async () => {
    servers[0].become('gone');
    const key = randomUUID();
    for (const answer of [await create(key), await create(key), await service.platform.get('/customers')])
      assert.deepEqual([answer.status, answer.body.code, answer.headers.get('retry-after')], [503, 'SERVICE_UNAVAILABLE', '1']);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
    servers[1].become('primary');
    assert.equal((await create(key)).status, 201);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  });

  test('device codes that nobody could look up were no guesses: then a good code is redeemed', async () => {
    const { deviceCode } = await createAgent(service.platform, await given(service.platform).customer());
    servers[1].become('gone');
    for (let i = 0; i < 21; i += 1)
      assert.equal((await service.platform.post(`/agents/device-codes/${deviceCode.code}/redeem`)).status, 503);
    servers[1].become('primary');
    await redeem(service.platform, deviceCode);
  });
});
