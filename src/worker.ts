// Runs the jobs of all domains when they are due. Any number of workers may run: each item is done under a lock, and a second worker skips
// it or finds it done.
import type { Logger } from 'pino';
import type { Job } from './db/job.js';
import type { Db } from './db/pool.js';
import { findDueJobs, platformNow } from './domains/core/platform/actions.js';
import { sweepIdempotencyKeys } from './http/idempotency.js';
import { createPace } from './kernel/pace.js';
import { sweepAbandonedUploads } from './providers/files/store.js';

export type Worker = { stop(): Promise<void> };

const POLL_MS = 250;
/** However many platforms there are, work that becomes due waits no longer. */
const SLOWEST_POLL_MS = 2_000;
/** Share of a processor that the question for due work may take. */
const SHARE = 0.005;
const SWEEP_EVERY_MS = 10 * 60_000;

type WorkerLog = Pick<Logger, 'warn'>;

/** One turn: asks once what is due, and runs it. Returns how long the question took, in milliseconds. */
export async function runDueJobs(db: Db, jobs: readonly Job[], log: WorkerLog, isStopping: () => boolean): Promise<number> {
  const began = performance.now();
  const due = await db.transaction((tx) => findDueJobs(tx, jobs));
  const tookMs = performance.now() - began;
  for (const { platformId, job, at } of due) {
    if (isStopping()) break;
    try {
      // The clock may have been set back since.
      const now = await platformNow(db, platformId);
      if (at <= now) await job.run(db, platformId, now, isStopping);
    } catch (error) {
      // A failure of one job on one platform must not stop the others.
      log.warn({ job: job.name, platformId, errorMessage: (error as Error).message }, 'job failed; it will be tried again');
    }
  }
  return tookMs;
}

export function startWorker(db: Db, allJobs: readonly Job[], log: WorkerLog, { pollMs = POLL_MS } = {}): Worker {
  const jobs = allJobs.filter(({ sendsWebhooks }) => !sendsWebhooks);
  const pace = createPace({ leastMs: pollMs, mostMs: SLOWEST_POLL_MS, share: SHARE });
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let round: Promise<void> = Promise.resolve();

  const turn = async (): Promise<number> => {
    const tookMs = await runDueJobs(db, jobs, log, () => stopping);
    if (performance.now() - sweptAt > SWEEP_EVERY_MS && !stopping) {
      sweptAt = performance.now();
      await sweepIdempotencyKeys(db);
      await sweepAbandonedUploads(db);
    }
    return pace(tookMs);
  };

  const failed = (error: Error): number => {
    log.warn({ errorMessage: error.message }, 'due jobs could not be read; they will be tried again');
    return pollMs;
  };

  const schedule = (pauseMs: number) => {
    if (stopping) return;
    timer = setTimeout(() => {
      round = turn().catch(failed).then(schedule);
    }, pauseMs);
  };
  schedule(pollMs);

  return {
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await round;
    },
  };
}
