// Cards of every program: how they are issued, changed, listed, and closed with their holder.
import { randomUUID } from 'node:crypto';
import { verdict, type World } from '../../support/card-oracle.js';
import { activating, closing, freezing, provisioned, requestCard } from '../../support/cards.js';
import { expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import { newPhone, scaOf, verifyPhone } from '../../support/sca.js';
import { PROGRAMS, type Program, USUAL } from './card-programs.js';
import { type Command, DAY, type Event, type Expected, History, MINUTE } from './history.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is checked against the document.
type Resource = any;

// ---- state of the model

type Person = {
  readonly id: string;
  /** "protected by Strong Customer Authentication" in regulated regions. */
  readonly isRegulated: boolean;
  hasSession: boolean;
  isDeleted: boolean;
  readonly usd: string;
  readonly usdb: string;
};

export type CardState = {
  readonly id: string;
  readonly platformCardId: string;
  readonly person: Person;
  readonly program: string;
  world: World;
  limits: Record<string, number | null>;
  pin: string;
  last4: string | undefined;
  /** When the order is repeated that a slow issuer has not answered. */
  readonly repeatedAt: number;
  readonly notified: string[];
};

/** Members of a request for a card beyond its holder and account. */
type Fields = { threeDSecurePassword?: string; maxSpendPerDay?: number; maxTransactionsPerDay?: number };

export const LINK_LIFE = 5 * MINUTE;
const ORDER_REPEATED_AFTER = MINUTE / 2;
const REASONED = { FROZEN: freezing, ACTIVE: activating, CLOSED: closing };
const LIMITS = ['maxSpendPerTransaction', 'maxSpendPerDay', 'maxTransactionsPerDay'] as const;

const WEIGHTS = {
  customer: 2,
  login: 2,
  remove: 0.5,
  program: 5,
  config: 2,
  card: 7,
  patch: 8,
  list: 5,
  advance: 4,
} as const;
type Kind = keyof typeof WEIGHTS;

export abstract class CardProgramHistory extends History {
  private selected = 'service_full';
  protected targetOrigin: string | undefined;
  protected style: string | undefined;
  private readonly people: Person[] = [];
  protected readonly cards: CardState[] = [];
  /** Accounts that fund or have funded a card. */
  private readonly fundedCard = new Set<string>();

  override commands(): Readonly<Record<string, Command>> {
    const command = (kind: Kind): Command => [WEIGHTS[kind], () => this[kind]()];
    return Object.fromEntries(Object.keys(WEIGHTS).map((kind) => [kind, command(kind as Kind)]));
  }

  protected override async prepare(): Promise<void> {
    await this.customer(true);
    await this.customer(false);
    await this.issue(this.people[0] as Person, 'service_full');
  }

  // ---- random choices and comparison

  private get present(): Person[] {
    return this.people.filter(({ isDeleted }) => !isDeleted);
  }
  /** Mostly a card that can be used. */
  protected anyCard(): CardState {
    const live = this.cards.filter(({ world: { status } }) => status === 'ACTIVE' || status === 'FROZEN');
    return this.random.pick(live.length > 0 && this.random.chance(0.8) ? live : this.cards);
  }
  protected termsOf(card: CardState): Program {
    return PROGRAMS[card.program] as Program;
  }

  protected async compareCard(card: CardState): Promise<void> {
    this.compareShown(await expectStatus(200, this.platform.get(`/cards/${card.id}`)), card);
  }

  private compareShown(shown: Resource, { id, platformCardId, person, program: name, world, limits, pin, last4 }: CardState): void {
    const { brand, cardCapabilities, supportsPin } = PROGRAMS[name] as Program;
    const expected = {
      id,
      platformCardId,
      customerId: person.id,
      form: 'VIRTUAL',
      currency: 'USD',
      status: world.status,
      statusReason: world.statusReason ?? undefined,
      fundingSource: world.funding === 'USD' ? person.usd : person.usdb,
      cardCapabilities,
      // "absent means PIN management is unavailable for the card (not NOT_SET)"
      pinStatus: supportsPin ? pin : undefined,
      // "`last4`, `expMonth`, `expYear`, `brand` appear on activation."
      brand: last4 === undefined ? undefined : brand,
      last4,
      ...limits,
    };
    this.same(Object.fromEntries(Object.keys(expected).map((field) => [field, shown[field]])), expected, `the card ${id}`);
  }

  /** The issuer's answer to an instruction that the service gives. */
  protected issuerAnswer(card: CardState, accepted: number): Expected {
    const { issuer } = this.termsOf(card);
    return issuer === 'refuses' ? [409, 'CONFLICT'] : issuer === 'silent' ? [503, 'SERVICE_UNAVAILABLE'] : accepted;
  }

  // ---- customers

  async customer(isRegulated = this.random.chance(0.4)): Promise<void> {
    if (this.present.length >= 4) return;
    const { id } = await given(this.platform).customer(isRegulated ? { region: 'DE', phoneNumber: newPhone() } : {});
    const [usd, usdb] = [await given(this.platform).account({ id }, 'USD'), await given(this.platform).account({ id }, 'USDB')];
    this.people.push({ id, isRegulated, hasSession: false, isDeleted: false, usd: usd.id, usdb: usdb.id });
    this.note('customer', isRegulated ? 'DE' : '');
  }

  /** A session lasts longer than a history. */
  async login(): Promise<void> {
    const person = this.any(this.present.filter(({ isRegulated, hasSession }) => isRegulated && !hasSession));
    if (!person) return;
    await verifyPhone(this.platform, person);
    await scaOf(this.platform, person).login();
    this.note('login');
    person.hasSession = true;
  }

  async remove(): Promise<void> {
    const person = this.any(this.present);
    if (!person || this.present.length < 3) return;
    this.agree(await this.platform.delete(`/customers/${person.id}`), 200);
    this.note('remove');
    person.isDeleted = true;
    for (const card of this.cards) {
      if (card.person !== person || card.world.status === 'CLOSED') continue;
      this.enter(card, { ...card.world, status: 'CLOSED', statusReason: 'CLOSED_BY_GRID' }, true);
      await this.compareCard(card);
    }
  }

  // ---- programs and cards

  async program(): Promise<void> {
    const chosen = this.random.pick([...Object.keys(PROGRAMS), ...USUAL, ...USUAL, 'gold']);
    const answer = await this.platform.put('/sandbox/card-program', { program: chosen });
    this.note('program', chosen);
    const known = PROGRAMS[chosen];
    this.agree(answer, known ? 200 : [400, 'INVALID_INPUT']);
    if (known) this.selected = chosen;
    const shown = (one: Resource) => {
      const { summary: _summary, ...terms } = one;
      return terms;
    };
    const termsOf = (id: string) => {
      const { issuer: _issuer, ...terms } = PROGRAMS[id] as Program;
      return { id, currency: 'USD', ...terms, selected: id === this.selected };
    };
    if (known) this.same(shown(answer.body), termsOf(chosen), 'the program');
    const { data } = await expectStatus(200, this.platform.get('/sandbox/card-programs'));
    this.same(data.map(shown), Object.keys(PROGRAMS).map(termsOf), 'the programs');
    // "On an internal account they describe a card issued now; on a card they are frozen."
    const [person] = this.present;
    if (person) {
      const { cardCapabilities } = await given(this.platform).account(person, 'USD');
      this.same(cardCapabilities, PROGRAMS[this.selected]?.cardCapabilities, 'capabilities of an account');
    }
  }

  async config(): Promise<void> {
    this.targetOrigin = this.random.chance(0.7) ? `https://${this.random.pick(['app', 'shop'])}.example.com` : undefined;
    this.style = this.random.chance(0.5) ? 'https://style.example.com/card.css' : undefined;
    const cardConfigs = { pinTargetOrigin: this.targetOrigin ?? null, panRevealCssUrl: this.style ?? null };
    const answer = await this.platform.patch('/config', { cardConfigs });
    this.note('config', JSON.stringify(cardConfigs));
    this.agree(answer, 200);
  }

  async card(): Promise<void> {
    const person = this.any(this.present);
    if (!person || this.cards.length >= 16) return;
    const { cardCapabilities: can, fundingCurrencies } = PROGRAMS[this.selected] as Program;
    const fault = this.random.chance(0.3) ? this.random.pick(['funding', 'owner', 'limit', 'count', 'password'] as const) : undefined;
    const limits = {
      ...(can.supportsSpendLimitsAtIssuance && this.random.chance(0.4) ? { maxSpendPerDay: this.random.int(1, 900) } : {}),
      ...(can.supportsTransactionCountLimit && this.random.chance(0.4) ? { maxTransactionsPerDay: this.random.int(1, 9) } : {}),
    };
    const right = { ...limits, ...(can.supports3dSecurePassword ? { threeDSecurePassword: 'correct horse' } : {}) };
    const stranger = this.people.find((other) => other !== person);
    // Each is one thing that the program or the owner of the account does not allow.
    const wrong: Record<string, unknown> | undefined =
      fault === 'funding' && !fundingCurrencies.includes('USDB')
        ? { ...right, fundingSource: person.usdb }
        : fault === 'owner' && stranger
          ? { ...right, fundingSource: stranger.usd }
          : fault === 'limit' && !can.supportsSpendLimitsAtIssuance
            ? { ...right, maxSpendPerTransaction: 5 }
            : fault === 'count' && !can.supportsTransactionCountLimit
              ? { ...right, maxTransactionsPerDay: 5 }
              : fault === 'password'
                ? { ...limits, ...(can.supports3dSecurePassword ? {} : { threeDSecurePassword: 'not asked for' }) }
                : undefined;
    if (!wrong) return this.issue(person, this.selected, right);
    this.note('card', this.selected, fault);
    const answer = await requestCard(this.platform, { customerId: person.id, fundingSource: person.usd, ...wrong });
    this.agree(answer, [400, 'INVALID_INPUT']);
  }

  private async issue(person: Person, name: string, fields: Fields = {}): Promise<void> {
    const { decides, fundingCurrencies, issuer } = PROGRAMS[name] as Program;
    const funding = fundingCurrencies.includes('USDB') && this.random.chance(0.2) ? 'USDB' : 'USD';
    const body = { customerId: person.id, fundingSource: funding === 'USD' ? person.usd : person.usdb, ...fields };
    const key = randomUUID();
    const answer = await requestCard(this.platform, body, key);
    this.note('card', name, funding);
    this.agree(answer, 201);
    this.same(answer.body.status, 'PROCESSING', 'a new card');
    if (this.random.chance(0.3)) this.same((await requestCard(this.platform, body, key)).text, answer.text, 'the repeated request');
    const { threeDSecurePassword: _never, ...limits } = fields;
    const card: CardState = {
      id: answer.body.id,
      platformCardId: answer.body.platformCardId,
      person,
      program: name,
      world: { status: 'PROCESSING', statusReason: null, funding, hasKey: false, decides },
      limits: { ...Object.fromEntries(LIMITS.map((limit) => [limit, null])), ...limits },
      pin: 'NOT_SET',
      last4: undefined,
      repeatedAt: this.now + ORDER_REPEATED_AFTER,
      notified: [],
    };
    this.cards.push(card);
    this.fundedCard.add(body.fundingSource);
    if (issuer !== 'slow') await this.conclude(card);
    await this.compareCard(card);
  }

  /** The issuer has answered the order. */
  private async conclude(card: CardState): Promise<void> {
    const { last4, expMonth, expYear } = await provisioned(this.platform, card.id);
    const isRejected = this.termsOf(card).issuer === 'rejects';
    const needsKey = card.world.funding === 'USDB';
    const [status, statusReason] = isRejected
      ? (['CLOSED', 'ISSUER_REJECTED'] as const)
      : needsKey
        ? (['PENDING', 'DELEGATION_REQUIRED'] as const)
        : (['ACTIVE', null] as const);
    this.enter(card, { ...card.world, status, statusReason }, true);
    this.same([last4 === undefined, expMonth === undefined, expYear === undefined], Array(3).fill(isRejected), 'number and expiry date');
    card.last4 = last4;
  }

  private enter(card: CardState, world: World, webhook: boolean): void {
    card.world = world;
    if (webhook) card.notified.push(`card.status_change ${world.status}`);
  }

  async patch(): Promise<void> {
    const card = this.anyCard();
    const { cardCapabilities: can, decides } = this.termsOf(card);
    const what = this.random.weighted({ status: 6, close: 1, both: decides === 'ISSUER' ? 4 : 1, limit: 3, count: 3, password: 3 });
    this.note('patch', what, card.world.status, card.program);
    if (what === 'status' || what === 'close' || what === 'both') {
      const status = what === 'close' ? ('CLOSED' as const) : this.random.pick(['FROZEN', 'ACTIVE'] as const);
      const requested = { status, ...(what === 'both' ? { funding: 'USD' as const } : {}) };
      const body = { ...REASONED[status], ...(what === 'both' ? { fundingSource: card.person.usd } : {}) };
      const { refusal, world, webhook } = verdict(card.world, requested);
      const expected = refusal ?? this.issuerAnswer(card, 200);
      this.agree(await this.platform.patch(`/cards/${card.id}`, body), expected);
      if (expected === 200) {
        this.enter(card, world, webhook);
        this.fundedCard.add(world.funding === 'USD' ? card.person.usd : card.person.usdb);
      }
    } else if (card.world.status !== 'CLOSED' && card.world.status !== 'PROCESSING') {
      const value = this.random.chance(0.2) ? null : this.random.int(1, 900);
      const [field, sent, isSupported] =
        what === 'limit'
          ? ([this.random.pick(['maxSpendPerTransaction', 'maxSpendPerDay'] as const), value, can.supportsSpendLimits] as const)
          : what === 'count'
            ? (['maxTransactionsPerDay', value, can.supportsTransactionCountLimit] as const)
            : (['threeDSecurePassword', 'battery staple', can.supports3dSecurePassword] as const);
      const concernsIssuer = what === 'password' || decides === 'ISSUER';
      const expected = !isSupported ? ([400, 'INVALID_INPUT'] as const) : concernsIssuer ? this.issuerAnswer(card, 200) : 200;
      this.agree(await this.platform.patch(`/cards/${card.id}`, { [field]: sent }), expected);
      if (expected === 200 && what !== 'password') card.limits = { ...card.limits, [field]: value };
    }
    await this.compareCard(card);
  }

  // ---- lists

  async list(): Promise<void> {
    const person = this.random.pick(this.people);
    const one = this.random.pick(this.cards);
    const isOf = (account: string) => (card: CardState) =>
      card.world.status !== 'CLOSED' && (card.world.funding === 'USD' ? card.person.usd : card.person.usdb) === account;
    const status = this.random.pick(['ACTIVE', 'FROZEN', 'PENDING', 'PROCESSING', 'CLOSED']);
    const filters: readonly (readonly [string, (card: CardState) => boolean])[] = [
      [`customerId=${person.id}`, (card) => card.person === person],
      [`accountId=${person.usd}`, isOf(person.usd)],
      [`accountId=${person.usdb}`, isOf(person.usdb)],
      [`platformCardId=${one.platformCardId}`, (card) => card === one],
      [`status=${status}`, (card) => card.world.status === status],
    ];
    const chosen = filters.filter(() => this.random.chance(0.25));
    const order = this.random.pick(['asc', 'desc', '']);
    // Two values of one filter are a shape error.
    if (new Set(chosen.map(([text]) => text.split('=')[0])).size < chosen.length) return;
    const limit = this.random.int(1, 5);
    this.note('list', chosen.map(([text]) => text.split('=')[0]).join(), order, limit);
    const matching = this.cards.filter((card) => chosen.every(([, isMatch]) => isMatch(card)));
    const expected = order === 'asc' ? matching : [...matching].reverse();
    const query = [...chosen.map(([text]) => text), ...(order ? [`sortOrder=${order}`] : []), `limit=${limit}`].join('&');
    let cursor = '';
    for (let at = 0; at === 0 || at < expected.length; at += limit) {
      const answer = await this.platform.get(`/cards?${query}${cursor}`);
      this.agree(answer, 200);
      const { data, hasMore, totalCount, nextCursor } = answer.body;
      this.same([totalCount, hasMore], [expected.length, at + limit < expected.length], 'how many cards');
      this.same(data.length, Math.min(limit, expected.length - at), 'cards of a page');
      for (const [i, shown] of data.entries()) this.compareShown(shown, expected[at + i] as CardState);
      cursor = `&cursor=${nextCursor}`;
    }
  }

  // ---- time and the end

  async advance(): Promise<void> {
    const ms = this.random.pick([1, MINUTE / 2, LINK_LIFE - 1, LINK_LIFE, this.random.int(1, DAY), 3 * DAY]);
    await this.settle(ms);
  }

  /** Time passes, and the issuer answers the orders that the service repeats. */
  protected async settle(ms: number): Promise<void> {
    await this.pass(ms);
    for (const card of this.cards)
      if (card.world.status === 'PROCESSING' && card.repeatedAt <= this.now) {
        await this.conclude(card);
        await this.compareCard(card);
      }
  }

  protected override async finish(): Promise<void> {
    await this.settle(DAY);
    for (const card of this.cards) await this.compareCard(card);
  }

  protected override eventText(event: Event): string | undefined {
    // The event of a PIN has the card, whose status does not change with it.
    return event.type === 'CARD.PIN_STATUS_CHANGE' ? `${event.type} ${event.data.pinStatus}` : super.eventText(event);
  }

  protected override expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    for (const { id } of this.people) expected.set(id, ['CUSTOMER.KYC_APPROVED APPROVED']);
    // Of a deleted customer, accounts that funded no card are closed.
    for (const { usd, usdb, isDeleted } of this.people)
      for (const account of [usd, usdb])
        if (isDeleted && !this.fundedCard.has(account)) expected.set(account, ['INTERNAL_ACCOUNT.STATUS_UPDATED CLOSED']);
    for (const { id, notified } of this.cards) if (notified.length > 0) expected.set(id, notified);
    return expected;
  }
}
