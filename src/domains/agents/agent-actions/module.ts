import type { Context } from '../../../context.js';
import { SIGNATURE_HEADER } from '../../../http/signed-call.js';
import { listen, type Module } from '../../../module.js';
import { cardCapabilities } from '../../accounts/internal-accounts/hooks.js';
import { paymentDeps } from '../../payments/payments/actions.js';
import { agentPaymentEnded } from '../../payments/payments/hooks.js';
import { strongAuthentication } from '../../payments/quotes/hooks.js';
import { agentsDeleted } from '../agents/hooks.js';
import { accountRoutes } from './account-routes.js';
import { failActionOf, rejectActionsOf } from './actions.js';
import { agentActionJobs } from './jobs.js';
import { actionRoutes } from './routes.js';
import { AgentActionSchema } from './schemas.js';

const depsOf = (context: Context) => ({
  ...paymentDeps(context),
  db: context.db,
  signer: context.signer,
  authentication: () => context.hooks.all(strongAuthentication)[0],
  signatureHeaders: [SIGNATURE_HEADER, ...context.config.walletSignatureHeaderAliases].map((name) => name.toLowerCase()),
});

export const agentActions: Module = {
  name: 'agents/agent-actions',
  tables: ['agent_actions'],
  listeners: [listen(agentsDeleted, () => rejectActionsOf), listen(agentPaymentEnded, () => failActionOf)],
  events: { 'agent-action': AgentActionSchema },
  create: (context) => ({
    operations: [
      ...actionRoutes(depsOf(context)),
      ...accountRoutes({ db: context.db, cardCapabilitiesFor: context.hooks.only(cardCapabilities) }),
    ],
    jobs: agentActionJobs(),
  }),
};
