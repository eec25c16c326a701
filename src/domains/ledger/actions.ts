// Moving money: lock, decide, write. The callers' transaction, always.
import type { Tx } from '../../db/pool.js';
import type { PlatformId } from '../../kernel/ids.js';
import type { AccountUuid, Balance, Move } from './ledger.js';
import { accountsOf, applyMoves } from './rules.js';
import { lockBalances, writePosting } from './store.js';

export { applyMoves, serviceAccountId } from './rules.js';
export { insertAccount, lockBalances, lockHolds, openServiceAccounts, serviceBalance, writePosting } from './store.js';

/** Applies the moves, all or none; answers the balances after them. Insufficient funds are refused. */
export async function moveMoney(tx: Tx, platformId: PlatformId, moves: readonly Move[]): Promise<ReadonlyMap<AccountUuid, Balance>> {
  const balances = await lockBalances(tx, platformId, accountsOf(moves));

  const posting = applyMoves(balances, moves);

  writePosting(tx, platformId, posting);
  return posting.balances;
}
