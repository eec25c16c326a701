// Quotes on the wire.
import Type, { type Static } from 'typebox';
import { Closed, Currency, Enum, OneOf, Timestamp } from '../../../http/schemas.js';
import { SIGNATURE_HEADER } from '../../../http/signed-call.js';
import { type ErrorCode, invalidField } from '../../../kernel/errors.js';
import { currencyOf, toWire } from '../../../kernel/money.js';
import { ScaChallengeSchema, ScaFactorSchema } from '../../access/sca/schemas.js';
import { PaymentInstructions, PlatformFeeOverride, PurposeOfPayment } from '../../accounts/internal-accounts/schemas.js';
import { PaymentRail } from '../../core/platform/schemas.js';
import { statusOf } from '../payments/actions.js';
import { CounterpartyInformation, OutgoingRateDetails } from '../payments/payment-schemas.js';
import type { Quote, QuoteDestination, QuoteSource, ScaChallenge } from './quote.js';
import type { QuoteRequest } from './rules.js';

const text = Type.String();
const idText = () => Type.String({ maxLength: 255 });
const money = () => Type.Integer({ format: 'int64', minimum: 0 });
const total = () => Type.Integer({ format: 'int64', exclusiveMinimum: 0 });

export const QuoteSourceOneOf = OneOf<QuoteSource>(
  'sourceType',
  [
    Closed({ sourceType: Enum(['ACCOUNT']), accountId: idText(), customerId: Type.Optional(idText()) }, { title: 'AccountQuoteSource' }),
    Closed(
      {
        sourceType: Enum(['REALTIME_FUNDING']),
        currency: idText(),
        customerId: Type.Optional(idText()),
        cryptoNetwork: Type.Optional(idText()),
      },
      { title: 'RealtimeFundingQuoteSource' },
    ),
  ],
  { title: 'QuoteSourceOneOf' },
);

export const QuoteDestinationOneOf = OneOf<QuoteDestination>(
  'destinationType',
  [
    Closed(
      { destinationType: Enum(['ACCOUNT']), accountId: idText(), paymentRail: Type.Optional(PaymentRail) },
      { title: 'AccountDestination' },
    ),
    Closed(
      { destinationType: Enum(['UMA_ADDRESS']), umaAddress: Type.String({ maxLength: 200 }), currency: idText() },
      { title: 'UmaAddressDestination' },
    ),
  ],
  { title: 'QuoteDestinationOneOf' },
);

export const QuoteRequestSchema = Closed(
  {
    source: QuoteSourceOneOf,
    destination: QuoteDestinationOneOf,
    lockedCurrencySide: Enum(['SENDING', 'RECEIVING'], {
      title: 'QuoteLockSide',
      description:
        'Which side of the payment has the locked amount. Fees come out of a locked sending amount and on top of a receiving one.',
    }),
    lockedCurrencyAmount: Type.Integer({
      format: 'int64',
      exclusiveMinimum: 0,
      maximum: 9_000_000_000_000_000,
      description: 'In the smallest unit of the currency of the locked side.',
    }),
    lookupId: Type.Optional(
      Type.String({ maxLength: 255, description: 'The look-up of the receiver. Required for a UMA address; it is good for an hour.' }),
    ),
    immediatelyExecute: Type.Optional(
      Type.Boolean({
        description: 'Creates and executes the quote in one step, or does neither. Not for embedded wallets and realtime funding.',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 1024, description: 'A note for the platform, shown on the transaction.' })),
    remittanceInformation: Type.Optional(
      Type.String({ maxLength: 80, pattern: '^[ -~]*$', description: 'Travels with the payment to the receiver: printable ASCII.' }),
    ),
    purposeOfPayment: Type.Optional(PurposeOfPayment),
    documentIds: Type.Optional(
      Type.Array(idText(), {
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
        description: 'Uploaded documents that support the payment, where the destination asks for them. Needs an `Idempotency-Key`.',
      }),
    ),
    platformFeeOverride: Type.Optional(PlatformFeeOverride),
    scaFactor: Type.Optional(ScaFactorSchema),
    senderCustomerInfo: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            "Data about the sender that the receiver's provider asks for, by the names in `requiredPayerDataFields` of the look-up. What is left out is taken from the customer's record.",
        },
      ),
    ),
  },
  { title: 'QuoteRequest' },
);

