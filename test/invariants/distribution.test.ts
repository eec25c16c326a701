// The schema can be distributed by platform over several servers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { planTables, REFERENCE_TABLES } from '../../src/db/distribution.js';
import { type Db, openDb, type Session, type Tx } from '../../src/db/pool.js';
import { Sql } from '../../src/db/sql.js';
import { claimDeliveries } from '../../src/domains/core/webhooks/store-deliveries.js';
import { writePosting } from '../../src/domains/ledger/store.js';
import { idOf, newUuid } from '../../src/kernel/ids.js';
import { ownersOf, TABLES } from '../support/architecture.js';
import { WITHOUT_CLUSTER } from '../support/cluster.js';
import { createDatabase, isCluster, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let db: Db;
let session: Session;
before(async () => {
  database = await createDatabase();
  db = openDb({ url: database.url, poolSize: 1 });
  session = await db.connect();
});
after(async () => {
  await session.end();
  await db.close();
  await database.drop();
});

/** Tables of our own: the extension of a cluster has some as well. */
const own = `t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p')
  and not exists (select from pg_depend d where d.objid = t.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')`;

test('every table that a module owns is distributed by its platform or is a reference table', async () => {
  const { tables, homeless } = await planTables(session);
  assert.deepEqual(homeless, []);
  const planned = tables.map(({ table }) => table).sort();
  assert.deepEqual(planned, [...new Set([...TABLES, 'schema_migrations'])].sort());
  assert.deepEqual(planned, [...ownersOf().keys()].sort());
  assert.deepEqual(
    tables
      .filter(({ column }) => column === undefined)
      .map(({ table }) => table)
      .sort(),
    [...REFERENCE_TABLES].sort(),
  );
  assert.deepEqual(
    tables.find(({ table }) => table === 'platforms'),
    { table: 'platforms', column: 'id' },
  );
});

test('a table is distributed after the tables that it refers to and those that its triggers read', async () => {
  const names = (await planTables(session)).tables.map(({ table }) => table);
  assert.ok(names.indexOf('sandbox_snapshots') < names.indexOf('sandbox_snapshot_parts'));
  assert.ok(names.indexOf('platforms') < names.indexOf('customers'));
  for (const table of ['transfers', 'holds']) assert.ok(names.indexOf('wallet_activities') < names.indexOf(table), table);
});

test('a table without a platform is found, and no table is lost beside it', async () => {
  await session.query('create table homeless (id uuid primary key)');
  try {
    const { tables, homeless } = await planTables(session);
    assert.deepEqual(homeless, ['homeless']);
    assert.equal(tables.length, new Set(TABLES).size + 1);
  } finally {
    await session.query('drop table homeless');
  }
});

const uniqueWithoutPlatform = async (): Promise<string[]> => {
  const { rows } = await session.query(
    `select i.indexrelid::regclass::text as name from pg_index i join pg_class t on t.oid = i.indrelid
     where i.indisunique and ${own} and t.relname <> all($1) and not exists (
       select from pg_attribute a where a.attrelid = t.oid and a.attnum = any(i.indkey)
         and a.attname = case t.relname when 'platforms' then 'id' else 'platform_id' end)`,
    [REFERENCE_TABLES],
  );
  return rows.map((row) => String(row['name']));
};

test('every primary key and unique index contains the platform', async () => {
  assert.deepEqual(await uniqueWithoutPlatform(), []);
  if (isCluster()) return;
  await session.query('create unique index planted on cards (platform_card_id)');
  try {
    assert.deepEqual(await uniqueWithoutPlatform(), ['planted']);
  } finally {
    await session.query('drop index planted');
  }
});

test('every foreign key contains the platform on both sides', async () => {
  const { rows } = await session.query(`
    select c.conname as name from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class r on r.oid = c.confrelid
    where c.contype = 'f' and ${own} and not exists (
      select from unnest(c.conkey, c.confkey) k (own, other)
      join pg_attribute a on a.attrelid = t.oid and a.attnum = k.own and a.attname = 'platform_id'
      join pg_attribute b on b.attrelid = r.oid and b.attnum = k.other
        and b.attname = case r.relname when 'platforms' then 'id' else 'platform_id' end)`);
  assert.deepEqual(rows, []);
});

test('no column has a default that other nodes would answer differently', async () => {
  const { rows } = await session.query(`
    select format('%s.%s: %s', t.relname, a.attname, pg_get_expr(d.adbin, d.adrelid)) as found
    from pg_attrdef d join pg_class t on t.oid = d.adrelid join pg_attribute a on a.attrelid = t.oid and a.attnum = d.adnum
    where ${own} and pg_get_expr(d.adbin, d.adrelid) ~ 'nextval|xact|snapshot|inet_|pg_backend'`);
  assert.deepEqual(rows, []);
});

test('a statement that writes one table and reads on runs whole on one node', { skip: isCluster() ? false : WITHOUT_CLUSTER }, async () => {
  const sent: Sql[] = [];
  const noting = {
    send: (query: Sql) => void sent.push(query),
    many: async (query: Sql) => {
      sent.push(query);
      return [];
    },
  } as unknown as Tx;
  const now = new Date();
  const platform = idOf('Platform', newUuid());
  const hold = { id: newUuid(), from: newUuid(), to: newUuid(), amount: 1n, currency: 'USD', cause: 'TEST' };
  writePosting(noting, platform, { balances: new Map(), transfers: [], opened: [], ended: [hold], entries: [] }, now);
  await claimDeliveries(noting, platform, { now, realNow: now, leasedUntil: now, afterObject: '', objects: 1, perObject: 1, retries: 1 });
  assert.deepEqual(
    sent.map(({ text }) => /\bdelete from \w+|\bupdate \w+(?= d set)/.exec(text)?.[0]),
    ['delete from holds', 'update webhook_deliveries'],
  );
  for (const { text, values } of sent) {
    const plan = (await db.many<Record<string, string>>(new Sql(`explain ${text}`, values))).map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, /Task Count: 1$/m);
  }
});
