import { listen, type Module } from '../../../module.js';
import { credentialUsable } from '../webhooks/hooks.js';
import { isTokenUsable } from './actions.js';
import { currenciesChanged } from './hooks.js';
import { platformRoutes } from './routes.js';

export const platform: Module = {
  name: 'core/platform',
  tables: ['platforms', 'api_tokens', 'platform_keys', 'service_secrets'],
  hooks: [currenciesChanged],
  listeners: [
    listen(
      credentialUsable,
      ({ db }) =>
        ({ platformId, tokenId }) =>
          isTokenUsable(db, platformId, tokenId),
    ),
  ],
  create: (context) => ({ operations: platformRoutes(context) }),
};
