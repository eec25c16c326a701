// A quote: what a payment is priced at, and how it will be paid for.
import type { Fraction } from '../../../kernel/fraction.js';
import type { CustomerId, ExternalAccountId, Id } from '../../../kernel/ids.js';
import type { PaymentInstructions } from '../../accounts/internal-accounts/internal-account.js';
import type { Amount, OutgoingPayment, PaymentStatus, QuoteId } from '../payments/payment.js';

export type { ScaFactor } from '../../access/sca/sca.js';
export type { QuoteId } from '../payments/payment.js';

/** How the money is provided. */
export type Funding = 'PREFUNDED' | 'EMBEDDED_WALLET' | 'REALTIME' | 'PULL';

export type QuoteSource =
  | { readonly sourceType: 'ACCOUNT'; readonly accountId: string; readonly customerId?: string }
  | { readonly sourceType: 'REALTIME_FUNDING'; readonly currency: string; readonly customerId?: string; readonly cryptoNetwork?: string };

export type QuoteDestination =
  | { readonly destinationType: 'ACCOUNT'; readonly accountId: string; readonly paymentRail?: string }
  | { readonly destinationType: 'UMA_ADDRESS'; readonly umaAddress: string; readonly currency: string };

export type NewQuote = {
  readonly id: QuoteId;
  readonly funding: Funding;
  /** Both ends as requested. */
  readonly source: QuoteSource;
  readonly destination: QuoteDestination;
  readonly documentIds: readonly Id<'PaymentDocument'>[];
  /** The exact rate that must still be honoured at execution. Null within one currency. */
  readonly rate: Fraction | null;
  readonly paymentInstructions: readonly PaymentInstructions[] | null;
  /** What the owner of an embedded wallet signs; null for other sources. */
  readonly payloadToSign: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** The payment carries the state: the status of a quote is the status of its payment. */
export type Quote = NewQuote & { readonly payment: OutgoingPayment };

/** A challenge of strong customer authentication, as the API shows it. */
export type ScaChallenge = { readonly id: string; readonly expiresAt: string; readonly [member: string]: unknown };

/** A quote as a reader sees it at a moment, with its open challenge. */
export type ReadQuote = { readonly quote: Quote; readonly challenge: ScaChallenge | undefined };

/** What strong customer authentication binds a challenge to. */
export type ScaSubject = {
  readonly id: QuoteId;
  readonly customerId: CustomerId | null;
  readonly status: PaymentStatus;
  readonly sent: Amount;
  readonly received: Amount;
  readonly funding: Funding;
  readonly destinationAccountId: ExternalAccountId | null;
};
