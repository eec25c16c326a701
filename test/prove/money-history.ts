// The history of one platform on which money moves in every way there is, step by step.
import assert from 'node:assert/strict';
import { sql } from '../../src/db/sql.js';
import { moveMoney, serviceAccountId } from '../../src/domains/ledger/actions.js';
import { ApiError } from '../../src/kernel/errors.js';
import { type InternalAccountId, newUuid, type PlatformId, uuidOf } from '../../src/kernel/ids.js';
import { CURRENCIES } from '../../src/kernel/money.js';
import { type GivenAgent, givenAgent } from '../support/agents.js';
import { fundedCard, purchaseOf, walletCard } from '../support/card-transactions.js';
import { type Answer, type Client, expectStatus, listed, watched } from '../support/client.js';
import { announce } from '../support/incoming.js';
import { issuerPost } from '../support/issuer.js';
import { assertLedgerHolds } from '../support/ledger.js';
import { quoting } from '../support/quotes.js';
import { ruleBasedAccount } from '../support/rule-based.js';
import { CODE, regulatedCustomer, type Sca, scaOf } from '../support/sca.js';
import type { TestService } from '../support/service.js';
import { stablecoins } from '../support/stablecoins.js';
import { readWindow } from '../support/statements/history.js';
import { lookUp, umaRequest } from '../support/uma.js';
import { platformIdOf } from '../support/webhooks/platform.js';
import type { Random } from './random.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

const BEGINNING = '2031-03-03T10:00:00.000Z';
const SECOND = 1_000;
const DAY = 86_400 * SECOND;

/** The endings of account numbers that choose what the rail does. */
const ENDINGS = ['999', '999', '999', '002', '003', '004', '005', '006', '007'] as const;

/** How often each step is taken. */
export const WEIGHTS = {
  fund: 6,
  quote: 6,
  payout: 8,
  execute: 8,
  pull: 3,
  push: 3,
  cancel: 3,
  incoming: 3,
  decide: 3,
  bank: 5,
  realtime: 3,
  authorize: 8,
  credit: 2,
  advice: 2,
  clear: 7,
  reverse: 2,
  expire: 1,
  return: 4,
  takeBack: 3,
  dispute: 3,
  disputeCredit: 3,
  disputeCreditReversal: 2,
  disputeClose: 2,
  mint: 2,
  burn: 3,
  sweep: 3,
  sweepOut: 3,
  uma: 4,
  leave: 4,
  fill: 1,
  agent: 4,
  approval: 2,
  confirm: 2,
  message: 3,
  fixture: 1,
  advance: 6,
} as const;
export type Step = keyof typeof WEIGHTS;

/** A card with its transactions by what has happened to them. */
type CardInUse = { readonly card: Resource } & Readonly<Record<'opened' | 'cleared' | 'returned' | 'disputed', string[]>>;
type Stage = Exclude<keyof CardInUse, 'card'>;

/** The messages about a transaction: the stage they follow, and the one they lead to. */
const MESSAGES = {
  authorization_advice: { after: 'opened', to: undefined },
  clearing: { after: 'opened', to: 'cleared' },
  authorization_reversal: { after: 'opened', to: undefined },
  authorization_expiry: { after: 'opened', to: undefined },
  return_reversal: { after: 'returned', to: undefined },
  dispute_open: { after: 'cleared', to: 'disputed' },
  dispute_provisional_credit: { after: 'disputed', to: undefined },
  dispute_provisional_credit_reversal: { after: 'disputed', to: undefined },
  dispute_close: { after: 'disputed', to: undefined },
} as const satisfies Record<string, { after: Stage; to: Stage | undefined }>;

export class MoneyHistory {
  readonly trail: string[] = [];
  /** Ids of the operations that were called. */
  readonly called = new Set<string>();
  private readonly service: TestService;
  readonly platform: Client;
  readonly platformId: PlatformId;
  private readonly random: Random;
  private readonly pay: ReturnType<typeof quoting>;
  private readonly coins: ReturnType<typeof stablecoins>;
  private accounts: Resource[] = [];
  private customers: Resource[] = [];
  private cards: CardInUse[] = [];
  private ruleBased: Resource;
  /** Their rules send money to banks. */
  private readonly sweeping: Resource[] = [];
  private agent: GivenAgent | undefined;
  /** Its submissions wait for the platform. */
  private supervised: GivenAgent | undefined;
  /** A customer whose payments need strong authentication. */
  private regulated: { readonly sca: Sca; readonly source: Resource; readonly bank: Resource } | undefined;
  private coin: Resource;
  private wallet: Resource;
  private readonly banks = new Map<string, Resource>();
  private readonly quotes: Resource[] = [];
  /** Transactions that moved money, and those that wait for the platform. */
  private readonly payments: string[] = [];
  private readonly announced: string[] = [];

