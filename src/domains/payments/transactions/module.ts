import type { Module } from '../../../module.js';
import { paymentDeps } from '../payments/actions.js';
import { agentDecision } from './hooks.js';
import { transactionRoutes } from './routes.js';

export const transactions: Module = {
  name: 'payments/transactions',
  hooks: [agentDecision],
  create: (context) => {
    const { db, isSandbox, hooks } = context;
    return { operations: transactionRoutes({ ...paymentDeps(context), db, isSandbox, decideForAgent: () => hooks.all(agentDecision)[0] }) };
  },
};
