// Histories of strong customer authentication: factors, logins and locks, resets, trusted beneficiaries and payments that are authorized.
import { randomUUID } from 'node:crypto';
import { idempotent } from '../../support/cards.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { quoting } from '../../support/quotes.js';
import { CODE, euroAccount, scaOf, trustOf, unverifiedCustomer } from '../../support/sca.js';
import { type Command, DAY, type Event, type Expected, HOUR, MINUTE } from './history.js';
import { FACTORS, type Factor, newChallenge } from './strong-customer.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read freely; their shape is checked against the document.
type Resource = any;

import {
  BAD_INPUT,
  type Beneficiary,
  CONFLICT,
  FactorHistory,
  FUNDS,
  LOCKED,
  MESSAGE_KEPT,
  NO_ACCOUNT,
  NO_CUSTOMER,
  NO_SESSION,
  NONE,
  Payer,
  QUOTE_LIFE,
  type Quote,
  REALTIME_LIFE,
} from './factor-history.js';

const WEIGHTS = {
  customer: 1,
  remove: 0.4,
  phone: 0.6,
  verifyPhone: 2,
  enrol: 5,
  confirm: 5,
  forget: 1,
  start: 4,
  complete: 9,
  guess: 2,
  lockOut: 1.5,
  report: 2,
  reset: 3,
  liveness: 4,
  completeReset: 3,
  beneficiary: 2,
  trust: 5,
  confirmTrust: 7,
  discard: 1,
  quote: 4,
  execute: 7,
  authorize: 9,
  exhaust: 2,
  resend: 3,
  messages: 3,
  elsewhere: 0.3,
  strange: 0.3,
  advance: 6,
} as const;
type Kind = keyof typeof WEIGHTS;

export class ScaHistory extends FactorHistory {
  private outsider: string | undefined;

  override commands(): Readonly<Record<Kind, Command>> {
    return this.commandsOf<Kind>(WEIGHTS, this);
  }

  protected override async prepare(): Promise<void> {
    await quoting(this.platform).currencies('EUR', 'USD');
    await this.customer();
    await this.logIn(this.payers[0] as Payer);
    await this.beneficiary();
  }

  // ---- random choices and comparison

  private anyBeneficiary(): Beneficiary | undefined {
    const { beneficiaries } = this.anyone();
    const present = beneficiaries.filter(({ isDeleted }) => !isDeleted);
    return this.any(present.length > 0 && this.random.chance(0.95) ? present : beneficiaries);
  }
  /** Mostly one in this status. */
  private anyQuote(status: string): Quote | undefined {
    const all = this.payers.filter(({ isDeleted }) => !isDeleted).flatMap(({ quotes }) => quotes);
    const wanted = all.filter((quote) => quote.status === status);
    return this.any(wanted.length > 0 && this.random.chance(0.85) ? wanted : all);
  }
  private hasQuote(status: string): boolean {
    return this.payers.some(({ quotes, isDeleted }) => !isDeleted && quotes.some((quote) => quote.status === status));
  }

  private async compareQuote({ id, transactionId, status, challenge, purposes, customer }: Quote): Promise<void> {
    const quote = await expectStatus(200, this.platform.get(`/quotes/${id}`));
    const transaction = await expectStatus(200, this.platform.get(`/transactions/${transactionId}`));
    const { scaChallenge } = quote;
    this.same([quote.status, transaction.status], [status, status], 'the quote and its transaction');
    this.same(transaction.failureReason, status === 'FAILED' ? 'SCA_NOT_COMPLETED' : undefined, 'the reason');
    if (status === 'PENDING_AUTHORIZATION' && challenge)
      this.same(
        [scaChallenge.id, scaChallenge.factor, scaChallenge.purpose, scaChallenge.expiresAt],
        [challenge.id, challenge.factor, purposes[0], new Date(challenge.expiresAt).toISOString()],
        'the open challenge',
      );
    else this.same(scaChallenge, undefined, 'no challenge');
    const source = customer.accounts.find(({ currency }) => currency === 'EUR');
    const { balance, totalBalance } = await expectStatus(200, this.platform.get(`/internal-accounts/${source?.id}`));
    this.same([balance.amount, totalBalance.amount], [customer.balance, customer.balance], 'the balance');
  }

