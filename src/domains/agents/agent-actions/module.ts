import type { Context } from '../../../context.js';
import { signatureHeadersOf } from '../../../http/signed-call.js';
import { movesByEvent } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { cardCapabilities } from '../../accounts/internal-accounts/hooks.js';
import { agentPaymentEnded } from '../../payments/payments/hooks.js';
import { quoteDeps } from '../../payments/quotes/actions.js';
import { agentDecision } from '../../payments/transactions/hooks.js';
import { agentsDeleted } from '../agents/hooks.js';
import { accountRoutes } from './account-routes.js';
import { decideTransaction, failActionOf, rejectActionsOf } from './actions.js';
import { agentActionJobs } from './jobs.js';
import { actionRoutes } from './routes.js';
import { ACTION_MOVES } from './rules.js';
import { AgentActionSchema } from './schemas.js';
import { transactionRoutes } from './transaction-routes.js';

const depsOf = (context: Context) => ({
  ...quoteDeps(context),
  db: context.db,
  signatureHeaders: signatureHeadersOf(context.config),
});

export const agentActions: Module = {
  name: 'agents/agent-actions',
  tables: ['agent_actions'],
  listeners: [
    listen(agentsDeleted, () => rejectActionsOf),
    listen(agentPaymentEnded, () => failActionOf),
    listen(agentDecision, (context) => (tx, decision) => decideTransaction(quoteDeps(context), tx, decision)),
  ],
  transitions: { AgentActionStatus: movesByEvent(ACTION_MOVES) },
  events: { 'agent-action': AgentActionSchema },
  create: (context) => ({
    operations: [
      ...actionRoutes(depsOf(context)),
      ...transactionRoutes({ db: context.db, isSandbox: context.isSandbox }),
      ...accountRoutes({ db: context.db, cardCapabilitiesFor: context.hooks.only(cardCapabilities) }),
    ],
    jobs: agentActionJobs(),
  }),
};
