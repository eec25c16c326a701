import { BASE_PATH } from '../../../http/server.js';
import { movesByEvent } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../../identity/customers/hooks.js';
import { removeAccountsOf } from './actions.js';
import { externalAccountJobs } from './jobs.js';
import { type LivenessPass, sealLivenessPass } from './liveness-pass.js';
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
  create: ({ db, custody, url }) => {
    // The page that decides every liveness check of the sandbox is served with strong authentication.
    const livenessLink = (pass: LivenessPass) => `${url()}${BASE_PATH}/sandbox/sca/liveness?token=${sealLivenessPass(custody, pass)}`;
    return { operations: externalAccountRoutes(db, livenessLink), jobs: externalAccountJobs };
  },
};
