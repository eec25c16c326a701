// Customers in a regulated region enrol factors, log in, are locked, and reset lost factors.
import { randomInt } from 'node:crypto';
import { Secret } from 'otpauth';
import { softwareAuthenticator } from '../../support/authenticator.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { confirmCode, sendCode } from '../../support/contacts.js';
import { assertionOf, CODE, creationOf, IP, newPhone, ORIGIN, scaOf } from '../../support/sca.js';
import { ComposedHistory } from './composed-history.js';
import { DAY, MINUTE } from './history.js';
import {
  type Challenge,
  FACTORS,
  type Factor,
  type Limited,
  newChallenge,
  type Outcome,
  type Reset,
  StrongCustomer,
} from './strong-customer.js';

// ---- state of the model

export const FUNDS = 1_000_000;
/** "`expiresAt` = creation + 5 minutes (realtime funding 15)" */
export const QUOTE_LIFE = 5 * MINUTE;
export const REALTIME_LIFE = 15 * MINUTE;
export const MESSAGE_KEPT = DAY;
export const NONE = '01a1e489-0000-7000-8000-000000000000';
export const WRONG_CODE = '000000';

export type Beneficiary = {
  readonly id: string;
  readonly customer: Payer;
  readonly currency: 'EUR' | 'USD';
  isTrusted: boolean;
  isDeleted: boolean;
  /** The last start of a change of trust. */
  challenge: Challenge | undefined;
  /** The last one that was confirmed in each direction. */
  readonly spent: { trust?: Challenge; untrust?: Challenge };
};

export type Quote = {
  readonly id: string;
  readonly transactionId: string;
  readonly customer: Payer;
  readonly to: Beneficiary;
  readonly amount: number;
  readonly isRealtime: boolean;
  readonly expiresAt: number;
  status: string;
  challenge: Challenge | undefined;
  /** "cross currency: `CURRENCY_CONVERSION`, then a new challenge `PAYOUT`" */
  purposes: string[];
  readonly notified: string[];
};

export class Payer extends StrongCustomer {
  readonly accounts: { readonly id: string; readonly currency: string }[] = [];
  readonly beneficiaries: Beneficiary[] = [];
  readonly quotes: Quote[] = [];
  balance = FUNDS;
}

export type Proof = { readonly body: Record<string, unknown>; readonly cause: string; readonly isRight: () => boolean };

export const BAD_INPUT = [400, 'INVALID_INPUT'] as const;
export const CONFLICT = [409, 'CONFLICT'] as const;
export const LIMITED = [429, 'RATE_LIMITED'] as const;
export const NO_SESSION = [409, 'SCA_SESSION_REQUIRED'] as const;
export const LOCKED = [423, 'ACCOUNT_LOCKED'] as const;
export const NO_CUSTOMER = [404, 'CUSTOMER_NOT_FOUND'] as const;
export const NO_ACCOUNT = [404, 'ACCOUNT_NOT_FOUND'] as const;

export abstract class FactorHistory extends ComposedHistory {
  protected readonly payers: Payer[] = [];
  protected readonly texts: { readonly to: string; readonly at: number; readonly about: RegExp }[] = [];

  // ---- random choices and comparison

  /** Mostly a customer who is there. */
  protected anyone(): Payer {
    const present = this.payers.filter(({ isDeleted }) => !isDeleted);
    return this.random.pick(present.length > 0 && this.random.chance(0.95) ? present : this.payers);
  }
  protected sca(customer: Payer) {
    return scaOf(this.platform, customer);
  }
  protected isOpen(challenge: Challenge | undefined): challenge is Challenge {
    return challenge !== undefined && !challenge.isVoid && challenge.triesLeft > 0 && this.now < challenge.expiresAt;
  }

  protected wrong(answer: Answer, cause: string): void {
    this.agree(answer, BAD_INPUT);
    this.same(answer.body.details.cause, cause, answer.text);
  }

