// Histories of where money goes: bank accounts, wallets with the fee of their network, documented payments, rule-based accounts that sweep
// what they receive, and the volume of a day.
import { randomUUID } from 'node:crypto';
import { idempotent } from '../../support/cards.js';
import { expectStatus } from '../../support/client.js';
import { filePart } from '../../support/documents.js';
import { evmWallet, solanaWallet } from '../../support/external-accounts/wallets.js';
import { jpeg, pdf, png } from '../../support/multipart.js';
import { chineseBusiness, uploadPaymentDocument } from '../../support/payment-documents.js';
import { type Command, DAY, type Expected } from './history.js';
import { type Payment, SECOND } from './payment-book.js';
import {
  type Account,
  type Bank,
  defaultRailOf,
  type Holder,
  isBank,
  PayingHistory,
  plain,
  UNKNOWN,
  type Wanted,
} from './payment-history.js';

// ---- state of the model

type Paper = { readonly id: string; readonly holder: Holder; readonly type: string; readonly createdAt: number; quoteId?: string };
type Rule = { readonly id: string; readonly holder: Holder; readonly destination: Account | Bank };

/** What a purpose asks for, and which documents are taken for it. */
const PURPOSES: Readonly<Record<string, readonly string[]>> = {
  SERVICE_CHARGES: ['SERVICE_AGREEMENT'],
  TRAVEL: ['TRAVEL_PROOF'],
  EXPORTED_GOODS_POSTPAYMENT: ['TRADE_AGREEMENT', 'PROOF_OF_SHIPMENT'],
};
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  SERVICE_AGREEMENT: ['CONTRACT', 'INVOICE'],
  TRADE_AGREEMENT: ['CONTRACT', 'PURCHASE_ORDER', 'INVOICE'],
  PROOF_OF_SHIPMENT: ['CUSTOMS_DECLARATION', 'BILL_OF_LADING', 'LOGISTICS_BILL', 'DELIVERY_SLIP'],
  TRAVEL_PROOF: ['FLIGHT_TICKET', 'TRAVEL_DOCUMENT'],
};
const PAPERS = ['CONTRACT', 'INVOICE', 'PURCHASE_ORDER', 'BILL_OF_LADING', 'DELIVERY_SLIP', 'FLIGHT_TICKET'] as const;
const FILES = [
  [pdf(), 'application/pdf'],
  [png(), 'image/png'],
  [jpeg(), 'image/jpeg'],
] as const;

/** What a withdrawal of USDC costs: the asset of the network, its raw fee, and the fee in USDC. */
const NETWORKS: Readonly<Record<string, readonly [string, number, number]>> = {
  SOLANA: ['SOL', 5_000, 1_000],
  ETHEREUM: ['ETH', 42_000_000_000_000, 150_000],
  BASE: ['ETH', 2_800_000_000_000, 10_000],
  ARBITRUM: ['ETH', 2_800_000_000_000, 10_000],
  POLYGON: ['POL', 2_000_000_000_000_000, 10_000],
};
/** "allowed up to and including the equivalent of 1000.00 EUR": 1,000 / 0.92 dollars. */
const UNPROVEN_MOST = 1_086_956_521;
/** 1,000,000.00 and 100,000.00 dollars in cents of the euro. */
const DAY_MOST = 92_000_000;
const PAYMENT_MOST = 9_200_000;

const WEIGHTS = {
  fund: 3,
  payout: 5,
  account: 3,
  forget: 2,
  accounts: 4,
  document: 4,
  misfile: 1,
  documented: 6,
  papers: 2,
  estimate: 4,
  withdraw: 4,
  rule: 3,
  misrule: 2,
  sweep: 7,
  volume: 1,
  advance: 5,
} as const;
type Kind = keyof typeof WEIGHTS;

export class DestinationHistory extends PayingHistory {
  protected override readonly currencies = ['USD', 'EUR', 'USDC'];
  private readonly filed: Paper[] = [];
  private readonly suppliers = new Map<Holder, Bank>();
  private readonly wallets: Bank[] = [];
  private readonly rules: Rule[] = [];
  /** What has left in euros for dollars, by UTC day. */
  private readonly spent = new Map<number, number>();

  override commands(): Readonly<Record<Kind, Command>> {
    const command = (kind: Kind): Command => [WEIGHTS[kind], () => this[kind]()];
    return Object.fromEntries(Object.keys(WEIGHTS).map((kind) => [kind, command(kind as Kind)])) as Record<Kind, Command>;
  }

