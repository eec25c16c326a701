// The life cycle of a card transaction. Every function returns the transaction as it is afterwards; the ledger moves follow from the
// difference (moves.ts). The result does not depend on the order in which messages of different kinds arrive.
import { ApiError, assert } from '../../../kernel/errors.js';
import { MAX_AMOUNT } from '../../../kernel/money.js';
import {
  type Amounts,
  type CardTransaction,
  type CardTransactionStatus,
  isOpen,
  NOTHING_WITHDRAWABLE,
  netSettled,
  type Withdrawable,
} from './card-transaction.js';

/** What can happen to a card transaction, whether a network message or the service causes it. */
export type CardTransactionEvent =
  /** The authorization request. It may arrive after the network has cleared or advised the transaction. */
  | 'AUTHORIZATION'
  | 'ADVICE'
  | 'CLEARING'
  | 'REVERSAL'
  /** Also a clearing of 0 and the close of the card. */
  | 'EXPIRY'
  /** The delayed pull goes through. */
  | 'PULL'
  /** Opens the return's own transaction, and changes the refunded amount of the purchase. */
  | 'RETURN'
  | 'RETURN_REVERSAL'
  /** The decision was made after the issuer's deadline and is reversed. What network messages before it did stays. */
  | 'LATE_DECISION';

/** NEW: there is no transaction yet. */
export type CardTransactionState = CardTransactionStatus | 'NEW';

/** The state machine: status → event → next statuses. An event that a status does not list leaves the transaction unchanged. */
export const CARD_TRANSACTION_MOVES: Readonly<
  Record<CardTransactionState, Readonly<Partial<Record<CardTransactionEvent, readonly CardTransactionStatus[]>>>>
> = {
  NEW: {
    AUTHORIZATION: ['AUTHORIZED', 'SETTLED', 'DECLINED', 'EXCEPTION'],
    ADVICE: ['AUTHORIZED'],
    CLEARING: ['SETTLED', 'EXCEPTION'],
    RETURN: ['SETTLED'],
  },
  AUTHORIZED: {
    AUTHORIZATION: ['AUTHORIZED', 'SETTLED', 'EXCEPTION'],
    ADVICE: ['AUTHORIZED'],
    CLEARING: ['PARTIALLY_SETTLED', 'SETTLED', 'EXCEPTION'],
    REVERSAL: ['AUTHORIZED', 'VOIDED'],
    EXPIRY: ['VOIDED'],
    PULL: ['AUTHORIZED'],
    LATE_DECISION: ['DECLINED', 'AUTHORIZED'],
  },
  PARTIALLY_SETTLED: {
    AUTHORIZATION: ['PARTIALLY_SETTLED', 'SETTLED', 'EXCEPTION'],
    ADVICE: ['PARTIALLY_SETTLED', 'SETTLED'],
    CLEARING: ['PARTIALLY_SETTLED', 'SETTLED', 'EXCEPTION'],
    REVERSAL: ['PARTIALLY_SETTLED', 'SETTLED'],
    EXPIRY: ['SETTLED'],
    PULL: ['PARTIALLY_SETTLED'],
    RETURN: ['PARTIALLY_SETTLED'],
    RETURN_REVERSAL: ['PARTIALLY_SETTLED'],
    LATE_DECISION: ['PARTIALLY_SETTLED', 'SETTLED'],
  },
  SETTLED: {
    AUTHORIZATION: ['PARTIALLY_SETTLED', 'SETTLED', 'EXCEPTION'],
    ADVICE: ['PARTIALLY_SETTLED', 'SETTLED'],
    CLEARING: ['SETTLED', 'EXCEPTION'],
    RETURN: ['SETTLED'],
    RETURN_REVERSAL: ['SETTLED', 'VOIDED', 'EXCEPTION'],
    LATE_DECISION: ['DECLINED', 'SETTLED', 'VOIDED'],
  },
  DECLINED: {
    ADVICE: ['AUTHORIZED', 'VOIDED'],
    CLEARING: ['SETTLED', 'EXCEPTION'],
  },
  VOIDED: {
    AUTHORIZATION: ['SETTLED', 'VOIDED', 'EXCEPTION'],
    CLEARING: ['SETTLED', 'EXCEPTION'],
    LATE_DECISION: ['DECLINED', 'VOIDED'],
  },
  EXCEPTION: {
    AUTHORIZATION: ['PARTIALLY_SETTLED', 'SETTLED', 'EXCEPTION'],
    ADVICE: ['EXCEPTION'],
    CLEARING: ['EXCEPTION'],
    RETURN: ['EXCEPTION'],
    RETURN_REVERSAL: ['EXCEPTION'],
    LATE_DECISION: ['SETTLED', 'VOIDED', 'EXCEPTION'],
  },
};

