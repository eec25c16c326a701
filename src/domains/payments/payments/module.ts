import type { Module } from '../../../module.js';
import { paymentDeps } from './actions.js';
import { agentPaymentEnded, umaPayout } from './hooks.js';
import { paymentJobs } from './jobs.js';
import { IncomingPayment, OutgoingTransaction } from './payment-schemas.js';

export const payments: Module = {
  name: 'payments/payments',
  tables: ['payments', 'rail_messages', 'payment_days'],
  reads: ['platforms'],
  hooks: [agentPaymentEnded, umaPayout],
  events: { 'incoming-payment': IncomingPayment, 'outgoing-payment': OutgoingTransaction },
  create: (context) => ({ jobs: paymentJobs({ ...paymentDeps(context), db: context.db, log: context.log }) }),
};
