import type { Module } from '../../../module.js';
import { transactionRoutes } from './routes.js';

export const transactions: Module = {
  name: 'payments/transactions',
  create: ({ db }) => ({ operations: transactionRoutes({ db }) }),
};