  private get customers(): Holder[] {
    return this.holders.filter(({ customerId }) => customerId !== undefined);
  }
  private get own(): Holder {
    return this.holders[0] as Holder;
  }
  private accountOf({ accounts }: Holder, currency: string): Account {
    return accounts.find((account) => account.currency === currency) as Account;
  }
  private wanted(
    from: Account,
    destination: Account | Bank,
    amount: number,
    network?: number,
  ): Omit<Wanted, 'price'> & { price: Wanted['price'] | undefined } {
    const rail = defaultRailOf(destination);
    const platform = this.feesOf(from.holder, from.currency, destination, rail);
    const corridor = { sending: from.currency, receiving: destination.currency, platform, ...(network && { network }) };
    return {
      kind: 'QUOTE',
      payer: from.holder,
      from,
      destination,
      rail,
      corridor,
      price: this.book.market.price(corridor, 'SENDING', amount),
    };
  }

  // ---- payments to banks

  /** Creates and executes in one step, or does neither. */
  async payout(): Promise<void> {
    const from = this.accountOf(this.random.pick(this.holders), 'USD');
    const destination = this.random.pick(this.payableBy(from.holder));
    const amount = this.random.int(200, 30_000);
    this.note('payout', destination.currency, destination.ending, amount);
    await this.payAtOnce(from, destination, amount);
  }

  private async payAtOnce(from: Account, destination: Account | Bank, amount: number): Promise<Payment | undefined> {
    const wanted = this.wanted(from, destination, amount);
    const answer = await this.keyed('/quotes', this.pay.request(from, destination, amount, { immediatelyExecute: true }));
    const { price } = wanted;
    if (!price || amount > this.book.books.available(from.id)) {
      this.agree(answer, [400, price ? 'INSUFFICIENT_FUNDS' : 'AMOUNT_OUT_OF_RANGE']);
      return undefined;
    }
    const quote = await this.placed({ ...wanted, price }, answer);
    await this.executed(quote, answer.body);
    await this.compareQuote(quote);
    return quote.payment;
  }

  /** "counted at execution in USD equivalent of the sending amount, for what leaves"; "exactly the limit is allowed" */
  async volume(): Promise<void> {
    const [from, destination] = [this.accountOf(this.own, 'EUR'), this.bankOf(this.own, 'USD')];
    const day = Math.floor(this.now / DAY);
    const left = () => DAY_MOST - (this.spent.get(day) ?? 0);
    this.note('volume', left());
    if (left() > 0) await this.deposit(from, left() + 1_000);
    while (left() > 0) {
      const amount = Math.min(left(), PAYMENT_MOST);
      await this.payAtOnce(from, destination, amount);
      this.spent.set(day, (this.spent.get(day) ?? 0) + amount);
    }
    const wanted = this.wanted(from, destination, 1_000);
    const body = this.pay.request(from, destination, 1_000);
    this.agree(await this.platform.post('/quotes', { ...body, immediatelyExecute: true }), [429, 'DAILY_VOLUME_LIMIT_EXCEEDED']);
    const quote = await this.placed({ ...wanted, price: wanted.price as Wanted['price'] }, await this.platform.post('/quotes', body));
    this.agree(await this.platform.post(`/quotes/${quote.id}/execute`), [429, 'DAILY_VOLUME_LIMIT_EXCEEDED']);
    await this.compareQuote(quote);
  }

  // ---- lists of bank accounts

  async accounts(): Promise<void> {
    for (const holder of [this.own, this.random.pick(this.customers)]) await this.listed(holder);
  }

  private async listed(holder: Holder): Promise<void> {
    const currency = this.random.pick(['USD', 'EUR', 'CNY', 'USDC', undefined]);
    const all = [...this.banks, ...this.suppliers.values(), ...this.wallets];
    const found = all.filter((bank) => !bank.isDeleted && bank.holder === holder && (currency ?? bank.currency) === bank.currency);
    const query = new URLSearchParams({
      ...{ limit: this.random.pick(['2', '100']) },
      ...(holder.customerId && { customerId: holder.customerId }),
      ...(currency && { currency }),
    });
    this.note('accounts', currency);
    const shown = await this.pages(`/${holder.customerId ? 'customers' : 'platform'}/external-accounts?${query}`, found.length);
    const gists = shown.map(({ id, customerId = null, currency: code, status }) => [id, customerId, code, status]);
    this.same(gists.sort(), found.map((bank) => this.gistOf(bank)).sort(), 'the bank accounts');
  }

