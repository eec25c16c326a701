// Jobs: work that is due at a time of a platform's clock, such as expiries and retries. The worker runs them, and so does an advance of the
// sandbox clock.
import type { PlatformId } from '../kernel/ids.js';
import type { Db, Tx } from './pool.js';

export type Job = {
  readonly name: string;
  /** The earliest due time per platform, or of the named platform. Platforms without due work are left out. */
  nextDue(tx: Pick<Tx, 'many' | 'one'>, platformId?: PlatformId): Promise<readonly { platformId: PlatformId; at: Date }[]>;
  /**
   * Does the platform's work that is due at `now`, in batches with their own transactions; returns the number of items done.
   * No further batch starts once `isOver`: the caller's time limit has passed or the process stops. The rest stays due.
   */
  run(db: Db, platformId: PlatformId, now: Date, isOver: () => boolean): Promise<number>;
  /** Runs after the other jobs of the same moment: webhook attempts come after the work that queues events. */
  readonly runsLast?: boolean;
};

/** Items that failed recently. They are skipped for a while, so that an item that keeps failing does not block the items behind it. */
export type FailedRecently = { ids(): string[]; add(id: string): void };

export function failedRecently(forMs: number): FailedRecently {
  const until = new Map<string, number>();
  return {
    ids() {
      const now = performance.now();
      for (const [id, at] of until) if (at <= now) until.delete(id);
      return [...until.keys()];
    },
    add: (id) => void until.set(id, performance.now() + forMs),
  };
}
