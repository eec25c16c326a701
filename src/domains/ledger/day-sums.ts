// Adds the entries of service-side accounts up, day by day of the real time, so that their balances need no sum over the whole ledger.
import type { Db } from '../../db/pool.js';
import type { Upkeep } from '../../db/upkeep.js';
import type { PlatformId } from '../../kernel/ids.js';
import { formatAmount } from '../../kernel/money.js';
import { DAY_MS, MINUTE_MS } from '../../kernel/time.js';
import { addToDay, findFirstUnsummed, lockProgress, readFinalTime, type ServiceBalance } from './day-sums-store.js';

/** Entries of at most this time are added by one transaction. */
const STEP_MS = 10 * MINUTE_MS;

export const daySumsUpkeep: Upkeep = {
  name: 'service-day-sums',
  everyMs: 5 * MINUTE_MS,
  run: async (db, platformId, _now, isOver) => {
    const finalTime = await readFinalTime(db);
    if (finalTime) await addUpTo(db, platformId, finalTime, isOver);
  },
};

/**
 * Adds up what was recorded before `finalTime`; no entry before it may be recorded any more. Each step commits its sums together with its
 * progress, so a step that is interrupted or repeated counts nothing twice.
 */
export async function addUpTo(db: Db, platformId: PlatformId, finalTime: Date, isOver: () => boolean): Promise<void> {
  let next = await findFirstUnsummed(db, platformId);
  while (next && next < finalTime && !isOver()) {
    next = await db.transaction(async (tx) => {
      await lockProgress(tx, platformId);
      // Another process may have added it meanwhile.
      const first = await findFirstUnsummed(tx, platformId);
      if (!first || first >= finalTime) return undefined;
      const { day, until } = stepFrom(first, finalTime);
      addToDay(tx, platformId, day, until);
      return findFirstUnsummed(tx, platformId);
    });
  }
}

/** The part of the day of `first` that one step adds. */
export function stepFrom(first: Date, finalTime: Date): { readonly day: string; readonly until: Date } {
  const startOfDay = Math.floor(first.getTime() / DAY_MS) * DAY_MS;
  const until = Math.min(first.getTime() + STEP_MS, startOfDay + DAY_MS, finalTime.getTime());
  return { day: new Date(startOfDay).toISOString().slice(0, 10), until: new Date(until) };
}

/** For the operator: "FEES 1.25 USD, RESERVE -300.00 USDB". */
export const describeBalances = (balances: readonly ServiceBalance[]): string =>
  balances.map(({ purpose, currency, balance }) => `${purpose} ${formatAmount(balance, currency)} ${currency}`).join(', ') || 'none';
