// Signatures of UMA messages: ECDSA on secp256k1 over the SHA-256 of a text, DER in hex. The SDK's own implementation runs in JavaScript for
// tens of milliseconds without its native module, so messages are signed and checked here.
import { randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { UmaPrivateKeys, UmaPublicKeys } from './uma.js';

/** What a message is signed with beside its own text. */
export type Stamp = { readonly nonce: string; readonly timestamp: number };
export type Signed = Stamp & { readonly payload: string; readonly signature: string };

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export const newUmaKeys = (): UmaPrivateKeys => ({
  signing: Buffer.from(secp256k1.utils.randomSecretKey()),
  encryption: Buffer.from(secp256k1.utils.randomSecretKey()),
});

export const umaPublicKeys = ({ signing, encryption }: UmaPrivateKeys): UmaPublicKeys => ({
  signing: hexOf(secp256k1.getPublicKey(signing, false)),
  encryption: hexOf(secp256k1.getPublicKey(encryption, false)),
});

/** Counterparties know no sandbox clock: messages carry the real time. */
export const newStamp = (): Stamp => ({ nonce: hexOf(randomBytes(16)), timestamp: Math.floor(Date.now() / 1000) });

/** How far the clocks of two providers may be apart, and how long a message may be on its way. */
export const FRESH_SECONDS = 600;

export const isFresh = ({ timestamp }: Stamp): boolean => Math.abs(Date.now() / 1000 - timestamp) <= FRESH_SECONDS;

export const signText = (payload: string, key: Buffer): string =>
  hexOf(secp256k1.sign(Buffer.from(payload, 'utf8'), key, { format: 'der' }));

const SIGNATURE = /^(?:[0-9a-f]{2}){8,72}$/i;

export function isSignedBy({ payload, signature }: Pick<Signed, 'payload' | 'signature'>, publicKey: string): boolean {
  if (!SIGNATURE.test(signature)) return false;
  try {
    const bytes = Buffer.from(signature, 'hex');
    return secp256k1.verify(bytes, Buffer.from(payload, 'utf8'), Buffer.from(publicKey, 'hex'), { format: 'der', lowS: false });
  } catch {
    return false; // not a signature, or not a key
  }
}

const KEY = /^(?:04[0-9a-f]{128}|0[23][0-9a-f]{64})$/i;

export const isPublicKey = (text: unknown): text is string => typeof text === 'string' && KEY.test(text);
