// Payment documents on the wire.
import Type from 'typebox';
import { FilePart } from '../../../http/multipart.js';
import { Closed, Enum, Timestamp } from '../../../http/schemas.js';
import { PAYMENT_DOCUMENT_STATUSES, PAYMENT_DOCUMENT_TYPES, type PaymentDocument } from './payment-document.js';
import { statusAt } from './rules.js';

const DocumentType = Enum(PAYMENT_DOCUMENT_TYPES, { title: 'PaymentDocumentType', description: 'What the document is.' });

export const PaymentDocumentUploadRequest = Closed(
  {
    file: FilePart({
      description: 'A PDF, JPEG or PNG of 1 to 8,000,000 bytes. The kind is told by the bytes, not by the name or the Content-Type.',
    }),
    documentType: DocumentType,
    customerId: Type.Optional(
      Type.String({ maxLength: 255, description: "The customer whose payment it supports. Absent for the platform's own payments." }),
    ),
  },
  { title: 'PaymentDocumentUploadRequest' },
);

export const PaymentDocumentSchema = Type.Object(
  {
    id: Type.String({ description: 'To be named in `documentIds` of a quote.' }),
    customerId: Type.Optional(Type.String({ description: "Absent for a document of the platform's own payments." })),
    documentType: DocumentType,
    fileName: Type.String({ description: 'As uploaded, without a path.' }),
    sizeBytes: Type.Integer({ minimum: 1, description: 'Size of the file.' }),
    contentType: Type.String({ description: 'The media type that was found in the file.' }),
    status: Enum(PAYMENT_DOCUMENT_STATUSES, {
      title: 'PaymentDocumentStatus',
      description: 'A document can be used once, while it is `UPLOADED`.',
    }),
    expiresAt: Timestamp({ description: 'An unused document expires then, and its content is erased.' }),
    quoteId: Type.Optional(Type.String({ description: 'The quote that the document is attached to.' })),
    createdAt: Timestamp({ description: 'When the document was uploaded.' }),
  },
  { title: 'PaymentDocument' },
);

export const renderPaymentDocument = (document: PaymentDocument, now: Date) => ({
  id: document.id,
  ...(document.customerId !== null && { customerId: document.customerId }),
  documentType: document.documentType,
  fileName: document.fileName,
  sizeBytes: document.sizeBytes,
  contentType: document.contentType,
  status: statusAt(document, now),
  expiresAt: document.expiresAt.toISOString(),
  ...(document.quoteId !== null && { quoteId: document.quoteId }),
  createdAt: document.createdAt.toISOString(),
});
