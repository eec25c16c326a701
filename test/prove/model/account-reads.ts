// Histories of what can be read about accounts: balance changes, statements and their receipts, external accounts and their ownership proofs.
import { randomUUID } from 'node:crypto';
import { purchaseOf } from '../../support/card-transactions.js';
import { provisioned, requestCard } from '../../support/cards.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { accountInfoOf } from '../../support/external-accounts/account-infos.js';
import { type AccountsApi, accountsApi } from '../../support/external-accounts/accounts-api.js';
import { bitcoinWallet, evmWallet, solanaWallet, type TestWallet } from '../../support/external-accounts/wallets.js';
import { given } from '../../support/given.js';
import { readWindow, windowPath } from '../../support/statements/history.js';
import { type Command, DAY, depositsIn, type Event, type Expected, History, HOUR, MINUTE, START } from './history.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is checked against the document.
type Resource = any;

// ---- state of the model

/** In summer, midnight in Chicago is 05:00 UTC. */
const MIDNIGHT = 5 * HOUR;
const SETTLEMENT_LAG = 2 * HOUR;
const MONTHS = ['2030-04-01', '2030-05-01', '2030-06-01', '2030-07-01', '2030-08-01', '2030-09-01'];
const NAMES = ['April', 'May', 'June', 'July', 'August'];
const beginOf = (month: string): number => Date.parse(`${month}T05:00:00Z`);
const LAST_INSTANT = beginOf('2030-09-01');

/** When "card settlement for a window boundary" has closed: two hours after the end of its day. */
const settledAt = (boundary: number): number => Math.ceil((boundary - MIDNIGHT) / DAY) * DAY + MIDNIGHT + SETTLEMENT_LAG;

type Entry = { readonly amount: number; readonly at: number };
type Holder = {
  readonly id: string;
  readonly name: string;
  readonly usd: string;
  readonly usdb: string;
  card: string | undefined;
  readonly entries: Entry[];
  /** The latest end of all windows that were read: "A final window can be read again whatever happens to the account later." */
  finalBefore: number;
  readonly fetched: Set<string>;
  readonly receipts: Map<string, number>;
};

type External = {
  readonly door: AccountsApi;
  readonly owner: Holder | undefined;
  readonly signer: TestWallet | undefined;
  /** As it was created, apart from its status. */
  readonly created: Resource;
  status: string;
  isDeleted: boolean;
  /** Verdicts of all attempts, oldest first. */
  readonly proofs: string[];
  readonly notified: string[];
};

const sumOf = (entries: readonly Entry[]): number => entries.reduce((total, { amount }) => total + amount, 0);
/** "$1,234.56", with a typographic minus sign if money left. */
const dollars = (cents: number): string =>
  `${cents < 0 ? '−' : ''}$${Math.abs(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`;

const WEIGHTS = {
  holder: 1,
  card: 2,
  fund: 8,
  buy: 6,
  window: 8,
  statement: 9,
  receipt: 6,
  none: 2,
  external: 6,
  prove: 8,
  forget: 2,
  read: 4,
  list: 7,
  proofs: 6,
  advance: 7,
} as const;
type Kind = keyof typeof WEIGHTS;

export class AccountReadsHistory extends History {
  private readonly holders: Holder[] = [];
  private readonly externals: External[] = [];
  /** Account and amount of every deposit. */
  private readonly deposits: string[] = [];
  /** Ids of cards, and of card transactions with their only status. */
  private readonly cards: string[] = [];
  private readonly transactions = new Map<string, string>();

  override commands(): Readonly<Record<Kind, Command>> {
    const command = (kind: Kind): Command => [WEIGHTS[kind], () => this[kind]()];
    return Object.fromEntries(Object.keys(WEIGHTS).map((kind) => [kind, command(kind as Kind)])) as Record<Kind, Command>;
  }

  protected override async prepare(): Promise<void> {
    await this.holder();
    await this.holder();
    await this.fund();
  }

  // ---- money

