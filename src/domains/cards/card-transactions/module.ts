import type { Context } from '../../../context.js';
import { DAY_MS } from '../../../kernel/time.js';
import { listen, type Module } from '../../../module.js';
import { authorizePulls } from '../../access/delegated-keys/actions.js';
import { fundingSources } from '../../access/delegated-keys/hooks.js';
import { amountsToReturn } from '../../accounts/internal-accounts/hooks.js';
import { cardClosed } from '../cards/hooks.js';
import { type CardTransactionDeps, createAuthorize, findOutstanding, reconcileClosedCard } from './actions.js';
import { cardTransactionJobs } from './jobs.js';
import { cardTransactionRoutes } from './routes.js';
import { CardTransactionSchema } from './schemas.js';

const depsOf = (context: Context): CardTransactionDeps => {
  const keys = { ...context, fundingSources: context.hooks.only(fundingSources) };
  return {
    db: context.db,
    wallets: { authorize: (tx, platformId, pulls, now) => authorizePulls(keys, tx, platformId, pulls, now) },
    holdLifeMs: context.config.cardHoldDays * DAY_MS,
  };
};

export const cardTransactions: Module = {
  name: 'cards/card-transactions',
  tables: ['card_transactions', 'card_days', 'card_messages', 'card_disputes'],
  reads: ['cards', 'card_funding_sources', 'customers', 'delegated_keys', 'internal_accounts', 'ledger_accounts', 'platforms'],
  listeners: [
    listen(amountsToReturn, () => findOutstanding),
    listen(
      cardClosed,
      () =>
        (tx, platformId, { id }, now) =>
          reconcileClosedCard(tx, platformId, id, now),
    ),
  ],
  events: { 'card-transaction': CardTransactionSchema },
  create: (context) => {
    const deps = depsOf(context);
    const { log, config } = context;
    return {
      operations: cardTransactionRoutes({ ...deps, authorize: createAuthorize(deps), issuerDeadlineMs: config.issuerDeadlineMs, log }),
      jobs: cardTransactionJobs({ ...deps, log }),
    };
  },
};
