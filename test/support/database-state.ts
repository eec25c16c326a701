// Reads the database for assertions that HTTP cannot make: which events were written, and where a text is stored.
import type { Db } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';

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
