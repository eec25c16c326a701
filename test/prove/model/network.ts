// The simulated network of cards: purchases and credits, messages about them, disputes, balance inquiries and what a card has spent on the day.
import { randomUUID } from 'node:crypto';
import { AccountBalance, type Limits, NO_LIMITS } from '../../support/card-model.js';
import { assertAtRest, byToken, gist, lentByReserve, merchant, purchaseOf, walletCard } from '../../support/card-transactions.js';
import { activating, closing, freezing, givenCard } from '../../support/cards.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { readWindow } from '../../support/statements/history.js';
import { platformIdOf } from '../../support/webhooks/platform.js';
import { type Command, DAY, depositsIn, type Event, type Expected, History, HOUR, MINUTE, START } from './history.js';
import { isOpen, type MessageKind, NetworkModel, type OpeningKind, type Request, type Row, seen } from './network-model.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is checked against the document.
type Resource = any;

type Holder = { readonly customer: string; readonly account: string; readonly balance: AccountBalance; readonly entries: Entry[] };
type Entry = { readonly amount: number; readonly at: number };

export type CardState = {
  readonly id: string;
  readonly program: string;
  readonly holder: Holder;
  readonly book: NetworkModel;
  readonly notified: string[];
};

const SIMULATORS: Readonly<Record<OpeningKind, string>> = {
  AUTHORIZATION: 'authorization',
  FINANCIAL_AUTHORIZATION: 'financial_authorization',
  CREDIT_AUTHORIZATION: 'credit_authorization',
  FINANCIAL_CREDIT_AUTHORIZATION: 'financial_credit_authorization',
  CREDIT_AUTHORIZATION_ADVICE: 'credit_authorization_advice',
};
const KINDS_OF_MESSAGES = {
  CLEARING: 6,
  AUTHORIZATION_REVERSAL: 2,
  AUTHORIZATION_ADVICE: 3,
  AUTHORIZATION_EXPIRY: 1,
  RETURN: 3,
  RETURN_REVERSAL: 2,
} as const satisfies Record<MessageKind, number>;

const WEIGHTS = {
  card: 1,
  fund: 6,
  status: 3,
  limits: 3,
  simulate: 14,
  follow: 12,
  openDispute: 6,
  credit: 6,
  reverseCredit: 4,
  closeDispute: 4,
  spending: 5,
  inquire: 3,
  advance: 5,
} as const;
type Kind = keyof typeof WEIGHTS;

export abstract class NetworkHistory extends History {
  private platformLimits: Limits = NO_LIMITS;
  protected readonly cards: CardState[] = [];
  /** A card of a program whose issuer decides. */
  protected undecided = '';
  /** Account and amount of every deposit. */
  private readonly deposits: string[] = [];
  /** Customers, also of cards without a book. */
  private readonly customers: string[] = [];
  /** Cards whose only event is their provisioning. */
  private readonly provisionedOnly: string[] = [];

  override commands(): Readonly<Record<string, Command>> {
    const command = (kind: Kind): Command => [WEIGHTS[kind], () => this[kind]()];
    return Object.fromEntries(Object.keys(WEIGHTS).map((kind) => [kind, command(kind as Kind)]));
  }

  protected override async prepare(): Promise<void> {
    const { card, customer } = await givenCard(this.platform, { program: 'issuer_decided' });
    this.undecided = card.id;
    this.customers.push(customer.id);
    this.provisionedOnly.push(card.id);
    await this.card('service_full');
    await this.card(this.random.pick(['service_basic', 'wallet']));
    for (const holder of this.cards.map((one) => one.holder)) await this.deposit(holder, this.random.int(500, 2_000));
  }

  // ---- cards, accounts, limits

  async card(what = this.random.pick(['service_full', 'service_basic', 'wallet'])): Promise<void> {
    if (this.cards.length >= 4) return;
    const isWallet = what === 'wallet';
    const made = isWallet ? await walletCard(this.platform, 1) : await givenCard(this.platform, { program: what });
    const account: string = 'usd' in made ? made.usd.id : made.account.id;
    const entries: Entry[] = [];
    const balance = new AccountBalance(0, { isWallet, moved: (amount) => void entries.push({ amount, at: this.now }) });
    if (isWallet) {
      balance.add(1);
      this.deposits.push(`${account} 1`);
    }
    const holder = { customer: made.customer.id, account, balance, entries };
    const book = new NetworkModel(balance, made.card.brand, () => this.now);
    book.platformLimits = this.platformLimits;
    // A wallet's card was PENDING until its key was delegated; that change sends no event.
    const notified = [isWallet ? 'PENDING' : 'ACTIVE'];
    this.cards.push({ id: made.card.id, program: isWallet ? 'service_full' : what, holder, book, notified });
    this.customers.push(holder.customer);
    this.note('card', what);
  }

