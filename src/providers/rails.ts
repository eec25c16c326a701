// Payment rails: they carry payouts to accounts outside the service and collect debits from them.
// A rail takes an order inside the transaction of the payment, so an order is given exactly once: an implementation for a partner writes it
// to an outbox of its own there and talks to the partner later. What happens to the order arrives as messages, each of which counts once.
import type { Tx } from '../db/pool.js';
import { ApiError } from '../kernel/errors.js';
import type { Fraction } from '../kernel/fraction.js';
import type { Id, PlatformId, TransactionId } from '../kernel/ids.js';
import type { CurrencyCode } from '../kernel/money.js';

export const RAIL_MESSAGE_KINDS = [
  'ACCEPTED',
  'SETTLED',
  'FAILED',
  'RETURNED',
  'CANCELLED',
  'COLLECTED',
  'COLLECTION_FAILED',
  'REFUND_PAID',
  'REFUND_FAILED',
  'DISHONORED',
  'CONTESTED',
  'REVERSED',
] as const;
export type RailMessageKind = (typeof RAIL_MESSAGE_KINDS)[number];

/** A message that the rail already knows it will send, and when. A live rail usually knows none. */
export type ScheduledMessage = {
  /** Unique among the messages of the payment. */
  readonly id: string;
  readonly kind: RailMessageKind;
  /** Why a payment failed, as the API names it. */
  readonly reason?: string;
  readonly afterMs: number;
};

/** Data of the two parties that the travel rule requires with a transfer of crypto assets. */
export type TravelRuleData = {
  readonly originator: {
    readonly name: string;
    readonly accountId: string;
    readonly address?: Readonly<Record<string, string>>;
    readonly birthDate?: string;
    readonly registrationNumber?: string;
  };
  readonly beneficiary: { readonly name?: string; readonly country?: string; readonly vaspName?: string };
};

/**
 * QUOTE: executed from a quote. TRANSFER: the bank acknowledges it first. FORWARD: money that arrived for a receiver goes on to the account
 * outside that the receiver has chosen for it.
 */
export type OrderKind = 'QUOTE' | 'TRANSFER' | 'FORWARD';
/** No account is debited for a payment that arrives by itself. */
export type DebitKind = Exclude<OrderKind, 'FORWARD'>;

export type Payout = {
  readonly platformId: PlatformId;
  readonly paymentId: TransactionId;
  readonly kind: OrderKind;
  readonly amount: bigint;
  readonly currency: CurrencyCode;
  /** Null for wallets and Lightning. */
  readonly paymentRail: string | null;
  /** The account number, address or other identifier that money goes to. */
  readonly identifier: string;
  readonly remittanceInformation?: string | undefined;
  readonly purposeOfPayment?: string | undefined;
  readonly travelRule?: TravelRuleData | undefined;
};

/** A document that the partner of a payout asks for. */
export type SupportingDocument = {
  readonly documentType: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Read within the transaction: it is erased with its commit. */
  content(): AsyncIterable<Buffer>;
};

export type Attachment = {
  readonly platformId: PlatformId;
  readonly quoteId: Id<'Quote'>;
  readonly documents: readonly SupportingDocument[];
};

export type Debit = Omit<Payout, 'travelRule' | 'purposeOfPayment' | 'kind'> & { readonly kind: DebitKind };

/** A refund of a payout that failed, was returned or was cancelled. */
export type RefundOrder = Pick<Payout, 'platformId' | 'paymentId' | 'kind' | 'identifier' | 'amount' | 'currency'>;

/** An order that is to be stopped. */
export type CancelledOrder = Omit<RefundOrder, 'kind'>;

/** The fee of one transfer on a chain: units of the asset that pays for it, and what that costs in US dollars. */
export type NetworkFee = { readonly asset: string; readonly amount: bigint; readonly usd: Fraction };

export type RailProvider = {
  /** Undefined for a network that no transfer can be made on. */
  networkFee(network: string): NetworkFee | undefined;
  submit(tx: Tx, payout: Payout): Promise<readonly ScheduledMessage[]>;
  /** Hands over the documents of a payment that is quoted. Whether the partner takes them. */
  attach(tx: Tx, attachment: Attachment): Promise<boolean>;
  collect(tx: Tx, debit: Debit): Promise<readonly ScheduledMessage[]>;
  /** Asks the rail to stop a payout or debit. Whether it does. */
  cancel(tx: Tx, order: CancelledOrder): Promise<boolean>;
  /** The way back of a payment: to the balance it came from, or over a rail to the payer. */
  refund(tx: Tx, order: RefundOrder): Promise<readonly ScheduledMessage[]>;
};

const refuse = (): never => {
  throw new ApiError('NOT_IMPLEMENTED', undefined, { reason: 'No payment rail is connected.' });
};
const notConnected = async (): Promise<never> => refuse();

/** A live installation connects partners of its own. */
export const noRails: RailProvider = {
  networkFee: refuse,
  submit: notConnected,
  attach: notConnected,
  collect: notConnected,
  cancel: notConnected,
  refund: notConnected,
};
