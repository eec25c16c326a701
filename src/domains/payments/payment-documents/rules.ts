// What a payment document must be, which documents a payment needs, and when a document can be used. Pure.
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { type FileKind, fileProblem, type Sniffed } from '../../../kernel/file-kind.js';
import type { CustomerId } from '../../../kernel/ids.js';
import { DAY_MS, plusMs } from '../../../kernel/time.js';
import type { PaymentDocument, PaymentDocumentId, PaymentDocumentStatus, PaymentDocumentType, UploadedFile } from './payment-document.js';

export const MAX_FILE_BYTES = 8_000_000;
/** Beyond this the request is refused as a whole. */
export const MAX_REQUEST_BYTES = 16_000_000;

const LIFE_MS = DAY_MS;

// ---- uploading

/** The kind of the file, by its content. Its name and the Content-Type that the caller claims count for nothing. */
export function checkFile({ size }: Pick<UploadedFile, 'size'>, sniffed: Sniffed): FileKind {
  const problem = fileProblem(size, sniffed);
  if (problem || sniffed === undefined || sniffed === 'MIXED' || sniffed === 'OVERSIZED')
    throw invalidField('file', problem?.message ?? 'cannot be read', problem?.constraint);
  return sniffed;
}

export type UploadFacts = {
  readonly id: PaymentDocumentId;
  readonly customerId: CustomerId | null;
  readonly documentType: PaymentDocumentType;
  readonly file: UploadedFile;
  readonly contentType: FileKind;
  readonly now: Date;
};

export const newPaymentDocument = ({ id, customerId, documentType, file, contentType, now }: UploadFacts): PaymentDocument => ({
  id,
  customerId,
  documentType,
  fileId: file.id,
  fileName: file.fileName,
  sizeBytes: file.size,
  contentType,
  quoteId: null,
  expiresAt: plusMs(now, LIFE_MS),
  createdAt: now,
});

// ---- using

/** A document is used once, for one quote. */
export const DOCUMENT_MOVES = {
  UPLOADED: { ATTACHED: 'ATTACHED', EXPIRED: 'EXPIRED' },
  ATTACHED: {},
  EXPIRED: {},
} as const satisfies Readonly<Record<PaymentDocumentStatus, Readonly<Record<string, PaymentDocumentStatus>>>>;

/**
 * At `expiresAt` an unused document is over, whether or not its content is erased already. One whose content is erased stays over, also when
 * the clock is set back.
 */
export function statusAt(
  { quoteId, fileId, expiresAt }: Pick<PaymentDocument, 'quoteId' | 'fileId' | 'expiresAt'>,
  now: Date,
): PaymentDocumentStatus {
  if (quoteId !== null) return 'ATTACHED';
  return fileId !== null && now < expiresAt ? 'UPLOADED' : 'EXPIRED';
}

/** The documents in the order of their ids, or 404. Documents of another holder answer like unknown ones. */
export function documentsOfHolder(
  found: readonly PaymentDocument[],
  ids: readonly (PaymentDocumentId | undefined)[],
  customerId: CustomerId | null,
): PaymentDocument[] {
  return ids.map((id) => {
    const document = found.find((each) => each.id === id);
    if (!document || document.customerId !== customerId) throw new ApiError('PAYMENT_DOCUMENT_NOT_FOUND');
    return document;
  });
}

export function refuseUnusable(documents: readonly PaymentDocument[], now: Date): void {
  const statuses = documents.map((document) => statusAt(document, now));
  if (statuses.includes('ATTACHED')) throw new ApiError('PAYMENT_DOCUMENT_ALREADY_USED');
  if (statuses.includes('EXPIRED')) throw new ApiError('PAYMENT_DOCUMENT_EXPIRED');
}

// ---- what a payment needs

const ACCEPTED = {
  TRADE_AGREEMENT: ['CONTRACT', 'PURCHASE_ORDER', 'INVOICE'],
  SERVICE_AGREEMENT: ['CONTRACT', 'INVOICE'],
  PROOF_OF_SHIPMENT: ['CUSTOMS_DECLARATION', 'BILL_OF_LADING', 'LOGISTICS_BILL', 'DELIVERY_SLIP'],
  BOOKING: ['HOTEL_BOOKING_CONFIRMATION', 'INVOICE'],
  TRAVEL_PROOF: ['FLIGHT_TICKET', 'TRAVEL_DOCUMENT'],
} as const satisfies Readonly<Record<string, readonly PaymentDocumentType[]>>;

export type Requirement = keyof typeof ACCEPTED;

/** What each purpose must be supported by. No document is accepted for two requirements of one purpose. */
const REQUIREMENTS: Readonly<Record<string, readonly Requirement[]>> = {
  EXPORTED_GOODS_PREPAYMENT: ['TRADE_AGREEMENT'],
  COMMISSION_ON_GOODS: ['TRADE_AGREEMENT'],
  EXPORTED_GOODS_POSTPAYMENT: ['TRADE_AGREEMENT', 'PROOF_OF_SHIPMENT'],
  DELIVERY_FEES: ['SERVICE_AGREEMENT', 'PROOF_OF_SHIPMENT'],
  HOTEL_ACCOMMODATION: ['BOOKING'],
  TRAVEL: ['TRAVEL_PROOF'],
  SERVICE_CHARGES: ['SERVICE_AGREEMENT'],
  OFFICE_EXPENSES: ['SERVICE_AGREEMENT'],
  COMMISSION_ON_SERVICES: ['SERVICE_AGREEMENT'],
  ACCOUNTING_SERVICES: ['SERVICE_AGREEMENT'],
  EXHIBITION_SERVICES: ['SERVICE_AGREEMENT'],
};

const accepts = (requirement: Requirement, type: PaymentDocumentType): boolean =>
  ACCEPTED[requirement].some((accepted) => accepted === type);

/** Refuses a payment whose purpose the destination does not take, or whose documents do not support it. */
export function requireDocuments(purpose: string, types: readonly PaymentDocumentType[]): void {
  const requirements = Object.hasOwn(REQUIREMENTS, purpose) ? REQUIREMENTS[purpose] : undefined;
  if (!requirements) throw new ApiError('SENDER_NOT_ACCEPTED');
  const missingRequirements = requirements.filter((requirement) => !types.some((type) => accepts(requirement, type)));
  if (missingRequirements.length > 0) throw new ApiError('DOCUMENTS_REQUIRED', { missingRequirements });
  const isSurplus = types.some((type) => !requirements.some((requirement) => accepts(requirement, type)));
  if (isSurplus) throw invalidField('documentIds', 'holds a document that supports nothing of this payment');
}
