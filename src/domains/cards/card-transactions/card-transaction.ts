// Types of card transactions: what the network asked for, what was decided, and whose money stands behind it.
import type { CardId, CustomerId, Id, InternalAccountId, TransactionId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

export type DisputeId = Id<'CardDispute'>;

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
 * `held` is reserved in the account, `pulled` was taken from it (less what went back), `absorbed` was paid by the service's reserve.
 * Of a purchase the merchant's side has received `pulled + absorbed`, which is never less than `settled - refunded`.
 */
export type Amounts = {
  readonly authorized: bigint;
  readonly settled: bigint;
  readonly refunded: bigint;
  readonly held: bigint;
  readonly pulled: bigint;
  readonly absorbed: bigint;
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
  /** What whoever asked was told; what the network did all the same may have moved the status on. */
  readonly declinedReason: DeclineReason | null;
  readonly originalTransactionId: TransactionId | null;
  readonly merchant: Merchant;
  readonly currency: CurrencyCode;
  readonly pull: Pull;
  /** Before this a clearing waits: the pull that pays for it is on its way. */
  readonly pullDueAt: Date | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** How the money is fetched: at once, some time later, or with a confirmation that says it failed. Sandbox only, beside PROMPT. */
export type Pull = 'PROMPT' | 'DELAYED' | 'FAILING';

/** Messages that open a transaction. Advices tell of what was approved elsewhere and are never refused. */
export const OPENING_KINDS = [
  'AUTHORIZATION',
  'FINANCIAL_AUTHORIZATION',
  'CREDIT_AUTHORIZATION',
  'FINANCIAL_CREDIT_AUTHORIZATION',
  'CREDIT_AUTHORIZATION_ADVICE',
] as const;
export type OpeningKind = (typeof OPENING_KINDS)[number];

/** Messages about a transaction that exists. */
export const FOLLOW_UP_KINDS = [
  'AUTHORIZATION_ADVICE',
  'CLEARING',
  'AUTHORIZATION_REVERSAL',
  'AUTHORIZATION_EXPIRY',
  'RETURN',
  'RETURN_REVERSAL',
] as const;
export type FollowUpKind = (typeof FOLLOW_UP_KINDS)[number];

/** What may be told to wait; a PULL is no message of the network but our own delayed fetching of the money. */
export type ScheduledKind = FollowUpKind | 'PULL';

/** What the network has said about a transaction so far. */
export type Heard = {
  /** It cleared or advised before it asked. */
  readonly unasked: boolean;
  /** How many advices, and the largest total among them: that much has been counted as spend. */
  readonly advices: number;
  readonly advised: bigint;
  /** It expired, or was reversed whole. */
  readonly ended: boolean;
  readonly reversed: bigint;
};

export const DISPOSITIONS = ['WON', 'PARTIALLY_WON', 'LOST', 'WITHDRAWN', 'DENIED'] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

export type Dispute = {
  readonly id: DisputeId;
  readonly token: string;
  readonly transactionId: TransactionId;
  readonly amount: bigint;
  readonly reason: string | null;
  /** What the cardholder has been lent while the dispute runs. */
  readonly credited: bigint;
  readonly status: 'OPEN' | 'CLOSED';
  readonly disposition: Disposition | null;
  readonly recovered: bigint;
};
