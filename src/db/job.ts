// Work that falls due by a platform's clock: expiries, retries, settlement close. Run by the worker, and by an advance of the sandbox clock.
import type { PlatformId } from '../kernel/ids.js';
import type { Db, Tx } from './pool.js';

export type Job = {
  readonly name: string;
  /** When the earliest piece of work falls due, per platform; of one platform when it is named. Platforms with nothing to come are left out. */
  nextDue(tx: Pick<Tx, 'many' | 'one'>, platformId?: PlatformId): Promise<readonly { platformId: PlatformId; at: Date }[]>;
  /**
   * Does the platform's work that is due at `now`, in batches of its own transactions; answers how many pieces were done.
   * Once it `isOver` no further batch is begun: whoever asked has waited long enough, or the process ends. What is left stays due.
   */
  run(db: Db, platformId: PlatformId, now: Date, isOver: () => boolean): Promise<number>;
  /** Runs after the other jobs of the same moment: webhook attempts come after the work that queues events. */
  readonly runsLast?: boolean;
};

/** Pieces of work that failed recently: skipped for a while, so that one that always fails does not block the others. */
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
