// Histories of provider accounts, stablecoins, mints and burns: the provider's steps by the clock, its balance, and the proceeds of burns.
import { randomUUID } from 'node:crypto';
import { sql } from '../../../src/db/sql.js';
import { uuidOf } from '../../../src/kernel/ids.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { quoting } from '../../support/quotes.js';
import {
  type Account,
  accountOf,
  type Coin,
  enablementOf,
  endingOf,
  firstShown,
  isMoving,
  iso,
  isRejected,
  isSilent,
  issuanceOf,
  type Link,
  type LinkFields,
  linkFor,
  MOST_CENTS,
  newCoin,
  type Operation,
  type Order,
  type Outside,
  type Refusal,
  refuseLinking,
  refuseOrder,
  refuseToken,
  shownCoin,
  shownLink,
  shownOperation,
  TIMING,
  type TokenFields,
  takeOrder,
} from '../../support/stablecoin-model.js';
import { keyed, stablecoins } from '../../support/stablecoins.js';
import { platformIdOf } from '../../support/webhooks/platform.js';
import { type Command, DAY, type Expected, History, MINUTE } from './history.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are read freely; their shape is checked against the document.
type Resource = any;

type Person = {
  readonly id: string;
  readonly usd: Account;
  readonly others: readonly string[];
  readonly bank: Outside;
  isDeleted: boolean;
};

const LINKS = '/stablecoin-provider-accounts';
const outsideOf = (id: string, kind: Outside['kind'], fields: Partial<Outside> = {}): Outside => ({
  id,
  kind,
  activeFrom: 0,
  isKnown: true,
  isRefused: false,
  ...fields,
});

export class StablecoinHistory extends History {
  private readonly build = stablecoins(this.platform);
  private readonly links: Link[] = [];
  private readonly coins: Coin[] = [];
  private readonly people: Person[] = [];
  private readonly outside: Outside[] = [];
  private readonly house: Account = { id: '', balance: 0, isClosed: false, received: [] };
  /** Keys of refused calls, by operation. They are free. */
  private readonly freeKeys = new Map<string, string>();
  /** Names are counted, so that a history repeated from its seed uses the same. */
  private names = 0;
  private suspended = 0;
  private readonly deposits: string[] = [];
  private readonly validated: string[] = [];

  override commands(): Readonly<Record<string, Command>> {
    return {
      link: [5, () => this.link()],
      revoke: [2, () => this.revoke()],
      links: [2, () => this.listLinks()],
      register: [6, () => this.register()],
      enable: [4, () => this.enable()],
      coins: [2, () => this.listCoins()],
      mint: [14, () => this.mint()],
      burn: [14, () => this.burn()],
      operations: [3, () => this.listOperations()],
      unknown: [1, () => this.unknown()],
      customer: [1, () => this.customer()],
      leave: [1, () => this.leave()],
      bank: [1, () => this.bank()],
      advance: [16, () => this.advance()],
    };
  }

  protected override async prepare(): Promise<void> {
    this.outside.push(
      outsideOf((await this.build.bank()).id, 'BANK'),
      outsideOf((await this.build.bank('008')).id, 'BANK', { isRefused: true }),
      outsideOf((await this.build.wallet()).id, 'SPARK'),
      outsideOf((await this.build.wallet({ ownershipType: 'FIRST_PARTY' })).id, 'SPARK', { activeFrom: undefined }),
      outsideOf((await this.build.wallet({}, 'P2PKH')).id, 'OTHER'),
      outsideOf(`ExternalAccount:${randomUUID()}`, 'BANK', { isKnown: false }),
      outsideOf(`ExternalAccount:${randomUUID()}`, 'SPARK', { isKnown: false }),
    );
    const { id, balance } = await quoting(this.platform).platformAccount('USD');
    Object.assign(this.house, { id, balance: balance.amount });
    await this.customer();
    await this.linkAs({ apiClientId: this.name('client'), apiClientSecret: 'secret-x' });
    await this.registerAs({ ...this.token('x'), stablecoinProviderAccountId: this.links[0]?.id });
  }

  // ---- requests

