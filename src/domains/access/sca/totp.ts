// Time-based one-time passwords (RFC 6238): SHA-1, six digits, steps of 30 seconds. Pure.
import { createHmac, timingSafeEqual } from 'node:crypto';

const STEP_MS = 30_000;
const DIGITS = 6;
/** Steps before and after the current one whose code is accepted, because clocks differ. */
const TOLERANCE = 1;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const stepAt = (now: Date): number => Math.floor(now.getTime() / STEP_MS);

/** The code of a step (RFC 4226, section 5.3: the last four bits of the hash choose the 31 bits that are used). */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const offset = hash.readUInt8(hash.length - 1) & 0xf;
  const value = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(value % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The step whose code this is and that was not used before; undefined for a wrong or used code. All steps are always compared. */
export function findStep(secret: Buffer, code: string, now: Date, usedSteps: readonly number[]): number | undefined {
  const given = Buffer.from(code, 'utf8');
  const current = stepAt(now);
  let found: number | undefined;
  for (let step = current - TOLERANCE; step <= current + TOLERANCE; step += 1) {
    const expected = Buffer.from(totpCode(secret, step), 'utf8');
    const matches = given.length === expected.length && timingSafeEqual(given, expected);
    if (matches && !usedSteps.includes(step)) found ??= step;
  }
  return found;
}

/** The used steps with one more, without those whose code is not accepted at this time anyway. */
export const useStep = (usedSteps: readonly number[], step: number, now: Date): readonly number[] => [
  ...usedSteps.filter((used) => Math.abs(used - stepAt(now)) <= TOLERANCE),
  step,
];

/** RFC 4648, without padding, as authenticator apps take it. */
export function base32(bytes: Buffer): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32.charAt((value >> bits) & 31);
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32.charAt((value << (5 - bits)) & 31) : text;
}

/** The address that authenticator apps read from a QR code. */
export function totpUri({ issuer, account, secret }: { issuer: string; account: string; secret: Buffer }): string {
  const name = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${name}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}
