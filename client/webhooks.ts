// Verification of webhooks: raw bytes in, a typed event out. A failure says what is wrong and what to do.
import { type Bytes, concat, fromBase64, rawOfDer, utf8 } from './bytes.js';
import type { Event, EventType, WebhookSigningKey } from './generated/types.js';

export type { Event, EventType };

export type WebhookFailure =
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_MALFORMED'
  | 'TIMESTAMP_MISSING'
  | 'TIMESTAMP_OUTSIDE_TOLERANCE'
  | 'BODY_CHANGED'
  | 'SIGNATURE_INVALID'
  | 'KEYS_MISSING'
  | 'BODY_MALFORMED';

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: WebhookFailure;
  constructor(reason: WebhookFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Headers as Node, fetch or a plain object hold them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type WebhookOptions = {
  /** PEM texts, `whpk_…` texts, or the keys as `webhooks.signingKeys.list()` gives them. */
  readonly publicKeys?: readonly (string | Pick<WebhookSigningKey, 'publicKeyPem' | 'standardWebhooksPublicKey'>)[];
  /** `whsec_…`, as `webhooks.signingSecrets.list()` gives them. */
  readonly secrets?: readonly string[];
  readonly now?: () => number;
  /** How far `webhook-timestamp` may be from now; 300 seconds unless given. */
  readonly toleranceSeconds?: number;
};

type Check = (body: Bytes) => Promise<boolean>;

/** `overBody`: of X-Service-Signature, which covers the body alone. `overAll`: of webhook-signature, which covers id and time as well. */
type Checks = { readonly overBody: readonly Check[]; readonly overAll: readonly Check[]; readonly hasKeyOverAll: boolean };

/**
 * The event of a delivery that one of the keys signed. Throws a `WebhookError` that says why it is not genuine. With a `whpk_…` or `whsec_…`
 * key the signature must cover the time, so that an old delivery cannot be sent again with a new one. A PEM key alone cannot tell.
 */
export async function verifyWebhook(rawBody: string | Uint8Array, headers: WebhookHeaders, options: WebhookOptions): Promise<Event> {
  const body = typeof rawBody === 'string' ? utf8(rawBody) : Uint8Array.from(rawBody);
  const { overBody, overAll, hasKeyOverAll } = await checksOf((name) => headerOf(headers, name), options);
  const checks = hasKeyOverAll ? overAll : overBody;
  if (!(await anyOf(checks, body))) {
    if (hasKeyOverAll && (await anyOf(overBody, body))) throw unsignedTime(headerOf(headers, 'webhook-signature'));
    throw await explain([...overBody, ...overAll], body);
  }
  checkTimestamp(headerOf(headers, 'webhook-timestamp'), options);
  try {
    return JSON.parse(new TextDecoder().decode(body)) as Event;
  } catch {
    throw new WebhookError('BODY_MALFORMED', 'the signature is valid, but the body is no JSON');
  }
}

function headerOf(headers: WebhookHeaders, wanted: string): string | undefined {
  if (headers instanceof Headers) return headers.get(wanted) ?? undefined;
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  return typeof found === 'string' ? found : found?.[0];
}

const unsignedTime = (signature: string | undefined): WebhookError =>
  signature === undefined
    ? new WebhookError('SIGNATURE_MISSING', 'webhook-signature was not received: X-Service-Signature does not cover webhook-timestamp')
    : new WebhookError(
        'SIGNATURE_INVALID',
        'the body is genuine, but webhook-signature does not cover this webhook-id and webhook-timestamp: they were changed, as in an old delivery that is sent again',
      );

const anyOf = async (checks: readonly Check[], body: Bytes): Promise<boolean> => {
  for (const check of checks) if (await check(body)) return true;
  return false;
};

/** Every signature of the delivery with every key that could have made it. */
async function checksOf(header: (name: string) => string | undefined, { publicKeys = [], secrets = [] }: WebhookOptions): Promise<Checks> {
  const texts = publicKeys.flatMap((key) => (typeof key === 'string' ? [key] : [key.publicKeyPem, key.standardWebhooksPublicKey]));
  if (texts.length + secrets.length === 0)
    throw new WebhookError('KEYS_MISSING', 'give `publicKeys` or `secrets`: there is no key to verify with');
  const service = [header('x-service-signature'), header('x-service-signature-next')].filter((value) => value !== undefined);
  const standard = (header('webhook-signature') ?? '').split(' ').filter((part) => part !== '');
  if (service.length + standard.length === 0)
    throw new WebhookError('SIGNATURE_MISSING', 'no signature: neither X-Service-Signature nor webhook-signature was received');
  const signed = `${header('webhook-id') ?? ''}.${header('webhook-timestamp') ?? ''}.`;
  const versions = (version: string) =>
    standard.flatMap((part) => (part.startsWith(`${version},`) ? [part.slice(version.length + 1)] : []));
  const overBody: Check[] = [];
  const overAll: Check[] = [];
  let hasKeyOverAll = secrets.length > 0;
  for (const pem of texts.filter((text) => text.includes('BEGIN PUBLIC KEY'))) {
    const key = await p256Key(pem);
    for (const value of service) {
      const signature = rawOfDer(decode(signatureIn(value)));
      if (!signature) throw new WebhookError('SIGNATURE_MALFORMED', 'X-Service-Signature is not the base64 of a DER signature');
      overBody.push((body) => crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, signature, body));
    }
  }
  for (const text of texts.filter((one) => one.startsWith('whpk_'))) {
    const key = await crypto.subtle.importKey('raw', decode(text.slice(5)), 'Ed25519', false, ['verify']).catch(() => undefined);
    // A browser without Ed25519 verifies with the other keys.
    if (!key) continue;
    hasKeyOverAll = true;
    for (const value of versions('v1a'))
      overAll.push((body) => crypto.subtle.verify('Ed25519', key, decode(value), concat(utf8(signed), body)));
  }
  for (const secret of secrets) {
    const bytes = decode(secret.replace(/^whsec_/, ''));
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const value of versions('v1'))
      overAll.push((body) => crypto.subtle.verify('HMAC', key, decode(value), concat(utf8(signed), body)));
  }
  return { overBody, overAll, hasKeyOverAll };
}