/** The moves of a transaction that exists. */
const { NEW: _new, ...ofStatuses } = CARD_TRANSACTION_MOVES;
export const STATUS_MOVES = ofStatuses;

export const NOTHING: Amounts = { authorized: 0n, settled: 0n, refunded: 0n, held: 0n, pulled: 0n, shortfall: 0n };

const settledStatus = ({ authorized, settled }: Amounts): CardTransactionStatus =>
  settled === 0n ? 'AUTHORIZED' : settled < authorized ? 'PARTIALLY_SETTLED' : 'SETTLED';

/**
 * The network settled `amount`. It is paid from what was pulled and held before, the rest from the account as far as it can pay. What
 * it cannot pay is the shortfall, which its holder owes, and the transaction is an EXCEPTION. A clearing is never refused as long as it
 * can be represented: the money has moved.
 */
export function clear(before: CardTransaction, amount: bigint, withdrawable: Withdrawable): CardTransaction {
  const known = before.status === 'DECLINED' ? { ...before, authorized: 0n } : before;
  const settled = known.settled + amount;
  if (settled > MAX_AMOUNT) throw new ApiError('AMOUNT_OUT_OF_RANGE');
  if (known.direction === 'CREDIT') return settledAs({ ...known, settled, pulled: known.pulled - amount }, before);
  const missing = max(0n, settled - known.refunded - known.pulled - known.shortfall);
  const fromHold = min(missing, known.held);
  const rest = missing - fromHold;
  const taken = known.pull === 'FAILING' ? 0n : min(rest, withdrawable.available);
  const short = rest - taken;
  const paid = {
    ...known,
    settled,
    held: known.held - fromHold,
    pulled: known.pulled + fromHold + taken,
    shortfall: known.shortfall + short,
  };
  if (before.status === 'EXCEPTION' || short > 0n) return { ...released(paid), status: 'EXCEPTION', expiresAt: null };
  return settledAs(paid, before);
}

/** Part of an open authorization stays open; everything else is settled, and what was reserved beyond it is given back. */
function settledAs(paid: CardTransaction, before: CardTransaction): CardTransaction {
  const status = isOpen(before) ? settledStatus(paid) : 'SETTLED';
  return status === 'SETTLED' ? { ...released(paid), status, expiresAt: null } : { ...paid, status };
}

/**
 * The authorization has a new total. More is reserved as far as the account can pay: the network has already approved an advice, so it
 * is recorded either way. Less is given back, from the hold first.
 */
export function resize(before: CardTransaction, authorized: bigint, withdrawable: Withdrawable, fromWallet: boolean): CardTransaction {
  if (!isOpen(before)) return before;
  const resized = { ...before, authorized };
  if (before.direction === 'CREDIT') return settledAs(resized, before);
  const wanted = max(authorized, before.settled) - before.refunded;
  const reserved = before.held + before.pulled + before.shortfall;
  if (wanted <= reserved) return settledAs(giveBack(resized, reserved - wanted), before);
  const more = min(wanted - reserved, withdrawable.available);
  return settledAs({ ...resized, ...(fromWallet ? { pulled: before.pulled + more } : { held: before.held + more }) }, before);
}

