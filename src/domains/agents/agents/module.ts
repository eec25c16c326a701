import { createGuessThrottle } from '../../../http/guess-throttle.js';
import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../../identity/customers/hooks.js';
import { deleteAgentsOf } from './actions.js';
import { agentsDeleted } from './hooks.js';
import { agentRoutes } from './routes.js';

/** Unknown device codes that one address may try in a minute. */
const GUESSES_PER_MINUTE = 20;

export const agents: Module = {
  name: 'agents/agents',
  tables: ['agents', 'agent_device_codes'],
  reads: ['platforms'],
  hooks: [agentsDeleted],
  listeners: [
    listen(
      customerDeleted,
      ({ hooks }) =>
        (tx, platformId, { id }, now) =>
          deleteAgentsOf({ hooks }, tx, platformId, id, now),
    ),
  ],
  create: ({ db, secrets, config, rates, hooks }) => ({
    operations: agentRoutes({ db, secrets, mode: config.mode, rates, hooks, guess: createGuessThrottle(GUESSES_PER_MINUTE) }),
  }),
};
