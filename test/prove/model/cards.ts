// Histories of customers, accounts, wallet verification, sessions, delegated keys, cards, network messages and statements.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../../src/kernel/errors.js';
import { AccountBalance, CardModel, type Limits, MESSAGES, NO_LIMITS, seen } from '../../support/card-model.js';
import { afterRevocation, type World as CardWorld, type RequestedChange, verdict } from '../../support/card-oracle.js';
import { assertAtRest, byToken, DAY, gist, networkOf } from '../../support/card-transactions.js';
import { activating, closing, freezing, idempotent, provisioned, requestCard } from '../../support/cards.js';
import { expectStatus } from '../../support/client.js';
import { type AccountsApi, accountsApi } from '../../support/external-accounts/accounts-api.js';
import { bitcoinWallet, evmWallet, solanaWallet, type TestWallet } from '../../support/external-accounts/wallets.js';
import { given } from '../../support/given.js';
import { readWindow, windowPath } from '../../support/statements/history.js';
import { delegationBody, type Keys, newKeys, retry, signInWithOtp } from '../../support/wallet.js';
import { platformIdOf } from '../../support/webhooks/platform.js';
import { type Command, depositsIn, type Event, History, HOUR, MINUTE, START } from './history.js';

// ---- state of the model

const MIDNIGHT = 5 * HOUR;
const SETTLEMENT_LAG = 2 * HOUR;
/** First instants of months in US Central time. */
const MONTHS = ['2030-05-01', '2030-06-01', '2030-07-01', '2030-08-01', '2030-09-01', '2030-10-01'] as const;
const beginOf = (month: string): number => Date.parse(`${month}T05:00:00Z`);
const LAST_INSTANT = beginOf('2030-09-01');

/** When "card settlement for a window boundary" has closed: two hours after the end of its day. */
const settledAt = (boundary: number): number => Math.ceil((boundary - MIDNIGHT) / DAY) * DAY + MIDNIGHT + SETTLEMENT_LAG;

class Account {
  readonly id: string;
  readonly balance: AccountBalance;
  readonly entries: { amount: number; at: number }[] = [];
  /** The total after each command that changed it. */
  readonly settled: number[] = [];
  /** Whether it funds or has funded a card. */
  fundedCard = false;
  isClosed = false;
  readonly fetched = new Set<string>();
  readonly receipts = new Map<string, number>();

  constructor(id: string, isWallet: boolean, now: () => number) {
    this.id = id;
    this.balance = new AccountBalance(0, { isWallet, moved: (amount) => void this.entries.push({ amount, at: now() }) });
  }
}

type Person = {
  readonly id: string;
  name: string;
  isDeleted: boolean;
  readonly usd: Account;
  readonly usdb: Account;
  readonly credential: { readonly id: string; readonly type: string };
  /** The keys of the session, after the first sign-in. */
  keys: Keys | undefined;
  signedInUntil: number;
  readonly cards: CardState[];
};

type CardState = {
  readonly id: string;
  readonly person: Person;
  readonly book: CardModel;
  world: CardWorld;
  /** The service's transactions, in the order of the model's rows. */
  readonly real: { id: string }[];
  activeKey: string | undefined;
  readonly otherKeys: string[];
  /** The statuses for which an event was sent. */
  readonly notified: string[];
};

type WalletState = {
  readonly id: string;
  readonly door: AccountsApi;
  readonly person: Person | undefined;
  readonly signer: TestWallet;
  status: string;
  challenge: { method: string; expiresAt: number; message: string } | undefined;
  isDeleted: boolean;
  readonly notified: string[];
};

const WEIGHTS = {
  customer: 2,
  rename: 2,
  remove: 1,
  fund: 6,
  card: 4,
  patch: 8,
  signin: 2,
  delegate: 7,
  revoke: 3,
  authorize: 16,
  message: 16,
  wallet: 3,
  challenge: 5,
  verify: 6,
  liveness: 3,
  forget: 1,
  advance: 7,
  window: 4,
  receipt: 3,
  config: 2,
} as const;
type Kind = keyof typeof WEIGHTS;

const REASONED = { FROZEN: freezing, ACTIVE: activating, CLOSED: closing };