  /** A code is sent, unless the limit is reached: "the next is 429 `RATE_LIMITED` with `Retry-After` in seconds". */
  protected limited(answer: Answer, customer: Payer, what: Limited): boolean {
    const wait = customer.wait(what, this.now);
    if (wait === 0) return false;
    this.agree(answer, LIMITED);
    this.same(answer.headers.get('retry-after'), String(Math.ceil(wait / 1000)), 'Retry-After');
    return true;
  }
  protected texted(customer: Payer, what: Limited, about: RegExp): void {
    customer.use(what, this.now);
    this.texts.push({ to: customer.phone, at: this.now, about });
  }

  protected async compareCustomer(customer: Payer): Promise<void> {
    const sca = this.sca(customer);
    const answer = await sca.factors();
    if (customer.isDeleted) return this.agree(answer, NO_CUSTOMER);
    this.agree(answer, 200);
    this.same(answer.body.factors, customer.shownFactors, `factors of ${customer.name}`);
    for (const reset of customer.resets)
      this.same(await expectStatus(200, sca.reset(reset.id)), customer.shownReset(reset), `the reset of ${reset.factor}`);
  }

  // ---- phone numbers

  async phone(): Promise<void> {
    const customer = this.anyone();
    const phoneNumber = newPhone();
    const answer = await this.platform.patch(`/customers/${customer.id}`, { customerType: 'INDIVIDUAL', phoneNumber });
    this.note('phone', customer.name);
    if (customer.isDeleted) return this.agree(answer, NO_CUSTOMER);
    this.agree(answer, 200);
    customer.changePhone(phoneNumber);
    await this.compareCustomer(customer);
  }

  /** A code to the phone number, and its confirmation. */
  protected async verify(customer: Payer): Promise<void> {
    const sent = await sendCode(this.platform, customer, 'verify-phone');
    if (customer.isPhoneVerified) return this.agree(sent, CONFLICT);
    if (this.limited(sent, customer, 'contact')) return;
    this.agree(sent, 204);
    this.texted(customer, 'contact', /code/);
    if (this.random.chance(0.2)) this.wrong(await confirmCode(this.platform, customer, 'verify-phone', WRONG_CODE), 'CODE_INVALID');
    const confirmed = await confirmCode(this.platform, customer, 'verify-phone');
    this.agree(confirmed, 200);
    customer.isPhoneVerified = true;
  }

  async verifyPhone(): Promise<void> {
    const customer = this.any(
      this.payers.filter(({ isDeleted, isPhoneVerified }) => !isDeleted && (!isPhoneVerified || this.random.chance(0.2))),
    );
    if (!customer) return;
    this.note('verifyPhone', customer.name, customer.isPhoneVerified ? 'verified' : '');
    await this.verify(customer);
    await this.compareCustomer(customer);
  }

  // ---- factors

  async enrol(): Promise<void> {
    const customer = this.anyone();
    const type = this.random.pick(['TOTP', 'PASSKEY'] as const);
    const answer = await this.sca(customer).enroll(type);
    this.note('enrol', type, customer.usable.includes(type) ? 'again' : '');
    if (customer.isDeleted) return this.agree(answer, NO_CUSTOMER);
    if (customer.usable.includes(type)) return this.agree(answer, type === 'TOTP' ? CONFLICT : [409, 'PASSKEY_ALREADY_ENROLLED']);
    this.agree(answer, 200);
    const { secret = '', secretBase32Encoded, options } = answer.body;
    if (type === 'TOTP') this.same(Secret.fromHex(secret).base32, secretBase32Encoded, 'the secret in base32');
    else this.same(options.authenticatorSelection.userVerification, 'required', 'the options');
    customer.startEnrolment(type, secret, options?.challenge ?? '', this.now);
    if (this.random.chance(0.5)) await this.confirmFactor(customer, type, 'right');
  }