  private constructor(service: TestService, platform: Client, platformId: PlatformId, random: Random) {
    this.service = service;
    this.platform = watched(platform, (method, path) => {
      const id = service.contract.operationIdOf(method, path);
      if (id) this.called.add(id);
    });
    this.platformId = platformId;
    this.random = random;
    this.pay = quoting(this.platform);
    this.coins = stablecoins(this.platform);
  }

  static async begin(service: TestService, random: Random): Promise<MoneyHistory> {
    const platform = await service.newPlatform();
    const history = new MoneyHistory(service, platform, await platformIdOf(service, platform), random);
    await history.prepare();
    return history;
  }

  private async prepare(): Promise<void> {
    const { platform, pay, coins } = this;
    await pay.currencies('USD', 'EUR', 'USDB');
    await platform.clock.freeze(new Date(BEGINNING));
    for (let i = 0; i < 2; i += 1) {
      const customer = await pay.customer();
      this.customers.push(customer);
      for (const currency of ['USD', 'EUR'])
        this.accounts.push({ ...(await pay.account(customer, currency)), customerId: customer.id, currency });
    }
    const plain = await fundedCard(platform, 50_000);
    const delegated = await walletCard(platform, 50_000);
    this.cards = [plain.card, delegated.card].map((card) => ({ card, opened: [], cleared: [], returned: [], disputed: [] }));
    this.accounts.push({ ...plain.account, customerId: plain.customer.id, currency: 'USD' });
    this.customers.push(plain.customer);
    const { account, own, customer } = await ruleBasedAccount(platform);
    this.ruleBased = account;
    this.accounts.push({ ...own, customerId: customer.id, currency: 'USD' });
    for (const ending of ['999', '004', '005', '007']) {
      const { id } = await pay.eur(customer, ending);
      const platformFeeOverride = { platformFixedFee: { amount: 3, currency: 'USD' }, platformVariableFeeBps: 33 };
      const rule = { destination: { accountId: id }, platformFeeOverride };
      const request = { type: 'RULE_BASED', currency: 'USD', customerId: customer.id, sweepRule: rule };
      this.sweeping.push(await expectStatus(201, platform.post('/internal-accounts', request)));
    }
    // One is paid by UMA to a bank that refuses, one to a bank that takes it.
    for (const [i, ending] of ['004', '999'].entries()) await pay.usd(this.customers[i], ending, { defaultUmaDepositAccount: true });
    this.agent = await givenAgent(platform);
    this.supervised = await givenAgent(platform, { defaultExecutionMode: 'APPROVAL_REQUIRED' });
    const person = await regulatedCustomer(platform);
    const source = await pay.account(person, 'EUR');
    await pay.fund(source, 1_000_000);
    this.regulated = { sca: scaOf(platform, person), source, bank: await pay.eur(person) };
    this.coin = await coins.stablecoin();
    this.wallet = await coins.wallet();
  }

  /** Accounts in US dollars whose statements are open at once: those of a card keep the last days back. */
  get statementAccounts(): InternalAccountId[] {
    const funding = new Set(this.cards.map(({ card }) => card.fundingSource));
    const own = this.accounts.filter(({ id, currency }) => currency === 'USD' && !funding.has(id));
    const agents = [this.agent, this.supervised].flatMap((agent) => (agent ? [agent.account] : []));
    return [...own, ...agents].map(({ id }) => id);
  }

  async step(): Promise<{ step: Step; isAccepted: boolean }> {
    const step = this.random.weighted(WEIGHTS);
    const answer = await this.take(step);
    this.trail.push(answer === undefined ? `${step} –` : `${step} ${answer.status}`);
    if (answer && answer.status >= 500) throw new Error(answer.text);
    await this.assertZero();
    return { step, isAccepted: answer !== undefined && answer.status < 300 };
  }

