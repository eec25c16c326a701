import type { Context } from '../../../context.js';
import { signatureHeadersOf } from '../../../http/signed-call.js';
import type { Module } from '../../../module.js';
import { quoteDeps } from './actions.js';
import { strongAuthentication } from './hooks.js';
import { quoteRoutes } from './routes.js';

const depsOf = (context: Context) => ({
  ...quoteDeps(context),
  db: context.db,
  signatureHeaders: signatureHeadersOf(context.config),
});

export const quotes: Module = {
  name: 'payments/quotes',
  tables: ['quotes'],
  reads: ['payments'],
  hooks: [strongAuthentication],
  create: (context) => ({ operations: quoteRoutes(depsOf(context)) }),
};
