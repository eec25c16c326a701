import type { Module } from '../../../module.js';
import { accountsRequired, contactChanging, customerDeleted, customerDeleting } from './hooks.js';
import { customerRoutes } from './routes.js';
import { CustomerOneOf } from './schemas.js';

export const customers: Module = {
  name: 'identity/customers',
  tables: ['customers'],
  reads: ['beneficial_owners'],
  hooks: [accountsRequired, contactChanging, customerDeleting, customerDeleted],
  events: { 'customer-update': CustomerOneOf },
  create: (context) => ({ operations: customerRoutes(context) }),
};
