// The data of one platform as a whole: SQL over every table that holds any. The names of tables and columns come from the catalogue.
import type { Tx } from '../../db/pool.js';
import { allOf, Sql, sql } from '../../db/sql.js';
import { assert } from '../../kernel/errors.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';
import { KEY_PREFIX_BYTES } from '../../providers/key-custody.js';
import type { LastSequence } from '../core/webhooks/actions.js';
import type { DataTable } from './platform-data.js';

type Reader = Pick<Tx, 'one' | 'many'>;

export const identifier = (name: string): Sql => new Sql(`"${name.replaceAll('"', '""')}"`, []);
const identifiers = (names: readonly string[]): Sql => new Sql(names.map((name) => identifier(name).text).join(', '), []);

/** Every table whose rows belong to a platform. Partitions belong to their table. */
export const findTables = (tx: Reader): Promise<DataTable[]> =>
  tx.many<DataTable>(sql`
    select t.relname as name,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
      array(select format_type(a.atttypid, null) from pg_attribute a
        where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as types,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.atttypid in ('json'::regtype, 'jsonb'::regtype)
        order by a.attnum) as "jsonColumns",
      array(select distinct r.relname::text from pg_constraint c join pg_class r on r.oid = c.confrelid
        where c.conrelid = t.oid and c.contype = 'f') as "references"
    from pg_class t join pg_attribute p on p.attrelid = t.oid and p.attname = 'platform_id' and not p.attisdropped
    where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
    order by t.relname`);

/** Waits until no other transaction works on the platform, as long as any statement waits for a lock, and keeps new ones waiting. */
export async function lockPlatformData(tx: Tx, platformId: PlatformId, tables: readonly string[]): Promise<void> {
  await tx.run(sql`select from platforms where id = ${uuidOf(platformId)} for update`);
  await tx.run(sql`select from webhook_cursors where platform_id = ${uuidOf(platformId)} for update`);
  for (const name of tables)
    await tx.run(sql`select from ${identifier(name)} where platform_id = ${uuidOf(platformId)} order by id for update`);
}

/** Deletes the rows of one platform from the tables, in this order; returns how many. Append-only tables allow it to this transaction. */
export async function deleteRows(tx: Tx, platformId: PlatformId, tables: readonly DataTable[]): Promise<number> {
  tx.send(sql`insert into emptied_platforms (platform_id) values (${uuidOf(platformId)})`);
  const counts: number[] = [];
  for (const { name } of tables) counts.push(await tx.run(sql`delete from ${identifier(name)} where platform_id = ${uuidOf(platformId)}`));
  tx.send(sql`delete from emptied_platforms where platform_id = ${uuidOf(platformId)}`);
  return counts.reduce((sum, count) => sum + count, 0);
}

// ---- snapshots

export type Snapshot = {
  readonly name: string;
  readonly rows: bigint;
  readonly clockNow: Date;
  readonly createdAt: Date;
  readonly schemaVersion: string;
  readonly clockFrozen: boolean;
};

type SnapshotRow = { name: string; rows: bigint; clock_now: Date; created_at: Date; schema_version: string; frozen: boolean };

const toSnapshot = (row: SnapshotRow): Snapshot => ({
  name: row.name,
  rows: row.rows,
  clockNow: row.clock_now,
  createdAt: row.created_at,
  schemaVersion: row.schema_version,
  clockFrozen: row.frozen,
});

const snapshots = (platformId: PlatformId): Sql => sql`
  select name, rows, clock_now, created_at, schema_version, platform ->> 'clock_frozen_at' is not null as frozen
  from sandbox_snapshots where platform_id = ${uuidOf(platformId)}`;

export const listSnapshots = async (tx: Reader, platformId: PlatformId): Promise<Snapshot[]> =>
  (await tx.many<SnapshotRow>(sql`${snapshots(platformId)} order by created_at desc, name`)).map(toSnapshot);

export async function findSnapshot(tx: Reader, platformId: PlatformId, name: string): Promise<Snapshot | undefined> {
  const row = await tx.one<SnapshotRow>(sql`${snapshots(platformId)} and name = ${name}`);
  return row && toSnapshot(row);
}

/** The latest migration of the schema. */
export async function schemaVersion(tx: Reader): Promise<string> {
  return (await tx.one<{ version: string }>(sql`select max(name) as version from schema_migrations`))?.version ?? '';
}

/** Every statement of the transaction sees the data as of the first one. */
export const readAtOneMoment = (tx: Pick<Tx, 'send'>): void => tx.send(sql`set transaction isolation level repeatable read`);

const ROWS_PER_PART = 2_000;
/** A chunk of a file is half a megabyte of JSON. */
const CHUNKS_PER_PART = 16;

