import type { Module } from '../../module.js';

export const ledger: Module = {
  name: 'ledger',
  tables: ['ledger_accounts', 'holds', 'transfers', 'entries'],
  reads: ['platforms'],
};