  private name(what: string, ending = 'x'): string {
    this.names += 1;
    return `${what}${this.names}-${ending}`;
  }

  private some(...kinds: readonly Outside['kind'][]): Outside {
    return this.random.pick(this.outside.filter(({ kind }) => kinds.includes(kind)));
  }

  /**
   * Sends a request that needs a key. "Replay gives the first answer; other payload 409 CONFLICT. A refused call leaves the key free":
   * some requests take the key of a refused one.
   */
  private async send(path: string, body: Readonly<Record<string, unknown>>, expected: Expected): Promise<Answer> {
    const key = (this.random.chance(0.5) ? this.freeKeys.get(path) : undefined) ?? randomUUID();
    const answer = await this.platform.post(path, body, keyed(key));
    this.agree(answer, expected);
    this.freeKeys.delete(path);
    if (answer.status !== 201) this.freeKeys.set(path, key);
    else if (this.random.chance(0.25)) {
      const again = await this.platform.post(path, body, keyed(key));
      this.same([again.status, again.text], [201, answer.text], 'the repeated request');
      const other =
        'amount' in body ? { description: 'another request' } : { [body['network'] ? 'networkTokenIdentifier' : 'apiClientId']: 'z' };
      this.agree(await this.platform.post(path, { ...body, ...other }, keyed(key)), [409, 'CONFLICT']);
    }
    return answer;
  }

  // ---- provider accounts

  private async compareLink(link: Link): Promise<void> {
    this.same(await this.build.getLink(link), shownLink(link), 'the provider account');
  }

  async link(): Promise<void> {
    const known = this.random.chance(0.5) ? this.any(this.links) : undefined;
    if (!known && this.links.length >= 6) return;
    const secret = `secret-${this.random.weighted({ x: 8, '002': 1, '003': 1, '005': 2, '006': 2 })}`;
    const apiClientId = this.name('client', this.random.chance(0.1) ? '004' : 'x');
    const wrong = !known && this.random.chance(0.1);
    const providerAccountId = known?.account ?? (wrong ? 'acct-002' : this.random.chance(0.3) ? this.name('acct') : undefined);
    await this.linkAs({ apiClientId, apiClientSecret: secret, ...(providerAccountId && { providerAccountId }) });
  }

  private async linkAs(fields: LinkFields): Promise<void> {
    const secret = fields.apiClientSecret;
    const account = accountOf(fields);
    const known = this.links.find((link) => link.account === account);
    const refusal = refuseLinking(fields, known);
    this.note('link', secret, known?.status ?? 'new', refusal?.[1] ?? '');
    const { body } = await this.send(LINKS, { provider: 'EXTERNAL_ISSUER', ...fields }, refusal ?? 201);
    if (refusal?.[0] === 409) this.same(body.details.stablecoinProviderAccountId, known?.id, 'the active link');
    if (!refusal) {
      const now = { secret, status: 'ACTIVE', verifiedAt: this.now, updatedAt: this.now } as const;
      // "a REVOKED or INVALID one comes back ACTIVE under the same id with the new credentials"
      if (known) Object.assign(known, now);
      else this.links.push({ id: body.id, account, createdAt: this.now, ...now });
      this.same(body, shownLink(known ?? (this.links.at(-1) as Link)), 'the answer');
    }
    if (known) await this.compareLink(known);
  }

  /** "ACTIVE, INVALID → REVOKED, 204; REVOKED stays, 204". A coin under review needs its link, so that link is kept. */
  async revoke(): Promise<void> {
    const isNeeded = (link: Link) => this.coins.some((coin) => coin.link === link && isMoving(coin, this.now));
    const link = this.any(this.links.filter((each) => !isNeeded(each)));
    if (!link) return;
    this.note('revoke', link.status);
    this.agree(await this.platform.delete(`${LINKS}/${link.id}`), 204);
    if (link.status !== 'REVOKED') Object.assign(link, { status: 'REVOKED', updatedAt: this.now });
    await this.compareLink(link);
  }