  // ---- customers

  async customer(): Promise<void> {
    if (this.payers.filter(({ isDeleted }) => !isDeleted).length >= 3) return;
    const name = `Customer ${this.payers.length}`;
    const { id, email, phoneNumber } = await unverifiedCustomer(this.platform, { fullName: name });
    const payer = new Payer(id, name, email, phoneNumber);
    this.note('customer');
    const { data } = await expectStatus(200, this.platform.get(`/customers/internal-accounts?customerId=${id}`));
    for (const account of data) payer.accounts.push({ id: account.id, currency: account.balance.currency.code });
    const build = quoting(this.platform);
    await build.fund(await build.account(payer, 'EUR'), FUNDS);
    this.payers.push(payer);
    if (this.payers.length === 1 || this.random.chance(0.7)) await this.verify(payer);
    await this.compareCustomer(payer);
  }

  /** "ends sessions, factors, links, open verifications and resets" */
  async remove(): Promise<void> {
    const customer = this.random.pick(this.payers);
    const isWaiting = customer.quotes.some(({ status }) => status === 'PENDING' || status === 'PENDING_AUTHORIZATION');
    if (isWaiting || this.payers.filter(({ isDeleted }) => !isDeleted).length < 2) return;
    const answer = await this.platform.delete(`/customers/${customer.id}`);
    this.note('remove', customer.name);
    if (customer.isDeleted) return this.agree(answer, [410, 'CUSTOMER_DELETED']);
    this.agree(answer, 200);
    customer.isDeleted = true;
    for (const beneficiary of customer.beneficiaries) beneficiary.isDeleted = true;
    await this.compareCustomer(customer);
  }

  // ---- trusted beneficiaries

  async beneficiary(): Promise<void> {
    const customer = this.anyone();
    if (customer.isDeleted || customer.beneficiaries.length >= 4) return;
    const currency = this.random.chance(0.6) ? 'EUR' : 'USD';
    const account =
      currency === 'USD'
        ? await quoting(this.platform).usd(customer)
        : await expectStatus(201, this.platform.post('/customers/external-accounts', { customerId: customer.id, ...euroAccount() }));
    this.note('beneficiary', currency);
    customer.beneficiaries.push({
      id: account.id,
      customer,
      currency,
      isTrusted: false,
      isDeleted: false,
      challenge: undefined,
      spent: {},
    });
  }

  async trust(): Promise<void> {
    const beneficiary = this.anyBeneficiary();
    if (!beneficiary) return;
    const wants = this.random.chance(0.9) ? !beneficiary.isTrusted : this.random.chance(0.5);
    await this.often(() => this.startTrust(beneficiary, wants), 0.15, 7);
  }

  private async startTrust(beneficiary: Beneficiary, wants: boolean): Promise<void> {
    const { customer, isDeleted, isTrusted } = beneficiary;
    const calls = trustOf(this.platform, beneficiary);
    const answer = await (wants ? calls.trust() : calls.untrust());
    this.note('trust', wants ? '' : 'no longer', isTrusted ? 'trusted' : '');
    if (isDeleted) return this.agree(answer, NO_ACCOUNT);
    if (wants === isTrusted) return this.agree(answer, CONFLICT);
    // "`PASSKEY` only when there is no verified phone; no usable factor at all 400"
    const factor = (['SMS_OTP', 'PASSKEY', 'TOTP'] as const).find((each) => customer.usable.includes(each));
    if (!factor) return this.agree(answer, BAD_INPUT);
    // Codes of the app are guessed against the challenge, so its starts are limited as text messages are.
    const isLimited = factor === 'SMS_OTP' || customer.app !== undefined;
    if (isLimited && this.limited(answer, customer, 'trust')) return;
    this.agree(answer, 200);
    const { scaChallenge } = answer.body;
    const challenge = newChallenge(scaChallenge.id, factor, this.now, scaChallenge.passkeyAssertionOptions?.challenge);
    const availableFactors = FACTORS.filter((each) => each === factor || (each === 'TOTP' && customer.app));
    this.same(
      [scaChallenge.factor, scaChallenge.expiresAt, scaChallenge.availableFactors],
      [factor, new Date(challenge.expiresAt).toISOString(), availableFactors],
      'the challenge',
    );
    if (factor === 'SMS_OTP') this.texted(customer, 'trust', wants ? /to trust/ : /to stop trusting/);
    else if (isLimited) customer.use('trust', this.now);
    beneficiary.challenge = challenge;
    customer.challenges.push(challenge);
  }

