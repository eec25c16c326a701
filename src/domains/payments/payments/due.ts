// Work that is due for payments: messages of rails, and waiting that is over.
import type { Tx } from '../../../db/pool.js';
import { type DueRun, type WorkDeps, workOff } from '../../../db/work-off.js';
import { ApiError } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { applyIncoming, applyOutgoing, type PaymentDeps } from './apply.js';
import { TIMED_OUT } from './approval-rules.js';
import { decideIncoming, type IncomingDeps } from './incoming.js';
import type { IncomingPayment, Payment, RailMessage } from './payment.js';
import { isIncomingEvent, isOutgoingEvent } from './rail-rules.js';
import { type IncomingEvent, OUTGOING_EXPIRY } from './rules.js';
import { findDueMessages, findExpired, lockPayment, takeMessage } from './store.js';

export type DueDeps = IncomingDeps & WorkDeps;

/** Applies the messages of rails that are due. */
export const applyDueMessages = (deps: DueDeps, run: DueRun): Promise<number> =>
  workOff(deps, run, {
    noun: 'payment',
    find: (excluded, limit) => findDueMessages(deps.db, run.platformId, run.now, excluded, limit),
    work: async (tx, { id, messageId }) => {
      const payment = await lockPayment(tx, run.platformId, id);
      const message = payment && (await takeMessage(tx, run.platformId, id, messageId));
      if (!payment || !message) return false;
      await applyMessage(deps, tx, run.platformId, payment, message, run.now);
      return true;
    },
  });

/** Applies a message to a locked payment. A message that does not fit the state of the payment has no effect. */
export async function applyMessage(
  deps: PaymentDeps,
  tx: Tx,
  platformId: PlatformId,
  payment: Payment,
  { kind, reason }: Pick<RailMessage, 'kind' | 'reason'>,
  now: Date,
): Promise<Payment | undefined> {
  try {
    if (payment.type === 'OUTGOING')
      return isOutgoingEvent(kind) ? await applyOutgoing(deps, tx, platformId, payment, { event: kind, reason, now }) : undefined;
    return isIncomingEvent(kind)
      ? await applyIncoming(deps, tx, platformId, payment, { event: eventOf(kind, payment), reason, now })
      : undefined;
  } catch (error) {
    if (!isUncreditable(error)) throw error;
    if (kind === 'REFUND_PAID') return applyMessage(deps, tx, platformId, payment, { kind: 'REFUND_FAILED', reason }, now);
    if (kind !== 'COLLECTED' || payment.type !== 'INCOMING') throw error;
    // A bank returns what it cannot credit. What a counterparty has sent goes back as a refund.
    const event = payment.source.type === 'UMA_ADDRESS' ? 'COLLECTED_TO_PAY_OUT' : 'COLLECTION_FAILED';
    return applyIncoming(deps, tx, platformId, payment, { event, reason, now });
  }
}

/** The account is closed, or its balance has no room. Both are decided before anything is written. */
const isUncreditable = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'ACCOUNT_NOT_FOUND' || error.code === 'AMOUNT_OUT_OF_RANGE');

/** Money for an account outside goes on when it has arrived. */
const eventOf = (kind: RailMessage['kind'] & IncomingEvent, { creditTo }: IncomingPayment): IncomingEvent =>
  kind === 'COLLECTED' && creditTo?.startsWith('ExternalAccount:') ? 'COLLECTED_TO_PAY_OUT' : kind;

/** Ends payments whose time of waiting is over: quotes, challenges, and incoming payments that nobody decided. */
export const expirePayments = (deps: DueDeps, run: DueRun): Promise<number> =>
  workOff(deps, run, {
    noun: 'payment',
    find: async (excluded, limit) => (await findExpired(deps.db, run.platformId, run.now, excluded, limit)).map((id) => ({ id })),
    work: async (tx, { id }) => {
      const payment = await lockPayment(tx, run.platformId, id);
      if (!payment?.expiresAt || payment.expiresAt > run.now) return false;
      return (await expire(deps, tx, run.platformId, payment, run.now)) !== undefined;
    },
  });

async function expire(deps: DueDeps, tx: Tx, platformId: PlatformId, payment: Payment, now: Date): Promise<Payment | undefined> {
  if (payment.type === 'OUTGOING') {
    const event = OUTGOING_EXPIRY[payment.state];
    return event && applyOutgoing(deps, tx, platformId, payment, { event, now });
  }
  return decideIncoming(deps, tx, platformId, payment, TIMED_OUT, now);
}
