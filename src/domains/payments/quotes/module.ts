import type { Module } from '../../../module.js';
import { strongAuthentication } from './hooks.js';

export const quotes: Module = {
  name: 'payments/quotes',
  tables: ['quotes'],
  reads: ['payments'],
  hooks: [strongAuthentication],
};
