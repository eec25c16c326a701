// Encrypts secrets before they are stored, and decrypts them. The key-encryption keys stay outside the database:
// this file must not log, return or store one.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The context names what a sealed value belongs to (for example platform, account and key). It opens with that context only. */
export type KeyCustody = {
  seal(plaintext: Buffer, context: string): Buffer;
  open(sealed: Buffer, context: string): Buffer;
  /** True when the value was sealed under an older key, or under one that is no longer known. */
  needsRewrap(sealed: Buffer): boolean;
  /** True when the key that sealed the value is in the ring. */
  knows(sealed: Buffer): boolean;
};

/** The value was sealed under a key that is not in the ring. */
export class UnknownKeyError extends Error {
  constructor() {
    super('The key-encryption key of the sealed value is not known.');
  }
}

const VERSION = 1;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;
/** Sealed values that begin alike were sealed under one key. */
export const KEY_PREFIX_BYTES = 1 + KEY_ID_BYTES;

/** The first key seals, every key opens. To replace a key without downtime: put the new one first, rewrap, remove the old one. */
export function createKeyCustody(keys: readonly Buffer[]): KeyCustody {
  const ring = keys.map((key) => {
    if (key.length !== KEY_BYTES) throw new Error(`A key-encryption key has ${KEY_BYTES} bytes, not ${key.length}.`);
    return { key, id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES) };
  });
  const newest = ring[0];
  if (!newest) throw new Error('At least one key-encryption key is needed.');

  const keyOf = (sealed: Buffer) => ring.find(({ id }) => id.equals(keyIdOf(sealed)));

  return {
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const header = Buffer.concat([Buffer.of(VERSION), newest.id, nonce]);
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(associatedData(header, context));
      return Buffer.concat([header, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    },

    open(sealed, context) {
      if (sealed.length < HEADER_BYTES + TAG_BYTES || sealed[0] !== VERSION) throw new Error('The sealed value has an unknown layout.');
      const header = sealed.subarray(0, HEADER_BYTES);
      const used = keyOf(sealed);
      if (!used) throw new UnknownKeyError();
      const decipher = createDecipheriv('aes-256-gcm', used.key, header.subarray(1 + KEY_ID_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(associatedData(header, context));
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES, sealed.length - TAG_BYTES)), decipher.final()]);
    },

    needsRewrap: (sealed) => !keyIdOf(sealed).equals(newest.id),

    knows: (sealed) => keyOf(sealed) !== undefined,
  };
}

const keyIdOf = (sealed: Buffer): Buffer => sealed.subarray(1, KEY_PREFIX_BYTES);

/** The header is authenticated with the context, so neither version nor key id can be changed. */
const associatedData = (header: Buffer, context: string): Buffer => Buffer.concat([header, Buffer.from(context, 'utf8')]);
