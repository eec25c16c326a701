// Recovers the public key of a secp256k1 signature, for EVM, Tron and Bitcoin.
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { recover } from 'tiny-secp256k1';

const ORDER = hex.decode('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
const HALF_ORDER = hex.decode('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0');

const isScalar = (bytes: Uint8Array): boolean => Buffer.compare(bytes, ORDER) < 0 && bytes.some((byte) => byte !== 0);

/** Whether r and s are both in 1 … n−1. */
export const hasValidScalars = (rs: Uint8Array): boolean => isScalar(rs.subarray(0, 32)) && isScalar(rs.subarray(32, 64));

/** n − s gives a second valid signature of the same message. The "low s" rule accepts only one of the two. */
export const hasHighS = (rs: Uint8Array): boolean => Buffer.compare(rs.subarray(32, 64), HALF_ORDER) > 0;

/** The signer's key, 65 bytes uncompressed, or undefined if no point fits. Expects valid scalars and a recovery id of 0 … 3. */
export function recoverKey(digest: Uint8Array, rs: Uint8Array, recoveryId: number): Uint8Array | undefined {
  try {
    // Ids 2 and 3 mean x = r + n. The WASM build uses x = r there as well, so these rare ids are recovered by noble-curves.
    return recoveryId === 0 || recoveryId === 1 ? (recover(digest, rs, recoveryId) ?? undefined) : recoverWrapped(digest, rs, recoveryId);
  } catch {
    return undefined; // x is not on the curve, or beyond the field
  }
}

function recoverWrapped(digest: Uint8Array, rs: Uint8Array, recoveryId: number): Uint8Array {
  return secp256k1.Signature.fromBytes(rs, 'compact').addRecoveryBit(recoveryId).recoverPublicKey(digest).toBytes(false);
}

export function compressKey(uncompressed: Uint8Array): Uint8Array {
  const key = uncompressed.slice(0, 33);
  key[0] = (uncompressed[64]! & 1) === 1 ? 0x03 : 0x02;
  return key;
}