export class CardHistory extends History {
  private limits: Limits = NO_LIMITS;
  private readonly people: Person[] = [];
  /** Account and amount of every deposit. */
  private readonly deposits: string[] = [];
  private readonly wallets: WalletState[] = [];

  override commands(): Readonly<Record<Kind, Command>> {
    const command = (kind: Kind): Command => [WEIGHTS[kind], () => this[kind]()];
    return Object.fromEntries(Object.keys(WEIGHTS).map((kind) => [kind, command(kind as Kind)])) as Record<Kind, Command>;
  }

  protected override async prepare(): Promise<void> {
    await this.customer();
    await this.card();
  }

  protected override afterCommand(): void {
    for (const { usd, usdb } of this.people) for (const account of [usd, usdb]) keepChange(account.settled, account.balance.total);
  }

  // ---- random choices

  private get present(): Person[] {
    return this.people.filter(({ isDeleted }) => !isDeleted);
  }
  private get cards(): CardState[] {
    return this.people.flatMap(({ cards }) => cards);
  }
  /** Mostly a card that is not closed. */
  private anyCard(): CardState | undefined {
    const live = this.cards.filter(({ world }) => world.status !== 'CLOSED');
    const from = live.length > 0 && this.random.chance(0.85) ? live : this.cards;
    return from.length > 0 ? this.random.pick(from) : undefined;
  }
  private anyWallet(): WalletState | undefined {
    return this.wallets.length > 0 ? this.random.pick(this.wallets) : undefined;
  }

  // ---- comparison

  private async compareAccounts(person: Person): Promise<void> {
    const { data } = await expectStatus(200, this.platform.get(`/customers/internal-accounts?customerId=${person.id}`));
    for (const { id, balance, isClosed } of [person.usd, person.usdb]) {
      const shown = data.find((account: { id: string }) => account.id === id);
      this.same(
        [shown.balance.amount, shown.totalBalance.amount, shown.status === 'CLOSED'],
        [balance.available, balance.total, isClosed],
        `available and total of ${id}`,
      );
    }
  }

  private async compareCard({ id, world, book, person }: CardState): Promise<void> {
    const card = await expectStatus(200, this.platform.get(`/cards/${id}`));
    const shown = { status: card.status, statusReason: card.statusReason ?? null, fundingSource: card.fundingSource };
    const fundingSource = world.funding === 'USD' ? person.usd.id : person.usdb.id;
    this.same(shown, { status: world.status, statusReason: world.statusReason, fundingSource }, 'the card');
    for (const [name, limit] of Object.entries(book.limits)) this.same(card[name] ?? null, limit, name);
    const { data } = await expectStatus(200, this.platform.get(`/transactions?cardId=${id}&sortOrder=asc&limit=100`));
    this.same(data.map(gist), book.rows.map(seen), 'its transactions');
    await this.compareAccounts(person);
  }

  // ---- customers and their accounts

  async customer(): Promise<void> {
    if (this.present.length >= 4) return;
    const name = `Person ${this.people.length} of the model`;
    const { id, kycStatus } = await given(this.platform).customer({ fullName: name });
    this.same(kycStatus, 'APPROVED', 'a name without a sandbox suffix');
    const [usd, usdb] = [await given(this.platform).account({ id }, 'USD'), await given(this.platform).account({ id }, 'USDB')];
    const { data } = await expectStatus(200, this.platform.get(`/auth/credentials?accountId=${usdb.id}`));
    const now = () => this.now;
    const accounts = { usd: new Account(usd.id, false, now), usdb: new Account(usdb.id, true, now) };
    this.people.push({ id, name, isDeleted: false, ...accounts, credential: data[0], keys: undefined, signedInUntil: 0, cards: [] });
    this.note('customer');
  }

  async rename(): Promise<void> {
    const person = this.random.pick(this.people);
    const fullName = `${person.name}, again`;
    const answer = await this.platform.patch(`/customers/${person.id}`, { customerType: 'INDIVIDUAL', fullName });
    this.note('rename', person.name);
    if (person.isDeleted) return this.agree(answer, [404, 'CUSTOMER_NOT_FOUND']);
    this.agree(answer, 200);
    person.name = fullName;
    this.same((await this.platform.get(`/customers/${person.id}`)).body.fullName, fullName, 'the name');
  }

