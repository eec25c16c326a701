// When a factor may be used, how long a challenge lives, what failed logins lead to, and the states of a reset. Tables and pure functions.
import { isIP } from 'node:net';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { mergedMoves, movesBy, movesByEvent } from '../../../kernel/lifecycle.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, plusMs } from '../../../kernel/time.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import type { Platform } from '../../core/platform/platform.js';
import type {
  Challenge,
  EnrolledType,
  Enrollment,
  Factors,
  LimitedAction,
  LivenessOutcome,
  RelyingParty,
  Reset,
  ResetState,
  ScaFactor,
  Security,
  Session,
} from './sca.js';
import { SCA_FACTORS } from './sca.js';

export const conflict = (cause: string, reason: string): ApiError => new ApiError('CONFLICT', { cause }, { reason });

// ---- lives and limits

export const SESSION_LIFE_MS = 180 * DAY_MS;
export const ENROLLMENT_LIFE_MS = 10 * MINUTE_MS;
export const RESET_LIFE_MS = 30 * MINUTE_MS;
export const CHALLENGE_LIFE_MS: Readonly<Record<ScaFactor, number>> = {
  SMS_OTP: 5 * MINUTE_MS,
  TOTP: 10 * MINUTE_MS,
  PASSKEY: 10 * MINUTE_MS,
};
/** Wrong proofs that a challenge or an enrolment takes. */
export const TRIES = 5;

const CODES = { uses: 5, withinMs: 10 * MINUTE_MS } as const;
const LIMITS: Readonly<Record<LimitedAction, { readonly uses: number; readonly withinMs: number }>> = {
  LOGIN_CODE: CODES,
  TRUST_CODE: CODES,
  PAYMENT_CODE: CODES,
  RESET: { uses: 5, withinMs: DAY_MS },
};

/** Requests at the same moment may find a use that is a little ahead of them; a sandbox clock that was set back leaves times far ahead. */
const AHEAD_MS = MINUTE_MS;
const byTime = (a: Date, b: Date): number => a.getTime() - b.getTime();

/** The uses with one more. Refused when the limit is reached within its window; the refusal says when the oldest use leaves the window. */
export function takeUse(action: LimitedAction, usedAt: readonly Date[], now: Date): readonly Date[] {
  const { uses, withinMs } = LIMITS[action];
  const recent = usedAt.filter((at) => at < plusMs(now, AHEAD_MS) && now < plusMs(at, withinMs)).sort(byTime);
  const oldest = recent.at(-uses);
  if (oldest === undefined) return [...recent, now].sort(byTime);
  const waitMs = plusMs(oldest, withinMs).getTime() - now.getTime();
  throw new ApiError('RATE_LIMITED', undefined, { headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } });
}

// ---- request fields

export function requireIpAddress(text: string): void {
  if (isIP(text) === 0) throw invalidField('endUserIpAddress', 'must be an IPv4 or IPv6 address', { format: 'ip' });
}

// ---- factors

export const isUsable = ({ phone, totp, passkey }: Factors, factor: ScaFactor): boolean =>
  ({ SMS_OTP: phone, TOTP: totp, PASSKEY: passkey })[factor] !== undefined;

export const usableFactors = (factors: Factors): ScaFactor[] => SCA_FACTORS.filter((factor) => isUsable(factors, factor));

export function requireUsable(factors: Factors, factor: ScaFactor, field: 'factor' | 'scaFactor' = 'factor'): void {
  if (isUsable(factors, factor)) return;
  throw invalidField(field, factor === 'SMS_OTP' ? 'needs a verified phone number' : 'is not enrolled', {
    enum: usableFactors(factors),
  });
}

export function requireNotEnrolled(factors: Factors, type: EnrolledType): void {
  if (!isUsable(factors, type)) return;
  if (type === 'PASSKEY') throw new ApiError('PASSKEY_ALREADY_ENROLLED');
  throw conflict('TOTP_ALREADY_ENROLLED', 'An authenticator app is enrolled; a lost one is reset.');
}

/**
 * The factor of a challenge that is not bound to a payment: a text message where the phone number is verified. Without one it is the
 * passkey, then the authenticator app.
 */
export function trustFactor(factors: Factors): ScaFactor {
  const factor = (['SMS_OTP', 'PASSKEY', 'TOTP'] as const).find((each) => isUsable(factors, each));
  if (factor) return factor;
  throw new ApiError('INVALID_INPUT', { cause: 'NO_USABLE_FACTOR' }, { reason: 'The customer has no factor to confirm with.' });
}

/** An authenticator app always serves as well: this challenge is not bound to an amount and a payee. */
export const trustFactors = (factors: Factors, chosen: ScaFactor): ScaFactor[] =>
  SCA_FACTORS.filter((factor) => factor === chosen || (factor === 'TOTP' && isUsable(factors, factor)));

