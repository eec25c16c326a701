import type { Context } from '../../../context.js';
import { movesByEvent } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { currenciesChanged } from '../../core/platform/hooks.js';
import { accountsRequired, customerDeleted, customerDeleting } from '../../identity/customers/hooks.js';
import { closeAccountsOf, lockOpenAccounts, openAccountsOf, openPlatformAccounts } from './actions.js';
import { accountsClosed, accountsOpened, amountsToReturn, cardCapabilities, depositReceived, outsideSweeps } from './hooks.js';
import { internalAccountRoutes } from './routes.js';
import { ACCOUNT_MOVES } from './rules.js';
import { InternalAccountSchema } from './schemas.js';

const depsOf = ({ db, deposits, hooks }: Context) => ({
  db,
  deposits,
  hooks,
  cardCapabilitiesFor: hooks.only(cardCapabilities),
  outstandingOn: hooks.only(amountsToReturn),
});

export const internalAccounts: Module = {
  name: 'accounts/internal-accounts',
  tables: ['internal_accounts'],
  reads: ['ledger_accounts', 'platforms', 'card_funding_sources'],
  hooks: [accountsOpened, accountsClosed, cardCapabilities, amountsToReturn, depositReceived, outsideSweeps],
  listeners: [
    listen(
      currenciesChanged,
      ({ deposits }) =>
        (tx, platform, now) =>
          openPlatformAccounts(tx, deposits, platform, now),
    ),
    listen(
      accountsRequired,
      ({ deposits, hooks }) =>
        (tx, required) =>
          openAccountsOf(tx, { deposits, hooks }, required),
    ),
    listen(
      customerDeleting,
      () =>
        async (tx, platformId, { id }) =>
          void (await lockOpenAccounts(tx, platformId, id)),
    ),
    listen(
      customerDeleted,
      (context) => (tx, platformId, customer, now) => closeAccountsOf(tx, depsOf(context), platformId, customer, now),
    ),
  ],
  transitions: { InternalAccountStatus: movesByEvent(ACCOUNT_MOVES) },
  events: { 'internal-account-status': InternalAccountSchema },
  create: (context) => ({ operations: internalAccountRoutes(depsOf(context)) }),
};
