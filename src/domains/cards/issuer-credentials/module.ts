import type { Module } from '../../../module.js';
import { issuerCredentialRoutes } from './routes.js';

export const issuerCredentials: Module = {
  name: 'cards/issuer-credentials',
  tables: ['issuer_credentials'],
  reads: ['platforms'],
  create: (context) => ({ operations: issuerCredentialRoutes(context) }),
};
