// Jobs: work that is due at a time of a platform's clock, such as expiries and retries. The worker runs them, and so does an advance of the
// sandbox clock.
import type { PlatformId } from '../kernel/ids.js';
import type { Db } from './pool.js';
import type { Sql } from './sql.js';

/** A condition on the id of a platform. */
export type PlatformCondition = (platformId: Sql) => Sql;

export type Job = {
  readonly name: string;
  /**
   * Selects `platform_id` and `at`, the time of the earliest due work, of the first platform by id that has any and fulfils the condition.
   * It reads one entry of an index that begins with platform and time, and locks nothing. See due-jobs-store.ts.
   */
  firstDue(condition: PlatformCondition): Sql;
  /**
   * Does the platform's work that is due at `now`, in batches with their own transactions; returns the number of items done.
   * No further batch starts once `isOver`: the caller's time limit has passed or the process stops. The rest stays due.
   */
  run(db: Db, platformId: PlatformId, now: Date, isOver: () => boolean): Promise<number>;
  /**
   * The job sends webhooks. An advance of the clock runs it after the other jobs, so that an endpoint that is down uses up no time of theirs.
   * The worker leaves it out: deliveries have a queue of their own.
   */
  readonly sendsWebhooks?: boolean;
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
