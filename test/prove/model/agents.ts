// Histories of agents: their policies and pairing (agent-staff.ts), quotes, executions, approvals, and what an agent sees of its customer.
import { randomUUID } from 'node:crypto';
import { idempotent } from '../../support/cards.js';
import { newKeys, signInWithOtp, stamp } from '../../support/wallet.js';
import { judged, MOVING, modeOf, Payment, type Refusal } from './agent-model.js';
import { somePolicy } from './agent-policies.js';
import { type Action, type AgentState, type Connected, gist, rowOf, UNKNOWN } from './agent-state.js';
import { inOrder, ViewHistory } from './agent-views.js';
import { type Command, DAY, type Event, HOUR, MINUTE } from './history.js';

const WEIGHTS = {
  customer: 1,
  remove: 0.5,
  fund: 5,
  hire: 2,
  agents: 2,
  update: 3,
  policy: 8,
  dismiss: 0.7,
  regenerate: 2,
  redeem: 3,
  code: 1.5,
  me: 1,
  quote: 6,
  readQuote: 1.5,
  execute: 22,
  overtake: 2,
  approve: 7,
  reject: 3,
  approvals: 2,
  actions: 2,
  transactions: 3,
  accounts: 1.5,
  payee: 4,
  payees: 2,
  forget: 2,
  market: 2,
  advance: 8,
} as const;
type Kind = keyof typeof WEIGHTS;

const SESSION_LIFE = 15 * MINUTE;
const DECIDED = 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL';
const ACTION_STATUSES = ['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED'] as const;

export class AgentHistory extends ViewHistory {
  override commands(): Readonly<Record<Kind, Command>> {
    const command = (kind: Kind): Command => [WEIGHTS[kind], () => this.take(kind)];
    return Object.fromEntries(Object.keys(WEIGHTS).map((kind) => [kind, command(kind as Kind)])) as Record<Kind, Command>;
  }

  /** A command and what it made for itself count as one. */
  private async take(kind: Kind): Promise<void> {
    const before = this.trace.length;
    await this[kind]();
    const lines = this.trace.splice(before);
    const own = lines.filter((line) => line.split(' ')[0] === kind);
    const made = lines.filter((line) => !own.includes(line));
    if (lines.length > 0) this.trace.push([...own, ...made].join(' ; '));
  }

  /** In the order of creation. */
  private readonly submitted: Action[] = [];

  private async compareAction(action: Action): Promise<void> {
    const { agent, id } = action;
    if (agent.isDeleted || !agent.client) return;
    const answer = await agent.client.get(`/agents/me/actions/${id}`);
    this.agree(answer, 200);
    this.sameAction(answer.body, action);
  }

  /** Lets the bank do what it does at once. */
  private async settle(): Promise<void> {
    await this.platform.clock.advance(0);
    this.passed();
  }

  // ---- executions

  /** The stamp of the wallet's owner, or one that is refused. */
  private async signature({ person }: AgentState, payload: string): Promise<{ headers: Record<string, string>; refusal?: Refusal }> {
    const way = this.random.weighted({ good: 10, stale: 1, missing: 1, malformed: 1, stranger: 1 });
    if (way === 'missing') return { headers: {}, refusal: { expected: [401, 'WALLET_SIGNATURE_MISSING'] } };
    const header = (text: string) => ({ 'Service-Wallet-Signature': text });
    if (way === 'malformed') return { headers: header('x'), refusal: { expected: [401, 'WALLET_SIGNATURE_MALFORMED'] } };
    if (!person.keys || (way === 'good' && this.now >= person.signedInUntil)) {
      const { answer, keys } = await signInWithOtp(this.platform, person.credential);
      this.agree(answer, 200);
      Object.assign(person, { keys, signedInUntil: this.now + SESSION_LIFE });
    }
    const keys = way === 'stranger' ? newKeys() : (person.keys as NonNullable<typeof person.keys>);
    const isGood = way !== 'stranger' && this.now < person.signedInUntil;
    return { headers: header(await stamp(keys, payload)), ...(isGood ? {} : { refusal: { expected: [401, 'WALLET_SIGNATURE_INVALID'] } }) };
  }

