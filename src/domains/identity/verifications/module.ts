import { BASE_PATH } from '../../../http/server.js';
import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../customers/hooks.js';
import { endOf } from './actions.js';
import { documentContent, documentsOf, documentsSubmitted, holdersRemoved, uploadFromPage } from './hooks.js';
import { verificationJobs } from './jobs.js';
import { verificationRoutes } from './routes.js';
import { VerificationSchema } from './schemas.js';

export const verifications: Module = {
  name: 'identity/verifications',
  tables: ['beneficial_owners', 'verifications', 'kyc_links'],
  hooks: [documentContent, documentsOf, documentsSubmitted, holdersRemoved, uploadFromPage],
  listeners: [listen(customerDeleted, (context) => (tx, platformId, customer, now) => endOf(tx, context, platformId, customer, now))],
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
