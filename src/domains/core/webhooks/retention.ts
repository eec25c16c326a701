// The life of events and attempts: makes the partitions of the coming weeks and drops the weeks that are over.
import type { Db } from '../../../db/pool.js';
import { messageForLog } from '../../../kernel/errors.js';
import type { Background } from '../../../module.js';
import { findDueForDrop, type Life, type LogWeek, madeUntil } from './retention-rules.js';
import {
  deleteDeliveriesBefore,
  dropAttempts,
  dropWeek,
  extendLog,
  hasPendingBefore,
  keepSequences,
  listWeeks,
  tuneForPartitions,
} from './store-retention.js';

/** A log that takes fields and a text. */
type FieldLog = Readonly<Record<'info' | 'warn', (fields: object, text: string) => void>>;

export type RetentionDeps = { readonly db: Db; readonly life: Life; readonly log: FieldLog };

/**
 * Makes and drops what is due. A week with an event that is still to be delivered is kept whole, and a warning says so: an event is never
 * dropped before it was delivered or has failed. Of several processes each step is done by one.
 */
export async function keepToLife({ db, life, log }: RetentionDeps): Promise<void> {
  const { weeks, now } = await listWeeks(db);
  await db.transaction(async (tx) => {
    tuneForPartitions(tx);
    await extendLog(tx, madeUntil(now));
  });
  const due = findDueForDrop(weeks, life, now);
  for (const week of due.attempts) {
    await db.transaction(async (tx) => {
      tuneForPartitions(tx);
      await dropAttempts(tx, week.name);
    });
    log.info({ until: week.ends }, 'webhook attempts were dropped');
  }
  for (const week of due.events) if (!(await dropEvents(db, week, log))) return;
}

/** False if the week has to stay. */
async function dropEvents(db: Db, week: LogWeek, log: RetentionDeps['log']): Promise<boolean> {
  if (await hasPendingBefore(db, week.ends)) {
    log.warn(
      { until: week.ends },
      'webhook events that have reached the end of their life are kept, because some are still to be delivered',
    );
    return false;
  }
  await db.transaction(async (tx) => {
    tuneForPartitions(tx);
    await keepSequences(tx, week);
  });
  await db.transaction(async (tx) => {
    tuneForPartitions(tx);
    await dropWeek(tx, week.name);
  });
  await db.transaction(async (tx) => {
    tuneForPartitions(tx);
    await deleteDeliveriesBefore(tx, week.ends);
  });
  log.info({ until: week.ends }, 'webhook events were dropped');
  return true;
}

const EVERY_MS = 60 * 60_000;
/** Another process may have the locks, or a long read. */
const AGAIN_AFTER_MS = 60_000;

export function createRetention(deps: RetentionDeps): Background {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopping = false;
  const schedule = (pauseMs: number): void => {
    if (isStopping) return;
    timer = setTimeout(() => {
      running = keepToLife(deps).then(
        () => schedule(EVERY_MS),
        (error: unknown) => {
          deps.log.warn({ errorMessage: messageForLog(error) }, 'the life of webhook events could not be kept; it is tried again');
          schedule(AGAIN_AFTER_MS);
        },
      );
    }, pauseMs);
  };
  return {
    start: () => schedule(0),
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