  /** One submission, or a few of one agent in a row. */
  async execute(): Promise<void> {
    const agent = await this.anyAgent();
    for (let left = this.random.int(1, 4); left > 0; left -= 1) {
      const from = this.random.weighted({ new: 6, fresh: 3, own: 1, any: 0.5 });
      const fresh = agent.payments.filter((one) => one.status === 'PENDING' && !agent.actions.some(({ payment }) => payment === one));
      const pool = from === 'own' ? agent.payments : from === 'any' ? this.staff.flatMap(({ payments }) => payments) : fresh;
      const payment = from === 'new' && !agent.isDeleted ? await this.quote(agent, this.random.chance(0.3)) : this.any(pool);
      // Without a quote: one that nobody made.
      if (payment || this.random.chance(0.2)) await this.submit(agent, payment);
    }
  }

  private async submit(agent: Connected, payment: Payment | undefined): Promise<Action | undefined> {
    const isOwn = payment !== undefined && agent.payments.includes(payment);
    const hasAction = agent.actions.some((action) => action.payment === payment);
    // A quote that has an action and has expired has two refusals.
    if (hasAction && payment?.status === 'EXPIRED') return undefined;
    const payload = isOwn && !agent.isDeleted ? payment.facts.payloadToSign : undefined;
    const signed = payload ? await this.signature(agent, payload) : { headers: {} };
    const sent = { headers: { ...idempotent(randomUUID()).headers, ...signed.headers } };
    const send = () => agent.client.post(`/agents/me/quotes/${payment?.facts.quoteId ?? `Quote:${UNKNOWN}`}/execute`, undefined, sent);
    const answer = await send();
    this.note('execute', payment?.facts.source.currency, payment?.facts.amount, payment?.status);
    const gate = this.gate(agent, 'EXECUTE_QUOTES', true);
    if (gate) return void this.refused(answer, gate);
    if (!isOwn) return void this.agree(answer, [404, 'QUOTE_NOT_FOUND']);
    if (hasAction || (payment.status !== 'PENDING' && payment.status !== 'EXPIRED')) return void this.agree(answer, [409, 'CONFLICT']);
    const outcome = this.evaluate(agent, payment, signed.refusal);
    if (typeof outcome === 'object') this.refused(answer, outcome);
    else {
      this.agree(answer, 200);
      if (this.random.chance(0.2)) this.same((await send()).text, answer.text, 'the repeated request');
      const hasStarted = outcome !== 'PENDING_APPROVAL';
      const base = { id: answer.body.id, agent, payment, neededApproval: !hasStarted, createdAt: this.now, isUndecided: false };
      const action: Action = { ...base, status: hasStarted ? 'APPROVED' : 'PENDING_APPROVAL', hasStarted, reason: undefined };
      agent.actions.push(action);
      this.submitted.push(action);
      if (hasStarted) this.start(agent, payment, outcome);
      this.sameAction(answer.body, action);
      await this.settle();
      await this.compareAction(action);
    }
    await this.compareAgent(agent);
    await this.compareMoney(agent.person);
    return agent.actions.find((action) => action.payment === payment);
  }

  private start({ usage }: AgentState, payment: Payment, counted: number): void {
    payment.start(this.now);
    usage.count(counted, this.now);
  }

  /** A refusal, a wait for approval, or the amount that counts. */
  private evaluate(agent: AgentState, payment: Payment, signature?: Refusal): Refusal | 'PENDING_APPROVAL' | number {
    if (payment.status === 'EXPIRED') return { expected: [400, 'QUOTE_EXPIRED'] };
    if (signature) return signature;
    const amount = judged(agent.policy, agent.usage, payment, this.rates, this.now);
    if (typeof amount === 'object') return amount;
    const mode = modeOf(agent.policy, payment, this.rates);
    if (typeof mode === 'object') return mode;
    return mode === 'APPROVAL_REQUIRED' ? 'PENDING_APPROVAL' : (payment.refusal() ?? amount);
  }

