// What a proof is bound to, and recovery codes. Only keyed hashes of codes are stored.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CustomerId, PlatformId } from '../../../kernel/ids.js';
import { hashCode } from '../../../kernel/one-time-code.js';
import type { Challenge } from './sca.js';
import { base32 } from './totp.js';

const RECOVERY_CODES = 10;

/** A challenge and what it authorizes: a code or an assertion is worth nothing with any other. */
export type Bound = Pick<Challenge, 'id' | 'customerId' | 'purpose' | 'targetId' | 'step'> & {
  readonly platformId: PlatformId;
  /** Of a payment: the amounts and the payee. */
  readonly authorizes: string;
};

/** The context of the code's hash, and part of what a passkey signs. */
export const contextOf = (bound: Bound): string =>
  JSON.stringify(['sca', bound.platformId, bound.customerId, bound.purpose, bound.targetId, bound.step, bound.id, bound.authorizes]);

/** What a passkey signs: it shows that its holder agreed to exactly this. */
export const passkeyChallengeOf = (nonce: Buffer, bound: Bound): Buffer =>
  createHash('sha256').update(nonce).update(contextOf(bound)).digest();

export const newNonce = (): Buffer => randomBytes(32);

// ---- recovery codes

/** 60 random bits each, in the form `XXXX-XXXX-XXXX`. */
export function newRecoveryCodes(): string[] {
  const draw = () => base32(randomBytes(8)).slice(0, 12);
  return Array.from({ length: RECOVERY_CODES }, () => draw().replace(/^(....)(....)(....)$/, '$1-$2-$3'));
}

/** Written by hand, so case, spaces and hyphens do not matter. */
const normalized = (code: string): string => code.toUpperCase().replaceAll(/[\s-]/g, '');

export const hashRecoveryCode = (key: Buffer, platformId: PlatformId, customerId: CustomerId, code: string): Buffer =>
  hashCode(key, JSON.stringify(['sca recovery', platformId, customerId]), normalized(code));

/** The stored hash of this code; all of them are always compared. */
export function findRecoveryCode(hash: Buffer, stored: readonly Buffer[]): Buffer | undefined {
  return stored.filter((each) => timingSafeEqual(each, hash)).at(0);
}
