// Transactions of every kind as the API lists them.
import Type from 'typebox';
import { Closed, Enum, OneOf, pageOfSchema, pageQuery, Timestamp } from '../../../http/schemas.js';
import { CardTransactionSchema } from '../../cards/authorizations/schemas.js';
import { IncomingTransaction, OutgoingTransaction, TransactionStatus } from '../payments/payment-schemas.js';

export const TransactionSchema = OneOf<unknown>('type', [IncomingTransaction, OutgoingTransaction, CardTransactionSchema], {
  title: 'TransactionOneOf',
});

export const TransactionListResponse = pageOfSchema(TransactionSchema, 'TransactionListResponse');

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