  async listLinks(): Promise<void> {
    const status = this.random.pick([undefined, 'ACTIVE', 'INVALID', 'REVOKED'] as const);
    const found = this.links.filter((link) => !status || link.status === status).map(shownLink);
    this.note('links', status ?? 'all');
    await this.compareList(LINKS, { ...(status && { status }), provider: 'EXTERNAL_ISSUER' }, found);
  }

  // ---- stablecoins

  private async compareCoin(coin: Coin): Promise<void> {
    this.same(await this.build.get(coin), shownCoin(coin, this.now), 'the stablecoin');
  }

  private token = (ending: string): TokenFields & { network: string } => ({
    providerTokenIdentifier: this.name('Token', ending),
    networkTokenIdentifier: this.name('btkn'),
    network: 'SPARK',
  });

  async register(): Promise<void> {
    if (this.coins.length >= 12) return;
    const named = this.random.chance(0.8) ? this.any(this.links) : undefined;
    const isUnknown = !named && this.random.chance(0.2);
    const stablecoinProviderAccountId = isUnknown ? `StablecoinProviderAccount:${randomUUID()}` : named?.id;
    // Of a taken name and an unusable link, no rule says which is told.
    const isUsable = named?.status === 'ACTIVE' && !isRejected(named);
    const known = isUsable && this.random.chance(0.3) ? this.any(this.coins) : undefined;
    const isBad = !known && this.random.chance(0.12);
    const ending = this.random.pick(['x', 'x', 'x', '003', '004', '005', `1${this.random.int(0, 18)}`.replace(/^1(\d)$/, '10$1'), '119']);
    const token = this.token(isBad && this.random.chance(0.5) ? '002' : ending);
    await this.registerAs({
      ...token,
      ...(isBad && !token.providerTokenIdentifier.endsWith('002') && { networkTokenIdentifier: 'btkn-002' }),
      ...(known && { providerTokenIdentifier: known.symbol.toUpperCase() }),
      ...(known && this.random.chance(0.5) && { networkTokenIdentifier: known.network }),
      ...(stablecoinProviderAccountId && { stablecoinProviderAccountId }),
    });
  }

  private async registerAs(token: TokenFields): Promise<void> {
    const link = linkFor(token, this.links);
    const refusal = refuseToken(token, this.links, this.coins);
    this.note('register', endingOf(token.providerTokenIdentifier), link?.status ?? 'no link', refusal?.[1] ?? '');
    const { body } = await this.send('/stablecoins', token, refusal ?? 201);
    if (refusal) return this.afterRefusal(link, refusal);
    const coin = newCoin(body.id, link as Link, token, this.now);
    this.coins.push(coin);
    this.same(body, shownCoin(coin, this.now), 'the answer');
  }

  /** "INVALID (kept although that call is refused with 400 STABLECOIN_PROVIDER_ACCOUNT_INVALID)" */
  private async afterRefusal(link: Link | undefined, [, code]: Refusal): Promise<void> {
    if (!link) return;
    if (code === 'STABLECOIN_PROVIDER_ACCOUNT_INVALID' && link.status === 'ACTIVE')
      Object.assign(link, { status: 'INVALID', updatedAt: this.now });
    await this.compareLink(link);
  }

  async enable(): Promise<void> {
    const coin = this.any(this.coins) as Coin;
    const from = enablementOf(coin, this.now);
    const answer = await this.platform.post(`/stablecoins/${coin.id}/request-grid-enablement`);
    this.note('enable', from);
    const isRequestable = from === 'NOT_ENABLED' || from === 'PENDING_APPROVAL';
    this.agree(answer, isRequestable ? 200 : [409, 'STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE']);
    if (from === 'NOT_ENABLED') coin.requestedAt = this.now;
    if (isRequestable) this.same(answer.body, shownCoin(coin, this.now), 'the answer');
    await this.compareCoin(coin);
  }