/** Everything that has not settled is released: by a full reversal, an expiry or the close of the card. */
export function release(before: CardTransaction): CardTransaction {
  if (!isOpen(before)) return before;
  const status: CardTransactionStatus = before.settled === 0n ? 'VOIDED' : 'SETTLED';
  const next = released(before);
  // "Full reversal or expiry: authorizedAmount 0"; when part has settled, the authorized amount stays on record.
  return { ...next, ...(status === 'VOIDED' ? { authorized: 0n } : {}), status, expiresAt: null };
}

/** The merchant cancels part of the authorization, or all of it. */
export const reverse = (before: CardTransaction, amount: bigint | undefined): CardTransaction =>
  amount === undefined || amount >= before.authorized
    ? release(before)
    : resize(before, before.authorized - amount, NOTHING_WITHDRAWABLE, false);

/** The delayed pull goes through: what was held is taken. */
export const pullHeld = (before: CardTransaction): CardTransaction =>
  isOpen(before) ? { ...before, held: 0n, pulled: before.pulled + before.held, pullDueAt: null } : before;

/** The pull was confirmed as failed: the authorization is approved, but nothing in the account backs it. */
export const failPull = (before: CardTransaction): CardTransaction => ({
  ...before,
  held: 0n,
  pulled: 0n,
  status: 'EXCEPTION',
  expiresAt: null,
});

/** A decision made after the issuer's deadline: as if it had been declined, also where it settled at once. */
export const cancelled = (before: CardTransaction): CardTransaction => ({
  ...before,
  ...NOTHING,
  authorized: before.authorized,
  status: 'DECLINED',
  declinedReason: 'OTHER',
  pullDueAt: null,
  expiresAt: null,
});

/** What `cancelled` takes back from the account of a credit that was paid at once, and the account cannot pay: its holder owes it. */
export const owedOnceCancelled = ({ pulled }: CardTransaction, { available }: Withdrawable): bigint => max(0n, -pulled - available);

/**
 * The merchant returns part of the price. The account receives all of it; the ledger first recovers what its holder owes. The return
 * reduces the shortfall of the purchase first, so that `pulled` does not fall below zero.
 */
export function refund(purchase: CardTransaction, amount: bigint): CardTransaction {
  assert(amount <= netSettled(purchase), 'no more is returned than was settled');
  const offset = min(amount, purchase.shortfall);
  return {
    ...purchase,
    refunded: purchase.refunded + amount,
    pulled: purchase.pulled - (amount - offset),
    shortfall: purchase.shortfall - offset,
  };
}

/** A return is reversed: the account pays again as far as it can, and its holder owes the rest. */
export function takeBackRefund(
  purchase: CardTransaction,
  returned: CardTransaction,
  withdrawable: Withdrawable,
): { purchase: CardTransaction; returned: CardTransaction } {
  const amount = returned.settled;
  const taken = min(amount, withdrawable.available);
  const short = amount - taken;
  return {
    purchase: {
      ...purchase,
      refunded: purchase.refunded - amount,
      pulled: purchase.pulled + taken,
      shortfall: purchase.shortfall + short,
    },
    // With a shortfall the return keeps its amounts, so that an operator sees what was reversed.
    returned: short === 0n ? { ...returned, authorized: 0n, settled: 0n, status: 'VOIDED' } : { ...returned, status: 'EXCEPTION' },
  };
}

/** Gives back what is reserved beyond what settled. */
const released = (tx: CardTransaction): CardTransaction =>
  tx.direction === 'CREDIT' ? tx : giveBack(tx, max(0n, tx.held + tx.pulled + tx.shortfall - netSettled(tx)));

function giveBack(tx: CardTransaction, amount: bigint): CardTransaction {
  const fromHold = min(amount, tx.held);
  const fromPulled = min(amount - fromHold, tx.pulled);
  return { ...tx, held: tx.held - fromHold, pulled: tx.pulled - fromPulled };
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