  /** Live cards are closed. Empty accounts that funded no card are closed. A second deletion answers 410. */
  async remove(): Promise<void> {
    const person = this.random.pick(this.people);
    const answer = await this.platform.delete(`/customers/${person.id}`);
    this.note('remove', person.name);
    if (person.isDeleted) return this.agree(answer, [410, 'CUSTOMER_DELETED']);
    this.agree(answer, 200);
    person.isDeleted = true;
    // A hold at the time of the deletion keeps its account open, even if closing the cards releases it.
    for (const card of person.cards) {
      if (card.world.status === 'CLOSED') continue;
      card.world = { ...card.world, status: 'CLOSED', statusReason: 'CLOSED_BY_GRID' };
      card.notified.push('CLOSED');
      card.book.close();
    }
    for (const account of [person.usd, person.usdb]) account.isClosed = account.balance.total === 0 && !account.fundedCard;
    for (const wallet of this.wallets) if (wallet.person === person) wallet.isDeleted = true;
    for (const card of person.cards) await this.compareCard(card);
    await this.compareAccounts(person);
  }

  /** A repeated request with the same key funds the account once. */
  async fund(): Promise<void> {
    if (this.present.length === 0) return;
    const person = this.random.pick(this.present);
    const account = this.random.chance(0.6) ? person.usd : person.usdb;
    const amount = this.random.int(1, 1_500);
    const key = idempotent(randomUUID());
    const send = () => this.platform.post(`/sandbox/internal-accounts/${account.id}/fund`, { amount }, key);
    const answer = await send();
    this.note('fund', amount);
    this.agree(answer, 200);
    account.balance.add(amount);
    this.deposits.push(`${account.id} ${amount}`);
    this.same(answer.body.balance.amount, account.balance.available, 'the balance');
    if (this.random.chance(0.3)) this.same((await send()).text, answer.text, 'the repeated request');
    await this.compareAccounts(person);
  }

  // ---- cards