/**
 * Whether a start counts towards the limit of codes although it sends none: codes of the app are guessed against the challenge, and wrong
 * ones are no failed logins. A text message counts when it is sent.
 */
export const isGuessable = (factors: Factors, chosen: ScaFactor): boolean => chosen !== 'SMS_OTP' && isUsable(factors, 'TOTP');

/** TOTP codes depend on the time alone, so they cannot be bound to an amount and a payee. */
export const paymentFactors = (factors: Factors): ScaFactor[] => usableFactors(factors).filter((factor) => factor !== 'TOTP');

export function paymentFactor(factors: Factors, requested: ScaFactor | undefined): Exclude<ScaFactor, 'TOTP'> {
  if (requested === 'TOTP') throw invalidField('scaFactor', 'cannot be bound to a payment', { enum: paymentFactors(factors) });
  if (requested !== undefined) {
    requireUsable(factors, requested, 'scaFactor');
    return requested;
  }
  if (isUsable(factors, 'SMS_OTP')) return 'SMS_OTP';
  requireUsable(factors, 'PASSKEY', 'scaFactor');
  return 'PASSKEY';
}

// ---- passkeys

const SANDBOX_ORIGINS: readonly string[] = ['http://localhost:3000', 'http://localhost:5173', 'http://localhost:8080'];

/** The pages on which the platform's customers use passkeys. A live platform has none until its operator names them. */
export function relyingPartyOf({ mode, scaOrigins, name }: Pick<Platform, 'mode' | 'scaOrigins' | 'name'>): RelyingParty | undefined {
  const origins = scaOrigins ?? (mode === 'sandbox' ? SANDBOX_ORIGINS : []);
  const [first] = origins;
  return first === undefined ? undefined : { id: new URL(first).hostname, name, origins };
}

export function requireRelyingParty(platform: Pick<Platform, 'mode' | 'scaOrigins' | 'name'>): RelyingParty {
  const party = relyingPartyOf(platform);
  if (!party) throw channelUnavailable('The platform has no web origin for passkeys.');
  return party;
}

export const channelUnavailable = (reason: string): ApiError => new ApiError('INVALID_INPUT', { cause: 'CHANNEL_UNAVAILABLE' }, { reason });

// ---- proofs

export type WrongProof = 'CODE_INVALID' | 'ASSERTION_INVALID' | 'CHALLENGE_EXPIRED';

const WRONG_PROOF: Readonly<Record<WrongProof, string>> = {
  CODE_INVALID: 'The code is wrong.',
  ASSERTION_INVALID: 'The passkey assertion was not accepted.',
  CHALLENGE_EXPIRED: 'Nothing is waiting for this proof: start again.',
};

export const wrongProof = (cause: WrongProof): ApiError => new ApiError('INVALID_INPUT', { cause }, { reason: WRONG_PROOF[cause] });

/** "usable while `now < expiresAt`", and while a try is left. */
export const isOpen = <Waiting extends Pick<Challenge | Enrollment, 'triesLeft' | 'expiresAt'>>(
  waiting: Waiting | undefined,
  now: Date,
): waiting is Waiting => waiting !== undefined && waiting.triesLeft > 0 && now < waiting.expiresAt;

// ---- the session and the lock

export const NO_SECURITY: Security = { failedAttempts: 0, lockedUntil: null, isSuspended: false, session: undefined, totpSteps: [] };

export const hasSession = ({ session }: Pick<Security, 'session'>, now: Date): boolean => session !== undefined && now < session.expiresAt;

export const openSession = (security: Security, session: Omit<Session, 'expiresAt'>): Security & { readonly session: Session } => ({
  ...security,
  session: { ...session, expiresAt: plusMs(session.startedAt, SESSION_LIFE_MS) },
});

/** How long the nth failed login locks. The ninth and later ones suspend without end. */
const LOCKS: Readonly<Record<number, number>> = { 5: 15 * MINUTE_MS, 6: 30 * MINUTE_MS, 7: HOUR_MS, 8: DAY_MS };
const SUSPENDING = 9;

/** A successful login does not reset the count; only `RESET_PASSWORD_COMPLETED` does. */
export function countFailure(security: Security, now: Date): Security {
  const failedAttempts = security.failedAttempts + 1;
  const lockMs = LOCKS[failedAttempts];
  const isSuspended = failedAttempts >= SUSPENDING;
  return { ...security, failedAttempts, isSuspended, lockedUntil: isSuspended || lockMs === undefined ? null : plusMs(now, lockMs) };
}

