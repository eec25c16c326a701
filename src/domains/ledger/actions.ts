// Moves money: lock, decide, write, always in the caller's transaction.
import type { Tx } from '../../db/pool.js';
import type { PlatformId } from '../../kernel/ids.js';
import type { AccountUuid, Balance, Move } from './ledger.js';
import { accountsOf, applyMoves } from './rules.js';
import { findTime, lockBalances, writePosting } from './store.js';

export { describeBalances } from './day-sums.js';
export { readServiceBalances, readTotalServiceBalances, type ServiceBalance } from './day-sums-store.js';
export { applyMoves, serviceAccountId, spendable } from './rules.js';
export { closeEntriesBefore, insertAccounts, lockBalances, lockHolds, openServiceAccounts, serviceBalance, writePosting } from './store.js';

/** The outstanding amounts of locked accounts. Accounts without any may be left out. */
export type OutstandingOn = (tx: Tx, platformId: PlatformId, ids: readonly AccountUuid[]) => Promise<ReadonlyMap<AccountUuid, bigint>>;

const nothingOutstanding: OutstandingOn = async () => new Map();

/** Applies all the moves or none. Returns the balances after them; refuses insufficient funds. */
export async function moveMoney(
  tx: Tx,
  platformId: PlatformId,
  moves: readonly Move[],
  outstandingOn = nothingOutstanding,
): Promise<ReadonlyMap<AccountUuid, Balance>> {
  const [balances, now] = await Promise.all([lockBalances(tx, platformId, accountsOf(moves)), findTime(tx, platformId)]);
  const outstanding = await outstandingOn(tx, platformId, [...balances.keys()]);
  for (const [id, balance] of balances) balances.set(id, { ...balance, outstanding: outstanding.get(id) });

  const posting = applyMoves(platformId, balances, moves);

  writePosting(tx, platformId, posting, now);
  return posting.balances;
}
