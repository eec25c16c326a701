import { listen, type Module } from '../../../module.js';
import { accountsClosed, accountsOpened } from '../../accounts/internal-accounts/hooks.js';
import { contactChanging } from '../../identity/customers/hooks.js';
import { endCredentialsOf, guardContactChange, insertFirstCredentialsOf } from './actions.js';
import { credentialJobs } from './jobs.js';
import { credentialRoutes, sandboxIssuerRoutes } from './routes.js';

export const credentials: Module = {
  name: 'access/credentials',
  tables: ['auth_credentials', 'otp_challenges'],
  reads: ['internal_accounts'],
  listeners: [
    listen(accountsOpened, () => insertFirstCredentialsOf),
    listen(
      contactChanging,
      ({ signer }) =>
        (tx, change) =>
          guardContactChange(signer, tx, change),
    ),
    listen(
      accountsClosed,
      ({ signer }) =>
        (tx, platformId, customer, now) =>
          endCredentialsOf(signer, tx, platformId, customer, now),
    ),
  ],
  create: (context) => ({
    operations: [...credentialRoutes(context), ...sandboxIssuerRoutes(context.sandboxIssuerKey)],
    jobs: credentialJobs(context.config.retention.oneTimeCodesMs),
  }),
};
