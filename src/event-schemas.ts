// What `data` of each kind of event holds, for the API document. Kinds that are sent carry the resource of the domain that owns it;
// the payloads of kinds that are not sent yet stand here until their domains do.
import Type from 'typebox';
import { CardTransactionSchema, TransactionDirection, TransactionStatus } from './domains/card-transactions/schemas.js';
import { CardSchema } from './domains/cards/schemas.js';
import { CustomerOneOf } from './domains/customers/schemas.js';
import { ExternalAccountSchema } from './domains/external-accounts/schemas.js';
import { InternalAccountSchema, PaymentInstructions, PurposeOfPayment } from './domains/internal-accounts/schemas.js';
import { CounterpartyFieldDefinition, PaymentRail } from './domains/platform/schemas.js';
import { type EventSchemas, notSentYet } from './domains/webhooks/schemas.js';
import { Currency, CurrencyAmount, Enum, NullableInteger, NullableString, OneOf, Timestamp } from './http/schemas.js';

const text = Type.String();
const maybeText = Type.Optional(Type.String());
const maybeTime = Type.Optional(Timestamp());
const money = () => Type.Integer({ format: 'int64', minimum: 0 });
const total = () => Type.Integer({ format: 'int64', exclusiveMinimum: 0 });
const rate = () => Type.Number({ exclusiveMinimum: 0 });

// ---- how a payment travelled

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
        status: Enum(['PENDING', 'SETTLED', 'RETURNED', 'RETURN_DISHONORED', 'RETURN_CONTESTED', 'REVERSED', 'FAILED']),
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

const CounterpartyInformation = Type.Object({}, { title: 'CounterpartyInformation', additionalProperties: true });

const OutgoingRateDetails = Type.Object(
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
const IncomingTransaction = Type.Object(incoming, { title: 'IncomingTransaction' });

const IncomingPayment = Type.Object(
  { ...incoming, requestedReceiverCustomerInfoFields: Type.Optional(Type.Array(CounterpartyFieldDefinition)) },
  { title: 'IncomingPaymentWebhookData' },
);

const OutgoingTransaction = Type.Object(
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

// ---- agents

const ScaFactor = Enum(['SMS_OTP', 'TOTP', 'PASSKEY'], { title: 'ScaFactor' });

const Quote = Type.Object(
  {
    id: text,
    status: Enum(['PENDING', 'PENDING_AUTHORIZATION', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED']),
    createdAt: Timestamp(),
    expiresAt: Timestamp(),
    source: OneOf(
      'sourceType',
      [
        Type.Object({ sourceType: Enum(['ACCOUNT']), accountId: text, customerId: maybeText }, { title: 'AccountQuoteSource' }),
        Type.Object(
          { sourceType: Enum(['REALTIME_FUNDING']), currency: text, customerId: maybeText, cryptoNetwork: maybeText },
          { title: 'RealtimeFundingQuoteSource' },
        ),
      ],
      { title: 'QuoteSourceOneOf' },
    ),
    destination: OneOf(
      'destinationType',
      [
        Type.Object(
          { destinationType: Enum(['ACCOUNT']), accountId: text, paymentRail: Type.Optional(PaymentRail) },
          { title: 'AccountDestination' },
        ),
        Type.Object(
          { destinationType: Enum(['UMA_ADDRESS']), umaAddress: Type.String({ maxLength: 200 }), currency: text },
          { title: 'UmaAddressDestination' },
        ),
      ],
      { title: 'QuoteDestinationOneOf' },
    ),
    sendingCurrency: Currency,
    receivingCurrency: Currency,
    totalSendingAmount: total(),
    totalReceivingAmount: total(),
    exchangeRate: rate(),
    feesIncluded: money(),
    platformFeesIncluded: Type.Optional(money()),
    paymentInstructions: Type.Optional(Type.Array(PaymentInstructions)),
    transactionId: text,
    counterpartyInformation: Type.Optional(CounterpartyInformation),
    rateDetails: Type.Optional(OutgoingRateDetails),
    purposeOfPayment: Type.Optional(PurposeOfPayment),
    documentIds: Type.Optional(Type.Array(text)),
    scaChallenge: Type.Optional(
      Type.Object(
        {
          id: text,
          expiresAt: Timestamp(),
          factor: ScaFactor,
          availableFactors: Type.Array(ScaFactor),
          purpose: Type.Optional(NullableString({})),
          passkeyAssertionOptions: Type.Optional(Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])),
          passkeyAllowedOrigins: Type.Optional(Type.Union([Type.Array(text), Type.Null()])),
        },
        { title: 'ScaChallenge' },
      ),
    ),
  },
  { title: 'Quote' },
);

const AgentAction = Type.Object(
  {
    id: text,
    agentId: text,
    customerId: text,
    platformCustomerId: text,
    status: Enum(['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED'], { title: 'AgentActionStatus' }),
    type: Enum(['EXECUTE_QUOTE'], { title: 'AgentActionType' }),
    quote: Type.Optional(Quote),
    transaction: Type.Optional(OneOf('type', [IncomingTransaction, OutgoingTransaction, CardTransactionSchema])),
    rejectionReason: maybeText,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'AgentAction' },
);

// ---- customers in bulk, invitations, verifications

const count = Type.Integer();

const BulkCustomerImportJob = Type.Object(
  {
    id: text,
    status: Enum(['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'], { title: 'BulkCustomerImportJobStatus' }),
    progress: Type.Object({ total: count, processed: count, successful: count, failed: count }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            correlationId: text,
            code: maybeText,
            message: maybeText,
            details: Type.Optional(Type.Object({}, { additionalProperties: true })),
          },
          { title: 'BulkCustomerImportErrorEntry' },
        ),
      ),
    ),
    completedAt: maybeTime,
  },
  { title: 'BulkCustomerImportJob' },
);

