// Histories of quotes, transfers, incoming payments and their bank accounts: prices, states, balances and the positions of the service.
import { networkOf } from '../../support/card-transactions.js';
import { provisioned, requestCard } from '../../support/cards.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { announceUnasked } from '../../support/incoming.js';
import { transferBody } from '../../support/transferring.js';
import { type Command, DAY, type Expected, MINUTE } from './history.js';
import { type Draft, type Payment, SECOND } from './payment-book.js';
import {
  type Account,
  type Bank,
  CROSS_FEES,
  defaultRailOf,
  type Holder,
  isBank,
  PayingHistory,
  plain,
  type Quote,
  type Resource,
  UNKNOWN,
  type Wanted,
} from './payment-history.js';
import { NO_FEES } from './payment-prices.js';

// ---- state of the model

type CardHold = { readonly transaction: Resource; readonly amount: number; isOver: boolean };

/** An announced payment waits this long: the five seconds of the clock, and the day that `announceUnasked` adds. */
const APPROVAL = DAY + 5 * SECOND;
const ANNOUNCED = 2_500;
const WEIGHTS = {
  fund: 5,
  quote: 10,
  misquote: 5,
  execute: 10,
  send: 4,
  push: 4,
  pull: 4,
  mistransfer: 2,
  cancel: 4,
  incoming: 2,
  decide: 3,
  bank: 5,
  confirm: 3,
  account: 3,
  forget: 1,
  transactions: 4,
  market: 2,
  rates: 3,
  hold: 2,
  release: 2,
  advance: 6,
} as const;
type Kind = keyof typeof WEIGHTS;

export class PaymentHistory extends PayingHistory {
  protected override readonly currencies = ['USD', 'EUR', 'USDB'];
  private readonly holds: CardHold[] = [];
  private card: { readonly id: string; readonly account: Account } | undefined;

  override commands(): Readonly<Record<Kind, Command>> {
    const command = (kind: Kind): Command => [WEIGHTS[kind], () => this[kind]()];
    return Object.fromEntries(Object.keys(WEIGHTS).map((kind) => [kind, command(kind as Kind)])) as Record<Kind, Command>;
  }

  protected override async prepare(): Promise<void> {
    await super.prepare();
    const account = this.holders[1]?.accounts[0] as Account;
    const issued = await expectStatus(201, requestCard(this.platform, { customerId: account.holder.id, fundingSource: account.id }));
    this.card = { id: (await provisioned(this.platform, issued.id)).id, account };
  }

  // ---- quotes

  /** A request that nothing speaks against but its amount, and what the model makes of it. */
  private someQuote(kind: Wanted['kind']) {
    const payer = this.random.pick(this.holders);
    const from = kind === 'PULLED' ? this.bankOf(payer, 'USD') : this.random.pick(payer.accounts);
    const sending = kind === 'REALTIME' ? this.random.pick(['USD', 'EUR']) : from.currency;
    const inside = (kind === 'QUOTE' ? this.internal : payer.accounts).filter((account) => account !== from);
    const outside = this.payableBy(payer).filter((bank) => bank !== from);
    const destination = this.random.chance(0.7) ? this.random.pick(outside) : this.random.pick(inside);
    const rails = isBank(destination) ? destination.rails : [];
    const manual = this.random.chance(0.4) ? this.any(rails) : undefined;
    const rail = manual ?? defaultRailOf(destination);
    const override = payer.customerId !== undefined && sending === 'USD' && this.random.chance(0.25);
    const platform = override
      ? { fixed: this.random.int(0, 60), bps: this.random.int(0, 120) }
      : this.feesOf(payer, sending, destination, rail);
    const side = this.random.chance(0.3) ? ('RECEIVING' as const) : ('SENDING' as const);
    const spendable = this.book.books.available(from.id);
    const exact = kind === 'QUOTE' && side === 'SENDING' && spendable > 200 && payer.customerId !== undefined && this.random.chance(0.2);
    const amount = exact ? spendable + this.random.int(0, 1) : this.random.int(isBank(destination) ? 200 : 1, 40_000);
    const body = {
      source:
        kind === 'REALTIME'
          ? { sourceType: 'REALTIME_FUNDING', currency: sending, ...(payer.customerId && { customerId: payer.customerId }) }
          : { sourceType: 'ACCOUNT', accountId: from.id },
      destination: { destinationType: 'ACCOUNT', accountId: destination.id, ...(manual && { paymentRail: manual }) },
      lockedCurrencySide: side,
      lockedCurrencyAmount: amount,
      ...(override && {
        platformFeeOverride: { platformFixedFee: { amount: platform.fixed, currency: 'USD' }, platformVariableFeeBps: platform.bps },
      }),
    };
    const corridor = { sending, receiving: destination.currency, platform };
    return { kind, payer, from, destination, rail, body, corridor, price: this.book.market.price(corridor, side, amount) };
  }

