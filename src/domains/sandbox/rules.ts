// Where a change takes the sandbox clock, and which job is due next on the way. Pure.
import { invalidField } from '../../kernel/errors.js';
import { plusMs } from '../../kernel/time.js';
import type { Clock } from '../core/platform/actions.js';

export type ClockChange = { readonly frozen?: boolean; readonly now?: Date; readonly advanceMs?: number };

/** Keeps the clock away from the ends of the calendar: times on the wire have four-digit years. */
const EARLIEST = new Date('1970-01-01T00:00:00.000Z');
const LATEST = new Date('9000-01-01T00:00:00.000Z');

export type ClockMove = {
  /** The clock moves to `target`. Otherwise it only freezes or resumes. */
  readonly moves: boolean;
  /** The time it is set back to first. A clock that is set back passes no due time until then. */
  readonly setBackTo: Date | undefined;
  readonly target: Date;
  readonly frozen: boolean;
};

export function decideClockMove(before: Clock, { frozen = before.frozen, now, advanceMs }: ClockChange): ClockMove {
  const start = now ?? before.now;
  const target = plusMs(start, advanceMs ?? 0);
  if (start < EARLIEST || target > LATEST) {
    throw invalidField(now === undefined ? 'advanceMs' : 'now', 'must keep the clock between the years 1970 and 9000');
  }
  const moves = now !== undefined || advanceMs !== undefined;
  return { moves, setBackTo: start < before.now ? start : undefined, target, frozen };
}

export type DueJob<Job> = { readonly job: Job; readonly at: Date };

/** Webhooks come last: the time of an advance belongs to the jobs that change state, not to an endpoint that is down. */
export const inPhases = <Job extends { readonly sendsWebhooks?: boolean }>(jobs: readonly Job[]): readonly (readonly Job[])[] => [
  jobs.filter(({ sendsWebhooks }) => !sendsWebhooks),
  jobs.filter(({ sendsWebhooks }) => sendsWebhooks),
];

/** The job that is due first, up to `until`. A job that did nothing at a due time (`idle`) is not run again for the same time. */
export const findFirstDue = <Job>(due: readonly DueJob<Job>[], until: Date, idle: ReadonlyMap<Job, number>): DueJob<Job> | undefined =>
  due.filter(({ job, at }) => at <= until && idle.get(job) !== at.getTime()).sort((a, b) => a.at.getTime() - b.at.getTime())[0];

/** What an advance has left undone. */
export const findRemaining = <Job>(due: readonly DueJob<Job>[], until: Date): readonly DueJob<Job>[] => due.filter(({ at }) => at <= until);

/** The time at which a due job runs: its due time, or now if that has passed, but never beyond the target of the advance. */
export const runTimeOf = (dueAt: Date, now: Date, until: Date): Date => (dueAt > now ? dueAt : now < until ? now : until);
