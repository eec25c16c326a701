import type { Module } from '../../module.js';
import { sandboxRoutes } from './routes.js';

export const sandbox: Module = {
  name: 'sandbox',
  create: ({ db, log, jobs }) => ({ operations: sandboxRoutes({ db, log, jobs }) }),
};
