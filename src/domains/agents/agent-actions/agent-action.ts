// An action of an agent: the execution of one of its quotes, let through by the policy or put up for approval.
import type { AgentId, CustomerId, Id, TransactionId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { QuoteId, ReadQuote } from '../../payments/quotes/quote.js';

export type ActionId = Id<'AgentAction'>;

export const ACTION_STATUSES = ['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

export type AgentAction = {
  readonly id: ActionId;
  readonly agentId: AgentId;
  readonly customerId: CustomerId;
  readonly platformCustomerId: string;
  readonly quoteId: QuoteId;
  readonly paymentId: TransactionId;
  readonly status: ActionStatus;
  /** Whether the platform was asked. */
  readonly neededApproval: boolean;
  /** Whether the execution began. */
  readonly started: boolean;
  /** Whether it failed because nobody decided before the quote expired. */
  readonly undecided: boolean;
  readonly rejectionReason: string | null;
  /** What the execution counts for, in the currency of the limits at that moment. */
  readonly counted: { readonly amount: bigint; readonly currency: CurrencyCode };
  /** When the quote expires. */
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** An action with its quote, as a reader sees both at a moment. */
export type ShownAction = ReadQuote & { readonly action: AgentAction };