  async confirmTrust(): Promise<void> {
    const started = this.payers.flatMap(({ beneficiaries }) => beneficiaries.filter(({ challenge }) => this.isOpen(challenge)));
    const beneficiary = started.length > 0 && this.random.chance(0.7) ? this.random.pick(started) : this.anyBeneficiary();
    if (!beneficiary) return;
    if (!this.isOpen(beneficiary.challenge) && this.random.chance(0.8)) await this.startTrust(beneficiary, !beneficiary.isTrusted);
    await this.often(() => this.attemptTrust(beneficiary), 0.3, 4);
  }

  private async attemptTrust(beneficiary: Beneficiary): Promise<void> {
    const { customer, challenge, isDeleted, isTrusted } = beneficiary;
    // Whether a start whose tries are spent or whose factor is gone is still there is not defined.
    if (challenge && (challenge.isVoid || challenge.triesLeft === 0)) return;
    const isIts = this.random.chance(0.9);
    // A challenge is used once: without an open one, the one that was confirmed before is tried again.
    const way = isTrusted ? 'untrust' : 'trust';
    const named = challenge ?? beneficiary.spent[way];
    const proof = this.proofOf(customer, named?.factor ?? 'SMS_OTP', named?.passkeyChallenge, { app: true, recovery: false });
    const body = { challengeId: isIts && named ? named.id : `ScaChallenge:${NONE}`, ...proof.body };
    const calls = trustOf(this.platform, beneficiary);
    const answer = await (isTrusted ? calls.confirmUntrust(body) : calls.confirmTrust(body));
    this.note('confirmTrust', challenge?.factor ?? 'nothing', proof.cause, isTrusted ? 'trusted' : '', isIts ? '' : 'another');
    if (isDeleted) return this.agree(answer, NO_ACCOUNT);
    if (!challenge) return this.agree(answer, CONFLICT);
    if (!this.isOpen(challenge) || !isIts) return this.agree(answer, BAD_INPUT);
    if (!proof.isRight()) {
      // "wrong proofs spend the challenge (five) but do not count as failed logins"
      challenge.triesLeft -= 1;
      return this.agree(answer, BAD_INPUT);
    }
    this.agree(answer, 200);
    this.same(answer.body, { trusted: !isTrusted }, 'the trust');
    beneficiary.isTrusted = !isTrusted;
    beneficiary.spent[way] = challenge;
    beneficiary.challenge = undefined;
  }

  /** "DELETE of a trusted account 409 `BENEFICIARY_TRUSTED`; after untrusting 204" */
  async discard(): Promise<void> {
    const beneficiary = this.anyBeneficiary();
    if (!beneficiary) return;
    const { customer, isDeleted, isTrusted } = beneficiary;
    if (customer.quotes.some(({ to, status }) => to === beneficiary && (status === 'PENDING' || status === 'PENDING_AUTHORIZATION')))
      return;
    const answer = await trustOf(this.platform, beneficiary).remove();
    this.note('discard', isTrusted ? 'trusted' : '');
    this.agree(answer, isDeleted ? NO_ACCOUNT : isTrusted ? [409, 'BENEFICIARY_TRUSTED'] : 204);
    if (!isTrusted) beneficiary.isDeleted = true;
  }

  // ---- payments

  async quote(): Promise<void> {
    const quote = await this.newQuote();
    if (quote && this.random.chance(0.6)) await this.carryOut(quote);
    if (quote?.status === 'PENDING_AUTHORIZATION' && this.random.chance(0.5)) await this.attemptPayment(quote);
  }

