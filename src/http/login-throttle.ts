// Slows whoever guesses the secret of a token. Failed logins are counted per client id and address, so a guesser takes nothing from a good
// client at another address. A client that has logged in from the same address keeps passing: its secret is remembered as a keyed hash.
// Counts are kept per process and in bounded memory; a successful login costs one look-up in a map.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { rateLimited } from './rate-limit.js';

export type LoginAttempt = { readonly clientId: string; readonly address: string | undefined; readonly secret: string };

/** Ends an attempt: the credentials were accepted or not. Undefined: they could not be checked. */
export type EndAttempt = (accepted: boolean | undefined) => void;

/** Begins an attempt, or refuses it because its client id and address have failed too often. */
export type LoginThrottle = (attempt: LoginAttempt) => EndAttempt;

/** Failures of one client id at one address before it is slowed. */
const ALLOWED_AT_ONCE = 10;
/** Failures that arrive together may exceed the allowance. They are made up for, up to this many. */
const MOST_OWED = 100;
/** Pairs remembered: of the failures, and of the successes. The ones added first are forgotten. */
const MAX_PAIRS = 10_000;

/** `spentUntil`: when the allowance is full again. */
type Failures = { spentUntil: number; pending: number };

/**
 * After `ALLOWED_AT_ONCE` failures, `perMinute` attempts a minute are still checked; the others are refused unchecked. `perMinute`
 * undefined: every attempt is checked.
 */
export function createLoginThrottle(perMinute: number | undefined, nowMs = () => performance.now()): LoginThrottle {
  if (perMinute === undefined) return () => () => undefined;
  const intervalMs = 60_000 / perMinute;
  const failures = new Map<string, Failures>();
  const known = new Map<string, Buffer>();
  const key = randomBytes(32);
  const hashOf = (secret: string): Buffer => createHmac('sha256', key).update(secret).digest();

  const isKnown = (pair: string, secret: string): boolean => {
    const hash = known.get(pair);
    return hash !== undefined && timingSafeEqual(hash, hashOf(secret));
  };

  const countFailure = (pair: string): void => {
    const entry = failures.get(pair) ?? { spentUntil: 0, pending: 0 };
    const now = nowMs();
    const spentUntil = Math.max(now, entry.spentUntil) + intervalMs;
    entry.spentUntil = Math.min(spentUntil, now + (ALLOWED_AT_ONCE + MOST_OWED) * intervalMs);
    putLast(failures, pair, entry);
  };

  const remember = (pair: string, secret: string): void => {
    // Only a throttled pair needs the latest secret, so the hash of an unthrottled one may be old.
    if (known.has(pair) && (!failures.has(pair) || isKnown(pair, secret))) return;
    putLast(known, pair, hashOf(secret));
  };

  return ({ clientId, address, secret }) => {
    const pair = pairOf(clientId, address);
    const entry = failures.get(pair);
    if (entry) {
      const waitMs = entry.spentUntil + (entry.pending + 1 - ALLOWED_AT_ONCE) * intervalMs - nowMs();
      if (waitMs > 0 && !isKnown(pair, secret)) throw rateLimited(waitMs);
      entry.pending += 1;
    }
    return (accepted) => {
      if (entry) entry.pending -= 1;
      if (accepted === true) remember(pair, secret);
      if (accepted === false) countFailure(pair);
    };
  };
}

/** A map keeps the order in which its entries were added. */
function putLast<Value>(pairs: Map<string, Value>, pair: string, value: Value): void {
  pairs.delete(pair);
  const [oldest] = pairs.size >= MAX_PAIRS ? pairs.keys() : [];
  if (oldest !== undefined) pairs.delete(oldest);
  pairs.set(pair, value);
}

/** A client id or a forwarded address of any length takes a bounded place. A connection that is closing has no address any more. */
const pairOf = (clientId: string, address: string | undefined): string =>
  `${networkOf((address ?? '').slice(0, 64))} ${clientId.slice(0, 100)}`;

/** One subscriber of IPv6 has a network of 2^64 addresses, so they count as one. An IPv4 address is the same in its IPv6 form. */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - last.length) }, () => '0');
  return `${[...groups, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}
