// Histories of receivers: look-ups, and payments to and from UMA addresses of the sandbox, of the platform and of another provider.
import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../../src/kernel/errors.js';
import { idempotent } from '../../support/cards.js';
import { expectStatus } from '../../support/client.js';
import {
  type Bounds,
  type Currency,
  DISCOVERIES,
  type Market,
  preference,
  price,
  SANDBOX_PEOPLE,
  type SandboxPerson,
  sentFor,
  TABLE,
} from '../../support/receiver-model.js';
import { at, lookUp, umaRequest } from '../../support/uma.js';
import { PROVIDER_ADDRESS } from '../../support/uma-provider.js';
import { setEndpoint, settle } from '../../support/webhooks/platform.js';
import type { Reply } from '../../support/webhooks/receiver.js';
import { type Command, DAY, type Event, type Expected, HOUR, MINUTE } from './history.js';
import { ASKED_OF_PAYERS, DOLLAR, EURO, UmaHistory } from './uma.js';
import { type Account, accountIn, isOpen, isWaiting, type Outgoing, type Person, type Target } from './uma-book.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read freely; their shape is checked against the document.
type Resource = any;

type Lookup = { readonly id: string; readonly target: Target; readonly currencies: readonly Currency[]; readonly expiresAt: number };

export class ReceiverHistory extends UmaHistory {
  private readonly market: Market = { ...TABLE };
  private readonly lookups: Lookup[] = [];

  override commands(): Readonly<Record<string, Command>> {
    return {
      customer: [2, () => this.customer()],
      leave: [1, () => this.leave()],
      deposit: [1, () => this.deposit()],
      market: [2, () => this.moveMarket()],
      discoveries: [2, () => this.discoveries()],
      lookup: [9, () => this.lookup()],
      account: [3, () => this.lookupAccount()],
      quote: [9, async () => void (await this.quote())],
      execute: [9, () => this.execute()],
      receive: [10, () => this.receive()],
      decide: [6, () => this.decide()],
      published: [2, () => this.published()],
      asked: [3, () => this.asked()],
      agree: [5, () => this.agreeToPay()],
      paid: [5, () => this.paid()],
      outcome: [6, () => this.outcome()],
      advance: [8, () => this.advance()],
    };
  }

  protected override async prepare(): Promise<void> {
    const currency = ({ code, min, max }: Bounds, requiredCounterpartyFields: Resource[]) => ({
      currencyCode: code,
      minAmount: min,
      maxAmount: max,
      requiredCounterpartyFields,
      enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
    });
    const supportedCurrencies = [currency(DOLLAR, []), currency(EURO, ASKED_OF_PAYERS)];
    this.domain = (await expectStatus(200, this.platform.patch('/config', { supportedCurrencies }))).umaDomain;
    this.outside.provider.notices.length = 0;
    await this.customer();
    const body = {
      senderUmaAddress: at('success.usd'),
      customerId: this.people[0]?.id,
      receivingCurrencyCode: 'USD',
      receivingCurrencyAmount: 1,
    };
    this.agree(await this.platform.post('/sandbox/uma/receive', body), [400, 'WEBHOOK_ENDPOINT_NOT_SET']);
    await setEndpoint(this.platform, this.outside.endpoint.url);
    await settle(this.platform);
    await this.customer();
  }

  // ---- choices

  private anyTarget(): Target {
    const sandbox = this.random.pick(Object.keys(SANDBOX_PEOPLE));
    const person = this.somebody();
    return this.random.pick<Target>([
      { address: at(sandbox), sandbox },
      { address: at(sandbox), sandbox },
      { address: person.address, person },
      { address: PROVIDER_ADDRESS },
    ]);
  }

  // ---- customers

  async customer(): Promise<void> {
    if (this.present.length >= 4) return;
    const currencies = this.random.pick([
      ['USD', 'EUR'],
      ['EUR', 'USD'],
    ] as const);
    const { id, umaAddress } = await this.pay.customer({ currencies });
    const { data } = await expectStatus(200, this.platform.get(`/customers/internal-accounts?customerId=${id}`));
    const accounts: Account[] = data.map((account: Resource) => ({ id: account.id, currency: account.balance.currency.code, balance: 0 }));
    const { id: bank } = await this.pay.eur({ id });
    const person: Person = {
      id,
      address: umaAddress.toLowerCase(),
      currency: currencies[0],
      accounts,
      bank,
      deposit: undefined,
      isDeleted: false,
    };
    this.people.push(person);
    const usd = accountIn(person, 'USD');
    usd.balance = this.random.int(5_000, 200_000);
    await this.pay.fund(usd, usd.balance);
    this.note('customer');
    await this.comparePerson(person);
  }

