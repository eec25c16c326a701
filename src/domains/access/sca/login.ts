// Login, which opens the session, and the count of failed logins.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import type { CustomerId, PlatformId } from '../../../kernel/ids.js';
import { getPlatform } from '../../core/platform/actions.js';
import { isInRegulatedRegion } from '../../identity/customers/actions.js';
import type { Customer } from '../../identity/customers/customer.js';
import { findChallenge } from './challenge-store.js';
import { countWrong, judgeProof, openChallenge, type PasskeyRequest, type Presented, passkeyRequestOf, spendProof } from './challenges.js';
import { type Call, lockRegulatedCustomer } from './customers.js';
import type { ScaDeps } from './deps.js';
import { appName } from './enrollment.js';
import type { Outcome } from './outcome.js';
import {
  clearFailures,
  countFailure,
  hasSession,
  isGated,
  isOpen,
  type LockView,
  lockView,
  openSession,
  refuseLocked,
  requireUsable,
  wrongProof,
} from './rules.js';
import type { Challenge, Proof, ScaFactor, SecurityEventType, Session } from './sca.js';
import { findFactors, findSecurity, lockSecurity, saveSecurity } from './store.js';

const loginOf = (customerId: CustomerId) => ({ customerId, purpose: 'LOGIN', targetId: customerId }) as const;

export type LoginStart = { readonly challenge: Challenge; readonly passkey: PasskeyRequest | undefined };

/** Never locked: whether the login succeeds is decided when it is completed. */
export async function startLogin(tx: Tx, deps: ScaDeps, { platformId, customerId, now }: Call, factor: ScaFactor): Promise<LoginStart> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  const platform = await getPlatform(tx, platformId);
  const factors = await findFactors(tx, platformId, customer);
  requireUsable(factors, factor);

  const challenge = await openChallenge(tx, deps, {
    ...loginOf(customer.id),
    platform,
    factors,
    factor,
    step: null,
    authorizes: '',
    message: (code) => `${code} is your ${appName(platform)} login code. Do not share it with anyone.`,
    now,
  });
  return { challenge, passkey: await passkeyRequestOf(platform, factors, challenge, '') };
}

export type LoginProof = {
  readonly factor: ScaFactor;
  /** Of SMS_OTP. */
  readonly challengeId: string | undefined;
  readonly proof: Proof;
  readonly endUserIpAddress: string;
};

export async function completeLogin(
  tx: Tx,
  deps: ScaDeps,
  { platformId, customerId, now }: Call,
  { factor, challengeId, proof, endUserIpAddress }: LoginProof,
): Promise<Outcome<Session>> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  const security = await findSecurity(tx, platformId, customer.id);
  refuseLocked(security, now);
  const challenge = await findChallenge(tx, platformId, loginOf(customer.id));
  if (!isOpen(challenge, now) || challenge.factor !== factor) throw wrongProof('CHALLENGE_EXPIRED');
  if (factor === 'SMS_OTP' && challengeId !== challenge.id) throw wrongProof('CHALLENGE_EXPIRED');

  const presented: Presented = {
    platform: await getPlatform(tx, platformId),
    challenge,
    factors: await findFactors(tx, platformId, customer),
    security,
    proof,
    authorizes: '',
    accepts: { totp: factor === 'TOTP', recoveryCodes: true },
    now,
  };
  const verdict = await judgeProof(deps, presented);
  if ('wrong' in verdict) {
    saveSecurity(tx, platformId, customer.id, countFailure(security, now));
    return countWrong(tx, platformId, challenge, verdict.wrong);
  }
  const used = spendProof(tx, platformId, presented, verdict.accepted);
  const opened = openSession(used, { factor, endUserIpAddress, startedAt: now });
  saveSecurity(tx, platformId, customer.id, opened);
  return { result: opened.session };
}

/** What the platform reports: a login that failed on its side, or a password that was reset. */
export async function recordSecurityEvent(tx: Tx, { platformId, customerId, now }: Call, eventType: SecurityEventType): Promise<LockView> {
  const customer = await lockRegulatedCustomer(tx, platformId, customerId);
  const security = await findSecurity(tx, platformId, customer.id);
  if (eventType === 'FAILED_LOGIN_ATTEMPT') refuseLocked(security, now);

  const next = eventType === 'FAILED_LOGIN_ATTEMPT' ? countFailure(security, now) : clearFailures(security);

  saveSecurity(tx, platformId, customer.id, next);
  return lockView(next, now);
}

/** Whether money that leaves the customer's balance in this currency needs the customer's authorization. */
export const needsAuthorization = (customer: Pick<Customer, 'region'>, currency: string): boolean =>
  isGated(isInRegulatedRegion(customer), currency);

/** The guard of what needs a session. Customers elsewhere need none. */
export async function requireSession(
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  customer: Pick<Customer, 'id' | 'region'>,
  now: Date,
): Promise<void> {
  if (!isInRegulatedRegion(customer)) return;
  if (!hasSession(await findSecurity(tx, platformId, customer.id), now)) throw new ApiError('SCA_SESSION_REQUIRED');
}

/** As `requireSession`, for a caller that has locked the customer for share only: payments of one customer take their codes in turn. */
export async function requireLockedSession(tx: Tx, platformId: PlatformId, { id }: Pick<Customer, 'id'>, now: Date): Promise<void> {
  if (!hasSession(await lockSecurity(tx, platformId, id), now)) throw new ApiError('SCA_SESSION_REQUIRED');
}
