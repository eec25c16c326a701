import type { Module } from '../../module.js';
import { daySumsUpkeep } from './day-sums.js';
import { createBalanceMetrics } from './metrics.js';

export const ledger: Module = {
  name: 'ledger',
  tables: ['ledger_accounts', 'transfers', 'entries', 'service_day_sums', 'service_sums_progress'],
  create: ({ db, metrics, log }) => ({ upkeep: [daySumsUpkeep], background: createBalanceMetrics(metrics.registry, db, log) }),
};
