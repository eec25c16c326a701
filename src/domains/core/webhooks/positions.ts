// Gives commits their positions in the log of their platform. One writer at a time does so, under the lock of the platform's cursor, and only
// after the commit. So a reader that has come to a position never finds an event before it.
import type { Db, Tx } from '../../../db/pool.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { LoggedCommit, PositionedCommit } from './event.js';
import { nextPositions, orderCommits } from './log-rules.js';
import { tuneForQueue } from './store-deliveries.js';
import {
  type CursorState,
  hasInbox,
  type InboxLimit,
  insertPositions,
  listEarlierInbox,
  listInbox,
  lockCursor,
  saveLastPosition,
} from './store-log.js';

const AT_ONCE: InboxLimit = { commits: 500, events: 2_000 };

const isFull = (commits: readonly LoggedCommit[], limit: InboxLimit): boolean =>
  commits.length >= limit.commits || commits.reduce((sum, { events }) => sum + events.length, 0) >= limit.events;

/** Positions the first commits up to `limit`, and those that must come before them. The caller holds the lock of the cursor and saves it. */
export async function givePositions(
  tx: Tx,
  platformId: PlatformId,
  { lastPosition, realNow }: Pick<CursorState, 'lastPosition' | 'realNow'>,
  limit: InboxLimit,
): Promise<PositionedCommit[]> {
  const commits = await listInbox(tx, platformId, limit);
  if (commits.length === 0) return [];
  // Below the limit all are here. Otherwise an earlier event of an object may have a higher id, from a process whose clock is ahead.
  for (let isCut = isFull(commits, limit); isCut; ) {
    const earlier: LoggedCommit[] = await listEarlierInbox(tx, platformId, commits);
    commits.push(...earlier);
    isCut = earlier.length > 0;
  }
  const ordered = orderCommits(commits);
  const positions = nextPositions(lastPosition, realNow, ordered.length);
  const positioned = ordered.map((commit, i) => ({ ...commit, position: positions[i] ?? 0n }));
  insertPositions(tx, platformId, positioned);
  return positioned;
}

/** Positions every commit of the platform that is visible now, and returns the last position. For readers that do not wait for a worker. */
export async function positionAll(db: Db, platformId: PlatformId): Promise<bigint> {
  for (;;) {
    const { last, isDone } = await db.transaction(async (tx) => {
      tuneForQueue(tx, { joins: 'NESTED' });
      const state = await lockCursor(tx, platformId, { waits: true });
      if (!state) return { last: 0n, isDone: true };
      const commits = await givePositions(tx, platformId, state, AT_ONCE);
      const last = commits.at(-1)?.position ?? state.lastPosition;
      // What is not sent needs no deliverer: the cursor passes it, unless something before it waits.
      const passes = state.settled === state.lastPosition && !commits.some(({ events }) => events.some(({ queued }) => queued));
      if (commits.length > 0) saveLastPosition(tx, platformId, last, passes ? last : state.settled);
      return { last, isDone: !isFull(commits, AT_ONCE) };
    });
    if (isDone) return last;
  }
}

/** Positions what waits for a position, if anything does. */
export async function positionWaiting(db: Db, platformId: PlatformId): Promise<void> {
  if (await hasInbox(db, platformId)) await positionAll(db, platformId);
}