  private isBusy(person: Person): boolean {
    return this.book.payments.some((payment) => isOpen(payment) && (payment.person === person || payment.ends.includes(person.address)));
  }

  /** Somebody without a payment under way. */
  async leave(): Promise<void> {
    const person = this.any(this.people.filter((each) => !this.isBusy(each)));
    if (!person || this.present.length < 3) return;
    this.note('leave', person.isDeleted ? 'again' : '');
    this.agree(await this.platform.delete(`/customers/${person.id}`), person.isDeleted ? [410, 'CUSTOMER_DELETED'] : 200);
    person.isDeleted = true;
  }

  /** "incoming UMA payments … are deposited here instead of the primary internal account" */
  async deposit(): Promise<void> {
    const person = this.any(this.present.filter((each) => !each.deposit && !this.isBusy(each)));
    if (!person) return;
    const works = this.random.chance(0.5);
    await this.pay.usd(person, works ? '999' : this.random.pick(['002', '004', '007']), { defaultUmaDepositAccount: true });
    person.deposit = { works };
    this.note('deposit', works ? 'works' : 'fails');
  }

  // ---- rates, institutions and look-ups

  async moveMarket(): Promise<void> {
    const currency = this.random.pick(['EUR', 'MXN'] as const);
    const units = this.random.pick([TABLE[currency], BigInt(this.random.int(8, 12)) * (TABLE[currency] / 10n) + 7n]);
    const available = this.random.chance(0.7);
    this.market[currency] = available ? units : undefined;
    const text = String(units).padStart(5, '0');
    this.note('market', currency, units, available ? '' : 'none');
    const perUsd = units === TABLE[currency] ? null : `${text.slice(0, -4)}.${text.slice(-4)}`;
    const shown = await expectStatus(200, this.platform.put('/sandbox/exchange-rates', { currency, perUsd, available }));
    this.same([shown.currency, shown.available], [currency, available], 'the market');
  }

  async discoveries(): Promise<void> {
    const { country, currency } = this.random.pick(DISCOVERIES);
    const query = this.random.pick([{}, { country }, { currency }, { country, currency }, { country: 'US' }, { country, currency: 'NGN' }]);
    this.note('discoveries', JSON.stringify(query));
    if (this.random.chance(0.2)) return this.agree(await this.platform.get(`/discoveries?country=${country}X`), [400, 'INVALID_INPUT']);
    const { data } = await expectStatus(200, this.platform.get(`/discoveries?${new URLSearchParams(query as Record<string, string>)}`));
    const matches = DISCOVERIES.filter((each) => Object.entries(query).every(([name, value]) => each[name as 'country'] === value));
    const sorted = (list: readonly Resource[]) =>
      list.map((each) => `${each.country} ${each.currency} ${each.bankName} ${each.displayName}`).sort();
    this.same(sorted(data), sorted(matches), 'the institutions');
  }

  /** Who pays, as the query names the sender, and what is wrong with it. */
  private senderQuery(): { query: Record<string, string>; sending: Currency; refusal: Expected | undefined } {
    const person = this.random.chance(0.75) ? this.any(this.people) : undefined;
    const asked = this.random.pick([undefined, undefined, 'USD', 'EUR', 'MXN'] as const);
    const way = this.random.pick(['customerId', 'senderUmaAddress', 'both'] as const);
    const other = way === 'both' && this.random.chance(0.3) ? this.any(this.present.filter((each) => each !== person)) : undefined;
    const query = {
      ...(person && way !== 'senderUmaAddress' && { customerId: person.id }),
      ...(person && way !== 'customerId' && { senderUmaAddress: (other ?? person).address.toUpperCase() }),
      ...(asked && { sendingCurrency: asked }),
    };
    const refusal = ((): Expected | undefined => {
      if (person?.isDeleted) return way === 'senderUmaAddress' ? [404, 'UMA_NOT_FOUND'] : [404, 'CUSTOMER_NOT_FOUND'];
      if (person && other) return [400, 'INVALID_INPUT'];
      return asked === 'MXN' ? [400, 'INVALID_CURRENCY'] : undefined;
    })();
    // Of a deleted sender in two ways, and of one who is wrong in two ways, no rule says which is told.
    // Nor what a look-up from a currency without a rate shows.
    const sending = (asked as Currency) ?? person?.currency ?? 'USD';
    const isUnclear =
      !(this.market[sending] || refusal) || (person?.isDeleted && (way === 'both' || asked === 'MXN')) || (other && asked === 'MXN');
    if (isUnclear) return { query: {}, sending: 'USD', refusal: undefined };
    return { query, sending, refusal };
  }