  private async newQuote(): Promise<Quote | undefined> {
    if (this.payers.every(({ beneficiaries }) => beneficiaries.every(({ isDeleted }) => isDeleted))) await this.beneficiary();
    const to = this.any(this.payers.flatMap(({ beneficiaries }) => beneficiaries.filter(({ isDeleted }) => !isDeleted)));
    if (!to) return undefined;
    const { customer } = to;
    const source = customer.accounts.find(({ currency }) => currency === 'EUR');
    const amount = this.random.int(1_000, 20_000);
    if (!customer.hasSession(this.now) && this.random.chance(0.6)) await this.logIn(customer);
    // The refusals of a quote that needs a session or a factor at its creation are not defined.
    const isChallengeable = customer.hasSession(this.now) && customer.isPhoneVerified && !to.isTrusted;
    const isRealtime = isChallengeable && this.random.chance(0.2);
    const funding = { source: { sourceType: 'REALTIME_FUNDING', currency: 'EUR', customerId: customer.id } };
    const body = quoting(this.platform).request(source, to, amount, isRealtime ? funding : {});
    const key = idempotent();
    const answer = await this.platform.post('/quotes', body, key);
    this.note('quote', to.currency, amount, isRealtime ? 'in real time' : '');
    if (isRealtime && this.limited(answer, customer, 'payment')) return undefined;
    // "A gated `REALTIME_FUNDING` quote is challenged at `POST /quotes`: 202, no `paymentInstructions` until authorized"
    this.agree(answer, isRealtime ? 202 : 200);
    if (this.random.chance(0.2)) this.same((await this.platform.post('/quotes', body, key)).text, answer.text, 'the repeated request');
    const { id, transactionId, expiresAt, scaChallenge, paymentInstructions } = answer.body;
    const end = this.now + (isRealtime ? REALTIME_LIFE : QUOTE_LIFE);
    this.same([expiresAt, paymentInstructions], [new Date(end).toISOString(), undefined], 'the expiry of the quote');
    const purposes = to.currency === 'EUR' ? ['TRANSFER'] : ['CURRENCY_CONVERSION', 'PAYOUT'];
    const life = { expiresAt: end, status: 'PENDING', challenge: undefined, notified: ['PENDING'] };
    const quote: Quote = { id, transactionId, customer, to, amount, isRealtime, purposes, ...life };
    customer.quotes.push(quote);
    if (isRealtime) this.challenged(quote, scaChallenge, 'SMS_OTP');
    return quote;
  }

  private move(quote: Quote, ...statuses: readonly string[]): void {
    quote.notified.push(...statuses);
    quote.status = statuses.at(-1) ?? quote.status;
  }

  /** "COMPLETED at once": the worker does it without the clock moving. */
  private async pay(quote: Quote): Promise<void> {
    quote.challenge = undefined;
    this.move(quote, 'PROCESSING', 'COMPLETED');
    quote.customer.balance -= quote.amount;
    await quoting(this.platform).settle();
  }

  /** "realtime: PENDING with instructions". Nobody pays it here. The answer tells it, and no event. */
  private instructed(quote: Quote, { body }: Answer): void {
    quote.challenge = undefined;
    quote.status = 'PENDING';
    this.same(body.paymentInstructions.length > 0, true, 'payment instructions');
  }

  private challenged(quote: Quote, shown: Resource, factor: Factor): void {
    const challenge = newChallenge(shown.id, factor, this.now, shown.passkeyAssertionOptions?.challenge);
    const { customer, amount, purposes } = quote;
    const availableFactors = customer.usable.filter((each) => each !== 'TOTP');
    this.same(
      [shown.factor, shown.purpose, shown.availableFactors],
      [factor, purposes[0], availableFactors],
      'the challenge of the payment',
    );
    quote.challenge = challenge;
    customer.challenges.push(challenge);
    this.move(quote, 'PENDING_AUTHORIZATION');
    // "The SMS names amount, currency and payee"
    if (factor === 'SMS_OTP')
      this.texted(customer, 'payment', new RegExp(`${(amount / 100).toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',?')} EUR to `));
  }

  async execute(): Promise<void> {
    if (!this.hasQuote('PENDING')) await this.newQuote();
    const quote = this.anyQuote('PENDING');
    if (!quote) return;
    this.note('execute', quote.status, quote.to.currency, quote.to.isTrusted ? 'trusted' : '');
    await this.carryOut(quote, this.random.weighted({ none: 5, PASSKEY: 3, SMS_OTP: 2, TOTP: 0.5 }));
  }

