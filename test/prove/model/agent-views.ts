// What an agent sees of its customer, its external accounts and its quotes. agents.ts adds what it submits.
import { randomUUID } from 'node:crypto';
import { idempotent } from '../../support/cards.js';
import { type Account, forbidden, isAllowed, type Payee, Payment, type Refusal, received } from './agent-model.js';
import { StaffHistory } from './agent-staff.js';
import { type AgentState, type Connected, type Deposit, gist, type Person, type Resource, rowOf, UNKNOWN } from './agent-state.js';
import { MINUTE } from './history.js';

const ENDINGS = ['999', '999', '999', '002', '003', '004', '005', '006', '007'] as const;
const STATUSES = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED'] as const;

const QUOTE_LIFE = 5 * MINUTE;
/** The band of what leaves the service: 1.00 to 100,000.00 USD. */
const BAND = { least: 100, most: 10_000_000 } as const;

const bank = (accountNumber: string) => ({
  currency: 'USD',
  accountInfo: {
    accountType: 'USD_ACCOUNT',
    accountNumber,
    routingNumber: '021000021',
    bankAccountType: 'CHECKING',
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', birthDate: '1990-12-09', countryOfResidence: 'US' },
  },
});

export abstract class ViewHistory extends StaffHistory {
  // ---- external accounts

  async payee(chosen?: Connected): Promise<void> {
    const agent = chosen ?? (await this.anyAgent());
    const { payees, id: customerId } = agent.person;
    const twin = this.random.chance(0.25) ? this.any(payees) : undefined;
    const number = twin?.number ?? `${this.random.int(100_000_000, 999_999_999)}${this.random.pick(ENDINGS)}`;
    const stranger = this.any(this.people.filter((person) => person.id !== customerId));
    const isForeign = !chosen && this.random.chance(0.1);
    const named = isForeign ? { customerId: stranger?.id ?? `Customer:${UNKNOWN}` } : this.random.chance(0.3) ? { customerId } : {};
    const answer = await agent.client.post('/agents/me/external-accounts', { ...bank(number), ...named });
    this.note('payee', number, isForeign);
    const refusal = this.gate(agent, 'MANAGE_EXTERNAL_ACCOUNTS', true);
    if (refusal) return this.refused(answer, refusal);
    if (isForeign) return this.agree(answer, [400, 'INVALID_INPUT']);
    if (payees.some((other) => other.number === number && !other.isDeleted)) return this.agree(answer, [409, 'DUPLICATE_EXTERNAL_ACCOUNT']);
    this.agree(answer, 201);
    payees.push({ id: answer.body.id, number, isDeleted: false });
    this.samePayee(answer.body, payees.at(-1) as Payee, agent.person);
  }

  protected samePayee({ id, customerId, status, currency, accountInfo }: Resource, payee: Payee, person: Person): void {
    const shown = [id, customerId, status, currency, accountInfo.accountType, accountInfo.accountNumber];
    this.same(shown, [payee.id, person.id, 'ACTIVE', 'USD', 'USD_ACCOUNT', payee.number], 'the external account');
  }

  async payees(): Promise<void> {
    const agent = await this.anyAgent();
    const { person } = agent;
    const query = this.random.pick(['', '?currency=USD', '?currency=EUR']);
    const live = query === '?currency=EUR' ? [] : person.payees.filter(({ isDeleted }) => !isDeleted).reverse();
    const path = '/agents/me/external-accounts';
    this.note('payees', query);
    const refusal = this.gate(agent, 'MANAGE_EXTERNAL_ACCOUNTS');
    if (refusal) return this.refused(await agent.client.get(`${path}${query}`), refusal);
    const rows = await this.rowsOf((page) => agent.client.get(page), `${path}${query}`, live.length);
    for (const [i, payee] of live.entries()) this.samePayee(rows[i], payee, person);
    const one = this.any(this.people.flatMap(({ payees }) => payees));
    const answer = await agent.client.get(`${path}/${one?.id ?? `ExternalAccount:${UNKNOWN}`}`);
    if (!one || one.isDeleted || !person.payees.includes(one)) return this.agree(answer, [404, 'ACCOUNT_NOT_FOUND']);
    this.agree(answer, 200);
    this.samePayee(answer.body, one, person);
  }

