// Runs the jobs of all domains when they are due. Any number of workers may run: each item is done under a lock, and a second worker skips
// it or finds it done.
import type { Logger } from 'pino';
import type { Job } from './db/job.js';
import type { Db } from './db/pool.js';
import { platformNow } from './domains/core/platform/actions.js';
import { sweepIdempotencyKeys } from './http/idempotency.js';
import type { PlatformId } from './kernel/ids.js';

export type Worker = { stop(): Promise<void> };

const SWEEP_EVERY_MS = 10 * 60_000;

export function startWorker(db: Db, jobs: readonly Job[], log: Logger, { pollMs = 250 } = {}): Worker {
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let sweptAt = 0;
  let round: Promise<void> = Promise.resolve();

  const runFor = async (job: Job, platformId: PlatformId, at: Date) => {
    const now = await platformNow(db, platformId);
    if (at <= now) await job.run(db, platformId, now, () => stopping);
  };

  const failed = (job: Job, platformId?: PlatformId) => (error: Error) =>
    log.warn({ job: job.name, ...(platformId && { platformId }), errorMessage: error.message }, 'job failed; it will be tried again');

  const runDue = async (job: Job) => {
    for (const { platformId, at } of await job.nextDue(db)) {
      if (stopping) return;
      // A failure on one platform must not stop the others.
      await runFor(job, platformId, at).catch(failed(job, platformId));
    }
  };

  const turn = async () => {
    for (const job of jobs) {
      if (stopping) return;
      // A failure of one job must not stop the others.
      await runDue(job).catch(failed(job));
    }
    if (performance.now() - sweptAt > SWEEP_EVERY_MS || sweptAt === 0) {
      sweptAt = performance.now();
      await sweepIdempotencyKeys(db).catch((error: Error) => log.warn({ errorMessage: error.message }, 'sweep failed'));
    }
  };

  const schedule = () => {
    if (stopping) return;
    timer = setTimeout(() => {
      round = turn().finally(schedule);
    }, pollMs);
  };
  schedule();

  return {
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await round;
    },
  };
}