  private async carryOut(quote: Quote, wanted: Factor | 'none' = this.random.chance(0.3) ? 'PASSKEY' : 'none'): Promise<void> {
    const { customer, status, to } = quote;
    // A quote in real time runs by itself once it is paid.
    if (quote.isRealtime) return;
    const { usable } = customer;
    const hasSession = customer.hasSession(this.now);
    const factor = wanted === 'none' ? (usable.includes('SMS_OTP') ? 'SMS_OTP' : 'PASSKEY') : wanted;
    const isBad = factor === 'TOTP' || !usable.includes(factor);
    // A factor that cannot serve is a second reason, or none where no challenge is needed.
    if (isBad && (status !== 'PENDING' || !hasSession || to.isTrusted)) return;
    const answer = await this.platform.post(`/quotes/${quote.id}/execute`, wanted === 'none' ? undefined : { scaFactor: wanted });
    if (status === 'EXPIRED') return this.agree(answer, [400, 'QUOTE_EXPIRED']);
    if (status !== 'PENDING') return this.agree(answer, CONFLICT);
    if (!hasSession) return this.agree(answer, NO_SESSION);
    if (!to.isTrusted) {
      if (isBad) return this.agree(answer, BAD_INPUT);
      if (factor === 'SMS_OTP' && this.limited(answer, customer, 'payment')) return;
    }
    this.agree(answer, 200);
    // "To a trusted beneficiary: the session is needed, no challenge"
    if (to.isTrusted) await this.pay(quote);
    else this.challenged(quote, answer.body.scaChallenge, factor);
    await this.compareQuote(quote);
  }

  async authorize(): Promise<void> {
    const fresh = this.hasQuote('PENDING_AUTHORIZATION') ? undefined : await this.newQuote();
    if (fresh) await this.carryOut(fresh);
    const quote = this.anyQuote('PENDING_AUTHORIZATION');
    if (quote) await this.often(() => this.attemptPayment(quote), 0.5, 6);
  }

  /** "void after five wrong tries: quote and transaction `FAILED`" */
  async exhaust(): Promise<void> {
    if (this.payers.every(({ isDeleted }) => isDeleted)) return;
    this.note('exhaust');
    const quote = await this.newQuote();
    if (!quote) return;
    const { customer } = quote;
    // A lock would come before the last try.
    if (customer.failures > 0 && this.random.chance(0.8)) await this.reportOf(customer, 'RESET_PASSWORD_COMPLETED');
    if (!customer.hasSession(this.now)) await this.logIn(customer);
    await this.carryOut(quote);
    for (let i = this.random.int(4, 5); i > 0; i -= 1) await this.attemptPayment(quote, 'wrong');
    await this.attemptPayment(quote, 'right');
  }

  private async attemptPayment(quote: Quote, always?: 'right' | 'wrong'): Promise<void> {
    const { customer, challenge, status } = quote;
    const isLocked = customer.isLocked(this.now);
    const hasSession = customer.hasSession(this.now);
    // Two reasons at once, or one that is not defined: nothing pends after a challenge that was not satisfied.
    if (status === 'FAILED' || status === 'EXPIRED' || challenge?.isVoid || (challenge && !hasSession && isLocked)) return;
    // A further code that may not be sent now.
    if (quote.purposes.length > 1 && challenge?.factor === 'SMS_OTP' && customer.wait('payment', this.now) > 0) return;
    const accepts = { app: false, recovery: false };
    const proof = this.proofOf(customer, challenge?.factor ?? 'SMS_OTP', challenge?.passkeyChallenge, accepts, always);
    const answer = await this.platform.post(`/quotes/${quote.id}/authorize`, proof.body);
    this.note('authorize', status, challenge?.factor ?? '', quote.purposes[0], proof.cause);
    if (!challenge) return this.agree(answer, CONFLICT);
    if (!hasSession) return this.agree(answer, NO_SESSION);
    if (isLocked) return this.agree(answer, LOCKED);
    if (!proof.isRight()) {
      this.wrong(answer, proof.cause);
      customer.fail(this.now);
      challenge.triesLeft -= 1;
      if (challenge.triesLeft === 0) this.move(quote, 'FAILED');
    } else {
      this.agree(answer, 200);
      quote.purposes.shift();
      if (quote.purposes.length > 0) this.challenged(quote, answer.body.scaChallenge, challenge.factor);
      else if (quote.isRealtime) this.instructed(quote, answer);
      else await this.pay(quote);
    }
    await this.compareQuote(quote);
  }