  async holder(): Promise<void> {
    if (this.holders.length >= 4) return;
    // Of a name that could end a tag of the statement.
    const name = `Ada "${this.random.pick(['A', 'B'])}" <Lovelace> & Daughters`;
    const { id } = await given(this.platform).customer({ fullName: name });
    const [usd, usdb] = [await given(this.platform).account({ id }, 'USD'), await given(this.platform).account({ id }, 'USDB')];
    const state = { card: undefined, entries: [], finalBefore: 0, fetched: new Set<string>(), receipts: new Map<string, number>() };
    this.holders.push({ id, name, usd: usd.id, usdb: usdb.id, ...state });
    this.note('holder');
  }

  async card(): Promise<void> {
    const holder = this.any(this.holders.filter(({ card }) => card === undefined));
    if (!holder) return;
    const { id } = await expectStatus(201, requestCard(this.platform, { customerId: holder.id, fundingSource: holder.usd }));
    await provisioned(this.platform, id);
    this.note('card');
    holder.card = id;
    this.cards.push(id);
  }

  async fund(): Promise<void> {
    const { usd, entries } = this.random.pick(this.holders);
    const amount = this.random.int(1, 300_000);
    const answer = await this.platform.post(`/sandbox/internal-accounts/${usd}/fund`, { amount });
    this.note('fund', amount);
    this.agree(answer, 200);
    entries.push({ amount, at: this.now });
    this.deposits.push(`${usd} ${amount}`);
    this.same(answer.body.balance.amount, sumOf(entries), 'the balance');
  }

  /** Purchases and credits that settle at once: one balance change each. */
  async buy(): Promise<void> {
    const holder = this.any(this.holders.filter(({ card }) => card));
    if (!holder) return;
    const isCredit = this.random.chance(0.3);
    const amount = this.random.int(1, 100_000);
    const has = sumOf(holder.entries);
    const kind = isCredit ? 'financial_credit_authorization' : 'financial_authorization';
    const answer = await this.platform.post(`/sandbox/cards/${holder.card}/simulate/${kind}`, purchaseOf(amount));
    this.note('buy', kind, amount);
    this.agree(answer, 202);
    const { data } = await expectStatus(200, this.platform.get(`/transactions?reference=${answer.body.issuerTransactionToken}`));
    const status = isCredit || amount <= has ? 'SETTLED' : 'DECLINED';
    this.same(data[0].status, status, 'the transaction');
    this.transactions.set(data[0].id, status);
    if (status === 'SETTLED') holder.entries.push({ amount: isCredit ? amount : -amount, at: this.now });
  }

  // ---- windows, statements, receipts

  /** Whether "a window whose card settlement has not closed is refused". */
  private isUnsettled({ card, finalBefore }: Holder, end: number): boolean {
    return card !== undefined && settledAt(end) > this.now && end > finalBefore;
  }

  private within({ entries }: Holder, start: number, end: number): { opening: number; rows: Entry[] } {
    return { opening: sumOf(entries.filter(({ at }) => at < start)), rows: entries.filter(({ at }) => at >= start && at < end) };
  }

  async window(): Promise<void> {
    const holder = this.random.pick(this.holders);
    const instants = [this.now, this.now + 1, START, this.now - this.random.int(1, 5 * DAY), ...MONTHS.map(beginOf)];
    const month = this.random.int(0, MONTHS.length - 2);
    const isMonth = this.random.chance(0.3);
    const end = isMonth ? beginOf(MONTHS[month + 1] as string) : this.random.pick(instants);
    const start = isMonth ? beginOf(MONTHS[month] as string) : end - this.random.int(-1, 20 * DAY);
    this.note('window', new Date(start).toISOString(), new Date(end).toISOString());
    const refusal: Expected | undefined =
      start >= end || end > this.now ? [400, 'INVALID_INPUT'] : this.isUnsettled(holder, end) ? [409, 'NOT_YET_AVAILABLE'] : undefined;
    if (refusal) return this.agree(await this.platform.get(windowPath(holder.usd, new Date(start), new Date(end))), refusal);
    await this.compareWindow(holder, start, end);
    // "A statement is recorded as fetched only when the window is exactly one calendar month in US Central time."
    const [first, next] = [MONTHS.find((one) => beginOf(one) === start), MONTHS.find((one) => beginOf(one) === end)];
    if (first && next && MONTHS.indexOf(next) === MONTHS.indexOf(first) + 1) holder.fetched.add(first);
  }

