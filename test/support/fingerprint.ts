// One hash per table over all rows of the database. Equal hashes before and after a refusal prove that nothing was written.
import assert from 'node:assert/strict';
import type { Db } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';
import { isCluster } from './database.js';

/**
 * Tables that change beside a request: every request is counted and logged, also a refused one, and a worker orders the event log after the
 * commit of the events. The events themselves are in their own table.
 */
const OTHERS = ['rate_limit_buckets', 'request_log', 'request_log_objects', 'webhook_inbox', 'webhook_log', 'webhook_cursors'];

const HASH = `md5(coalesce(string_agg(t::text, '|' order by t::text), ''))`;
/** A partitioned table is hashed as a whole. */
const TABLES = `relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;

export const fingerprint = (db: Db): Promise<Record<string, string>> => (isCluster() ? hashOfParts(db) : hashOfTables(db));

async function hashOfTables(db: Db): Promise<Record<string, string>> {
  const tables = await db.many<{ name: string }>(
    new Sql(`select relname as name from pg_class where ${TABLES} and relname <> all($1::text[]) order by relname`, [OTHERS]),
  );
  const all = tables.map(({ name }) => `select '${name}' as name, ${HASH} as hash from ${name} t`);
  const rows = await db.many<{ name: string; hash: string }>(new Sql(all.join(' union all '), []));
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
}

/** Every node hashes the parts that it has. Asked by table, a cluster would bring all rows to one place, table after table. */
async function hashOfParts(db: Db): Promise<Record<string, string>> {
  const hash = `query_to_xml(format('select ${HASH.replaceAll("'", "''")} as hash from %I t', relname), false, true, '')`;
  const question = `
    select json_object_agg(relname, (xpath('/row/hash/text()', ${hash}))[1]::text order by relname) from pg_class
    where ${TABLES} and relname ~ '_\\d+$' and regexp_replace(relname, '_\\d+$', '') not in (${OTHERS.map((name) => `'${name}'`).join()})`;
  const nodes = await db.many<{ port: number; success: boolean; result: string }>(
    sql`select nodeport as port, success, result from run_command_on_workers(${question})`,
  );
  assert.ok(nodes.length > 0 && nodes.every(({ success }) => success), JSON.stringify(nodes));
  return Object.fromEntries(
    nodes.flatMap(({ port, result }) =>
      Object.entries(JSON.parse(result) as Record<string, string>).map(([part, hash]) => [`${part} on ${port}`, hash]),
    ),
  );
}

/** Runs work that must not change the database. */
export async function changesNothing<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  const before = await fingerprint(db);
  const result = await work();
  assert.deepEqual(await fingerprint(db), before, 'the database changed');
  return result;
}
