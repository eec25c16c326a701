import type { Context } from '../../../context.js';
import { movesByEvent } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../../identity/customers/hooks.js';
import { revokeKeysOf } from './actions.js';
import { fundingSources } from './hooks.js';
import { delegatedKeyRoutes } from './routes.js';
import { KEY_MOVES } from './rules.js';

const depsOf = (context: Context) => ({ ...context, fundingSources: context.hooks.only(fundingSources) });

export const delegatedKeys: Module = {
  name: 'access/delegated-keys',
  tables: ['delegated_keys'],
  hooks: [fundingSources],
  listeners: [
    listen(customerDeleted, (context) => (tx, platformId, customer, now) => revokeKeysOf(depsOf(context), tx, platformId, customer, now)),
  ],
  transitions: { DelegatedKeyStatus: movesByEvent(KEY_MOVES) },
  create: (context) => ({ operations: delegatedKeyRoutes(depsOf(context)) }),
};
