// The interface of agents' actions for routes, jobs and hooks.
import type { Tx } from '../../../db/pool.js';
import type { AgentId, PlatformId } from '../../../kernel/ids.js';
import type { OutgoingPayment } from '../../payments/payments/payment.js';
import { type QuoteDeps, readQuotes } from '../../payments/quotes/actions.js';
import type { AgentAction, ShownAction } from './agent-action.js';
import { actionAt, DELETED } from './rules.js';
import { failStarted, rejectPending } from './store.js';

export { approveAction, decideTransaction, rejectPendingAction } from './decide.js';
export { executeForAgent } from './execute.js';
export { agreeBeforeForAgent, createQuoteForAgent, readQuoteOfAgent } from './quotes.js';

export async function showActions(
  deps: Pick<QuoteDeps, 'authentication'>,
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  actions: readonly AgentAction[],
  now: Date,
): Promise<ShownAction[]> {
  const quotes = await readQuotes(
    deps,
    tx,
    platformId,
    actions.map(({ quoteId }) => quoteId),
    now,
  );
  return actions.flatMap((action) => {
    const read = quotes.get(action.quoteId);
    return read ? [{ action: actionAt(action, now), ...read }] : [];
  });
}

/** The actions of deleted agents that wait are rejected. */
export const rejectActionsOf = (tx: Tx, platformId: PlatformId, agentIds: readonly AgentId[], now: Date): void =>
  rejectPending(tx, platformId, agentIds, DELETED, now);

/** The status of an action shows the outcome of its transaction. */
export const failActionOf = (tx: Tx, platformId: PlatformId, payment: OutgoingPayment): void =>
  failStarted(tx, platformId, payment.id, payment.updatedAt);
