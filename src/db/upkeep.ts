// Upkeep: work on every platform that is repeated at intervals of the real time, by the worker. Work that is due at a time of a platform's
// clock is a Job.
import type { PlatformId } from '../kernel/ids.js';
import type { Db } from './pool.js';

export type Upkeep = {
  readonly name: string;
  readonly everyMs: number;
  /** Works on one platform, in batches with their own transactions. `now` is the real time. No further batch starts once `isOver`. */
  run(db: Db, platformId: PlatformId, now: Date, isOver: () => boolean): Promise<void>;
};

/** Rows that one statement deletes. It holds its locks and fills its transaction for milliseconds. */
export const DELETE_BATCH = 1_000;

/** Repeats a delete of at most `DELETE_BATCH` rows until it finds fewer. Returns how many rows were deleted. */
export async function deleteInBatches(deleteBatch: (limit: number) => Promise<number>, isOver: () => boolean): Promise<number> {
  let total = 0;
  while (!isOver()) {
    const deleted = await deleteBatch(DELETE_BATCH);
    total += deleted;
    if (deleted < DELETE_BATCH) break;
  }
  return total;
}
