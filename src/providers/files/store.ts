// All SQL of stored files. No other code reads or writes these tables.
import type { Tx } from '../../db/pool.js';
import { sql } from '../../db/sql.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { FileId } from './file.js';

export type FileRow = { readonly key_sealed: Buffer; readonly size: bigint };

/** An upload whose first chunk no longer fits into memory. Nothing refers to it yet. */
export async function insertUnkeptFile(tx: Pick<Tx, 'run'>, platformId: PlatformId, id: FileId, keySealed: Buffer): Promise<void> {
  await tx.run(sql`insert into stored_files (platform_id, id, key_sealed) values (${uuidOf(platformId)}, ${uuidOf(id)}, ${keySealed})`);
}

type Chunk = { readonly sequence: number; readonly bytes: Buffer };

export async function insertChunk(tx: Pick<Tx, 'run'>, platformId: PlatformId, id: FileId, { sequence, bytes }: Chunk): Promise<void> {
  await tx.run(sql`
    insert into stored_file_chunks (platform_id, file_id, sequence, bytes) values (${uuidOf(platformId)}, ${uuidOf(id)}, ${sequence}, ${bytes})`);
}

export type KeptFile = { readonly keySealed: Buffer; readonly size: number; readonly sha256: Buffer; readonly now: Date };

/** Inserts the file, or completes one whose earlier chunks are stored, with its last chunk. */
export function keepFile(tx: Tx, platformId: PlatformId, id: FileId, { keySealed, size, sha256, now }: KeptFile, last: Chunk): void {
  tx.send(sql`
    insert into stored_files (platform_id, id, key_sealed, size, sha256, kept_at)
    values (${uuidOf(platformId)}, ${uuidOf(id)}, ${keySealed}, ${size}, ${sha256}, ${now})
    on conflict (platform_id, id) do update set size = excluded.size, sha256 = excluded.sha256, kept_at = excluded.kept_at`);
  tx.send(sql`
    insert into stored_file_chunks (platform_id, file_id, sequence, bytes)
    values (${uuidOf(platformId)}, ${uuidOf(id)}, ${last.sequence}, ${last.bytes})`);
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

/** Deletes uploads of all platforms that a process began and did not end, because it was killed. No request takes an hour. */
export const sweepAbandonedUploads = (tx: Pick<Tx, 'run'>): Promise<number> =>
  tx.run(sql`delete from stored_files where kept_at is null and received_at < now() - interval '1 hour'`);
