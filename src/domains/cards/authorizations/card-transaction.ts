// Types of card transactions: what the network requested, what was decided, and which account pays.
import type { CardId, CustomerId, InternalAccountId, TransactionId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

export const CARD_TRANSACTION_STATUSES = ['AUTHORIZED', 'PARTIALLY_SETTLED', 'SETTLED', 'DECLINED', 'VOIDED', 'EXCEPTION'] as const;
export type CardTransactionStatus = (typeof CARD_TRANSACTION_STATUSES)[number];

export const DECLINE_REASONS = [
  'CARD_NOT_ACTIVE',
  'SPEND_LIMIT_EXCEEDED',
  'INSUFFICIENT_FUNDS',
  'NO_ELIGIBLE_FUNDING_SOURCE',
  'BLOCKED',
  'UNSUPPORTED_NETWORK',
  'OTHER',
] as const;
export type DeclineReason = (typeof DECLINE_REASONS)[number];

export type Direction = 'DEBIT' | 'CREDIT';

export type Merchant = {
  readonly descriptor: string;
  readonly mcc?: string;
  readonly city?: string;
  readonly state?: string;
  readonly country?: string;
};

/**
 * The money of one transaction, in the smallest unit of the card's currency.
 * `held` is reserved in the account, `pulled` was taken from it (less what was given back), `shortfall` is what the account could not
 * pay: it was booked as a receivable, which the account's holder owes. For a purchase the settlement account has received
 * `pulled + shortfall`, which is never less than `settled - refunded`.
 */
export type Amounts = {
  readonly authorized: bigint;
  readonly settled: bigint;
  readonly refunded: bigint;
  readonly held: bigint;
  readonly pulled: bigint;
  readonly shortfall: bigint;
};

export type CardTransaction = Amounts & {
  readonly id: TransactionId;
  readonly cardId: CardId;
  readonly accountId: InternalAccountId;
  readonly customerId: CustomerId;
  readonly platformCustomerId: string;
  readonly issuerToken: string;
  readonly direction: Direction;
  readonly status: CardTransactionStatus;
  /** The answer to the authorization request. Later network messages may have changed the status. */
  readonly declinedReason: DeclineReason | null;
  readonly originalTransactionId: TransactionId | null;
  readonly merchant: Merchant;
  readonly currency: CurrencyCode;
  readonly pull: Pull;
  /** Until then a clearing waits for the delayed pull that pays for it. */
  readonly pullDueAt: Date | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** How money is pulled: at once, after a delay, or with a confirmation that it failed. Only the sandbox uses others than PROMPT. */
export type Pull = 'PROMPT' | 'DELAYED' | 'FAILING';

/** Messages that open a transaction. An advice reports what was approved elsewhere and is never declined. */
export const OPENING_KINDS = [
  'AUTHORIZATION',
  'FINANCIAL_AUTHORIZATION',
  'CREDIT_AUTHORIZATION',
  'FINANCIAL_CREDIT_AUTHORIZATION',
  'CREDIT_AUTHORIZATION_ADVICE',
] as const;
export type OpeningKind = (typeof OPENING_KINDS)[number];

/** What the network messages about a transaction amount to so far. */
export type NetworkHistory = {
  /** Number of advices, and the largest total among them: that amount is in the daily spend already. */
  readonly advices: number;
  readonly advised: bigint;
  /** The authorization expired or was reversed in full. */
  readonly ended: boolean;
  readonly reversed: bigint;
};

/** What the service can take from the account beyond what the transaction already holds and its holder owes. */
export type Withdrawable = { readonly available: bigint };
export const NOTHING_WITHDRAWABLE: Withdrawable = { available: 0n };

const OPEN: ReadonlySet<CardTransactionStatus> = new Set(['AUTHORIZED', 'PARTIALLY_SETTLED']);

/** An open authorization may still be cleared, changed, reversed or expire. */
export const isOpen = ({ status }: Pick<CardTransaction, 'status'>): boolean => OPEN.has(status);

/** "A return is its own CREDIT row". */
export const isReturn = ({ originalTransactionId }: CardTransaction): boolean => originalTransactionId !== null;

/** What the merchant has received and may keep. */
export const netSettled = ({ settled, refunded }: Amounts): bigint => settled - refunded;

/** What of a purchase can still be returned or disputed. `disputed`: recovered by disputes or claimed by an open one. */
export function leftToReturn(transaction: CardTransaction, disputed: bigint): bigint {
  const left = transaction.direction === 'DEBIT' ? netSettled(transaction) - disputed : 0n;
  return left > 0n ? left : 0n;
}