  /** "The platform may execute an agent's quote itself"; nothing is counted, and a pending action fails at its decision or in time. */
  async overtake(): Promise<void> {
    const agent = await this.connectedAgent(true);
    const open = agent.payments.filter(({ status, facts }) => status === 'PENDING' && !facts.payloadToSign);
    const payment = this.any(open) ?? (await this.quote(await this.openAgent('AUTO'), true));
    if (!payment) return;
    const answer = await this.platform.post(`/quotes/${payment.facts.quoteId}/execute`);
    this.note('overtake', payment.facts.amount);
    const refusal = payment.refusal();
    if (refusal) return this.refused(answer, refusal);
    this.agree(answer, 200);
    payment.start(this.now);
    this.same(answer.body.status, payment.status, 'the executed quote');
    await this.settle();
    for (const person of this.people) await this.compareMoney(person);
    for (const action of this.submitted) if (action.payment === payment) await this.compareAction(action);
  }

  // ---- approvals

  /** Mostly an action that waits. It is made, if there is none, and then the policy changes. */
  private async anyAction(): Promise<Action | undefined> {
    // If the platform executed the quote and nobody decided, the facts do not tell what a late approval is.
    const clear = this.submitted.filter(({ isUndecided, payment }) => !isUndecided || payment.status === 'EXPIRED');
    const known = this.any(this.random.chance(0.25) ? clear : clear.filter(({ status }) => status === 'PENDING_APPROVAL'));
    if (known) return known;
    const agent = await this.openAgent('APPROVAL_REQUIRED');
    const action = await this.submit(agent, await this.quote(agent, true));
    if (this.random.chance(0.8)) await this.policy(agent, { ...somePolicy(this.random, agent.person), defaultExecutionMode: 'AUTO' });
    if (this.random.chance(0.15)) await this.update(agent, { isPaused: true });
    return action;
  }

  /** "approve runs rows 5, 7–11 and 13 again …, and EXECUTE_QUOTES and not-paused too"; "any failure: status FAILED, answer 200". */
  private decide(action: Action, isApproval: boolean, reason?: string): void {
    const { agent, payment } = action;
    if (!isApproval) return void Object.assign(action, { status: 'REJECTED', reason });
    const isOpen = !this.gate(agent, 'EXECUTE_QUOTES', true) && payment.status === 'PENDING';
    const amount = isOpen ? judged(agent.policy, agent.usage, payment, this.rates, this.now) : undefined;
    if (typeof amount !== 'number' || payment.refusal()) return void Object.assign(action, { status: 'FAILED' });
    Object.assign(action, { status: 'APPROVED', hasStarted: true });
    this.start(agent, payment, amount);
  }

  async approve(isApproval = true): Promise<void> {
    const action = await this.anyAction();
    if (!action) return;
    const { agent, payment, status } = action;
    const word = isApproval ? 'approve' : 'reject';
    const isWaiting = status === 'PENDING_APPROVAL';
    const byTransaction = this.random.chance(0.25) && !action.isUndecided && !agent.isDeleted;
    const stranger = this.random.chance(0.1) ? this.any(this.staff.filter((other) => other !== agent)) : undefined;
    const reason = this.random.chance(0.5) ? `Reason ${this.random.int(1, 99)}` : undefined;
    const body = isApproval || !reason ? undefined : { reason };
    if (stranger) this.agree(await this.platform.post(`/agents/${stranger.id}/actions/${action.id}/${word}`, body), [404, 'NOT_FOUND']);
    const path = byTransaction ? `/transactions/${payment.facts.id}` : `/agents/${agent.id}/actions/${action.id}`;
    const answer = await this.platform.post(`${path}/${word}`, body);
    this.note(word, status, byTransaction, payment.status);
    if (agent.isDeleted && !byTransaction) return this.agree(answer, [404, 'NOT_FOUND']);
    if (!isWaiting && !(isApproval && action.isUndecided)) {
      this.agree(answer, [409, DECIDED]);
      if (!byTransaction) this.same(answer.body.details.status, status, 'the status in the details');
      return;
    }
    this.agree(answer, 200);
    if (isWaiting) this.decide(action, isApproval, body?.reason);
    if (byTransaction) this.same(gist(answer.body), rowOf(payment), 'the transaction');
    else this.sameAction(answer.body, action);
    await this.settle();
    await this.compareAction(action);
    await this.compareAgent(agent);
    await this.compareMoney(agent.person);
  }

