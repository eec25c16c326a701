// Actions of agents as the API shows them.
import Type from 'typebox';
import { Currency, Enum, OneOf, Timestamp } from '../../../http/schemas.js';
import { ScaChallengeSchema } from '../../access/sca/schemas.js';
import { PaymentInstructions, PurposeOfPayment } from '../../accounts/internal-accounts/schemas.js';
import { CardTransactionSchema } from '../../cards/authorizations/schemas.js';
import { PaymentRail } from '../../core/platform/schemas.js';
import {
  CounterpartyInformation,
  IncomingTransaction,
  OutgoingRateDetails,
  OutgoingTransaction,
} from '../../payments/transactions/payment-schemas.js';

const text = Type.String();
const maybeText = Type.Optional(Type.String());
const money = () => Type.Integer({ format: 'int64', minimum: 0 });
const total = () => Type.Integer({ format: 'int64', exclusiveMinimum: 0 });
const rate = () => Type.Number({ exclusiveMinimum: 0 });

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
    scaChallenge: Type.Optional(ScaChallengeSchema),
  },
  { title: 'Quote' },
);

export const AgentAction = Type.Object(
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