  async listCoins(): Promise<void> {
    const issuanceStatus = this.random.pick([undefined, 'PROVISIONED', 'PENDING_REVIEW', 'REJECTED', 'FAILED']);
    const gridOperationsStatus = this.random.pick([undefined, undefined, 'NOT_ENABLED', 'PENDING_APPROVAL', 'ENABLED']);
    const found = this.coins
      .map((coin) => shownCoin(coin, this.now))
      .filter((coin) => !issuanceStatus || coin.issuanceStatus === issuanceStatus)
      .filter((coin) => !gridOperationsStatus || coin.gridOperationsStatus === gridOperationsStatus);
    this.note('coins', issuanceStatus ?? 'all', gridOperationsStatus ?? 'all');
    await this.compareList(
      '/stablecoins',
      { ...(issuanceStatus && { issuanceStatus }), ...(gridOperationsStatus && { gridOperationsStatus }) },
      found,
    );
  }

  // ---- mints and burns

  /** An amount in the smallest unit: its cents choose what the provider does. */
  private amountFor({ decimals, left }: Coin, spendsBalance: boolean, isCredited = false): bigint {
    const unit = 10n ** BigInt(Math.max(0, decimals - 2));
    const kind = this.random.weighted({
      plain: 8,
      '002': 3,
      '005': 2,
      most: spendsBalance ? 4 : 0,
      failing: spendsBalance ? 3 : 0,
      uneven: 1,
      huge: isCredited ? 0 : 0.5,
    });
    if (kind === 'uneven') return BigInt(this.random.int(1, 1_000)) * unit + 1n;
    if (kind === 'huge') return (MOST_CENTS + BigInt(this.random.int(0, 1))) * unit;
    // What is left at the provider, or a cent more.
    if (kind === 'most') return (left / unit) * unit + (this.random.chance(0.5) ? unit : 0n) || unit;
    // Most of what is left, and it fails: the next order has it again.
    if (kind === 'failing' && left > 2_000n * unit) return ((left / unit / 1_000n - 1n) * 1_000n + 2n) * unit;
    return (BigInt(this.random.int(1, 900)) * 1_000n + BigInt(kind === '002' || kind === '005' ? kind : this.random.int(100, 900))) * unit;
  }

  private anyCoin(): Coin {
    const ready = this.coins.filter((coin) => issuanceOf(coin, this.now) === 'PROVISIONED' && coin.link.status === 'ACTIVE');
    return this.random.pick(ready.length > 0 && this.random.chance(0.85) ? ready : this.coins);
  }

  async mint(): Promise<void> {
    const coin = this.anyCoin();
    const type = this.random.weighted({
      WIRE: 6,
      ACH_DEBIT: 4,
      SAME_DAY_ACH_DEBIT: 2,
      GRID_INTERNAL_ACCOUNT: 1,
      PROVIDER_INTERNAL_BALANCE: 1,
    });
    const debited = type.endsWith('ACH_DEBIT') ? this.endOf(coin, 'BANK', 'SPARK') : undefined;
    const source = {
      type,
      ...(debited && { externalAccountId: debited.id }),
      ...(type === 'GRID_INTERNAL_ACCOUNT' && { accountId: this.house.id }),
      ...(type === 'PROVIDER_INTERNAL_BALANCE' && { sourceTokenIdentifier: coin.symbol, cryptoNetwork: 'SPARK' }),
    };
    const holder = type === 'WIRE' && this.random.chance(0.1) ? undefined : this.endOf(coin, 'SPARK', 'OTHER');
    const ends: Order['ends'] = [...(debited ? [[debited, 'BANK'] as const] : []), ...(holder ? [[holder, 'SPARK'] as const] : [])];
    await this.order(coin, { path: 'mints', source, destination: { accountId: holder?.id ?? this.house.id }, ends });
  }

