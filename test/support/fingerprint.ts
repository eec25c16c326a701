// One hash per table over all rows of the database. Equal hashes before and after a refusal prove that nothing was written.
import assert from 'node:assert/strict';
import type { Db } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';

/**
 * Tables that change beside a request: every request is counted and logged, also a refused one, and a worker orders the event log after the
 * commit of the events. The events themselves are in their own table.
 */
const OTHERS = ['rate_limit_buckets', 'request_log', 'request_log_objects', 'webhook_inbox', 'webhook_log', 'webhook_cursors'];

/** A partitioned table is hashed as a whole. */
export async function fingerprint(db: Db): Promise<Record<string, string>> {
  const tables = await db.many<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all(${OTHERS}::text[])
    order by relname`);
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
  assert.deepEqual(await fingerprint(db), before, 'the database changed');
  return result;
}
