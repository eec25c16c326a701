// Payments as the API shows them: incoming and outgoing transactions and the rails that carried them.
import Type from 'typebox';
import { CurrencyAmount, Enum, NullableInteger, NullableString, OneOf, Timestamp } from '../../../http/schemas.js';
import { PaymentInstructions } from '../../accounts/internal-accounts/schemas.js';
import { CardTransactionSchema, TransactionDirection } from '../../cards/authorizations/schemas.js';
import { CounterpartyFieldDefinition, PaymentRail } from '../../core/platform/schemas.js';
import { RAIL_STATUSES } from './payment.js';

export const TransactionStatus = Enum(
  ['CREATED', 'PENDING', 'PENDING_AUTHORIZATION', 'PROCESSING', 'COMPLETED', 'REJECTED', 'FAILED', 'REFUNDED', 'EXPIRED'],
  { title: 'TransactionStatus' },
);

const text = Type.String();
const maybeText = Type.Optional(Type.String());
const maybeTime = Type.Optional(Timestamp());
const money = () => Type.Integer({ format: 'int64', minimum: 0 });
const rate = () => Type.Number({ exclusiveMinimum: 0 });

// ---- rails

const CryptoNetwork = Enum(['BITCOIN', 'ETHEREUM', 'SOLANA', 'BASE', 'POLYGON', 'TRON', 'PLASMA', 'ARBITRUM', 'SPARK'], {
  title: 'CryptoNetwork',
});
const onChain = { transactionHash: text, network: CryptoNetwork };
const OnChainTransaction = Type.Object(onChain, { title: 'OnChainTransaction', deprecated: true });

const bankAccount = { accountHolderName: maybeText, routingNumber: maybeText, accountNumber: maybeText };
const UsdBankAccountDetails = Type.Object(bankAccount, { title: 'UsdBankAccountDetails' });
const WireBankAccountDetails = Type.Object({ ...bankAccount, bankName: maybeText }, { title: 'WireBankAccountDetails' });
const settlement = Enum(['PENDING', 'SETTLED', 'FAILED']);
const instant = (title: string, rail: string) =>
  Type.Object(
    {
      paymentRail: Enum([rail]),
      status: settlement,
      endToEndId: maybeText,
      remittanceInformation: maybeText,
      bankAccount: Type.Optional(UsdBankAccountDetails),
      settledAt: maybeTime,
    },
    { title },
  );

const RailDetails = OneOf(
  'paymentRail',
  [
    Type.Object({ paymentRail: Enum(['ONCHAIN']), ...onChain }, { title: 'OnChainRailDetails' }),
    Type.Object(
      {
        paymentRail: Enum(['ACH', 'ACH_SAME_DAY']),
        status: Enum(RAIL_STATUSES),
        traceNumber: maybeText,
        addenda: maybeText,
        bankAccount: Type.Optional(UsdBankAccountDetails),
        settledAt: maybeTime,
        returnedAt: maybeTime,
        dishonoredAt: maybeTime,
        contestedAt: maybeTime,
        reversedAt: maybeTime,
      },
      { title: 'AchRailDetails' },
    ),
    Type.Object(
      {
        paymentRail: Enum(['WIRE']),
        status: settlement,
        imad: maybeText,
        originatorToBeneficiaryInformation: maybeText,
        bankAccount: Type.Optional(WireBankAccountDetails),
        settledAt: maybeTime,
      },
      { title: 'WireRailDetails' },
    ),
    instant('FedNowRailDetails', 'FEDNOW'),
    instant('RtpRailDetails', 'RTP'),
  ],
  { title: 'RailDetailsOneOf' },
);

const travelled = { railDetails: Type.Optional(RailDetails), onChainTransaction: Type.Optional(OnChainTransaction) };

// ---- payments

const TransactionSource = OneOf(
  'sourceType',
  [
    Type.Object(
      { sourceType: Enum(['ACCOUNT']), accountId: text, currency: maybeText, ...travelled },
      { title: 'AccountTransactionSource' },
    ),
    Type.Object({ sourceType: Enum(['UMA_ADDRESS']), umaAddress: text, currency: maybeText }, { title: 'UmaAddressTransactionSource' }),
    Type.Object(
      { sourceType: Enum(['REALTIME_FUNDING']), customerId: maybeText, currency: text, ...travelled },
      { title: 'RealtimeFundingTransactionSource' },
    ),
  ],
  { title: 'TransactionSourceOneOf' },
);

const TransactionDestination = OneOf(
  'destinationType',
  [
    Type.Object(
      { destinationType: Enum(['ACCOUNT']), accountId: text, currency: maybeText, ...travelled },
      { title: 'AccountTransactionDestination' },
    ),
    Type.Object(
      { destinationType: Enum(['UMA_ADDRESS']), umaAddress: text, currency: maybeText },
      { title: 'UmaAddressTransactionDestination' },
    ),
  ],
  { title: 'TransactionDestinationOneOf' },
);

export const CounterpartyInformation = Type.Object({}, { title: 'CounterpartyInformation', additionalProperties: true });

export const OutgoingRateDetails = Type.Object(
  {
    counterpartyMultiplier: rate(),
    counterpartyFixedFee: money(),
    gridApiMultiplier: rate(),
    gridApiFixedFee: money(),
    gridApiVariableFeeRate: Type.Number({ minimum: 0 }),
    gridApiVariableFeeAmount: Type.Number({ minimum: 0 }),
  },
  { title: 'OutgoingRateDetails' },
);

