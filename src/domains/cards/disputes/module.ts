import { movesByEvent } from '../../../kernel/lifecycle.js';
import type { Module } from '../../../module.js';
import { cardWallets } from '../authorizations/actions.js';
import { disputeRoutes } from './routes.js';
import { DISPUTE_MOVES } from './rules.js';

export const disputes: Module = {
  name: 'cards/disputes',
  tables: ['card_disputes'],
  transitions: { SandboxCardDisputeStatus: movesByEvent(DISPUTE_MOVES) },
  create: (context) => ({ operations: disputeRoutes({ wallets: cardWallets(context) }) }),
};
