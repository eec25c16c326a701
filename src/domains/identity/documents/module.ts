import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../customers/hooks.js';
import { documentsOf, documentsSubmitted, holdersRemoved } from '../verifications/hooks.js';
import { removeDocumentsOf } from './actions.js';
import { documentRoutes } from './routes.js';
import { lockDocumentsOf, markSubmitted } from './store.js';

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
    listen(
      holdersRemoved,
      ({ files }) =>
        (tx, platformId, holderIds) =>
          removeDocumentsOf(tx, files, platformId, holderIds),
    ),
    listen(documentsOf, () => lockDocumentsOf),
    listen(documentsSubmitted, () => markSubmitted),
  ],
  create: (context) => ({ operations: documentRoutes(context) }),
};