  async confirm(): Promise<void> {
    const customer = this.anyone();
    const type = this.random.pick(['TOTP', 'PASSKEY'] as const);
    const how = this.random.weighted({ right: 5, code: 2, other: 1 });
    // The specification does not define the refusal of a confirmed app.
    if (type === 'TOTP' && customer.app) return;
    this.note('confirm', type, how, customer.enrolments[type] ? '' : 'nothing');
    await this.confirmFactor(customer, type, how);
  }

  protected async confirmFactor(customer: Payer, type: 'TOTP' | 'PASSKEY', how: 'right' | 'code' | 'other'): Promise<void> {
    const enrolment = customer.enrolments[type];
    const sca = this.sca(customer);
    const isOpen = enrolment !== undefined && enrolment.triesLeft > 0 && this.now < enrolment.expiresAt;
    const authenticator = softwareAuthenticator({ origin: how === 'code' ? 'http://localhost:9' : ORIGIN, rpId: 'localhost' });
    const challenge = how === 'other' ? 'AAAA' : (enrolment?.challenge ?? 'AAAA');
    const body =
      type === 'TOTP'
        ? { type, secret: how === 'other' ? '00' : (enrolment?.secret ?? '00'), code: how === 'code' ? WRONG_CODE : CODE }
        : { type, origin: ORIGIN, credential: creationOf(authenticator, challenge) };
    const answer = await sca.confirm(body);
    if (customer.isDeleted) return this.agree(answer, NO_CUSTOMER);
    if (type === 'PASSKEY' && customer.passkey) return this.agree(answer, [409, 'PASSKEY_ALREADY_ENROLLED']);
    if (!isOpen || how !== 'right') {
      if (isOpen) enrolment.triesLeft -= 1;
      return this.agree(answer, BAD_INPUT);
    }
    this.agree(answer, 200);
    if (type === 'TOTP') {
      this.same(new Set(answer.body.recoveryCodes).size, 10, 'recovery codes');
      customer.addApp(Secret.fromHex(enrolment.secret), answer.body.recoveryCodes);
    } else {
      this.same(answer.body.factor.credentialId, authenticator.credentialId, 'the passkey');
      customer.passkey = authenticator;
      customer.enrolled('PASSKEY');
    }
    await this.compareCustomer(customer);
  }

  /** "`DELETE /sca/factors/{credentialId}` 204, passkeys only; unknown 404" */
  async forget(): Promise<void> {
    const customer = this.any(this.payers.filter(({ passkey }) => passkey)) ?? this.anyone();
    const isKnown = customer.passkey !== undefined && this.random.chance(0.7);
    const answer = await this.sca(customer).remove(isKnown ? (customer.passkey?.credentialId ?? '') : 'unknown');
    this.note('forget', isKnown ? 'the passkey' : 'another');
    if (customer.isDeleted) return this.agree(answer, NO_CUSTOMER);
    this.agree(answer, isKnown ? 204 : [404, 'NOT_FOUND']);
    if (isKnown) customer.loseFactor('PASSKEY');
    await this.compareCustomer(customer);
  }

  // ---- proofs

  /** A right or wrong answer to a challenge. `app`: a code of the authenticator app serves as well. */
  protected proofOf(
    customer: Payer,
    factor: Factor,
    signs: string | undefined,
    accepts: { readonly app: boolean; readonly recovery: boolean },
    always?: 'right' | 'wrong',
  ): Proof {
    const { app, passkey } = customer;
    const servesApp = accepts.app && app !== undefined;
    const code = (text: string, isRight: () => boolean): Proof => ({ body: { code: text }, cause: 'CODE_INVALID', isRight });
    const kind = always ?? this.random.weighted({ right: 8, wrong: 5, app: servesApp ? 4 : 0, recovery: accepts.recovery && app ? 2 : 0 });
    if (kind === 'app' && app) {
      const at = this.now + this.random.pick([-60_000, -30_000, 0, 0, 30_000, 60_000]);
      return code(app.totp.generate({ timestamp: at }), () => customer.takeStep(at, this.now));
    }
    if (kind === 'recovery' && app) {
      const spent = app.spentCodes.length > 0 && this.random.chance(0.4);
      const text = this.random.pick(spent ? app.spentCodes : app.recoveryCodes);
      return code(text, () => this.spend(app.recoveryCodes, app.spentCodes, text));
    }
    if (factor !== 'PASSKEY')
      return code(kind === 'right' ? CODE : WRONG_CODE, () => kind === 'right' && (factor === 'SMS_OTP' || app !== undefined));
    const signer = passkey ?? softwareAuthenticator({ origin: ORIGIN, rpId: 'localhost' });
    const isRight = kind === 'right' && passkey !== undefined && signs !== undefined;
    const passkeyAssertion = assertionOf(signer, isRight ? signs : 'AAAA');
    return { body: { passkeyAssertion, origin: ORIGIN }, cause: 'ASSERTION_INVALID', isRight: () => isRight };
  }

