// A payment: money that a holder sends or receives, shown by the API as an OUTGOING or INCOMING transaction.
import type { CustomerId, ExternalAccountId, Id, InternalAccountId, TransactionId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { RailMessageKind } from '../../../providers/rails.js';
import type { RateDetails } from '../rates/price.js';

export type { RailMessageKind } from '../../../providers/rails.js';

export type QuoteId = Id<'Quote'>;

export type PaymentStatus = 'PENDING' | 'PENDING_AUTHORIZATION' | 'PROCESSING' | 'COMPLETED' | 'REJECTED' | 'FAILED' | 'EXPIRED';
export type RefundStatus = 'PENDING' | 'COMPLETED' | 'FAILED';
export type RefundReason = 'TRANSACTION_FAILED' | 'USER_CANCELLATION' | 'TIMEOUT';

/** What a state shows: the status of the payment and of its refund, if it has one. */
export type Shown = { readonly status: PaymentStatus; readonly refund?: RefundStatus };

export const OUTGOING_STATES = {
  /** Priced; nothing was taken. */
  QUOTED: { status: 'PENDING' },
  AWAITING_AUTHORIZATION: { status: 'PENDING_AUTHORIZATION' },
  /** A transfer: taken from the account, not acknowledged by the bank yet. */
  SUBMITTED: { status: 'PENDING' },
  /** Executed from an external account: the debit has not settled yet, nothing is there to pay out. */
  COLLECTING: { status: 'PROCESSING' },
  PROCESSING: { status: 'PROCESSING' },
  COMPLETED: { status: 'COMPLETED' },
  EXPIRED: { status: 'EXPIRED' },
  /** Failed before anything was taken. */
  FAILED: { status: 'FAILED' },
  REFUNDING: { status: 'FAILED', refund: 'PENDING' },
  REFUNDED: { status: 'FAILED', refund: 'COMPLETED' },
  REFUND_FAILED: { status: 'FAILED', refund: 'FAILED' },
  /** Cancelled: the status stays until the money is back. */
  CANCELLING: { status: 'PROCESSING', refund: 'PENDING' },
  CANCELLING_SUBMITTED: { status: 'PENDING', refund: 'PENDING' },
  CANCELLED: { status: 'COMPLETED', refund: 'COMPLETED' },
  CANCELLED_UNREFUNDED: { status: 'COMPLETED', refund: 'FAILED' },
  /** Money arrived after the quote had expired. */
  EXPIRED_REFUNDING: { status: 'EXPIRED', refund: 'PENDING' },
  EXPIRED_REFUNDED: { status: 'EXPIRED', refund: 'COMPLETED' },
  EXPIRED_REFUND_FAILED: { status: 'EXPIRED', refund: 'FAILED' },
} as const satisfies Readonly<Record<string, Shown>>;
export type OutgoingState = keyof typeof OUTGOING_STATES;

export const INCOMING_STATES = {
  /** The platform is asked whether it takes the payment. */
  ANNOUNCED: { status: 'PENDING' },
  /** A debit of an external account that the bank has not acknowledged yet. */
  SUBMITTED: { status: 'PENDING' },
  PROCESSING: { status: 'PROCESSING' },
  /** The money has arrived and goes on to an external account of the receiver. */
  PAYING_OUT: { status: 'PROCESSING' },
  COMPLETED: { status: 'COMPLETED' },
  REJECTED: { status: 'REJECTED' },
  FAILED: { status: 'FAILED' },
  /** The bank took the money back. */
  RETURNED: { status: 'FAILED' },
  /** The return was dishonored, so the money is there again. */
  RESTORED: { status: 'COMPLETED' },
  /** The dishonor was contested, so the money is gone for good. */
  CONTESTED: { status: 'FAILED' },
  REVERSED: { status: 'FAILED' },
  /** The payout to the receiver's external account failed. */
  REFUNDING: { status: 'FAILED', refund: 'PENDING' },
  REFUNDED: { status: 'FAILED', refund: 'COMPLETED' },
  REFUND_FAILED: { status: 'FAILED', refund: 'FAILED' },
} as const satisfies Readonly<Record<string, Shown>>;
export type IncomingState = keyof typeof INCOMING_STATES;

export type AccountId = InternalAccountId | ExternalAccountId;

/** Progress of the payment on its rail, as `railDetails` of one end shows it. */
export const RAIL_STATUSES = ['PENDING', 'SETTLED', 'RETURNED', 'RETURN_DISHONORED', 'RETURN_CONTESTED', 'REVERSED', 'FAILED'] as const;
export type RailStatus = (typeof RAIL_STATUSES)[number];

export type BankRailDetails = {
  readonly paymentRail: 'ACH' | 'ACH_SAME_DAY' | 'WIRE' | 'RTP' | 'FEDNOW';
  readonly status: RailStatus;
  /** Trace number, IMAD or end-to-end id. */
  readonly reference: string;
  readonly bankAccount?: {
    readonly accountHolderName?: string;
    readonly routingNumber?: string;
    readonly accountNumber?: string;
    readonly bankName?: string;
  };
  readonly settledAt?: string;
  readonly returnedAt?: string;
  readonly dishonoredAt?: string;
  readonly contestedAt?: string;
  readonly reversedAt?: string;
};

/** Shown from settlement on: a transaction has no hash before it is on its chain. `network` is absent for Lightning. */
export type ChainDetails = { readonly paymentRail: 'ONCHAIN'; readonly transactionHash: string; readonly network?: string };

export type RailDetails = BankRailDetails | ChainDetails;

export const isAch = (rail: RailDetails): rail is BankRailDetails => rail.paymentRail === 'ACH' || rail.paymentRail === 'ACH_SAME_DAY';

export type PaymentSource =
  | { readonly type: 'ACCOUNT'; readonly accountId: AccountId; readonly rail?: RailDetails | undefined }
  | { readonly type: 'UMA_ADDRESS'; readonly umaAddress: string }
  | { readonly type: 'REALTIME_FUNDING'; readonly rail?: RailDetails | undefined };

export type PaymentDestination =
  | { readonly type: 'ACCOUNT'; readonly accountId: AccountId; readonly rail?: RailDetails | undefined }
  | { readonly type: 'UMA_ADDRESS'; readonly umaAddress: string };

export type Amount = { readonly amount: bigint; readonly currency: CurrencyCode };

export type RequestedField = { readonly name: string; readonly mandatory: boolean };

export type Refund = { readonly reason: RefundReason; readonly initiatedAt: Date; readonly settledAt: Date | null };

type Common = {
  readonly id: TransactionId;
  /** Whose money it is; null for the platform itself. */
  readonly customerId: CustomerId | null;
  /** As shown: the platform's id for its own payments. */
  readonly platformCustomerId: string;
  readonly quoteId: QuoteId | null;
  readonly source: PaymentSource;
  readonly destination: PaymentDestination;
  readonly sent: Amount;
  readonly received: Amount;
  /** Part of the sent amount. `platformFees` is part of `fees`. */
  readonly fees: bigint;
  readonly platformFees: bigint;
  /** Sending units per receiving unit, as shown. */
  readonly exchangeRate: string;
  readonly rateDetails: RateDetails | null;
  /** What arrived for realtime funding, where it is not the sent amount. */
  readonly fundedAmount: bigint | null;
  readonly paymentRail: string | null;
  readonly railSelection: 'AUTO' | 'MANUAL' | null;
  readonly failureReason: string | null;
  readonly pendingReason: string | null;
  readonly refund: Refund | null;
  readonly description: string | null;
  readonly remittanceInformation: string | null;
  readonly purposeOfPayment: string | null;
  readonly counterpartyInformation: Readonly<Record<string, unknown>> | null;
  /** The platform's account that receives `platformFees`. */
  readonly feeAccountId: InternalAccountId | null;
  /** The other holder's payment, where both hold accounts here. */
  readonly counterpartId: TransactionId | null;
  /** The account that an incoming payment is paid to, where its destination is another: a UMA address or a rule-based account. */
  readonly creditTo: AccountId | null;
  /** The data of the receiver that the sender of an incoming payment asks for. */
  readonly requestedFields: readonly RequestedField[];
  /** What the reserve paid of a returned deposit. */
  readonly borne: bigint;
  readonly ruleBasedAccountId: InternalAccountId | null;
  readonly agentId: Id<'Agent'> | null;
  readonly settledAt: Date | null;
  /** Of a rail that is not instant: when the outcome is due, and how long after the execution that is. */
  readonly expectedSettlementAt: Date | null;
  readonly settlementSeconds: number | null;
  readonly receiptConfirmedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type OutgoingPayment = Common & { readonly type: 'OUTGOING'; readonly state: OutgoingState };
export type IncomingPayment = Common & { readonly type: 'INCOMING'; readonly state: IncomingState };
export type Payment = OutgoingPayment | IncomingPayment;

/** A message of a rail about a payment. */
export type RailMessage = {
  readonly id: string;
  readonly kind: RailMessageKind;
  readonly reason: string | null;
};
