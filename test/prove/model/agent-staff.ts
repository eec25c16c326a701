// Customers with their agents: creation, policies, pause, pairing by device codes, deletion. agents.ts adds what the agents do.
import { randomUUID } from 'node:crypto';
import { agentClient } from '../../support/agents.js';
import { idempotent } from '../../support/cards.js';
import { type Answer, expectStatus } from '../../support/client.js';
import { given } from '../../support/given.js';
import {
  type Account,
  forbidden,
  Market,
  merged,
  type Permission,
  type PolicyPatch,
  type Refusal,
  shownPolicy,
  Usage,
} from './agent-model.js';
import { OPEN, somePatch, somePolicy, wrongPatch } from './agent-policies.js';
import {
  type Action,
  type AgentState,
  type Code,
  type Connected,
  gist,
  type Person,
  type Resource,
  rowOf,
  UNKNOWN,
} from './agent-state.js';
import { DAY, History } from './history.js';

const CODE_LIFE = DAY;
export abstract class StaffHistory extends History {
  protected readonly people: Person[] = [];
  protected readonly staff: AgentState[] = [];
  protected readonly rates = new Market();
  /** Unknown codes are limited to 20 a minute of the real time for all histories together. */
  protected mayGuess = false;

  protected override async prepare(): Promise<void> {
    this.mayGuess = this.random.chance(0.3);
    await this.customer();
    await this.connectedAgent();
  }

  abstract market(): Promise<void>;

  // ---- random choices

  protected get present(): Person[] {
    return this.people.filter(({ isDeleted }) => !isDeleted);
  }
  protected get live(): AgentState[] {
    return this.staff.filter(({ isDeleted }) => !isDeleted);
  }
  /** A new one, if there is none. */
  protected async anyone(mayPay = false): Promise<Person> {
    const fitting = () => this.present.filter(({ isVerified }) => !mayPay || isVerified);
    if (fitting().length === 0) await this.customer();
    return this.random.pick(fitting());
  }

  /** Mostly one whose customer may pay. */
  protected async connectedAgent(mayPay = this.random.chance(0.9)): Promise<Connected> {
    const staff = this.live.filter(({ person }) => !mayPay || person.isVerified);
    const agent = this.any(staff.filter(({ client }) => client !== undefined)) ?? this.any(staff) ?? (await this.hire(mayPay));
    if (!agent.client) {
      if (!agent.codes.some(({ state, expiresAt }) => state === 'OPEN' && this.now < expiresAt)) await this.regenerate(agent);
      await this.redeem(agent, agent.codes.at(-1));
    }
    return agent as Connected;
  }

  /** Sometimes one that was deleted. */
  protected async anyAgent(): Promise<Connected> {
    const former = this.staff.filter(({ isDeleted, client }) => isDeleted && client !== undefined);
    const agent = this.random.chance(0.08) ? this.any(former) : undefined;
    return agent ? (agent as Connected) : this.connectedAgent();
  }

  /** An agent that may do everything in this mode. */
  protected async openAgent(mode: string): Promise<Connected> {
    const agent = await this.connectedAgent(true);
    if (!this.rates.isAvailable) await this.market();
    if (agent.isPaused) await this.update(agent, { isPaused: false });
    const spendingLimits = { ...OPEN.spendingLimits, dailyLimit: null, monthlyLimit: null, dailyTransactionLimit: 1_000 };
    const accountRestrictions = { allowedAccountIds: null, accountRules: [] };
    const approvalThresholds = { amount: null };
    await this.policy(agent, { ...OPEN, defaultExecutionMode: mode as 'AUTO', spendingLimits, accountRestrictions, approvalThresholds });
    return agent;
  }

  // ---- comparison

  protected refused(answer: Answer, { expected, cause }: Refusal): void {
    this.agree(answer, expected);
    if (cause) this.same(answer.body.details.cause, cause, 'the cause');
  }