  quote = (): Promise<void> => this.ask(this.random.weighted({ QUOTE: 8, REALTIME: 2.5, PULLED: 2 }));

  private async ask(kind: Wanted['kind']): Promise<void> {
    const wanted = this.someQuote(kind);
    const { from, destination, body, price } = wanted;
    const { sending, receiving } = wanted.corridor;
    const atOnce = kind === 'QUOTE' && this.random.chance(0.2);
    const answer = await this.keyed('/quotes', { ...body, ...(atOnce && { immediatelyExecute: true }) });
    this.note(
      'quote',
      kind,
      sending,
      receiving,
      body.lockedCurrencySide,
      body.lockedCurrencyAmount,
      isBank(destination) ? destination.ending : 'inside',
    );
    if (!price) return this.agree(answer, [400, 'AMOUNT_OUT_OF_RANGE']);
    if (atOnce && price.sent > this.book.books.available(from.id)) return this.agree(answer, [400, 'INSUFFICIENT_FUNDS']);
    const quote = await this.placed({ ...wanted, price }, answer);
    if (atOnce) await this.executed(quote, answer.body);
    else this.same((await this.platform.get(`/quotes/${quote.id}`)).text, answer.text, 'the quote as it is read');
    await this.compareQuote(quote);
  }

  /** One thing is wrong with each of these requests. */
  async misquote(): Promise<void> {
    const [own, customer, other] = this.holders as [Holder, Holder, Holder];
    const [usd, eur] = customer.accounts as [Account, Account];
    const bank = this.bankOf(customer, 'EUR');
    const [least, most] = this.book.market.band('USD');
    const fee = { platformFixedFee: { amount: 5, currency: 'USD' }, platformVariableFeeBps: 0 };
    const realtime = (fields: object) => ({
      source: { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: customer.id, ...fields },
    });
    const validating = this.any(this.banks.filter(({ validAt, isDeleted }) => validAt > this.now && !isDeleted));
    const gone = this.any(this.banks.filter(({ isDeleted }) => isDeleted));
    const ask = (source: { id: string }, destination: { id: string }, amount = 5_000, fields: Resource = {}) =>
      this.pay.request(source, destination, amount, fields);
    const railOf = (destination: { id: string }, paymentRail: string) => ({
      destination: { destinationType: 'ACCOUNT', accountId: destination.id, paymentRail },
    });
    const cases: Record<string, readonly [Resource, Expected]> = {
      'unknown source': [ask({ id: `InternalAccount:${UNKNOWN}` }, bank), [404, 'ACCOUNT_NOT_FOUND']],
      'unknown destination': [ask(usd, { id: `ExternalAccount:${UNKNOWN}` }), [404, 'ACCOUNT_NOT_FOUND']],
      'unknown customer': [ask(usd, bank, 5_000, realtime({ customerId: `Customer:${UNKNOWN}` })), [404, 'CUSTOMER_NOT_FOUND']],
      'to itself': [ask(usd, usd), [400, 'SELF_PAYMENT']],
      "another customer's bank": [ask(usd, this.bankOf(other, 'EUR')), [400, 'INVALID_INPUT']],
      'another holder': [
        ask(usd, bank, 5_000, { source: { sourceType: 'ACCOUNT', accountId: usd.id, customerId: other.id } }),
        [400, 'INVALID_INPUT'],
      ],
      'rail of another account': [ask(usd, bank, 5_000, railOf(bank, 'ACH')), [400, 'INVALID_INPUT']],
      'rail inside': [ask(usd, eur, 5_000, railOf(eur, 'ACH')), [400, 'INVALID_INPUT']],
      'below the band': [ask(usd, bank, least - 1), [400, 'AMOUNT_OUT_OF_RANGE']],
      'above the band': [ask(usd, bank, most + 1), [400, 'TRANSACTION_SIZE_LIMIT_EXCEEDED']],
      'fee in another currency': [ask(eur, bank, 5_000, { platformFeeOverride: fee }), [400, 'INVALID_INPUT']],
      "fee of the platform's own payment": [
        ask(own.accounts[0] as Account, bank, 5_000, { platformFeeOverride: fee }),
        [400, 'INVALID_INPUT'],
      ],
      'realtime at once': [ask(usd, bank, 5_000, { ...realtime({}), immediatelyExecute: true }), [400, 'INVALID_INPUT']],
      'realtime currency': [ask(usd, bank, 5_000, realtime({ currency: 'MXN' })), [400, 'INVALID_CURRENCY']],
      ...(validating && { validating: [ask(own.accounts[0] as Account, validating), [409, 'BANK_ACCOUNT_VALIDATION_PENDING']] }),
      ...(gone && { deleted: [ask(own.accounts[0] as Account, gone), [404, 'ACCOUNT_NOT_FOUND']] }),
    };
    const name = this.random.pick(Object.keys(cases));
    const [body, expected] = cases[name] as (typeof cases)[string];
    const answer = await this.platform.post('/quotes', body);
    this.note('misquote', name);
    this.agree(answer, expected);
    await this.compare();
  }

