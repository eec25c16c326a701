// Stored files in PostgreSQL: encrypted, in chunks. An upload holds one chunk in memory; full chunks are written while the rest arrives.
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/pool.js';
import { assert } from '../../kernel/errors.js';
import { newId, type PlatformId } from '../../kernel/ids.js';
import type { KeyCustody } from '../key-custody.js';
import { decryptChunk, encryptChunk, FILE_KEY_BYTES } from './chunk-cipher.js';
import { CHUNK_BYTES, type FileId, type Files, type FileWriter, HEAD_BYTES, type ReceivedFile } from './file.js';
import { deleteFiles, deleteUnkeptFile, findChunk, findFile, insertChunk, insertUnkeptFile, keepFile } from './store.js';

/** Binds the key of a file, and each of its chunks, to platform and file: elsewhere they do not open. */
export const fileKeyContext = (platformId: PlatformId, id: FileId): string => `file key ${platformId} ${id}`;

/** What an arrived file needs to be kept; it stays with the process that received it. */
type Unkept = { readonly keySealed: Buffer; readonly last: { readonly sequence: number; readonly bytes: Buffer }; markKept(): void };

export function createFiles(db: Pick<Db, 'run'>, custody: KeyCustody): Files {
  const unkept = new WeakMap<ReceivedFile, Unkept>();

  const receive = (platformId: PlatformId): FileWriter => {
    const id = newId('File');
    const context = fileKeyContext(platformId, id);
    const key = randomBytes(FILE_KEY_BYTES);
    const keySealed = custody.seal(key, context);
    const hash = createHash('sha256');
    let waiting: Buffer[] = [];
    let waitingBytes = 0;
    let sequence = 0;
    let size = 0;
    let head: Buffer = Buffer.alloc(0);
    let tail: Buffer = Buffer.alloc(0);
    let isKept = false;

    const takeChunk = (): Buffer => {
      const all = Buffer.concat(waiting);
      const rest = all.subarray(CHUNK_BYTES);
      waiting = rest.length > 0 ? [rest] : [];
      waitingBytes = rest.length;
      return all.subarray(0, CHUNK_BYTES);
    };
    const storeChunk = async (): Promise<void> => {
      if (sequence === 0) await insertUnkeptFile(db, platformId, id, keySealed);
      const bytes = encryptChunk(key, context, sequence, takeChunk());
      await insertChunk(db, platformId, id, { sequence, bytes });
      sequence += 1;
    };

    return {
      async write(bytes) {
        hash.update(bytes);
        size += bytes.length;
        if (head.length < HEAD_BYTES) head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)]);
        tail = bytes.length >= HEAD_BYTES ? Buffer.from(bytes.subarray(-HEAD_BYTES)) : Buffer.concat([tail, bytes]).subarray(-HEAD_BYTES);
        waiting.push(bytes);
        waitingBytes += bytes.length;
        // The last chunk waits for the transaction that keeps the file, so that a small file takes no statement of its own.
        while (waitingBytes > CHUNK_BYTES) await storeChunk();
      },
      async end({ fileName, contentType }) {
        const file: ReceivedFile = { id, fileName, contentType, size, sha256: hash.digest(), head, tail };
        const last = { sequence, bytes: encryptChunk(key, context, sequence, takeChunk()) };
        unkept.set(file, { keySealed, last, markKept: () => (isKept = true) });
        return file;
      },
      async discard() {
        waiting = [];
        if (!isKept && sequence > 0) await deleteUnkeptFile(db, platformId, id);
      },
    };
  };

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
      const context = fileKeyContext(platformId, id);
      const key = custody.open(file.key_sealed, context);
      const chunks = Math.max(1, Math.ceil(Number(file.size) / CHUNK_BYTES));
      for (let sequence = fromChunk; sequence < chunks; sequence += 1) {
        const sealed = await findChunk(tx, platformId, id, sequence);
        assert(sealed, 'no chunk of a file is missing');
        yield decryptChunk(key, context, sequence, sealed);
      }
    },
    delete: (tx, platformId, ids) => {
      if (ids.length > 0) deleteFiles(tx, platformId, ids);
    },
  };
}