  /** "204, SMS only, same challenge, `expiresAt` not extended; passkey or nothing pending 409; too many 429" */
  async resend(): Promise<void> {
    const quote = this.anyQuote('PENDING_AUTHORIZATION');
    if (quote) await this.often(() => this.sendAgain(quote), 0.25, 6);
  }

  private async sendAgain(quote: Quote): Promise<void> {
    if (quote.challenge?.isVoid) return;
    const { customer, challenge, status } = quote;
    const answer = await this.platform.post(`/quotes/${quote.id}/authorize/resend`);
    this.note('resend', status, challenge?.factor ?? '');
    if (status !== 'PENDING_AUTHORIZATION' || challenge?.factor !== 'SMS_OTP') return this.agree(answer, CONFLICT);
    if (this.limited(answer, customer, 'payment')) return;
    this.agree(answer, 204);
    this.texted(customer, 'payment', / EUR to /);
    await this.compareQuote(quote);
  }

  // ---- messages and refusals

  /** "Kept 24 hours"; "the text holds the code" */
  async messages(): Promise<void> {
    const { phone, name } = this.random.pick(this.payers);
    const limit = this.random.pick([2, 100]);
    this.note('messages', name, limit);
    const expected = this.texts.filter(({ to, at }) => to === phone && this.now < at + MESSAGE_KEPT).reverse();
    const listed: Resource[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const path = `/sandbox/messages?channel=SMS&to=${encodeURIComponent(phone)}&limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const page = await expectStatus(200, this.platform.get(path));
      listed.push(...page.data);
      cursor = page.hasMore ? page.nextCursor : undefined;
    }
    const shown = listed.map(({ to, createdAt, text }, i) => [to, createdAt, text.startsWith(CODE), expected[i]?.about.test(text)]);
    this.same(
      shown,
      expected.map(({ to, at }) => [to, new Date(at).toISOString(), true, true]),
      `messages to ${name}: ${listed.map(({ text }) => text).join(' ')}`,
    );
  }

  /** "Applies to customers in a regulated region; for all others every operation here is 409 `CONFLICT`" */
  async elsewhere(): Promise<void> {
    this.note('elsewhere');
    this.outsider ??= (await quoting(this.platform).customer({ region: 'GB', phoneNumber: '+447700900123' })).id as string;
    const customer = { id: this.outsider };
    const account = await quoting(this.platform).eur(customer);
    const calls = trustOf(this.platform, account);
    await this.allRefused(customer.id, CONFLICT);
    const body = { challengeId: `ScaChallenge:${NONE}`, code: CODE };
    for (const answer of [await calls.trust(), await calls.untrust(), await calls.confirmTrust(body), await calls.confirmUntrust(body)])
      this.agree(answer, CONFLICT);
  }

  private async allRefused(id: string, expected: Expected): Promise<void> {
    const sca = scaOf(this.platform, { id });
    const answers = [
      await sca.factors(),
      await sca.enroll('TOTP'),
      await sca.confirm({ type: 'TOTP', secret: '00', code: CODE }),
      await sca.remove('unknown'),
      await sca.start('SMS_OTP'),
      await sca.complete({ factor: 'TOTP', code: CODE }),
      await sca.report('FAILED_LOGIN_ATTEMPT'),
      await sca.startReset('TOTP'),
      await sca.reset(`TwoFactorReset:${NONE}`),
      await sca.completeReset(`TwoFactorReset:${NONE}`),
    ];
    for (const answer of answers) this.agree(answer, expected);
  }

  /** Ids that never existed, and what belongs to another customer. */
  async strange(): Promise<void> {
    this.note('strange');
    await this.allRefused(`Customer:${randomUUID()}`, NO_CUSTOMER);
    const calls = trustOf(this.platform, { id: `ExternalAccount:${NONE}` });
    const body = { challengeId: `ScaChallenge:${NONE}`, code: CODE };
    for (const answer of [await calls.trust(), await calls.untrust(), await calls.confirmTrust(body), await calls.confirmUntrust(body)])
      this.agree(answer, NO_ACCOUNT);
    for (const path of ['authorize', 'authorize/resend'])
      this.agree(await this.platform.post(`/quotes/Quote:${NONE}/${path}`, path === 'authorize' ? { code: CODE } : undefined), [
        404,
        'QUOTE_NOT_FOUND',
      ]);
    this.agree(await this.platform.post(`/sandbox/sca/factors/reset/TwoFactorReset:${NONE}/liveness`, { outcome: 'PASS' }), [
      404,
      'NOT_FOUND',
    ]);
    this.agree(await this.platform.get('/sandbox/sca/liveness?token=none'), [404, 'NOT_FOUND']);
    const [one, other] = this.payers.filter(({ isDeleted }) => !isDeleted);
    const theirs = other?.resets[0];
    if (one && theirs) this.agree(await this.sca(one).reset(theirs.id), [404, 'NOT_FOUND']);
  }

  // ---- time

  async advance(): Promise<void> {
    const instants = this.payers.flatMap((customer) => [
      ...customer.deadlines,
      ...customer.quotes.flatMap(({ expiresAt, challenge }) => [expiresAt, challenge?.expiresAt ?? 0]),
    ]);
    await this.pass(this.waitFor(instants, [10_000, MINUTE, 2 * MINUTE, 5 * MINUTE, HOUR, this.random.int(1, DAY), 90 * DAY]));
    for (const customer of this.payers) {
      await this.compareCustomer(customer);
      for (const quote of customer.quotes) await this.compareQuote(quote);
    }
  }

  protected override passed(): void {
    for (const customer of this.payers) {
      customer.expireResets(this.now);
      for (const quote of customer.quotes) {
        if (quote.status === 'PENDING' && this.now >= quote.expiresAt) this.move(quote, 'EXPIRED');
        // "Challenge not satisfied in time: quote and transaction `FAILED`"
        if (quote.status === 'PENDING_AUTHORIZATION' && quote.challenge && this.now >= quote.challenge.expiresAt)
          this.move(quote, 'FAILED');
      }
    }
  }

  protected override async finish(): Promise<void> {
    await this.messages();
    await this.pass(DAY);
    for (const customer of this.payers) {
      await this.compareCustomer(customer);
      for (const quote of customer.quotes) await this.compareQuote(quote);
    }
    this.same((await expectStatus(200, this.platform.get('/sandbox/messages'))).data, [], 'messages of a day ago');
  }

  /** Deposits are compared by their number: their ids are not in the answer of the sandbox. */
  protected override eventText(event: Event): string | undefined {
    return event.type === 'INCOMING_PAYMENT.COMPLETED' ? undefined : super.eventText(event);
  }

  protected override async compareEvents(events: readonly Event[]): Promise<void> {
    const deposits = events.filter(({ type }) => type === 'INCOMING_PAYMENT.COMPLETED').map(({ data }) => data.destination.accountId);
    const funded = this.payers.map(({ accounts }) => accounts.find(({ currency }) => currency === 'EUR')?.id);
    this.same(deposits.sort(), funded.sort(), 'one deposit for each customer');
  }

  protected override expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    if (this.outsider) expected.set(this.outsider, ['CUSTOMER.KYC_APPROVED APPROVED']);
    for (const { id, accounts, quotes, isDeleted } of this.payers) {
      expected.set(id, ['CUSTOMER.KYC_APPROVED APPROVED']);
      // The balance in EUR keeps its account open.
      for (const account of accounts)
        if (isDeleted && account.currency !== 'EUR') expected.set(account.id, ['INTERNAL_ACCOUNT.STATUS_UPDATED CLOSED']);
      for (const { transactionId, notified } of quotes)
        expected.set(
          transactionId,
          notified.map((status) => `OUTGOING_PAYMENT.${status} ${status}`),
        );
    }
    return expected;
  }
}
