// Operations on payment documents.
import type { Db } from '../../../db/pool.js';
import { created, type Operation, ok, operation } from '../../../http/operation.js';
import { parseId } from '../../../kernel/ids.js';
import type { Files } from '../../../providers/files/file.js';
import { uploadPaymentDocument } from './actions.js';
import { MAX_FILE_BYTES, MAX_REQUEST_BYTES } from './rules.js';
import { PaymentDocumentSchema, PaymentDocumentUploadRequest, renderPaymentDocument } from './schemas.js';
import { getPaymentDocument } from './store.js';

const TAG = 'Cross-Currency Transfers';

export const paymentDocumentRoutes = ({ db, files }: { readonly db: Db; readonly files: Files }): Operation[] => [
  operation({
    id: 'uploadPaymentDocument',
    method: 'POST',
    path: '/payment-documents',
    tag: TAG,
    summary: 'Upload a document that supports a payment',
    description:
      'Some destinations take a payment only with documents, such as an invoice or a contract. Upload the documents first, then name them in `documentIds` ' +
      'of the quote. A document belongs to the customer that it is uploaded for, supports one quote, and expires after 24 hours if no quote uses it. ' +
      'Its content is stored encrypted and erased when it is attached or expires.',
    permission: 'TRANSACT',
    body: PaymentDocumentUploadRequest,
    multipart: { maxFileBytes: MAX_FILE_BYTES, maxRequestBytes: MAX_REQUEST_BYTES },
    success: { 201: PaymentDocumentSchema },
    errors: ['CUSTOMER_NOT_FOUND'],
    write: async (tx, { platformId, now, body: { customerId, documentType, file } }) =>
      created(renderPaymentDocument(await uploadPaymentDocument(tx, { files }, { platformId, customerId, documentType, file, now }), now)),
  }),
  operation({
    id: 'getPaymentDocument',
    method: 'GET',
    path: '/payment-documents/{paymentDocumentId}',
    tag: TAG,
    summary: 'Get the description of a payment document',
    description: 'The description shows whether the document can still be used. The content cannot be read back.',
    permission: 'VIEW',
    success: { 200: PaymentDocumentSchema },
    errors: ['PAYMENT_DOCUMENT_NOT_FOUND'],
    handle: async ({ platformId, params, now }) =>
      ok(renderPaymentDocument(await getPaymentDocument(db, platformId, parseId('PaymentDocument', params.paymentDocumentId)), now)),
  }),
];