  async forget(): Promise<void> {
    const agent = await this.anyAgent();
    const payee = this.any(this.random.chance(0.8) ? agent.person.payees : this.people.flatMap(({ payees }) => payees));
    const answer = await agent.client.delete(`/agents/me/external-accounts/${payee?.id ?? `ExternalAccount:${UNKNOWN}`}`);
    this.note('forget', payee?.number);
    const refusal = this.gate(agent, 'MANAGE_EXTERNAL_ACCOUNTS', true);
    if (refusal) return this.refused(answer, refusal);
    if (!payee || payee.isDeleted || !agent.person.payees.includes(payee)) return this.agree(answer, [404, 'ACCOUNT_NOT_FOUND']);
    this.agree(answer, 204);
    payee.isDeleted = true;
  }

  // ---- quotes

  /** Often exactly what a limit or the balance leaves, or one more. */
  private someAmount({ policy, usage }: AgentState, source: Account): number {
    const { currency, perTransactionLimit, dailyLimit, monthlyLimit } = policy.spendingLimits;
    const { day, month } = usage.at(this.now);
    const limits = [perTransactionLimit, (dailyLimit ?? 0) - day, (monthlyLimit ?? 0) - month].map((left) => [left, currency] as const);
    const { currency: other = currency, amount: threshold } = policy.approvalThresholds ?? {};
    const edges = [...limits, [threshold ?? 0, other] as const, [source.balance, source.currency] as const]
      .map(([left, unit]) => (left > 0 ? (this.rates.converted(left, unit, source.currency, 'DOWN') ?? 0) : 0))
      .filter((edge) => edge >= BAND.least && edge < 10_000);
    const edge = this.random.chance(0.5) ? this.any(edges) : undefined;
    return edge === undefined ? this.random.int(BAND.least, this.random.pick([800, 2_500])) : edge + this.random.int(0, 1);
  }

  async quote(chosen?: Connected, isPlain = false): Promise<Payment | undefined> {
    const agent = chosen ?? (await this.anyAgent());
    const { person } = agent;
    const wish = chosen ? 'good' : this.random.weighted({ good: 12, immediate: 1, realtime: 1, unknown: 1, small: 1, large: 1 });
    if (!person.payees.some(({ isDeleted }) => !isDeleted)) await this.payee(agent);
    const banks = person.payees.filter(({ isDeleted }) => !isDeleted);
    const source = isPlain || this.random.chance(0.8) ? person.usd : person.usdb;
    const other = source === person.usd ? person.usdb : person.usd;
    const destination: Account | Payee = (this.random.chance(0.8) || wish !== 'good' ? this.any(banks) : other) ?? other;
    const isLocked = 'currency' in destination && this.random.chance(0.5);
    const wanted = wish === 'small' ? BAND.least - 1 : wish === 'large' ? BAND.most + 1 : this.someAmount(agent, source);
    const foreign = this.any(this.people.filter((one) => one !== person).flatMap(({ usd, payees }) => [usd, ...payees]));
    const gone = this.any(person.payees.filter(({ isDeleted }) => isDeleted));
    const target =
      wish === 'unknown' ? this.random.pick([foreign?.id, gone?.id, `InternalAccount:${UNKNOWN}`].map((id) => id ?? 'x')) : destination.id;
    const body = {
      source: wish === 'realtime' ? { sourceType: 'REALTIME_FUNDING', currency: 'USD' } : { sourceType: 'ACCOUNT', accountId: source.id },
      destination: { destinationType: 'ACCOUNT', accountId: target },
      lockedCurrencySide: isLocked ? 'RECEIVING' : 'SENDING',
      lockedCurrencyAmount: wanted,
      ...(wish === 'immediate' && { immediatelyExecute: true }),
    };
    const sent = idempotent(randomUUID());
    const send = (fields: object = {}) => agent.client.post('/agents/me/quotes', { ...body, ...fields }, sent);
    const answer = await send();
    this.note('quote', wish, source.currency, wanted, isLocked);
    const accounts = 'currency' in destination ? [source, destination] : [source];
    const refusal = this.gate(agent, 'CREATE_QUOTES', true) ?? this.refusalOf(wish, agent, accounts, destination);
    if (refusal === 'unclear') return undefined;
    if (refusal) return void this.refused(answer, refusal);
    this.agree(answer, 201);
    if (this.random.chance(0.2)) this.same((await send()).text, answer.text, 'the repeated request');
    if (this.random.chance(0.1)) this.agree(await send({ lockedCurrencyAmount: wanted + 1 }), [409, 'CONFLICT']);
    const {
      id: quoteId,
      transactionId: id,
      status,
      expiresAt,
      totalSendingAmount,
      totalReceivingAmount,
      paymentInstructions,
    } = answer.body;
    let amount = wanted;
    // "the smallest S whose SENDING-locked result reaches the locked amount"
    while (isLocked && received(amount, source, destination) < wanted) amount += 1;
    const paid = isLocked ? wanted : received(amount, source, destination);
    const due = this.now + QUOTE_LIFE;
    this.same([status, totalSendingAmount, totalReceivingAmount, Date.parse(expiresAt)], ['PENDING', amount, paid, due], 'the quote');
    const payloadToSign = paymentInstructions?.[0]?.accountOrWalletInfo.payloadToSign;
    const facts = { id, quoteId, agentId: agent.id, source, destination, amount, createdAt: this.now, expiresAt: due, payloadToSign };
    const payment = new Payment(facts);
    agent.payments.push(payment);
    person.transactions.push(payment);
    return payment;
  }

