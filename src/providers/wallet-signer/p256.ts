// P-256 keys of the wallet signer. A public key is identified by its point, written as compressed lower-case hex.
import { createECDH, createHash, createPrivateKey, createPublicKey, ECDH, type KeyObject, sign, verify } from 'node:crypto';

export type P256KeyPair = { readonly publicKey: string; readonly privateKey: Buffer };

const CURVE = 'prime256v1';
/** Converts a point in hex; throws when it is not on the curve. */
const convertPoint = (point: string, format: 'compressed' | 'uncompressed'): string =>
  ECDH.convertKey(point, CURVE, 'hex', 'hex', format).toString();

const POINT = /^(?:0[23][0-9a-f]{64}|04[0-9a-f]{128})$/i;

/** Reads a point in hex, compressed or not, upper or lower case; undefined when it is not a point on the curve. */
export function parsePublicKey(text: string): string | undefined {
  if (!POINT.test(text)) return undefined;
  try {
    return convertPoint(text, 'compressed');
  } catch {
    return undefined;
  }
}

export const isCompressed = (text: string): boolean => text.length === 66;

/** The 65 bytes `04 ‖ x ‖ y`. */
export const uncompressedPoint = (publicKey: string): Buffer => Buffer.from(convertPoint(publicKey, 'uncompressed'), 'hex');

export function generateP256KeyPair(): P256KeyPair {
  const pair = createECDH(CURVE);
  const publicKey = pair.generateKeys('hex', 'compressed');
  const scalar = pair.getPrivateKey();
  // OpenSSL drops leading zero bytes; a scalar has 32.
  return { publicKey, privateKey: Buffer.concat([Buffer.alloc(32 - scalar.length), scalar]) };
}

export function publicKeyOf(privateKey: Buffer): string {
  const pair = createECDH(CURVE);
  pair.setPrivateKey(privateKey);
  return pair.getPublicKey('hex', 'compressed');
}

// Fixed DER around the raw key: algorithm id-ecPublicKey, curve prime256v1.
const SPKI_COMPRESSED = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');
const SEC1_BEFORE = Buffer.from('30310201010420', 'hex');
const SEC1_AFTER = Buffer.from('a00a06082a8648ce3d030107', 'hex');

const CACHE_SIZE = 4096;
const cache = new Map<string, KeyObject>();

/** Parsing a point takes longer than verifying a signature with it, so parsed keys are cached. The oldest entry is dropped first. */
export function publicKeyObject(publicKey: string): KeyObject {
  const known = cache.get(publicKey);
  if (known) return known;
  const key = createPublicKey({ key: Buffer.concat([SPKI_COMPRESSED, Buffer.from(publicKey, 'hex')]), format: 'der', type: 'spki' });
  if (cache.size >= CACHE_SIZE) {
    const [oldest = publicKey] = cache.keys();
    cache.delete(oldest);
  }
  cache.set(publicKey, key);
  return key;
}

export const privateKeyObject = (privateKey: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([SEC1_BEFORE, privateKey, SEC1_AFTER]), format: 'der', type: 'sec1' });

/** DER ECDSA over SHA-256 of the payload. */
export const signP256 = (privateKey: Buffer, payload: Buffer): Buffer => signWith(privateKeyObject(privateKey), payload);
export const signWith = (privateKey: KeyObject, payload: Buffer): Buffer => sign('sha256', payload, privateKey);

/** `signature` must be canonical DER: see `isStrictDer`. */
export const verifiesP256 = (publicKey: string, payload: Buffer, signature: Buffer): boolean =>
  verify('sha256', payload, publicKeyObject(publicKey), signature);

/** As `verifiesP256`, on another thread. */
export const verifiesP256Aside = (publicKey: string, payload: Buffer, signature: Buffer): Promise<boolean> =>
  new Promise((resolve, reject) => {
    verify('sha256', payload, publicKeyObject(publicKey), signature, (error, isValid) => (error ? reject(error) : resolve(isValid)));
  });

export const sha256Hex = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** One SEQUENCE of two non-negative INTEGERs in their shortest form, without anything before or after. */
export function isStrictDer(signature: Buffer): boolean {
  if (signature.length < 8 || signature[0] !== 0x30 || signature[1] !== signature.length - 2 || signature.length > 0x7f + 2) return false;
  const afterR = integerEnd(signature, 2);
  return afterR !== undefined && integerEnd(signature, afterR) === signature.length;
}

function integerEnd(der: Buffer, at: number): number | undefined {
  const [tag, length, first, second] = der.subarray(at, at + 4);
  if (tag !== 0x02 || length === undefined || length === 0 || length > 0x7f || first === undefined || first > 0x7f) return undefined;
  if (first === 0 && length > 1 && (second === undefined || second < 0x80)) return undefined;
  const end = at + 2 + length;
  return end <= der.length ? end : undefined;
}
