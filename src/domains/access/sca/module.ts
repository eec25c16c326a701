import { BASE_PATH } from '../../../http/server.js';
import { listen, type Module } from '../../../module.js';
import { contactChanged, customerDeleted } from '../../identity/customers/hooks.js';
import { beneficiaryRoutes, livenessRoutes } from './beneficiary-routes.js';
import { scaJobs } from './jobs.js';
import { forgetCustomer, forgetPhone } from './listeners.js';
import { scaRoutes } from './routes.js';
import { RESET_MOVES } from './rules.js';

export const sca: Module = {
  name: 'access/sca',
  tables: ['sca_customers', 'sca_factors', 'sca_enrollments', 'sca_challenges', 'sca_limits', 'sca_resets'],
  listeners: [listen(contactChanged, () => forgetPhone), listen(customerDeleted, () => forgetCustomer)],
  transitions: { TwoFactorResetState: RESET_MOVES },
  create: (context) => {
    const deps = { ...context, serviceUrl: () => context.url() + BASE_PATH };
    return { operations: [...scaRoutes(deps), ...beneficiaryRoutes(deps), ...livenessRoutes(deps)], jobs: scaJobs };
  },
};