  private compareFound(found: Resource, sending: Currency, currencies: readonly Bounds[], fields: readonly unknown[]): void {
    const shown = found.supportedCurrencies.map(({ currency, ...rest }: Resource) => ({ code: currency.code, ...rest }));
    const expected = currencies.filter(({ code }) => this.market[code]).map((bounds) => preference(this.market, sending, bounds));
    this.same([found.sendingCurrency.code, shown], [sending, expected], 'the currencies');
    this.same(found.requiredPayerDataFields, fields, 'what is asked about the payer');
  }

  async lookup(target = this.anyTarget()): Promise<void> {
    const { sandbox, person } = target;
    const { query, sending, refusal } = this.senderQuery();
    const wrong = !refusal && this.random.chance(0.25) ? this.random.pick(['ADDRESS', 'NOBODY', 'DOMAIN', 'FAULT'] as const) : undefined;
    const isFault = wrong === 'FAULT' && target.address === PROVIDER_ADDRESS;
    const [status, code, fault] = this.random.pick<readonly [number, ErrorCode, number]>([
      [412, 'UNSUPPORTED_UMA_VERSION', 412],
      [404, 'UMA_NOT_FOUND', 404],
      [424, 'LNURLP_REQUEST_FAILED', 403],
      [502, 'COUNTERPARTY_SERVER_ERROR', 500],
    ]);
    const address =
      { ADDRESS: 'success.usd@x', NOBODY: this.random.pick([at('nobody'), `$nobody@${this.domain}`]), DOMAIN: '$ada@elsewhere.example' }[
        wrong as 'ADDRESS'
      ] ?? target.address.toUpperCase();
    this.note('lookup', sandbox ?? (person ? 'own' : 'provider'), JSON.stringify(Object.keys(query)), sending, wrong ?? '');
    if (isFault) this.outside.provider.faults = { LOOKUP: { status: fault, text: '{"status":"ERROR","reason":"no","code":"X"}' } };
    const answer = await lookUp(this.platform, address, query);
    this.outside.provider.faults = {};
    if (refusal) return this.agree(answer, refusal);
    if (isFault) return this.agree(answer, [status, code]);
    if (wrong === 'ADDRESS') return this.agree(answer, [400, 'INVALID_UMA_ADDRESS']);
    if (wrong === 'DOMAIN') return this.agree(answer, [424, 'LNURLP_REQUEST_FAILED']);
    if (wrong === 'NOBODY' || person?.isDeleted) return this.agree(answer, [404, 'UMA_NOT_FOUND']);
    this.agree(answer, 200);
    this.same(answer.body.receiverUmaAddress, target.address, 'the receiver');
    const known = SANDBOX_PEOPLE[sandbox ?? ''];
    const currencies = known ? [{ ...DOLLAR, code: known.currency }] : person ? [DOLLAR, EURO] : [{ ...DOLLAR, code: 'EUR' as const }];
    this.compareFound(answer.body, sending, currencies, known ? known.ofPayer : person ? ASKED_OF_PAYERS : []);
    const codes = currencies.map(({ code }) => code).filter((code) => this.market[code]);
    if (codes.length > 0) this.lookups.push({ id: answer.body.lookupId, target, currencies: codes, expiresAt: this.now + HOUR });
  }

  async lookupAccount(): Promise<void> {
    const person = this.somebody();
    const { query, sending, refusal } = this.senderQuery();
    const isUnknown = !refusal && this.random.chance(0.15);
    this.note('account', person.isDeleted ? 'deleted' : '', JSON.stringify(Object.keys(query)), sending);
    const id = isUnknown ? `ExternalAccount:${randomUUID()}` : person.bank;
    const answer = await this.platform.get(`/receiver/external-account/${id}?${new URLSearchParams(query)}`);
    if (refusal && person.isDeleted) return;
    if (refusal) return this.agree(answer, refusal);
    if (isUnknown || person.isDeleted) return this.agree(answer, [404, 'ACCOUNT_NOT_FOUND']);
    this.agree(answer, 200);
    this.same(answer.body.accountId, person.bank, 'the account');
    this.compareFound(answer.body, sending, [{ ...DOLLAR, code: 'EUR' }], []);
  }

