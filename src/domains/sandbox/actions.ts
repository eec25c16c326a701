// The sandbox clock. Moving it forward runs what falls due on the way, in the order it falls due, before the answer is given.
import type { Logger } from 'pino';
import type { Job } from '../../db/job.js';
import type { Db } from '../../db/pool.js';
import { invalidField } from '../../kernel/errors.js';
import type { PlatformId } from '../../kernel/ids.js';
import { createSerializer } from '../../kernel/serializer.js';
import { plusMs } from '../../kernel/time.js';
import { type Clock, movingAlone, readClock, setClock } from '../core/platform/actions.js';
import { clockSetBack } from '../core/webhooks/actions.js';

export type ClockChange = { readonly frozen?: boolean; readonly now?: Date; readonly advanceMs?: number };
export type Ran = { readonly job: string; readonly count: number };

/** The clock keeps clear of the ends of the calendar: what runs on from it must still have four-digit years on the wire. */
const EARLIEST = new Date('1970-01-01T00:00:00.000Z');
const LATEST = new Date('9000-01-01T00:00:00.000Z');

/** More than any sane history needs; keeps a clock set centuries ahead from spinning for ever. */
const MAX_STEPS = 10_000;
/** How long a caller is kept waiting for what falls due: past it the clock jumps to its target and the worker does the rest there. */
export const PATIENCE_MS = 20_000;

export type ClockDeps = { readonly db: Db; readonly jobs: () => readonly Job[]; readonly log: Pick<Logger, 'warn'> };
export type ChangeClock = (platformId: PlatformId, change: ClockChange) => Promise<Clock & { ran: Ran[] }>;

/** Changes of one clock happen one after the other. Those of this process wait here, so that only the first of them takes a connection. */
export function createChangeClock(deps: ClockDeps): ChangeClock {
  const inTurn = createSerializer();
  return (platformId, change) => inTurn(platformId, () => movingAlone(deps.db, platformId, () => changeClock(deps, platformId, change)));
}

async function changeClock({ db, jobs, log }: ClockDeps, platformId: PlatformId, change: ClockChange): Promise<Clock & { ran: Ran[] }> {
  const before = await readClock(db, platformId);
  const frozen = change.frozen ?? before.frozen;
  const start = change.now ?? before.now;
  const target = plusMs(start, change.advanceMs ?? 0);
  if (start < EARLIEST || target > LATEST) {
    throw invalidField(change.now === undefined ? 'advanceMs' : 'now', 'must keep the clock between the years 1970 and 9000');
  }

  // A clock that is set or advanced passes through every due moment; one that is set back passes through none.
  const ran = new Map<string, number>();
  if (change.now !== undefined || change.advanceMs !== undefined) {
    if (start < before.now) await setBack(db, platformId, start);
    try {
      await runDue(db, jobs(), platformId, target, ran, log);
    } finally {
      // It stood still on the way; whatever happened there, it arrives, and runs if it ran.
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
  // A job that found nothing to do at its due moment is not asked again for the same moment.
  const idle = new Map<Job, number>();
  const deadline = performance.now() + PATIENCE_MS;
  const isOver = () => performance.now() >= deadline;
  for (let step = 0; step < MAX_STEPS && !isOver(); step += 1) {
    const due = await earliest(db, jobs, platformId, until, idle);
    if (!due) return;
    const { now } = await readClock(db, platformId);
    const at = due.at > now ? due.at : now < until ? now : until;
    await setClock(db, platformId, { now: at, frozen: true });
    const count = await due.job.run(db, platformId, at, isOver).catch((error: Error) => {
      // No fault of whoever moves the clock, and no reason for it not to arrive: the worker tries again.
      log.warn({ job: due.job.name, platformId, errorMessage: error.message }, 'job failed; it will be tried again');
      return 0;
    });
    if (count === 0) idle.set(due.job, due.at.getTime());
    else ran.set(due.job.name, (ran.get(due.job.name) ?? 0) + count);
  }
}

async function earliest(
  db: Db,
  jobs: readonly Job[],
  platformId: PlatformId,
  until: Date,
  idle: ReadonlyMap<Job, number>,
): Promise<{ job: Job; at: Date } | undefined> {
  const due = await Promise.all(jobs.map(async (job) => ({ job, at: (await job.nextDue(db, platformId))[0]?.at })));
  return due
    .filter(
      (entry): entry is { job: Job; at: Date } => entry.at !== undefined && entry.at <= until && idle.get(entry.job) !== entry.at.getTime(),
    )
    .sort((a, b) => a.at.getTime() - b.at.getTime())[0];
}
