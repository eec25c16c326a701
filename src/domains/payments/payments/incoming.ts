// Payments that arrive from a counterparty: announced, decided by the platform, collected.
import type { Db, Tx } from '../../../db/pool.js';
import { type CustomerId, newId, type PlatformId, parseId, type TransactionId } from '../../../kernel/ids.js';
import type { ScheduledMessage } from '../../../providers/rails.js';
import { readClock } from '../../core/platform/actions.js';
import { enqueueEvents } from '../../core/webhooks/actions.js';
import type { ReceiverAnswer } from '../../core/webhooks/hooks.js';
import { applyIncoming, type PaymentDeps, paymentEvents } from './apply.js';
import { type Decision, decisionOf, deferredUntil, undecidedUntil } from './approval-rules.js';
import type { UmaSender } from './hooks.js';
import type { AccountId, Amount, IncomingPayment, Payment, RequestedField } from './payment.js';
import { insertMessages, insertPayment, lockPayment } from './store.js';

export type IncomingDeps = PaymentDeps & {
  /** Undefined as long as no domain receives from UMA addresses. */
  readonly umaSender: () => UmaSender | undefined;
};

export type Announcement = {
  readonly platformId: PlatformId;
  readonly customer: { readonly id: CustomerId; readonly platformCustomerId: string };
  /** UMA addresses. */
  readonly sender: string;
  readonly receiver: string;
  readonly sent: Amount;
  readonly received: Amount;
  /** As shown: sending units per receiving unit. */
  readonly exchangeRate: string;
  /** The account that the receiver is paid to. */
  readonly creditTo: AccountId;
  readonly counterpartyInformation: Readonly<Record<string, unknown>> | null;
  /** The data of the receiver that the sender asks for. */
  readonly requestedFields: readonly RequestedField[];
  /** The sender's payment, where the sender holds an account here. */
  readonly counterpartId: TransactionId | null;
  /** Why the payment is refused before the platform is asked. */
  readonly refusedFor?: 'COMPLIANCE_REJECTED';
  readonly now: Date;
};

/** Writes a payment that a counterparty wants to make. The webhook of its PENDING status asks the platform whether it takes the payment. */
export function announceIncoming(tx: Tx, announcement: Announcement): IncomingPayment {
  const { platformId, now } = announcement;
  const payment = announcedPayment(newId('Transaction'), announcement);
  insertPayment(tx, platformId, payment);
  enqueueEvents(tx, platformId, now, paymentEvents(platformId, payment, [payment.state === 'ANNOUNCED' ? 'PENDING' : 'FAILED']));
  return payment;
}

const announcedPayment = (id: TransactionId, announcement: Announcement): IncomingPayment => {
  const { customer, refusedFor, now } = announcement;
  return {
    type: 'INCOMING',
    state: refusedFor ? 'FAILED' : 'ANNOUNCED',
    id,
    customerId: customer.id,
    platformCustomerId: customer.platformCustomerId,
    quoteId: null,
    source: { type: 'UMA_ADDRESS', umaAddress: announcement.sender },
    destination: { type: 'UMA_ADDRESS', umaAddress: announcement.receiver },
    sent: announcement.sent,
    received: announcement.received,
    fees: 0n,
    platformFees: 0n,
    exchangeRate: announcement.exchangeRate,
    rateDetails: null,
    fundedAmount: null,
    paymentRail: null,
    railSelection: null,
    failureReason: refusedFor ?? null,
    pendingReason: null,
    refund: null,
    description: null,
    remittanceInformation: null,
    purposeOfPayment: null,
    counterpartyInformation: announcement.counterpartyInformation,
    feeAccountId: null,
    counterpartId: announcement.counterpartId,
    creditTo: announcement.creditTo,
    requestedFields: announcement.requestedFields,
    borne: 0n,
    ruleBasedAccountId: null,
    agentId: null,
    settledAt: null,
    expectedSettlementAt: null,
    settlementSeconds: null,
    receiptConfirmedAt: null,
    expiresAt: refusedFor ? null : undecidedUntil(now),
    createdAt: now,
    updatedAt: now,
  };
};

const AT_ONCE: readonly ScheduledMessage[] = [{ id: 'COLLECTED', kind: 'COLLECTED', afterMs: 0 }];

/** Applies the platform's decision to a locked payment, and tells the sender. Undefined when the payment does not wait for one. */
export async function decideIncoming(
  deps: IncomingDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: IncomingPayment,
  decision: Decision,
  now: Date,
): Promise<IncomingPayment | undefined> {
  const decided = await applyIncoming(deps, tx, platformId, payment, {
    event: decision.event,
    now,
    ...(decision.event === 'REFUSED' && { reason: decision.reason }),
    ...(decision.event === 'DEFERRED' && { expiresAt: deferredUntil(now) }),
  });
  if (!decided || decision.event === 'DEFERRED') return decided;
  const sender = deps.umaSender();
  if (decision.event === 'APPROVED') {
    const { receiverCustomerInfo } = decision;
    const messages = sender ? await sender.approved(tx, { platformId, payment: decided, receiverCustomerInfo, now }) : AT_ONCE;
    insertMessages(tx, platformId, decided.id, messages, now);
  } else await sender?.refused(tx, { platformId, payment: decided, now });
  return decided;
}

const isIncoming = (payment: Payment | undefined): payment is IncomingPayment => payment?.type === 'INCOMING';

/** Takes the answer that a receiver gave to the question. A payment that was decided meanwhile stays as it is. */
export async function answerQuestion(
  deps: IncomingDeps & { readonly db: Db },
  { platformId, objectId, result }: ReceiverAnswer,
): Promise<void> {
  const id = parseId('Transaction', objectId);
  if (!id) return;
  await deps.db.transaction(async (tx) => {
    const payment = await lockPayment(tx, platformId, id);
    // The platform's clock at the answer, which may have been moved since the question was sent.
    const { now } = await readClock(tx, platformId);
    if (isIncoming(payment)) await decideIncoming(deps, tx, platformId, payment, decisionOf(result, payment.requestedFields), now);
  });
}
