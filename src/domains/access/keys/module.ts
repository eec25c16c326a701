import type { Context } from '../../../context.js';
import { listen, type Module } from '../../../module.js';
import { accountsClosed, accountsOpened, cardCapabilities } from '../../accounts/internal-accounts/hooks.js';
import { notSentYet } from '../../core/webhooks/schemas.js';
import { contactChanging, customerDeleted } from '../../identity/customers/hooks.js';
import { endCredentials, endDelegations, guardContactChange, startCredentials } from './actions.js';
import { fundingSources } from './hooks.js';
import { keyJobs } from './jobs.js';
import { keyRoutes } from './routes.js';
import { WalletOperation } from './wallet-operation-schemas.js';

const depsOf = (context: Context) => ({ ...context, fundingSources: context.hooks.only(fundingSources) });

export const keys: Module = {
  name: 'access/keys',
  tables: ['auth_credentials', 'otp_challenges', 'auth_sessions', 'signed_requests', 'delegated_keys'],
  reads: ['internal_accounts'],
  hooks: [fundingSources],
  listeners: [
    listen(accountsOpened, () => startCredentials),
    listen(
      contactChanging,
      ({ signer }) =>
        (tx, change) =>
          guardContactChange(signer, tx, change),
    ),
    listen(customerDeleted, (context) => (tx, platformId, customer, now) => endDelegations(depsOf(context), tx, platformId, customer, now)),
    listen(
      accountsClosed,
      ({ signer }) =>
        (tx, platformId, customer, now) =>
          endCredentials(signer, tx, platformId, customer, now),
    ),
  ],
  events: { 'wallet-operation': notSentYet(WalletOperation) },
  create: (context) => ({
    operations: keyRoutes({ ...depsOf(context), cardCapabilitiesFor: context.hooks.only(cardCapabilities) }),
    jobs: keyJobs,
  }),
};
