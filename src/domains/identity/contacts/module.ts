import { listen, type Module } from '../../../module.js';
import { contactChanged, customerDeleted } from '../customers/hooks.js';
import { contactRoutes } from './routes.js';
import { deleteCodes, voidCodes } from './store.js';

export const contacts: Module = {
  name: 'identity/contacts',
  tables: ['contact_codes'],
  listeners: [
    listen(
      contactChanged,
      () =>
        (tx, { platformId, customer, channels }) =>
          voidCodes(tx, platformId, customer.id, channels),
    ),
    listen(
      customerDeleted,
      () =>
        (tx, platformId, { id }) =>
          deleteCodes(tx, platformId, id),
    ),
  ],
  create: (context) => ({
    operations: contactRoutes({ ...context, messenger: context.isSandbox ? context.messengers.sandbox : context.messengers.live }),
  }),
};