  /** In the order of the facts, which leaves open where an account that is not allowed comes. */
  private refusalOf(
    wish: string,
    { policy, person }: AgentState,
    accounts: readonly Account[],
    destination: Account | Payee,
  ): Refusal | 'unclear' | undefined {
    if (wish === 'immediate' || wish === 'realtime') return { expected: [400, 'INVALID_INPUT'] };
    const isOutside = !('currency' in destination);
    const refusals: readonly (Refusal | false)[] = [
      wish === 'unknown' && { expected: [404, 'ACCOUNT_NOT_FOUND'] },
      !person.isVerified && { expected: [403, 'CUSTOMER_NOT_VERIFIED'] },
      wish === 'small' && isOutside && { expected: [400, 'AMOUNT_OUT_OF_RANGE'] },
      wish === 'large' && isOutside && { expected: [400, 'TRANSACTION_SIZE_LIMIT_EXCEEDED'] },
    ];
    const first = refusals.find((refusal) => refusal !== false) || undefined;
    if (accounts.every(({ id }) => isAllowed(policy, id))) return first;
    return first ? 'unclear' : forbidden('ACCOUNT_NOT_ALLOWED');
  }

  /** "Quotes: only those this agent created" */
  async readQuote(): Promise<void> {
    const agent = await this.anyAgent();
    const payment = this.any(this.random.chance(0.7) ? agent.payments : this.staff.flatMap(({ payments }) => payments));
    const answer = await agent.client.get(`/agents/me/quotes/${payment?.facts.quoteId ?? `Quote:${UNKNOWN}`}`);
    this.note('readQuote');
    const refusal = this.gate(agent);
    if (refusal) return this.refused(answer, refusal);
    if (!payment || !agent.payments.includes(payment)) return this.agree(answer, [404, 'QUOTE_NOT_FOUND']);
    this.agree(answer, 200);
    const { id, transactionId, status, totalSendingAmount } = answer.body;
    const { facts } = payment;
    this.same([id, transactionId, status, totalSendingAmount], [facts.quoteId, facts.id, payment.status, facts.amount], 'the quote');
  }

  // ---- accounts and transactions