  /** Sums over all entries, and the balance of each account beside its entries: one pass over the entries of the platform. */
  private async assertZero(): Promise<void> {
    const platform = uuidOf(this.platformId);
    const accounts = await this.service.db.many<{ id: string; currency: string; sum: bigint; total: bigint | null }>(sql`
      select coalesce(a.id, e.account_id)::text as id, coalesce(e.currency, a.currency) as currency, coalesce(e.sum, 0)::bigint as sum, a.total
      from (select account_id, currency, sum(amount) as sum from entries where platform_id = ${platform} group by account_id, currency) e
      full join (select id, currency, total from ledger_accounts where platform_id = ${platform}) a on a.id = e.account_id`);
    const sums = new Map<string, bigint>();
    for (const { currency, sum } of accounts) sums.set(currency, (sums.get(currency) ?? 0n) + sum);
    assert.deepEqual(
      [...sums].filter(([, sum]) => sum !== 0n),
      [],
      'each currency sums to zero',
    );
    assert.deepEqual(
      accounts.filter(({ total, sum }) => total !== null && total !== sum),
      [],
      'a balance is the sum of its entries',
    );
  }

  // ---- steps. Undefined: there is nothing yet to do it with.

  private take(step: Step): Promise<Answer | undefined> {
    const { random, platform } = this;
    const amount = random.int(1, 30_000);
    switch (step) {
      case 'fund':
        return platform.post(`/sandbox/internal-accounts/${random.pick(this.accounts).id}/fund`, { amount });
      case 'quote':
        return this.quoteTo(amount, random.pick(this.accounts));
      case 'payout':
        return this.payout(amount);
      case 'execute':
        return this.execute();
      case 'pull':
      case 'push':
        return this.transfer(step, amount);
      case 'cancel':
        return this.onOneOf(this.payments, (id) => platform.post(`/transactions/${id}/cancel`, {}));
      case 'incoming':
        return this.announce();
      case 'decide':
        return this.onOneOf(this.announced, (id) => platform.post(`/transactions/${id}/${random.pick(['approve', 'reject'])}`, {}));
      case 'bank':
        return this.onOneOf(this.payments, (id) =>
          platform.post(`/sandbox/transactions/${id}/rail-event`, {
            event: random.pick(['RETURN', 'RETURN', 'RETURN', 'DISHONOR', 'CONTEST', 'REVERSE']),
          }),
        );
      case 'realtime':
        return this.realtime(amount);
      case 'authorize':
        return this.open(random.pick(['authorization', 'authorization', 'financial_authorization']), purchaseOf(amount));
      case 'credit':
        return this.open(random.pick(['credit_authorization', 'financial_credit_authorization']), purchaseOf(amount));
      case 'advice':
        return this.follow('authorization_advice', { amount });
      case 'clear':
        return this.follow('clearing', { amount });
      case 'reverse':
        return this.follow('authorization_reversal', random.chance(0.5) ? {} : { amount });
      case 'expire':
        return this.follow('authorization_expiry', {});
      case 'return':
        return this.giveBack(amount);
      case 'takeBack':
        return this.follow('return_reversal', {});
      case 'dispute':
        return this.follow('dispute_open', {});
      case 'disputeCredit':
        return this.follow('dispute_provisional_credit', { amount: random.int(1, 2_000) });
      case 'disputeCreditReversal':
        return this.follow('dispute_provisional_credit_reversal', { amount: random.int(1, 2_000) });
      case 'disputeClose':
        return this.follow('dispute_close', { disposition: random.pick(['WON', 'LOST']) });
      case 'mint':
        return this.coins.mint(this.coin, this.units(), { destination: { accountId: this.wallet.id } });
      case 'burn':
        return this.burn();
      case 'sweep':
        return platform.post(`/sandbox/internal-accounts/${this.ruleBased.id}/fund`, { amount });
      case 'sweepOut':
        return platform.post(`/sandbox/internal-accounts/${random.pick(this.sweeping).id}/fund`, { amount });
      case 'uma':
        return this.payByUma(amount);
      case 'leave':
        return this.leave(amount);
      case 'fill':
        return this.fill(amount);
      case 'agent':
        return this.agent ? this.submit(this.agent, amount) : Promise.resolve(undefined);
      case 'approval':
        return this.approval(amount);
      case 'confirm':
        return this.confirm(amount);
      case 'message':
        return this.message(amount);
      case 'fixture':
        return this.fixture(amount);
      case 'advance':
        return platform.put('/sandbox/clock', { advanceMs: random.pick([SECOND, 31 * SECOND, 360 * SECOND, 3_600 * SECOND, DAY]) });
    }
  }

