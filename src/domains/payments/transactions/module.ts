import type { Module } from '../../../module.js';
import { notSentYet } from '../../core/webhooks/schemas.js';
import { IncomingPayment, OutgoingTransaction } from './payment-schemas.js';
import { transactionRoutes } from './routes.js';

export const transactions: Module = {
  name: 'payments/transactions',
  events: { 'incoming-payment': notSentYet(IncomingPayment), 'outgoing-payment': notSentYet(OutgoingTransaction) },
  create: ({ db }) => ({ operations: transactionRoutes({ db }) }),
};
