// Work that is due for payments: messages of rails, and waiting that is over.
import type { Logger } from 'pino';
import type { FailedRecently } from '../../../db/job.js';
import { type Db, isTimeout, type Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { type PlatformId, type TransactionId, uuidOf } from '../../../kernel/ids.js';
import { applyIncoming, applyOutgoing, type PaymentDeps } from './apply.js';
import { TIMED_OUT } from './approval-rules.js';
import { decideIncoming, type IncomingDeps } from './incoming.js';
import type { IncomingPayment, Payment, RailMessage } from './payment.js';
import { type IncomingEvent, isIncomingEvent, isOutgoingEvent, OUTGOING_EXPIRY } from './rules.js';
import { findDueMessages, findExpired, lockPayment, takeMessage } from './store.js';

const BATCH = 100;

export type DueDeps = IncomingDeps & { readonly db: Db; readonly log: Pick<Logger, 'error'> };

/** One run of a platform's due work. `failed`: the payments whose work failed in recent runs. */
export type DueRun = {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly isOver: () => boolean;
  readonly failed: FailedRecently;
};

/** Does what is due, each piece in its own transaction. A payment whose work fails is skipped for a while, so that it blocks no other. */
async function workOff<Piece extends { readonly id: TransactionId }>(
  { db, log }: DueDeps,
  { failed, isOver }: DueRun,
  find: (excluded: readonly string[]) => Promise<Piece[]>,
  work: (tx: Tx, piece: Piece) => Promise<boolean>,
): Promise<number> {
  const excluded = new Set(failed.ids());
  let done = 0;
  for (;;) {
    const due = await find([...excluded]);
    for (const piece of due) {
      const uuid = uuidOf(piece.id);
      if (excluded.has(uuid)) continue;
      try {
        if (await db.transaction((tx) => work(tx, piece))) done += 1;
      } catch (error) {
        // Without the database all other work would fail as well.
        if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE' && !isTimeout(error)) throw error;
        const errorMessage = error instanceof Error ? error.message : String(error);
        log.error({ transactionId: piece.id, errorMessage }, 'due work of a payment failed');
        excluded.add(uuid);
        failed.add(uuid);
      }
      if (isOver()) return done;
    }
    if (due.length < BATCH) return done;
  }
}

/** Applies the messages of rails that are due. */
export const applyDueMessages = (deps: DueDeps, run: DueRun): Promise<number> =>
  workOff(
    deps,
    run,
    (excluded) => findDueMessages(deps.db, run.platformId, run.now, excluded, BATCH),
    async (tx, { id, messageId }) => {
      const payment = await lockPayment(tx, run.platformId, id);
      const message = payment && (await takeMessage(tx, run.platformId, id, messageId));
      if (!payment || !message) return false;
      await applyMessage(deps, tx, run.platformId, payment, message, run.now);
      return true;
    },
  );

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
    // The balance has no room for the refund. The ledger decides this before anything is written.
    if (kind !== 'REFUND_PAID' || !(error instanceof ApiError) || error.code !== 'AMOUNT_OUT_OF_RANGE') throw error;
    return applyMessage(deps, tx, platformId, payment, { kind: 'REFUND_FAILED', reason }, now);
  }
}

/** Money for an account outside goes on when it has arrived. */
const eventOf = (kind: RailMessage['kind'] & IncomingEvent, { creditTo }: IncomingPayment): IncomingEvent =>
  kind === 'COLLECTED' && creditTo?.startsWith('ExternalAccount:') ? 'COLLECTED_TO_PAY_OUT' : kind;

/** Ends payments whose time of waiting is over: quotes, challenges, and incoming payments that nobody decided. */
export const expirePayments = (deps: DueDeps, run: DueRun): Promise<number> =>
  workOff(
    deps,
    run,
    async (excluded) => (await findExpired(deps.db, run.platformId, run.now, excluded, BATCH)).map((id) => ({ id })),
    async (tx, { id }) => {
      const payment = await lockPayment(tx, run.platformId, id);
      if (!payment?.expiresAt || payment.expiresAt > run.now) return false;
      return (await expire(deps, tx, run.platformId, payment, run.now)) !== undefined;
    },
  );

async function expire(deps: DueDeps, tx: Tx, platformId: PlatformId, payment: Payment, now: Date): Promise<Payment | undefined> {
  if (payment.type === 'OUTGOING') {
    const event = OUTGOING_EXPIRY[payment.state];
    return event && applyOutgoing(deps, tx, platformId, payment, { event, now });
  }
  return decideIncoming(deps, tx, platformId, payment, TIMED_OUT, now);
}
