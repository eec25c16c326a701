// Files that callers upload. Their bytes are kept encrypted; nothing in this folder logs or executes them.
import type { Tx } from '../../db/pool.js';
import type { Id, PlatformId } from '../../kernel/ids.js';

export type FileId = Id<'File'>;

/** A file as it arrived. It is kept only by a transaction that calls `keep`; otherwise it is gone when the request ends. */
export type ReceivedFile = {
  readonly id: FileId;
  /** The base name that the caller gave, without control characters and paths. */
  readonly fileName: string;
  /** What the caller claims. */
  readonly contentType: string;
  readonly size: number;
  readonly sha256: Buffer;
  /** The first bytes, for a look at what the file is. */
  readonly head: Buffer;
  /** The last bytes, likewise. */
  readonly tail: Buffer;
  /** A PDF whose streams unpack to more than is allowed. */
  readonly isOversized: boolean;
};

/** Takes the bytes of one file in order. At most a few chunks are in memory. */
export type FileWriter = {
  write(bytes: Buffer): Promise<void>;
  /** The file has arrived. */
  end(named: Pick<ReceivedFile, 'fileName' | 'contentType'>): Promise<ReceivedFile>;
  /** Forgets what was written, unless a transaction has kept it. */
  discard(): Promise<void>;
};

export type Files = {
  receive(platformId: PlatformId): FileWriter;
  /** Keeps a received file: it exists once the transaction commits. */
  keep(tx: Tx, platformId: PlatformId, file: ReceivedFile, now: Date): void;
  /** The bytes of a kept file from one of its chunks on. One chunk is in memory at a time. The caller keeps the file from being deleted. */
  read(tx: Pick<Tx, 'one'>, platformId: PlatformId, id: FileId, fromChunk?: number): AsyncGenerator<Buffer>;
  /** As `read`, of a file that may be deleted meanwhile: undefined if it was. */
  open(tx: Pick<Tx, 'one'>, platformId: PlatformId, id: FileId): Promise<AsyncGenerator<Buffer> | undefined>;
  /** Deletes kept files with their bytes. */
  delete(tx: Tx, platformId: PlatformId, ids: readonly FileId[]): void;
};

export const CHUNK_BYTES = 256 * 1024;
export const HEAD_BYTES = 4_096;
/** As far before the end as the directory of a ZIP archive may end. */
export const TAIL_BYTES = 22 + 65_535;