  async burn(): Promise<void> {
    const coin = this.anyCoin();
    const type = this.random.weighted({ EXTERNAL_ACCOUNT: 5, PROVIDER_INTERNAL_BALANCE: 7, GRID_INTERNAL_ACCOUNT: 1 });
    const source = { type, ...(type === 'GRID_INTERNAL_ACCOUNT' && { accountId: this.house.id }) };
    const rail = this.random.pick(Object.keys(TIMING));
    if (this.random.chance(0.5)) {
      const bank = this.endOf(coin, 'BANK', 'SPARK');
      const destination = { type: 'EXTERNAL_ACCOUNT', externalAccountId: bank.id, rail };
      return this.order(coin, { path: 'burns', source, destination, ends: [[bank, 'BANK']] });
    }
    // "unknown 404 ACCOUNT_NOT_FOUND, other kinds 400 INVALID_INPUT naming destination.accountId"
    const person = this.any(this.people.filter(({ isDeleted }) => !isDeleted));
    const usd = person?.usd ?? this.house;
    const [accountId, internal] = this.random.pick<readonly [string, Account | Refusal]>([
      [this.house.id, this.house],
      [usd.id, usd],
      [usd.id, usd],
      [usd.id, usd],
      [`InternalAccount:${randomUUID()}`, [404, 'ACCOUNT_NOT_FOUND']],
      ...(person?.others.slice(0, 1) ?? []).map((id): [string, Refusal] => [id, [400, 'INVALID_INPUT']]),
    ]);
    await this.order(coin, { path: 'burns', source, destination: { type: 'GRID_INTERNAL_ACCOUNT', accountId, rail }, ends: [], internal });
  }

  /** Mostly an account that can be used. With credentials that the provider does not answer well, one that it does not refuse. */
  private endOf({ link }: Coin, kind: Outside['kind'], other: Outside['kind']): Outside {
    const usable = this.outside.filter(
      (each) => each.kind === kind && each.isKnown && !each.isRefused && (each.activeFrom ?? this.now + 1) <= this.now,
    );
    const end = this.random.chance(0.75) ? this.random.pick(usable) : this.some(this.random.chance(0.6) ? kind : other);
    const isTroubled = isRejected(link) || isSilent(link);
    return end.isRefused && isTroubled ? (this.outside[0] as Outside) : end;
  }

  private async order(coin: Coin, draft: Omit<Order, 'amount' | 'description'>): Promise<void> {
    const { path, source, destination, internal } = draft;
    const amount = this.amountFor(coin, path === 'burns' && source.type === 'PROVIDER_INTERNAL_BALANCE', internal !== undefined);
    const order: Order = { ...draft, amount, description: internal || this.random.chance(0.3) ? this.name('order') : undefined };
    const refusal = refuseOrder(order, coin, this.now);
    this.note(path === 'mints' ? 'mint' : 'burn', source.type, `${amount} of ${coin.decimals}`, refusal?.[1] ?? '');
    const body = {
      // "Answered as a digit string without leading zeros."
      amount: `${this.random.chance(0.1) ? '000' : ''}${amount}`,
      [path === 'mints' ? 'fundingSource' : 'source']: source,
      destination,
      ...(order.description && { description: order.description }),
    };
    const { body: shown } = await this.send(`/stablecoins/${coin.id}/${path}`, body, refusal ?? 201);
    if (refusal) return this.afterRefusal(coin.link, refusal);
    const { id, fundingInstructions, ...rest } = shown;
    const { fundingInstructions: instructions, ...expected } = firstShown(order, coin, this.now);
    this.same(rest, expected, 'the order');
    // Where the funds are sent is up to the provider.
    this.same({ ...fundingInstructions, ...instructions }, fundingInstructions ?? {}, 'the instructions');
    this.same(fundingInstructions === undefined, instructions === undefined, 'instructions of a funded flow');
    await this.compareOperation(takeOrder(order, coin, shown, this.now));
  }

  private async compareOperation(operation: Operation): Promise<void> {
    this.same(await this.build.operation(operation.shown), shownOperation(operation, this.now), 'the operation');
  }

  async listOperations(): Promise<void> {
    const coin = this.any(this.coins.filter(({ operations }) => operations.length > 0)) ?? this.coins[0];
    const operationType = this.random.pick([undefined, 'MINT', 'BURN']);
    const found = (coin?.operations ?? [])
      .map((operation) => shownOperation(operation, this.now))
      .filter((shown) => !operationType || shown.operationType === operationType);
    this.note('operations', operationType ?? 'all');
    await this.compareList(`/stablecoins/${coin?.id}/operations`, { ...(operationType && { operationType }) }, found);
  }

