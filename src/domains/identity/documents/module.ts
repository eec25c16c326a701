import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../customers/hooks.js';
import { removeDocumentsOf } from './actions.js';
import { documentRoutes } from './routes.js';

export const documents: Module = {
  name: 'identity/documents',
  tables: ['documents', 'document_downloads'],
  listeners: [
    listen(
      customerDeleted,
      ({ files }) =>
        (tx, platformId, { id }) =>
          removeDocumentsOf(tx, files, platformId, [id]),
    ),
  ],
  create: (context) => ({ operations: documentRoutes(context) }),
};