/** Clears the count, lifts the lock and the suspension, and ends the session. */
export const clearFailures = (security: Security): Security => ({ ...NO_SECURITY, totpSteps: security.totpSteps });

export type LockView = { readonly suspended: boolean; readonly lockedUntil: string | null; readonly failedAttempts: number };

export const lockView = ({ isSuspended, lockedUntil, failedAttempts }: Security, now: Date): LockView => ({
  suspended: isSuspended,
  lockedUntil: lockedUntil !== null && now < lockedUntil ? lockedUntil.toISOString() : null,
  failedAttempts,
});

export function refuseLocked(security: Security, now: Date): void {
  const view = lockView(security, now);
  if (view.suspended || view.lockedUntil !== null) throw new ApiError('ACCOUNT_LOCKED', view);
}

// ---- resets

/** Every status with the liveness outcomes it takes. A terminal one takes none. */
export const LIVENESS: Readonly<Record<ResetState, Partial<Record<LivenessOutcome, ResetState>>>> = {
  INITIATED: { PASS: 'LIVENESS_PASSED', FAIL: 'REJECTED', REVIEW: 'PENDING_REVIEW' },
  PENDING_REVIEW: { PASS: 'LIVENESS_PASSED', FAIL: 'REJECTED' },
  LIVENESS_PASSED: {},
  COMPLETED: {},
  REJECTED: {},
  EXPIRED: {},
};

const UNFINISHED: readonly ResetState[] = ['INITIATED', 'PENDING_REVIEW', 'LIVENESS_PASSED'];

/** All that may become of a reset: the liveness check, its confirmation, and the end of its window. */
export const RESET_MOVES = mergedMoves(
  movesByEvent(LIVENESS),
  movesBy('CONFIRMED', { LIVENESS_PASSED: 'COMPLETED' }),
  movesBy('EXPIRED', Object.fromEntries(UNFINISHED.map((from) => [from, 'EXPIRED']))),
);

/** The reset as of now: past its window it has expired, unless it ended before. */
export const resetAt = (reset: Reset, now: Date): Reset =>
  UNFINISHED.includes(reset.status) && now >= reset.expiresAt ? { ...reset, status: 'EXPIRED' } : reset;

export function concludeLiveness(reset: Reset, outcome: LivenessOutcome, now: Date): Reset {
  const current = resetAt(reset, now);
  const status = LIVENESS[current.status][outcome];
  if (!status) throw conflict('RESET_NOT_WAITING', `The reset is ${current.status}.`);
  return { ...current, status };
}

export function completeReset(reset: Reset, now: Date): Reset {
  const { status } = resetAt(reset, now);
  if (status !== 'LIVENESS_PASSED')
    throw new ApiError(
      'INVALID_INPUT',
      { cause: 'RESET_NOT_PASSED', status },
      { reason: 'The liveness check of the reset has not passed.' },
    );
  return { ...reset, status: 'COMPLETED', completedAt: now };
}

export const enrollmentStatus = ({ factor, enrolledAt }: Reset): 'PENDING' | 'COMPLETED' | null => {
  if (factor === 'SMS_OTP') return null;
  return enrolledAt === null ? 'PENDING' : 'COMPLETED';
};

// ---- beneficiaries and payments

/** Balances in these currencies are payment accounts under European law. */
const GATED_CURRENCIES: ReadonlySet<string> = new Set(['EUR', 'USDC']);

/** Whether money that leaves a balance in this currency needs the authorization of its owner. */
export const isGated = (isRegulated: boolean, currency: string): boolean => isRegulated && GATED_CURRENCIES.has(currency);

/** A beneficiary as the payer knows it: the name and the end of the account number; the address of a wallet without a name. */
export function describeBeneficiary({ accountInfo }: Pick<ExternalAccount, 'accountInfo'>, identifier: string): string {
  const name = accountInfo.beneficiary?.fullName ?? accountInfo.beneficiary?.legalName;
  return name === undefined ? identifier : `${name}, account ending ${identifier.slice(-4)}`;
}

export type TrustPurpose = 'TRUST' | 'UNTRUST';

/** An account that is no longer ACTIVE can still be untrusted: otherwise it could never be deleted. */
export function requireTrustChange(account: { readonly status: string; readonly isTrusted: boolean }, purpose: TrustPurpose): void {
  if (purpose === 'TRUST' && account.status !== 'ACTIVE') throw conflict('ACCOUNT_NOT_ACTIVE', 'The external account is not ACTIVE.');
  if (purpose === 'TRUST' && account.isTrusted) throw conflict('ALREADY_TRUSTED', 'The beneficiary is already trusted.');
  if (purpose === 'UNTRUST' && !account.isTrusted) throw conflict('NOT_TRUSTED', 'The beneficiary is not trusted.');
}
