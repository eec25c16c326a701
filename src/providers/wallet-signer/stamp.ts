// API-key stamps: base64url of {publicKey, scheme, signature}. A stamp that cannot be parsed is malformed; one with a wrong signature is invalid.
import { decodeUtf8, type Json, parseJson } from '../../kernel/json.js';
import { isStrictDer, parsePublicKey, verifiesP256, verifiesP256Aside } from './p256.js';

export type Stamp = { readonly publicKey: string; readonly signature: Buffer };

/**
 * What older clients send in the sandbox instead of a stamp, and in a passkey's assertion instead of the authenticator's signature.
 * A live installation refuses both like any other text.
 */
export const SANDBOX_SIGNATURE = 'sandbox-valid-signature';
export const SANDBOX_PASSKEY_SIGNATURE = 'sandbox-valid-passkey-signature';

/** A stamp, or in the sandbox the text that stands for one of any active session. */
export type OwnerSignature = Stamp | typeof SANDBOX_SIGNATURE;

const SCHEME = 'SIGNATURE_SCHEME_TK_API_P256';
const MAX_LENGTH = 4096;
const MEMBERS = ['publicKey', 'scheme', 'signature'];
const BASE64URL = /^[A-Za-z0-9_-]+$/;
const HEX = /^(?:[0-9a-f]{2})+$/i;

/**
 * Parses a stamp; undefined when it is malformed. A key in upper case or uncompressed is the same point and is
 * normalised; a key off the curve, another scheme, an extra or repeated member, or DER that is not canonical is malformed.
 */
export function parseStamp(header: string): Stamp | undefined {
  const members = readMembers(header);
  if (!members || members.length !== MEMBERS.length) return undefined;
  const { publicKey, scheme, signature } = Object.fromEntries(members);
  if (typeof publicKey !== 'string' || scheme !== SCHEME || typeof signature !== 'string' || !HEX.test(signature)) return undefined;
  const point = parsePublicKey(publicKey);
  const der = Buffer.from(signature, 'hex');
  return point && isStrictDer(der) ? { publicKey: point, signature: der } : undefined;
}

function readMembers(header: string): [string, Json][] | undefined {
  if (header.length > MAX_LENGTH || !BASE64URL.test(header)) return undefined;
  const bytes = Buffer.from(header, 'base64url');
  if (bytes.toString('base64url') !== header) return undefined;
  try {
    const json = parseJson(decodeUtf8(bytes));
    return json !== null && typeof json === 'object' && !Array.isArray(json) ? Object.entries(json) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the stamp's key signed exactly these bytes. Either of the two values of s is valid ECDSA. */
export const stampSigns = (stamp: Stamp, payload: string): boolean =>
  verifiesP256(stamp.publicKey, Buffer.from(payload, 'utf8'), stamp.signature);

/** As `stampSigns`, on another thread. */
export const stampSignsAside = (stamp: Stamp, payload: string): Promise<boolean> =>
  verifiesP256Aside(stamp.publicKey, Buffer.from(payload, 'utf8'), stamp.signature);
