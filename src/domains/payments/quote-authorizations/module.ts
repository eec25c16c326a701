import { listen, type Module } from '../../../module.js';
import { paymentDeps } from '../payments/actions.js';
import { strongAuthentication } from '../quotes/hooks.js';
import { createStrongAuthentication } from './actions.js';
import { quoteAuthorizationRoutes } from './routes.js';

export const quoteAuthorizations: Module = {
  name: 'payments/quote-authorizations',
  listeners: [listen(strongAuthentication, createStrongAuthentication)],
  create: (context) => {
    const authentication = () => context.hooks.only(strongAuthentication);
    return { operations: quoteAuthorizationRoutes({ ...context, ...paymentDeps(context), authentication }) };
  },
};
