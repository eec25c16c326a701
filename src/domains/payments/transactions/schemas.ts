// Transactions of every kind as the API lists them.
import Type from 'typebox';
import { Closed, Enum, pageOfSchema, pageQuery, Timestamp } from '../../../http/schemas.js';
import { TransactionSchema, TransactionStatus } from '../payments/payment-schemas.js';
import { COUNTED_AT_MOST, COUNTED_WITH_FILTER } from './filter-rules.js';
import { BANK_EVENTS } from './rules.js';

const page = pageOfSchema(TransactionSchema, 'TransactionListResponse');
export const TransactionListResponse = Type.Object(
  {
    ...page.properties,
    totalCount: Type.Optional(
      Type.Integer({
        description: `Number of matches, on every page. Absent if there are more than ${COUNTED_AT_MOST.toLocaleString('en-US')}, or more than ${COUNTED_WITH_FILTER.toLocaleString('en-US')} where the list is filtered.`,
      }),
    ),
  },
  { title: 'TransactionListResponse' },
);

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

export const RejectPaymentRequest = Closed(
  {
    reason: Type.Optional(
      Type.String({
        maxLength: 1024,
        description:
          'Why the payment is rejected. Of an incoming payment it is not stored. For the transaction of an agent whose action waits it becomes ' +
          'the `rejectionReason` of the action, which the agent reads.',
      }),
    ),
  },
  { title: 'RejectPaymentRequest' },
);
export const CancelTransactionRequest = Closed(
  { reason: Type.Optional(Type.String({ maxLength: 1024, description: 'Why the transfer is cancelled. A note that is not stored.' })) },
  { title: 'CancelTransactionRequest' },
);

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

const filter = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));

export const TransactionQuery = Closed({
  customerId: filter('Transactions of a customer. The id of the platform: its own payments.'),
  platformCustomerId: filter('Transactions of the customer with this id of the platform.'),
  accountIdentifier: filter('An account id or UMA address at either end.'),
  senderAccountIdentifier: filter('An account id or UMA address that money comes from.'),
  receiverAccountIdentifier: filter('An account id or UMA address that money goes to.'),
  status: Type.Optional(TransactionStatus),
  type: Type.Optional(
    Enum(['INCOMING', 'OUTGOING', 'CARD'], { description: 'Incoming payments, outgoing payments or card transactions.' }),
  ),
  cardId: filter('Transactions of a card.'),
  reference: filter('The reference of a payment, or the token of the issuer of a card transaction.'),
  startDate: Type.Optional(Timestamp({ description: 'Created at this time or later.' })),
  endDate: Type.Optional(Timestamp({ description: 'Created at this time or earlier.' })),
  ...pageQuery,
  sortOrder: Type.Optional(Enum(['asc', 'desc'], { default: 'desc', description: 'Oldest first or newest first.' })),
});
