import type { Module } from '../../../module.js';
import { quoteDeps } from '../quotes/actions.js';
import { transferRoutes } from './routes.js';

export const transfers: Module = {
  name: 'payments/transfers',
  create: (context) => ({ operations: transferRoutes(quoteDeps(context)) }),
};
