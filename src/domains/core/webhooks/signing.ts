// The three signatures of every delivery and their keys. Private keys leave this file only sealed.
import { createHmac, createPrivateKey, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyCustody } from '../../../providers/key-custody.js';

const generate = promisify(generateKeyPair);
/** One generation of keys. P-256 signs `X-Service-Signature`; Ed25519 and the shared secret sign the Standard Webhooks header. */
export type SigningKeys = { readonly p256: KeyObject; readonly ed25519: KeyObject; readonly secret: Buffer };

/** One attempt of one event. */
export type Signable = { readonly id: string; readonly timestamp: Date; readonly body: Buffer };

export type PublicKeys = { readonly p256Pem: string; readonly ed25519: string };

export async function generateSigningKeys(): Promise<SigningKeys & { readonly publicKeys: PublicKeys }> {
  const [p256, ed25519] = await Promise.all([generate('ec', { namedCurve: 'P-256' }), generate('ed25519', {})]);
  const publicKeys = {
    p256Pem: p256.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ed25519: renderEd25519(ed25519.publicKey),
  };
  return { p256: p256.privateKey, ed25519: ed25519.privateKey, secret: randomBytes(32), publicKeys };
}

/** `whpk_` and the base64 of the 32 raw bytes, as Standard Webhooks writes an asymmetric public key. */
const renderEd25519 = (key: KeyObject): string =>
  `whpk_${Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`;

/** `whsec_` and the base64 of the bytes, as every Standard Webhooks library reads a shared secret. */
export const renderSecret = (keys: SigningKeys): string => `whsec_${keys.secret.toString('base64')}`;

const pkcs8 = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'der' }).toString('base64');
const privateKey = (text: string): KeyObject => createPrivateKey({ key: Buffer.from(text, 'base64'), type: 'pkcs8', format: 'der' });

export function sealSigningKeys(custody: KeyCustody, keys: SigningKeys, context: string): Buffer {
  const { p256, ed25519, secret } = keys;
  return custody.seal(Buffer.from([pkcs8(p256), pkcs8(ed25519), secret.toString('base64')].join('.')), context);
}

export function openSigningKeys(custody: KeyCustody, sealed: Buffer, context: string): SigningKeys {
  const [p256 = '', ed25519 = '', secret = ''] = custody.open(sealed, context).toString().split('.');
  return { p256: privateKey(p256), ed25519: privateKey(ed25519), secret: Buffer.from(secret, 'base64') };
}

/** `X-Service-Signature`, the same by the next key ('' when there is none), and the list of the Standard Webhooks header. */
export type Signatures = readonly [service: string, next: string, standard: string];

/** The part of the Standard Webhooks content that comes before the body. */
export const headOf = ({ id, timestamp }: Pick<Signable, 'id' | 'timestamp'>): string => `${id}.${secondsOf(timestamp)}.`;

const secondsOf = (timestamp: Date): string => String(Math.floor(timestamp.getTime() / 1000));

/**
 * `generations`, oldest first. During an overlap both of them sign, so a receiver may verify with either.
 * `X-Service-Signature` holds one signature, so the newer key signs a header of its own until the older key retires.
 */
export function signContent(generations: readonly SigningKeys[], head: string, body: Uint8Array): Signatures {
  const content = Buffer.concat([Buffer.from(head), body]);
  const [current, next = ''] = generations.map(({ p256 }) => sign('sha256', body, p256).toString('base64'));
  if (!current) throw new Error('A delivery needs a signing key.');
  const standard = generations.flatMap(({ ed25519, secret }) => [
    `v1a,${sign(null, content, ed25519).toString('base64')}`,
    `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  ]);
  return [current, next, standard.join(' ')];
}

/** How deliveries carry the P-256 signature, for receivers that were written for another service of this API. */
export type SignatureForm = {
  /** Further names of the header, in lower case. */
  readonly names: readonly string[];
  /** The value is `{"v":"1","s":"<base64>"}` instead of the bare base64. */
  readonly isJson: boolean;
};
export const STANDARD_FORM: SignatureForm = { names: [], isJson: false };

const SERVICE_HEADER = 'x-service-signature';

function serviceHeaders(service: string, next: string, { names, isJson }: SignatureForm): Record<string, string> {
  const value = (signature: string) => (isJson ? JSON.stringify({ v: '1', s: signature }) : signature);
  const headers: Record<string, string> = {};
  for (const name of [SERVICE_HEADER, ...names]) {
    headers[name] = value(service);
    if (next) headers[`${name}-next`] = value(next);
  }
  return headers;
}

/** What the API document says of the header; undefined for the standard form, which needs no words. */
export function describeSignatureForm({ names, isJson }: SignatureForm): string | undefined {
  const form = isJson ? 'The value is the JSON text `{"v":"1","s":"<base64 of the signature>"}`.' : undefined;
  const further = names.length > 0 ? `Sent as ${names.map((name) => `\`${name}\``).join(', ')} too.` : undefined;
  return [form, further].filter((part) => part !== undefined).join(' ') || undefined;
}

export const headersOf = (
  { id, timestamp }: Signable,
  [service, next, standard]: Signatures,
  form = STANDARD_FORM,
): Record<string, string> => ({
  ...serviceHeaders(service, next, form),
  'webhook-id': id,
  'webhook-timestamp': secondsOf(timestamp),
  'webhook-signature': standard,
});

export const signatureHeaders = (generations: readonly SigningKeys[], signable: Signable, form = STANDARD_FORM): Record<string, string> =>
  headersOf(signable, signContent(generations, headOf(signable), signable.body), form);