  private async compareWindow(holder: Holder, start: number, end: number): Promise<void> {
    const limit = this.random.pick([1, 3, 200]);
    const read = await readWindow(this.platform, holder.usd, new Date(start), new Date(end), limit);
    const { opening, rows } = this.within(holder, start, end);
    this.same([read.opening, read.closing], [opening, opening + sumOf(rows)], 'opening and closing balance');
    const shown = read.changes.map(({ amount, effectiveAt }) => ({ amount, at: Date.parse(effectiveAt) }));
    this.same(shown, rows, '"one row per balance change in the order the money moved"');
    holder.finalBefore = Math.max(holder.finalBefore, end);
  }

  /** A month for a statement or a receipt, with the refusal of it. */
  private someMonth(holder: Holder): { i: number; month: string; end: number; refusal: Expected | undefined } {
    const i = this.random.int(0, MONTHS.length - 2);
    const month = MONTHS[i] as string;
    const end = beginOf(MONTHS[i + 1] as string);
    // "first of a month already begun, US Central"; "409 while settlement is open"
    const refusal: Expected | undefined =
      beginOf(month) > this.now
        ? [400, 'INVALID_INPUT']
        : end > this.now || this.isUnsettled(holder, end)
          ? [409, 'NOT_YET_AVAILABLE']
          : undefined;
    return { i, month, end, refusal };
  }

