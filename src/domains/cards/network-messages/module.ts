import { DAY_MS } from '../../../kernel/time.js';
import { listen, type Module } from '../../../module.js';
import { cardWallets } from '../authorizations/actions.js';
import { networkHistory, pullDelayed } from '../authorizations/hooks.js';
import { findNetworkHistory, schedulePull } from './actions.js';
import { createBatchedRecord } from './batch.js';
import { networkMessageJobs } from './jobs.js';
import { networkMessageRoutes } from './routes.js';

export const networkMessages: Module = {
  name: 'cards/network-messages',
  tables: ['card_messages'],
  reads: ['platforms', 'card_transactions', 'holds'],
  listeners: [listen(pullDelayed, () => schedulePull), listen(networkHistory, () => findNetworkHistory)],
  create: (context) => {
    const { db, config, log } = context;
    const deps = { db, wallets: cardWallets(context), holdLifeMs: config.cardHoldDays * DAY_MS };
    return { operations: networkMessageRoutes(deps, createBatchedRecord(deps)), jobs: networkMessageJobs({ ...deps, log }) };
  },
};