  // ---- documents

  private async file(holder: Holder, type: string): Promise<Paper> {
    const [content, contentType] = this.random.pick(FILES);
    // The kind is told by the content, whatever the name.
    const answer = await uploadPaymentDocument(
      this.platform,
      { documentType: type, customerId: holder.customerId },
      filePart(content, 'paper.pdf'),
    );
    this.agree(answer, 201);
    const paper: Paper = { id: answer.body.id, holder, type, createdAt: this.now };
    this.filed.push(paper);
    const { fileName, sizeBytes } = answer.body;
    this.same([fileName, sizeBytes, answer.body.contentType], ['paper.pdf', content.length, contentType], 'the file');
    await this.compareFiled(paper);
    return paper;
  }

  private stateOf({ quoteId, createdAt }: Paper): string {
    return quoteId !== undefined ? 'ATTACHED' : this.now >= createdAt + DAY ? 'EXPIRED' : 'UPLOADED';
  }

  private async compareFiled(paper: Paper): Promise<void> {
    const shown = await expectStatus(200, this.platform.get(`/payment-documents/${paper.id}`));
    this.same(
      [shown.customerId, shown.documentType, shown.status, shown.quoteId, shown.expiresAt],
      [paper.holder.customerId, paper.type, this.stateOf(paper), paper.quoteId, new Date(paper.createdAt + DAY).toISOString()],
      'the document',
    );
  }

  async document(): Promise<void> {
    const type = this.random.pick(PAPERS);
    this.note('document', type);
    await this.file(this.random.pick(this.holders), type);
  }

  async misfile(): Promise<void> {
    const documentType = this.random.pick(PAPERS);
    this.note('misfile');
    const unknown = await uploadPaymentDocument(this.platform, { documentType, customerId: `Customer:${UNKNOWN}` });
    this.agree(unknown, [404, 'CUSTOMER_NOT_FOUND']);
    const text = await uploadPaymentDocument(this.platform, { documentType }, filePart(Buffer.from('a text'), 'paper.pdf'));
    this.agree(text, [400, 'INVALID_INPUT']);
    this.agree(await this.platform.get(`/payment-documents/PaymentDocument:${UNKNOWN}`), [404, 'PAYMENT_DOCUMENT_NOT_FOUND']);
  }

  async papers(): Promise<void> {
    if (this.filed.length === 0) return this.document();
    this.note('papers');
    for (const paper of this.filed) await this.compareFiled(paper);
  }

  /** A business in China is paid with documents of the sender that the purpose asks for. */
  async documented(): Promise<void> {
    const holder = this.random.pick(this.holders);
    const purpose = this.random.pick([...Object.keys(PURPOSES), 'GIFT']);
    const needs = PURPOSES[purpose] ?? [];
    const papers = this.random.chance(0.6) && needs.length > 0 ? [] : this.somePapers();
    if (papers.length === 0 && this.random.chance(0.8))
      for (const need of needs)
        papers.push(
          await this.file(holder, this.random.pick((TAKEN[need] ?? []).filter((type) => (PAPERS as readonly string[]).includes(type)))),
        );
    const refusal = this.refusalOf(holder, purpose, papers);
    if (refusal === 'UNDECIDED') return;
    const supplier = await this.supplierOf(holder);
    const from = this.accountOf(holder, 'USD');
    const amount = this.random.int(500, 20_000);
    const fields = { purposeOfPayment: purpose, ...(papers.length > 0 && { documentIds: papers.map(({ id }) => id) }) };
    const body = this.pay.request(from, supplier, amount, fields);
    const [key, send] = [idempotent(randomUUID()), (sent = {}) => this.platform.post('/quotes', body, sent)];
    // "A refused request leaves its key free": the same key is used below.
    if (papers.length > 0 && this.random.chance(0.3)) this.agree(await send(), [400, 'INVALID_INPUT']);
    const answer = await send(key);
    this.note('documented', purpose, ...papers.map((paper) => `${paper.type} ${this.stateOf(paper)}`));
    if (refusal) this.agree(answer, refusal);
    else {
      const wanted = this.wanted(from, supplier, amount);
      const quote = await this.placed({ ...wanted, price: wanted.price as Wanted['price'] }, answer);
      for (const paper of papers) paper.quoteId = quote.id;
      this.same([answer.body.purposeOfPayment, answer.body.documentIds], [purpose, papers.map(({ id }) => id)], 'what supports the quote');
      this.same((await send(key)).text, answer.text, 'the repeated request');
      await this.compareQuote(quote);
    }
    for (const paper of papers) await this.compareFiled(paper);
  }

