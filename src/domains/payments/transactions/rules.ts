// Which transactions can be cancelled, confirmed and returned. Pure; refusals stand in their order of precedence.
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { isAch, type Payment, type RailDetails, type RailMessageKind, type RailStatus } from '../payments/payment.js';

// ---- cancelling

/** States in which a bank has the order and no outcome is known yet. */
const CANCELLABLE: ReadonlySet<Payment['state']> = new Set(['SUBMITTED', 'PROCESSING']);

/** Orders over these rails can be stopped until they have settled. */
const STOPPABLE: ReadonlySet<string> = new Set(['ACH', 'ACH_SAME_DAY', 'WIRE']);

export const neverCancelled = (): ApiError => invalidField('transactionId', 'names a kind of transaction that cannot be cancelled');
export const notCancellable = (): ApiError => new ApiError('TRANSACTION_NOT_CANCELLABLE');

/** The rail at the end outside the service: of the destination of a payout, of the source of a debit or deposit. */
export function outsideRail(payment: Payment): RailDetails | undefined {
  const end = payment.type === 'OUTGOING' ? payment.destination : payment.source;
  return 'rail' in end ? end.rail : undefined;
}

/** Whether it is too late comes before whether the kind of payment can be cancelled at all. */
export function refuseCancelling(payment: Payment): void {
  if (!CANCELLABLE.has(payment.state)) throw notCancellable();
  if (!STOPPABLE.has(outsideRail(payment)?.paymentRail ?? '')) throw neverCancelled();
}

// ---- confirming

/** A receipt is delivered after the money was, and not in the future. */
export function refuseConfirmation({ settledAt, createdAt }: Payment, confirmedAt: Date, now: Date): void {
  if (settledAt === null) throw invalidField('transactionId', 'names a transaction that has not completed');
  if (confirmedAt > now) throw invalidField('receiptDeliveryConfirmedAt', 'must not be in the future');
  if (confirmedAt < createdAt) throw invalidField('receiptDeliveryConfirmedAt', 'must not be before the transaction was created');
}

// ---- after settlement

export const BANK_EVENTS = ['RETURN', 'DISHONOR', 'CONTEST', 'REVERSE'] as const;
export type BankEvent = (typeof BANK_EVENTS)[number];

/** The status of the rail that each event follows, and the message by which the rail reports it. */
const FOLLOWS: { readonly [event in BankEvent]: { readonly status: RailStatus; readonly kind: RailMessageKind } } = {
  RETURN: { status: 'SETTLED', kind: 'RETURNED' },
  DISHONOR: { status: 'RETURNED', kind: 'DISHONORED' },
  CONTEST: { status: 'RETURN_DISHONORED', kind: 'CONTESTED' },
  REVERSE: { status: 'SETTLED', kind: 'REVERSED' },
};

/** The message of a bank that plays an event on an ACH payment; 409 where the event cannot follow. */
export function messageOf(payment: Payment, event: BankEvent): RailMessageKind {
  const rail = outsideRail(payment);
  const { status, kind } = FOLLOWS[event];
  if (!rail || !isAch(rail) || rail.status !== status) throw cannotFollow();
  return kind;
}

export const cannotFollow = (): ApiError =>
  new ApiError('CONFLICT', undefined, { reason: 'The event cannot happen to this transaction now.' });
