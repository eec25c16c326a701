import type { Module } from '../../../module.js';
import { cardWallets } from '../authorizations/actions.js';
import { disputeRoutes } from './routes.js';

export const disputes: Module = {
  name: 'cards/disputes',
  tables: ['card_disputes'],
  create: (context) => ({ operations: disputeRoutes({ wallets: cardWallets(context) }) }),
};
