// What histories of money share: holders with their accounts and banks, the books, and the comparison of balances, positions and payments.
import { randomUUID } from 'node:crypto';
import { idempotent } from '../../support/cards.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { quoting } from '../../support/quotes.js';
import { DAY, type Event, History, MINUTE } from './history.js';
import { type Draft, ENDINGS, type Payment, PaymentBook, SECOND } from './payment-book.js';
import { type Corridor, NO_FEES, type PlatformFees, type Price } from './payment-prices.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
export type Resource = any;

// ---- state of the model

export type Holder = { readonly id: string; readonly customerId: string | undefined; readonly accounts: Account[] };
export type Account = { readonly id: string; readonly currency: string; readonly holder: Holder };
export type Bank = {
  readonly id: string;
  readonly currency: string;
  /** The default first. */
  readonly rails: readonly string[];
  readonly holder: Holder;
  readonly ending: string;
  /** Of a wallet, which no bank checks. */
  readonly status?: string;
  /** The bank has checked it from then on. */
  readonly validAt: number;
  isDeleted: boolean;
  forgottenAt?: number;
};
export type Quote = { readonly id: string; readonly payment: Payment; readonly destination: Account | Bank };
/** A quote before it is asked for. Without a price nothing would arrive. */
export type Wanted = {
  readonly kind: 'QUOTE' | 'REALTIME' | 'PULLED';
  readonly payer: Holder;
  readonly from: Account | Bank;
  readonly destination: Account | Bank;
  readonly rail: string | null;
  readonly corridor: Corridor;
  readonly price: Price;
};

const QUOTE_LIFE = 5 * MINUTE;
const REALTIME_LIFE = 15 * MINUTE;
const VALIDATION = 30 * SECOND;
export const UNKNOWN = '01a1e141-d124-7566-a823-262cc273f644';
/** The fees that the platform takes of its customers' payments. */
export const CROSS_FEES: PlatformFees = { fixed: 7, bps: 25 };
const ACH_FEES: PlatformFees = { fixed: 3, bps: 0 };
const RAILS: Readonly<Record<string, readonly string[]>> = {
  USD: ['ACH', 'ACH_SAME_DAY', 'WIRE', 'RTP', 'FEDNOW'],
  EUR: ['SEPA_INSTANT', 'SEPA'],
};

export const isBank = (place: Account | Bank): place is Bank => 'ending' in place;
export const defaultRailOf = (place: Account | Bank): string | null => (isBank(place) ? (place.rails[0] ?? null) : null);

/** A payment in one currency without fees. */
export const plain = (amount: number, currency: string) => ({
  ...{ sending: currency, receiving: currency, sent: amount, received: amount, fees: 0, platformFees: 0 },
});

export abstract class PayingHistory extends History {
  protected readonly book = new PaymentBook();
  protected readonly pay = quoting(this.platform);
  /** The platform, then its customers. */
  protected readonly holders: Holder[] = [];
  protected readonly banks: Bank[] = [];
  protected readonly quotes: Quote[] = [];
  /** The currencies of the platform. */
  protected abstract readonly currencies: readonly string[];

  protected override async prepare(): Promise<void> {
    const { pay, platform } = this;
    await pay.currencies(...this.currencies);
    const fee = ({ fixed, bps }: PlatformFees) => ({ fixedFee: { amount: fixed, currency: 'USD' }, variableFeeBps: bps });
    const { id } = await expectStatus(
      200,
      platform.patch('/config', {
        feeConfigs: [
          { feeType: 'CROSS_CURRENCY_TRANSACTION', sourceCurrency: 'USD', ...fee(CROSS_FEES) },
          { feeType: 'RAIL', rail: 'ACH', direction: 'OUT', originator: 'GRID', ...fee(ACH_FEES) },
        ],
      }),
    );
    const own: Holder = { id, customerId: undefined, accounts: [] };
    for (const currency of this.currencies) {
      own.accounts.push({ id: (await pay.platformAccount(currency)).id, currency, holder: own });
      this.book.feeAccounts[currency] = own.accounts.at(-1)?.id as string;
    }
    this.holders.push(own);
    for (let i = 0; i < 2; i += 1) {
      const customer = await pay.customer();
      const holder: Holder = { id: customer.id, customerId: customer.id, accounts: [] };
      for (const currency of ['USD', 'EUR']) holder.accounts.push({ id: (await pay.account(customer, currency)).id, currency, holder });
      this.holders.push(holder);
    }
    // Money for the fees that the platform gives back when payments are returned.
    for (const each of this.internal)
      await this.deposit(each, each.holder !== own ? 60_000 : each.currency === 'USDC' ? 3_000_000_000 : 1_000_000);
    for (const holder of this.holders) for (const currency of ['USD', 'EUR'] as const) await this.open(holder, currency, '999');
    // Everybody may pay to the platform's bank accounts.
    for (const ending of ENDINGS.slice(3)) for (const currency of ['USD', 'EUR'] as const) await this.open(own, currency, ending);
  }

