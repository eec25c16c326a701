import type { Context } from '../../../context.js';
import { mergedMoves, movesBy, movesByEvent } from '../../../kernel/lifecycle.js';
import type { Module } from '../../../module.js';
import type { DepositDeps } from '../../accounts/internal-accounts/actions.js';
import { amountsToReturn, cardCapabilities } from '../../accounts/internal-accounts/hooks.js';
import { stablecoinJobs } from './jobs.js';
import type { IssuerDeps } from './links.js';
import type { OrderDeps } from './orders.js';
import { stablecoinRoutes } from './routes.js';
import { ISSUANCE, LINK_MOVES, NEXT_ENABLEMENT, REQUESTED, STEPS } from './rules.js';

const issuerDeps = ({ db, custody, stablecoinIssuer, isSandbox }: Context): IssuerDeps => ({
  db,
  custody,
  stablecoinIssuer,
  environment: isSandbox ? 'SANDBOX' : 'PRODUCTION',
});

const depositDeps = ({ hooks }: Context): DepositDeps => ({
  hooks,
  cardCapabilitiesFor: hooks.only(cardCapabilities),
  outstandingOn: hooks.only(amountsToReturn),
});

const orderDeps = (context: Context): OrderDeps => ({ ...issuerDeps(context), deposits: depositDeps(context), log: context.log });

export const stablecoins: Module = {
  name: 'payments/stablecoins',
  tables: ['stablecoin_provider_accounts', 'stablecoins', 'stablecoin_operations', 'stablecoin_linked_accounts'],
  transitions: {
    StablecoinProviderAccountStatus: movesByEvent(LINK_MOVES),
    StablecoinOperationStatus: movesByEvent(STEPS),
    StablecoinIssuanceStatus: movesBy('PROVIDER', ISSUANCE),
    StablecoinGridOperationsStatus: mergedMoves(movesBy('REQUESTED', REQUESTED), movesBy('SERVICE', NEXT_ENABLEMENT)),
  },
  create: (context) => ({
    operations: stablecoinRoutes(orderDeps(context)),
    jobs: stablecoinJobs(orderDeps(context)),
  }),
};
