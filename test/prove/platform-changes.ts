// What changed in the rows of a platform between two looks: per table the rows that were added, changed and removed.
import type { Db } from '../../src/db/pool.js';
import { Sql, sql } from '../../src/db/sql.js';
import { type PlatformId, uuidOf } from '../../src/kernel/ids.js';

/** Tables that are written apart from the operations, with the reason. */
const APART: Readonly<Record<string, string>> = {
  request_log: 'written in batches after the answers; what was not written when the process is killed is lost',
  request_log_objects: 'written with request_log',
  rate_limit_buckets: 'counts requests',
  named_locks: 'rows that transactions lock',
  webhook_cursors: 'how far the worker has numbered and sent events',
  webhook_attempts: 'an event is sent at least once: again if nobody knows whether it arrived',
  uma_nonces: 'what a provider keeps of the messages it was sent; a question that is asked again has a nonce of its own',
  service_day_sums: 'added up from the entries by the worker',
  service_sums_progress: 'how far the worker has added up entries',
};

/** Tables whose rows are read otherwise, as SQL of their table, key and row. */
const READ_AS: Readonly<Record<string, { readonly table?: string; readonly key?: string; readonly row: string }>> = {
  // The clock is compared apart.
  platforms: { row: `(to_jsonb(t) - array['clock_frozen_at', 'clock_offset', 'clock_least_ahead', 'clock_most_ahead'])::text` },
  // The worker moves a commit from the inbox to the log when it gives it a position.
  webhook_inbox: { table: 'webhook_log', key: 't.id', row: `json_build_object('amount', cardinality(t.event_ids))::text` },
  webhook_log: { key: 't.commit_id', row: `json_build_object('amount', cardinality(t.event_ids))::text` },
  // Attempts are counted apart.
  webhook_deliveries: { row: `json_build_object('sequence', t.sequence)::text` },
};

/** Columns that say what a row is about. Others hold ids, times and secrets, which differ between two requests of the same kind. */
const TELLING = ['type', 'kind', 'status', 'state', 'cause', 'purpose', 'outcome', 'direction', 'currency', 'amount', 'total', 'available'];

type Row = { readonly table: string; readonly key: string; readonly row: string };
/** All rows of a platform, and the time at which its clock stands still, or 0. */
export type Rows = { readonly rows: ReadonlyMap<string, Row>; readonly clock: number };
/** How many rows had each change. */
export type Changes = ReadonlyMap<string, number>;

export class PlatformRows {
  private readonly db: Db;
  private readonly query: string;

  private constructor(db: Db, query: string) {
    this.db = db;
    this.query = query;
  }

  static async open(db: Db): Promise<PlatformRows> {
    const tables = await db.many<{ name: string; key: string[] }>(sql`
      select t.relname::text as name, array(
        select a.attname::text from pg_index i join pg_attribute a on a.attrelid = t.oid and a.attnum = any (i.indkey)
        where i.indrelid = t.oid and i.indisprimary order by a.attnum) as key
      from pg_class t where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
        and (t.relname = 'platforms' or exists (
          select from pg_attribute p where p.attrelid = t.oid and p.attname = 'platform_id' and not p.attisdropped))
      order by t.relname`);
    const parts = tables
      .filter(({ name }) => !(name in APART))
      .map(({ name, key: columns }) => {
        const { table = name, key = columns.map((column) => `t."${column}"`).join(', '), row = 'to_json(t)::text' } = READ_AS[name] ?? {};
        return `select '${table}' as "table", json_build_array(${key})::text as key, ${row} as row
          from "${name}" t where ${name === 'platforms' ? 'id' : 'platform_id'} = $1`;
      });
    return new PlatformRows(db, parts.join(' union all '));
  }

  async read(platformId: PlatformId): Promise<Rows> {
    const uuid = uuidOf(platformId);
    const rows = await this.db.many<Row>(new Sql(this.query, [uuid]));
    const platform = await this.db.one<{ at: Date | null }>(sql`select clock_frozen_at as at from platforms where id = ${uuid}`);
    return { rows: new Map(rows.map((row) => [`${row.table} ${row.key}`, row])), clock: platform?.at?.getTime() ?? 0 };
  }
}

/** `advancedMs`: by how much the test has advanced the clock meanwhile. */
export function changesOf(before: Rows, after: Rows, advancedMs = 0): Changes {
  const changes = new Map<string, number>();
  const count = (what: string, { table, row }: Row) => {
    const change = `${table} ${what}${tellingOf(row)}`;
    changes.set(change, (changes.get(change) ?? 0) + 1);
  };
  for (const [key, row] of after.rows) {
    const earlier = before.rows.get(key);
    if (!earlier) count('added', row);
    else if (earlier.row !== row.row) count('changed', row);
  }
  for (const [key, row] of before.rows) if (!after.rows.has(key)) count('removed', row);
  const moved = after.clock - before.clock - advancedMs;
  // A snapshot that is restored is some milliseconds old, on each platform as many as it took to make it.
  if (after.clock === 0 ? before.clock !== 0 : Math.abs(moved) >= 1_000)
    changes.set(after.clock === 0 ? 'clock runs' : `clock moved by ${moved} ms`, 1);
  return changes;
}

function tellingOf(row: string): string {
  const columns = JSON.parse(row) as Record<string, unknown>;
  return TELLING.flatMap((name) => (columns[name] === undefined || columns[name] === null ? [] : [` ${name}=${columns[name]}`])).join('');
}

/** What is too much (+) or missing (-) compared with the expected changes. Empty if they are the same. */
export function differenceOf(found: Changes, expected: Changes): string {
  return [...new Set([...found.keys(), ...expected.keys()])]
    .sort()
    .map((change) => ({ change, more: (found.get(change) ?? 0) - (expected.get(change) ?? 0) }))
    .filter(({ more }) => more !== 0)
    .map(({ change, more }) => `${more > 0 ? '+' : ''}${more} ${change}`)
    .join(', ');
}
