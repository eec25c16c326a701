// The sandbox clock. An advance runs the jobs that are due on the way, in the order of their due times, before it answers.
import type { Logger } from 'pino';
import type { Job } from '../../db/job.js';
import type { Db } from '../../db/pool.js';
import { describeError } from '../../kernel/errors.js';
import type { PlatformId } from '../../kernel/ids.js';
import { createSerializer } from '../../kernel/serializer.js';
import { type Clock, readClock, setClock, withClockLock } from '../core/platform/actions.js';
import { clockSetBack } from '../core/webhooks/actions.js';
import { type ClockChange, decideClockMove, findFirstDue, runTimeOf } from './rules.js';

export type { ClockChange } from './rules.js';
export type Ran = { readonly job: string; readonly count: number };

/** Ends an advance to a time centuries ahead. Far more steps than any real history has. */
const MAX_STEPS = 10_000;
/** How long a caller waits for due jobs. After that the clock jumps to its target and the worker runs the rest. */
export const ADVANCE_TIMEOUT_MS = 20_000;

export type ClockDeps = { readonly db: Db; readonly jobs: () => readonly Job[]; readonly log: Pick<Logger, 'warn'> };
export type ChangeClock = (platformId: PlatformId, change: ClockChange) => Promise<Clock & { ran: Ran[] }>;

/** Changes of one clock are serialized. They wait in this process first, so that only one of them holds a connection for the lock. */
export function createChangeClock(deps: ClockDeps): ChangeClock {
  const serialized = createSerializer();
  return (platformId, change) =>
    serialized(platformId, () => withClockLock(deps.db, platformId, () => changeClock(deps, platformId, change)));
}

async function changeClock({ db, jobs, log }: ClockDeps, platformId: PlatformId, change: ClockChange): Promise<Clock & { ran: Ran[] }> {
  const before = await readClock(db, platformId);

  const { moves, setBackTo, target, frozen } = decideClockMove(before, change);

  const ran = new Map<string, number>();
  if (moves) {
    if (setBackTo) await setBack(db, platformId, setBackTo);
    try {
      await runDue(db, jobs(), platformId, target, ran, log);
    } finally {
      // The clock is frozen on the way. It reaches its target also when a job fails, and runs on if it ran before.
      await setClock(db, platformId, { now: target, frozen });
    }
  } else if (frozen !== before.frozen) {
    await setClock(db, platformId, { now: before.now, frozen });
  }
  const after = await readClock(db, platformId);
  return { ...after, ran: [...ran].map(([job, count]) => ({ job, count })) };
}

const setBack = (db: Db, platformId: PlatformId, now: Date): Promise<void> =>
  db.transaction(async (tx) => {
    await setClock(tx, platformId, { now, frozen: true });
    clockSetBack(tx, platformId, now);
  });

async function runDue(
  db: Db,
  jobs: readonly Job[],
  platformId: PlatformId,
  until: Date,
  ran: Map<string, number>,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const idle = new Map<Job, number>();
  const deadline = performance.now() + ADVANCE_TIMEOUT_MS;
  const isOver = () => performance.now() >= deadline;
  for (let step = 0; step < MAX_STEPS && !isOver(); step += 1) {
    const next = findFirstDue(await readDueTimes(db, jobs, platformId), until, idle);
    if (!next) return;
    const { now } = await readClock(db, platformId);
    const at = runTimeOf(next.at, now, until);
    await setClock(db, platformId, { now: at, frozen: true });
    const count = await next.job.run(db, platformId, at, isOver).catch((error: unknown) => {
      // A failed job does not stop the clock: the worker runs it again.
      log.warn({ job: next.job.name, platformId, errorMessage: describeError(error).message }, 'job failed; it will be tried again');
      return 0;
    });
    if (count === 0) idle.set(next.job, next.at.getTime());
    else ran.set(next.job.name, (ran.get(next.job.name) ?? 0) + count);
  }
}

const readDueTimes = (db: Db, jobs: readonly Job[], platformId: PlatformId) =>
  Promise.all(jobs.map(async (job) => ({ job, at: (await job.nextDue(db, platformId))[0]?.at })));