  // ---- payments to UMA addresses

  /** The last look-up of somebody, or a new one. */
  private async lookupOf(target: Target): Promise<Lookup | undefined> {
    const known = this.lookups.filter((lookup) => lookup.target.address === target.address).at(-1);
    if (known && (known.expiresAt > this.now || this.random.chance(0.2))) return known;
    await this.lookup(target);
    return this.lookups.filter((lookup) => lookup.target.address === target.address && lookup.expiresAt > this.now).at(-1);
  }

  async quote(wanted?: Target): Promise<Outgoing | undefined> {
    const target = wanted ?? this.anyTarget();
    const payer = this.any(this.present);
    const lookup = target.person?.isDeleted ? undefined : await this.lookupOf(target);
    if (!lookup || !payer) return undefined;
    const currency = this.random.pick(lookup.currencies);
    const wrong =
      wanted || this.random.chance(0.75) ? undefined : this.random.pick(['LOOKUP', 'CURRENCY', 'SMALL', 'LARGE', 'DATA', 'FAULT'] as const);
    const fault = wrong === 'FAULT' && target.address === PROVIDER_ADDRESS;
    const needsData = target.sandbox === 'success.eur';
    const amount =
      wrong === 'SMALL' ? 99 : wrong === 'LARGE' ? 10_000_001 : this.random.int(target.person && currency === 'EUR' ? 1_000 : 100, 30_000);
    const refusal = ((): Expected | undefined => {
      if (wrong === 'LOOKUP' || lookup.expiresAt <= this.now) return [404, 'LOOKUP_REQUEST_NOT_FOUND'];
      if (target.person === payer) return [400, 'SELF_PAYMENT'];
      if (wrong === 'CURRENCY') return [400, 'INVALID_CURRENCY'];
      if (wrong === 'SMALL') return [400, 'AMOUNT_OUT_OF_RANGE'];
      if (wrong === 'LARGE') return [400, 'TRANSACTION_SIZE_LIMIT_EXCEEDED'];
      if (wrong === 'DATA' && needsData) return [400, 'MISSING_MANDATORY_USER_INFO'];
      if (this.market[currency] === undefined) return [504, 'QUOTE_REQUEST_FAILED'];
      return fault ? [424, 'PAYREQ_REQUEST_FAILED'] : undefined;
    })();
    // Of two things that are wrong, no rule says which is told.
    const hasNoRate = this.market[currency] === undefined;
    const isSelf = target.person === payer;
    if (((isSelf || hasNoRate || lookup.expiresAt <= this.now) && wrong) || (isSelf && hasNoRate)) return undefined;
    const source = accountIn(payer, 'USD');
    const found = { receiverUmaAddress: target.address, lookupId: lookup.id, supportedCurrencies: [{ currency: { code: currency } }] };
    const body = umaRequest(source, found, amount, {
      ...(wrong === 'LOOKUP' && { lookupId: `Lookup:${randomUUID()}` }),
      ...(wrong === 'CURRENCY' && { destination: { destinationType: 'UMA_ADDRESS', umaAddress: target.address, currency: 'GBP' } }),
      ...(needsData && wrong !== 'DATA' && { senderCustomerInfo: { BIRTH_DATE: '1985-06-15' } }),
    });
    this.note('quote', target.sandbox ?? (target.person ? 'own' : 'provider'), amount, currency, wrong ?? '');
    if (fault) this.outside.provider.faults = { PAY: { status: 400, text: '{"status":"ERROR","reason":"no","code":"X"}' } };
    const key = idempotent(randomUUID());
    const answer = await this.platform.post('/quotes', body, key);
    this.outside.provider.faults = {};
    this.agree(answer, refusal ?? 200);
    if (refusal) return undefined;
    const asked = this.outside.provider.agreed.length;
    if (this.random.chance(0.3)) this.same((await this.platform.post('/quotes', body, key)).text, answer.text, 'the repeated request');
    this.same(this.outside.provider.agreed.length, asked, 'a repeat does not ask the provider again');
    const { fees, received } = price(this.market, amount, currency);
    const { id, transactionId, totalSendingAmount, totalReceivingAmount, feesIncluded, status, expiresAt } = answer.body;
    this.same(
      [totalSendingAmount, totalReceivingAmount, feesIncluded, status, expiresAt],
      [amount, received, fees, 'PENDING', new Date(this.now + 5 * MINUTE).toISOString()],
      'the quote',
    );
    const invoice = target.address === PROVIDER_ADDRESS ? this.outside.provider.agreed.at(-1) : undefined;
    if (invoice) this.same([invoice.amount, invoice.currency], [String(received), currency], 'what the provider agreed to');
    const ends = [source.id, target.address] as const;
    const fields = { id: transactionId, person: payer, sent: [amount, 'USD'], received: [received, currency], ends } as const;
    const payment = this.book.quoted({ ...fields, quote: id, target, invoice });
    await this.comparePayment(payment);
    return payment;
  }

