// The banks and mobile wallets that an external account can be opened at.
import { type Operation, ok, operation } from '../../../http/operation.js';
import { findInstitutions } from './rules.js';
import { DiscoveryListResponse, DiscoveryQuery } from './schemas.js';

export const discoveryRoutes = (): Operation[] => [
  operation({
    id: 'getDiscoveries',
    method: 'GET',
    path: '/discoveries',
    tag: 'Discoveries',
    summary: 'List banks and mobile wallets by country and currency',
    permission: 'VIEW',
    query: DiscoveryQuery,
    success: { 200: DiscoveryListResponse },
    handle: async ({ query }) => ok({ data: findInstitutions(query) }),
  }),
];
