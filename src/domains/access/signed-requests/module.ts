import type { Module } from '../../../module.js';
import { signedRequestJobs } from './jobs.js';

export const signedRequests: Module = {
  name: 'access/signed-requests',
  tables: ['signed_requests'],
  create: ({ config }) => ({ jobs: signedRequestJobs(config.retention.signedRequestsMs) }),
};