  /** "each good once instead of a TOTP code at login" */
  protected spend(left: string[], spent: string[], text: string): boolean {
    const at = left.indexOf(text);
    if (at < 0) return false;
    spent.push(...left.splice(at, 1));
    return true;
  }

  // ---- login

  async start(): Promise<void> {
    const customer = this.anyone();
    const factor = this.anyFactor(customer);
    await this.often(() => this.startLogin(customer, factor), 0.15, 7);
  }

  /** Mostly one that is enrolled. */
  protected anyFactor({ usable }: Payer): Factor {
    return this.random.pick(usable.length > 0 && this.random.chance(0.85) ? usable : FACTORS);
  }

  protected async startLogin(customer: Payer, factor: Factor): Promise<void> {
    const answer = await this.sca(customer).start(factor);
    this.note('start', factor, customer.usable.includes(factor) ? '' : 'not enrolled');
    if (customer.isDeleted) return this.agree(answer, NO_CUSTOMER);
    if (!customer.usable.includes(factor)) return this.agree(answer, BAD_INPUT);
    if (factor === 'SMS_OTP' && this.limited(answer, customer, 'login')) return;
    this.agree(answer, 200);
    if (factor === 'SMS_OTP') this.texted(customer, 'login', /login/);
    const { challengeId = '', expiresAt, passkeyOptions } = answer.body;
    customer.login = newChallenge(challengeId, factor, this.now, passkeyOptions?.challenge);
    if (factor === 'SMS_OTP') this.same(expiresAt, new Date(customer.login.expiresAt).toISOString(), 'the expiry of the code');
  }

  async complete(): Promise<void> {
    const customer = this.anyone();
    if (!this.isOpen(customer.login) && this.random.chance(0.8)) await this.startLogin(customer, this.anyFactor(customer));
    await this.often(() => this.attemptLogin(customer), 0.4, 6);
  }

  /** A challenge is used once: without an open login, the one that was completed is tried again. */
  private async attemptLogin(customer: Payer, always?: 'right' | 'wrong'): Promise<void> {
    const login = customer.login ?? (this.random.chance(0.7) ? customer.spentLogin : undefined);
    const factor = login && (always || this.random.chance(0.9)) ? login.factor : this.random.pick(FACTORS);
    const isIts = always !== undefined || this.random.chance(0.9);
    const accepts = { app: factor === 'TOTP', recovery: factor === 'TOTP' };
    const proof = this.proofOf(customer, factor, login?.passkeyChallenge, accepts, always);
    const challengeId = factor === 'SMS_OTP' ? { challengeId: isIts && login?.factor === factor ? login.id : `ScaChallenge:${NONE}` } : {};
    const answer = await this.sca(customer).complete({ factor, ...challengeId, ...proof.body });
    this.note(
      'complete',
      factor,
      always ?? proof.cause,
      customer.login ? `of ${customer.login.factor}` : login ? 'spent' : 'nothing',
      isIts ? '' : 'another',
    );
    await this.judgeLogin(customer, answer, factor, proof, isIts);
  }