  async execute(): Promise<void> {
    const waiting = this.quotes.filter(({ payment }) => payment.status === 'PENDING' && payment.draft.kind !== 'REALTIME');
    const quote = this.random.chance(0.75) ? this.any(waiting) : this.latest(this.quotes);
    if (!quote) return this.ask('QUOTE');
    const { payment, destination } = quote;
    const { kind, source, sent } = payment.draft;
    const isGone = [destination, ...this.banks.filter(({ id }) => id === source)].some((place) => isBank(place) && place.isDeleted);
    // Nothing says which refusal of an ended quote to a deleted account comes first.
    if (isGone && payment.status !== 'PENDING') return;
    const answer = await this.keyed(`/quotes/${quote.id}/execute`, undefined);
    this.note('execute', kind, payment.status, isBank(destination) ? destination.ending : 'inside');
    const refusal: Expected | undefined =
      payment.status === 'EXPIRED'
        ? [400, 'QUOTE_EXPIRED']
        : payment.status !== 'PENDING'
          ? [409, 'CONFLICT']
          : isGone && kind !== 'REALTIME'
            ? [404, 'ACCOUNT_NOT_FOUND']
            : kind === 'REALTIME'
              ? [400, 'INVALID_INPUT']
              : kind === 'QUOTE' && sent > this.book.books.available(source)
                ? [400, 'INSUFFICIENT_FUNDS']
                : undefined;
    this.agree(answer, refusal ?? 200);
    if (!refusal) await this.executed(quote, answer.body);
    await this.compareQuote(quote);
  }

  /** The payer of a realtime quote sends the money, mostly what is asked for. */
  async send(): Promise<void> {
    const find = () =>
      this.quotes.filter(({ payment: { draft, status }, destination }) => {
        return draft.kind === 'REALTIME' && status === 'PENDING' && !(isBank(destination) && destination.isDeleted);
      });
    if (find().length === 0) await this.ask('REALTIME');
    const waiting = find();
    const quote = this.random.chance(0.8)
      ? this.any(waiting)
      : this.latest(this.quotes.filter(({ payment }) => payment.status !== 'PENDING'));
    if (!quote) return;
    const { payment } = quote;
    const { sending, kind, sent } = payment.draft;
    const wrong = this.random.weighted({ nothing: 7, amount: 2, currency: 1 });
    const amount = wrong === 'amount' ? sent + this.random.pick([-1, 1]) : sent;
    const answer = await this.platform.post('/sandbox/send', {
      ...{ quoteId: quote.id, currencyCode: wrong === 'currency' ? 'MXN' : sending },
      ...(amount !== sent && { currencyAmount: amount }),
    });
    this.note('send', payment.status, wrong);
    if (payment.status === 'PENDING' && wrong !== 'currency') {
      this.agree(answer, 200);
      if (amount === sent) await this.executed(quote, answer.body);
      else this.book.mismatch(payment, amount);
    } else if (wrong !== 'currency' || payment.status === 'PENDING')
      this.agree(answer, kind === 'REALTIME' && payment.status === 'EXPIRED' ? [400, 'QUOTE_EXPIRED'] : [400, 'INVALID_INPUT']);
    await this.compareQuote(quote);
  }

  // ---- transfers