  private async quoteTo(amount: number, destination: Resource): Promise<Answer> {
    const source = this.random.pick(this.accounts);
    const side = this.random.chance(0.3) ? { lockedCurrencySide: 'RECEIVING' } : {};
    const answer = await this.platform.post('/quotes', this.pay.request(source, destination, amount, side));
    if (answer.status === 200) this.quotes.push(answer.body);
    return answer;
  }

  private async payout(amount: number): Promise<Answer> {
    const customer = this.random.pick(this.customers);
    const ending = this.random.pick(ENDINGS);
    return this.quoteTo(amount, await this.bank(customer, this.random.chance(0.5) ? 'eur' : 'usd', ending));
  }

  /** A bank account of the customer with this ending, opened when it is first paid to. */
  private async bank(customer: Resource, currency: 'eur' | 'usd', ending: string): Promise<Resource> {
    const name = `${customer.id} ${currency} ${ending}`;
    const account = this.banks.get(name) ?? (await this.pay[currency](customer, ending));
    this.banks.set(name, account);
    return account;
  }

  private async execute(): Promise<Answer | undefined> {
    if (this.quotes.length === 0) return undefined;
    // Mostly the latest quote, because earlier ones expire.
    const quote = this.random.chance(0.7) ? this.quotes.at(-1) : this.random.pick(this.quotes);
    const answer = await this.platform.post(`/quotes/${quote.id}/execute`);
    if (answer.status === 200) this.payments.push(quote.transactionId);
    return answer;
  }

  private async transfer(step: 'pull' | 'push', amount: number): Promise<Answer> {
    const account = this.random.pick(this.accounts.filter(({ currency }) => currency === 'USD'));
    const bank = await this.bank({ id: account.customerId }, 'usd', this.random.pick(ENDINGS));
    const [source, destination] = step === 'pull' ? [bank, account] : [account, bank];
    const answer = await this.platform.post(step === 'pull' ? '/transfer-in' : '/transfer-out', {
      source: { accountId: source.id },
      destination: { accountId: destination.id },
      amount,
    });
    if (answer.status === 200) this.payments.push(answer.body.id);
    return answer;
  }

  private async announce(): Promise<Answer> {
    const account = this.random.pick(this.accounts.filter(({ currency }) => currency === 'USD'));
    const id = await announce(this.service, this.platform, account);
    this.announced.push(id);
    return this.platform.get(`/transactions/${id}`);
  }

  private onOneOf(ids: readonly string[], act: (id: string) => Promise<Answer>): Promise<Answer | undefined> {
    return ids.length === 0 ? Promise.resolve(undefined) : act(this.random.pick(ids.slice(-4)));
  }

  /** A payer sends the money of a quote: mostly what is asked for. */
  private async realtime(amount: number): Promise<Answer> {
    const destination = this.random.pick(this.accounts);
    const quoted = await this.platform.post('/quotes', {
      source: { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: destination.customerId },
      destination: { destinationType: 'ACCOUNT', accountId: destination.id },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: amount,
    });
    if (quoted.status !== 200) return quoted;
    const sent = this.random.chance(0.8) ? {} : { currencyAmount: amount + 1 };
    return this.platform.post('/sandbox/send', { quoteId: quoted.body.id, currencyCode: 'USD', ...sent });
  }

  private open(name: string, body: unknown): Promise<Answer> {
    return this.begin(this.random.pick(this.cards), 'opened', name, body);
  }

  private giveBack(amount: number): Promise<Answer | undefined> {
    const used = this.random.pick(this.cards);
    if (used.cleared.length === 0) return Promise.resolve(undefined);
    return this.begin(used, 'returned', 'return', { cardTransactionId: this.random.pick(used.cleared.slice(-6)), amount });
  }

