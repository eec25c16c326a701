// All SQL of payment documents.
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import type { FileKind } from '../../../kernel/file-kind.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { FileId } from '../../../providers/files/file.js';
import type { QuoteId } from '../payments/payment.js';
import type { PaymentDocument, PaymentDocumentId, PaymentDocumentType } from './payment-document.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type Row = {
  id: string;
  customer_id: string | null;
  document_type: PaymentDocumentType;
  file_id: string | null;
  file_name: string;
  size_bytes: number;
  content_type: FileKind;
  quote_id: string | null;
  expires_at: Date;
  created_at: Date;
};

const toDocument = (row: Row): PaymentDocument => ({
  id: idOf('PaymentDocument', row.id),
  customerId: row.customer_id === null ? null : idOf('Customer', row.customer_id),
  documentType: row.document_type,
  fileId: row.file_id === null ? null : idOf('File', row.file_id),
  fileName: row.file_name,
  sizeBytes: row.size_bytes,
  contentType: row.content_type,
  quoteId: row.quote_id === null ? null : idOf('Quote', row.quote_id),
  expiresAt: row.expires_at,
  createdAt: row.created_at,
});

/** The document, or 404. A malformed id (undefined) answers like an unknown one. */
export async function getPaymentDocument(tx: Reader, platformId: PlatformId, id: PaymentDocumentId | undefined): Promise<PaymentDocument> {
  const row =
    id && (await tx.one<Row>(sql`select * from payment_documents where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`));
  if (!row) throw new ApiError('PAYMENT_DOCUMENT_NOT_FOUND');
  return toDocument(row);
}

/** The documents that exist, locked in the order of ids. */
export async function lockPaymentDocuments(tx: Tx, platformId: PlatformId, ids: readonly PaymentDocumentId[]): Promise<PaymentDocument[]> {
  const rows = await tx.many<Row>(sql`
    select * from payment_documents where platform_id = ${uuidOf(platformId)} and id = any(${ids.map(uuidOf)}::uuid[])
    order by id for update`);
  return rows.map(toDocument);
}

export function insertPaymentDocument(tx: Tx, platformId: PlatformId, document: PaymentDocument): void {
  const { customerId, fileId } = document;
  tx.send(sql`
    insert into payment_documents (platform_id, id, customer_id, document_type, file_id, file_name, size_bytes, content_type, expires_at, created_at)
    values (${uuidOf(platformId)}, ${uuidOf(document.id)}, ${customerId && uuidOf(customerId)}, ${document.documentType},
      ${fileId && uuidOf(fileId)}, ${document.fileName}, ${document.sizeBytes}, ${document.contentType}, ${document.expiresAt},
      ${document.createdAt})`);
}

/** Marks locked documents as used by a quote; their content is no longer referred to. */
export function saveAttached(tx: Tx, platformId: PlatformId, ids: readonly PaymentDocumentId[], quoteId: QuoteId): void {
  tx.send(sql`
    update payment_documents set quote_id = ${uuidOf(quoteId)}, file_id = null
    where platform_id = ${uuidOf(platformId)} and id = any(${ids.map(uuidOf)}::uuid[])`);
}

export const firstExpiry = (condition: PlatformCondition): Sql => sql`
  select d.platform_id, d.expires_at as at from payment_documents d
  where ${condition(sql`d.platform_id`)} and d.file_id is not null
  order by d.platform_id, d.expires_at limit 1`;

type Content = { readonly id: PaymentDocumentId; readonly fileId: FileId };

/** Some of the expired documents whose content is still there, locked. */
export async function lockExpired(tx: Tx, platformId: PlatformId, now: Date, limit: number): Promise<Content[]> {
  const rows = await tx.many<{ id: string; file_id: string }>(sql`
    select id, file_id from payment_documents
    where platform_id = ${uuidOf(platformId)} and file_id is not null and expires_at <= ${now}
    order by expires_at limit ${limit} for update skip locked`);
  return rows.map((row) => ({ id: idOf('PaymentDocument', row.id), fileId: idOf('File', row.file_id) }));
}

/** The content of these documents is no longer referred to. */
export function forgetContent(tx: Tx, platformId: PlatformId, ids: readonly PaymentDocumentId[]): void {
  tx.send(sql`
    update payment_documents set file_id = null where platform_id = ${uuidOf(platformId)} and id = any(${ids.map(uuidOf)}::uuid[])`);
}

/** Deletes the unused documents of a customer and returns their files. */
export async function deleteUnused(tx: Tx, platformId: PlatformId, customerId: CustomerId): Promise<FileId[]> {
  const rows = await tx.many<{ file_id: string }>(sql`
    delete from payment_documents
    where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)} and file_id is not null returning file_id`);
  return rows.map((row) => idOf('File', row.file_id));
}