  // ---- random choices

  protected get internal(): Account[] {
    return this.holders.flatMap(({ accounts }) => accounts);
  }
  protected get liveBanks(): Bank[] {
    return this.banks.filter(({ isDeleted, validAt }) => !isDeleted && validAt <= this.now);
  }
  /** "a customer pays to external accounts of her own and of the platform, the platform to any" */
  protected payableBy(payer: Holder): Bank[] {
    return this.liveBanks.filter(({ holder }) => payer.customerId === undefined || holder === payer || holder.customerId === undefined);
  }
  protected bankOf(holder: Holder, currency: string): Bank {
    return this.random.pick(this.liveBanks.filter((bank) => bank.holder === holder && bank.currency === currency));
  }
  /** Mostly one of the latest. */
  protected latest<Item>(list: readonly Item[]): Item | undefined {
    return this.any(this.random.chance(0.8) ? list.slice(-6) : list);
  }

  // ---- comparison

  /** Does what is due now, for the service and the model, and compares every balance, every position and the payment. */
  protected async compare(payment?: Payment): Promise<void> {
    await this.platform.clock.advance(0);
    this.book.until(this.now);
    await this.compareBalances();
    if (payment) await this.comparePayment(payment);
  }

  protected async compareBalances(): Promise<void> {
    const { books } = this.book;
    const shown = new Map<string, [number, number]>();
    for (const list of ['/platform/internal-accounts', '/customers/internal-accounts?limit=100'])
      for (const { id, balance, totalBalance } of (await expectStatus(200, this.platform.get(list))).data)
        shown.set(id, [balance.amount, totalBalance.amount]);
    for (const { id, currency } of this.internal)
      this.same(shown.get(id), [books.available(id), books.total(id)], `available and total of ${currency} ${id}`);
    const { data } = await expectStatus(200, this.platform.get('/platform/positions'));
    const positions = Object.fromEntries(data.map(({ purpose, currency, balance }: Resource) => [`${purpose} ${currency}`, balance]));
    this.same(positions, books.positions(), 'positions of the service');
  }

  protected async comparePayment(payment: Payment): Promise<void> {
    this.sameAs(await expectStatus(200, this.platform.get(`/transactions/${payment.draft.id}`)), payment);
  }

  protected sameAs(shown: Resource, payment: Payment): void {
    const { draft, type, status, failureReason, refund, settledAt, confirmedAt, railStatus } = payment;
    const time = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
    const end = type === 'OUTGOING' ? shown.destination : shown.source;
    this.same(
      {
        ...{ type: shown.type, holder: shown.customerId, status: shown.status, failureReason: shown.failureReason },
        refund: shown.refund && { status: shown.refund.status, reason: shown.refund.reason },
        ...{ settledAt: shown.settledAt, confirmedAt: shown.receiptDeliveryConfirmedAt, createdAt: shown.createdAt },
        received: [shown.receivedAmount.amount, shown.receivedAmount.currency.code],
        // What a bank says before it has settled is its own affair.
        rail: railStatus && end.railDetails.status,
        ends: [shown.source.accountId ?? '', shown.destination.accountId ?? ''],
        ...(type === 'OUTGOING' && { sent: [shown.sentAmount.amount, shown.sentAmount.currency.code], fees: shown.fees }),
        ...(type === 'OUTGOING' && { platformFees: shown.platformFees, paymentRail: shown.paymentRail }),
      },
      {
        ...{ type, holder: draft.holder, status, failureReason, refund },
        ...{ settledAt: time(settledAt), confirmedAt: time(confirmedAt), createdAt: time(draft.createdAt) },
        received: [draft.received, draft.receiving],
        rail: railStatus,
        // A counterparty pays from one address to another.
        ends: draft.kind === 'ANNOUNCED' ? ['', ''] : [draft.source, draft.destination],
        ...(type === 'OUTGOING' && { sent: [draft.sent, draft.sending], fees: draft.fees }),
        ...(type === 'OUTGOING' && { platformFees: draft.platformFees, paymentRail: draft.rail }),
      },
      `${draft.kind} ${draft.id}`,
    );
  }

  /** Now and then the request is sent again with its key: the answer is the same bytes, and nothing moves twice. */
  protected async keyed(path: string, body: unknown): Promise<Answer> {
    const key = idempotent(randomUUID());
    const answer = await this.platform.post(path, body, key);
    if (answer.status < 300 && this.random.chance(0.25))
      this.same((await this.platform.post(path, body, key)).text, answer.text, 'the repeated request');
    return answer;
  }

  // ---- deposits