  private somePapers(): Paper[] {
    const picked = new Set([1, 2].map(() => this.any(this.filed)).filter((paper) => paper !== undefined));
    return [...picked];
  }

  private async supplierOf(holder: Holder): Promise<Bank> {
    const known = this.suppliers.get(holder);
    if (known) return known;
    const { id } = await chineseBusiness(this.platform, holder.customerId ? { id: holder.customerId } : undefined);
    const supplier: Bank = { id, currency: 'CNY', rails: ['BANK_TRANSFER'], holder, ending: '999', validAt: 0, isDeleted: false };
    this.suppliers.set(holder, supplier);
    return supplier;
  }

  /** UNDECIDED: two refusals apply, and the facts do not say which comes first. */
  private refusalOf(holder: Holder, purpose: string, papers: readonly Paper[]): Expected | undefined | 'UNDECIDED' {
    if (papers.some((paper) => paper.holder !== holder)) return [404, 'PAYMENT_DOCUMENT_NOT_FOUND'];
    const states = new Set(papers.map((paper) => this.stateOf(paper)));
    if (states.has('ATTACHED') && states.has('EXPIRED')) return 'UNDECIDED';
    if (states.has('ATTACHED')) return [409, 'PAYMENT_DOCUMENT_ALREADY_USED'];
    if (states.has('EXPIRED')) return [410, 'PAYMENT_DOCUMENT_EXPIRED'];
    const needs = PURPOSES[purpose];
    if (!needs) return papers.length > 0 ? 'UNDECIDED' : [400, 'SENDER_NOT_ACCEPTED'];
    // The requirements of a purpose share no type of document, so each document fills at most one of them.
    const open = needs.filter((need) => !papers.some(({ type }) => TAKEN[need]?.includes(type)));
    const isSuperfluous = papers.length > needs.length - open.length;
    if (open.length > 0 && isSuperfluous) return 'UNDECIDED';
    return open.length > 0 ? [400, 'DOCUMENTS_REQUIRED'] : isSuperfluous ? [400, 'INVALID_INPUT'] : undefined;
  }

  // ---- withdrawals

  private someAddress(network: string): string {
    for (;;) {
      const name = this.random.bytes(8).toString('hex');
      const { address } = network === 'SOLANA' ? solanaWallet(name) : evmWallet(name);
      // Other endings choose what the rail does.
      if (!/(00[2-7]|10[2-7])$/.test(address)) return address;
    }
  }

  async estimate(): Promise<void> {
    const network = this.random.pick(Object.keys(NETWORKS));
    const [asset, raw, fee] = NETWORKS[network] as (typeof NETWORKS)[string];
    const amount = this.random.pick([fee, fee + 1, this.random.int(1, 5_000_000)]);
    const usdc = this.accountOf(this.own, 'USDC');
    const good = {
      internalAccountId: usdc.id,
      currency: 'USDC',
      cryptoNetwork: network,
      destinationAddress: this.someAddress(network),
      amount,
    };
    const ask = (fields: object = {}) => this.platform.post('/crypto/estimate-withdrawal-fee', { ...good, ...fields });
    const answer = await ask();
    this.note('estimate', network, amount);
    this.agree(answer, amount - fee < 1 ? [400, 'AMOUNT_OUT_OF_RANGE'] : 200);
    if (amount > fee)
      this.same(
        answer.body,
        { networkFee: raw, networkFeeAsset: asset, applicationFee: 0, totalFee: fee, netAmount: amount - fee },
        'the estimate',
      );
    const wrong: readonly (readonly [object, Expected])[] = [
      [{ internalAccountId: `InternalAccount:${UNKNOWN}` }, [404, 'ACCOUNT_NOT_FOUND']],
      [{ internalAccountId: this.accountOf(this.own, 'EUR').id, currency: 'EUR' }, [400, 'INVALID_INPUT']],
      [{ currency: 'BTC' }, [400, 'INVALID_CURRENCY']],
      [{ destinationAddress: this.someAddress(network === 'SOLANA' ? 'BASE' : 'SOLANA') }, [400, 'INVALID_INPUT']],
    ];
    const [fields, expected] = this.random.pick(wrong);
    this.agree(await ask({ ...fields, amount: 5_000_000 }), expected);
  }