  /** A message that makes a transaction. */
  private async begin(used: CardInUse, stage: Stage, name: string, body: unknown): Promise<Answer> {
    const answer = await this.platform.post(`/sandbox/cards/${used.card.id}/simulate/${name}`, body);
    if (answer.status !== 202) return answer;
    const { data } = await expectStatus(200, this.platform.get(`/transactions?reference=${answer.body.issuerTransactionToken}`));
    for (const { id } of data) used[stage].push(id);
    return answer;
  }

  private async follow(name: keyof typeof MESSAGES, body: object): Promise<Answer | undefined> {
    const used = this.random.pick(this.cards);
    const { after, to } = MESSAGES[name];
    // Now and then a transaction that the message does not fit.
    const list = used[this.random.chance(0.85) ? after : 'opened'];
    if (list.length === 0) return undefined;
    const cardTransactionId = this.random.pick(list.slice(-6));
    const answer = await this.platform.post(`/sandbox/cards/${used.card.id}/simulate/${name}`, { cardTransactionId, ...body });
    if (answer.status === 202 && to) used[to].push(cardTransactionId);
    return answer;
  }

  /** Tokens have six decimals; the last digits of the cents choose what the provider does. */
  private units(): string {
    return String((BigInt(this.random.int(1, 200)) * 1_000n + this.random.pick([2n, 5n, 7n, 100n, 999n])) * 10_000n);
  }

  private burn(): Promise<Answer> {
    const account = this.random.pick(this.accounts.filter(({ currency }) => currency === 'USD'));
    return this.coins.burn(this.coin, this.units(), {
      source: { type: this.random.pick(['PROVIDER_INTERNAL_BALANCE', 'EXTERNAL_ACCOUNT']) },
      destination: { type: 'GRID_INTERNAL_ACCOUNT', accountId: account.id, rail: 'RTP_CREDIT' },
    });
  }

  /** An agent quotes and submits, unless the amount is below what leaves the service. */
  private async submit(agent: GivenAgent, amount: number): Promise<Answer> {
    const quoted = await agent.client.post('/agents/me/quotes', await agent.request(amount));
    return quoted.status === 201 ? agent.execute(quoted.body) : quoted;
  }

  private async approval(amount: number): Promise<Answer | undefined> {
    if (!this.supervised) return undefined;
    const submitted = await this.submit(this.supervised, amount);
    if (submitted.status !== 200) return submitted;
    return this.random.chance(0.8) ? this.supervised.approve(submitted.body) : this.supervised.reject(submitted.body);
  }

  /** A payer logs in, unless too many codes were sent in the last minutes, and confirms a payment with a code. */
  private async confirm(amount: number): Promise<Answer | undefined> {
    if (!this.regulated) return undefined;
    const { sca, source, bank } = this.regulated;
    const started = await sca.start('SMS_OTP');
    if (started.status !== 200) return started;
    await expectStatus(200, sca.complete({ factor: 'SMS_OTP', challengeId: started.body.challengeId, code: CODE }));
    const quoted = await this.platform.post('/quotes', this.pay.request(source, bank, amount));
    if (quoted.status !== 200) return quoted;
    const executed = await this.platform.post(`/quotes/${quoted.body.id}/execute`);
    if (executed.status !== 200) return executed;
    this.payments.push(quoted.body.transactionId);
    return this.platform.post(`/quotes/${quoted.body.id}/authorize`, { code: CODE });
  }

  /** A payment to the address of a customer of the platform, which mostly takes it. */
  private async payByUma(amount: number): Promise<Answer> {
    const { platform, random } = this;
    const source = random.pick(this.accounts.filter(({ currency }) => currency === 'USD'));
    const receiver = random.pick(this.customers.filter(({ id }) => id !== source.customerId));
    const { umaAddress } = await expectStatus(200, platform.get(`/customers/${receiver.id}`));
    const found = await lookUp(platform, umaAddress, { customerId: source.customerId });
    if (found.status !== 200) return found;
    const quoted = await platform.post('/quotes', umaRequest(source, found.body, amount));
    if (quoted.status !== 200) return quoted;
    const executed = await platform.post(`/quotes/${quoted.body.id}/execute`);
    if (executed.status !== 200) return executed;
    this.payments.push(quoted.body.transactionId);
    const received = `/transactions?type=INCOMING&limit=1&receiverAccountIdentifier=${encodeURIComponent(umaAddress)}`;
    const { data } = await expectStatus(200, platform.get(received));
    this.announced.push(data[0].id);
    return random.chance(0.7) ? platform.post(`/transactions/${data[0].id}/approve`, {}) : executed;
  }