  async execute(wanted?: Target): Promise<void> {
    const all = this.book.outgoing.filter(({ person }) => !person.isDeleted);
    const pending = all.filter(({ status }) => status === 'PENDING');
    const made = wanted || pending.length === 0 ? await this.quote(wanted) : undefined;
    const payment = made ?? this.any(pending.length > 0 && this.random.chance(0.85) ? pending : all);
    if (!payment) return;
    const { target, person, sent, invoice } = payment;
    const account = accountIn(person, 'USD');
    const hasRate = this.market[payment.received[1] as Currency] !== undefined;
    if (!hasRate && account.balance < sent[0]) return;
    // "Only a definite refusal of PAID fails a payment; silence never does"
    const noticeStatus = invoice && this.random.pick([200, 200, 200, 409, 500]);
    const isRefused = noticeStatus === 409;
    this.note('execute', payment.status, target.sandbox ?? (target.person ? 'own' : 'provider'), noticeStatus ?? '');
    const question = this.ask(this.anyAnswer());
    if (noticeStatus !== 200 && noticeStatus)
      this.outside.provider.faults = { NOTICE: { status: noticeStatus, text: '{"status":"ERROR","reason":"no","code":"X"}' } };
    const answer = await this.platform.post(`/quotes/${payment.quote}/execute`);
    const refusal = ((): Expected | undefined => {
      if (payment.status === 'EXPIRED') return [400, 'QUOTE_EXPIRED'];
      if (payment.status !== 'PENDING') return [409, 'CONFLICT'];
      if (!hasRate) return [400, 'QUOTE_RATE_UNAVAILABLE'];
      return account.balance < sent[0] ? [400, 'INSUFFICIENT_FUNDS'] : undefined;
    })();
    if (payment.status === 'PENDING' && !hasRate) this.book.loseRate(payment);
    this.agree(answer, refusal ?? 200);
    if (!refusal) await this.afterExecution(payment, isRefused, question);
    await this.comparePayment(payment);
    this.outside.provider.faults = {};
  }

  private async afterExecution(payment: Outgoing, isRefused: boolean, question: Reply): Promise<void> {
    const { target, sent, received, invoice } = payment;
    this.book.execute(payment);
    if (invoice) await this.until(() => this.outside.provider.notices.some((notice) => notice.invoice === invoice.invoice), 'the notice');
    if (isRefused) this.book.fail(payment, 'COUNTERPARTY_POST_TX_FAILED');
    if (target.sandbox) this.book.deliver(payment, (SANDBOX_PEOPLE[target.sandbox] as SandboxPerson).afterMs);
    if (!target.person) return;
    const id = await this.newIncoming(target.address);
    const fields = { id, person: target.person, sent, received, ends: [payment.person.address, target.address] as const };
    await this.announce(this.book.announced({ ...fields, asksPayee: false, arrivesAfter: 0, cause: payment }), question);
  }

  // ---- payments from UMA addresses