  /** "five wrong tries": several wrong proofs of one start, and then a right one, sometimes after the lock was lifted. */
  async guess(): Promise<void> {
    const customer = this.anyone();
    if (customer.isDeleted || customer.usable.length === 0) return;
    this.note('guess', customer.name);
    if (customer.isLocked(this.now)) await this.reportOf(customer, 'RESET_PASSWORD_COMPLETED');
    await this.startLogin(customer, this.random.pick(customer.usable));
    if (!this.isOpen(customer.login)) return;
    for (let i = this.random.int(3, 6); i > 0; i -= 1) await this.attemptLogin(customer, 'wrong');
    if (this.random.chance(0.7)) await this.reportOf(customer, 'RESET_PASSWORD_COMPLETED');
    await this.attemptLogin(customer, 'right');
  }

  /** The ladder of locks: failed logins up to a lock, the end of the lock, and the next failed login. */
  async lockOut(): Promise<void> {
    const customer = this.anyone();
    if (customer.isDeleted) return;
    this.note('lockOut', customer.name, customer.failures);
    for (let i = this.random.int(5, 14); i > 0; i -= 1) {
      await this.reportOf(customer, 'FAILED_LOGIN_ATTEMPT');
      const { lockEnd } = customer;
      if (customer.isLocked(this.now) && lockEnd < Number.POSITIVE_INFINITY)
        await this.pass(lockEnd - this.now - this.random.pick([0, 0, 1]));
    }
    if (this.random.chance(0.8)) await this.reportOf(customer, 'RESET_PASSWORD_COMPLETED');
  }

  /** "While locked … 423 `ACCOUNT_LOCKED`, even for a right proof, and count nothing." */
  protected async judgeLogin(customer: Payer, answer: Answer, factor: Factor, proof: Proof, isIts: boolean): Promise<void> {
    const { login } = customer;
    if (customer.isDeleted) return this.agree(answer, NO_CUSTOMER);
    if (customer.isLocked(this.now)) {
      this.agree(answer, LOCKED);
      return this.same(answer.body.details, customer.lockView(this.now), 'the lock');
    }
    const matches = this.isOpen(login) && login.factor === factor && (factor !== 'SMS_OTP' || isIts);
    if (!matches) return this.wrong(answer, 'CHALLENGE_EXPIRED');
    if (!proof.isRight()) {
      login.triesLeft -= 1;
      customer.fail(this.now);
      return this.wrong(answer, proof.cause);
    }
    this.agree(answer, 200);
    customer.spentLogin = login;
    customer.login = undefined;
    const sessionExpiresAt = new Date(customer.openSession(this.now)).toISOString();
    this.same(answer.body, { status: 'SUCCESS', sessionExpiresAt }, 'the login');
  }

  /** A session, if the customer can have one now. */
  protected async logIn(customer: Payer): Promise<void> {
    if (!customer.isPhoneVerified || customer.isLocked(this.now) || customer.wait('login', this.now) > 0) return;
    await this.startLogin(customer, 'SMS_OTP');
    const proof: Proof = { body: { code: CODE }, cause: '', isRight: () => true };
    const answer = await this.sca(customer).complete({ factor: 'SMS_OTP', challengeId: customer.login?.id, ...proof.body });
    await this.judgeLogin(customer, answer, 'SMS_OTP', proof, true);
  }

  async report(): Promise<void> {
    const customer = this.anyone();
    await this.often(() => this.reportOf(customer), 0.4, 6);
  }

  protected async reportOf(
    customer: Payer,
    eventType = this.random.chance(customer.isLocked(this.now) ? 0.5 : 0.9) ? 'FAILED_LOGIN_ATTEMPT' : 'RESET_PASSWORD_COMPLETED',
  ): Promise<void> {
    const answer = await this.sca(customer).report(eventType);
    this.note('report', eventType, customer.failures);
    if (customer.isDeleted) return this.agree(answer, NO_CUSTOMER);
    if (eventType === 'FAILED_LOGIN_ATTEMPT' && customer.isLocked(this.now)) return this.agree(answer, LOCKED);
    if (eventType === 'FAILED_LOGIN_ATTEMPT') customer.fail(this.now);
    else customer.clearFailures();
    this.agree(answer, 200);
    this.same(answer.body, { eventType, ...customer.lockView(this.now) }, 'the lock');
  }