  /** What is refused before the request is read. Calls that start something are refused to a paused agent. */
  protected gate({ isDeleted, isPaused, policy }: AgentState, permission?: Permission, starts = false): Refusal | undefined {
    if (isDeleted) return { expected: [401, 'UNAUTHORIZED'] };
    const lacks = permission !== undefined && !policy.permissions.includes(permission);
    // Which comes first is told for executions only. Both are 403.
    if (starts && isPaused && lacks && permission !== 'EXECUTE_QUOTES') return { expected: [403, 'FORBIDDEN'] };
    if (starts && isPaused) return forbidden('AGENT_PAUSED');
    return lacks ? forbidden('PERMISSION_MISSING') : undefined;
  }

  /** All rows of a list, page by page. */
  protected async rowsOf(get: (path: string) => Promise<Answer>, path: string, total: number): Promise<Resource[]> {
    const limit = this.random.pick([3, 20, 100]);
    const rows: Resource[] = [];
    for (let cursor = ''; ; ) {
      const page = await expectStatus(200, get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`));
      rows.push(...page.data);
      this.same([page.totalCount, page.hasMore], [total, rows.length < total], `a page of ${path}`);
      if (!page.hasMore) return rows;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  }

  protected shownAgent({ id, name, person, isPaused, client, policy, usage, createdAt }: AgentState): Resource {
    const base = { id, name, customerId: person.id, isPaused, isConnected: client !== undefined, policy, usage: usage.shown(this.now) };
    return { ...base, createdAt: new Date(createdAt).toISOString() };
  }
  protected sameAgent({ updatedAt: _at, ...agent }: Resource, state: AgentState): void {
    this.same(agent, this.shownAgent(state), 'the agent');
  }
  protected async compareAgent(agent: AgentState): Promise<void> {
    const answer = await this.platform.get(`/agents/${agent.id}`);
    if (agent.isDeleted) return this.agree(answer, [404, 'NOT_FOUND']);
    this.agree(answer, 200);
    this.sameAgent(answer.body, agent);
  }

  protected async compareMoney(person: Person): Promise<void> {
    const { data } = await expectStatus(200, this.platform.get(`/customers/internal-accounts?customerId=${person.id}`));
    this.sameAccounts(data, [person.usd, person.usdb]);
  }
  protected sameAccounts(data: Resource[], accounts: readonly Account[]): void {
    const shown = data.map(({ id, balance, totalBalance, status }) => [id, balance.amount, totalBalance.amount, status]);
    const known = accounts.map(({ id, balance, isClosed }) => [id, balance, balance, isClosed ? 'CLOSED' : 'ACTIVE']);
    this.same(shown.sort(), known.sort(), 'the accounts');
  }

  protected sameAction(action: Resource, { id, agent, payment, status, hasStarted, reason, createdAt }: Action): void {
    const { type, agentId, customerId, platformCustomerId } = action;
    this.same(
      [action.id, type, agentId, customerId, platformCustomerId, action.status, action.rejectionReason, action.createdAt],
      [id, 'EXECUTE_QUOTE', agent.id, agent.person.id, agent.person.platformCustomerId, status, reason, new Date(createdAt).toISOString()],
      'the action',
    );
    this.same([action.quote.id, action.quote.status], [payment.facts.quoteId, payment.status], 'its quote');
    this.same(action.transaction && gist(action.transaction), hasStarted ? rowOf(payment) : undefined, 'its transaction');
  }

  protected async compareTransactions({ id, transactions }: Person): Promise<void> {
    const path = `/transactions?customerId=${id}&sortOrder=asc`;
    const rows = await this.rowsOf((page) => this.platform.get(page), path, transactions.length);
    this.same(rows.map(gist), transactions.map(rowOf), 'the transactions');
  }

  // ---- customers and their money

  async customer(): Promise<void> {
    if (this.present.length >= 3 && this.present.some((person) => person.isVerified)) return;
    // The ending of the name chooses the outcome of the verification.
    const isVerified = !this.present.some((person) => person.isVerified) || this.random.chance(0.75);
    const fullName = `Principal ${this.people.length}${isVerified ? '' : '002'}`;
    const { id, platformCustomerId } = await given(this.platform).customer({ fullName });
    const accountOf = async (currency: string): Promise<Account> => {
      const account = await given(this.platform).account({ id }, currency);
      return { id: account.id, currency, balance: 0, isClosed: false };
    };
    const [usd, usdb] = [await accountOf('USD'), await accountOf('USDB')];
    const { data } = await expectStatus(200, this.platform.get(`/auth/credentials?accountId=${usdb.id}`));
    const person = { id, platformCustomerId, usd, usdb, credential: data[0], keys: undefined, signedInUntil: 0, isDeleted: false };
    this.people.push({ ...person, isVerified, payees: [], transactions: [] });
    this.note('customer', isVerified);
    await this.fund(this.people.at(-1));
  }

  /** "Deleting a customer deletes the customer's agents in the same transaction." */
  async remove(): Promise<void> {
    if (this.present.length < 2) await this.customer();
    const person = this.random.pick(this.present);
    this.agree(await this.platform.delete(`/customers/${person.id}`), 200);
    this.note('remove');
    person.isDeleted = true;
    for (const account of [person.usd, person.usdb]) account.isClosed = account.balance === 0;
    for (const payee of person.payees) payee.isDeleted = true;
    for (const agent of this.live) if (agent.person === person) this.retire(agent);
    for (const agent of this.staff) if (agent.person === person) await this.compareAgent(agent);
    await this.compareMoney(person);
  }

  async fund(owner?: Person): Promise<void> {
    const person = owner ?? (await this.anyone());
    const account = this.random.chance(0.7) ? person.usd : person.usdb;
    const amount = this.random.int(500, 9_000);
    this.agree(await this.platform.post(`/sandbox/internal-accounts/${account.id}/fund`, { amount }), 200);
    this.note('fund', account.currency, amount);
    account.balance += amount;
    const { data } = await expectStatus(200, this.platform.get(`/transactions?customerId=${person.id}&type=INCOMING&limit=1`));
    person.transactions.push({ id: data[0].id, account, amount });
    await this.compareMoney(person);
  }

  // ---- agents

  async hire(mayPay = false): Promise<AgentState> {
    const person = await this.anyone(mayPay);
    const name = `Agent ${this.staff.length}`;
    const policy = { ...somePolicy(this.random, person), ...(this.random.chance(0.6) ? { permissions: OPEN.permissions } : {}) };
    const sent = idempotent(randomUUID());
    const create = (fields: object = {}) => this.platform.post('/agents', { name, customerId: person.id, policy, ...fields }, sent);
    const gone = this.any(this.people.filter(({ isDeleted }) => isDeleted));
    const stranger = await create({ customerId: gone?.id ?? `Customer:${UNKNOWN}` });
    this.agree(stranger, [400, 'INVALID_INPUT']);
    const answer = await create();
    this.note('hire', name);
    this.agree(answer, 201);
    if (this.random.chance(0.4)) this.same((await create()).text, answer.text, 'the repeated request');
    if (this.random.chance(0.2)) this.agree(await create({ name: 'Another' }), [409, 'CONFLICT']);
    const { agent, deviceCode } = answer.body;
    const base = { id: agent.id, person, createdAt: this.now, usage: new Usage(), codes: [], payments: [], actions: [] };
    const state: AgentState = { ...base, name, isPaused: false, isDeleted: false, policy: shownPolicy(policy), client: undefined };
    this.staff.push(state);
    this.issued(state, deviceCode);
    this.sameAgent(agent, state);
    return state;
  }

  protected issued({ id, codes }: AgentState, { code, ...shown }: Resource): void {
    const expiresAt = this.now + CODE_LIFE;
    this.same(shown, { agentId: id, expiresAt: new Date(expiresAt).toISOString(), redeemed: false }, 'the device code');
    for (const older of codes) if (older.state === 'OPEN') older.state = 'REPLACED';
    codes.push({ code, expiresAt, state: 'OPEN' });
  }

  async agents(): Promise<void> {
    const [customer, isPaused, isConnected] = [this.random.pick(this.people), this.random.chance(0.3), this.random.chance(0.6)];
    const at = this.random.pick(this.staff).createdAt;
    const filters: Readonly<Record<string, (agent: AgentState) => boolean>> = {
      '': () => true,
      [`?customerId=${customer.id}`]: ({ person }) => person === customer,
      [`?isPaused=${isPaused}`]: (agent) => agent.isPaused === isPaused,
      [`?isConnected=${isConnected}&isPaused=false`]: (agent) => (agent.client !== undefined) === isConnected && !agent.isPaused,
      [`?createdAfter=${new Date(at).toISOString()}`]: ({ createdAt }) => createdAt >= at,
      [`?createdBefore=${new Date(at).toISOString()}`]: ({ createdAt }) => createdAt <= at,
      [`?updatedBefore=${new Date(this.now).toISOString()}`]: () => true,
      [`?updatedAfter=${new Date(this.now + 1).toISOString()}`]: () => false,
    };
    const which = this.random.int(0, Object.keys(filters).length - 1);
    const [query, holds] = Object.entries(filters)[which] as [string, (agent: AgentState) => boolean];
    this.note('agents', which);
    const expected = this.live.filter(holds).reverse();
    const rows = await this.rowsOf((page) => this.platform.get(page), `/agents${query}`, expected.length);
    this.same(rows.length, expected.length, 'the number of agents');
    for (const [i, agent] of expected.entries()) this.sameAgent(rows[i], agent);
  }

  async update(chosen?: AgentState, change?: { isPaused: boolean }): Promise<void> {
    const agent = chosen ?? this.random.pick(this.staff);
    const isPaused = this.random.chance(agent.isPaused ? 0.2 : 0.5);
    const name = `${agent.name.split(',')[0]}, ${this.random.int(1, 99)}`;
    const body = change ?? this.random.pick([{ isPaused }, { name }, { name, isPaused }, {}]);
    const answer = await this.platform.patch(`/agents/${agent.id}`, body);
    this.note('update', JSON.stringify(body));
    // "at least one", a question of the shape, which comes before 404.
    if (Object.keys(body).length === 0) return this.agree(answer, [400, 'INVALID_INPUT']);
    if (agent.isDeleted) return this.agree(answer, [404, 'NOT_FOUND']);
    this.agree(answer, 200);
    Object.assign(agent, body);
    this.sameAgent(answer.body, agent);
  }

  private wrong({ usd }: Person): PolicyPatch {
    const stranger = this.any(this.people.filter((person) => person.usd !== usd))?.usd.id;
    return wrongPatch(this.random, usd.id, stranger ?? `InternalAccount:${UNKNOWN}`);
  }

  async policy(chosen?: AgentState, change?: PolicyPatch): Promise<void> {
    const agent = chosen ?? this.random.pick(this.random.chance(0.9) && this.live.length > 0 ? this.live : this.staff);
    const isWrong = !change && !agent.isDeleted && this.random.chance(0.12);
    const wanted: PolicyPatch =
      change ?? (isWrong ? this.wrong(agent.person) : this.random.chance(0.2) ? OPEN : somePatch(this.random, agent.person));
    // Without a rate the facts tell the outcome only if a stored amount is to be converted.
    const currency = wanted.spendingLimits?.currency;
    const isStuck = !isWrong && currency !== undefined && merged(agent.policy, wanted, this.rates) === undefined;
    const patch: PolicyPatch = isStuck ? { spendingLimits: { currency } } : wanted;
    const answer = await this.platform.patch(`/agents/${agent.id}/policy`, patch);
    this.note('policy', Object.keys(patch));
    if (isWrong) this.agree(answer, [400, 'INVALID_INPUT']);
    else if (agent.isDeleted) return this.agree(answer, [404, 'NOT_FOUND']);
    else {
      const next = merged(agent.policy, patch, this.rates);
      this.agree(answer, next ? 200 : [400, 'QUOTE_RATE_UNAVAILABLE']);
      const [from, to] = [agent.policy, next ?? agent.policy].map(({ spendingLimits }) => spendingLimits.currency) as [string, string];
      agent.usage.recast((amount) => this.rates.converted(amount, from, to, 'UP') as number, this.now);
      agent.policy = next ?? agent.policy;
    }
    await this.compareAgent(agent);
  }

  /** "token and codes dead at once, pending actions REJECTED" */
  protected retire(agent: AgentState): void {
    agent.isDeleted = true;
    for (const action of agent.actions)
      if (action.status === 'PENDING_APPROVAL') Object.assign(action, { status: 'REJECTED', reason: 'The agent was deleted.' });
  }

  async dismiss(): Promise<void> {
    const agent = this.random.pick(this.staff);
    const answer = await this.platform.delete(`/agents/${agent.id}`);
    this.note('dismiss', agent.name);
    this.agree(answer, agent.isDeleted ? [404, 'NOT_FOUND'] : 204);
    if (!agent.isDeleted) this.retire(agent);
    await this.compareAgent(agent);
  }

  // ---- pairing

  /** Mostly of an agent that is not connected. It is made, if there is none. */
  async regenerate(chosen?: AgentState): Promise<void> {
    const waiting = this.live.filter(({ client }) => !client);
    const agent = chosen ?? (this.random.chance(0.7) ? (this.any(waiting) ?? (await this.hire())) : this.random.pick(this.staff));
    const sent = idempotent(randomUUID());
    const send = () => this.platform.post(`/agents/${agent.id}/device-codes`, undefined, sent);
    const answer = await send();
    this.note('regenerate', agent.name);
    if (agent.isDeleted) return this.agree(answer, [404, 'NOT_FOUND']);
    if (agent.client) return this.agree(answer, [409, 'CONFLICT']);
    this.agree(answer, 201);
    if (this.random.chance(0.4)) this.same((await send()).text, answer.text, 'the repeated request');
    this.issued(agent, answer.body);
  }

  async redeem(chosen?: AgentState, one?: Code): Promise<void> {
    const waiting = this.live.filter(({ client }) => !client);
    const renewed = this.random.chance(0.3) ? this.any(this.live.filter(({ codes }) => codes.length > 1)) : undefined;
    const agent = chosen ?? renewed ?? this.any(this.random.chance(0.7) ? waiting : this.live) ?? (await this.hire());
    const code = one ?? (agent === renewed ? (agent.codes[0] as Code) : this.random.pick(agent.codes));
    const send = (text: string) => this.platform.post(`/agents/device-codes/${text}/redeem`, undefined, { headers: { authorization: '' } });
    if (!chosen && this.mayGuess) {
      this.mayGuess = false;
      const former = this.any(this.staff.filter(({ isDeleted }) => isDeleted));
      this.agree(await send(former?.codes.at(-1)?.code ?? 'AGENT-2222-2222-2222'), [404, 'NOT_FOUND']);
    }
    const answer = await send(this.random.chance(0.3) ? code.code.toLowerCase() : code.code);
    this.note('redeem', code.state);
    const isLate = this.now >= code.expiresAt;
    if (code.state === 'OPEN' && !isLate) {
      this.agree(answer, 200);
      const { accessToken, ...shown } = answer.body;
      this.same(shown, { agentId: agent.id, agentName: agent.name, policy: agent.policy }, 'the pairing');
      this.same(/^gat_[0-9a-f]{64}$/.test(accessToken), true, 'the form of the token');
      code.state = 'REDEEMED';
      agent.client = agentClient(this.platform, accessToken);
    } else {
      const cause = { OPEN: 'EXPIRED', REDEEMED: 'ALREADY_REDEEMED', REPLACED: 'REPLACED' }[code.state];
      // A code that was replaced and has expired has two causes.
      this.refused(answer, { expected: [400, 'INVALID_INPUT'], ...(code.state === 'REPLACED' && isLate ? {} : { cause }) });
    }
    await this.compareAgent(agent);
  }

  async code(): Promise<void> {
    const agent = this.random.pick(this.staff);
    const { code, state } = this.random.pick(agent.codes);
    const read = (text: string) => this.platform.get(`/agents/device-codes/${text}/status`);
    const answer = await read(code);
    this.note('code', state);
    this.agree(await read('AGENT-2222-2222-2222'), [404, 'NOT_FOUND']);
    if (agent.isDeleted) return this.agree(answer, [404, 'NOT_FOUND']);
    this.agree(answer, 200);
    this.same(answer.body, { code, redeemed: state === 'REDEEMED' }, 'the status of the code');
  }
}