function decode(text: string): Bytes {
  try {
    return fromBase64(text);
  } catch {
    throw new WebhookError('SIGNATURE_MALFORMED', 'a signature or key is not base64');
  }
}

/** An installation may send the JSON form, `{"v":"1","s":"<base64>"}`. */
function signatureIn(value: string): string {
  if (!value.startsWith('{')) return value;
  try {
    return String((JSON.parse(value) as { s?: unknown }).s);
  } catch {
    throw new WebhookError('SIGNATURE_MALFORMED', 'X-Service-Signature looks like JSON and is none');
  }
}

const p256Key = (pem: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('spki', decode(pem.replaceAll(/-----[^-]+-----|\s/g, '')), { name: 'ECDSA', namedCurve: 'P-256' }, false, [
    'verify',
  ]);

function checkTimestamp(text: string | undefined, { now = Date.now, toleranceSeconds = 300 }: WebhookOptions): void {
  if (text === undefined) throw new WebhookError('TIMESTAMP_MISSING', 'webhook-timestamp is missing, so the delivery may be an old one');
  const seconds = Math.round(now() / 1_000) - Number(text);
  if (Math.abs(seconds) <= toleranceSeconds) return;
  const distance = Number.isNaN(seconds) ? 'is no number' : `is ${Math.abs(seconds)} s ${seconds > 0 ? 'in the past' : 'in the future'}`;
  throw new WebhookError(
    'TIMESTAMP_OUTSIDE_TOLERANCE',
    `webhook-timestamp ${distance}, more than ${toleranceSeconds} s from now: a repeated delivery, or a wrong clock`,
  );
}

/** Common accidents, tried one after the other: a frame parsed the body and wrote it again, or something added a line end. */
const ACCIDENTS: readonly { readonly name: string; readonly undo: (text: string) => string }[] = [
  { name: 'has a line end that was not sent', undo: (text) => text.replace(/\s+$/, '') },
  { name: 'has a byte order mark that was not sent', undo: (text) => text.replace(/^\uFEFF/, '') },
  // The last, because it also undoes the line end.
  { name: 'was parsed and written again', undo: (text) => JSON.stringify(JSON.parse(text)) },
];

async function explain(checks: readonly Check[], body: Bytes): Promise<WebhookError> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  for (const { name, undo } of ACCIDENTS) {
    try {
      if (await anyOf(checks, utf8(undo(text))))
        return new WebhookError('BODY_CHANGED', `body differs from what was signed: it ${name}; pass the raw bytes as received`);
    } catch {
      // What cannot be undone was not the accident.
    }
  }
  return new WebhookError(
    'SIGNATURE_INVALID',
    'no key made these signatures over this body: the body was changed, or the keys are those of another platform or were retired',
  );
}