  /** The document of a month shows what the balance changes of its window show. */
  async statement(): Promise<void> {
    const holder = this.random.pick(this.holders);
    const { i, month, end, refusal } = this.someMonth(holder);
    const isCsv = this.random.chance(0.5);
    const isMiddle = this.random.chance(0.05);
    const path = `/internal-accounts/${holder.usd}/statement?periodStart=${isMiddle ? month.replace(/01$/, '02') : month}`;
    const answer = await this.platform.get(path, { headers: { accept: isCsv ? 'text/csv' : 'text/html' } });
    this.note('statement', month, isCsv ? 'csv' : 'html', isMiddle ? 'from its second day' : '');
    if (isMiddle) return this.agree(answer, [400, 'INVALID_INPUT']);
    if (refusal) return this.agree(answer, refusal);
    this.agree(answer, 200);
    holder.fetched.add(month);
    holder.finalBefore = Math.max(holder.finalBefore, end);
    const { opening, rows } = this.within(holder, beginOf(month), end);
    if (isCsv) return this.compareCsv(answer, opening, rows);
    const [moneyIn, moneyOut] = [rows.filter(({ amount }) => amount > 0), rows.filter(({ amount }) => amount < 0)];
    const facts: Readonly<Record<string, string>> = {
      Name: holder.name.replaceAll(/["<>&]/g, (character) => `&#${character.charCodeAt(0)};`),
      'Opening balance': dollars(opening),
      'Money in': dollars(sumOf(moneyIn)),
      'Money out': dollars(sumOf(moneyOut)),
      'Closing balance': dollars(opening + sumOf(rows)),
    };
    const shown = Object.keys(facts).map((name) => [name, new RegExp(`<dt>${name}</dt><dd>(.*?)</dd>`).exec(answer.text)?.[1]]);
    this.same(Object.fromEntries(shown), facts, 'the heading of the statement');
    this.same(new RegExp(`${NAMES[i]} 2030`).test(answer.text), true, 'its month');
    this.same(/<footer>(\d+) balance changes/.exec(answer.text)?.[1], String(rows.length), 'the number of balance changes');
  }

  private compareCsv({ text }: Answer, opening: number, rows: readonly Entry[]): void {
    const lines = text.trimEnd().split('\r\n').slice(1);
    const shown = lines.map((line) => {
      const [kind, at = '', , , amount, balance] = line.split(',');
      return [kind, kind === 'CHANGE' ? Date.parse(at) : '', Math.round(Number(amount) * 100), Math.round(Number(balance) * 100)];
    });
    let balance = opening;
    const changes = rows.map(({ amount, at }) => {
      balance += amount;
      return ['CHANGE', at, amount, balance];
    });
    this.same(shown, [['OPENING', '', 0, opening], ...changes, ['CLOSING', '', 0, balance]], 'the rows of the statement');
  }

  /** "repeating it is harmless and the first receipt's time is kept" */
  async receipt(): Promise<void> {
    const holder = this.random.pick(this.holders);
    const { month, end, refusal } = this.someMonth(holder);
    const named =
      refusal || this.random.chance(0.5)
        ? undefined
        : this.random.pick([this.now, this.now + 1, end, end - 1, this.random.int(end, this.now)]);
    const body = { periodStart: month, ...(named === undefined ? {} : { statementDeliveredAt: new Date(named).toISOString() }) };
    const answer = await this.platform.post(`/internal-accounts/${holder.usd}/confirm-statement`, body);
    this.note('receipt', month, named === undefined ? '' : new Date(named).toISOString());
    // "`statementDeliveredAt` (zone, not future, not before the period end; default now)"
    const isWrong = named !== undefined && (named > this.now || named < end);
    if (refusal || isWrong) return this.agree(answer, refusal ?? [400, 'INVALID_INPUT']);
    this.agree(answer, 200);
    holder.finalBefore = Math.max(holder.finalBefore, end);
    const delivered = holder.receipts.get(month) ?? named ?? this.now;
    holder.receipts.set(month, delivered);
    const { internalAccountId, periodStart, fetchedAt, statementDeliveredAt } = answer.body;
    const expected = [holder.usd, month, holder.fetched.has(month), new Date(delivered).toISOString()];
    this.same([internalAccountId, periodStart, fetchedAt !== null, statementDeliveredAt], expected, 'the receipt');
  }

  /** "rule-based, bulk settlement, and platform-owned accounts have no statement of their own"; a wallet has none either. */
  async none(): Promise<void> {
    const { data } = await expectStatus(200, this.platform.get('/platform/internal-accounts?currency=USD'));
    const [id, refusal] = this.random.pick<readonly [string, Expected]>([
      [this.random.pick(this.holders).usdb, [400, 'INVALID_INPUT']],
      [data[0].id, [400, 'INVALID_INPUT']],
      [`InternalAccount:${randomUUID()}`, [404, 'ACCOUNT_NOT_FOUND']],
    ]);
    const month = { periodStart: '2030-04-01' };
    this.note('none', JSON.stringify(refusal));
    this.agree(await this.platform.get(`/internal-accounts/${id}/statement?periodStart=${month.periodStart}`), refusal);
    this.agree(await this.platform.get(windowPath(id, new Date(START - DAY), new Date(START))), refusal);
    this.agree(await this.platform.post(`/internal-accounts/${id}/confirm-statement`, month), refusal);
  }

  // ---- external accounts

  async external(): Promise<void> {
    const owner = this.random.chance(0.5) ? undefined : this.random.pick(this.holders);
    const door = accountsApi(this.platform, owner ? 'customers' : 'platform');
    const own = this.externals.filter((other) => other.owner === owner && !other.isDeleted);
    const wallet = own.find(({ signer }) => signer);
    const repeated = wallet && this.random.chance(0.2) ? wallet : undefined;
    const make = this.random.pick([evmWallet, solanaWallet, (name: string) => bitcoinWallet(name, 'P2WPKH'), () => undefined]);
    const signer = repeated ? repeated.signer : make(randomUUID());
    // All bank accounts of the model have the same number, so the second of an owner is equivalent to the first.
    const twin = repeated ?? (signer ? undefined : own.find((other) => !other.signer));
    const fields = signer
      ? {
          currency: signer.accountType === 'SPARK_WALLET' ? 'BTC' : 'USDC',
          ownershipType: 'FIRST_PARTY',
          accountInfo: { accountType: signer.accountType, address: signer.address },
        }
      : { currency: 'GBP', accountInfo: accountInfoOf('GBP_ACCOUNT') };
    const answer = await this.platform.post(door.base, { ...fields, ...(owner ? { customerId: owner.id } : {}) });
    this.note('external', fields.currency, owner ? 'of a customer' : '', twin ? 'again' : '');
    if (twin) {
      this.agree(answer, [409, 'DUPLICATE_EXTERNAL_ACCOUNT']);
      return this.same(answer.body.details?.externalAccountId, twin.created.id, 'the equivalent account');
    }
    this.agree(answer, 201);
    const { currency, customerId, accountInfo, status } = answer.body;
    this.same(
      [currency, customerId ?? undefined, accountInfo.accountType],
      [fields.currency, owner?.id, fields.accountInfo.accountType],
      'the account',
    );
    this.same(status === 'PENDING_OWNERSHIP_VERIFICATION', signer !== undefined, 'whether ownership must be proven');
    this.externals.push({ door, owner, signer, created: answer.body, status, isDeleted: false, proofs: [], notified: [] });
  }

  private move(account: External, status: string): void {
    if (account.status !== status) account.notified.push(status);
    account.status = status;
  }

  /** An attempt that succeeds, has another signature, or comes after the challenge has expired. */
  async prove(): Promise<void> {
    const account = this.any(this.externals.filter(({ isDeleted }) => !isDeleted));
    if (!account) return;
    const { door, signer, created } = account;
    const answer = await door.challenge(created);
    const outcome = this.random.weighted({ VALID: 3, INVALID: 4, EXPIRED: 2 });
    this.note('prove', account.status, outcome);
    // "Otherwise 409 (not a self-custody wallet, not first party, already verified)."
    if (!signer || account.status === 'ACTIVE') return this.agree(answer, [409, 'CONFLICT']);
    this.agree(answer, 201);
    this.move(account, 'PENDING_OWNERSHIP_VERIFICATION');
    const { messageToSign, expiresAt } = answer.body;
    const isLate = outcome === 'EXPIRED' && Date.parse(expiresAt) <= LAST_INSTANT;
    if (isLate) await this.pass(Date.parse(expiresAt) - this.now);
    const signature = await signer.sign(outcome === 'INVALID' ? 'something else' : messageToSign);
    const verified = await door.verify(created, { signature });
    const isGood = outcome !== 'INVALID' && !isLate;
    this.agree(verified, isGood ? 200 : [400, 'INVALID_INPUT']);
    this.move(account, isGood ? 'ACTIVE' : 'UNVERIFIED');
    account.proofs.push(isGood ? 'VALID' : isLate ? 'EXPIRED' : 'INVALID');
    await this.compareExternal(account);
  }

  async forget(): Promise<void> {
    const account = this.any(this.externals);
    if (!account) return;
    const answer = await this.platform.delete(`${account.door.base}/${account.created.id}`);
    this.note('forget', account.status);
    this.agree(answer, account.isDeleted ? [404, 'ACCOUNT_NOT_FOUND'] : 204);
    account.isDeleted = true;
    await this.compareExternal(account);
  }

  private async compareExternal({ door, created, status, isDeleted }: External): Promise<void> {
    const answer = await this.platform.get(`${door.base}/${created.id}`);
    if (isDeleted) return this.agree(answer, [404, 'ACCOUNT_NOT_FOUND']);
    this.agree(answer, 200);
    this.same(answer.body, { ...created, status }, 'the external account');
  }

  /** Also by the path of the other kind of owner, where the account is unknown. */
  async read(): Promise<void> {
    const account = this.any(this.externals);
    if (!account) return;
    this.note('read', account.status, account.owner ? 'of a customer' : '');
    await this.compareExternal(account);
    const other = account.owner ? '/platform' : '/customers';
    this.agree(await this.platform.get(`${other}/external-accounts/${account.created.id}`), [404, 'ACCOUNT_NOT_FOUND']);
  }

  private async comparePages(path: string, query: readonly string[], expected: readonly unknown[], shown: (one: Resource) => unknown) {
    const limit = this.random.int(1, 4);
    let cursor: readonly string[] = [];
    for (let at = 0; at === 0 || at < expected.length; at += limit) {
      const answer = await this.platform.get(`${path}?${[...query, `limit=${limit}`, ...cursor].join('&')}`);
      this.agree(answer, 200);
      const { data, hasMore, totalCount, nextCursor } = answer.body;
      this.same([totalCount, hasMore], [expected.length, at + limit < expected.length], 'how many there are');
      this.same(data.map(shown), expected.slice(at, at + limit), `a page of ${path}, newest first`);
      cursor = [`cursor=${nextCursor}`];
    }
  }

  async list(): Promise<void> {
    const name = this.random.pick(['customers', 'platform'] as const);
    const currency = this.random.chance(0.4) ? this.random.pick(['USDC', 'BTC', 'GBP', 'EUR']) : undefined;
    const owner = name === 'customers' && this.random.chance(0.5) ? this.random.pick(this.holders) : undefined;
    this.note('list', name, currency, owner ? 'of one' : '');
    const matching = this.externals.filter(
      (one) =>
        !one.isDeleted &&
        (one.owner === undefined) === (name === 'platform') &&
        (currency === undefined || one.created.currency === currency) &&
        (owner === undefined || one.owner === owner),
    );
    const query = [...(currency ? [`currency=${currency}`] : []), ...(owner ? [`customerId=${owner.id}`] : [])];
    const expected = matching.map(({ created, status }) => ({ ...created, status })).reverse();
    await this.comparePages(`/${name}/external-accounts`, query, expected, (one) => one);
  }

  /** Of a deleted account too. */
  async proofs(): Promise<void> {
    const account = this.any(this.externals);
    if (!account || this.random.chance(0.1)) {
      this.note('proofs', 'of nothing');
      return this.agree(await this.platform.get(`/external-accounts/ExternalAccount:${randomUUID()}/ownership-proofs`), [
        404,
        'ACCOUNT_NOT_FOUND',
      ]);
    }
    this.note('proofs', account.proofs.join(), account.isDeleted ? 'of a deleted account' : '');
    const path = `/external-accounts/${account.created.id}/ownership-proofs`;
    const expected = account.proofs.map((verdict) => [verdict, verdict === 'INVALID']).reverse();
    await this.comparePages(path, [], expected, ({ verdict, cause }) => [verdict, cause !== undefined]);
  }

  // ---- time and the end

  async advance(): Promise<void> {
    const next = MONTHS.map(beginOf).find((begin) => begin > this.now) ?? LAST_INSTANT;
    const toNextMonth = next - this.now + this.random.pick([0, HOUR, SETTLEMENT_LAG - 1, SETTLEMENT_LAG]);
    const ms = this.random.pick([MINUTE, this.random.int(1, DAY), 3 * DAY, toNextMonth, toNextMonth]);
    if (this.now + ms <= LAST_INSTANT) await this.pass(ms);
  }

  protected override async finish(): Promise<void> {
    await this.pass(3 * DAY);
    for (const holder of this.holders) await this.compareWindow(holder, START - DAY, this.now - 2 * DAY);
    for (const account of this.externals) await this.compareExternal(account);
  }

  protected override eventText(event: Event): string | undefined {
    return event.type === 'INCOMING_PAYMENT.COMPLETED' ? undefined : super.eventText(event);
  }

  protected override async compareEvents(events: readonly Event[]): Promise<void> {
    this.same(depositsIn(events), [...this.deposits].sort(), 'one completed payment per deposit');
  }

  protected override expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    for (const { id } of this.holders) expected.set(id, ['CUSTOMER.KYC_APPROVED APPROVED']);
    for (const id of this.cards) expected.set(id, ['card.status_change ACTIVE']);
    for (const [id, status] of this.transactions) expected.set(id, [`CARD_TRANSACTION.${status} ${status}`]);
    for (const { created, notified } of this.externals)
      if (notified.length > 0)
        expected.set(
          created.id,
          notified.map((status) => `EXTERNAL_ACCOUNT.STATUS_UPDATED ${status}`),
        );
    return expected;
  }
}
