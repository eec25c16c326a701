import type { Module } from '../../../module.js';
import { paymentDeps } from '../payments/actions.js';
import { transactionRoutes } from './routes.js';

export const transactions: Module = {
  name: 'payments/transactions',
  create: (context) => ({ operations: transactionRoutes({ ...paymentDeps(context), db: context.db }) }),
};