  /** An agent reads itself without any permission, and while it is paused. */
  async me(): Promise<void> {
    const agent = await this.anyAgent();
    const answer = await agent.client.get('/agents/me');
    this.note('me');
    // "The two schemes do not replace each other"
    this.agree(await this.platform.get('/agents/me'), [401, 'UNAUTHORIZED']);
    this.agree(await agent.client.get(`/agents/${agent.id}`), [401, 'UNAUTHORIZED']);
    const refusal = this.gate(agent);
    if (refusal) return this.refused(answer, refusal);
    this.agree(answer, 200);
    this.sameAgent(answer.body, agent);
  }

  /** "Restricted by allowedAccountIds: other accounts do not appear" */
  async accounts(): Promise<void> {
    const agent = await this.anyAgent();
    const currency = this.random.pick([undefined, 'USD', 'USDB', 'EUR']);
    const path = `/agents/me/internal-accounts${currency ? `?currency=${currency}` : ''}`;
    this.note('accounts', currency);
    const refusal = this.gate(agent, 'VIEW_TRANSACTIONS');
    if (refusal) return this.refused(await agent.client.get(path), refusal);
    const { usd, usdb } = agent.person;
    const seen = [usd, usdb].filter((account) => isAllowed(agent.policy, account.id) && (!currency || account.currency === currency));
    this.sameAccounts(await this.rowsOf((page) => agent.client.get(page), path, seen.length), seen);
  }

  /** "transactions that touch no allowed account are neither listed nor found" */
  private sees({ policy, person }: AgentState, row: Payment | Deposit): boolean {
    const accounts: readonly Account[] = row instanceof Payment ? row.accounts : [row.account];
    return person.transactions.includes(row) && accounts.some(({ id }) => isAllowed(policy, id));
  }

  async transactions(): Promise<void> {
    const agent = await this.anyAgent();
    const { person } = agent;
    const status = this.random.pick(STATUSES);
    const end = this.random.pick<Account | Payee>([person.usd, person.usdb, ...person.payees]);
    const filters: Readonly<Record<string, (row: Payment | Deposit) => boolean>> = {
      sortOrder: () => true,
      'type=INCOMING&sortOrder': (row) => !(row instanceof Payment),
      'type=OUTGOING&sortOrder': (row) => row instanceof Payment,
      [`status=${status}&sortOrder`]: (row) => (row instanceof Payment ? row.status : 'COMPLETED') === status,
      [`accountIdentifier=${end.id}&sortOrder`]: (row) =>
        row instanceof Payment ? row.facts.source === end || row.facts.destination === end : row.account === end,
    };
    const which = this.random.int(0, Object.keys(filters).length - 1);
    const [query, holds] = Object.entries(filters)[which] as [string, (row: Payment | Deposit) => boolean];
    const order = this.random.pick(['asc', 'desc']);
    const path = '/agents/me/transactions';
    this.note('transactions', which, order);
    const refusal = this.gate(agent, 'VIEW_TRANSACTIONS');
    if (refusal) return this.refused(await agent.client.get(path), refusal);
    const expected = inOrder(
      person.transactions.filter((row) => this.sees(agent, row) && holds(row)),
      order,
    );
    const rows = await this.rowsOf((page) => agent.client.get(page), `${path}?${query}=${order}`, expected.length);
    this.same(rows.map(gist), expected.map(rowOf), 'the transactions that the agent sees');
    if (this.random.chance(0.2)) this.agree(await agent.client.get(`${path}?customerId=${person.id}`), [400, 'INVALID_INPUT']);
    const one = this.any(this.random.chance(0.7) ? person.transactions : this.people.flatMap(({ transactions }) => transactions));
    const answer = await agent.client.get(`${path}/${one ? rowOf(one)[0] : `Transaction:${UNKNOWN}`}`);
    if (!one || !this.sees(agent, one)) return this.agree(answer, [404, 'TRANSACTION_NOT_FOUND']);
    this.agree(answer, 200);
    this.same(gist(answer.body), rowOf(one), 'the transaction');
  }
}

/** The list, which is in the order of creation, in the order that was asked for. */
export const inOrder = <Item>(list: readonly Item[], order: string): Item[] => (order === 'asc' ? [...list] : [...list].reverse());
