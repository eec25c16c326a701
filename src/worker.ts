// Runs the jobs of all domains when they are due. Any number of workers may run: each item is done under a lock, and a second worker skips
// it or finds it done. The providers of a process are those of its mode, so platforms of the other mode are left to processes of theirs.
import type { Logger } from 'pino';
import type { Job } from './db/job.js';
import { createPlatformGroups, type PlatformGroups } from './db/platform-groups.js';
import type { Db } from './db/pool.js';
import type { Upkeep } from './db/upkeep.js';
import { findDueJobs, listPlatformIds, platformNow, realNow } from './domains/core/platform/actions.js';
import type { Mode } from './domains/core/platform/platform.js';
import { messageForLog } from './kernel/errors.js';
import { createPace } from './kernel/pace.js';

export type Worker = { stop(): Promise<void> };

const POLL_MS = 250;
/** However many platforms there are, work that becomes due waits no longer. */
const SLOWEST_POLL_MS = 2_000;
/**
 * How long a job works on one platform before the others have their turn. The rest stays due. A backlog, or a provider that answers slowly,
 * would otherwise hold up the work of every platform, and be worked off at a time that has long passed.
 */
const TURN_MS = 2_000;
/** Share of a processor that the question for due work may take. */
const SHARE = 0.005;

type WorkerLog = Pick<Logger, 'warn'>;

/** One turn: asks once what is due on platforms of the mode, and runs it. Returns how long the question took, in milliseconds. */
export async function runDueJobs(
  db: Db,
  mode: Mode,
  jobs: readonly Job[],
  log: WorkerLog,
  isStopping: () => boolean,
  groups: PlatformGroups = createPlatformGroups(db),
): Promise<number> {
  const began = performance.now();
  const due = (await groups.ask('due jobs', (group) => db.transaction((tx) => findDueJobs(tx, mode, jobs, group)))).flat();
  const tookMs = performance.now() - began;
  for (const { platformId, job, at } of due) {
    if (isStopping()) break;
    const until = performance.now() + TURN_MS;
    const isOver = () => isStopping() || performance.now() >= until;
    try {
      // The clock may have been set back since.
      const now = await platformNow(db, platformId);
      if (at <= now) await job.run(db.causedBy({ job: job.name }), platformId, now, isOver);
    } catch (error) {
      // A failure of one job on one platform must not stop the others.
      log.warn({ job: job.name, platformId, errorMessage: messageForLog(error) }, 'job failed; it will be tried again');
    }
  }
  return tookMs;
}

/** Runs the upkeep on every platform, one after the other. A failure on one platform does not affect another. */
export async function runUpkeep(db: Db, upkeep: Upkeep, log: WorkerLog, isStopping: () => boolean): Promise<void> {
  for (let ids = await listPlatformIds(db); ids.length > 0; ids = await listPlatformIds(db, ids.at(-1))) {
    const now = await realNow(db);
    for (const platformId of ids) {
      if (isStopping()) return;
      try {
        await upkeep.run(db, platformId, now, isStopping);
      } catch (error) {
        log.warn({ upkeep: upkeep.name, platformId, errorMessage: messageForLog(error) }, 'upkeep failed; it will be tried again');
      }
    }
  }
}

export type WorkerOptions = { readonly pollMs?: number; readonly upkeep?: readonly Upkeep[] };

export function startWorker(
  db: Db,
  mode: Mode,
  allJobs: readonly Job[],
  log: WorkerLog,
  { pollMs = POLL_MS, upkeep = [] }: WorkerOptions = {},
): Worker {
  const jobs = allJobs.filter(({ sendsWebhooks }) => !sendsWebhooks);
  const groups = createPlatformGroups(db, {
    onFailure: (error) =>
      log.warn({ errorMessage: messageForLog(error) }, 'due jobs of some platforms could not be read; they will be tried again'),
  });
  const pace = createPace({ leastMs: pollMs, mostMs: SLOWEST_POLL_MS, share: SHARE });
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  const keptUpAt = new Map<Upkeep, number>();
  let keepingUp: Promise<void> | undefined;
  let round: Promise<void> = Promise.resolve();

  const turn = async (): Promise<number> => {
    const tookMs = await runDueJobs(db, mode, jobs, log, () => stopping, groups);
    keepingUp ??= keepUp().finally(() => {
      keepingUp = undefined;
    });
    return pace(tookMs);
  };

  /** Beside the jobs, so that a long upkeep delays none of them. */
  const keepUp = async (): Promise<void> => {
    for (const each of upkeep) {
      if (stopping) return;
      if (performance.now() - (keptUpAt.get(each) ?? Number.NEGATIVE_INFINITY) < each.everyMs) continue;
      keptUpAt.set(each, performance.now());
      await runUpkeep(db, each, log, () => stopping).catch((error: Error) =>
        log.warn({ upkeep: each.name, errorMessage: messageForLog(error) }, 'upkeep failed; it will be tried again'),
      );
    }
  };

  const failed = (error: Error): number => {
    log.warn({ errorMessage: messageForLog(error) }, 'due jobs could not be read; they will be tried again');
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
      await keepingUp;
    },
  };
}
