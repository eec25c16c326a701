// All SQL of stored files. No other code reads or writes these tables.
import type { Tx } from '../../db/pool.js';
import { sql } from '../../db/sql.js';
import { deleteInBatches, type Upkeep } from '../../db/upkeep.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';
import { plusMs } from '../../kernel/time.js';
import type { FileId } from './file.js';

export type FileRow = { readonly key_sealed: Buffer; readonly size: bigint };

export type Chunk = { readonly sequence: number; readonly bytes: Buffer };

/** An upload that does not fit into memory. Nothing refers to it yet. */
export function insertUnkeptFile(tx: Tx, platformId: PlatformId, id: FileId, keySealed: Buffer): void {
  tx.send(sql`insert into stored_files (platform_id, id, key_sealed) values (${uuidOf(platformId)}, ${uuidOf(id)}, ${keySealed})`);
}

/** One statement each: a parameter carries bytes as they are, an array of them as text of twice the size. */
export function insertChunks(tx: Tx, platformId: PlatformId, id: FileId, chunks: readonly Chunk[]): void {
  for (const { sequence, bytes } of chunks)
    tx.send(sql`
      insert into stored_file_chunks (platform_id, file_id, sequence, bytes)
      values (${uuidOf(platformId)}, ${uuidOf(id)}, ${sequence}, ${bytes})`);
}

export type KeptFile = { readonly keySealed: Buffer; readonly size: number; readonly sha256: Buffer; readonly now: Date };

/** Inserts the file, or completes one whose earlier chunks are stored, with its last chunks. */
export function keepFile(
  tx: Tx,
  platformId: PlatformId,
  id: FileId,
  { keySealed, size, sha256, now }: KeptFile,
  last: readonly Chunk[],
): void {
  tx.send(sql`
    insert into stored_files (platform_id, id, key_sealed, size, sha256, kept_at)
    values (${uuidOf(platformId)}, ${uuidOf(id)}, ${keySealed}, ${size}, ${sha256}, ${now})
    on conflict (platform_id, id) do update set size = excluded.size, sha256 = excluded.sha256, kept_at = excluded.kept_at`);
  insertChunks(tx, platformId, id, last);
}

/** Never a kept one: after a lost answer to COMMIT the file may have been kept all the same. */
export async function deleteUnkeptFile(tx: Pick<Tx, 'run'>, platformId: PlatformId, id: FileId): Promise<void> {
  await tx.run(sql`delete from stored_files where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and kept_at is null`);
}

export const findFile = (tx: Pick<Tx, 'one'>, platformId: PlatformId, id: FileId): Promise<FileRow | undefined> =>
  tx.one<FileRow>(sql`
    select key_sealed, size from stored_files
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and kept_at is not null`);

export async function findChunk(tx: Pick<Tx, 'one'>, platformId: PlatformId, id: FileId, sequence: number): Promise<Buffer | undefined> {
  const row = await tx.one<{ bytes: Buffer }>(sql`
    select bytes from stored_file_chunks where platform_id = ${uuidOf(platformId)} and file_id = ${uuidOf(id)} and sequence = ${sequence}`);
  return row?.bytes;
}

/** The chunks go with their file. */
export function deleteFiles(tx: Tx, platformId: PlatformId, ids: readonly FileId[]): void {
  tx.send(sql`delete from stored_files where platform_id = ${uuidOf(platformId)} and id = any(${ids.map(uuidOf)}::uuid[])`);
}

const ABANDONED_MS = 60 * 60_000;

/** Deletes uploads that a process began and did not end, because it was killed. No request takes an hour. */
export const sweepAbandonedUploads = (tx: Pick<Tx, 'run'>, platformId: PlatformId, now: Date, isOver = () => false): Promise<number> =>
  deleteInBatches(
    (limit) =>
      tx.run(sql`
        delete from stored_files where platform_id = ${uuidOf(platformId)} and id = any(array(
          select id from stored_files
          where platform_id = ${uuidOf(platformId)} and kept_at is null and received_at < ${plusMs(now, -ABANDONED_MS)}
          order by received_at limit ${limit} for update skip locked))`),
    isOver,
  );

export const uploadUpkeep: Upkeep = {
  name: 'abandoned-uploads',
  everyMs: 10 * 60_000,
  run: async (db, platformId, now, isOver) => void (await sweepAbandonedUploads(db, platformId, now, isOver)),
};
