import type { Context } from '../../../context.js';
import { DAY_MS } from '../../../kernel/time.js';
import { listen, type Module } from '../../../module.js';
import { amountsToReturn } from '../../accounts/internal-accounts/hooks.js';
import { cardClosed } from '../cards/hooks.js';
import { type AuthorizationDeps, cardWallets, createAuthorize, findOutstanding, reconcileClosedCard } from './actions.js';
import { networkHistory, pullDelayed } from './hooks.js';
import { authorizationRoutes } from './routes.js';
import { CardTransactionSchema } from './schemas.js';

const depsOf = (context: Context): AuthorizationDeps => ({
  db: context.db,
  wallets: cardWallets(context),
  holdLifeMs: context.config.cardHoldDays * DAY_MS,
  schedulePull: context.hooks.only(pullDelayed),
  findNetworkHistory: context.hooks.only(networkHistory),
});

export const authorizations: Module = {
  name: 'cards/authorizations',
  tables: ['card_transactions', 'card_days'],
  reads: [
    'cards',
    'card_funding_sources',
    'card_messages',
    'customers',
    'delegated_keys',
    'internal_accounts',
    'ledger_accounts',
    'platforms',
  ],
  hooks: [pullDelayed, networkHistory],
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
      operations: authorizationRoutes({ ...deps, authorize: createAuthorize(deps), issuerDeadlineMs: config.issuerDeadlineMs, log }),
    };
  },
};
