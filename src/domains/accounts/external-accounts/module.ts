import { movesByEvent } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../../identity/customers/hooks.js';
import { removeAccountsOf } from './actions.js';
import { externalAccountJobs } from './jobs.js';
import { externalAccountRoutes } from './routes.js';
import { TRANSITIONS } from './rules.js';
import { ExternalAccountSchema } from './schemas.js';

export const externalAccounts: Module = {
  name: 'accounts/external-accounts',
  tables: ['external_accounts', 'ownership_proofs'],
  reads: ['platforms'],
  listeners: [listen(customerDeleted, () => removeAccountsOf)],
  transitions: { ExternalAccountStatus: movesByEvent(TRANSITIONS) },
  events: { 'external-account-status': ExternalAccountSchema },
  create: ({ db }) => ({ operations: externalAccountRoutes(db), jobs: externalAccountJobs }),
};