  async reject(): Promise<void> {
    await this.approve(false);
  }

  /** "every action that was put up for approval, decided or not …; actions of deleted agents stay" */
  async approvals(): Promise<void> {
    const [agent, customer] = [this.random.pick(this.staff), this.random.pick(this.people)];
    const all = this.submitted.filter(({ neededApproval }) => neededApproval);
    const at = this.any(all)?.createdAt ?? this.now;
    const filters: Readonly<Record<string, (action: Action) => boolean>> = {
      sortOrder: () => true,
      [`agentId=${agent.id}&sortOrder`]: (action) => action.agent === agent,
      [`customerId=${customer.id}&sortOrder`]: (action) => action.agent.person === customer,
      [`startDate=${new Date(at).toISOString()}&sortOrder`]: ({ createdAt }) => createdAt >= at,
      [`endDate=${new Date(at).toISOString()}&sortOrder`]: ({ createdAt }) => createdAt <= at,
    };
    const which = this.random.int(0, Object.keys(filters).length - 1);
    const [query, holds] = Object.entries(filters)[which] as [string, (action: Action) => boolean];
    const order = this.random.pick(['asc', 'desc']);
    this.note('approvals', which, order);
    await this.compareApprovals(`?${query}=${order}`, inOrder(all.filter(holds), order));
  }

  private async compareApprovals(query: string, expected: readonly Action[]): Promise<void> {
    const rows = await this.rowsOf((page) => this.platform.get(page), `/agents/approvals${query}`, expected.length);
    for (const [i, action] of expected.entries()) this.sameAction(rows[i], action);
  }

  /** "all actions of the agent, AUTO ones too; filter status" */
  async actions(): Promise<void> {
    const agent = await this.anyAgent();
    const status = this.random.pick([undefined, ...ACTION_STATUSES]);
    const path = `/agents/me/actions${status ? `?status=${status}` : ''}`;
    this.note('actions', status);
    const refusal = this.gate(agent);
    if (refusal) return this.refused(await agent.client.get(path), refusal);
    const expected = agent.actions.filter((action) => !status || action.status === status).reverse();
    const rows = await this.rowsOf((page) => agent.client.get(page), path, expected.length);
    for (const [i, action] of expected.entries()) this.sameAction(rows[i], action);
    const one = this.any(this.submitted);
    const answer = await agent.client.get(`/agents/me/actions/${one?.id ?? `AgentAction:${UNKNOWN}`}`);
    if (!one || one.agent !== agent) return this.agree(answer, [404, 'NOT_FOUND']);
    this.agree(answer, 200);
    this.sameAction(answer.body, one);
  }

  // ---- time

  /** Limits and thresholds in this currency are judged at the rate of the moment, and without a rate not at all. */
  async market(): Promise<void> {
    const [perUsd, units] = this.random.pick([
      ['17.25', 172_500n],
      ['20', 200_000n],
      ['16.9015', 169_015n],
    ] as const);
    const available = !this.rates.isAvailable || this.random.chance(0.6);
    this.agree(await this.platform.put('/sandbox/exchange-rates', { currency: MOVING, perUsd, available }), 200);
    this.note('market', perUsd, available);
    Object.assign(this.rates, { moving: units, isAvailable: available });
  }

