// Disputes of settled purchases. Every step: lock the card, decide, write.
import type { Tx } from '../../../db/pool.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { type CardId, newId, newUuid, type PlatformId, type TransactionId } from '../../../kernel/ids.js';
import {
  gatherFacts,
  getOwnTransaction,
  lockDecidedCard,
  paySettlement,
  retryWithoutWallet,
  type WalletDeps,
} from '../authorizations/actions.js';
import type { Withdrawable } from '../authorizations/card-transaction.js';
import type { Disposition, Dispute } from './dispute.js';
import { closeDispute, creditProvisionally, type DisputeStep, openDispute, reverseProvisionalCredit } from './rules.js';
import { findDisputed, findOpenDispute, insertDispute, saveDispute } from './store.js';

export { findDisputed } from './store.js';

export type DisputeRef = { readonly cardId: CardId | undefined; readonly transactionId: TransactionId | undefined };

export async function startDispute(
  tx: Tx,
  platformId: PlatformId,
  ref: DisputeRef,
  { amount, reason }: { amount: bigint | undefined; reason: string | undefined },
): Promise<Dispute> {
  const { card, now } = await lockDecidedCard(tx, platformId, ref.cardId);
  const purchase = await getOwnTransaction(tx, platformId, card.id, ref.transactionId);
  if (await findOpenDispute(tx, platformId, purchase.id))
    throw new ApiError('CONFLICT', undefined, { reason: 'The transaction has an open dispute.' });
  const disputed = (await findDisputed(tx, platformId, [purchase.id])).get(purchase.id) ?? 0n;

  const dispute = openDispute(purchase, { id: newId('CardDispute'), token: newUuid(), reason: reason ?? null }, disputed, amount);

  insertDispute(tx, platformId, dispute, now);
  return dispute;
}

/** One step of the transaction's open dispute, with the money it moves. */
async function continueDispute(
  deps: WalletDeps,
  tx: Tx,
  platformId: PlatformId,
  ref: DisputeRef,
  cause: string,
  decide: (dispute: Dispute, withdrawable: Withdrawable) => DisputeStep,
): Promise<Dispute> {
  const locked = await lockDecidedCard(tx, platformId, ref.cardId);
  const purchase = await getOwnTransaction(tx, platformId, locked.card.id, ref.transactionId);
  const open = await findOpenDispute(tx, platformId, purchase.id);
  if (!open) throw invalidField('cardTransactionId', 'the transaction has no open dispute');

  return retryWithoutWallet(await gatherFacts(tx, platformId, locked, purchase), async (facts) => {
    const { dispute, ...settlement } = decide(open, facts.withdrawable);

    saveDispute(tx, platformId, dispute, facts.now);
    await paySettlement(deps, tx, platformId, facts, { ...settlement, cause });
    return dispute;
  });
}

export const creditDispute = (deps: WalletDeps, tx: Tx, platformId: PlatformId, ref: DisputeRef, amount: bigint): Promise<Dispute> =>
  continueDispute(deps, tx, platformId, ref, 'DISPUTE_PROVISIONAL_CREDIT', (dispute) => creditProvisionally(dispute, amount));

export const reverseDisputeCredit = (deps: WalletDeps, tx: Tx, platformId: PlatformId, ref: DisputeRef, amount: bigint): Promise<Dispute> =>
  continueDispute(deps, tx, platformId, ref, 'DISPUTE_PROVISIONAL_CREDIT_REVERSAL', (dispute, withdrawable) =>
    reverseProvisionalCredit(dispute, amount, withdrawable),
  );

export const endDispute = (
  deps: WalletDeps,
  tx: Tx,
  platformId: PlatformId,
  ref: DisputeRef,
  { disposition, recoveredAmount }: { disposition: Disposition; recoveredAmount: bigint | undefined },
): Promise<Dispute> =>
  continueDispute(deps, tx, platformId, ref, 'DISPUTE_CLOSED', (dispute, withdrawable) =>
    closeDispute(dispute, disposition, recoveredAmount, withdrawable),
  );
