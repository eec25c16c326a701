// Strong customer authentication: factors of a customer, challenges that a factor answers, the session, the lock and resets.
import type { CustomerId, Id } from '../../../kernel/ids.js';

/** In the order in which the API lists them. */
export const SCA_FACTORS = ['SMS_OTP', 'TOTP', 'PASSKEY'] as const;
export type ScaFactor = (typeof SCA_FACTORS)[number];

/** A factor that the customer enrolls. SMS_OTP is usable without enrolment while the phone number is verified. */
export type EnrolledType = Exclude<ScaFactor, 'SMS_OTP'>;

export type Passkey = {
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly rpId: string;
};

export type Totp = {
  readonly secretSealed: Buffer;
  /** Keyed hashes of the recovery codes that are still unused. */
  readonly recoveryCodeHashes: readonly Buffer[];
};

/** What the customer has. */
export type Factors = {
  /** The verified phone number; undefined while there is none. */
  readonly phone: string | undefined;
  readonly totp: Totp | undefined;
  readonly passkey: Passkey | undefined;
};

export type Enrollment = { readonly triesLeft: number; readonly expiresAt: Date } & (
  | { readonly type: 'TOTP'; readonly secretSealed: Buffer }
  | { readonly type: 'PASSKEY'; readonly challenge: Buffer }
);

export type Session = {
  readonly factor: ScaFactor;
  readonly endUserIpAddress: string;
  readonly startedAt: Date;
  readonly expiresAt: Date;
};

/** Count of failed logins, lock, session and used TOTP steps of one customer. */
export type Security = {
  readonly failedAttempts: number;
  readonly lockedUntil: Date | null;
  readonly isSuspended: boolean;
  readonly session: Session | undefined;
  readonly totpSteps: readonly number[];
};

export type ScaChallengeId = Id<'ScaChallenge'>;

/** What a challenge is for. `PAYMENT` is bound to the amount and the payee. */
export type Purpose = 'LOGIN' | 'TRUST' | 'UNTRUST' | 'PAYMENT';

/** The step of a payment that a challenge authorizes, as the API names it. */
export type PaymentStep = 'TRANSFER' | 'CURRENCY_CONVERSION' | 'PAYOUT';

export type Challenge = {
  readonly id: ScaChallengeId;
  readonly customerId: CustomerId;
  readonly purpose: Purpose;
  /** The external account, the quote, or the customer itself. */
  readonly targetId: Id<string>;
  readonly step: PaymentStep | null;
  readonly triesLeft: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
} & Answerable;

export type Answerable =
  | { readonly factor: 'SMS_OTP'; readonly codeHash: Buffer }
  | { readonly factor: 'TOTP' }
  | { readonly factor: 'PASSKEY'; readonly nonce: Buffer };

/** What the end user presents: a code (of a message, of an app, or a recovery code), or the browser's answer of a passkey. */
export type Proof =
  | { readonly kind: 'CODE'; readonly code: string }
  | { readonly kind: 'ASSERTION'; readonly assertion: Readonly<Record<string, unknown>>; readonly origin: string };

export const SECURITY_EVENT_TYPES = ['FAILED_LOGIN_ATTEMPT', 'RESET_PASSWORD_COMPLETED'] as const;
export type SecurityEventType = (typeof SECURITY_EVENT_TYPES)[number];

export const RESET_STATES = ['INITIATED', 'PENDING_REVIEW', 'LIVENESS_PASSED', 'COMPLETED', 'REJECTED', 'EXPIRED'] as const;
export type ResetState = (typeof RESET_STATES)[number];

export const LIVENESS_OUTCOMES = ['PASS', 'FAIL', 'REVIEW'] as const;
export type LivenessOutcome = (typeof LIVENESS_OUTCOMES)[number];

export type ResetId = Id<'TwoFactorReset'>;

export type Reset = {
  readonly id: ResetId;
  readonly customerId: CustomerId;
  readonly factor: ScaFactor;
  readonly status: ResetState;
  readonly endUserIpAddress: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly completedAt: Date | null;
  readonly enrolledAt: Date | null;
};

/** Actions that a customer may do only so many times within a while. */
export type LimitedAction = 'LOGIN_CODE' | 'TRUST_CODE' | 'PAYMENT_CODE' | 'RESET';

/** The web pages on which the platform's customers use passkeys. */
export type RelyingParty = { readonly id: string; readonly name: string; readonly origins: readonly string[] };
