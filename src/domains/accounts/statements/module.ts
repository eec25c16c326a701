import type { Module } from '../../../module.js';
import { statementRoutes } from './routes.js';

export const statements: Module = {
  name: 'accounts/statements',
  tables: ['statement_receipts'],
  reads: ['internal_accounts', 'ledger_accounts', 'entries', 'transfers', 'card_funding_sources'],
  create: ({ db, config }) => ({ operations: statementRoutes({ db, settlementLagMs: config.cardSettlementLagMs }) }),
};