  /** Newest first, page by page. */
  private async compareList(path: string, filter: Record<string, string>, oldestFirst: readonly Resource[]): Promise<void> {
    const limit = this.random.pick([1, 2, 5, 100]);
    const read: Resource[] = [];
    for (let cursor: string | undefined; ; ) {
      const query = new URLSearchParams({ ...filter, limit: String(limit), ...(cursor && { cursor }) });
      const { data, hasMore, nextCursor, totalCount } = await expectStatus(200, this.platform.get(`${path}?${query}`));
      read.push(...data);
      this.same([totalCount, hasMore], [oldestFirst.length, read.length < oldestFirst.length], 'the page');
      if (!hasMore) break;
      cursor = nextCursor;
    }
    this.same(read, oldestFirst.toReversed(), 'the list');
  }

  async unknown(): Promise<void> {
    const id = (type: string) => `${type}:${randomUUID()}`;
    this.note('unknown');
    this.agree(await this.platform.get(`${LINKS}/${id('StablecoinProviderAccount')}`), [404, 'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND']);
    this.agree(await this.platform.delete(`${LINKS}/${id('StablecoinProviderAccount')}`), [404, 'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND']);
    const coin = { id: id('Stablecoin') };
    const path = `/stablecoins/${coin.id}`;
    for (const answer of [
      await this.platform.get(path),
      await this.platform.get(`${path}/operations`),
      await this.platform.post(`${path}/request-grid-enablement`),
      await this.build.mint(coin, '10000', { destination: { accountId: this.some('SPARK').id } }),
    ])
      this.agree(answer, [404, 'STABLECOIN_NOT_FOUND']);
    this.agree(await this.platform.get(`/stablecoin-operations/${id('StablecoinOperation')}`), [404, 'STABLECOIN_OPERATION_NOT_FOUND']);
    const bad = this.random.pick(['0', '-1', '1.5', 10_000, String(2n ** 127n)]);
    const destination = { accountId: this.some('SPARK').id };
    const body = { amount: bad, fundingSource: { type: 'WIRE' }, destination };
    this.agree(await this.platform.post(`/stablecoins/${this.coins[0]?.id}/mints`, body, keyed()), [400, 'INVALID_INPUT']);
    const isKeyless = await this.platform.post(`/stablecoins/${this.coins[0]?.id}/mints`, { ...body, amount: '10000' });
    this.agree(isKeyless, [400, 'INVALID_INPUT']);
  }

  // ---- customers, whose accounts receive the proceeds of burns

  async customer(): Promise<void> {
    if (this.people.length >= 3) return;
    const { id } = await given(this.platform).customer();
    const { data } = await expectStatus(200, this.platform.get(`/customers/internal-accounts?customerId=${id}`));
    const isFiat = ({ balance }: Resource) => balance.currency.code === 'USD';
    const usd = { id: data.find(isFiat).id, balance: 0, isClosed: false, received: [] };
    const others = data.filter((account: Resource) => !isFiat(account)).map((account: Resource) => account.id);
    const bank = outsideOf((await quoting(this.platform).usd({ id })).id, 'BANK');
    this.outside.push(bank);
    this.people.push({ id, usd, others, bank, isDeleted: false });
    this.note('customer');
  }

  /** A bank account that is validated for half a minute. */
  async bank(): Promise<void> {
    if (this.validated.length >= 2) return;
    const { id, status } = await this.build.bank('104');
    this.note('bank');
    this.same(status, 'PENDING', 'the bank account');
    this.validated.push(id);
    this.outside.push(outsideOf(id, 'BANK', { activeFrom: this.now + MINUTE / 2 }));
  }

  /** Her bank account is gone. Her empty accounts are closed: proceeds that come later have nowhere to go. */
  async leave(): Promise<void> {
    const person = this.random.pick(this.people);
    this.note('leave', person.isDeleted ? 'again' : '');
    const answer = await this.platform.delete(`/customers/${person.id}`);
    if (person.isDeleted) return this.agree(answer, [410, 'CUSTOMER_DELETED']);
    this.agree(answer, 200);
    person.isDeleted = true;
    person.bank.isKnown = false;
    person.usd.isClosed = person.usd.balance === 0;
    await this.compareAccount(person.usd);
  }

