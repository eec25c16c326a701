// The state of embedded wallets in the model: owners, credentials, sessions and signed requests.
import type { SoftwareAuthenticator } from '../../support/authenticator.js';
import type { Answer } from '../../support/client.js';
import type { Keys } from '../../support/wallet.js';
import { type Expected, HOUR, MINUTE } from './history.js';

/** "Session life 15 minutes"; "about 5 minutes" for a signed request, 300 seconds for a one-time code. */
export const SESSION_LIFE = 15 * MINUTE;
export const REQUEST_LIFE = 5 * MINUTE;
export const CODE_LIFE = 5 * MINUTE;
export const TOKEN_LIFE = MINUTE;
/** How long a verified replacement allows the change of contact. */
export const REPLACEMENT_LIFE = 15 * MINUTE;
/** SIGNED_REQUEST_RETENTION: how long a signed request is kept after it expired. */
export const REQUEST_KEPT = HOUR;
export const TRIES = 5;

/** "Challenge resend and verify are rate limited": so many at once, then one in each period. */
export class Allowance {
  private used = 0;
  private at = 0;
  readonly most: number;
  readonly period: number;

  constructor(most: number, period: number) {
    this.most = most;
    this.period = period;
  }
  private usedAt(now: number): number {
    return Math.max(0, this.used - (now - this.at));
  }
  /** Milliseconds until one more is allowed. */
  wait(now: number): number {
    return Math.max(0, this.usedAt(now) + this.period - this.most * this.period);
  }
  take(now: number): void {
    this.used = this.usedAt(now) + this.period;
    this.at = now;
  }
  /** One that goes on where the most used of these is. */
  static after(others: readonly Allowance[], fresh: Allowance, now: number): Allowance {
    fresh.used = Math.max(0, ...others.map((other) => other.usedAt(now)));
    fresh.at = now;
    return fresh;
  }
}

export type CredentialType = 'EMAIL_OTP' | 'SMS_OTP' | 'OAUTH' | 'PASSKEY';
export type Code = { readonly bundle: string; readonly expiresAt: number; triesLeft: number };

export type Credential = {
  readonly id: string;
  readonly owner: Owner;
  readonly type: CredentialType;
  readonly nickname: string;
  readonly createdAt: number;
  readonly authenticator: SoftwareAuthenticator | undefined;
  readonly subject: string | undefined;
  isRevoked: boolean;
  /** It takes the place of the current credential once the customer's email is changed. */
  isReplacement: boolean;
  verifiedAt: number | undefined;
  /** The open code, and the encryption targets of all that were sent. */
  code: Code | undefined;
  readonly bundles: string[];
  /** Codes that were sent; a new credential does not avoid the limit. */
  readonly sends: Allowance;
  failures: Allowance;
};

export type Session = {
  readonly id: string;
  readonly credential: Credential;
  readonly keys: Keys;
  readonly createdAt: number;
  isRevoked: boolean;
};

export type DelegatedKey = { readonly id: string; readonly publicKey: string; status: 'PENDING' | 'ACTIVE' | 'REVOKED' };

export type Owner = {
  readonly name: string;
  readonly id: string;
  email: string | undefined;
  readonly phone: string;
  readonly usd: string;
  readonly usdb: string;
  readonly credentials: Credential[];
  readonly sessions: Session[];
  readonly keys: DelegatedKey[];
  card: { readonly id: string; status: string } | undefined;
  /** "wallet is provisioned at the first verified credential" */
  isProvisioned: boolean;
  isPrivate: boolean;
  isDeleted: boolean;
  phrase: string | undefined;
};

/** What a valid signature leads to. */
export type Ending = { readonly expected: Expected; readonly apply?: (answer: Answer) => void | Promise<void> };

export type Call = { readonly method: string; readonly path: string; readonly body?: unknown; readonly targetId?: string };

/** The second call of a signed retry. */
export type Retry = Call & {
  /** A body that is not the one of the first call. */
  readonly otherBody?: unknown;
  /** The key of a login, which belongs to no session yet. */
  readonly loginKeys?: Keys;
  readonly maySign: (session: Session) => boolean;
  readonly end: (by: Session | undefined) => Ending;
  /** A wrong signer and another refusal at once: the specification does not define which is reported. */
  readonly isUnclear?: () => boolean;
  /** The refusal where the object of the call is gone. It comes before everything about signatures. */
  readonly gone?: () => Expected | undefined;
};

export type Request = {
  readonly id: string;
  readonly owner: Owner;
  readonly operation: string;
  readonly targetId: string | undefined;
  readonly leg: number;
  readonly payload: string;
  readonly expectedKey: string | undefined;
  readonly createdAt: number;
  usedAt: number | undefined;
  /** Undefined for the challenge of a passkey, which an assertion answers. */
  readonly retry: Retry | undefined;
  readonly passkey?: { readonly credential: Credential; readonly keys: Keys; readonly challenge: string };
};

export const INVALID_SIGNATURE = [401, 'WALLET_SIGNATURE_INVALID'] as const;
export const NO_CREDENTIAL = [404, 'AUTH_METHOD_NOT_FOUND'] as const;
export const NO_SESSION = [404, 'SESSION_NOT_FOUND'] as const;
export const NO_ACCOUNT = [404, 'ACCOUNT_NOT_FOUND'] as const;
export const BAD_INPUT = [400, 'INVALID_INPUT'] as const;
export const NOT_PROVISIONED = [409, 'WALLET_NOT_PROVISIONED'] as const;

export const iso = (at: number): string => new Date(at).toISOString();
export const newSends = (): Allowance => new Allowance(5, MINUTE);
export const newFailures = (): Allowance => new Allowance(10, 10 * MINUTE);
export const isOtp = (type: CredentialType): type is 'EMAIL_OTP' | 'SMS_OTP' => type === 'EMAIL_OTP' || type === 'SMS_OTP';
export const byId = <Item extends { readonly id: string }>(list: readonly Item[]): Item[] =>
  [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
