// Reads the values of settings from their texts.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { addressOf } from './db/address.js';
import { isJsonObject } from './kernel/json.js';

export type BootstrapToken = { readonly id: string; readonly secret: string };
export type OAuthIssuer = { readonly issuer: string; readonly jwksUrl: string; readonly audience: string };

/** Thrown by a parser; the text says what is wrong with the value and never repeats a secret. */
export class WrongValue extends Error {}

export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    if (!/^\d{1,9}$/.test(text)) throw new WrongValue('is not a whole number');
    const value = Number(text);
    if (value < least || value > most) throw new WrongValue('is out of range');
    return value;
  };
}

export function oneOf<T extends string>(values: readonly T[]) {
  return (text: string): T => {
    const value = values.find((known) => known === text);
    if (value === undefined) throw new WrongValue('is not a known value');
    return value;
  };
}

function list(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.some((item) => item === '')) throw new WrongValue('has an empty entry');
  return items;
}

export function parseHost(text: string): string {
  const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
  const looksNumeric = /^[\d.]+$/.test(text);
  if (isIP(text) === 0 && (looksNumeric || text.length > 253 || !new RegExp(`^${label}(\\.${label})*$`).test(text))) {
    throw new WrongValue('is not an address');
  }
  return text;
}

export function parseDirectory(text: string): string {
  if (text.includes('\0')) throw new WrongValue('is not a path');
  return resolve(text);
}

export const parseFiles = (text: string): string[] => list(text).map(parseDirectory);

function parseUrl(text: string, protocols: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.includes(url.protocol)) throw new WrongValue('is not such a URL');
  return url;
}

export function parseDatabaseUrl(text: string): string {
  try {
    parseUrl(addressOf(text).url, ['postgres:', 'postgresql:']);
  } catch (error) {
    throw new WrongValue((error as Error).message);
  }
  return text;
}

export function parseBootstrapTokens(text: string): BootstrapToken[] {
  const tokens = list(text).map((item, i) => {
    const [id = '', secret = '', ...rest] = item.split(':');
    if (rest.length > 0 || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new WrongValue(`pair ${i + 1} has no usable id`);
    if (secret.length === 0) throw new WrongValue(`the secret of pair ${i + 1} is empty`);
    if (!/^[\x21-\x26\x28-\x7e]+$/.test(secret))
      throw new WrongValue(`the secret of pair ${i + 1} has a quote, a space or a character outside ASCII`);
    return { id, secret };
  });
  if (new Set(tokens.map((token) => token.id)).size < tokens.length) throw new WrongValue('names one id twice');
  return tokens;
}

export function parseEncryptionKeys(text: string): Buffer[] {
  const keys = list(text).map((item, i) => {
    const key = Buffer.from(item, 'base64');
    const wellFormed = /^[A-Za-z0-9+/]{43}=$/.test(item);
    // Decoding forgets stray trailing bits; writing the key again shows them.
    if (!wellFormed || key.toString('base64') !== item) throw new WrongValue(`key ${i + 1} is not 32 bytes in base64`);
    return key;
  });
  if (new Set(keys.map((key) => key.toString('hex'))).size < keys.length) throw new WrongValue('names one key twice');
  return keys;
}

/** Names that already mean something on a request. */
const TAKEN_HEADERS = [
  'authorization',
  'content-type',
  'content-length',
  'cookie',
  'host',
  'idempotency-key',
  'issuer-key-id',
  'issuer-signature',
  'issuer-timestamp',
  'request-id',
];

export function parseHeaderNames(text: string): string[] {
  const names = list(text).map((name) => name.toLowerCase());
  for (const name of names) {
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name)) throw new WrongValue('has an entry that is no header name');
    if (TAKEN_HEADERS.includes(name)) throw new WrongValue(`names ${name}, which has another meaning`);
  }
  return [...new Set(names)].filter((name) => name !== 'service-wallet-signature');
}

export function parseHeaderName(text: string): string {
  const [name, ...others] = parseHeaderNames(text);
  if (name === undefined || others.length > 0) throw new WrongValue('is not one header name');
  return name;
}

/** Headers of a delivery that are not the signature; `-next` is the form of a rotation's second signature. */
const TAKEN_DELIVERY_HEADERS =
  /^(?:accept|accept-.*|authorization|connection|content-.*|cookie|date|expect|forwarded|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent|via|webhook-.*|x-forwarded-.*|.*-next)$/;