  async card(): Promise<void> {
    if (this.present.length === 0 || this.cards.length >= 8) return;
    const person = this.random.pick(this.present);
    const funding = this.random.pick(['USD', 'USDB'] as const);
    const source = funding === 'USD' ? person.usd : person.usdb;
    const limits = this.random.chance(0.3) ? this.someLimits() : NO_LIMITS;
    const set = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null));
    const answer = await requestCard(this.platform, { customerId: person.id, fundingSource: source.id, ...set });
    this.note('card', funding);
    this.agree(answer, 201);
    const { id } = await provisioned(this.platform, answer.body.id);
    // "PENDING + DELEGATION_REQUIRED (USDB wallet, no key)"
    const [status, statusReason] = funding === 'USD' ? (['ACTIVE', null] as const) : (['PENDING', 'DELEGATION_REQUIRED'] as const);
    const book = new CardModel(this.now);
    book.limits = limits;
    book.status = status;
    const world: CardWorld = { status, statusReason, funding, hasKey: false, decides: 'SERVICE' };
    const card: CardState = { id, person, book, world, real: [], activeKey: undefined, otherKeys: [], notified: [status] };
    person.cards.push(card);
    source.fundedCard = true;
    await this.compareCard(card);
  }

  private someLimits(): Limits {
    const limit = (most: number) => (this.random.chance(0.5) ? null : this.random.int(1, most));
    return { maxSpendPerTransaction: limit(900), maxSpendPerDay: limit(2_000), maxTransactionsPerDay: limit(6) };
  }

  private enter(card: CardState, world: CardWorld): void {
    const closes = world.status === 'CLOSED' && card.world.status !== 'CLOSED';
    card.world = world;
    card.book.hasKey = world.hasKey;
    if (closes) card.book.close();
    card.book.status = world.status;
  }

  async patch(): Promise<void> {
    const card = this.anyCard();
    if (!card || card.person.isDeleted) return;
    const what = this.random.weighted({ status: 6, close: 0.8, funding: 3, both: 2, limits: 4 });
    const status = what === 'close' ? 'CLOSED' : this.random.pick(['FROZEN', 'ACTIVE'] as const);
    const requested: RequestedChange = {
      ...(what === 'status' || what === 'both' || what === 'close' ? { status } : {}),
      ...(what === 'funding' || what === 'both' ? { funding: this.random.pick(['USD', 'USDB'] as const) } : {}),
    };
    const limits = what === 'limits' ? this.someLimits() : undefined;
    const source = requested.funding && (requested.funding === 'USD' ? card.person.usd : card.person.usdb);
    const answer = await this.platform.patch(`/cards/${card.id}`, {
      ...(requested.status && REASONED[requested.status]),
      ...(source && { fundingSource: source.id }),
      ...limits,
    });
    this.note('patch', JSON.stringify({ ...requested, ...limits }));
    const { refusal, world, webhook } = verdict(card.world, requested);
    this.agree(answer, refusal ?? 200);
    if (!refusal) {
      this.enter(card, world);
      if (webhook) card.notified.push(world.status);
      if (source) source.fundedCard = true;
      if (limits) card.book.limits = limits;
    }
    await this.compareCard(card);
  }

  /** "cardConfigs": the platform's own limits; the lower of both applies. */
  async config(): Promise<void> {
    const limits = this.random.chance(0.5) ? NO_LIMITS : this.someLimits();
    this.agree(await this.platform.patch('/config', { cardConfigs: limits }), 200);
    this.note('config', JSON.stringify(limits));
    this.limits = limits;
  }

  // ---- network messages

  async authorize(): Promise<void> {
    const card = this.anyCard();
    if (!card || card.real.length >= 60) return;
    const balance = this.balanceFor(card);
    const headroom = card.book.headroom(balance, this.limits);
    // Often exactly the remaining amount, or one more.
    const amount = headroom > 0 && headroom < 5_000 && this.random.chance(0.3) ? headroom + this.random.int(0, 1) : this.random.int(1, 500);
    card.real.push(await networkOf(this.platform, card).authorize(amount));
    this.note('authorize', amount);
    card.book.authorize(amount, balance, this.limits);
    await this.compareCard(card);
  }

  private balanceFor({ world, person }: CardState): AccountBalance {
    return (world.funding === 'USD' ? person.usd : person.usdb).balance;
  }

  async message(): Promise<void> {
    const card = this.anyCard();
    if (!card || card.real.length === 0 || card.person.isDeleted) return;
    const kind = this.random.weighted({ clear: 6, reverse: 2, advise: 2, giveBack: 3, takeReturnBack: 1, expire: 1 });
    const at = this.random.int(0, card.real.length - 1);
    const row = card.book.rows[at];
    assert.ok(row);
    const exact = this.random.chance(0.5) ? row.authorized : this.random.int(1, 500);
    const amounts = { clear: this.random.chance(0.1) ? 0 : exact, reverse: this.random.chance(0.5) ? undefined : exact };
    const amount = kind === 'clear' || kind === 'reverse' ? amounts[kind] : kind === 'advise' || kind === 'giveBack' ? exact : undefined;
    // An amount of 0 is a shape error for these messages.
    if (amount === 0 && kind !== 'clear') return;
    const taken = kind === 'takeReturnBack' || kind === 'expire' ? card.book[kind](row) : card.book[kind](row, amount as number);
    const body = { cardTransactionId: card.real[at]?.id, ...(amount === undefined ? {} : { amount }) };
    const answer = await networkOf(this.platform, card).send(MESSAGES[kind], body);
    this.note('message', kind, amount ?? '', `of ${row.status}`);
    this.agree(answer, taken ? 202 : [400, 'INVALID_INPUT']);
    if (taken && kind === 'giveBack') card.real.push(await byToken(this.platform, answer.body.issuerTransactionToken));
    await this.compareCard(card);
  }

  // ---- sessions and delegated keys

  async signin(person = this.random.pick(this.people)): Promise<void> {
    if (person.isDeleted || this.now < person.signedInUntil) return;
    const { answer, keys } = await signInWithOtp(this.platform, person.credential);
    this.note('signin', person.name);
    this.agree(answer, 200);
    Object.assign(person, { keys, signedInUntil: this.now + 15 * MINUTE });
  }

  /** "creation is a three-leg signed-retry flow"; some flows end after the second call. */
  async delegate(): Promise<void> {
    const card = this.anyCard();
    if (!card || card.person.isDeleted) return;
    const { person } = card;
    const body = delegationBody({ account: { id: person.usdb.id } }, card);
    const path = '/auth/delegated-keys';
    const isBound = card.world.funding === 'USDB' && card.world.status !== 'CLOSED';
    if (isBound && this.random.chance(0.7)) await this.signin(person);
    // If two errors apply, the specification does not define which is reported.
    if (!isBound && !person.keys) return;
    const first = await this.platform.post(path, body);
    this.note('delegate', card.world.funding, card.world.status);
    if (!isBound) return this.agree(first, [404, 'NOT_FOUND']);
    // The first sign-in provisions the wallet.
    if (!person.keys) return this.agree(first, [409, 'WALLET_NOT_PROVISIONED']);
    if (card.activeKey) return this.agree(first, [409, 'CONFLICT']);
    this.agree(first, 202);

    const stranger = this.random.chance(0.1);
    const second = await retry(this.platform, 'POST', path, body, first.body, stranger ? newKeys() : person.keys);
    if (stranger || this.now >= person.signedInUntil) return this.agree(second, [401, 'WALLET_SIGNATURE_INVALID']);
    this.agree(second, 202);
    const pending = await this.keysOf(person, 'PENDING');
    const made = pending.find(({ id }) => !card.otherKeys.includes(id) && !person.cards.some((other) => other.otherKeys.includes(id)));
    this.same(made !== undefined, true, 'the key is PENDING');
    if (this.random.chance(0.2)) return void card.otherKeys.push(made?.id as string);

    const third = await retry(this.platform, 'POST', path, body, second.body, person.keys);
    this.agree(third, 201);
    this.same([third.body.id, third.body.status], [made?.id, 'ACTIVE'], 'the key');
    card.activeKey = third.body.id;
    // "a PENDING card using this funding source becomes ACTIVE; … frozen and closed cards keep their status"
    const woken = card.world.status === 'PENDING' ? ({ status: 'ACTIVE', statusReason: null } as const) : {};
    this.enter(card, { ...card.world, ...woken, hasKey: true });
    await this.compareCard(card);
  }

  private async keysOf(person: Person, status: string): Promise<{ id: string }[]> {
    const { data } = await expectStatus(200, this.platform.get(`/auth/delegated-keys?accountId=${person.usdb.id}`));
    return data.filter((key: { status: string }) => key.status === status);
  }

  async revoke(): Promise<void> {
    const holders = this.cards.filter(({ person, activeKey, otherKeys }) => !person.isDeleted && (activeKey || otherKeys.length > 0));
    if (holders.length === 0) return;
    const card = this.random.pick(holders);
    const id = this.random.pick([...card.otherKeys, ...(card.activeKey ? [card.activeKey] : [])]);
    const answer = await this.platform.delete(`/auth/delegated-keys/${id}`);
    this.note('revoke', id === card.activeKey ? 'the key' : 'another');
    if (id !== card.activeKey) return this.agree(answer, [400, 'INVALID_INPUT']);
    this.agree(answer, 204);
    card.otherKeys.push(id);
    card.activeKey = undefined;
    this.enter(card, afterRevocation(card.world));
    await this.compareCard(card);
  }

  // ---- external wallets

  async wallet(): Promise<void> {
    const person = this.random.chance(0.5) ? undefined : this.random.pick(this.people);
    if (person?.isDeleted) return;
    const door = accountsApi(this.platform, person ? 'customers' : 'platform');
    const twin = this.wallets.find((other) => other.person === person && !other.isDeleted);
    const again = twin !== undefined && this.random.chance(0.25);
    const name = randomUUID();
    const signer = again ? twin.signer : this.random.pick([evmWallet, solanaWallet, (n: string) => bitcoinWallet(n, 'P2WPKH')])(name);
    const { accountType, address } = signer;
    const currency = accountType === 'SPARK_WALLET' ? 'BTC' : 'USDC';
    const fields = { currency, ownershipType: 'FIRST_PARTY', accountInfo: { accountType, address } };
    const answer = await this.platform.post(door.base, { ...fields, ...(person ? { customerId: person.id } : {}) });
    this.note('wallet', accountType, again ? 'again' : '');
    if (again) return this.agree(answer, [409, 'DUPLICATE_EXTERNAL_ACCOUNT']);
    this.agree(answer, 201);
    const wallet = { id: answer.body.id, door, person, signer, status: 'PENDING_OWNERSHIP_VERIFICATION', challenge: undefined };
    this.wallets.push({ ...wallet, isDeleted: false, notified: [] });
    this.same(answer.body.status, wallet.status, 'a new wallet');
  }

  private move(wallet: WalletState, status: string): void {
    if (wallet.status === status) return;
    wallet.status = status;
    wallet.notified.push(status);
  }

  private async compareWallet({ id, door, status, isDeleted }: WalletState): Promise<void> {
    const answer = await this.platform.get(`${door.base}/${id}`);
    if (isDeleted) return this.agree(answer, [404, 'ACCOUNT_NOT_FOUND']);
    this.agree(answer, 200);
    this.same(answer.body.status, status, 'the wallet');
  }

  async challenge(): Promise<void> {
    const wallet = this.anyWallet();
    if (!wallet) return;
    const method = this.random.chance(0.75) ? 'WALLET_SIGNATURE' : 'LIVENESS';
    const answer = await wallet.door.challenge(wallet, method);
    this.note('challenge', method, 'of', wallet.status);
    if (wallet.isDeleted) return this.agree(answer, [404, 'ACCOUNT_NOT_FOUND']);
    if (wallet.status === 'ACTIVE') return this.agree(answer, [409, 'CONFLICT']);
    this.agree(answer, 201);
    const { expiresAt, messageToSign } = answer.body;
    wallet.challenge = { method, expiresAt: Date.parse(expiresAt), message: messageToSign ?? '' };
    this.move(wallet, 'PENDING_OWNERSHIP_VERIFICATION');
    await this.compareWallet(wallet);
  }

  /** "Signature invalid or expired: 400; account moves to UNVERIFIED" */
  async verify(): Promise<void> {
    const wallet = this.anyWallet();
    if (!wallet) return;
    const { challenge } = wallet;
    const honest = this.random.chance(0.7);
    const signature = await wallet.signer.sign(honest && challenge ? challenge.message : 'something else');
    const answer = await wallet.door.verify(wallet, { signature });
    this.note('verify', honest ? 'well' : 'badly', 'after', challenge?.method ?? 'nothing');
    if (wallet.isDeleted) return this.agree(answer, [404, 'ACCOUNT_NOT_FOUND']);
    if (challenge?.method !== 'WALLET_SIGNATURE') return this.agree(answer, [409, 'CONFLICT']);
    const isGood = honest && this.now < challenge.expiresAt;
    this.agree(answer, isGood ? 200 : [400, 'INVALID_INPUT']);
    wallet.challenge = undefined;
    this.move(wallet, isGood ? 'ACTIVE' : 'UNVERIFIED');
    await this.compareWallet(wallet);
  }

  async liveness(): Promise<void> {
    const wallet = this.anyWallet();
    if (!wallet) return;
    const outcome = this.random.pick(['PASS', 'FAIL']);
    const answer = await this.platform.post(`/sandbox/external-accounts/${wallet.id}/liveness`, { outcome });
    this.note('liveness', outcome, 'after', wallet.challenge?.method ?? 'nothing');
    if (wallet.isDeleted) return this.agree(answer, [404, 'ACCOUNT_NOT_FOUND']);
    if (wallet.challenge?.method !== 'LIVENESS') return this.agree(answer, [409, 'CONFLICT']);
    this.agree(answer, 200);
    wallet.challenge = undefined;
    this.move(wallet, outcome === 'PASS' ? 'ACTIVE' : 'UNVERIFIED');
    await this.compareWallet(wallet);
  }

  async forget(): Promise<void> {
    const wallet = this.anyWallet();
    if (!wallet) return;
    const answer = await this.platform.delete(`${wallet.door.base}/${wallet.id}`);
    this.note('forget', wallet.status);
    this.agree(answer, wallet.isDeleted ? [404, 'ACCOUNT_NOT_FOUND'] : 204);
    wallet.isDeleted = true;
    wallet.challenge = undefined;
    await this.compareWallet(wallet);
  }

  // ---- time and statements

  async advance(): Promise<void> {
    const ms = this.random.pick([MINUTE, 15 * MINUTE, this.random.int(1, DAY), DAY, 3 * DAY, this.untilNextMonth()]);
    if (this.now + ms > LAST_INSTANT) return;
    await this.pass(ms);
    for (const card of this.cards) await this.compareCard(card);
    for (const wallet of this.wallets) await this.compareWallet(wallet);
  }

  private untilNextMonth(): number {
    const next = MONTHS.map(beginOf).find((begin) => begin > this.now) as number;
    return next - this.now + this.random.pick([0, HOUR, SETTLEMENT_LAG, 5 * HOUR]);
  }

  protected override passed(): void {
    const { now } = this;
    // What a hold leaves pays what is owed at the instant it ends.
    const expiries = this.cards.flatMap(({ book }) => book.expiriesUntil(now)).sort((a, b) => a - b);
    for (const at of [...expiries, now]) {
      this.now = at;
      for (const { book } of this.cards) book.advance(at - book.now);
    }
    for (const wallet of this.wallets) {
      // An unfinished liveness check fails at its expiry. A late signature fails when it is sent.
      if (wallet.isDeleted || wallet.challenge?.method !== 'LIVENESS' || wallet.challenge.expiresAt > this.now) continue;
      wallet.challenge = undefined;
      this.move(wallet, 'UNVERIFIED');
    }
  }

  async window(): Promise<void> {
    const { usd: account } = this.random.pick(this.people);
    const instants = [this.now, this.now + 1, START, this.now - this.random.int(1, 5 * DAY), ...MONTHS.map(beginOf)];
    const end = this.random.pick(instants);
    const start = this.random.chance(0.3) ? this.random.pick(instants) : end - this.random.int(1, 20 * DAY);
    this.note('window', new Date(start).toISOString(), new Date(end).toISOString());
    const refusal: readonly [number, ErrorCode] | undefined =
      start >= end || end > this.now
        ? [400, 'INVALID_INPUT']
        : account.fundedCard && settledAt(end) > this.now
          ? [409, 'NOT_YET_AVAILABLE']
          : undefined;
    if (refusal) {
      const answer = await this.platform.get(windowPath(account.id, new Date(start), new Date(end)));
      return this.agree(answer, refusal);
    }
    await this.readAndCompare(account, start, end);
  }

  private async readAndCompare(account: Account, start: number, end: number): Promise<void> {
    const limit = this.random.pick([2, 7, 200]);
    const read = await readWindow(this.platform, account.id, new Date(start), new Date(end), limit);
    const before = account.entries.filter(({ at }) => at < start);
    const within = account.entries.filter(({ at }) => at >= start && at < end);
    const sum = (entries: readonly { amount: number }[]) => entries.reduce((total, { amount }) => total + amount, 0);
    this.same([read.opening, read.closing], [sum(before), sum(before) + sum(within)], 'opening and closing balance');
    // The ledger may split a movement into several entries; the sum per instant is defined.
    const shown = read.changes.map(({ amount, effectiveAt }) => ({ amount, at: Date.parse(effectiveAt) }));
    this.same(byInstant(shown), byInstant(within), 'balance changes per instant');
    const month = MONTHS.find((first, i) => start === beginOf(first) && end === beginOf(MONTHS[i + 1] ?? first));
    if (month) account.fetched.add(month);
  }

  /** "repeating it is harmless and the first receipt's time is kept" */
  async receipt(): Promise<void> {
    const { usd: account } = this.random.pick(this.people);
    const i = this.random.int(0, 3);
    const [month = '', next = ''] = [MONTHS[i], MONTHS[i + 1]];
    const answer = await this.platform.post(`/internal-accounts/${account.id}/confirm-statement`, { periodStart: month });
    this.note('receipt', month);
    if (beginOf(month) > this.now) return this.agree(answer, [400, 'INVALID_INPUT']);
    const isOpen = beginOf(next) > this.now || (account.fundedCard && settledAt(beginOf(next)) > this.now);
    if (isOpen) return this.agree(answer, [409, 'NOT_YET_AVAILABLE']);
    this.agree(answer, 200);
    const delivered = account.receipts.get(month) ?? this.now;
    account.receipts.set(month, delivered);
    const { fetchedAt, statementDeliveredAt } = answer.body;
    this.same([fetchedAt !== null, statementDeliveredAt], [account.fetched.has(month), new Date(delivered).toISOString()], 'the receipt');
  }

  // ---- the end

  protected override async finish(): Promise<void> {
    await this.pass(7 * DAY);
    for (const card of this.cards) await this.compareCard(card);
    for (const wallet of this.wallets) await this.compareWallet(wallet);
    for (const { usd, usdb } of this.people) {
      for (const { id, balance, settled } of [usd, usdb]) {
        keepChange(settled, balance.total);
        this.same(balance.available, balance.total, `nothing of ${id} is held`);
      }
      await this.readAndCompare(usd, START - DAY, this.now - 2 * DAY);
    }
    await assertAtRest(this.service.db, await platformIdOf(this.service, this.platform));
  }

  protected override eventText(event: Event): string | undefined {
    return event.type === 'INCOMING_PAYMENT.COMPLETED' ? undefined : super.eventText(event);
  }

  protected override async compareEvents(events: readonly Event[]): Promise<void> {
    const balances = new Map<string, number[]>();
    for (const { type, object, data } of events)
      if (type === 'INTERNAL_ACCOUNT.BALANCE_UPDATED')
        balances.set(object, keepChange(balances.get(object) ?? [], data.totalBalance.amount));
    this.same(depositsIn(events), [...this.deposits].sort(), 'one completed payment per deposit');
    for (const { usd, usdb } of this.people) {
      for (const {
        id,
        entries: { length: moves },
        settled,
      } of [usd, usdb]) {
        const notifiedTotals = balances.get(id) ?? [];
        // Work that is due at the same instant runs in any order. There may be additional intermediate balances, but the last one is defined.
        assert.ok(isWithin(settled, notifiedTotals), `${id} had ${settled} and notified ${notifiedTotals}`);
        this.same(
          [notifiedTotals.at(-1), notifiedTotals.length <= moves],
          [settled.at(-1), true],
          `${id} had ${settled} and notified ${notifiedTotals}`,
        );
      }
    }
  }

  protected override expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    const put = (id: string, type: string, notified: readonly string[]): void => {
      if (notified.length > 0)
        expected.set(
          id,
          notified.map((status) => `${type} ${status}`),
        );
    };
    for (const person of this.people) {
      put(person.id, 'CUSTOMER.KYC_APPROVED', ['APPROVED']);
      for (const { id, isClosed } of [person.usd, person.usdb]) put(id, 'INTERNAL_ACCOUNT.STATUS_UPDATED', isClosed ? ['CLOSED'] : []);
    }
    for (const { id, notified, book, real } of this.cards) {
      put(id, 'card.status_change', notified);
      for (const [i, row] of book.rows.entries())
        expected.set(
          real[i]?.id ?? '',
          row.notified.map((status) => `CARD_TRANSACTION.${status} ${status}`),
        );
    }
    for (const { id, notified } of this.wallets) put(id, 'EXTERNAL_ACCOUNT.STATUS_UPDATED', notified);
    return expected;
  }
}

/** Appends a value unless it equals the last one. The initial value is 0. */
function keepChange(values: number[], value: number): number[] {
  if ((values.at(-1) ?? 0) !== value) values.push(value);
  return values;
}

/** Whether `some` is a subsequence of `all`. */
function isWithin(some: readonly number[], all: readonly number[]): boolean {
  let at = 0;
  for (const value of all) if (at < some.length && some[at] === value) at += 1;
  return at === some.length;
}

function byInstant(entries: readonly { amount: number; at: number }[]): [number, number][] {
  const sums = new Map<number, number>();
  for (const { amount, at } of entries) sums.set(at, (sums.get(at) ?? 0) + amount);
  return [...sums].filter(([, amount]) => amount !== 0);
}
