// Reads the database for assertions that HTTP cannot make: that a refusal wrote nothing, and which events were written.
import assert from 'node:assert/strict';
import type { Db } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';

/**
 * One digest per table, over all of its rows. Without the order of the event log, which a worker writes after the commit of the events. The
 * events themselves are in their own table.
 */
async function digests(db: Db): Promise<Record<string, string>> {
  const tables = await db.many<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('webhook_inbox', 'webhook_log', 'webhook_cursors')
    order by relname`);
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const digest = new Sql(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from ${name} t`,
        [],
      );
      return [name, (await db.one<{ digest: string }>(digest))?.digest ?? ''] as const;
    }),
  );
  return Object.fromEntries(rows);
}

/** Runs the work and asserts that no row of the database changed. */
export async function changingNothing<Result>(db: Db, work: () => Promise<Result>): Promise<Result> {
  const before = await digests(db);
  const result = await work();
  assert.deepEqual(await digests(db), before, 'the database changed');
  return result;
}

// biome-ignore lint/suspicious/noExplicitAny: event data is a resource, whose shape is checked where it is answered.
export type WrittenEvent = { readonly type: string; readonly data: any };

/** The events of an object, in order. */
export const eventsAbout = (db: Db, objectId: string): Promise<WrittenEvent[]> =>
  db.many<WrittenEvent>(sql`select type, data from webhook_events where object_id = ${objectId} order by sequence`);

/** The tables that contain the text in plain or in hex. */
export async function placesHolding(db: Db, text: string): Promise<string[]> {
  const tables = await db.many<{ name: string }>(sql`select tablename as name from pg_tables where schemaname = 'public'`);
  const holding = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await db.many(
        new Sql(`select from ${name} t where t::text like '%' || $1 || '%' or t::text like '%' || $2 || '%'`, [
          text,
          Buffer.from(text).toString('hex'),
        ]),
      );
      return rows.length > 0 ? [name] : [];
    }),
  );
  return holding.flat();
}
