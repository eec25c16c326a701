// Changes transactions of different cards and accounts in one database transaction: the locks are taken in order first, then each change runs
// as it would alone, and its statements travel with those of the others. One commit for all of them.
import type { Db, Tx } from '../../../db/pool.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';
import { lockBalances } from '../../ledger/actions.js';
import { lockSpendingCards } from './spending-store.js';
import type { Place } from './store.js';

/** Locks are held until the last change is written. */
export const MAX_TOGETHER = 64;

/**
 * The first change of each card and account. Changes of one account build on each other, so they are not made at the same time; those of
 * wallets wait for a signature.
 */
export function independent<Item>(items: readonly Item[], placeOf: (item: Item) => Place | undefined): { item: Item; place: Place }[] {
  const taken = new Set<string>();
  return items
    .flatMap((item) => {
      const place = placeOf(item);
      if (!place || place.isWallet || taken.has(place.cardId) || taken.has(place.accountId)) return [];
      taken.add(place.cardId).add(place.accountId);
      return [{ item, place }];
    })
    .slice(0, MAX_TOGETHER);
}

/**
 * Runs `work` for independent items in one transaction. If any of them fails, none is done: each is then to be done alone, which finds out
 * what is wrong with it. So is an item whose card another transaction has locked.
 */
export async function together<Item, Done>(
  db: Db,
  platformId: PlatformId,
  items: readonly { readonly item: Item; readonly place: Place }[],
  work: (tx: Tx, item: Item, place: Place) => Promise<Done>,
): Promise<Map<Item, Done>> {
  if (items.length === 0) return new Map();
  const cardIds = items.map(({ place }) => uuidOf(place.cardId)).sort();
  try {
    return await db.transaction(async (tx) => {
      const cards = await lockSpendingCards(tx, platformId, cardIds, { waitsForLocks: false });
      const locked = items.filter(({ place }) => cards.has(uuidOf(place.cardId)));
      await lockBalances(
        tx,
        platformId,
        locked.map(({ place }) => uuidOf(place.accountId)),
      );
      // Every change has to end before the transaction does: none may send a statement after it.
      const results = await Promise.allSettled(locked.map(({ item, place }) => work(tx, item, place)));
      const done = new Map<Item, Done>();
      for (const [i, { item }] of locked.entries()) {
        const result = results[i] as PromiseSettledResult<Done>;
        if (result.status === 'rejected') throw result.reason;
        done.set(item, result.value);
      }
      return done;
    });
  } catch {
    return new Map();
  }
}
