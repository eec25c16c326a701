import type { Module } from '../../../module.js';
import { searchRoutes } from './routes.js';

export const search: Module = {
  name: 'core/search',
  reads: [
    'customers',
    'beneficial_owners',
    'verifications',
    'documents',
    'import_jobs',
    'internal_accounts',
    'external_accounts',
    'cards',
    'card_disputes',
    'payments',
    'card_transactions',
    'quotes',
    'payment_documents',
    'stablecoins',
    'stablecoin_operations',
    'agents',
    'agent_actions',
    'delegated_keys',
    'auth_credentials',
    'auth_sessions',
    'signed_requests',
    'api_tokens',
    'webhook_events',
    'request_log',
  ],
  create: ({ db }) => ({ operations: searchRoutes({ db }) }),
};