  protected async deposit(account: Account, amount: number): Promise<Payment> {
    const answer = await this.keyed(`/sandbox/internal-accounts/${account.id}/fund`, { amount });
    this.agree(answer, 200);
    const rail = account.currency === 'USD' ? 'ACH' : null;
    const payment = this.book.add({ ...(await this.newest(account, 'DEPOSIT', account.holder)), ...plain(amount, account.currency), rail });
    this.book.credit(payment, this.now);
    this.same(answer.body.balance.amount, this.book.books.available(account.id), 'the balance');
    return payment;
  }

  /** What the model needs to know of the incoming transaction that was just made for an account. */
  protected async newest({ id: destination }: Account, kind: Draft['kind'], holder: Holder, source = '') {
    const { data } = await expectStatus(
      200,
      this.platform.get(`/transactions?receiverAccountIdentifier=${destination}&type=INCOMING&limit=1`),
    );
    return { id: data[0].id as string, kind, holder: holder.id, source, destination, createdAt: this.now };
  }

  async fund(): Promise<void> {
    const account = this.random.pick(this.internal);
    const amount = this.random.int(1, 60_000);
    this.note('fund', account.currency, amount);
    await this.compare(await this.deposit(account, amount));
    const shown = await expectStatus(200, this.platform.get(`/internal-accounts/${account.id}`));
    this.same(
      [shown.status, shown.balance.currency.code, shown.customerId],
      ['ACTIVE', account.currency, account.holder.customerId],
      'the account',
    );
  }

  // ---- quotes

  /** "payments of the platform itself carry none" */
  protected feesOf(payer: Holder, sending: string, { currency }: Account | Bank, rail: string | null): PlatformFees {
    if (payer.customerId === undefined || sending !== 'USD') return NO_FEES;
    const parts = [...(currency === sending ? [] : [CROSS_FEES]), ...(rail === 'ACH' ? [ACH_FEES] : [])];
    return parts.reduce((sum, { fixed, bps }) => ({ fixed: sum.fixed + fixed, bps: sum.bps + bps }), NO_FEES);
  }

  /** The service has made the quote, and the model makes it too. */
  protected async placed(wanted: Wanted, answer: Answer): Promise<Quote> {
    this.agree(answer, 200);
    const { kind, payer, from, destination, rail, price } = wanted;
    const { sending, receiving } = wanted.corridor;
    const expiresAt = this.now + (kind === 'REALTIME' ? REALTIME_LIFE : QUOTE_LIFE);
    const { id, transactionId, ...shown } = answer.body;
    const payment = this.book.quote({
      ...{ id: transactionId, kind, holder: payer.id, sending, receiving, ...price, rail, expiresAt, createdAt: this.now },
      ...{ source: kind === 'REALTIME' ? '' : from.id, destination: destination.id },
      ...(isBank(destination) && { ending: destination.ending }),
      ...(isBank(from) && { pulledFrom: from.ending }),
    });
    this.same(
      [
        shown.totalSendingAmount,
        shown.totalReceivingAmount,
        shown.feesIncluded,
        shown.platformFeesIncluded,
        shown.exchangeRate,
        shown.expiresAt,
      ],
      [
        price.sent,
        price.received,
        price.fees,
        price.platformFees,
        this.book.market.shown(sending, receiving),
        new Date(expiresAt).toISOString(),
      ],
      'the quote',
    );
    const quote: Quote = { id, payment, destination };
    this.quotes.push(quote);
    return quote;
  }

  protected async compareQuote({ id, payment }: Quote): Promise<void> {
    await this.compare(payment);
    const { status } = await expectStatus(200, this.platform.get(`/quotes/${id}`));
    this.same(status, payment.status, 'the status of the quote is that of its transaction');
  }

  /** The model executes too. A payment to another holder's account is also a transaction of the receiver. */
  protected async executed({ payment, destination }: Quote, shown: Resource): Promise<void> {
    const { draft } = payment;
    this.book.execute(payment, this.now);
    this.same(shown.status, payment.status, 'executed');
    if (draft.kind !== 'QUOTE' || isBank(destination) || destination.holder.id === draft.holder) return;
    const received = plain(draft.received, draft.receiving);
    const twin = this.book.add({ ...(await this.newest(destination, 'RECEIVED', destination.holder, draft.source)), ...received });
    // The money is moved by the payment of the sender.
    twin.settledAt = this.now;
    twin.enter('COMPLETED');
    await this.comparePayment(twin);
  }

  // ---- bank accounts

  protected async open(holder: Holder, currency: string, ending: string): Promise<Bank> {
    const { id, status } = await this.pay[currency === 'USD' ? 'usd' : 'eur'](
      holder.customerId ? { id: holder.customerId } : undefined,
      ending,
    );
    this.same(status, ending === '104' ? 'PENDING' : 'ACTIVE', 'a new bank account');
    const validAt = ending === '104' ? this.now + VALIDATION : 0;
    const bank: Bank = { id, currency, rails: RAILS[currency] ?? [], holder, ending, validAt, isDeleted: false };
    this.banks.push(bank);
    return bank;
  }

