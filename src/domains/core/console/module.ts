import type { Module } from '../../../module.js';
import { consoleUpkeep } from './actions.js';

export const consoleSessions: Module = {
  name: 'core/console',
  tables: ['console_sessions', 'console_codes'],
  reads: ['platforms', 'api_tokens'],
  create: ({ config }) => ({ upkeep: [consoleUpkeep(config.mode)] }),
};
