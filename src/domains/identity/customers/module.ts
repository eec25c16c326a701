import type { Module } from '../../../module.js';
import { accountsRequired, contactChanged, contactChanging, customerDeleted, customerDeleting } from './hooks.js';
import { customerRoutes } from './routes.js';
import { CustomerOneOf } from './schemas.js';

export const customers: Module = {
  name: 'identity/customers',
  tables: ['customers'],
  reads: ['platforms', 'beneficial_owners'],
  hooks: [accountsRequired, contactChanging, contactChanged, customerDeleting, customerDeleted],
  events: { 'customer-update': CustomerOneOf },
  create: (context) => ({ operations: customerRoutes(context) }),
};
