// One hash per table over all rows of the database. Equal hashes before and after a refusal prove that nothing was written.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import pg from 'pg';
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

/** Connections to the workers, by database: a new one would read the catalogue of all parts first. */
const workers = new Map<string, Promise<readonly pg.Client[]>>();

async function connect(database: string): Promise<readonly pg.Client[]> {
  const [, ...nodes] = (process.env['TEST_DATABASE_URL'] ?? '').split(',');
  return Promise.all(
    nodes.map(async (node) => {
      const client = new pg.Client({ connectionString: Object.assign(new URL(node), { pathname: `/${database}` }).toString() });
      client.on('error', () => {}); // the database is dropped at the end of its file
      await client.connect();
      await client.query(`set citus.show_shards_for_app_name_prefixes = '*'`);
      (client as unknown as { connection: { stream: Socket } }).connection.stream.unref();
      return client;
    }),
  );
}

/** Every node hashes the parts that it has. Asked by table, a cluster would bring all rows to one place, table after table. */
async function hashOfParts(db: Db): Promise<Record<string, string>> {
  const database = (await db.one<{ name: string }>(sql`select current_database() as name`))?.name ?? '';
  const clients = workers.get(database) ?? connect(database);
  workers.set(database, clients);
  const hash = `query_to_xml(format('select ${HASH.replaceAll("'", "''")} as hash from %I t', relname), false, true, '')`;
  const question = `
    select relname as part, (xpath('/row/hash/text()', ${hash}))[1]::text as hash from pg_class
    where ${TABLES} and relname ~ '_\\d+$' and regexp_replace(relname, '_\\d+$', '') <> all($1::text[]) order by relname`;
  const answers = await Promise.all((await clients).map((client) => client.query<{ part: string; hash: string }>(question, [OTHERS])));
  const found = answers.flatMap(({ rows }, node) => rows.map(({ part, hash }) => [`${part} of worker ${node + 1}`, hash] as const));
  assert.ok(
    found.some(([part]) => part.startsWith('entries_')),
    'the parts of the tables are found',
  );
  return Object.fromEntries(found);
}

/** Runs work that must not change the database. */
export async function changesNothing<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  const before = await fingerprint(db);
  const result = await work();
  assert.deepEqual(await fingerprint(db), before, 'the database changed');
  return result;
}
