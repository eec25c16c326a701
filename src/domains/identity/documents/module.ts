import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../customers/hooks.js';
import { documentContent, documentsOf, documentsSubmitted, holdersRemoved, uploadFromPage } from '../verifications/hooks.js';
import { openDocument, removeDocumentsOf, replaceDocument, uploadDocument } from './actions.js';
import { documentRoutes } from './routes.js';
import { parseFields } from './schemas.js';
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
    listen(documentContent, (context) => (db, platformId, id) => openDocument(db, context, platformId, id)),
    listen(uploadFromPage, (context) => async (tx, { platformId, holderId, replaces, fields, file, now }) => {
      const draft = parseFields(fields, file);
      if (replaces) await replaceDocument(tx, context, { platformId, id: replaces, draft, now });
      else await uploadDocument(tx, context, { platformId, documentHolder: holderId, draft, now });
    }),
  ],
  create: (context) => ({ operations: documentRoutes(context) }),
};