  async receive(reply = this.anyAnswer()): Promise<void> {
    const person = this.somebody();
    const name = this.random.pick(Object.keys(SANDBOX_PEOPLE));
    const currency = this.random.pick(['USD', 'USD', 'EUR'] as const);
    const wrong = this.random.chance(0.8) ? undefined : this.random.pick(['CURRENCY', 'AMOUNT', 'SENDER', 'ADDRESS', 'NOBODY'] as const);
    const isById = this.random.chance(0.5);
    const amount = wrong === 'AMOUNT' ? this.random.pick([EURO.min - 1, EURO.max + 1]) : this.random.int(EURO.min, 20_000);
    const body = {
      senderUmaAddress: { SENDER: at('nobody'), ADDRESS: 'x' }[wrong as 'SENDER'] ?? at(name),
      ...(wrong !== 'NOBODY' && (isById ? { customerId: person.id } : { receiverUmaAddress: person.address.toUpperCase() })),
      receivingCurrencyCode: wrong === 'CURRENCY' ? 'MXN' : wrong === 'AMOUNT' ? 'EUR' : currency,
      receivingCurrencyAmount: amount,
    };
    if (wrong && person.isDeleted) return;
    const question = this.ask(reply);
    this.note('receive', name, amount, currency, wrong ?? '', JSON.stringify(question));
    const answer = await this.platform.post('/sandbox/uma/receive', body);
    const refusals: Readonly<Record<string, Expected>> = {
      CURRENCY: [400, 'INVALID_CURRENCY'],
      AMOUNT: [400, 'AMOUNT_OUT_OF_RANGE'],
      SENDER: [404, 'UMA_NOT_FOUND'],
      ADDRESS: [400, 'INVALID_UMA_ADDRESS'],
      NOBODY: [400, 'INVALID_INPUT'],
    };
    if (wrong) return this.agree(answer, refusals[wrong] as Expected);
    if (person.isDeleted) return this.agree(answer, [404, isById ? 'CUSTOMER_NOT_FOUND' : 'UMA_NOT_FOUND']);
    this.agree(answer, 200);
    const { currency: theirs, ofPayee, afterMs } = SANDBOX_PEOPLE[name] as SandboxPerson;
    const about = currency === 'EUR' ? { FULL_NAME: 'Sandbox Sender', BIRTH_DATE: '1985-06-15' } : undefined;
    this.same(answer.body.counterpartyInformation, about, 'what is told about the sender');
    const payment = this.book.announced({
      id: answer.body.id,
      person,
      sent: [sentFor(amount, currency, theirs), theirs],
      received: [amount, currency],
      ends: [at(name), person.address],
      asksPayee: ofPayee.length > 0,
      arrivesAfter: afterMs ?? 0,
      cause: undefined,
    });
    if (afterMs !== undefined) return this.announce(payment, question);
    // "$fail.compliance.usd is refused before the platform is asked"
    payment.events.length = 0;
    this.book.refuse(payment, 'COMPLIANCE_REJECTED');
    await this.comparePayment(payment);
  }

  /** Some payment waits for the platform, mostly. */
  override async decide(): Promise<void> {
    if (!this.book.payments.some(isWaiting) && this.random.chance(0.7)) await this.receive(202);
    await super.decide();
  }

  /** Some payment waits for the other provider, mostly. */
  override async outcome(): Promise<void> {
    const isOpenThere = ({ invoice, status }: Outgoing) => invoice !== undefined && status === 'PROCESSING';
    if (!this.book.outgoing.some(isOpenThere) && this.random.chance(0.8)) await this.execute({ address: PROVIDER_ADDRESS });
    await super.outcome();
  }

  // ---- time

  async advance(): Promise<void> {
    const moving = this.book.payments.filter(({ due }) => due !== undefined);
    const ms = this.random.pick([1_000, 1_000, 4_999, 5_000, MINUTE, 5 * MINUTE, 6 * MINUTE, HOUR, DAY]);
    await this.pass(ms);
    for (const payment of moving) await this.comparePayment(payment);
  }

  protected override passed(): void {
    this.book.passed();
  }

  // ---- the end

  protected override async finish(): Promise<void> {
    for (const payment of this.book.outgoing) if (payment.invoice && payment.status === 'PROCESSING') await this.report(payment, 'SETTLED');
    await this.pass(HOUR);
    for (const payment of this.book.payments) await this.comparePayment(payment);
    const told = this.outside.provider.notices.map(({ invoice, outcome }) => `${invoice} ${outcome}`);
    this.same([...new Set(told)].sort(), [...this.book.told].sort(), 'what the other provider was told');
  }

  /** A deposit of the sandbox answers with the account; its payment has no name here. The change of the endpoint sends TEST. */
  protected override eventText(event: Event): string | undefined {
    const isDeposit = event.type === 'INCOMING_PAYMENT.COMPLETED' && event.data.source.sourceType === 'REALTIME_FUNDING';
    return isDeposit || event.type === 'TEST' ? undefined : super.eventText(event);
  }

  protected override expected(): Map<string, string[]> {
    const closed = this.people.flatMap(({ isDeleted, accounts }) => (isDeleted ? accounts.filter(({ balance }) => balance === 0) : []));
    return new Map([
      ...this.people.map(({ id }): [string, string[]] => [id, ['CUSTOMER.KYC_APPROVED APPROVED']]),
      ...closed.map(({ id }): [string, string[]] => [id, ['INTERNAL_ACCOUNT.STATUS_UPDATED CLOSED']]),
      ...this.book.payments.map(({ id, events }): [string, string[]] => [id, events]),
    ]);
  }
}