  push = (): Promise<void> => this.transfer('PUSH');
  pull = (): Promise<void> => this.transfer('PULL');

  private async transfer(kind: 'PUSH' | 'PULL', ending?: string): Promise<void> {
    // The platform has bank accounts of every ending.
    const holder = ending ? (this.holders[0] as Holder) : this.random.pick(this.holders);
    const account = holder.accounts.find(({ currency }) => currency === 'USD') as Account;
    const banks = kind === 'PUSH' ? this.payableBy(holder) : this.liveBanks.filter((each) => each.holder === holder);
    const bank = this.any(banks.filter((each) => each.currency === 'USD' && (ending ?? each.ending) === each.ending));
    if (!bank) return;
    const spendable = this.book.books.available(account.id);
    const amount =
      kind === 'PUSH' && holder.customerId !== undefined && spendable > 0 && this.random.chance(0.2)
        ? spendable + this.random.int(0, 1)
        : this.random.int(1, 20_000);
    const [source, destination] = kind === 'PUSH' ? [account, bank] : [bank, account];
    const answer = await this.keyed(kind === 'PUSH' ? '/transfer-out' : '/transfer-in', transferBody(source, destination, amount));
    this.note(kind.toLowerCase(), bank.ending, amount);
    const platform = kind === 'PUSH' ? this.feesOf(holder, 'USD', bank, 'ACH') : NO_FEES;
    const price = this.book.market.price({ sending: 'USD', receiving: 'USD', platform }, 'SENDING', amount);
    if (!price && amount <= spendable) return this.agree(answer, [400, 'AMOUNT_OUT_OF_RANGE']);
    if (!price || (kind === 'PUSH' && amount > spendable)) return this.agree(answer, [400, 'INSUFFICIENT_FUNDS']);
    this.agree(answer, 200);
    this.same(answer.body.status, 'PENDING', 'a new transfer');
    const payment = this.book.add({
      ...{ id: answer.body.id, kind, holder: holder.id, sending: 'USD', receiving: 'USD', ...price, rail: 'ACH', ending: bank.ending },
      ...{ source: source.id, destination: destination.id, createdAt: this.now },
    });
    this.book.transfer(payment, this.now);
    await this.compare(payment);
  }

  async mistransfer(): Promise<void> {
    const [, customer, other] = this.holders as [Holder, Holder, Holder];
    const [usd, eur] = customer.accounts as [Account, Account];
    const cases: Record<string, readonly [string, Resource, Expected]> = {
      currency: ['/transfer-out', transferBody(usd, this.bankOf(customer, 'EUR'), 100), [400, 'INVALID_CURRENCY']],
      'currency in': ['/transfer-in', transferBody(this.bankOf(customer, 'USD'), eur, 100), [400, 'INVALID_CURRENCY']],
      'not pullable': ['/transfer-in', transferBody(this.bankOf(customer, 'EUR'), eur, 100), [400, 'INVALID_INPUT']],
      'not the same holder': ['/transfer-in', transferBody(this.bankOf(other, 'USD'), usd, 100), [400, 'INVALID_INPUT']],
      stranger: ['/transfer-out', transferBody(usd, this.bankOf(other, 'USD'), 100), [400, 'INVALID_INPUT']],
      'no amount': ['/transfer-out', transferBody(usd, this.bankOf(customer, 'USD'), undefined), [400, 'INVALID_INPUT']],
      unknown: ['/transfer-out', transferBody(usd, { id: `ExternalAccount:${UNKNOWN}` }, 100), [404, 'ACCOUNT_NOT_FOUND']],
    };
    const name = this.random.pick(Object.keys(cases));
    const [path, body, expected] = cases[name] as (typeof cases)[string];
    this.note('mistransfer', name);
    this.agree(await this.platform.post(path, body), expected);
    await this.compare();
  }

  // ---- what the platform and the bank do to a transaction

