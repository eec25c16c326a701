// One hash per table over all rows of the database. Equal hashes before and after a refusal prove that nothing was written.
import assert from 'node:assert/strict';
import type { Db } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';

/** Every request is counted, also a refused one. */
const COUNTERS = ['rate_limit_buckets'];

export async function fingerprint(db: Db): Promise<Record<string, string>> {
  const tables = await db.many<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all(${COUNTERS}) order by 1`);
  const all = tables.map(
    ({ name }) => `select '${name}' as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash from ${name} t`,
  );
  const rows = await db.many<{ name: string; hash: string }>(new Sql(all.join(' union all '), []));
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
}

/** Runs work that must not change the database. */
export async function changesNothing<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  const before = await fingerprint(db);
  const result = await work();
  assert.deepEqual(await fingerprint(db), before);
  return result;
}
