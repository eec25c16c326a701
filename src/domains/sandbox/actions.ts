// The sandbox clock. An advance runs the jobs that are due on the way, in the order of their due times, before it answers.
import type { Logger } from 'pino';
import type { Job } from '../../db/job.js';
import type { Db } from '../../db/pool.js';
import { messageForLog } from '../../kernel/errors.js';
import type { PlatformId } from '../../kernel/ids.js';
import { createSerializer } from '../../kernel/serializer.js';
import { type Clock, findDueTimes, readClock, setClock, withClockLock } from '../core/platform/actions.js';
import { clockSetBack } from '../core/webhooks/actions.js';
import { type ClockChange, decideClockMove, findFirstDue, findRemaining, inPhases, runTimeOf } from './rules.js';

export type { ClockChange } from './rules.js';
export type Ran = { readonly job: string; readonly count: number };
/** A job with work, and when its earliest work is due. */
export type DueWork = { readonly job: string; readonly dueAt: Date };
export type ChangedClock = Clock & {
  readonly ran: readonly Ran[];
  /** Due by the target of the advance and not done. */
  readonly remaining: readonly DueWork[];
  /** What falls due next. */
  readonly due: readonly DueWork[];
};

/** Ends an advance to a time centuries ahead. Far more steps than any real history has. */
const MAX_STEPS = 10_000;
/** How long a caller waits for due jobs: one deadline, given to every job. After it the clock jumps to its target and the worker runs the rest. */
export const ADVANCE_TIMEOUT_MS = 20_000;

export type ClockDeps = {
  readonly db: Db;
  readonly jobs: () => readonly Job[];
  readonly log: Pick<Logger, 'warn'>;
  readonly timeoutMs?: number;
};
export type ChangeClock = (platformId: PlatformId, change: ClockChange, requestId?: string) => Promise<ChangedClock>;

/** Changes of one clock are serialized. They wait in this process first, so that only one of them holds a connection for the lock. */
export function createChangeClock(deps: ClockDeps): ChangeClock {
  const serialized = createSerializer();
  return (platformId, change, requestId) =>
    serialized(platformId, () =>
      withClockLock(deps.db, platformId, () => changeClock({ ...deps, db: deps.db.causedBy({ requestId }) }, platformId, change)),
    );
}

async function changeClock(deps: ClockDeps, platformId: PlatformId, change: ClockChange): Promise<ChangedClock> {
  const { db } = deps;
  const before = await readClock(db, platformId);

  const { moves, setBackTo, target, frozen } = decideClockMove(before, change);

  let outcome: Outcome = { ran: [], remaining: [] };
  if (moves) {
    if (setBackTo) await setBack(db, platformId, setBackTo);
    try {
      outcome = await runDue(deps, platformId, target);
    } finally {
      // The clock is frozen on the way. It reaches its target also when a job fails, and runs on if it ran before.
      await setClock(db, platformId, { now: target, frozen });
    }
  } else if (frozen !== before.frozen) {
    await setClock(db, platformId, { now: before.now, frozen });
  }
  return { ...(await readClock(db, platformId)), ...outcome, due: await listDue(deps, platformId) };
}

const setBack = (db: Db, platformId: PlatformId, now: Date): Promise<void> =>
  db.transaction(async (tx) => {
    await setClock(tx, platformId, { now, frozen: true });
    clockSetBack(tx, platformId, now);
  });

type Outcome = Pick<ChangedClock, 'ran' | 'remaining'>;

/** When each job of the platform that has work is due next, the earliest first. */
export async function listDue({ db, jobs }: Pick<ClockDeps, 'db' | 'jobs'>, platformId: PlatformId): Promise<DueWork[]> {
  const found = await findDueTimes(db, jobs(), platformId);
  return found.map(({ job, at }) => ({ job: job.name, dueAt: at })).sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
}

/** Runs everything that is due up to the target: first the jobs that change state, then the webhooks, each at its due time. */
async function runDue(deps: ClockDeps, platformId: PlatformId, target: Date): Promise<Outcome> {
  const { db, jobs, timeoutMs = ADVANCE_TIMEOUT_MS } = deps;
  const deadline = performance.now() + timeoutMs;
  const isOver = () => performance.now() >= deadline;
  const { now: start } = await readClock(db, platformId);
  const ran = new Map<string, number>();

  const clock = { now: start };
  for (const phase of inPhases(jobs())) await runPhase(deps, platformId, phase, { start, target, clock, ran, isOver });

  const remaining = findRemaining(await findDueTimes(db, jobs(), platformId), target);
  return {
    ran: [...ran].map(([job, count]) => ({ job, count })),
    remaining: remaining.map(({ job, at }) => ({ job: job.name, dueAt: at })),
  };
}

type Advance = {
  readonly start: Date;
  readonly target: Date;
  /** The platform's clock. It is never set back: webhooks that were due before it are sent at the time they were due. */
  readonly clock: { now: Date };
  readonly ran: Map<string, number>;
  readonly isOver: () => boolean;
};

async function runPhase({ db, log }: ClockDeps, platformId: PlatformId, jobs: readonly Job[], advance: Advance): Promise<void> {
  const { start, target, clock, ran, isOver } = advance;
  const idle = new Map<Job, number>();
  let now = start;
  for (let step = 0; step < MAX_STEPS && !isOver(); step += 1) {
    const next = findFirstDue(await findDueTimes(db, jobs, platformId), target, idle);
    if (!next) return;
    now = runTimeOf(next.at, now, target);
    if (now >= clock.now) {
      clock.now = now;
      await setClock(db, platformId, { now, frozen: true });
    }
    const count = await next.job.run(db.causedBy({ ...db.cause, job: next.job.name }), platformId, now, isOver).catch((error: unknown) => {
      // A failed job does not stop the clock: the worker runs it again.
      log.warn({ job: next.job.name, platformId, errorMessage: messageForLog(error) }, 'job failed; it will be tried again');
      return 0;
    });
    if (count === 0) idle.set(next.job, next.at.getTime());
    else ran.set(next.job.name, (ran.get(next.job.name) ?? 0) + count);
  }
}
