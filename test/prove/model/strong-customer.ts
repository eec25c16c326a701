// The model of a customer in a regulated region: factors, session, lock, limits, challenges and resets, as the specification has them.
import { type Secret, TOTP } from 'otpauth';
import type { SoftwareAuthenticator } from '../../support/authenticator.js';
import { DAY, HOUR, MINUTE } from './history.js';

export const FACTORS = ['SMS_OTP', 'TOTP', 'PASSKEY'] as const;
export type Factor = (typeof FACTORS)[number];

/** "`SMS_OTP`: `expiresAt` in 5 minutes; TOTP and passkey starts last 10 minutes" */
export const LIFE: Readonly<Record<Factor, number>> = { SMS_OTP: 5 * MINUTE, TOTP: 10 * MINUTE, PASSKEY: 10 * MINUTE };
const ENROLMENT_LIFE = 10 * MINUTE;
const SESSION_LIFE = 180 * DAY;
const RESET_LIFE = 30 * MINUTE;
const TRIES = 5;
const STEP = 30_000;

/** "at most 5 codes per customer, channel and purpose in any 10 minutes"; "at most 5 starts per customer in any 24 hours" */
const MOST = 5;
const WINDOW = { contact: 10 * MINUTE, login: 10 * MINUTE, trust: 10 * MINUTE, payment: 10 * MINUTE, reset: DAY } as const;
export type Limited = keyof typeof WINDOW;

/** "5 lock 15 minutes, 6 30 minutes, 7 one hour, 8 24 hours, 9 and more suspend without end" */
const LOCKS = [15 * MINUTE, 30 * MINUTE, HOUR, DAY] as const;

/** Something that waits for a proof. */
export type Challenge = {
  readonly id: string;
  readonly factor: Factor;
  readonly expiresAt: number;
  /** What the passkey signs. */
  readonly passkeyChallenge: string | undefined;
  triesLeft: number;
  /** Its factor is gone, so nothing can answer it. */
  isVoid: boolean;
};

export type Enrolment = { readonly secret: string; readonly challenge: string; readonly expiresAt: number; triesLeft: number };
export type App = { readonly totp: TOTP; readonly recoveryCodes: string[]; readonly spentCodes: string[] };

export type ResetStatus = 'INITIATED' | 'PENDING_REVIEW' | 'LIVENESS_PASSED' | 'COMPLETED' | 'REJECTED' | 'EXPIRED';
export type Outcome = 'PASS' | 'FAIL' | 'REVIEW';
export type Reset = {
  readonly id: string;
  readonly token: string;
  readonly factor: Factor;
  readonly expiresAt: number;
  status: ResetStatus;
  completedAt: number | undefined;
  isEnrolledAnew: boolean;
};

/** "INITIATED → PENDING_REVIEW → LIVENESS_PASSED"; "in a final state or already passed 409" */
const LIVENESS: Readonly<Partial<Record<ResetStatus, Readonly<Partial<Record<Outcome, ResetStatus>>>>>> = {
  INITIATED: { PASS: 'LIVENESS_PASSED', FAIL: 'REJECTED', REVIEW: 'PENDING_REVIEW' },
  PENDING_REVIEW: { PASS: 'LIVENESS_PASSED', FAIL: 'REJECTED' },
};
const UNFINISHED: readonly ResetStatus[] = ['INITIATED', 'PENDING_REVIEW', 'LIVENESS_PASSED'];

export const newChallenge = (id: string, factor: Factor, now: number, passkeyChallenge?: string): Challenge => ({
  id,
  factor,
  expiresAt: now + LIFE[factor],
  passkeyChallenge,
  triesLeft: TRIES,
  isVoid: false,
});