  private async deposit({ account, balance }: Holder, amount: number): Promise<void> {
    this.agree(await this.platform.post(`/sandbox/internal-accounts/${account}/fund`, { amount }), 200);
    balance.add(amount);
    this.deposits.push(`${account} ${amount}`);
  }

  async fund(): Promise<void> {
    const card = this.random.pick(this.cards);
    const amount = this.random.int(1, 900);
    await this.deposit(card.holder, amount);
    this.note('fund', amount);
    await this.compare(card);
  }

  async status(): Promise<void> {
    const card = this.random.pick(this.cards);
    const { book } = card;
    if (book.status === 'CLOSED') return;
    const isLast = this.cards.every((other) => other === card || other.book.status === 'CLOSED');
    const next = book.status === 'FROZEN' ? activating : !isLast && this.random.chance(0.25) ? closing : freezing;
    this.agree(await this.platform.patch(`/cards/${card.id}`, next), 200);
    this.note('status', next.status);
    card.notified.push(next.status);
    if (next === closing) book.close();
    else book.status = next.status;
    await this.compare(card);
  }

  /** "effective value is the lower of the card value and cardConfigs" */
  async limits(): Promise<void> {
    const limit = (most: number) => (this.random.chance(0.5) ? null : this.random.int(1, most));
    const limits = { maxSpendPerTransaction: limit(900), maxSpendPerDay: limit(2_500), maxTransactionsPerDay: limit(9) };
    const card = this.any(this.cards.filter(({ program, book }) => program === 'service_full' && book.status !== 'CLOSED'));
    this.note('limits', JSON.stringify(limits));
    if (card && this.random.chance(0.7)) {
      this.agree(await this.platform.patch(`/cards/${card.id}`, limits), 200);
      card.book.limits = limits;
      return;
    }
    this.agree(await this.platform.patch('/config', { cardConfigs: limits }), 200);
    this.platformLimits = limits;
    for (const { book } of this.cards) book.platformLimits = limits;
  }

  // ---- comparison

  protected async compare({ id, holder, book }: CardState): Promise<void> {
    const { data } = await expectStatus(200, this.platform.get(`/transactions?cardId=${id}&sortOrder=asc&limit=100`));
    const shown = data.map((one: Resource) => [one.issuerTransactionToken, one.direction, one.originalTransactionId, gist(one)]);
    const rows = book.rows.map((row) => [row.token, row.isCredit ? 'CREDIT' : 'DEBIT', row.purchase?.id, seen(row)]);
    this.same(shown, rows, 'the transactions of the card');
    for (const [i, { id: transactionId }] of data.entries()) (book.rows[i] as Row).id ||= transactionId;
    const account = await expectStatus(200, this.platform.get(`/internal-accounts/${holder.account}`));
    const { available, total, owed } = holder.balance;
    const money = [account.balance.amount, account.totalBalance.amount, account.amountOwed?.amount ?? 0];
    this.same(money, [available, total, owed], 'available, total and owed');
  }

