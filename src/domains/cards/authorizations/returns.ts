// Returns of purchases and their reversals. "A return is its own CREDIT row"; no event is sent for the purchase.
import type { Tx } from '../../../db/pool.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import type { CardTransaction } from './card-transaction.js';
import { getOwnTransaction, type PlannedChange, type TransactionFacts, type WalletDeps, writeChange } from './changes.js';
import { refund, takeBackRefund } from './lifecycle.js';
import { routeOf } from './money.js';
import { movesBetween } from './moves.js';
import { returnOf } from './rules.js';

/** From here on the token of the message names the return, so no other transaction may have it. */
export function planReturn(
  platformId: PlatformId,
  { transaction: purchase, source, now }: TransactionFacts,
  { amount, issuerToken }: { readonly amount: bigint; readonly issuerToken: string },
): PlannedChange {
  const returned = returnOf(purchase, { id: newId('Transaction'), issuerToken }, amount, now);
  const refunded = { ...refund(purchase, amount), updatedAt: now };
  const moves = movesBetween(purchase, refunded, routeOf(platformId, returned, source.currency, 'CARD_RETURN'));
  return { transaction: returned, opened: [returned], saved: [refunded], announced: [returned], moves, arrives: true };
}

export async function reverseReturn(deps: WalletDeps, tx: Tx, platformId: PlatformId, facts: TransactionFacts): Promise<CardTransaction> {
  const { transaction: returned, source, withdrawable, now } = facts;
  const purchase = await getOwnTransaction(tx, platformId, returned.cardId, returned.originalTransactionId ?? undefined);

  const after = takeBackRefund(purchase, returned, withdrawable);

  const changed = { ...after.returned, updatedAt: now };
  const moves = movesBetween(purchase, after.purchase, routeOf(platformId, returned, source.currency, 'CARD_RETURN_REVERSAL'));
  const saved = [{ ...after.purchase, updatedAt: now }, changed];
  return writeChange(deps, tx, platformId, facts, { transaction: changed, opened: [], saved, announced: [changed], moves, arrives: false });
}
