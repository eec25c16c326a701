// Runs the jobs of all domains as they fall due. Any number of workers may run: each job claims its work with `skip locked`.
import type { Logger } from 'pino';
import type { Job } from './db/job.js';
import type { Db } from './db/pool.js';
import { platformNow } from './domains/platform/actions.js';
import { sweepIdempotencyKeys } from './http/idempotency.js';

export type Worker = { stop(): Promise<void> };

const SWEEP_EVERY_MS = 10 * 60_000;

export function startWorker(db: Db, jobs: readonly Job[], log: Logger, { pollMs = 250 } = {}): Worker {
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let sweptAt = 0;
  let round: Promise<void> = Promise.resolve();

  const runDue = async (job: Job) => {
    for (const { platformId, at } of await job.nextDue(db)) {
      if (stopping) return;
      const now = await platformNow(db, platformId);
      if (at <= now) await job.run(db, platformId, now, () => stopping);
    }
  };

  const turn = async () => {
    for (const job of jobs) {
      if (stopping) return;
      // One job's trouble is not another's.
      await runDue(job).catch((error: Error) =>
        log.warn({ job: job.name, errorMessage: error.message }, 'job failed; it will be tried again'),
      );
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
