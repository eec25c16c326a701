// Decides actions that wait for the platform.
import type { Tx } from '../../../db/pool.js';
import { refuseAgent } from '../../../kernel/agent.js';
import { ApiError } from '../../../kernel/errors.js';
import type { AgentId, PlatformId } from '../../../kernel/ids.js';
import { lockCustomerForShare } from '../../identity/customers/actions.js';
import type { OutgoingPayment } from '../../payments/payments/payment.js';
import { getQuote, type QuoteDeps, readQuote, refuseExecution } from '../../payments/quotes/actions.js';
import type { ReadQuote } from '../../payments/quotes/quote.js';
import type { AgentDecision } from '../../payments/transactions/hooks.js';
import { lockAgent, readPolicy } from '../agents/actions.js';
import type { Agent } from '../agents/agent.js';
import type { ActionId, AgentAction, ShownAction } from './agent-action.js';
import { judge, run } from './execute.js';
import { actionAt, approvalOf, failAction, rejectAction, startAction } from './rules.js';
import { findActionOfPayment, getAction, lockAction, saveAction } from './store.js';

export type Decision = {
  readonly platformId: PlatformId;
  readonly agentId: AgentId | undefined;
  readonly actionId: ActionId | undefined;
  readonly now: Date;
};

/** Locks customer, agent and action, in this order. */
async function lock(tx: Tx, { platformId, agentId, actionId, now }: Decision): Promise<{ agent: Agent; action: AgentAction }> {
  const named = await getAction(tx, platformId, agentId, actionId);
  const [, agent, action] = await Promise.all([
    lockCustomerForShare(tx, platformId, named.customerId),
    lockAgent(tx, platformId, named.agentId),
    lockAction(tx, platformId, named.agentId, named.id),
  ]);
  return { agent, action: actionAt(action, now) };
}

/** Whether an action that was found waiting still does. Its time may be over, or its agent was deleted meanwhile. */
async function stillWaits(tx: Tx, decision: Decision): Promise<boolean> {
  try {
    return (await lock(tx, decision)).action.status === 'PENDING_APPROVAL';
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

/** The state at this moment counts: what the policy, the limits or the execution refuse now makes the action fail. */
export async function approveAction(deps: QuoteDeps, tx: Tx, decision: Decision): Promise<ShownAction> {
  const { platformId, now } = decision;
  const { agent, action } = await lock(tx, decision);
  if (approvalOf(action) === 'SHOW') return show(deps, tx, platformId, action, now);
  const outcome = await tx.attempt(() => execute(deps, tx, platformId, agent, action, now));
  const failed = outcome instanceof ApiError || 'refusal' in outcome;
  const next = failed ? failAction(action, now) : startAction(action, outcome.counted, now);
  saveAction(tx, platformId, next);
  return failed ? show(deps, tx, platformId, next, now) : { action: next, quote: outcome.quote, challenge: outcome.challenge };
}

type Executed = ReadQuote & { readonly counted: AgentAction['counted'] };

async function execute(
  deps: QuoteDeps,
  tx: Tx,
  platformId: PlatformId,
  agent: Agent,
  action: AgentAction,
  now: Date,
): Promise<Executed | { readonly refusal: ApiError }> {
  const policy = readPolicy(agent.policy);
  refuseAgent({ isPaused: agent.isPaused, permissions: policy.permissions }, 'EXECUTE_QUOTES', true);
  const quote = await getQuote(tx, platformId, action.quoteId);
  refuseExecution(quote, now);
  const { amount } = await judge(deps, tx, { platformId, agent, policy, quote, now });
  const executed = await run(deps, tx, { platformId, agent, quote, amount, now });
  return 'refusal' in executed ? executed : { ...executed, counted: { amount, currency: policy.currency } };
}

const show = async (deps: QuoteDeps, tx: Tx, platformId: PlatformId, action: AgentAction, now: Date): Promise<ShownAction> => ({
  action,
  ...(await readQuote(deps, tx, platformId, action.quoteId, now)),
});

/** The quote is left to expire. */
export async function rejectPendingAction(deps: QuoteDeps, tx: Tx, decision: Decision, reason: string | undefined): Promise<ShownAction> {
  const { platformId, now } = decision;
  const { action } = await lock(tx, decision);
  const rejected = rejectAction(action, reason, now);
  saveAction(tx, platformId, rejected);
  return show(deps, tx, platformId, rejected, now);
}

/** A decision by the transaction of an action that waits. Undefined for any other transaction. */
export async function decideTransaction(
  deps: QuoteDeps,
  tx: Tx,
  { platformId, transactionId, decision, reason, now }: AgentDecision,
): Promise<OutgoingPayment | undefined> {
  const named = await findActionOfPayment(tx, platformId, transactionId);
  if (named?.status !== 'PENDING_APPROVAL') return undefined;
  const by: Decision = { platformId, agentId: named.agentId, actionId: named.id, now };
  if (!(await stillWaits(tx, by))) return undefined;
  const { quote } = decision === 'APPROVE' ? await approveAction(deps, tx, by) : await rejectPendingAction(deps, tx, by, reason);
  return quote.payment;
}
