// Types of card disputes.
import type { Id, TransactionId } from '../../../kernel/ids.js';

export type DisputeId = Id<'CardDispute'>;

export const DISPOSITIONS = ['WON', 'PARTIALLY_WON', 'LOST', 'WITHDRAWN', 'DENIED'] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

export type Dispute = {
  readonly id: DisputeId;
  readonly token: string;
  readonly transactionId: TransactionId;
  readonly amount: bigint;
  readonly reason: string | null;
  /** Provisional credit that the cardholder has received and not given back. */
  readonly credited: bigint;
  readonly status: 'OPEN' | 'CLOSED';
  readonly disposition: Disposition | null;
  readonly recovered: bigint;
};
