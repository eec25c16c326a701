// Query plans on a database without statistics.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { createDatabase, plansOfOneServer, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let client: pg.Client;
before(async () => {
  database = await createDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
after(async () => {
  await client.end();
  await database.drop();
});

type Key = { table: string; index: string; columns: string[]; types: string[] };

const primaryKeys = async (): Promise<Key[]> =>
  (
    await client.query(`
      select c.relname as table, i.indexrelid::regclass::text as index, array_agg(a.attname::text order by k.place) as columns,
        array_agg(format_type(a.atttypid, a.atttypmod) order by k.place) as types
      from pg_index i join pg_class c on c.oid = i.indrelid
      cross join unnest(i.indkey) with ordinality k (number, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
      where i.indisprimary and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by c.relname, i.indexrelid`)
  ).rows;

/** Tables for which another index is as good, or that are never read by their whole key. */
const EXEMPT: Readonly<Record<string, string>> = {
  request_log_objects: 'read by object, deleted by position, never by both',
};

test('without table statistics, a look-up by primary key uses the primary-key index and no filter', {
  skip: plansOfOneServer(),
}, async () => {
  const keys = await primaryKeys();
  assert.ok(keys.length > 20);
  await client.query('set plan_cache_mode = force_generic_plan');
  const others: string[] = [];
  for (const { table, index, columns, types } of keys.filter((key) => EXEMPT[key.table] === undefined)) {
    const condition = columns.map((column, i) => `${column} = $${i + 1}`).join(' and ');
    await client.query(`prepare find_${table} (${types.join(', ')}) as select * from ${table} where ${condition}`);
    const { rows } = await client.query(`explain execute find_${table} (${columns.map(() => 'null').join(', ')})`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    if (!plan.includes(`using ${index} on`) || plan.includes('Filter')) others.push(`${table}: ${plan}`);
  }
  assert.deepEqual(others, []);
});