export const ExecuteQuoteRequest = Closed({ scaFactor: Type.Optional(ScaFactorSchema) }, { title: 'ExecuteQuoteRequest' });

export const SandboxSendRequest = Closed(
  {
    quoteId: Type.String({ maxLength: 255, description: 'A quote with realtime funding that waits for its money.' }),
    currencyCode: Type.String({ maxLength: 255, description: 'The sending currency of the quote.' }),
    currencyAmount: Type.Optional(
      Type.Integer({
        format: 'int64',
        exclusiveMinimum: 0,
        maximum: 9_000_000_000_000_000,
        description: 'What the payer sends, in the smallest unit. Default: exactly what the quote asks for.',
      }),
    ),
  },
  { title: 'SandboxSendRequest' },
);

export const QuoteSchema = Type.Object(
  {
    id: text,
    status: Enum(['PENDING', 'PENDING_AUTHORIZATION', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED'], { title: 'QuoteStatus' }),
    createdAt: Timestamp(),
    expiresAt: Timestamp(),
    source: QuoteSourceOneOf,
    destination: QuoteDestinationOneOf,
    sendingCurrency: Currency,
    receivingCurrency: Currency,
    totalSendingAmount: total(),
    totalReceivingAmount: total(),
    exchangeRate: Type.Number({ exclusiveMinimum: 0, description: 'Sending units per receiving unit, in whole units, after fees.' }),
    feesIncluded: money(),
    platformFeesIncluded: Type.Optional(money()),
    paymentInstructions: Type.Optional(Type.Array(PaymentInstructions)),
    transactionId: text,
    counterpartyInformation: Type.Optional(CounterpartyInformation),
    rateDetails: Type.Optional(OutgoingRateDetails),
    purposeOfPayment: Type.Optional(PurposeOfPayment),
    documentIds: Type.Optional(Type.Array(text)),
    scaChallenge: Type.Optional(ScaChallengeSchema),
  },
  { title: 'Quote' },
);

/** What asking for a quote can answer, whoever asks. */
export const CREATE_QUOTE_ERRORS: readonly ErrorCode[] = [
  'ACCOUNT_NOT_FOUND',
  'CUSTOMER_NOT_FOUND',
  'LOOKUP_REQUEST_NOT_FOUND',
  'PAYMENT_DOCUMENT_NOT_FOUND',
  'BANK_ACCOUNT_VALIDATION_PENDING',
  'PAYMENT_DOCUMENT_ALREADY_USED',
  'SCA_SESSION_REQUIRED',
  'PAYMENT_DOCUMENT_EXPIRED',
  'CUSTOMER_NOT_VERIFIED',
  'END_USER_TERMS_NOT_ACCEPTED',
  'INVALID_CURRENCY',
  'AMOUNT_OUT_OF_RANGE',
  'TRANSACTION_SIZE_LIMIT_EXCEEDED',
  'SELF_PAYMENT',
  'INVALID_RECEIVER',
  'INVALID_BANK_ACCOUNT',
  'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED',
  'SENDER_NOT_ACCEPTED',
  'MISSING_MANDATORY_USER_INFO',
  'DOCUMENTS_REQUIRED',
  'INVALID_UMA_ADDRESS',
  'PARSE_PAYREQ_RESPONSE_ERROR',
  'INVALID_PUBKEY_FORMAT',
  'CERT_CHAIN_INVALID',
  'CERT_CHAIN_EXPIRED',
  'INSUFFICIENT_FUNDS',
  'DAILY_VOLUME_LIMIT_EXCEEDED',
  'UNSUPPORTED_UMA_VERSION',
  'PAYREQ_REQUEST_FAILED',
  'COUNTERPARTY_PUBKEY_FETCH_ERROR',
  'PAYMENT_DOCUMENT_ATTACHMENT_FAILED',
  'NOT_IMPLEMENTED',
  'INVALID_PAYREQ_RESPONSE',
  'COUNTERPARTY_SERVER_ERROR',
  'QUOTE_REQUEST_FAILED',
];

/** What executing a quote can answer. */
export const EXECUTE_QUOTE_ERRORS: readonly ErrorCode[] = [
  'QUOTE_NOT_FOUND',
  'ACCOUNT_NOT_FOUND',
  'CUSTOMER_NOT_FOUND',
  'QUOTE_EXPIRED',
  'CONFLICT',
  'BANK_ACCOUNT_VALIDATION_PENDING',
  'SCA_SESSION_REQUIRED',
  'WALLET_SIGNATURE_MISSING',
  'WALLET_SIGNATURE_MALFORMED',
  'WALLET_SIGNATURE_INVALID',
  'CUSTOMER_NOT_VERIFIED',
  'END_USER_TERMS_NOT_ACCEPTED',
  'QUOTE_RATE_UNAVAILABLE',
  'INVALID_RECEIVER',
  'INVALID_BANK_ACCOUNT',
  'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED',
  'INSUFFICIENT_FUNDS',
  'AMOUNT_OUT_OF_RANGE',
  'DAILY_VOLUME_LIMIT_EXCEEDED',
  'NOT_IMPLEMENTED',
];

export const OWNER_STAMP = {
  name: SIGNATURE_HEADER,
  description: "For a source that is an embedded wallet: the stamp of a session of its owner over the quote's `payloadToSign`.",
};

/** A document is used up by the first quote that names it, so a repeat must be recognised. */
export function refuseUnkeyedDocuments(
  { documentIds }: Static<typeof QuoteRequestSchema>,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): void {
  if (documentIds !== undefined && headers['idempotency-key'] === undefined)
    throw invalidField('Idempotency-Key', 'is required with documentIds');
}

/** Whether a request may ask a provider on the network. */
export const paysOverUma = ({ destination }: Static<typeof QuoteRequestSchema>): boolean => destination.destinationType === 'UMA_ADDRESS';

export const parseQuoteRequest = (body: Static<typeof QuoteRequestSchema>): QuoteRequest => ({
  source: body.source,
  destination: body.destination,
  lockedSide: body.lockedCurrencySide,
  lockedAmount: BigInt(body.lockedCurrencyAmount),
  immediatelyExecute: body.immediatelyExecute ?? false,
  description: body.description,
  remittanceInformation: body.remittanceInformation,
  purposeOfPayment: body.purposeOfPayment,
  documentIds: body.documentIds ?? [],
  lookupId: body.lookupId,
  senderCustomerInfo: (body.senderCustomerInfo ?? {}) as Readonly<Record<string, unknown>>,
  platformFeeOverride: body.platformFeeOverride && {
    fixed: {
      amount: BigInt(body.platformFeeOverride.platformFixedFee.amount),
      currency: body.platformFeeOverride.platformFixedFee.currency,
    },
    bps: BigInt(body.platformFeeOverride.platformVariableFeeBps),
  },
});

/** The instructions wait until the payer has been authenticated. */
export function renderQuote(quote: Quote, challenge?: ScaChallenge): Record<string, unknown> {
  const { payment, paymentInstructions, payloadToSign } = quote;
  const status = statusOf(payment);
  const wallet = payloadToSign === null ? null : [{ accountOrWalletInfo: { accountType: 'EMBEDDED_WALLET', payloadToSign } }];
  const instructions = status === 'PENDING_AUTHORIZATION' ? null : (wallet ?? paymentInstructions);
  return {
    id: quote.id,
    status,
    createdAt: quote.createdAt.toISOString(),
    expiresAt: quote.expiresAt.toISOString(),
    source: quote.source,
    destination: quote.destination,
    sendingCurrency: currencyOf(payment.sent.currency),
    receivingCurrency: currencyOf(payment.received.currency),
    totalSendingAmount: toWire(payment.sent.amount),
    totalReceivingAmount: toWire(payment.received.amount),
    exchangeRate: Number(payment.exchangeRate),
    feesIncluded: toWire(payment.fees),
    platformFeesIncluded: toWire(payment.platformFees),
    ...(instructions && { paymentInstructions: instructions }),
    transactionId: payment.id,
    ...(payment.counterpartyInformation && { counterpartyInformation: payment.counterpartyInformation }),
    ...(payment.rateDetails && { rateDetails: payment.rateDetails }),
    ...(payment.purposeOfPayment !== null && { purposeOfPayment: payment.purposeOfPayment }),
    ...(quote.documentIds.length > 0 && { documentIds: quote.documentIds }),
    ...(challenge && { scaChallenge: challenge }),
  };
}
