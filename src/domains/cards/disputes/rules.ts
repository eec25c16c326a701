// What each step of a dispute changes and pays.
import { invalidField } from '../../../kernel/errors.js';
import { type CardTransaction, leftToReturn, type Withdrawable } from '../authorizations/card-transaction.js';
import type { Disposition, Dispute } from './dispute.js';

/** Credits and their reversals leave a dispute open. */
export const DISPUTE_MOVES = { OPEN: { CLOSED: 'CLOSED' }, CLOSED: {} } as const satisfies Readonly<
  Record<Dispute['status'], Readonly<Record<string, Dispute['status']>>>
>;

/** `disputed`: what earlier disputes of the purchase have recovered. */
export function openDispute(
  purchase: CardTransaction,
  identity: Pick<Dispute, 'id' | 'token' | 'reason'>,
  disputed: bigint,
  amount?: bigint,
): Dispute {
  const most = leftToReturn(purchase, disputed);
  if (most === 0n) throw invalidField('cardTransactionId', 'nothing of the transaction is settled and not yet given back');
  if (amount !== undefined && amount > most) throw invalidField('amount', 'is more than is settled');
  return {
    ...identity,
    transactionId: purchase.id,
    amount: amount ?? most,
    credited: 0n,
    status: 'OPEN',
    disposition: null,
    recovered: 0n,
  };
}

/**
 * The dispute afterwards, and what the step pays to the cardholder's account and to the reserve. Negative: what it takes. `shortfall`:
 * what the account should pay and cannot, which its holder owes.
 */
export type DisputeStep = {
  readonly dispute: Dispute;
  readonly toAccount: bigint;
  readonly toReserve: bigint;
  readonly shortfall: bigint;
};

export function creditProvisionally(dispute: Dispute, amount: bigint): DisputeStep {
  if (dispute.credited + amount > dispute.amount) throw invalidField('amount', 'is more than is disputed');
  return { dispute: { ...dispute, credited: dispute.credited + amount }, toAccount: amount, toReserve: -amount, shortfall: 0n };
}

export function reverseProvisionalCredit(dispute: Dispute, amount: bigint, withdrawable: Withdrawable): DisputeStep {
  if (amount > dispute.credited) throw invalidField('amount', 'is more than was credited');
  return { dispute: { ...dispute, credited: dispute.credited - amount }, ...takeBack(amount, withdrawable), toReserve: amount };
}

/** The account pays as far as it can, and its holder owes the rest. */
const takeBack = (amount: bigint, { available }: Withdrawable): Pick<DisputeStep, 'toAccount' | 'shortfall'> =>
  amount <= available ? { toAccount: -amount, shortfall: 0n } : { toAccount: -available, shortfall: amount - available };

/** The cardholder keeps what the network gave back. The reserve gets all of its provisional credit back. */
export function closeDispute(
  dispute: Dispute,
  disposition: Disposition,
  recoveredAmount: bigint | undefined,
  withdrawable: Withdrawable,
): DisputeStep {
  const recovered = recoveredBy(dispute, disposition, recoveredAmount);
  const due = recovered - dispute.credited;
  return {
    dispute: { ...dispute, status: 'CLOSED', disposition, recovered },
    ...(due >= 0n ? { toAccount: due, shortfall: 0n } : takeBack(-due, withdrawable)),
    toReserve: dispute.credited,
  };
}

function recoveredBy({ amount }: Dispute, disposition: Disposition, named: bigint | undefined): bigint {
  if (disposition !== 'PARTIALLY_WON') {
    if (named !== undefined) throw invalidField('recoveredAmount', 'is only for PARTIALLY_WON');
    return disposition === 'WON' ? amount : 0n;
  }
  const recovered = named ?? amount / 2n;
  if (recovered <= 0n || recovered >= amount) throw invalidField('recoveredAmount', 'must lie strictly between 0 and the disputed amount');
  return recovered;
}
