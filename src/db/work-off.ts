// Does the work of a platform that is due, piece by piece.
import type { Logger } from 'pino';
import { ApiError, messageForLog } from '../kernel/errors.js';
import { type Id, type PlatformId, uuidOf } from '../kernel/ids.js';
import type { FailedRecently } from './job.js';
import type { Db, Tx } from './pool.js';
import { isTimeout } from './unavailable.js';

export type WorkDeps = { readonly db: Db; readonly log: Pick<Logger, 'error'> };

/** One run of a platform's due work. `failed`: the objects whose work failed in recent runs. */
export type DueRun = {
  readonly platformId: PlatformId;
  readonly now: Date;
  readonly isOver: () => boolean;
  readonly failed: FailedRecently;
};

export type DueWork<Piece> = {
  /** What the log calls an object whose work failed. */
  readonly noun: string;
  /** The next pieces that are due, `limit` at most. */
  find(excluded: readonly string[], limit: number): Promise<readonly Piece[]>;
  /** Does one piece in a transaction of its own. Whether there was anything left to do. */
  work(tx: Tx, piece: Piece): Promise<boolean>;
  /** Does several pieces in one transaction, if that is possible. Answers those that were done; the others are done one by one. */
  together?(pieces: readonly Piece[]): Promise<ReadonlySet<Piece>>;
};

const BATCH = 100;

/** An object whose work fails is skipped for a while, so that it blocks no other. Returns the number of pieces done. */
export async function workOff<Piece extends { readonly id: Id<string> }>(
  { db, log }: WorkDeps,
  { failed, isOver }: DueRun,
  { noun, find, work, together }: DueWork<Piece>,
): Promise<number> {
  const excluded = new Set(failed.ids());
  const doneByOthers = new Set<string>();
  let done = 0;
  for (;;) {
    const due = await find([...excluded], BATCH);
    let isToFindAgain = due.length >= BATCH;
    const early = (await together?.(due)) ?? new Set();
    done += early.size;
    if (early.size > 0 && isOver()) return done;
    for (const piece of due) {
      const uuid = uuidOf(piece.id);
      if (excluded.has(uuid) || early.has(piece)) continue;
      try {
        if (await db.transaction((tx) => work(tx, piece))) done += 1;
        else {
          // Another worker was first, and what it did may have made more due at this moment.
          isToFindAgain = true;
          if (doneByOthers.has(uuid)) excluded.add(uuid);
          doneByOthers.add(uuid);
        }
      } catch (error) {
        // Without the database all other work would fail as well; a row that stays locked concerns only its own work.
        if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE' && !isTimeout(error)) throw error;
        const errorMessage = messageForLog(error);
        log.error({ objectId: piece.id, errorMessage }, `due work of a ${noun} failed`);
        excluded.add(uuid);
        failed.add(uuid);
      }
      if (isOver()) return done;
    }
    if (!isToFindAgain) return done;
  }
}
