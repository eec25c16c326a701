import type { Module } from '../../../module.js';
import { agreementRoutes } from './routes.js';

export const agreements: Module = {
  name: 'identity/agreements',
  create: () => ({ operations: agreementRoutes }),
};
