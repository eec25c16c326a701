import type { Context } from '../../../context.js';
import { movesByEvent } from '../../../kernel/lifecycle.js';
import { createSlots } from '../../../kernel/slots.js';
import { DAY_MS } from '../../../kernel/time.js';
import { listen, type Module } from '../../../module.js';
import { amountsToReturn } from '../../accounts/internal-accounts/hooks.js';
import { cardClosed } from '../cards/hooks.js';
import { type AuthorizationDeps, type Authorize, cardWallets, createAuthorize, findOutstanding, reconcileClosedCard } from './actions.js';
import { networkHistory, pullDelayed } from './hooks.js';
import { STATUS_MOVES } from './lifecycle.js';
import { authorizationRoutes } from './routes.js';
import { CardTransactionSchema } from './schemas.js';

/** Connections of the decision pool that no decision waiting for a lock takes: for a batch and for a credential look-up. */
const KEPT_FREE = 2;

const depsOf = (context: Context): AuthorizationDeps => ({
  db: context.db,
  wallets: cardWallets(context),
  holdLifeMs: context.config.cardHoldDays * DAY_MS,
  schedulePull: context.hooks.only(pullDelayed),
  findNetworkHistory: context.hooks.only(networkHistory),
});

export const authorizations: Module = {
  name: 'cards/authorizations',
  tables: ['card_transactions'],
  reads: [
    'cards',
    'card_disputes',
    'card_funding_sources',
    'card_messages',
    'customers',
    'delegated_keys',
    'holds',
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
  transitions: { CardTransactionStatus: movesByEvent(STATUS_MOVES) },
  events: { 'card-transaction': CardTransactionSchema },
  create: (context) => {
    const deps = depsOf(context);
    const { log, config, decisions } = context;
    const whileWaiting = createSlots(config.databaseDecisionPoolSize - KEPT_FREE);
    const decide = createAuthorize({ ...deps, db: context.decisionDb, whileWaiting });
    const authorize: Authorize = (platformId, request) => decisions.during(() => decide(platformId, request));
    return { operations: authorizationRoutes({ ...deps, authorize, issuerDeadlineMs: config.issuerDeadlineMs, log }) };
  },
};