  /** Some requests have an Idempotency-Key, and some of them are sent again: "Replay returns the first result". */
  protected async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    if (this.random.chance(0.7)) return this.platform.post(path, body, { headers });
    const sent = { headers: { ...headers, 'idempotency-key': randomUUID() } };
    const answer = await this.platform.post(path, body, sent);
    if (answer.status < 300) this.same((await this.platform.post(path, body, sent)).text, answer.text, 'the repeated request');
    return answer;
  }

  protected get rows(): { card: CardState; row: Row }[] {
    return this.cards.flatMap((card) => card.book.rows.map((row) => ({ card, row })));
  }

  /** Mostly the amount of the transaction, or what is left of it. */
  protected amountFor({ book }: CardState, row: Row): number {
    const exact = this.random.pick([row.authorized, row.authorized - row.settled, book.left(row)]);
    return exact > 0 && this.random.chance(0.6) ? exact : this.random.int(1, 500);
  }

  // ---- requests

  protected someRequest(): Request {
    const kind = this.random.weighted({
      AUTHORIZATION: 8,
      FINANCIAL_AUTHORIZATION: 3,
      CREDIT_AUTHORIZATION: 2,
      FINANCIAL_CREDIT_AUTHORIZATION: 2,
      CREDIT_AUTHORIZATION_ADVICE: 1,
    });
    return { kind, amount: this.random.int(1, 500) };
  }

  /** "merchant.descriptor last 3": decline, or "confirmation FAILED -> EXCEPTION". */
  async simulate(): Promise<void> {
    const card = this.random.pick(this.cards);
    if (card.book.rows.length >= 90) return;
    const ending = this.random.weighted({ '002': 1, '003': 1, '006': 1, OPS: 9 });
    const request = { ...this.someRequest(), ending };
    const send = (body: unknown, id = card.id) => this.post(`/sandbox/cards/${id}/simulate/${SIMULATORS[request.kind]}`, body);
    const body = purchaseOf(request.amount, `SHOP ${ending}`);
    if (this.random.chance(0.1)) {
      // "issuer-decided program 409"
      const [id, refusal] = this.random.pick<[string, Expected]>([
        [this.undecided, [409, 'CONFLICT']],
        [`Card:${randomUUID()}`, [404, 'NOT_FOUND']],
      ]);
      this.note('simulate', 'no card of the service');
      return this.agree(await send(body, id), refusal);
    }
    const answer = await send(body);
    this.note('simulate', request.kind, request.amount, ending, card.book.status);
    this.agree(answer, 202);
    card.book.request(answer.body.issuerTransactionToken, request);
    await this.compare(card);
  }

  // ---- messages

  protected someMessage(): { card: CardState; row: Row; kind: MessageKind; amount: number | undefined } | undefined {
    const kind = this.random.weighted(KINDS_OF_MESSAGES);
    const wanted = this.rows.filter(({ row }) =>
      kind === 'RETURN_REVERSAL' ? row.purchase : kind === 'RETURN' ? row.settled > 0 : row.status !== 'DECLINED',
    );
    const found = this.any(wanted.length > 0 && this.random.chance(0.8) ? wanted : this.rows);
    if (!found || found.card.book.rows.length >= 90) return undefined;
    const some = this.amountFor(found.card, found.row);
    const amounts: Record<MessageKind, number | undefined> = {
      CLEARING: this.random.chance(0.1) ? 0 : some,
      AUTHORIZATION_REVERSAL: this.random.chance(0.5) ? undefined : some,
      AUTHORIZATION_ADVICE: some,
      AUTHORIZATION_EXPIRY: undefined,
      RETURN: some,
      RETURN_REVERSAL: undefined,
    };
    return { ...found, kind, amount: amounts[kind] };
  }

  /** The simulators refuse what a network could not send. */
  async follow(): Promise<void> {
    const message = this.someMessage();
    if (!message) return;
    const { card, row, kind, amount } = message;
    const isAstray = this.random.chance(0.05);
    const body = { cardTransactionId: isAstray ? `Transaction:${randomUUID()}` : row.id, ...(amount === undefined ? {} : { amount }) };
    const answer = await this.post(`/sandbox/cards/${card.id}/simulate/${kind.toLowerCase()}`, body);
    this.note('follow', kind, amount, `of ${row.status}`, card.book.status);
    if (isAstray) return this.agree(answer, [404, 'TRANSACTION_NOT_FOUND']);
    const isTaken = card.book.isPossible(kind, row, amount);
    this.agree(answer, isTaken ? 202 : [400, 'INVALID_INPUT']);
    if (isTaken) {
      const { token } = card.book.take(kind, row, amount, answer.body.issuerTransactionToken);
      this.same(answer.body.issuerTransactionToken, token, 'the token of the transaction');
      if (kind === 'RETURN') await byToken(this.platform, token);
    }
    await this.compare(card);
  }

  // ---- disputes

  private dispute(card: CardState, row: Row, step: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.post(`/sandbox/cards/${card.id}/simulate/dispute_${step}`, { cardTransactionId: row.id, ...fields });
  }

  private async compareDispute(card: CardState, answer: Answer, status: string, disposition: string | null): Promise<void> {
    this.agree(answer, 202);
    this.same([answer.body.status, answer.body.disposition], [status, disposition], 'the dispute');
    await this.compare(card);
  }

  /** A row to dispute, mostly one of which something has settled. */
  private disputable(isDisputed: boolean): { card: CardState; row: Row } | undefined {
    const wanted = this.rows.filter(({ card, row }) => (isDisputed ? row.dispute : card.book.left(row) > 0));
    return this.any(wanted.length > 0 && this.random.chance(0.85) ? wanted : this.rows);
  }

  /** "`amount`? default settled amount; settled needed 400, already open 409" */
  async openDispute(): Promise<void> {
    const found = this.disputable(false);
    if (!found) return;
    const { card, row } = found;
    const left = card.book.left(row);
    const amount = !row.dispute && this.random.chance(0.6) ? this.random.pick([left, left + 1, this.random.int(1, 500)]) : undefined;
    if (amount === 0) return;
    const answer = await this.dispute(card, row, 'open', amount === undefined ? {} : { amount });
    this.note('openDispute', amount, 'of', left, row.status);
    if (row.dispute) return this.agree(answer, [409, 'CONFLICT']);
    if (left === 0 || (amount ?? 0) > left) return this.agree(answer, [400, 'INVALID_INPUT']);
    row.dispute = { amount: amount ?? left, credited: 0 };
    await this.compareDispute(card, answer, 'OPEN', null);
  }

  /** Up to the disputed amount. */
  async credit(): Promise<void> {
    await this.changeCredit(
      'provisional_credit',
      ({ amount, credited }) => amount - credited,
      (book, row, amount) => book.credit(row, amount),
    );
  }

  /** Up to what was credited. */
  async reverseCredit(): Promise<void> {
    await this.changeCredit(
      'provisional_credit_reversal',
      ({ credited }) => credited,
      (book, row, amount) => book.reverseCredit(row, amount),
    );
  }

  private async changeCredit(
    step: string,
    mostOf: (dispute: { amount: number; credited: number }) => number,
    apply: (book: NetworkModel, row: Row, amount: number) => void,
  ): Promise<void> {
    const found = this.disputable(true);
    if (!found) return;
    const { card, row } = found;
    const most = row.dispute ? mostOf(row.dispute) : 0;
    const amount = this.random.pick([Math.max(1, most), most + 1, this.random.int(1, Math.max(1, most))]);
    const answer = await this.dispute(card, row, step, { amount });
    this.note(step === 'provisional_credit' ? 'credit' : 'reverseCredit', amount, 'of', most);
    if (amount > most) {
      this.agree(answer, [400, 'INVALID_INPUT']);
      return this.compare(card);
    }
    apply(card.book, row, amount);
    await this.compareDispute(card, answer, 'OPEN', null);
  }

  /** "`recoveredAmount` only for PARTIALLY_WON, strictly between 0 and disputed, default half" */
  async closeDispute(): Promise<void> {
    const found = this.disputable(true);
    if (!found) return;
    const { card, row } = found;
    const disposition = this.random.pick(['WON', 'PARTIALLY_WON', 'LOST', 'WITHDRAWN', 'DENIED']);
    const disputed = row.dispute?.amount ?? 0;
    const isNamed = this.random.chance(disposition === 'PARTIALLY_WON' ? 0.6 : 0.1);
    const recoveredAmount = this.random.pick([this.random.int(1, Math.max(1, disputed)), disputed, 1]);
    if (isNamed && recoveredAmount === 0) return;
    const answer = await this.dispute(card, row, 'close', { disposition, ...(isNamed ? { recoveredAmount } : {}) });
    this.note('closeDispute', disposition, isNamed ? recoveredAmount : '', 'of', disputed);
    const half = Math.floor(disputed / 2);
    const recovered = disposition === 'WON' ? disputed : disposition !== 'PARTIALLY_WON' ? 0 : isNamed ? recoveredAmount : half;
    const isWrong = disposition === 'PARTIALLY_WON' ? recovered <= 0 || recovered >= disputed : isNamed;
    if (!row.dispute || isWrong) {
      this.agree(answer, [400, 'INVALID_INPUT']);
      return this.compare(card);
    }
    card.book.closeDispute(row, recovered);
    await this.compareDispute(card, answer, 'CLOSED', disposition);
  }

  // ---- reads

  async spending(): Promise<void> {
    const { id, book } = this.random.pick(this.cards);
    const answer = await this.platform.get(`/cards/${id}/spending`);
    this.note('spending', book.today.spent, book.today.count);
    this.agree(answer, 200);
    const { day, spent, purchases, limits } = answer.body;
    const names = ['maxSpendPerTransaction', 'maxSpendPerDay', 'maxTransactionsPerDay'] as const;
    this.same(
      [day, spent.amount, spent.currency.code, purchases, limits],
      [
        new Date(this.now).toISOString().slice(0, 10),
        book.today.spent,
        'USD',
        book.today.count,
        Object.fromEntries(names.map((name) => [name, book.limit(name)])),
      ],
      'what the card has spent today',
    );
    if (this.random.chance(0.2)) this.agree(await this.platform.get(`/cards/Card:${randomUUID()}/spending`), [404, 'NOT_FOUND']);
  }

  /** It moves and records nothing. */
  async inquire(): Promise<void> {
    const card = this.random.pick(this.cards);
    const [id, expected] = this.random.pick<[string, Expected]>([
      [card.id, 202],
      [card.id, 202],
      [this.undecided, [409, 'CONFLICT']],
      [`Card:${randomUUID()}`, [404, 'NOT_FOUND']],
    ]);
    const answer = await this.platform.post(`/sandbox/cards/${id}/simulate/balance_inquiry`, { merchant: merchant() });
    this.note('inquire', id === card.id ? card.book.status : 'no card of the service');
    this.agree(answer, expected);
    await this.compare(card);
  }

  // ---- time and the end

  async advance(): Promise<void> {
    await this.pass(this.random.pick([MINUTE, HOUR, this.random.int(1, DAY), DAY, 3 * DAY]));
    for (const card of this.cards) await this.compare(card);
  }

  protected override passed(): void {
    const { now } = this;
    const due = this.cards.flatMap(({ book }) => book.rows.filter(({ expiresAt }) => expiresAt <= now).map((row) => ({ book, row })));
    // What a hold leaves pays what is owed at the instant it ends.
    for (const { book, row } of due.sort((a, b) => a.row.expiresAt - b.row.expiresAt)) {
      this.now = row.expiresAt;
      book.expire(row);
    }
    this.now = now;
  }

  protected override async finish(): Promise<void> {
    for (const { card, row } of this.rows.filter(({ row: { dispute } }) => dispute)) {
      card.book.closeDispute(row, 0);
      await this.compareDispute(card, await this.dispute(card, row, 'close', { disposition: 'LOST' }), 'CLOSED', 'LOST');
    }
    await this.pass(7 * DAY);
    for (const card of this.cards) {
      await this.compare(card);
      this.same(card.book.rows.filter(isOpen), [], 'no authorization is open');
    }
    const { db } = this.service;
    const platformId = await platformIdOf(this.service, this.platform);
    await assertAtRest(db, platformId);
    this.same(await lentByReserve(db, platformId), 0, 'without an open dispute, the reserve has lent nothing');
    for (const { account, balance, entries } of this.cards.map(({ holder }) => holder)) {
      if (balance.isWallet) continue;
      const end = this.now - 2 * DAY;
      const { opening, closing: last, changes } = await readWindow(this.platform, account, new Date(START - DAY), new Date(end));
      const before = entries.filter(({ at }) => at < end);
      const sum = (list: readonly Entry[]) => list.reduce((total, { amount }) => total + amount, 0);
      this.same([opening, last], [0, sum(before)], 'the statement of the account');
      const shown = changes.map(({ amount, effectiveAt }) => ({ amount, at: Date.parse(effectiveAt) }));
      this.same(byInstant(shown), byInstant(before), 'balance changes per instant');
    }
  }

  protected override eventText(event: Event): string | undefined {
    return event.type === 'INCOMING_PAYMENT.COMPLETED' ? undefined : super.eventText(event);
  }

  protected override async compareEvents(events: readonly Event[]): Promise<void> {
    this.same(depositsIn(events), [...this.deposits].sort(), 'one completed payment per deposit');
  }

  protected override expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    const put = (id: string, texts: readonly string[]) => void expected.set(id, [...texts]);
    for (const id of this.customers) put(id, ['CUSTOMER.KYC_APPROVED APPROVED']);
    for (const id of this.provisionedOnly) put(id, ['card.status_change ACTIVE']);
    for (const { id, notified, book } of this.cards) {
      put(
        id,
        notified.map((status) => `card.status_change ${status}`),
      );
      for (const row of book.rows)
        put(
          row.id,
          row.notified.map((status) => `CARD_TRANSACTION.${status} ${status}`),
        );
    }
    return expected;
  }
}

/** The ledger may split a movement into several entries; the sum per instant is defined. */
function byInstant(entries: readonly Entry[]): [number, number][] {
  const sums = new Map<number, number>();
  for (const { amount, at } of entries) sums.set(at, (sums.get(at) ?? 0) + amount);
  return [...sums].filter(([, amount]) => amount !== 0);
}
