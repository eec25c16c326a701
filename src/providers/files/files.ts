// Stored files in PostgreSQL: encrypted, in chunks. An upload holds a few chunks in memory; they are written while the rest arrives.
import { createHash, randomBytes } from 'node:crypto';
import type { Db, Tx } from '../../db/pool.js';
import { deleteInBatches, type Upkeep } from '../../db/upkeep.js';
import { assert } from '../../kernel/errors.js';
import { isPdf } from '../../kernel/file-kind.js';
import { newId, type PlatformId } from '../../kernel/ids.js';
import { createPdfScan, type PdfScan } from '../../kernel/pdf-streams.js';
import type { KeyCustody } from '../key-custody.js';
import { chunkCipher, decryptChunk, FILE_KEY_BYTES, sealedBytes } from './chunk-cipher.js';
import { CHUNK_BYTES, type FileId, type Files, type FileWriter, HEAD_BYTES, type ReceivedFile, TAIL_BYTES } from './file.js';
import {
  type Chunk,
  deleteAbandonedUploads,
  deleteFiles,
  deleteUnkeptFile,
  type FileRow,
  findChunk,
  findFile,
  insertChunks,
  insertUnkeptFile,
  keepFile,
} from './store.js';

/** Binds the key of a file, and each of its chunks, to platform and file: elsewhere they do not open. */
export const fileKeyContext = (platformId: PlatformId, id: FileId): string => `file key ${platformId} ${id}`;

/** Brings an encrypted chunk of a file to another platform, where the file has the same id and the same key. */
export function moveChunk(
  key: Buffer,
  place: { readonly id: FileId; readonly sequence: number },
  from: PlatformId,
  to: PlatformId,
  sealed: Buffer,
): Buffer {
  const { id, sequence } = place;
  const plain = decryptChunk(key, fileKeyContext(from, id), sequence, sealed);
  const cipher = chunkCipher({ key, context: fileKeyContext(to, id), sequence }, Buffer.alloc(sealedBytes(plain.length)));
  cipher.add(plain);
  return cipher.end();
}

/** What an arrived file needs to be kept; it stays with the process that received it. */
type Unkept = { readonly keySealed: Buffer; readonly last: readonly Chunk[]; markKept(): void };

/** Chunks that are written together while the rest arrives. A file of at most this many is written by the transaction that keeps it alone. */
const CHUNKS_HELD = 4;

/** Buffers for encrypted chunks that are kept for later uploads. New ones for each upload would make the garbage collector run all the time. */
const ROOMS_KEPT = 64;
/** What a file must show before it is known whether it is a PDF. */
const KIND_BYTES = 5;

/** Deletes uploads that nobody ended. */
export const fileUpkeep: Upkeep = {
  name: 'abandoned-uploads',
  everyMs: 10 * 60_000,
  run: async (db, platformId, now, isOver) => {
    await deleteInBatches((limit) => deleteAbandonedUploads(db, platformId, now, limit), isOver);
  },
};