  /** "A withdrawal made at once costs exactly the estimate." A wallet that nobody has proven to own takes small amounts only. */
  async withdraw(): Promise<void> {
    const network = this.random.pick(Object.keys(NETWORKS));
    const fee = NETWORKS[network]?.[2] as number;
    const address = this.someAddress(network);
    const from = this.accountOf(this.own, 'USDC');
    const { id, status } = await this.pay.external(
      undefined,
      'USDC',
      { accountType: `${network}_WALLET`, address },
      { ownershipType: 'FIRST_PARTY' },
    );
    this.same(status, 'PENDING_OWNERSHIP_VERIFICATION', 'a new wallet');
    const wallet: Bank = {
      id,
      currency: 'USDC',
      rails: [],
      holder: this.own,
      ending: address.slice(-3),
      status,
      validAt: 0,
      isDeleted: false,
    };
    this.wallets.push(wallet);
    const amount = this.random.pick([UNPROVEN_MOST, UNPROVEN_MOST + 1, this.random.int(1_000_000, 50_000_000)]);
    const wanted = this.wanted(from, wallet, amount, fee);
    const answer = await this.platform.post('/quotes', this.pay.request(from, wallet, amount));
    this.note('withdraw', network, amount);
    if (amount > UNPROVEN_MOST) return this.agree(answer, [400, 'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED']);
    const quote = await this.placed({ ...wanted, price: wanted.price as Wanted['price'] }, answer);
    const executed = await this.platform.post(`/quotes/${quote.id}/execute`);
    const isShort = amount > this.book.books.available(from.id);
    this.agree(executed, isShort ? [400, 'INSUFFICIENT_FUNDS'] : 200);
    if (!isShort) await this.executed(quote, executed.body);
    await this.compareQuote(quote);
  }

  // ---- rule-based accounts

  async rule(): Promise<void> {
    if (this.rules.length >= 8) return;
    const holder = this.random.pick(this.customers);
    const inside = [this.accountOf(holder, 'USD'), this.accountOf(holder, 'EUR'), this.accountOf(this.own, 'USD')];
    const destination = this.random.chance(0.5) ? this.random.pick(inside) : this.random.pick(this.payableBy(holder));
    const label = `Rule ${this.rules.length}`;
    const sweepRule = { destination: { accountId: destination.id } };
    const answer = await this.keyed('/internal-accounts', { type: 'RULE_BASED', currency: 'USD', customerId: holder.id, label, sweepRule });
    this.note('rule', isBank(destination) ? destination.ending : destination.currency);
    this.agree(answer, 201);
    const rule = { id: answer.body.id, holder, destination };
    this.rules.push(rule);
    const [least, most] = this.bandOf(rule);
    const shown = await expectStatus(200, this.platform.get(`/internal-accounts/${rule.id}`));
    this.same(
      [
        shown.type,
        shown.customerId,
        shown.label,
        shown.sweepRule.destination,
        shown.sweepRule.minimumAmount.amount,
        shown.sweepRule.maximumAmount.amount,
      ],
      ['RULE_BASED', holder.id, label, sweepRule.destination, least, most],
      'the rule',
    );
    const rules = this.rules.filter((each) => each.holder === holder).map(({ id }) => id);
    const list = await this.pages(`/customers/internal-accounts?type=RULE_BASED&customerId=${holder.id}&limit=2`, rules.length);
    this.same(list.map(({ id }) => id).sort(), rules.sort(), 'the rule-based accounts');
  }

  /** "internal USD destination 1..1000000000; otherwise the corridor band" */
  private bandOf({ destination }: Rule): [number, number] {
    return !isBank(destination) && destination.currency === 'USD' ? [1, 1_000_000_000] : this.book.market.band('USD');
  }

  async misrule(): Promise<void> {
    const [customer, other] = this.customers as [Holder, Holder];
    const to = (accountId: string) => ({ sweepRule: { destination: { accountId } } });
    const own = this.accountOf(customer, 'USD').id;
    const cases: Record<string, readonly [object, Expected]> = {
      type: [{ type: 'INTERNAL_FIAT' }, [400, 'INVALID_INPUT']],
      currency: [{ currency: 'EUR' }, [400, 'INVALID_INPUT']],
      'no rule': [{ sweepRule: undefined }, [400, 'INVALID_INPUT']],
      stranger: [to(this.bankOf(other, 'EUR').id), [400, 'INVALID_INPUT']],
      'unknown destination': [to(`InternalAccount:${UNKNOWN}`), [404, 'ACCOUNT_NOT_FOUND']],
      'unknown customer': [{ customerId: `Customer:${UNKNOWN}` }, [404, 'CUSTOMER_NOT_FOUND']],
      ...(this.rules[0] && { 'rule-based destination': [to(this.rules[0].id), [400, 'INVALID_INPUT']] }),
    };
    const name = this.random.pick(Object.keys(cases));
    const [fields, expected] = cases[name] as (typeof cases)[string];
    this.note('misrule', name);
    const body = { type: 'RULE_BASED', currency: 'USD', customerId: customer.id, ...to(own) };
    this.agree(await this.platform.post('/internal-accounts', { ...body, ...fields }), expected);
    // "RULE_BASED accounts are neither source nor destination"
    const [rule] = this.rules;
    if (rule)
      this.agree(await this.platform.post('/quotes', this.pay.request(this.accountOf(this.own, 'USD'), rule, 5_000)), [
        400,
        'INVALID_INPUT',
      ]);
  }

