import type { Module } from '../../../module.js';
import { sessionJobs } from './jobs.js';
import { sessionRoutes } from './routes.js';

export const sessions: Module = {
  name: 'access/sessions',
  tables: ['auth_sessions'],
  reads: ['auth_credentials'],
  create: (context) => ({ operations: sessionRoutes(context), jobs: sessionJobs(context.config.retention.sessionsMs) }),
};
