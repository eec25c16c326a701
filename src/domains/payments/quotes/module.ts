import type { Context } from '../../../context.js';
import { signatureHeadersOf } from '../../../http/signed-call.js';
import { listen, type Module } from '../../../module.js';
import { outsideSweeps } from '../../accounts/internal-accounts/hooks.js';
import { quoteDeps } from './actions.js';
import { strongAuthentication } from './hooks.js';
import { quoteRoutes } from './routes.js';
import { sweepsBy } from './sweep.js';

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
  listeners: [listen(outsideSweeps, (context) => sweepsBy(() => quoteDeps(context)))],
  create: (context) => ({ operations: quoteRoutes(depsOf(context)) }),
};
