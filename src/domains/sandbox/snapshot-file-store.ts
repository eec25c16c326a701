// SQL of snapshots that leave the installation as a file, or come from one.
import type { Tx } from '../../db/pool.js';
import { Sql, sql } from '../../db/sql.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { DataTable } from './platform-data.js';
import { identifier } from './platform-data-store.js';
import { type Cells, fileColumns } from './snapshot-content.js';

type Reader = Pick<Tx, 'one' | 'many'>;

export type PartOfTable = { readonly table: string; readonly part: number };

/** The parts of a snapshot, and how much text they are. */
export async function listParts(tx: Reader, platformId: PlatformId, snapshot: string): Promise<{ parts: PartOfTable[]; bytes: number }> {
  const rows = await tx.many<PartOfTable & { bytes: number }>(sql`
    select table_name as table, part, octet_length(content::text) as bytes from sandbox_snapshot_parts
    where platform_id = ${uuidOf(platformId)} and snapshot = ${snapshot} order by table_name, part`);
  return { parts: rows.map(({ table, part }) => ({ table, part })), bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** The rows of a part, each value as text; undefined once the snapshot is deleted. */
export async function readPartRows(
  tx: Reader,
  platformId: PlatformId,
  snapshot: string,
  table: DataTable,
  part: number,
): Promise<Cells[] | undefined> {
  const texts = new Sql(
    fileColumns(table)
      .map((column) => `r.${identifier(column).text}::text`)
      .join(', '),
    [],
  );
  const row = await tx.one<{ rows: Cells[] | null }>(sql`
    select json_agg(array[${texts}]) as rows
    from sandbox_snapshot_parts s, json_populate_recordset(null::${identifier(table.name)}, s.content) r
    where s.platform_id = ${uuidOf(platformId)} and s.snapshot = ${snapshot} and s.table_name = ${table.name} and s.part = ${part}`);
  return row?.rows ?? undefined;
}

export type ImportedSnapshot = {
  readonly name: string;
  readonly schemaVersion: string;
  readonly clock: { readonly now: Date; readonly frozen: boolean };
  readonly config: unknown;
  readonly settled: bigint | null;
  readonly createdAt: Date;
};

/** The row of the platform is its own, apart from the configuration and the clock. */
export async function insertImported(tx: Tx, platformId: PlatformId, snapshot: ImportedSnapshot): Promise<void> {
  const { name, clock, settled } = snapshot;
  const own = { config: snapshot.config, clock_frozen_at: clock.frozen ? clock.now.toISOString() : null };
  await tx.run(sql`
    insert into sandbox_snapshots (platform_id, name, schema_version, rows, clock_now, platform, cursor, created_at)
    select p.id, ${name}, ${snapshot.schemaVersion}, 0, ${clock.now}, (to_jsonb(p) || ${JSON.stringify(own)}::jsonb)::json,
      json_build_object('settled', ${settled}::bigint), ${snapshot.createdAt}
    from platforms p where p.id = ${uuidOf(platformId)}`);
}

export async function insertPart(
  tx: Tx,
  platformId: PlatformId,
  snapshot: string,
  { table, part }: PartOfTable,
  content: string,
): Promise<void> {
  await tx.run(sql`
    insert into sandbox_snapshot_parts (platform_id, snapshot, table_name, part, content)
    values (${uuidOf(platformId)}, ${snapshot}, ${table}, ${part}, ${content}::json)`);
}

export const setRowCount = (tx: Tx, platformId: PlatformId, snapshot: string, rows: number): void =>
  tx.send(sql`update sandbox_snapshots set rows = ${rows} where platform_id = ${uuidOf(platformId)} and name = ${snapshot}`);

/** What foreign keys would tell where new accounts do without them (migration 0018). */
export async function hasDanglingAccounts(tx: Reader, platformId: PlatformId): Promise<boolean> {
  const row = await tx.one<{ dangling: boolean }>(sql`
    select exists (
      select from internal_accounts a
      left join ledger_accounts l on l.platform_id = ${uuidOf(platformId)} and l.id = a.id and l.currency = a.currency
      left join customers c on c.platform_id = ${uuidOf(platformId)} and c.id = a.customer_id
      where a.platform_id = ${uuidOf(platformId)} and (l.id is null or (a.customer_id is not null and c.id is null))) as dangling`);
  return row?.dangling ?? true;
}

export async function checkConstraintsNow(tx: Tx): Promise<void> {
  await tx.run(sql`set constraints all immediate`);
}
