// A document that supports a payment. Its content is a stored file until it is attached to a quote or expires.
import type { FileKind } from '../../../kernel/file-kind.js';
import type { CustomerId, Id } from '../../../kernel/ids.js';
import type { FileId, ReceivedFile } from '../../../providers/files/file.js';
import type { QuoteId } from '../payments/payment.js';

export type PaymentDocumentId = Id<'PaymentDocument'>;

export const PAYMENT_DOCUMENT_TYPES = [
  'PURCHASE_ORDER',
  'LOGISTICS_BILL',
  'CUSTOMS_DECLARATION',
  'INVOICE',
  'CONTRACT',
  'DELIVERY_SLIP',
  'BILL_OF_LADING',
  'FLIGHT_TICKET',
  'TRAVEL_DOCUMENT',
  'HOTEL_BOOKING_CONFIRMATION',
] as const;
export type PaymentDocumentType = (typeof PAYMENT_DOCUMENT_TYPES)[number];

export const PAYMENT_DOCUMENT_STATUSES = ['UPLOADED', 'ATTACHED', 'EXPIRED'] as const;
export type PaymentDocumentStatus = (typeof PAYMENT_DOCUMENT_STATUSES)[number];

/** The file of an upload. */
export type UploadedFile = Pick<ReceivedFile, 'id' | 'fileName' | 'size'>;

export type PaymentDocument = {
  readonly id: PaymentDocumentId;
  /** Whose payment it supports; null for the platform itself. */
  readonly customerId: CustomerId | null;
  readonly documentType: PaymentDocumentType;
  /** Null once the content is erased. */
  readonly fileId: FileId | null;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly contentType: FileKind;
  readonly quoteId: QuoteId | null;
  readonly expiresAt: Date;
  readonly createdAt: Date;
};