  async cancel(): Promise<void> {
    const find = () =>
      this.book.payments.filter(({ due, draft, status }) => due.length > 0 && status !== 'COMPLETED' && draft.kind !== 'ANNOUNCED');
    // A bank that does not answer leaves time to cancel.
    if (this.random.chance(0.4)) await this.transfer(this.random.pick(['PUSH', 'PULL']), '005');
    const open = find();
    const payment = this.random.chance(0.6) ? this.latest(open) : this.latest(this.book.payments);
    // The facts name neither payments that wait for a decision nor debits that wait for their bank.
    if (!payment || (payment.draft.kind === 'ANNOUNCED' && payment.status === 'PENDING')) return;
    if (payment.draft.kind === 'PULLED' && payment.status === 'PROCESSING' && !payment.isTaken) return;
    const { kind, rail } = payment.draft;
    const isUnderWay = payment.status === 'PROCESSING' || (payment.status === 'PENDING' && (kind === 'PUSH' || kind === 'PULL'));
    const isBankTransfer = rail === 'ACH' || rail === 'ACH_SAME_DAY' || rail === 'WIRE';
    const answer = await this.platform.post(`/transactions/${payment.draft.id}/cancel`, {});
    this.note('cancel', kind, payment.status, rail);
    if (!isUnderWay) this.agree(answer, [409, 'TRANSACTION_NOT_CANCELLABLE']);
    else if (!isBankTransfer) this.agree(answer, [400, 'INVALID_INPUT']);
    else {
      this.agree(answer, 200);
      const before = payment.status;
      this.book.cancel(payment);
      const expected = payment.type === 'OUTGOING' ? [before, 'PENDING'] : ['FAILED', undefined];
      this.same([answer.body.status, answer.body.refund?.status], expected, 'cancelled');
    }
    await this.compare(payment);
  }

  /** A counterparty announces a payment to a customer. */
  async incoming(): Promise<void> {
    const account = this.random.pick(this.internal.filter(({ holder, currency }) => holder.customerId !== undefined && currency === 'USD'));
    const id = await announceUnasked(this.service, this.platform, { id: account.id, customerId: account.holder.customerId });
    this.note('incoming');
    const ends = { source: '', destination: account.id };
    const draft: Draft = { id, kind: 'ANNOUNCED', holder: account.holder.id, ...plain(ANNOUNCED, 'USD'), ...ends, createdAt: this.now };
    const payment = this.book.add(draft);
    payment.say('PENDING');
    payment.due.push({ at: this.now + APPROVAL, does: 'EXPIRE' });
    await this.compare(payment);
  }

