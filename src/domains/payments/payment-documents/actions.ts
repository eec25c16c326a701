// Uploading payment documents, and attaching them to a quote. The content is handed to the partner of the payout and erased in the same
// transaction.
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { sniffFile } from '../../../kernel/file-kind.js';
import { type CustomerId, newId, type PlatformId, parseId } from '../../../kernel/ids.js';
import type { Files, ReceivedFile } from '../../../providers/files/file.js';
import type { RailProvider } from '../../../providers/rails.js';
import { shareCustomer } from '../../identity/customers/actions.js';
import type { QuoteId } from '../payments/payment.js';
import type { PaymentDocument, PaymentDocumentType } from './payment-document.js';
import { checkFile, documentsOfHolder, newPaymentDocument } from './rules.js';
import { deleteUnused, forgetContent, insertPaymentDocument, lockExpired, lockPaymentDocuments, saveAttached } from './store.js';

export { refuseUnusable, requireDocuments } from './rules.js';

export type Upload = {
  readonly platformId: PlatformId;
  /** As the caller sent it. */
  readonly customerId: string | undefined;
  readonly documentType: PaymentDocumentType;
  readonly file: ReceivedFile;
  readonly now: Date;
};

export async function uploadPaymentDocument(
  tx: Tx,
  { files }: { readonly files: Files },
  { platformId, customerId, documentType, file, now }: Upload,
): Promise<PaymentDocument> {
  const contentType = checkFile(file, sniffFile(file));
  const customer = customerId === undefined ? null : await shareCustomer(tx, platformId, parseId('Customer', customerId));
  const document = newPaymentDocument({
    id: newId('PaymentDocument'),
    customerId: customer?.id ?? null,
    documentType,
    file,
    contentType,
    now,
  });

  files.keep(tx, platformId, file, now);
  insertPaymentDocument(tx, platformId, document);
  return document;
}

/** The documents that a quote of this holder names, locked, or 404. */
export async function lockDocumentsOf(
  tx: Tx,
  platformId: PlatformId,
  ids: readonly string[],
  customerId: CustomerId | null,
): Promise<PaymentDocument[]> {
  if (ids.length === 0) return [];
  const parsed = ids.map((id) => parseId('PaymentDocument', id));
  const found = await lockPaymentDocuments(
    tx,
    platformId,
    parsed.filter((id) => id !== undefined),
  );
  return documentsOfHolder(found, parsed, customerId);
}

/** Hands locked documents to the partner that will pay out, and erases their content. */
export async function attachDocuments(
  { files, rails }: { readonly files: Files; readonly rails: RailProvider },
  tx: Tx,
  platformId: PlatformId,
  documents: readonly PaymentDocument[],
  quoteId: QuoteId,
): Promise<void> {
  if (documents.length === 0) return;
  const contents = documents.map(({ fileId, ...document }) => {
    assert(fileId, 'the content of a usable document is kept');
    return { ...document, fileId, content: () => files.read(tx, platformId, fileId) };
  });
  if (!(await rails.attach(tx, { platformId, quoteId, documents: contents }))) throw new ApiError('PAYMENT_DOCUMENT_ATTACHMENT_FAILED');
  saveAttached(
    tx,
    platformId,
    documents.map(({ id }) => id),
    quoteId,
  );
  files.delete(
    tx,
    platformId,
    contents.map(({ fileId }) => fileId),
  );
}

const BATCH = 100;

/** Erases the content of documents that nobody used in time. */
export async function eraseExpired(
  db: Db,
  files: Pick<Files, 'delete'>,
  platformId: PlatformId,
  now: Date,
  isOver: () => boolean,
): Promise<number> {
  let erased = 0;
  for (;;) {
    const count = await db.transaction(async (tx) => {
      const expired = await lockExpired(tx, platformId, now, BATCH);
      if (expired.length === 0) return 0;
      forgetContent(
        tx,
        platformId,
        expired.map(({ id }) => id),
      );
      files.delete(
        tx,
        platformId,
        expired.map(({ fileId }) => fileId),
      );
      return expired.length;
    });
    erased += count;
    if (count < BATCH || isOver()) return erased;
  }
}

/** The unused documents of a customer who is deleted. */
export async function removeDocumentsOf(
  tx: Tx,
  files: Pick<Files, 'delete'>,
  platformId: PlatformId,
  customerId: CustomerId,
): Promise<void> {
  files.delete(tx, platformId, await deleteUnused(tx, platformId, customerId));
}