const payment = {
  id: text,
  direction: TransactionDirection,
  pendingReason: Type.Optional(
    Enum(['COUNTERPARTY_DECLARATION_REQUIRED', 'WALLET_VERIFICATION_REQUIRED', 'COUNTERPARTY_INFORMATION_REQUIRED', 'COMPLIANCE_REVIEW'], {
      title: 'TransactionPendingReason',
    }),
  ),
  customerId: text,
  platformCustomerId: text,
  destination: TransactionDestination,
  receivedAmount: Type.Optional(CurrencyAmount),
  exchangeRate: Type.Optional(rate()),
  fees: Type.Optional(money()),
  quoteId: maybeText,
  agentId: maybeText,
  ruleBasedAccountId: maybeText,
  description: maybeText,
  counterpartyInformation: Type.Optional(CounterpartyInformation),
  reconciliationInstructions: Type.Optional(
    Type.Object({ reference: maybeText, transactionHash: maybeText }, { title: 'ReconciliationInstructions', minProperties: 1 }),
  ),
  refund: Type.Optional(
    Type.Object(
      {
        reference: text,
        initiatedAt: Timestamp(),
        settledAt: maybeTime,
        status: Enum(['PENDING', 'COMPLETED', 'FAILED']),
        reason: Type.Optional(Enum(['TRANSACTION_FAILED', 'USER_CANCELLATION', 'TIMEOUT'])),
      },
      { title: 'Refund' },
    ),
  ),
  settledAt: maybeTime,
  receiptDeliveryConfirmedAt: maybeTime,
  createdAt: maybeTime,
  updatedAt: maybeTime,
};

const incoming = {
  type: Enum(['INCOMING']),
  status: TransactionStatus,
  ...payment,
  source: Type.Optional(TransactionSource),
  sentAmount: Type.Optional(CurrencyAmount),
  failureReason: Type.Optional(
    Enum(
      [
        'LNURLP_FAILED',
        'PAY_REQUEST_FAILED',
        'PAYMENT_APPROVAL_WEBHOOK_ERROR',
        'PAYMENT_APPROVAL_TIMED_OUT',
        'OFFRAMP_FAILED',
        'MISSING_MANDATORY_PAYEE_DATA',
        'QUOTE_EXPIRED',
        'QUOTE_EXECUTION_FAILED',
        'COMPLIANCE_REJECTED',
        'COLLECTION_FAILED',
        'SWEEP_AMOUNT_OUT_OF_RANGE',
        'SWEEP_QUOTE_FAILED',
      ],
      { title: 'IncomingTransactionFailureReason' },
    ),
  ),
};
export const IncomingTransaction = Type.Object(incoming, { title: 'IncomingTransaction' });

export const IncomingPayment = Type.Object(
  { ...incoming, requestedReceiverCustomerInfoFields: Type.Optional(Type.Array(CounterpartyFieldDefinition)) },
  { title: 'IncomingPaymentWebhookData' },
);

export const OutgoingTransaction = Type.Object(
  {
    type: Enum(['OUTGOING']),
    status: Enum(['PENDING', 'PENDING_AUTHORIZATION', 'EXPIRED', 'PROCESSING', 'COMPLETED', 'FAILED'], {
      title: 'OutgoingTransactionStatus',
    }),
    ...payment,
    source: TransactionSource,
    sentAmount: CurrencyAmount,
    platformFees: Type.Optional(money()),
    paymentInstructions: Type.Optional(Type.Array(PaymentInstructions)),
    rateDetails: Type.Optional(OutgoingRateDetails),
    paymentRail: Type.Optional(Type.Union([PaymentRail, Type.Null()])),
    railSelectionMode: Type.Optional(Enum(['AUTO', 'MANUAL'], { title: 'RailSelectionMode' })),
    expectedSettlementAt: Type.Optional(NullableString({ format: 'date-time' })),
    settlementTimelineSeconds: Type.Optional(NullableInteger({})),
    failureReason: Type.Optional(
      Enum(
        [
          'QUOTE_EXPIRED',
          'QUOTE_RATE_UNAVAILABLE',
          'QUOTE_EXECUTION_FAILED',
          'FUNDING_AMOUNT_MISMATCH',
          'SCA_NOT_COMPLETED',
          'PAYOUT_RETURNED',
          'LIMIT_EXCEEDED',
          'ACCOUNT_CANNOT_RECEIVE',
          'ACCOUNT_INVALID',
          'COMPLIANCE_REJECTED',
          'LIGHTNING_PAYMENT_FAILED',
          'COUNTERPARTY_POST_TX_FAILED',
          'SWEEP_AMOUNT_OUT_OF_RANGE',
          'SWEEP_QUOTE_FAILED',
        ],
        { title: 'OutgoingTransactionFailureReason' },
      ),
    ),
  },
  { title: 'OutgoingTransaction' },
);

/** A transaction of any kind. */
export const TransactionSchema = OneOf<unknown>('type', [IncomingTransaction, OutgoingTransaction, CardTransactionSchema], {
  title: 'TransactionOneOf',
});
