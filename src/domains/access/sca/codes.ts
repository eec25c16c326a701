// Codes that an end user types: one-time codes of text messages, and recovery codes. Only keyed hashes of them are stored.
import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { CustomerId, PlatformId } from '../../../kernel/ids.js';
import type { Mode } from '../../core/platform/platform.js';
import type { Challenge } from './sca.js';
import { base32 } from './totp.js';

/** The code of every text message and authenticator app of the sandbox. */
export const SANDBOX_CODE = '123456';

const DIGITS = 6;
const RECOVERY_CODES = 10;

export const newCode = (mode: Mode): string => (mode === 'sandbox' ? SANDBOX_CODE : String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0'));

/** A challenge and what it authorizes: a code or an assertion is worth nothing with any other. */
export type Bound = Pick<Challenge, 'id' | 'customerId' | 'purpose' | 'targetId' | 'step'> & {
  readonly platformId: PlatformId;
  /** Of a payment: the amounts and the payee. */
  readonly authorizes: string;
};

const textOf = (bound: Bound): string =>
  JSON.stringify([bound.platformId, bound.customerId, bound.purpose, bound.targetId, bound.step, bound.id, bound.authorizes]);

/** Keyed, because six digits could be guessed from an unkeyed hash. */
export const hashCode = (pepper: Buffer, bound: Bound, code: string): Buffer =>
  createHmac('sha256', pepper)
    .update(`sca code ${textOf(bound)} ${code}`)
    .digest();

export const codeMatches = (pepper: Buffer, bound: Bound, code: string, codeHash: Buffer): boolean =>
  timingSafeEqual(hashCode(pepper, bound, code), codeHash);

/** What a passkey signs: it shows that its holder agreed to exactly this. */
export const passkeyChallengeOf = (nonce: Buffer, bound: Bound): Buffer =>
  createHash('sha256')
    .update(nonce)
    .update(`sca assertion ${textOf(bound)}`)
    .digest();

export const newNonce = (): Buffer => randomBytes(32);

// ---- recovery codes

/** 60 random bits each, in the form `XXXX-XXXX-XXXX`. */
export function newRecoveryCodes(): string[] {
  const draw = () => base32(randomBytes(8)).slice(0, 12);
  return Array.from({ length: RECOVERY_CODES }, () => draw().replace(/^(....)(....)(....)$/, '$1-$2-$3'));
}

/** Written by hand, so case, spaces and hyphens do not matter. */
const normalized = (code: string): string => code.toUpperCase().replaceAll(/[\s-]/g, '');

export const hashRecoveryCode = (pepper: Buffer, platformId: PlatformId, customerId: CustomerId, code: string): Buffer =>
  createHmac('sha256', pepper)
    .update(`sca recovery code ${platformId} ${customerId} ${normalized(code)}`)
    .digest();

/** The stored hash of this code; all of them are always compared. */
export function findRecoveryCode(hash: Buffer, stored: readonly Buffer[]): Buffer | undefined {
  return stored.filter((each) => timingSafeEqual(each, hash)).at(0);
}
