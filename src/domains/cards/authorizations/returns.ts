// Returns of purchases and their reversals. "A return is its own CREDIT row"; no event is sent for the purchase.
import type { Tx } from '../../../db/pool.js';
import { invalidField } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import type { CardTransaction } from './card-transaction.js';
import { getOwnTransaction, moveFunds, type TransactionFacts, type WalletDeps } from './changes.js';
import { refund, takeBackRefund } from './lifecycle.js';
import { routeOf } from './money.js';
import { movesBetween } from './moves.js';
import { returnOf } from './rules.js';
import { insertIfNew, saveTransaction } from './store.js';

export async function recordReturn(
  deps: WalletDeps,
  tx: Tx,
  platformId: PlatformId,
  { transaction: purchase, source, now }: TransactionFacts,
  { amount, issuerToken }: { readonly amount: bigint; readonly issuerToken: string },
): Promise<CardTransaction> {
  const returned = returnOf(purchase, { id: newId('Transaction'), issuerToken }, amount, now);
  const refunded = { ...refund(purchase, amount), updatedAt: now };

  // From here on the token of the message names the return, so no other transaction may have it.
  if (!(await insertIfNew(tx, platformId, returned))) throw invalidField('messageToken', 'is the token of another transaction');
  saveTransaction(tx, platformId, refunded);
  const moves = movesBetween(purchase, refunded, routeOf(platformId, returned, source.currency, 'CARD_RETURN'));
  await moveFunds(deps, tx, platformId, { cardId: purchase.cardId, source, moves, announced: [returned], arrives: true, now });
  return returned;
}

export async function reverseReturn(
  deps: WalletDeps,
  tx: Tx,
  platformId: PlatformId,
  { transaction: returned, source, withdrawable, now }: TransactionFacts,
): Promise<CardTransaction> {
  const purchase = await getOwnTransaction(tx, platformId, returned.cardId, returned.originalTransactionId ?? undefined);

  const after = takeBackRefund(purchase, returned, withdrawable);

  const changed = { ...after.returned, updatedAt: now };
  saveTransaction(tx, platformId, { ...after.purchase, updatedAt: now });
  saveTransaction(tx, platformId, changed);
  const moves = movesBetween(purchase, after.purchase, routeOf(platformId, returned, source.currency, 'CARD_RETURN_REVERSAL'));
  await moveFunds(deps, tx, platformId, { cardId: purchase.cardId, source, moves, announced: [changed], arrives: false, now });
  return changed;
}
