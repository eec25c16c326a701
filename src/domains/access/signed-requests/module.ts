import type { Module } from '../../../module.js';
import { signedRequestJobs } from './jobs.js';
import { signedRequestRoutes } from './routes.js';

export const signedRequests: Module = {
  name: 'access/signed-requests',
  tables: ['signed_requests'],
  create: ({ config, db }) => ({ operations: signedRequestRoutes({ db }), jobs: signedRequestJobs(config.retention.signedRequestsMs) }),
};