export class StrongCustomer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  phone: string;
  isPhoneVerified = false;
  app: App | undefined;
  passkey: SoftwareAuthenticator | undefined;
  readonly enrolments: { TOTP?: Enrolment; PASSKEY?: Enrolment } = {};
  login: Challenge | undefined;
  /** The last login that was completed. */
  spentLogin: Challenge | undefined;
  /** The challenges of trust and of payments that were opened. */
  readonly challenges: Challenge[] = [];
  readonly resets: Reset[] = [];
  failures = 0;
  private lockedUntil = 0;
  private sessionUntil = 0;
  /** "each step accepted once per customer" */
  private readonly steps = new Set<number>();
  private readonly uses: Record<Limited, number[]> = { contact: [], login: [], trust: [], payment: [], reset: [] };
  isDeleted = false;

  constructor(id: string, name: string, email: string, phone: string) {
    this.id = id;
    this.name = name;
    this.email = email;
    this.phone = phone;
  }

  // ---- factors

  get usable(): Factor[] {
    const has = { SMS_OTP: this.isPhoneVerified, TOTP: this.app !== undefined, PASSKEY: this.passkey !== undefined };
    return FACTORS.filter((factor) => has[factor]);
  }

  get shownFactors() {
    const shown = {
      SMS_OTP: { factor: 'SMS_OTP' },
      TOTP: { factor: 'TOTP', name: 'Authenticator app' },
      PASSKEY: { factor: 'PASSKEY', name: 'Passkey', credentialId: this.passkey?.credentialId },
    };
    return this.usable.map((factor) => shown[factor]);
  }

  startEnrolment(type: 'TOTP' | 'PASSKEY', secret: string, challenge: string, now: number): void {
    this.enrolments[type] = { secret, challenge, expiresAt: now + ENROLMENT_LIFE, triesLeft: TRIES };
  }

  enrolled(type: 'TOTP' | 'PASSKEY'): void {
    delete this.enrolments[type];
    for (const reset of this.resets) if (reset.factor === type && reset.status === 'COMPLETED') reset.isEnrolledAnew = true;
  }

  addApp(secret: Secret, recoveryCodes: readonly string[]): void {
    this.app = { totp: new TOTP({ secret }), recoveryCodes: [...recoveryCodes], spentCodes: [] };
    this.enrolled('TOTP');
  }

  /** A factor that is gone leaves no challenge that it could answer. */
  loseFactor(factor: Factor): void {
    if (factor === 'SMS_OTP') this.isPhoneVerified = false;
    if (factor === 'TOTP') this.app = undefined;
    if (factor === 'PASSKEY') this.passkey = undefined;
    if (this.login?.factor === factor) this.login = undefined;
    for (const challenge of this.challenges) if (challenge.factor === factor) challenge.isVoid = true;
  }

  /** "PATCH of `phoneNumber`: a changed phone also ends the SCA session and takes `SMS_OTP` away until verified" */
  changePhone(phone: string): void {
    this.loseFactor('SMS_OTP');
    this.phone = phone;
    this.endSession();
  }

  /** "one step of tolerance either way": whether the code of this moment is accepted now. Then its step is spent. */
  takeStep(at: number, now: number): boolean {
    const step = Math.floor(at / STEP);
    if (Math.abs(step - Math.floor(now / STEP)) > 1 || this.steps.has(step)) return false;
    this.steps.add(step);
    return true;
  }

  // ---- session and lock

  hasSession(now: number): boolean {
    return now < this.sessionUntil;
  }
  openSession(now: number): number {
    this.sessionUntil = now + SESSION_LIFE;
    return this.sessionUntil;
  }
  endSession(): void {
    this.sessionUntil = 0;
  }
  isLocked(now: number): boolean {
    return now < this.lockedUntil;
  }
  fail(now: number): void {
    this.failures += 1;
    const lock = this.failures < 5 ? 0 : (LOCKS[this.failures - 5] ?? Number.POSITIVE_INFINITY);
    this.lockedUntil = lock === 0 ? 0 : now + lock;
  }
  clearFailures(): void {
    this.failures = 0;
    this.lockedUntil = 0;
    this.endSession();
  }
  /** When the lock ends; 0 without one. */
  get lockEnd(): number {
    return this.lockedUntil;
  }
  lockView(now: number) {
    const suspended = this.lockedUntil === Number.POSITIVE_INFINITY;
    const lockedUntil = !suspended && this.isLocked(now) ? new Date(this.lockedUntil).toISOString() : null;
    return { suspended, lockedUntil, failedAttempts: this.failures };
  }

  /** When something of the customer expires. */
  get deadlines(): number[] {
    const waiting = [this.login, this.enrolments.TOTP, this.enrolments.PASSKEY, ...this.challenges, ...this.resets];
    return [this.lockedUntil, this.sessionUntil, ...waiting.flatMap((each) => (each ? [each.expiresAt] : []))];
  }

  // ---- limits

  /** Milliseconds until one more is allowed. */
  wait(what: Limited, now: number): number {
    const oldest = this.uses[what].filter((at) => now < at + WINDOW[what]).at(-MOST);
    return oldest === undefined ? 0 : oldest + WINDOW[what] - now;
  }
  use(what: Limited, now: number): void {
    this.uses[what].push(now);
  }

  // ---- resets

  /** "a new start turns the open one `EXPIRED`" */
  startReset(id: string, token: string, factor: Factor, now: number): Reset {
    for (const reset of this.resets) if (UNFINISHED.includes(reset.status)) reset.status = 'EXPIRED';
    const reset: Reset = {
      id,
      token,
      factor,
      expiresAt: now + RESET_LIFE,
      status: 'INITIATED',
      completedAt: undefined,
      isEnrolledAnew: false,
    };
    this.resets.push(reset);
    return reset;
  }

  /** "`EXPIRED` (window over before completion)" */
  expireResets(now: number): void {
    for (const reset of this.resets) if (UNFINISHED.includes(reset.status) && now >= reset.expiresAt) reset.status = 'EXPIRED';
  }

  /** Whether the outcome counts in this state. */
  concludeLiveness(reset: Reset, outcome: Outcome): boolean {
    const next = LIVENESS[reset.status]?.[outcome];
    if (next) reset.status = next;
    return next !== undefined;
  }

  /** "TOTP: secret and recovery codes are erased; PASSKEY: removed. The SCA session ends, the lock stays." */
  completeReset(reset: Reset, phone: string | undefined, now: number): void {
    reset.status = 'COMPLETED';
    reset.completedAt = now;
    this.loseFactor(reset.factor);
    if (phone !== undefined) {
      this.phone = phone;
      this.isPhoneVerified = true;
    }
    this.endSession();
  }

  shownReset({ status, factor, expiresAt, completedAt, isEnrolledAnew }: Reset) {
    return {
      status,
      factor,
      enrollmentStatus: factor === 'SMS_OTP' ? null : isEnrolledAnew ? 'COMPLETED' : 'PENDING',
      expiresAt: new Date(expiresAt).toISOString(),
      completedAt: completedAt === undefined ? null : new Date(completedAt).toISOString(),
    };
  }
}
