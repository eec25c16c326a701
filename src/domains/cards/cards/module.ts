import type { Context } from '../../../context.js';
import { BASE_PATH } from '../../../http/server.js';
import { movesByEvent } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { fundingSources } from '../../access/delegated-keys/hooks.js';
import { cardCapabilities } from '../../accounts/internal-accounts/hooks.js';
import { customerDeleted } from '../../identity/customers/hooks.js';
import { type CardDeps, cardFundingSources, closeCardsOf } from './actions.js';
import { cardClosed } from './hooks.js';
import { cardJobs } from './jobs.js';
import { CARD_PROGRAMS, capabilitiesFor } from './programs.js';
import { cardRoutes, sandboxCardRoutes } from './routes.js';
import { CARD_MOVES, PIN_MOVES } from './rules.js';
import { CardSchema } from './schemas.js';

const depsOf = ({ db, log, issuer, isSandbox, hooks }: Context): CardDeps => ({
  db,
  log,
  issuer,
  programs: isSandbox ? CARD_PROGRAMS : [],
  onClosed: async (tx, platformId, card, now) => {
    for (const listener of hooks.all(cardClosed)) await listener(tx, platformId, card, now);
  },
});

export const cards: Module = {
  name: 'cards/cards',
  tables: ['cards', 'card_funding_sources', 'card_history'],
  hooks: [cardClosed],
  listeners: [
    listen(cardCapabilities, ({ isSandbox }) => (isSandbox ? capabilitiesFor : () => undefined)),
    listen(fundingSources, (context) => cardFundingSources(depsOf(context))),
    listen(customerDeleted, (context) => (tx, platformId, customer, now) => closeCardsOf(depsOf(context), tx, platformId, customer, now)),
  ],
  transitions: { CardStatus: CARD_MOVES, CardPinStatus: movesByEvent(PIN_MOVES) },
  events: { 'card-status-change': CardSchema, 'card-pin-status-change': CardSchema },
  create: (context) => {
    const deps = depsOf(context);
    const environment = context.isSandbox ? 'SANDBOX' : 'PRODUCTION';
    return {
      operations: [
        ...cardRoutes({ ...deps, environment, serviceUrl: () => context.url() + BASE_PATH }),
        ...sandboxCardRoutes(deps, context.custody),
      ],
      jobs: cardJobs(deps),
    };
  },
};
