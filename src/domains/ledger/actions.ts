// Moves money: lock, decide, write, always in the caller's transaction.
import type { Tx } from '../../db/pool.js';
import { assert } from '../../kernel/errors.js';
import type { PlatformId } from '../../kernel/ids.js';
import type { AccountUuid, Balance, Move } from './ledger.js';
import { accountsOf, applyMoves } from './rules.js';
import { findTime, lockBalances, writePosting } from './store.js';

export { findLedgerProblem } from './check-store.js';
export { describeBalances } from './day-sums.js';
export { readServiceBalances, readTotalServiceBalances, type ServiceBalance } from './day-sums-store.js';
export { allServiceAccountIds, applyMoves, serviceAccountId, spendable } from './rules.js';
export {
  broughtTo,
  closeEntriesBefore,
  insertAccounts,
  lockBalances,
  lockHolds,
  openServiceAccounts,
  serviceBalance,
  writePosting,
} from './store.js';

/** The outstanding amounts of locked accounts. Accounts without any may be left out. */
export type OutstandingOn = (tx: Tx, platformId: PlatformId, ids: readonly AccountUuid[]) => Promise<ReadonlyMap<AccountUuid, bigint>>;

const nothingOutstanding: OutstandingOn = async () => new Map();

/** Accounts that were locked before their moves are applied, and the time after that. */
export type Locked = { readonly ids: readonly AccountUuid[]; readonly balances: ReadonlyMap<AccountUuid, Balance>; readonly now: Date };

/** Locks the accounts of moves that will be applied in this transaction, so that locking shares a round trip with other statements. */
export async function lockAhead(tx: Tx, platformId: PlatformId, moves: readonly Move[]): Promise<Locked> {
  const ids = accountsOf(moves);
  const [balances, now] = await Promise.all([lockBalances(tx, platformId, ids), findTime(tx, platformId)]);
  return { ids, balances, now };
}

/** Applies all the moves or none. Returns the balances after them; refuses insufficient funds. */
export async function moveMoney(
  tx: Tx,
  platformId: PlatformId,
  moves: readonly Move[],
  outstandingOn = nothingOutstanding,
  locked?: Locked,
): Promise<ReadonlyMap<AccountUuid, Balance>> {
  assert(!locked || accountsOf(moves).every((id) => locked.ids.includes(id)), 'all accounts of the moves are locked');
  const { balances: found, now } = locked ?? (await lockAhead(tx, platformId, moves));
  const balances = new Map(found);
  const outstanding = await outstandingOn(tx, platformId, [...balances.keys()]);
  for (const [id, balance] of balances) balances.set(id, { ...balance, outstanding: outstanding.get(id) });

  const posting = applyMoves(platformId, balances, moves);

  writePosting(tx, platformId, posting, now);
  return posting.balances;
}