  private dueTimes(): number[] {
    const payments = this.staff.flatMap((agent) => agent.payments).flatMap(({ dueAt }) => dueAt ?? []);
    const codes = this.live.flatMap((agent) => agent.codes).filter(({ state }) => state === 'OPEN');
    return [...payments, ...codes.map(({ expiresAt }) => expiresAt)];
  }

  async advance(): Promise<void> {
    const midnight = DAY - (this.now % DAY);
    const date = new Date(this.now);
    const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - this.now;
    const edge = this.random.pick([midnight, midnight, month]) + this.random.pick([-1, 0, 0, HOUR]);
    // Exactly when a quote, a code or a payout is due, or a millisecond before.
    const due = this.any(this.dueTimes().filter((at) => at > this.now));
    const exact = due && this.random.chance(0.6) ? due - this.now - this.random.pick([0, 0, 1]) : undefined;
    const ms = exact ?? this.random.pick([30_000, MINUTE, 6 * MINUTE, this.random.int(1, HOUR), DAY, edge, edge]);
    if (ms <= 0) return;
    await this.pass(ms);
    await this.compareAll();
  }

  protected override passed(): void {
    for (const { transactions } of this.people) for (const row of transactions) if (row instanceof Payment) row.settle(this.now);
    for (const action of this.submitted) {
      if (action.status === 'PENDING_APPROVAL' && this.now >= action.payment.facts.expiresAt)
        Object.assign(action, { status: 'FAILED', isUndecided: true });
      // "An APPROVED action whose transaction ends FAILED … becomes FAILED"
      if (action.status === 'APPROVED' && action.payment.status === 'FAILED') action.status = 'FAILED';
    }
  }

  private async compareAll(): Promise<void> {
    for (const agent of this.staff) await this.compareAgent(agent);
    for (const person of this.people) {
      await this.compareMoney(person);
      await this.compareTransactions(person);
    }
    await this.compareApprovals('', this.submitted.filter(({ neededApproval }) => neededApproval).reverse());
  }

  protected override async finish(): Promise<void> {
    await this.pass(DAY);
    await this.compareAll();
    for (const action of this.submitted) await this.compareAction(action);
  }

  // ---- events

  /** An event of a refund shows the refund; the status of its transaction is another event's. */
  protected override eventText(event: Event): string | undefined {
    const { type, data } = event;
    if (!type.startsWith('OUTGOING_PAYMENT.')) return super.eventText(event);
    return `${type} ${type.includes('.REFUND_') ? data.refund.status : data.status}${data.agentId ? ' by an agent' : ''}`;
  }

  protected override expected(): Map<string, string[]> {
    const expected = new Map<string, string[]>();
    for (const { id, usd, usdb, isVerified, transactions } of this.people) {
      expected.set(id, [isVerified ? 'CUSTOMER.KYC_APPROVED APPROVED' : 'CUSTOMER.KYC_REJECTED REJECTED']);
      for (const account of [usd, usdb]) if (account.isClosed) expected.set(account.id, ['INTERNAL_ACCOUNT.STATUS_UPDATED CLOSED']);
      for (const row of transactions) {
        if (!(row instanceof Payment)) expected.set(row.id, ['INCOMING_PAYMENT.COMPLETED COMPLETED']);
        else
          expected.set(
            row.facts.id,
            row.notified.map((name) => `OUTGOING_PAYMENT.${name} ${name.replace('REFUND_', '')} by an agent`),
          );
      }
    }
    // "once per action that starts pending"; none on approval, rejection or failure
    for (const { id, neededApproval } of this.submitted)
      if (neededApproval) expected.set(id, ['AGENT_ACTION.PENDING_APPROVAL PENDING_APPROVAL']);
    return expected;
  }
}
