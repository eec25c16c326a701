import { movesByEvent } from '../../../kernel/lifecycle.js';
import { listen, type Module } from '../../../module.js';
import { customerDeleted } from '../../identity/customers/hooks.js';
import { eraseExpired, removeDocumentsOf } from './actions.js';
import { paymentDocumentRoutes } from './routes.js';
import { DOCUMENT_MOVES } from './rules.js';
import { firstExpiry } from './store.js';

export const paymentDocuments: Module = {
  name: 'payments/payment-documents',
  tables: ['payment_documents'],
  listeners: [
    listen(
      customerDeleted,
      ({ files }) =>
        (tx, platformId, { id }) =>
          removeDocumentsOf(tx, files, platformId, id),
    ),
  ],
  transitions: { PaymentDocumentStatus: movesByEvent(DOCUMENT_MOVES) },
  create: ({ db, files }) => ({
    operations: paymentDocumentRoutes({ db, files }),
    jobs: [
      {
        name: 'payment-document-expiry',
        firstDue: firstExpiry,
        run: (jobDb, platformId, now, isOver) => eraseExpired(jobDb, files, platformId, now, isOver),
      },
    ],
  }),
};
