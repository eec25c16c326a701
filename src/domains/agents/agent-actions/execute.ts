// Executes a quote for an agent: within its policy, once, and with the platform's approval where the policy asks for it.
import type { Tx } from '../../../db/pool.js';
import { accessTokenRefused, refuseAgent } from '../../../kernel/agent.js';
import { ApiError } from '../../../kernel/errors.js';
import { type AgentId, type CustomerId, newId, type PlatformId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import { lockCustomerForShare } from '../../identity/customers/actions.js';
import { executeQuote, getQuote, type QuoteDeps, refuseExecution, verifyOwner } from '../../payments/quotes/actions.js';
import type { Quote, QuoteId, ReadQuote } from '../../payments/quotes/quote.js';
import type { Market } from '../../payments/rates/price.js';
import { countExecution, countedIn, lockCaller, readPolicy, saveUsage, usageAt } from '../agents/actions.js';
import type { Agent, Policy } from '../agents/agent.js';
import type { AgentAction, ShownAction } from './agent-action.js';
import { endsOf, modeFor, refuseAccounts, refuseSecond, refuseSpending, type Spending } from './rules.js';
import { renderAction } from './schemas.js';
import { findActionOfQuote, insertAction } from './store.js';

export type Submission = {
  readonly platformId: PlatformId;
  readonly agentId: AgentId;
  readonly customerId: CustomerId;
  readonly quoteId: QuoteId | undefined;
  /** The header with the stamp of the wallet's owner. */
  readonly signature: string | undefined;
  readonly now: Date;
};

/** The action, or the refusal of an execution that is itself an outcome. */
export type Submitted = ShownAction | { readonly refusal: ApiError };

export async function executeForAgent(deps: QuoteDeps, tx: Tx, submission: Submission): Promise<Submitted> {
  const { platformId, agentId, customerId, now } = submission;
  const [isLive, agent] = await Promise.all([lockCustomerForShare(tx, platformId, customerId), lockCaller(tx, platformId, agentId)]);
  if (!isLive) throw accessTokenRefused();
  const policy = readPolicy(agent.policy);
  refuseAgent({ isPaused: agent.isPaused, permissions: policy.permissions }, 'EXECUTE_QUOTES', true);
  const quote = await getOwnQuote(tx, platformId, agentId, submission.quoteId);
  refuseSecond(await findActionOfQuote(tx, platformId, quote.id));
  refuseExecution(quote, now);
  await verifyOwner(deps, tx, submission, quote);
  const spending = await judge(deps, tx, { platformId, agent, policy, quote, now });
  const thresholdAmount = policy.threshold && (await counted(deps, tx, { platformId, quote, now }, policy.threshold.currency));

  const action = newAction(agent, quote, policy.currency, spending, now);
  if (modeFor(policy, { ...spending, thresholdAmount }) === 'APPROVAL_REQUIRED') return putUp(tx, platformId, action, quote);
  const executed = await run(deps, tx, { platformId, agent, quote, amount: spending.amount, now });
  if ('refusal' in executed) return executed;
  const started: AgentAction = { ...action, status: 'APPROVED', neededApproval: false, started: true };
  insertAction(tx, platformId, started);
  return { action: started, ...executed };
}

/** A quote of another agent, or of nobody, is not found. */
export async function getOwnQuote(
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  agentId: AgentId,
  id: QuoteId | undefined,
): Promise<Quote> {
  const quote = await getQuote(tx, platformId, id);
  if (quote.payment.agentId !== agentId) throw new ApiError('QUOTE_NOT_FOUND');
  return quote;
}

type Judged = {
  readonly platformId: PlatformId;
  readonly agent: Agent;
  readonly policy: Policy;
  readonly quote: Quote;
  readonly now: Date;
};

/** All that leaves the source, in another currency at the rate of this moment. */
async function counted(
  { rates }: Pick<QuoteDeps, 'rates'>,
  tx: Tx,
  { platformId, quote, now }: Pick<Judged, 'platformId' | 'quote' | 'now'>,
  target: CurrencyCode,
): Promise<bigint> {
  const { amount, currency } = quote.payment.sent;
  const market: Pick<Market, 'rateOf'> = currency === target ? { rateOf: () => undefined } : await rates.marketAt(tx, platformId, now);
  return countedIn(market, amount, currency, target);
}

/** Refuses what the policy does not allow at this moment: the accounts, then each limit. The agent is locked. */
export async function judge(deps: Pick<QuoteDeps, 'rates'>, tx: Tx, { platformId, agent, policy, quote, now }: Judged): Promise<Spending> {
  const ends = endsOf(quote.payment);
  refuseAccounts(policy, ends);
  const spending: Spending = { source: ends.source, amount: await counted(deps, tx, { platformId, quote, now }, policy.currency) };
  refuseSpending(policy, usageAt(agent.usage, now), spending);
  return spending;
}

const newAction = (agent: Agent, quote: Quote, currency: CurrencyCode, { amount }: Spending, now: Date): AgentAction => ({
  id: newId('AgentAction'),
  agentId: agent.id,
  customerId: agent.customerId,
  platformCustomerId: quote.payment.platformCustomerId,
  quoteId: quote.id,
  paymentId: quote.payment.id,
  status: 'PENDING_APPROVAL',
  neededApproval: true,
  started: false,
  undecided: false,
  rejectionReason: null,
  counted: { amount, currency },
  expiresAt: quote.expiresAt,
  createdAt: now,
  updatedAt: now,
});

/** Nothing moves until the platform approves. */
function putUp(tx: Tx, platformId: PlatformId, action: AgentAction, quote: Quote): ShownAction {
  const shown: ShownAction = { action, quote, challenge: undefined };
  insertAction(tx, platformId, action);
  const data = renderAction(platformId, shown);
  enqueueEvents(tx, platformId, action.createdAt, [{ type: 'AGENT_ACTION.PENDING_APPROVAL', objectId: action.id, data }]);
  return shown;
}

type Run = {
  readonly platformId: PlatformId;
  readonly agent: Agent;
  readonly quote: Quote;
  /** In the currency of the limits. */
  readonly amount: bigint;
  readonly now: Date;
};

/** Executes as the platform would, and counts it. The owner of a wallet has consented when the agent submitted the quote. */
export async function run(
  deps: QuoteDeps,
  tx: Tx,
  { platformId, agent, quote, amount, now }: Run,
): Promise<ReadQuote | { readonly refusal: ApiError }> {
  const execution = { platformId, id: quote.id, signature: undefined, factor: undefined, isOwnerVerified: true, now } as const;
  const { quote: executed, challenge, refusal } = await executeQuote(deps, tx, execution);
  if (refusal) return { refusal };
  saveUsage(tx, platformId, agent.id, countExecution(agent.usage, amount, now));
  return { quote: executed, challenge };
}