  // ---- reset of a lost factor

  async reset(): Promise<void> {
    const customer = this.anyone();
    const factor = this.anyFactor(customer);
    await this.often(() => this.startReset(customer, factor), 0.15, 7);
    if (this.random.chance(0.5)) await this.liveness();
    if (this.random.chance(0.5)) await this.completeReset();
  }

  private async startReset(customer: Payer, factor: Factor): Promise<void> {
    const answer = await this.sca(customer).startReset(factor);
    this.note('reset', factor, customer.usable.includes(factor) ? '' : 'not enrolled');
    if (customer.isDeleted) return this.agree(answer, NO_CUSTOMER);
    if (!customer.usable.includes(factor)) return this.agree(answer, BAD_INPUT);
    if (this.limited(answer, customer, 'reset')) return;
    this.agree(answer, 201);
    customer.use('reset', this.now);
    const { resetId, livenessAccessToken, expiresAt } = answer.body;
    const reset = customer.startReset(resetId, livenessAccessToken, factor, this.now);
    this.same(expiresAt, new Date(reset.expiresAt).toISOString(), 'the window');
    await this.compareCustomer(customer);
  }

  protected anyReset(): { customer: Payer; reset: Reset } | undefined {
    const customers = this.payers.filter(({ isDeleted }) => !isDeleted);
    const all = customers.flatMap((customer) => customer.resets.map((reset) => ({ customer, reset })));
    const open = all.filter(({ reset: { status } }) => !['COMPLETED', 'REJECTED', 'EXPIRED'].includes(status));
    return this.any(open.length > 0 && this.random.chance(0.8) ? open : all);
  }

  /** By the call of the sandbox, or on the page that the link opens. */
  async liveness(): Promise<void> {
    const found = this.anyReset();
    if (!found) return;
    const { customer, reset } = found;
    const outcome = this.random.weighted<Outcome>({ PASS: 6, FAIL: 1, REVIEW: 2 });
    const onPage = this.random.chance(0.5);
    this.note('liveness', outcome, `of ${reset.status}`, onPage ? 'on the page' : '');
    if (onPage) {
      const page = await this.platform.get(`/sandbox/sca/liveness?token=${reset.token}`);
      this.agree(page, 200);
      this.same(
        [...page.text.matchAll(/<button[^>]*value="(\w+)"/g)].map(([, value]) => value),
        ['PASS', 'FAIL', 'REVIEW'],
        'the page',
      );
    }
    const answer = onPage
      ? await this.platform.post('/sandbox/sca/liveness', { token: reset.token, outcome })
      : await this.sca(customer).liveness(reset.id, outcome);
    const counts = customer.concludeLiveness(reset, outcome);
    this.agree(answer, counts ? (onPage ? 204 : 200) : CONFLICT);
    if (counts && !onPage) this.same(answer.body, customer.shownReset(reset), 'the reset');
    await this.compareCustomer(customer);
  }

  async completeReset(): Promise<void> {
    const found = this.anyReset();
    if (!found) return;
    const { customer, reset } = found;
    const number = `151${randomInt(10 ** 8, 10 ** 9)}`;
    const names = reset.factor === 'SMS_OTP' && this.random.chance(0.8);
    const body = names ? { endUserIpAddress: IP, mobile: { countryCode: '+49', number } } : undefined;
    const answer = await this.sca(customer).completeReset(reset.id, body);
    this.note('completeReset', reset.factor, `of ${reset.status}`, names ? 'with a number' : '');
    const isReady = reset.status === 'LIVENESS_PASSED' && (names || reset.factor !== 'SMS_OTP');
    this.agree(answer, isReady ? 204 : BAD_INPUT);
    if (isReady) customer.completeReset(reset, names ? `+49${number}` : undefined, this.now);
    await this.compareCustomer(customer);
  }
}
