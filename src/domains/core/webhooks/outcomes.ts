// Writes the outcomes of attempts, many in one transaction, and moves the cursor of the log behind them.
import type { Db, Tx } from '../../../db/pool.js';
import { batched } from '../../../kernel/batch.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { ClaimedDelivery, WebhookId } from './event.js';
import { decideOutcomes, type FinishedAttempt, isOpen, rowBeforeFirstAttempt, rowOfOutcome } from './rules.js';
import { insertAttempts, insertDeliveries, insertStop, keepEvents, lockEndpoint, saveOutcomes, tuneForQueue } from './store-deliveries.js';
import { settleTo } from './store-log.js';

/** Resolves when the outcome is written. */
export type Recorder = (attempt: FinishedAttempt) => Promise<undefined>;

export type Outcomes = {
  /** The worker does not wait for a write, so its writes are spaced out and large. */
  readonly spaced: Recorder;
  /** A caller and an advance of the clock wait. */
  readonly immediate: Recorder;
  /** Writes rows for deliveries of the log that are not sent now. They keep their place in the order of their object. */
  handBack(deliveries: readonly ClaimedDelivery[], now: Date): Promise<void>;
};

/** Many outcomes in one transaction cost little more than a few. */
const WRITE_EVERY_MS = 25;

export function createOutcomes(db: Db, worker: string, queue: DeliveryQueue, onError: (error: unknown) => void): Outcomes {
  /** Writes what settles these events of the log, and the cursor. A failed write ends the session: the log is read again. */
  const settling = async (ids: readonly WebhookId[], work: (tx: Tx) => Promise<void>): Promise<void> => {
    const { platformId, log } = queue;
    const session = ids.length > 0 ? log : undefined;
    try {
      const settledTo = await db.transaction(async (tx) => {
        keepEvents(tx, platformId);
        await work(tx);
        if (!session) return undefined;
        const settled = session.settledWith(ids);
        settleTo(tx, platformId, worker, { settled, endsAt: settled >= session.takenOver && settled === session.readTo ? settled : null });
        return settled;
      });
      session?.settle(ids);
      // The lease ended with the last event. If more was claimed meanwhile, the statement left the lease as it was, and the claim says so.
      if (session && queue.log === session && settledTo === session.readTo && settledTo >= session.takenOver) queue.log = undefined;
    } catch (error) {
      // An outcome that cannot be written is lost. Its lease ends and the event is sent again.
      if (session) session.isLost = true;
      onError(error);
    }
  };

  const write = async (attempts: readonly FinishedAttempt[]): Promise<undefined[]> => {
    const ids = attempts.filter(({ outcome }) => outcome.fromLog).map(({ outcome }) => outcome.id);
    await settling(ids, (tx) => writeOutcomes(tx, queue, attempts));
    return attempts.map(() => undefined);
  };

  return {
    spaced: batched(write, { everyMs: WRITE_EVERY_MS }),
    immediate: batched(write),
    handBack: (deliveries, now) =>
      settling(
        deliveries.map(({ id }) => id),
        async (tx) => {
          tuneForQueue(tx, { joins: 'NESTED' });
          insertDeliveries(
            tx,
            queue.platformId,
            deliveries.map((delivery) => rowBeforeFirstAttempt(delivery, now)),
          );
        },
      ),
  };
}

async function writeOutcomes(tx: Tx, { platformId }: DeliveryQueue, attempts: readonly FinishedAttempt[]): Promise<void> {
  // A retry is timed by the platform's clock, and a 410 judged by its endpoint, as they are when the outcome is written.
  const endpoint = attempts.some(({ gone, outcome }) => gone || isOpen(outcome)) ? await lockEndpoint(tx, platformId) : undefined;

  const { stop, outcomes } = decideOutcomes(attempts, endpoint);

  const withRow = outcomes.filter(({ fromLog }) => !fromLog);
  const withoutRow = outcomes.filter(({ fromLog, status }) => fromLog && status !== 'DELIVERED');
  if (stop) insertStop(tx, platformId, stop.url, stop.at);
  tuneForQueue(tx, { joins: withRow.length > 0 ? 'HASHED' : 'NESTED' });
  insertAttempts(tx, platformId, outcomes);
  if (withRow.length > 0) saveOutcomes(tx, platformId, withRow);
  if (withoutRow.length > 0) insertDeliveries(tx, platformId, withoutRow.map(rowOfOutcome));
}