  async account(): Promise<void> {
    if (this.banks.length >= 40) return;
    const bank = await this.open(
      this.random.pick(this.holders),
      this.random.pick(['USD', 'EUR']),
      this.random.pick([...ENDINGS.slice(2), '104']),
    );
    this.note('account', bank.currency, bank.ending);
    await this.compareBank(bank);
  }

  protected pathOf({ holder, id }: Bank): string {
    return `/${holder.customerId ? 'customers' : 'platform'}/external-accounts/${id}`;
  }
  protected gistOf({ id, holder, currency, status, validAt }: Bank) {
    return [id, holder.customerId ?? null, currency, status ?? (validAt <= this.now ? 'ACTIVE' : 'PENDING')];
  }

  protected async compareBank(bank: Bank): Promise<void> {
    const answer = await this.platform.get(this.pathOf(bank));
    if (bank.isDeleted) return this.agree(answer, [404, 'ACCOUNT_NOT_FOUND']);
    this.agree(answer, 200);
    const { id, customerId = null, currency, status } = answer.body;
    this.same([id, customerId, currency, status], this.gistOf(bank), 'the bank account');
  }

  async forget(): Promise<void> {
    // One bank account of each holder and currency stays. The platform has many.
    const isOfCustomer = this.random.chance(0.5);
    const others = this.banks.slice(6).filter(({ holder }) => (holder.customerId !== undefined) === isOfCustomer);
    const bank = this.any(others) ?? (await this.open(this.holders[1] as Holder, 'EUR', '003'));
    const answer = await this.platform.delete(this.pathOf(bank));
    this.note('forget', bank.ending);
    this.agree(answer, bank.isDeleted ? [404, 'ACCOUNT_NOT_FOUND'] : 204);
    if (!bank.isDeleted) bank.forgottenAt = this.now;
    bank.isDeleted = true;
    await this.compareBank(bank);
  }

  /** All pages of a list, each with the number of all matches. */
  protected async pages(path: string, count: number): Promise<Resource[]> {
    const list: Resource[] = [];
    for (let cursor = ''; ; ) {
      const page = await expectStatus(200, this.platform.get(path + cursor));
      this.same(page.totalCount, count, 'the number of matches');
      list.push(...page.data);
      if (!page.hasMore) return list;
      cursor = `&cursor=${page.nextCursor}`;
    }
  }

  // ---- time and the end

  protected override passed(): void {
    this.book.until(this.now);
  }

  protected async compareAll(): Promise<void> {
    await this.compareBalances();
    for (const bank of this.banks.filter(({ ending }) => ending === '104')) await this.compareBank(bank);
    const { payments } = this.book;
    const shown = new Map<string, Resource>();
    for (const type of ['INCOMING', 'OUTGOING']) {
      const count = payments.filter((payment) => payment.type === type).length;
      for (const each of await this.pages(`/transactions?type=${type}&limit=100`, count)) shown.set(each.id, each);
    }
    for (const payment of payments) this.sameAs(shown.get(payment.draft.id), payment);
  }

  protected override async finish(): Promise<void> {
    await this.pass(2 * DAY);
    await this.compareAll();
    for (const bank of this.banks) await this.compareBank(bank);
    for (const { id, payment } of this.quotes)
      this.same((await expectStatus(200, this.platform.get(`/quotes/${id}`))).status, payment.status, 'the quote at the end');
    // "Nothing below is a stub": what is still in clearing would be on its way for ever.
    for (const place of Object.keys(this.book.books.positions())) this.same(place.startsWith('CLEARING'), false, place);
  }

  protected override expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    for (const { customerId } of this.holders) if (customerId) expected.set(customerId, ['CUSTOMER.KYC_APPROVED APPROVED']);
    for (const { draft, events } of this.book.payments) expected.set(draft.id, events);
    // A bank account that is deleted before its bank has checked it says nothing more.
    for (const { id, validAt, forgottenAt } of this.banks)
      if (validAt > 0 && (forgottenAt ?? this.now) >= validAt) expected.set(id, ['EXTERNAL_ACCOUNT.STATUS_UPDATED ACTIVE']);
    return expected;
  }

  /** Payments tell their reason and their refund too. */
  protected override eventText(event: Event): string | undefined {
    const { type, data } = event;
    if (!/^(INCOMING|OUTGOING)_PAYMENT\./.test(type)) return super.eventText(event);
    return [type, data.status, data.failureReason ?? '-', data.refund?.status ?? '-'].join(' ');
  }
}
