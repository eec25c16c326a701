import { BASE_PATH } from '../../../http/server.js';
import { movesByEvent } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../customers/hooks.js';
import { endOf } from './actions.js';
import { documentContent, documentsOf, documentsSubmitted, holdersRemoved, uploadFromPage } from './hooks.js';
import { verificationJobs } from './jobs.js';
import { verificationRoutes } from './routes.js';
import { CUSTOMER_STATUSES, VERIFICATION_MOVES } from './rules.js';
import { VerificationSchema } from './schemas.js';

export const verifications: Module = {
  name: 'identity/verifications',
  tables: ['beneficial_owners', 'verifications', 'kyc_links'],
  hooks: [documentContent, documentsOf, documentsSubmitted, holdersRemoved, uploadFromPage],
  listeners: [listen(customerDeleted, (context) => (tx, platformId, customer, now) => endOf(tx, context, platformId, customer, now))],
  transitions: {
    KycStatus: movesByEvent(CUSTOMER_STATUSES),
    KybStatus: movesByEvent(CUSTOMER_STATUSES),
    VerificationStatus: VERIFICATION_MOVES,
  },
  events: { 'verification-update': VerificationSchema },
  create: (context) => ({
    operations: verificationRoutes({
      ...context,
      mode: context.config.mode,
      pageUrl: (token) => `${context.url()}${BASE_PATH}/kyc/${token}`,
    }),
    jobs: verificationJobs(context),
  }),
};
