// Solana: Ed25519 over the raw message, verified strictly. Libraries disagree on unusual keys and signatures, so the checks are explicit:
// S below the order, A and R canonical and not of small order, then the cofactorless equation by OpenSSL.
import { createPublicKey, verify } from 'node:crypto';
import { base58, hex } from '@scure/base';
import { decodeSolanaKey } from '../addresses.js';
import { type RefusalCause, refused, type Verdict } from './verdict.js';

const FIELD_PRIME = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The y coordinates of the eight points whose order divides 8. With such a key almost any signature "verifies". */
const ORDER_8_Y = 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
const SMALL_ORDER_Y: ReadonlySet<bigint> = new Set([0n, 1n, FIELD_PRIME - 1n, ORDER_8_Y, FIELD_PRIME - ORDER_8_Y]);

export function verifySolana(address: string, message: Uint8Array, signature: string): Verdict {
  const key = decodeSolanaKey(address);
  if (!key) return refused('ed25519', 'ADDRESS_UNSUPPORTED');
  const bytes = decodeSignature(signature);
  if (typeof bytes === 'string') return refused('ed25519', bytes);
  const cause = verifyEd25519Strict(key, message, bytes);
  if (cause === undefined) return { valid: true, scheme: 'ed25519' };
  const isEnveloped =
    cause === 'WRONG_SIGNER' && envelopes(key, message).some((text) => verifyEd25519Strict(key, text, bytes) === undefined);
  return refused('ed25519', isEnveloped ? 'OFFCHAIN_ENVELOPE' : cause);
}

/** 64 bytes take 64 to 88 base58 characters. The bound limits the work of the decoder, which takes quadratic time. */
function decodeSignature(signature: string): Uint8Array | RefusalCause {
  if (signature.length < 64 || signature.length > 88) return 'LENGTH';
  try {
    const bytes = base58.decode(signature);
    return bytes.length === 64 ? bytes : 'LENGTH';
  } catch {
    return 'ENCODING';
  }
}

/** Undefined if the signature is valid. */
export function verifyEd25519Strict(key: Uint8Array, message: Uint8Array, signature: Uint8Array): RefusalCause | undefined {
  if (littleEndian(signature.subarray(32)) >= ORDER) return 'SCALAR_RANGE';
  if (isWeakPoint(key) || isWeakPoint(signature.subarray(0, 32))) return 'WEAK_KEY';
  // As JWK: OpenSSL reads a DER key several times slower than it verifies with it.
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') };
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature) ? undefined : 'WRONG_SIGNER';
}

/** Not canonical, or of small order. A point off the curve fails in the equation. */
function isWeakPoint(encoded: Uint8Array): boolean {
  const y = littleEndian(encoded) & (2n ** 255n - 1n);
  return y >= FIELD_PRIME || SMALL_ORDER_Y.has(y);
}

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${hex.encode(bytes.slice().reverse())}`);

/**
 * The envelopes that hardware wallets put around a message before signing. They are recognised only to record the cause: the service
 * requires a signature over exactly `messageToSign`.
 */
function envelopes(key: Uint8Array, message: Uint8Array): Uint8Array[] {
  const domain = Buffer.from('\xffsolana offchain', 'latin1');
  const length = Uint8Array.of(message.length & 0xff, message.length >> 8);
  const application = new Uint8Array(32);
  return [
    Buffer.concat([domain, Uint8Array.of(0, 0), length, message]), // version 0 as the command line tool and Ledger write it
    Buffer.concat([domain, Uint8Array.of(0), application, Uint8Array.of(0, 1), key, length, message]), // version 0 as later specified
    Buffer.concat([domain, Uint8Array.of(1, 1), key, message]), // version 1
  ];
}