  private async compareAccount({ id, balance, isClosed }: Account): Promise<void> {
    const shown = await expectStatus(200, this.platform.get(`/internal-accounts/${id}`));
    this.same([shown.balance.amount, shown.totalBalance.amount, shown.status === 'CLOSED'], [balance, balance, isClosed], 'the account');
  }

  // ---- time

  async advance(): Promise<void> {
    const open = this.operations.filter(({ isOver }) => !isOver);
    const moving = this.coins.filter((coin) => isMoving(coin, this.now));
    const ms = this.random.weighted({ '30000': 3, '60000': 6, '90000': 2, '120000': 3, '240000': 2, '86400000': 0.5, '604800000': 1 });
    await this.pass(this.random.chance(0.2) ? this.random.int(1, 3 * MINUTE) : Number(ms));
    for (const operation of open) await this.compareOperation(operation);
    for (const coin of moving) await this.compareCoin(coin);
    for (const account of this.accounts) await this.compareAccount(account);
  }

  private get operations(): Operation[] {
    return this.coins.flatMap(({ operations }) => operations);
  }
  private get accounts(): Account[] {
    return [this.house, ...this.people.map(({ usd }) => usd)];
  }

  protected override passed(): void {
    for (const operation of this.operations) {
      const { steps, coin, amount, cents, isTaken, creditTo, shown } = operation;
      const { at, status } = steps.at(-1) as Operation['steps'][number];
      if (operation.isOver || at > this.now) continue;
      operation.isOver = true;
      // "a burn that FAILs later gives it back"
      if (status === 'FAILED' && isTaken) coin.left += amount;
      if (status !== 'COMPLETED' || !creditTo) continue;
      if (creditTo.isClosed) this.suspended += Number(cents);
      else {
        creditTo.balance += Number(cents);
        creditTo.received.push({ what: shown.description, amount: Number(cents), at });
      }
    }
  }

  // ---- the end

  protected override async finish(): Promise<void> {
    await this.pass(8 * DAY);
    for (const operation of this.operations) await this.compareOperation(operation);
    for (const coin of this.coins) await this.compareCoin(coin);
    for (const link of this.links) await this.compareLink(link);
    for (const account of this.accounts) {
      await this.compareAccount(account);
      const query = `receiverAccountIdentifier=${account.id}&type=INCOMING&status=COMPLETED&limit=100`;
      const { data } = await expectStatus(200, this.platform.get(`/transactions?${query}`));
      const gist = ({ description, receivedAmount, createdAt }: Resource) => `${createdAt} ${description} ${receivedAmount.amount}`;
      // Work that is due at the same instant runs in any order.
      this.same(
        data.map(gist).sort(),
        account.received.map(({ what, amount, at }) => `${iso(at)} ${what} ${amount}`).sort(),
        'the deposits',
      );
      this.deposits.push(...data.map(({ id }: Resource) => id));
    }
    const platform = uuidOf(await platformIdOf(this.service, this.platform));
    const [row] = await this.service.db.many<{ total: string }>(sql`
      select coalesce(sum(amount), 0)::text as total from transfers where platform_id = ${platform} and cause = 'DEPOSIT_SUSPENDED'`);
    this.same(row?.total, String(this.suspended), 'proceeds of closed accounts are in suspense');
  }

  /** Links, stablecoins and their operations send no events; "they are polled". */
  protected override expected(): Map<string, string[]> {
    const closed = this.people.flatMap(({ isDeleted, usd, others }) => (isDeleted ? [...(usd.isClosed ? [usd.id] : []), ...others] : []));
    return new Map([
      ...this.people.map(({ id }): [string, string[]] => [id, ['CUSTOMER.KYC_APPROVED APPROVED']]),
      ...closed.map((id): [string, string[]] => [id, ['INTERNAL_ACCOUNT.STATUS_UPDATED CLOSED']]),
      ...this.validated.map((id): [string, string[]] => [id, ['EXTERNAL_ACCOUNT.STATUS_UPDATED ACTIVE']]),
      ...this.deposits.map((id): [string, string[]] => [id, ['INCOMING_PAYMENT.COMPLETED COMPLETED']]),
    ]);
  }
}