/** Copies the rows of the tables; returns how many. */
export async function insertSnapshot(
  tx: Tx,
  platformId: PlatformId,
  snapshot: { readonly name: string; readonly schemaVersion: string; readonly clockNow: Date; readonly createdAt: Date },
  tables: readonly DataTable[],
): Promise<void> {
  const platform = uuidOf(platformId);
  await tx.run(sql`
    insert into sandbox_snapshots (platform_id, name, schema_version, rows, clock_now, platform, cursor, created_at)
    select p.id, ${snapshot.name}, ${snapshot.schemaVersion}, 0, ${snapshot.clockNow}, row_to_json(p),
      (select row_to_json(c) from webhook_cursors c where c.platform_id = ${platform}), ${snapshot.createdAt}
    from platforms p where p.id = ${platform}`);
  for (const { name } of tables)
    tx.send(sql`
      insert into sandbox_snapshot_parts (platform_id, snapshot, table_name, part, content)
      select platform_id, ${snapshot.name}, ${name}, part, json_agg(t) from (
        select t.platform_id, t, (row_number() over () - 1) / ${name === 'stored_file_chunks' ? CHUNKS_PER_PART : ROWS_PER_PART} as part
        from ${identifier(name)} t where t.platform_id = ${platform}
      ) numbered group by platform_id, part`);
  await tx.run(sql`
    update sandbox_snapshots set rows = (
      select coalesce(sum(json_array_length(content)), 0) from sandbox_snapshot_parts where platform_id = ${platform} and snapshot = ${snapshot.name})
    where platform_id = ${platform} and name = ${snapshot.name}`);
}

export type RestoreOptions = {
  /** Which rows `r` of a table are written; undefined for all. */
  readonly isKept: (table: string) => Sql | undefined;
  /** What is wrong with a row that cannot be written. */
  readonly explain?: ((error: unknown) => Error | undefined) | undefined;
};

/** The last number of each object among the events of a snapshot that are not written. */
export const listLeftOutSequences = (tx: Reader, platformId: PlatformId, name: string, isKept: Sql): Promise<LastSequence[]> =>
  tx.many<LastSequence>(sql`
    select r.object_id as "objectId", max(r.sequence) as sequence
    from sandbox_snapshot_parts s, json_populate_recordset(null::webhook_events, s.content) r
    where s.platform_id = ${uuidOf(platformId)} and s.snapshot = ${name} and s.table_name = 'webhook_events' and r.type <> 'TEST'
      and not (${isKept})
    group by r.object_id`);

/** Writes the rows of a snapshot into the emptied tables, in this order, each table in one statement. */
export function restoreRows(
  tx: Tx,
  platformId: PlatformId,
  name: string,
  tables: readonly DataTable[],
  { isKept, explain }: RestoreOptions,
): void {
  const platform = uuidOf(platformId);
  for (const table of tables)
    tx.send(
      sql`
        insert into ${identifier(table.name)} (${identifiers(table.columns)}) overriding system value
        select ${new Sql(table.columns.map((column) => `${column === 'platform_id' ? 's' : 'r'}.${identifier(column).text}`).join(', '), [])}
        from sandbox_snapshot_parts s, json_populate_recordset(null::${identifier(table.name)}, s.content) r
        where ${allOf(sql`s.platform_id = ${platform} and s.snapshot = ${name} and s.table_name = ${table.name}`, isKept(table.name))}`,
      explain,
    );
}

/** Codes that name the platform to callers who know nothing else. */
export const listInvitationCodes = async (tx: Reader, platformId: PlatformId): Promise<string[]> =>
  (await tx.many<{ code: string }>(sql`select code from invitations where platform_id = ${uuidOf(platformId)}`)).map(({ code }) => code);

/** Of the sealed values of a snapshot in one column, one for each key. */
export const listSealedByKey = async (
  tx: Reader,
  platformId: PlatformId,
  name: string,
  table: string,
  column: string,
): Promise<Buffer[]> => {
  const value = sql`r.${identifier(column)}`;
  const rows = await tx.many<{ sealed: Buffer }>(sql`
    select distinct on (substring(${value} from 1 for ${KEY_PREFIX_BYTES}::int)) ${value} as sealed
    from sandbox_snapshot_parts s, json_populate_recordset(null::${identifier(table)}, s.content) r
    where s.platform_id = ${uuidOf(platformId)} and s.snapshot = ${name} and s.table_name = ${table} and ${value} is not null`);
  return rows.map(({ sealed }) => sealed);
};

/** What a snapshot holds beside rows of tables: the platform's row as JSON, and up to which position its events were delivered. */
export async function readSnapshotState(
  tx: Reader,
  platformId: PlatformId,
  name: string,
): Promise<{ platform: string; settled: bigint | null }> {
  const row = await tx.one<{ platform: string; settled: bigint | null }>(sql`
    select platform::text, (cursor ->> 'settled')::bigint as settled from sandbox_snapshots
    where platform_id = ${uuidOf(platformId)} and name = ${name}`);
  assert(row, 'the snapshot that is restored exists');
  return row;
}

export const deleteSnapshot = async (tx: Tx, platformId: PlatformId, name: string): Promise<boolean> =>
  (await tx.run(sql`delete from sandbox_snapshots where platform_id = ${uuidOf(platformId)} and name = ${name}`)) > 0;
