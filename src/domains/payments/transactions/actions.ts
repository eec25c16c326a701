// Decides, cancels, confirms and returns transactions.
import type { Tx } from '../../../db/pool.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import type { PlatformId, TransactionId } from '../../../kernel/ids.js';
import { findTransaction } from '../../cards/authorizations/actions.js';
import {
  applyMessage,
  approvalOf,
  cancelOrder,
  decideIncoming,
  findPayment,
  type IncomingDeps,
  isUndecided,
  lockPayment,
  savePayment,
} from '../payments/actions.js';
import type { IncomingPayment, Payment } from '../payments/payment.js';
import type { AgentDecision } from './hooks.js';
import { type BankEvent, cannotFollow, messageOf, neverCancelled, notCancellable, refuseCancelling, refuseConfirmation } from './rules.js';

export { getTransaction, type Listed, type ListRequest, listTransactions, renderListed } from './list.js';

export type DecisionDeps = IncomingDeps & {
  /** Undefined as long as no domain has agents. */
  readonly decideForAgent: () => ((tx: Tx, decision: AgentDecision) => Promise<Payment | undefined>) | undefined;
};

export type Named = { readonly platformId: PlatformId; readonly id: TransactionId | undefined; readonly now: Date };

/** The payment, locked, or 404. `refusal` is for card transactions, which have no part in these operations. */
async function lock(tx: Tx, { platformId, id }: Named, refusal: () => ApiError): Promise<Payment> {
  const payment = id && (await lockPayment(tx, platformId, id));
  if (payment) return payment;
  if (id && (await findTransaction(tx, platformId, id))) throw refusal();
  throw new ApiError('TRANSACTION_NOT_FOUND');
}

// ---- the platform's decision

const notWaiting = (): ApiError => new ApiError('TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL');

async function lockUndecided(tx: Tx, named: Named): Promise<IncomingPayment> {
  const payment = await lock(tx, named, notWaiting);
  if (payment.type !== 'INCOMING' || !isUndecided(payment, named.now)) throw notWaiting();
  return payment;
}

/** The decision on what an agent wants to pay. Undefined where no agent asks. */
async function decideForAgent(
  { decideForAgent: decide }: DecisionDeps,
  tx: Tx,
  { platformId, id, now }: Named,
  decision: Pick<AgentDecision, 'decision' | 'reason'>,
): Promise<Payment | undefined> {
  const listener = decide();
  const payment = listener && id && (await findPayment(tx, platformId, id));
  if (!listener || !payment || payment.type !== 'OUTGOING' || payment.agentId === null) return undefined;
  return listener(tx, { platformId, transactionId: payment.id, now, ...decision });
}

/** Takes a payment that waits for the platform. */
export async function approvePayment(deps: DecisionDeps, tx: Tx, named: Named, info: Readonly<Record<string, unknown>>): Promise<Payment> {
  const ofAgent = await decideForAgent(deps, tx, named, { decision: 'APPROVE' });
  if (ofAgent) return ofAgent;
  const payment = await lockUndecided(tx, named);
  const approved = await decideIncoming(deps, tx, named.platformId, payment, approvalOf(payment, info), named.now);
  if (!approved) throw notWaiting();
  return approved;
}

export async function rejectPayment(deps: DecisionDeps, tx: Tx, named: Named, reason: string | undefined): Promise<Payment> {
  const ofAgent = await decideForAgent(deps, tx, named, { decision: 'REJECT', reason });
  if (ofAgent) return ofAgent;
  const payment = await lockUndecided(tx, named);
  const rejected = await decideIncoming(deps, tx, named.platformId, payment, { event: 'REJECTED' }, named.now);
  if (!rejected) throw notWaiting();
  return rejected;
}

// ---- cancelling

/** Asks the rail to stop a transfer that has not settled. The money of a stopped payout comes back as a refund. */
export async function cancelTransaction(deps: IncomingDeps, tx: Tx, named: Named): Promise<Payment> {
  const payment = await lock(tx, named, neverCancelled);
  refuseCancelling(payment);
  if (!(await cancelOrder(deps, tx, named.platformId, payment))) throw notCancellable();
  const cancelled = await applyMessage(deps, tx, named.platformId, payment, { kind: 'CANCELLED', reason: null }, named.now);
  if (!cancelled) throw notCancellable();
  return cancelled;
}

// ---- confirming

/** Stores when the receiver got the receipt. A later confirmation replaces an earlier one. */
export async function confirmReceipt(tx: Tx, named: Named, confirmedAt: Date): Promise<Payment> {
  const payment = await lock(tx, named, () => invalidField('transactionId', 'names a card transaction, which has no receipt'));
  refuseConfirmation(payment, confirmedAt, named.now);
  const confirmed = { ...payment, receiptConfirmedAt: confirmedAt, updatedAt: named.now };
  savePayment(tx, named.platformId, confirmed);
  return confirmed;
}

// ---- the bank, in sandbox

/** Plays what a bank does to an ACH payment after it has settled. */
export async function playBank(deps: IncomingDeps, tx: Tx, named: Named, event: BankEvent): Promise<Payment> {
  const payment = await lock(tx, named, cannotFollow);
  const kind = messageOf(payment, event);
  const changed = await applyMessage(deps, tx, named.platformId, payment, { kind, reason: null }, named.now);
  if (!changed) throw cannotFollow();
  return changed;
}