  /** Money passes through the holder's own account to the destination of the rule. */
  async sweep(): Promise<void> {
    const rule = this.any(this.rules.filter(({ destination }) => !isBank(destination) || !destination.isDeleted));
    if (!rule) return this.rule();
    const { holder, destination } = rule;
    const [least, most] = this.bandOf(rule);
    const amount = this.random.pick([this.random.int(1, 200), this.random.int(200, 30_000), least, most + 1]);
    const own = this.accountOf(holder, 'USD');
    this.agree(await this.keyed(`/sandbox/internal-accounts/${rule.id}/fund`, { amount }), 200);
    this.note('sweep', isBank(destination) ? destination.ending : destination.currency, amount);
    const { data } = await expectStatus(200, this.platform.get(`/transactions?customerId=${holder.id}&type=INCOMING&limit=1`));
    const ends = { source: '', destination: data[0].destination.accountId as string };
    const deposit = this.book.add({
      id: data[0].id,
      kind: 'DEPOSIT',
      holder: holder.id,
      ...plain(amount, 'USD'),
      ...ends,
      createdAt: this.now,
    });
    this.same(data[0].ruleBasedAccountId, rule.id, 'the rule of the deposit');
    // The holder has the money, whatever becomes of the sweep.
    this.book.books.move('FUNDING USD', own.id, amount);
    deposit.settledAt = this.now;
    if (amount >= least && amount <= most) await this.swept(rule, own, amount, deposit);
    else deposit.enter('FAILED', 'SWEEP_AMOUNT_OUT_OF_RANGE');
    await this.compare(deposit);
    const empty = await expectStatus(200, this.platform.get(`/internal-accounts/${rule.id}`));
    this.same([empty.balance.amount, empty.totalBalance.amount], [0, 0], 'the rule-based account is left at zero');
  }

  private async swept({ id, holder, destination }: Rule, own: Account, amount: number, deposit: Payment): Promise<void> {
    deposit.enter('COMPLETED');
    if (!isBank(destination) && destination.currency === 'USD') {
      this.book.books.move(own.id, destination.id, amount);
      if (destination.holder.id === holder.id) return;
      // What another holder receives is a transaction of theirs.
      const found = await this.newest(destination, 'RECEIVED', destination.holder, own.id);
      const received = this.book.add({ ...found, ...plain(amount, 'USD') });
      received.settledAt = this.now;
      received.enter('COMPLETED');
      return this.compare(received);
    }
    const { price, rail, corridor } = this.wanted(own, destination, amount);
    if (!price) throw new Error('the band leaves something after fees');
    const { data } = await expectStatus(200, this.platform.get(`/transactions?customerId=${holder.id}&type=OUTGOING&limit=1`));
    this.same([data[0].ruleBasedAccountId, data[0].quoteId], [id, undefined], 'the sweep');
    const { sending, receiving } = corridor;
    const payment = this.book.add({
      ...{ id: data[0].id, kind: 'SWEPT', holder: holder.id, sending, receiving, ...price, rail, createdAt: this.now },
      ...{ source: own.id, destination: destination.id, ...(isBank(destination) && { ending: destination.ending }) },
    });
    payment.say('PENDING');
    this.book.execute(payment, this.now);
    await this.compare(payment);
  }

  // ---- time and the end

  async advance(): Promise<void> {
    await this.pass(this.random.pick([1, 30, 31, 360, 3_600, 40_000, 86_400]) * SECOND);
    await this.compareAll();
    for (const paper of this.filed) await this.compareFiled(paper);
  }

  protected override async finish(): Promise<void> {
    await super.finish();
    for (const paper of this.filed) await this.compareFiled(paper);
  }
}