export function createFiles(db: Pick<Db, 'run' | 'transaction'>, custody: KeyCustody): Files {
  const unkept = new WeakMap<ReceivedFile, Unkept>();
  const rooms: Buffer[] = [];

  const receive = (platformId: PlatformId): FileWriter => {
    const id = newId('File');
    const context = fileKeyContext(platformId, id);
    const key = randomBytes(FILE_KEY_BYTES);
    const keySealed = custody.seal(key, context);
    const hash = createHash('sha256');
    const ends = createEnds();
    let scan: PdfScan | undefined;
    let isKindKnown = false;
    let encrypted: Chunk[] = [];
    let used: Buffer[] = [];
    let sequence = 0;
    const openChunk = () => {
      const room = rooms.pop() ?? Buffer.allocUnsafeSlow(sealedBytes(CHUNK_BYTES));
      used.push(room);
      return chunkCipher({ key, context, sequence }, room);
    };
    let chunk = openChunk();
    let chunkBytes = 0;
    let stored = 0;
    let size = 0;
    let isKept = false;

    const endChunk = (): void => {
      encrypted.push({ sequence, bytes: chunk.end() });
      sequence += 1;
      chunk = openChunk();
      chunkBytes = 0;
    };
    /** The database has the bytes, or nobody needs them. */
    const release = (buffers: readonly Buffer[]): void => void rooms.push(...buffers.slice(0, ROOMS_KEPT - rooms.length));
    const store = async (): Promise<void> => {
      await db.transaction(async (tx) => {
        if (stored === 0) insertUnkeptFile(tx, platformId, id, keySealed);
        insertChunks(tx, platformId, id, encrypted);
      });
      stored += encrypted.length;
      release(used.slice(0, encrypted.length));
      used = used.slice(encrypted.length);
      encrypted = [];
    };

    return {
      async write(bytes) {
        hash.update(bytes);
        ends.add(bytes);
        size += bytes.length;
        if (!isKindKnown && size >= KIND_BYTES) {
          isKindKnown = true;
          if (isPdf(ends.head())) scan = createPdfScan();
        }
        await scan?.add(bytes);
        for (let rest = bytes; rest.length > 0; ) {
          // A chunk ends with the byte after it: the last one waits for the transaction that keeps the file.
          if (chunkBytes === CHUNK_BYTES) endChunk();
          if (encrypted.length === CHUNKS_HELD) await store();
          const part = rest.subarray(0, CHUNK_BYTES - chunkBytes);
          chunk.add(part);
          chunkBytes += part.length;
          rest = rest.subarray(part.length);
        }
      },
      async end({ fileName, contentType }) {
        await scan?.end();
        encrypted.push({ sequence, bytes: chunk.end() });
        const isOversized = scan?.isOversized() ?? false;
        const [head, tail] = [ends.head(), ends.tail()];
        const file: ReceivedFile = { id, fileName, contentType, size, sha256: hash.digest(), isOversized, head, tail };
        unkept.set(file, { keySealed, last: encrypted, markKept: () => (isKept = true) });
        return file;
      },
      async discard() {
        encrypted = [];
        await scan?.end();
        release(used);
        used = [];
        if (!isKept && stored > 0) await deleteUnkeptFile(db, platformId, id);
      },
    };
  };

  /** The chunks from one on. That one may have been read already. */
  async function* chunksOf(
    tx: Pick<Tx, 'one'>,
    platformId: PlatformId,
    id: FileId,
    file: FileRow,
    from: number,
    read?: Buffer,
  ): AsyncGenerator<Buffer> {
    const context = fileKeyContext(platformId, id);
    const key = custody.open(file.key_sealed, context);
    const chunks = Math.max(1, Math.ceil(Number(file.size) / CHUNK_BYTES));
    for (let sequence = from; sequence < chunks; sequence += 1) {
      const sealed = sequence === from && read ? read : await findChunk(tx, platformId, id, sequence);
      assert(sealed, 'no chunk of a file is missing');
      yield decryptChunk(key, context, sequence, sealed);
    }
  }

  return {
    receive,
    keep(tx, platformId, file, now) {
      const pending = unkept.get(file);
      assert(pending, 'a file is kept by the process that received it');
      keepFile(tx, platformId, file.id, { keySealed: pending.keySealed, size: file.size, sha256: file.sha256, now }, pending.last);
      tx.afterCommit(pending.markKept);
    },
    async *read(tx, platformId, id, fromChunk = 0) {
      const file = await findFile(tx, platformId, id);
      assert(file, 'a file that a record refers to exists');
      yield* chunksOf(tx, platformId, id, file, fromChunk);
    },
    async open(tx, platformId, id) {
      const file = await findFile(tx, platformId, id);
      const first = file && (await findChunk(tx, platformId, id, 0));
      return first && chunksOf(tx, platformId, id, file, 0, first);
    },
    delete: (tx, platformId, ids) => {
      if (ids.length > 0) deleteFiles(tx, platformId, ids);
    },
  };
}

/** The first and the last bytes of what passes. The last pieces are kept as they came, and joined once. */
function createEnds() {
  let head: Buffer = Buffer.alloc(0);
  const last: Buffer[] = [];
  let lastBytes = 0;
  return {
    add(bytes: Buffer): void {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)]);
      const before = last.at(-1);
      // Small pieces are joined, so that a caller who sends byte by byte makes no long list.
      if (before && before.length + bytes.length <= HEAD_BYTES) last[last.length - 1] = Buffer.concat([before, bytes]);
      else last.push(bytes);
      lastBytes += bytes.length;
      while (last[0] && lastBytes - last[0].length >= TAIL_BYTES) lastBytes -= last.shift()?.length ?? 0;
    },
    head: () => head,
    tail: () => Buffer.concat(last).subarray(-TAIL_BYTES),
  };
}