const UmaInvitation = Type.Object(
  {
    code: text,
    status: Enum(['PENDING', 'CLAIMED', 'EXPIRED', 'CANCELLED'], { title: 'UmaInvitationStatus' }),
    url: text,
    inviterUma: text,
    inviteeUma: maybeText,
    firstName: maybeText,
    amountToSend: Type.Optional(CurrencyAmount),
    createdAt: Timestamp(),
    claimedAt: maybeTime,
    expiresAt: maybeTime,
  },
  { title: 'UmaInvitation' },
);

const DocumentType = Enum(
  [
    'PASSPORT',
    'DRIVERS_LICENSE',
    'NATIONAL_ID',
    'PROOF_OF_ADDRESS',
    'BANK_STATEMENT',
    'TAX_RETURN',
    'CERTIFICATE_OF_INCORPORATION',
    'ARTICLES_OF_INCORPORATION',
    'ARTICLES_OF_ASSOCIATION',
    'STATE_REGISTRY_EXCERPT',
    'GOOD_STANDING_CERTIFICATE',
    'INFORMATION_STATEMENT',
    'INCUMBENCY_CERTIFICATE',
    'BUSINESS_LICENSE',
    'SHAREHOLDER_REGISTER',
    'POWER_OF_ATTORNEY',
    'UTILITY_BILL',
    'ELECTRICITY_BILL',
    'RENT_OR_LEASE_AGREEMENT',
    'DIRECTOR_REGISTRY',
    'TRUST_AGREEMENT',
    'STATE_COMPANY_REGISTRY',
    'PARTNERSHIP_CONTROL_AGREEMENT',
    'PARTNERSHIP_AGREEMENT',
    'SELFIE',
    'OTHER',
  ],
  { title: 'DocumentType' },
);

const VerificationErrorType = Enum(
  [
    'MISSING_FIELD',
    'INVALID_FIELD',
    'MISSING_LEGAL_PRESENCE_DOCUMENT',
    'MISSING_CONTROL_STRUCTURE_DOCUMENT',
    'MISSING_OWNERSHIP_STRUCTURE_DOCUMENT',
    'MISSING_PROOF_OF_ADDRESS_DOCUMENT',
    'MISSING_IDENTITY_DOCUMENT',
    'INVALID_DOCUMENT',
    'EXPIRED_DOCUMENT',
    'POOR_QUALITY_DOCUMENT',
    'SUSPECTED_FRAUD_DOCUMENT',
    'WRONG_DOCUMENT_TYPE',
    'INCOMPLETE_DOCUMENT',
    'UNREADABLE_DOCUMENT',
    'DOCUMENT_VERIFICATION_FAILED',
    'APPLICANT_SANCTIONED',
    'APPLICANT_FRAUD',
    'APPLICANT_CRIMINAL_RECORD',
    'APPLICANT_REJECTED',
    'MISSING_BENEFICIAL_OWNER',
    'MISSING_CONTROL_PERSON',
    'MISSING_GOOD_STANDING_DOCUMENT',
  ],
  { title: 'VerificationErrorType' },
);

const Verification = Type.Object(
  {
    id: text,
    customerId: text,
    verificationStatus: Enum(['RESOLVE_ERRORS', 'PENDING_MANUAL_REVIEW', 'IN_PROGRESS', 'APPROVED', 'REJECTED', 'READY_FOR_VERIFICATION'], {
      title: 'VerificationStatus',
    }),
    errors: Type.Array(
      Type.Object(
        {
          resourceId: text,
          type: VerificationErrorType,
          field: maybeText,
          acceptedDocumentTypes: Type.Optional(Type.Array(DocumentType)),
          reason: text,
        },
        { title: 'VerificationError' },
      ),
    ),
    createdAt: Timestamp(),
    updatedAt: maybeTime,
  },
  { title: 'Verification' },
);

// ---- wallets

const walletOperation = {
  operationId: text,
  requestId: text,
  operationType: Enum(['auth_credential.create', 'auth_credential.delete', 'session.revoke', 'wallet.export', 'customer.contact_update']),
  resourceType: Enum(['AUTH_METHOD', 'SESSION', 'INTERNAL_ACCOUNT', 'CUSTOMER'], { title: 'WalletOperationResourceType' }),
  resourceId: text,
};

const WalletOperation = OneOf(
  'status',
  [
    Type.Object({ status: Enum(['completed']), ...walletOperation }, { title: 'WalletOperationCompletedData' }),
    Type.Object(
      { status: Enum(['failed']), ...walletOperation, error: Type.Object({ code: text }, { title: 'OperationError' }) },
      { title: 'WalletOperationFailedData' },
    ),
  ],
  { title: 'WalletOperationWebhookData' },
);

export const EVENT_SCHEMAS: EventSchemas = {
  'agent-action': notSentYet(AgentAction),
  'incoming-payment': notSentYet(IncomingPayment),
  'outgoing-payment': notSentYet(OutgoingTransaction),
  'bulk-upload': notSentYet(BulkCustomerImportJob),
  'invitation-claimed': notSentYet(UmaInvitation),
  'customer-update': CustomerOneOf,
  'internal-account-status': InternalAccountSchema,
  'external-account-status': ExternalAccountSchema,
  'verification-update': notSentYet(Verification),
  'card-status-change': CardSchema,
  'card-pin-status-change': CardSchema,
  'card-transaction': CardTransactionSchema,
  'wallet-operation': notSentYet(WalletOperation),
};
