// Decisions about the event log: the order of commits, their positions, and the bounds within which an object's events are looked up. Pure.
import { madeAt, uuidAt } from '../../../kernel/ids.js';
import { DAY_MS } from '../../../kernel/time.js';
import type { LoggedCommit } from './event.js';

/**
 * Orders commits that have no position yet: by id, which rises with time, and every event after the earlier events of its object. Clocks of
 * processes differ, so the id alone does not decide. The sequence of an object's events is the order of their commits.
 */
export function orderCommits(commits: readonly LoggedCommit[]): LoggedCommit[] {
  const byObject = new Map<string, { sequence: number; commit: LoggedCommit }[]>();
  for (const commit of commits)
    for (const { objectId, sequence } of commit.events) {
      const known = byObject.get(objectId);
      if (known) known.push({ sequence, commit });
      else byObject.set(objectId, [{ sequence, commit }]);
    }
  const before = new Map<LoggedCommit, LoggedCommit[]>();
  for (const events of byObject.values()) {
    events.sort((a, b) => a.sequence - b.sequence);
    for (const [i, { commit }] of events.entries()) {
      const previous = events[i - 1]?.commit;
      if (previous && previous !== commit) before.set(commit, [...(before.get(commit) ?? []), previous]);
    }
  }
  const ordered: LoggedCommit[] = [];
  const seen = new Set<LoggedCommit>();
  for (const first of [...commits].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const open = [first];
    for (let commit = open.at(-1); commit; commit = open.at(-1)) {
      const waitsFor = seen.has(commit) ? undefined : before.get(commit)?.find((one) => !seen.has(one));
      if (waitsFor) {
        open.push(waitsFor);
        continue;
      }
      open.pop();
      if (!seen.has(commit)) ordered.push(commit);
      seen.add(commit);
    }
  }
  return ordered;
}

/** Positions are microseconds of the real time and always rise, also when the clock of the database is set back. */
export function nextPositions(last: bigint, realNow: Date, count: number): bigint[] {
  const now = BigInt(realNow.getTime()) * 1_000n;
  const first = now > last ? now : last + 1n;
  return Array.from({ length: count }, (_, i) => first + BigInt(i));
}

// ---- where the earlier events of an object are looked up

/** Clocks of processes differ by less than this. */
const CLOCK_TOLERANCE_MS = DAY_MS;
/** Events are kept longer than this: a younger object has no dropped events. */
const KEPT_AT_LEAST_MS = 8 * DAY_MS;

export type ObjectBounds = {
  /** No event of the objects has an id outside of these. Together with the partitions by id they limit the look-up to few partitions. */
  readonly from: string;
  readonly before: string;
  /** By event: whether earlier events of the object may have been dropped. */
  readonly mayBeDropped: readonly boolean[];
};

/** An object is older than its events, and its id says when it was made. One whose id does not is as old as can be. */
export function boundsOfObjects(events: readonly { readonly id: string; readonly objectId: string }[]): ObjectBounds {
  const now = Math.max(...events.map(({ id }) => madeAt(id.slice(id.indexOf(':') + 1)) ?? 0));
  const made = events.map(({ objectId }) => madeAt(objectId.slice(objectId.indexOf(':') + 1)));
  const oldest = Math.min(...made.map((ms) => ms ?? 0));
  return {
    from: uuidAt(oldest - CLOCK_TOLERANCE_MS),
    before: uuidAt(now + CLOCK_TOLERANCE_MS),
    mayBeDropped: made.map((ms) => ms === undefined || ms < now - KEPT_AT_LEAST_MS),
  };
}

/**
 * Bounds of the ids of events that occurred in a period, for a platform whose clock is the real one. The clock of a sandbox platform says
 * nothing about ids.
 */
export const idBounds = ({ createdFrom, createdBefore }: { readonly createdFrom?: Date; readonly createdBefore?: Date }) => ({
  ...(createdFrom && { idFrom: uuidAt(createdFrom.getTime() - CLOCK_TOLERANCE_MS) }),
  ...(createdBefore && { idBefore: uuidAt(createdBefore.getTime() + CLOCK_TOLERANCE_MS) }),
});