  async decide(): Promise<void> {
    const find = () => this.book.payments.filter(({ draft, status }) => draft.kind === 'ANNOUNCED' && status === 'PENDING');
    if (find().length === 0) await this.incoming();
    const waiting = find();
    const payment = this.random.chance(0.7) ? this.any(waiting) : this.latest(this.book.payments);
    if (!payment) return;
    const how = this.random.pick(['approve', 'reject']);
    const answer = await this.platform.post(`/transactions/${payment.draft.id}/${how}`, {});
    this.note('decide', how, payment.draft.kind, payment.status);
    if (!waiting.includes(payment)) this.agree(answer, [409, 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL']);
    else {
      this.agree(answer, 200);
      this.book.decide(payment, how === 'approve', this.now);
    }
    // Once decided it stays so.
    for (const again of ['approve', 'reject'])
      this.agree(await this.platform.post(`/transactions/${payment.draft.id}/${again}`, {}), [
        409,
        'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL',
      ]);
    await this.compare(payment);
  }

  async bank(): Promise<void> {
    // What a return means to a payment that was debited from a bank account is not said. The deposits of the platform pay for fees that go
    // back: without them, what the reserve bears would depend on the order of things that are due at one instant.
    const own = this.holders[0] as Holder;
    const payments = this.book.payments.filter(
      ({ draft: { kind, holder } }) => kind !== 'PULLED' && !(kind === 'DEPOSIT' && holder === own.id),
    );
    const payment = this.random.chance(0.75) ? this.latest(payments.filter(({ railStatus }) => railStatus)) : this.latest(payments);
    if (!payment) return;
    const event = this.random.pick(['RETURN', 'RETURN', 'DISHONOR', 'CONTEST', 'REVERSE']);
    const answer = await this.platform.post(`/sandbox/transactions/${payment.draft.id}/rail-event`, { event });
    this.note('bank', event, payment.draft.kind, payment.railStatus);
    this.agree(answer, this.book.bank(payment, event) ? 200 : [409, 'CONFLICT']);
    await this.compare(payment);
  }

  async confirm(): Promise<void> {
    const payment = this.latest(this.book.payments);
    // A cancelled payment is COMPLETED and was not delivered: the facts do not say whether a receipt can be confirmed.
    if (!payment || (payment.status === 'COMPLETED' && payment.settledAt === undefined)) return;
    const when = this.random.pick([undefined, this.now, payment.draft.createdAt, payment.draft.createdAt - 1, this.now + 1]);
    const body = when === undefined ? {} : { receiptDeliveryConfirmedAt: new Date(when).toISOString() };
    const answer = await this.platform.post(`/transactions/${payment.draft.id}/confirm`, body);
    this.note('confirm', payment.draft.kind, payment.status, when === undefined ? 'now' : when - this.now);
    const time = when ?? this.now;
    const isAccepted = payment.settledAt !== undefined && time >= payment.draft.createdAt && time <= this.now;
    this.agree(answer, isAccepted ? 200 : [400, 'INVALID_INPUT']);
    if (isAccepted) payment.confirmedAt = time;
    await this.compare(payment);
  }

  async transactions(): Promise<void> {
    const { random } = this;
    const account = random.pick([...this.internal, ...this.banks]).id;
    const filters: Record<string, string> = {
      // Cards have rows too, which a type or a status leaves out.
      ...(random.chance(0.7)
        ? { type: random.pick(['INCOMING', 'OUTGOING']) }
        : { status: random.pick(['COMPLETED', 'FAILED', 'PENDING']) }),
      ...(random.chance(0.4) && { customerId: random.pick(this.holders).id }),
      ...(random.chance(0.5) && { [random.pick(['accountIdentifier', 'senderAccountIdentifier', 'receiverAccountIdentifier'])]: account }),
      ...(random.chance(0.2) && { startDate: new Date(this.now - random.pick([0, 30 * SECOND, DAY])).toISOString() }),
      ...(random.chance(0.2) && { endDate: new Date(this.now - random.pick([0, 1, MINUTE])).toISOString() }),
    };
    const sortOrder = random.pick(['asc', 'desc']);
    const limit = random.pick([3, 100]);
    this.note('transactions', ...Object.keys(filters), sortOrder, limit);
    const found = this.book.payments.filter((payment) => matches(payment, filters));
    const shown = await this.pages(`/transactions?${new URLSearchParams({ ...filters, sortOrder, limit: String(limit) })}`, found.length);
    if (sortOrder === 'desc') found.reverse();
    this.same(
      shown.map(({ id }) => id),
      found.map(({ draft }) => draft.id),
      'the transactions',
    );
    for (const [i, payment] of found.entries()) this.sameAs(shown[i], payment);
  }

  // ---- rates

  /** A new rate holds for new quotes. Without a rate nothing is quoted, and a quote that needs it fails when it is executed. */
  async market(): Promise<void> {
    const perUsd = this.random.pick([null, '0.85', '0.9173', '1.04']);
    const put = (change: object) => this.platform.put('/sandbox/exchange-rates', { currency: 'EUR', ...change });
    this.note('market', perUsd);
    const customer = this.holders[1] as Holder;
    const [from, destination] = [customer.accounts[0] as Account, this.bankOf(customer, 'EUR')];
    const body = this.pay.request(from, destination, 5_000);
    // Nothing says whether the missing rate or missing funds come first.
    const quote =
      this.book.books.available(from.id) < 5_000
        ? undefined
        : await this.quoted(from, destination, await this.platform.post('/quotes', body));
    this.agree(await put({ available: false }), 200);
    this.agree(await this.platform.post('/quotes', body), [504, 'QUOTE_REQUEST_FAILED']);
    if (quote) {
      this.agree(await this.platform.post(`/quotes/${quote.id}/execute`), [400, 'QUOTE_RATE_UNAVAILABLE']);
      quote.payment.due = [];
      quote.payment.enter('FAILED', 'QUOTE_RATE_UNAVAILABLE');
    }
    const answer = await put({ perUsd, available: true });
    this.agree(answer, 200);
    this.same(answer.body, { currency: 'EUR', perUsd, available: true }, 'the rate');
    this.book.market.set('EUR', perUsd, this.now);
    await this.compare(quote?.payment);
  }

  private quoted(from: Account, destination: Bank, answer: Answer): Promise<Quote> {
    const corridor = { sending: 'USD', receiving: 'EUR', platform: CROSS_FEES };
    const price = this.book.market.price(corridor, 'SENDING', 5_000) as Wanted['price'];
    return this.placed({ kind: 'QUOTE', payer: from.holder, from, destination, rail: defaultRailOf(destination), corridor, price }, answer);
  }

  async rates(): Promise<void> {
    const { random, book } = this;
    const [from, to] = random.pick([
      ['USD', 'EUR'],
      ['USD', 'MXN'],
      ['EUR', 'USD'],
      ['USDB', 'EUR'],
    ] as const);
    const sendingAmount = random.int(1, 50_000);
    this.note('rates', from, to, sendingAmount);
    const query = `sourceCurrency=${from}&destinationCurrency=${to}&sendingAmount=${sendingAmount}`;
    const { data } = await expectStatus(200, this.platform.get(`/exchange-rates?${query}`));
    const platform = from === 'USD' ? CROSS_FEES : NO_FEES;
    const price = book.market.price({ sending: from, receiving: to, platform }, 'SENDING', sendingAmount);
    const slot = this.now - (this.now % (5 * MINUTE));
    const updatedAt = Math.max(slot, book.market.changed.get(from) ?? 0, book.market.changed.get(to) ?? 0);
    this.same(
      data.map((row: Resource) => [
        ...[row.sourceCurrency.code, row.destinationCurrency.code, row.sendingAmount, row.minSendingAmount, row.maxSendingAmount],
        ...[row.exchangeRate, row.receivingAmount, row.updatedAt, price && row.fees.total],
      ]),
      [
        [
          ...[from, to, sendingAmount, ...book.market.band(from)],
          ...[book.market.shown(from, to), price?.received ?? 0, new Date(updatedAt).toISOString(), price?.fees],
        ],
      ],
      'the rate',
    );
  }

  // ---- money that a card holds

  /** "money held for a card cannot be sent" */
  async hold(): Promise<void> {
    const { id, account } = this.card as NonNullable<typeof this.card>;
    const { books } = this.book;
    const available = books.available(account.id);
    if (available < 2) return;
    const amount = this.random.int(1, available);
    const transaction = await networkOf(this.platform, { id }).authorize(amount);
    this.note('hold', amount);
    this.same(transaction.status, 'AUTHORIZED', 'the purchase');
    this.holds.push({ transaction, amount, isOver: false });
    books.held.set(account.id, (books.held.get(account.id) ?? 0) + amount);
    await this.compare();
  }

  async release(): Promise<void> {
    const open = this.holds.filter(({ isOver }) => !isOver);
    if (open.length === 0) return this.hold();
    this.note('release');
    await this.releaseAll([this.random.pick(open)]);
  }

  private async releaseAll(holds: readonly CardHold[]): Promise<void> {
    const { id, account } = this.card as NonNullable<typeof this.card>;
    const { held } = this.book.books;
    for (const hold of holds) {
      await networkOf(this.platform, { id }).reverse(hold.transaction);
      hold.isOver = true;
      held.set(account.id, (held.get(account.id) ?? 0) - hold.amount);
    }
    await this.compare();
  }

  // ---- time and the end

  async advance(): Promise<void> {
    const seconds = this.random.pick([1, 29, 30, 31, 120, 300, 360, 900, 3_600, 90_000]);
    // A purchase would expire on a long way.
    if (seconds > 3_600) await this.releaseAll(this.holds.filter(({ isOver }) => !isOver));
    await this.pass(seconds * SECOND);
    await this.compareAll();
  }

  protected override async finish(): Promise<void> {
    await this.releaseAll(this.holds.filter(({ isOver }) => !isOver));
    await super.finish();
  }

  protected override expected(): Map<string, string[]> {
    const expected = super.expected();
    expected.set(this.card?.id as string, ['card.status_change ACTIVE']);
    for (const { transaction } of this.holds)
      expected.set(transaction.id, ['CARD_TRANSACTION.AUTHORIZED AUTHORIZED', 'CARD_TRANSACTION.VOIDED VOIDED']);
    return expected;
  }
}

function matches({ draft, type, status }: Payment, filters: Readonly<Record<string, string>>): boolean {
  const created = new Date(draft.createdAt).toISOString();
  const [source, destination] = draft.kind === 'ANNOUNCED' ? [] : [draft.source, draft.destination];
  const tests: Record<string, (value: string) => boolean> = {
    type: (value) => type === value,
    status: (value) => status === value,
    customerId: (value) => draft.holder === value,
    accountIdentifier: (value) => source === value || destination === value,
    senderAccountIdentifier: (value) => source === value,
    receiverAccountIdentifier: (value) => destination === value,
    startDate: (value) => created >= value,
    endDate: (value) => created <= value,
  };
  return Object.entries(filters).every(([name, value]) => tests[name]?.(value));
}
