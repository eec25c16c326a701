import type { Context } from '../../../context.js';
import { SIGNATURE_HEADER } from '../../../http/signed-call.js';
import type { Module } from '../../../module.js';
import { paymentDeps } from '../payments/actions.js';
import { strongAuthentication } from './hooks.js';
import { quoteRoutes } from './routes.js';

const depsOf = (context: Context) => ({
  ...paymentDeps(context),
  db: context.db,
  signer: context.signer,
  files: context.files,
  custody: context.custody,
  umaPeers: context.umaPeers,
  authentication: () => context.hooks.all(strongAuthentication)[0],
  signatureHeaders: [SIGNATURE_HEADER, ...context.config.walletSignatureHeaderAliases].map((name) => name.toLowerCase()),
});

export const quotes: Module = {
  name: 'payments/quotes',
  tables: ['quotes'],
  reads: ['payments'],
  hooks: [strongAuthentication],
  create: (context) => ({ operations: quoteRoutes(depsOf(context)) }),
};
