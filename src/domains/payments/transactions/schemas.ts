// Transactions of every kind as the API lists them.
import Type from 'typebox';
import { Closed, Enum, OneOf, pageOfSchema, pageQuery, Timestamp } from '../../../http/schemas.js';
import { CardTransactionSchema } from '../../cards/authorizations/schemas.js';
import { IncomingTransaction, OutgoingTransaction, TransactionStatus } from '../payments/payment-schemas.js';
import { BANK_EVENTS } from './rules.js';

export const TransactionSchema = OneOf<unknown>('type', [IncomingTransaction, OutgoingTransaction, CardTransactionSchema], {
  title: 'TransactionOneOf',
});

export const TransactionListResponse = pageOfSchema(TransactionSchema, 'TransactionListResponse');

export const ApprovePaymentRequest = Closed(
  {
    receiverCustomerInfo: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'The data of the receiver that the sender asked for in `requestedReceiverCustomerInfoFields`, by the names of the fields.',
      }),
    ),
  },
  { title: 'ApprovePaymentRequest' },
);

const reason = (what: string) => Type.Optional(Type.String({ maxLength: 1024, description: `Why ${what}. A note that is not stored.` }));

export const RejectPaymentRequest = Closed({ reason: reason('the payment is rejected') }, { title: 'RejectPaymentRequest' });
export const CancelTransactionRequest = Closed({ reason: reason('the transfer is cancelled') }, { title: 'CancelTransactionRequest' });

export const ConfirmReceiptDeliveryRequest = Closed(
  {
    receiptDeliveryConfirmedAt: Type.Optional(
      Timestamp({
        description: 'When the receipt was delivered: not before the transaction was created and not in the future. Default: now.',
      }),
    ),
  },
  { title: 'ConfirmReceiptDeliveryRequest' },
);

export const SandboxRailEvent = Closed(
  {
    event: Enum(BANK_EVENTS, {
      description:
        'RETURN and REVERSE follow a settlement, DISHONOR follows a return, CONTEST follows a dishonored return. REVERSE exists for incoming payments only.',
    }),
  },
  { title: 'SandboxRailEvent' },
);

const filter = () => Type.Optional(Type.String({ maxLength: 255 }));

export const TransactionQuery = Closed({
  customerId: filter(),
  platformCustomerId: filter(),
  accountIdentifier: filter(),
  senderAccountIdentifier: filter(),
  receiverAccountIdentifier: filter(),
  status: Type.Optional(TransactionStatus),
  type: Type.Optional(Enum(['INCOMING', 'OUTGOING', 'CARD'])),
  cardId: filter(),
  reference: filter(),
  startDate: Type.Optional(Timestamp()),
  endDate: Type.Optional(Timestamp()),
  ...pageQuery,
  sortOrder: Type.Optional(Enum(['asc', 'desc'], { default: 'desc' })),
});
