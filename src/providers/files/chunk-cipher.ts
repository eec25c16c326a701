// Encrypts the chunks of one file with the file's own key, so that a new key-encryption key rewraps one small value per file.
import { createCipheriv, createDecipheriv } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const FILE_KEY_BYTES = 32;

/** The position of a chunk is its nonce: a key belongs to one file, and a position is written once. */
function nonceOf(sequence: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt32BE(sequence, NONCE_BYTES - 4);
  return nonce;
}

/** The room that a chunk of so many bytes takes when it is encrypted. */
export const sealedBytes = (plainBytes: number): number => plainBytes + TAG_BYTES;

export type ChunkPlace = { readonly key: Buffer; readonly context: string; readonly sequence: number };

/** Encrypts a chunk into `room`, piece by piece, as its bytes arrive. `context` names the file; with the position it binds the chunk to its place. */
export function chunkCipher({ key, context, sequence }: ChunkPlace, room: Buffer): { add(plain: Buffer): void; end(): Buffer } {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(sequence), { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context, 'utf8'));
  let used = 0;
  const put = (sealed: Buffer): void => {
    sealed.copy(room, used);
    used += sealed.length;
  };
  return {
    add: (plain) => put(cipher.update(plain)),
    end() {
      put(cipher.final());
      put(cipher.getAuthTag());
      return room.subarray(0, used);
    },
  };
}

export function decryptChunk(key: Buffer, context: string, sequence: number, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(sequence), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
}