  /** A customer who is deleted while money is on its way, or before a bank disputes what it has brought. */
  private async leave(amount: number): Promise<Answer> {
    const { platform, pay, random } = this;
    const customer = await pay.customer();
    const account = await pay.account(customer, 'USD');
    const bank = await pay.usd(customer, random.pick(ENDINGS));
    const listed = async () => (await expectStatus(200, platform.get(`/transactions?customerId=${customer.id}`))).data as Resource[];
    await pay.fund(account, amount);
    if (random.chance(0.5)) {
      // What is returned now may be dishonored and contested after the account is closed.
      const [deposit] = await listed();
      await expectStatus(200, platform.post(`/sandbox/transactions/${deposit.id}/rail-event`, { event: 'RETURN' }));
    } else {
      const platformFeeOverride = { platformFixedFee: { amount: 7, currency: 'USD' }, platformVariableFeeBps: 11 };
      const quoted = await platform.post('/quotes', pay.request(account, bank, amount, { platformFeeOverride }));
      if (quoted.status === 200) await platform.post(`/quotes/${quoted.body.id}/execute`);
    }
    const ends = { source: { accountId: bank.id }, destination: { accountId: account.id } };
    if (random.chance(0.3)) await expectStatus(200, platform.post('/transfer-in', { ...ends, amount }));
    if (random.chance(0.3)) this.announced.push(await announce(this.service, platform, { ...account, customerId: customer.id }));
    for (const { id } of await listed()) this.payments.push(id);
    return platform.delete(`/customers/${customer.id}`);
  }