export function parseDeliveryHeaderNames(text: string): string[] {
  const names = parseHeaderNames(text).filter((name) => name !== 'x-service-signature');
  const taken = names.find((name) => TAKEN_DELIVERY_HEADERS.test(name));
  if (taken !== undefined) throw new WrongValue(`names ${taken}, which has another meaning`);
  return names;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds, from `least` to `most`, which are durations too. */
export const duration =
  (least: string, most: string) =>
  (text: string): number => {
    const ms = millisecondsIn(text);
    if (ms < millisecondsIn(least)) throw new WrongValue('is too short');
    if (ms > millisecondsIn(most)) throw new WrongValue('is too long');
    return ms;
  };

function millisecondsIn(text: string): number {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  if (Number.isNaN(ms)) throw new WrongValue('is not a duration');
  return ms;
}

/** Two weeks at least: an event is retried for one. `off` keeps records for ever and is 0 days. */
export const parseWebhookRetention = (text: string): number =>
  text === 'off' ? 0 : Math.ceil(duration('14d', '36500d')(text) / millisecondsIn('1d'));

export function parsePortOrOff(text: string): number | 'off' {
  return text === 'off' ? text : wholeNumber(0, 65_535)(text);
}

export function parseRateLimit(text: string): number | 'off' {
  return text === 'off' ? text : wholeNumber(1, 1_000_000)(text);
}

export function parseConcurrency(text: string): number | 'off' {
  return text === 'off' ? text : wholeNumber(1, 1_000)(text);
}

/** Addresses and networks (`10.0.0.0/8`), in the form that the HTTP server takes. */
export function parseProxies(text: string): string[] | 'off' {
  if (text === 'off') return text;
  return list(text).map((item) => {
    const [address = '', bits, ...rest] = item.split('/');
    const version = isIP(address);
    if (version === 0 || rest.length > 0) throw new WrongValue('has an entry that is neither an address nor a network');
    if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128))) {
      throw new WrongValue('has a network of an impossible size');
    }
    return item;
  });
}

export function parsePublicUrl(text: string): string {
  const url = parseUrl(text, ['http:', 'https:']);
  if (url.username || url.password || url.search || url.hash) throw new WrongValue('has more than a base URL may have');
  return url.href.replace(/\/+$/, '');
}

/** A base URL that secrets are sent to: https, or http on this machine. */
export function parseSafeUrl(text: string): string {
  const base = parsePublicUrl(text);
  const { protocol, hostname } = new URL(base);
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)) throw new WrongValue('is an address without https');
  return base;
}

export type UmaCounterpartySetting = { readonly domain: string; readonly origin: string | undefined };

const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

export function parseUmaCounterparties(text: string): UmaCounterpartySetting[] {
  const entries = list(text).map((item) => {
    const [domain = '', ...rest] = item.split('=');
    if (!DOMAIN.test(domain.trim())) throw new WrongValue('has an entry that does not begin with a domain in lower case');
    const origin = rest.length === 0 ? undefined : parseSafeUrl(rest.join('=').trim());
    if (origin !== undefined && new URL(origin).pathname !== '/') throw new WrongValue('has an origin with a path');
    return { domain: domain.trim(), origin: origin?.replace(/\/$/, '') };
  });
  if (new Set(entries.map(({ domain }) => domain)).size < entries.length) throw new WrongValue('names a domain twice');
  return entries;
}

export function parseSharedSecret(text: string): string {
  if (text.length < 32) throw new WrongValue('is shorter than 32 characters');
  return text;
}

export function parseSmtpUrl(text: string): string {
  if (!parseUrl(text, ['smtp:', 'smtps:']).hostname) throw new WrongValue('names no host');
  return text;
}

export function parseMailAddress(text: string): string {
  const address = /^[^<>\r\n]*<([^<>]+)>$/.exec(text)?.[1] ?? text;
  if (!/^[^\s@<>,;:]{1,64}@[A-Za-z0-9.-]{1,253}$/.test(address)) throw new WrongValue('is not a mail address');
  return text;
}

export function parseOAuthIssuers(text: string): OAuthIssuer[] {
  const entries = text.startsWith('[') ? parseJsonIssuers(text) : list(text).map(splitIssuer);
  for (const { issuer, jwksUrl, audience } of entries) {
    if (!audience) throw new WrongValue('has an entry without audience');
    for (const address of [issuer, jwksUrl]) {
      const url = parseUrl(address, ['https:', 'http:']);
      const local = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
      if (url.protocol === 'http:' && !local) throw new WrongValue('has an address without https');
    }
  }
  return entries;
}

function splitIssuer(item: string): OAuthIssuer {
  const [issuer = '', jwksUrl = '', audience = '', ...rest] = item.split('|').map((part) => part.trim());
  if (rest.length > 0) throw new WrongValue('has an entry with more than three parts');
  return { issuer, jwksUrl, audience };
}

function parseJsonIssuers(text: string): OAuthIssuer[] {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch {
    throw new WrongValue('is not valid JSON');
  }
  if (!Array.isArray(entries)) throw new WrongValue('is not a list');
  return entries.map((entry: unknown) => {
    const { issuer, jwksUrl, audience } = isJsonObject(entry) ? entry : {};
    if (typeof issuer !== 'string' || typeof jwksUrl !== 'string' || typeof audience !== 'string') {
      throw new WrongValue('has an entry without issuer, jwksUrl and audience');
    }
    return { issuer, jwksUrl, audience };
  });
}