  /** An account, or that of the platform, comes close to the largest balance; or one that did is emptied. */
  private async fill(room: number): Promise<Answer | undefined> {
    const { platform, random, platformId } = this;
    const own = await this.pay.platformAccount('USD');
    const { id } = random.chance(0.5) ? own : random.pick(this.accounts.filter(({ currency }) => currency === 'USD'));
    const { balance, totalBalance } = await expectStatus(200, platform.get(`/internal-accounts/${id}`));
    const isFull = totalBalance.amount > Number.MAX_SAFE_INTEGER / 2;
    const amount = BigInt(isFull ? balance.amount - room : Number.MAX_SAFE_INTEGER - totalBalance.amount - room);
    if (amount <= 0n) return undefined;
    const [outside, inside] = [serviceAccountId(platformId, 'FUNDING', 'USD'), uuidOf(id as InternalAccountId)];
    const [from, to] = isFull ? [inside, outside] : [outside, inside];
    const transfer = { id: newUuid(), from, to, amount, currency: 'USD', cause: 'DEPOSIT' };
    await this.service.db
      .causedBy({ job: 'test' })
      .transaction((tx) => moveMoney(tx, platformId, [{ kind: 'POST', transfer }]))
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
      });
    return platform.get(`/internal-accounts/${id}`);
  }

  /** What the processor of the issuer sends: a decision that is asked for, or a purchase that nobody asked about. */
  private async message(amount: number): Promise<Answer> {
    const used = this.random.pick(this.cards);
    const purchase = { issuerTransactionToken: newUuid(), cardId: used.card.id, amount, merchant: purchaseOf(amount).merchant };
    return this.random.chance(0.5)
      ? issuerPost(this.platform, '/issuer/authorizations', { ...purchase, currency: 'USD' })
      : issuerPost(this.platform, '/issuer/messages', { ...purchase, kind: 'CLEARING', messageToken: newUuid() });
  }

  private fixture(amount: number): Promise<Answer> {
    return this.platform.post('/sandbox/fixtures', {
      name: `f-${newUuid()}`,
      steps: [{ name: 'funded', call: 'sandbox internal-accounts fund', ids: [this.random.pick(this.accounts).id], body: { amount } }],
    });
  }

  // ---- the end of a history

  async end(): Promise<void> {
    // Whatever is under way ends within a month.
    for (let days = 0; days < 40; days += 10) await this.platform.clock.advance(10 * DAY);
    await this.assertZero();
    await assertLedgerHolds(this.service.db, this.platformId);
    await this.assertExplained();
    const ends = new Date(await this.platform.clock.now());
    // The day of its end must be over.
    await this.platform.clock.advance(2 * DAY);
    for (const account of await listed(this.platform, '/customers/internal-accounts?currency=USD&type=INTERNAL_FIAT')) {
      const { opening, closing } = await readWindow(this.platform, account.id, new Date(Date.parse(BEGINNING) - DAY), ends);
      const { balance } = await expectStatus(200, this.platform.get(`/internal-accounts/${account.id}`));
      assert.equal(opening, 0);
      assert.equal(closing, balance.amount, `the statement of ${account.id} ends at its balance`);
    }
  }

  /** Nothing is in clearing any more; suspense holds the refunds that failed; receivables are what the accounts show as owed. */
  private async assertExplained(): Promise<void> {
    const { data: positions } = await expectStatus(200, this.platform.get('/platform/positions'));
    const suspended = await this.suspended();
    const owing: Resource[] = [];
    for (const { id } of await listed(this.platform, '/customers/internal-accounts'))
      owing.push(await expectStatus(200, this.platform.get(`/internal-accounts/${id}`)));
    const sumOf = (amounts: readonly Resource[], code: string): number =>
      amounts.reduce((sum, money) => sum + (money?.currency.code === code ? money.amount : 0), 0);
    const debts = owing.map(({ amountOwed }) => amountOwed);
    // A position of zero is not listed.
    const positionOf = (wanted: string, code: string): number =>
      positions.find(({ purpose, currency }: Resource) => purpose === wanted && currency === code)?.balance ?? 0;
    const named = [...suspended, ...debts].flatMap((money) => (money ? [money.currency.code] : []));
    for (const code of new Set<string>([...named, ...positions.map(({ currency }: Resource) => currency)])) {
      assert.equal(positionOf('CLEARING', code), 0, `clearing ${code}`);
      assert.equal(positionOf('SUSPENSE', code), sumOf(suspended, code), `suspense ${code}`);
      assert.equal(0 - positionOf('RECEIVABLE', code), sumOf(debts, code), `receivables ${code}`);
    }
  }

  /** What is in suspense, after it was compared with the transactions that explain it. */
  private async suspended(): Promise<{ amount: number; currency: { code: string } }[]> {
    const platform = uuidOf(this.platformId);
    const rows = await this.service.db.many<{ id: string | null; currency: string; sum: bigint; causes: string[] }>(sql`
      select e.transaction_id as id, e.currency, sum(e.amount)::bigint as sum, array_agg(distinct t.cause) as causes
      from entries e join transfers t on t.platform_id = e.platform_id and t.id = e.transfer_id
      where e.platform_id = ${platform} and e.account_id = any(${[...CURRENCIES.keys()].map((code) => serviceAccountId(this.platformId, 'SUSPENSE', code))}::uuid[])
      group by 1, 2`);
    const net = new Map(rows.filter(({ sum }) => sum !== 0n).map((row) => [row.id, row]));
    const all = await listed(this.platform, '/transactions');
    for (const one of all) {
      const found = net.get(uuidOf(one.id));
      const rail = one.source?.railDetails?.status;
      if (one.refund?.status === 'FAILED') {
        const { amount } = one.type === 'INCOMING' ? one.receivedAmount : one.sentAmount;
        assert.equal(Number(found?.sum ?? 0n), amount, `suspense of the failed refund ${one.id}`);
      } else if (found) {
        const isFee = one.type === 'OUTGOING' && one.status === 'COMPLETED' && found.causes.includes('PAYMENT_SETTLEMENT');
        assert.ok(isFee || (rail === 'RETURN_DISHONORED' && one.status === 'COMPLETED'), `suspense of ${one.id}: ${JSON.stringify(one)}`);
      }
      net.delete(uuidOf(one.id));
    }
    assert.deepEqual(
      [...net.values()].filter(({ causes }) => causes.join() !== 'DEPOSIT_SUSPENDED'),
      [],
      'suspense of no transaction',
    );
    return rows.map(({ sum, currency }) => ({ amount: Number(sum), currency: { code: currency } }));
  }
}
