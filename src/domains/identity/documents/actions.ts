// Uploading, replacing, deleting and reading documents. The file and its description commit together.
import { Readable } from 'node:stream';
import type { Db, Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { sniffFile } from '../../../kernel/file-kind.js';
import { type CustomerId, newId, type PlatformId, parseId, type TokenId } from '../../../kernel/ids.js';
import type { DocumentCheck } from '../../../providers/document-check.js';
import type { Files } from '../../../providers/files/file.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { lockCustomerForShare } from '../customers/actions.js';
import { lockOwnerForShare } from '../verifications/actions.js';
import type { Document, DocumentDraft, DocumentId, HolderId } from './document.js';
import { alreadyExists, checkDraft, newDocument, refuseRejected, refuseSubmitted, replacedDocument } from './rules.js';
import { downloadHeaders } from './schemas.js';
import {
  deleteDocumentsOf,
  deleteDocument as deleteRow,
  findDocumentOfType,
  getDocument,
  insertDocument,
  insertDownload,
  lockDocument,
  saveDocument,
} from './store.js';

export { documentNumberContext } from './store.js';

export type DocumentDeps = { readonly custody: KeyCustody; readonly files: Files; readonly checkDocument: DocumentCheck };

const notFound = () => new ApiError('DOCUMENT_HOLDER_NOT_FOUND');

/** The holder that the text names, or 404. */
function holderOf(text: string): HolderId {
  const id = parseId('Customer', text) ?? parseId('BeneficialOwner', text);
  if (!id) throw notFound();
  return id;
}

const isCustomer = (id: HolderId): id is CustomerId => id.startsWith('Customer:');

/** Whether the holder exists. It is not deleted until this transaction ends. */
function lockHolder(tx: Tx, platformId: PlatformId, id: HolderId): Promise<boolean> {
  return isCustomer(id) ? lockCustomerForShare(tx, platformId, id) : lockOwnerForShare(tx, platformId, id);
}

export type NewUpload = {
  readonly platformId: PlatformId;
  /** As the caller sent it. */
  readonly documentHolder: string;
  readonly draft: DocumentDraft;
  readonly now: Date;
};

export async function uploadDocument(
  tx: Tx,
  { custody, files, checkDocument }: DocumentDeps,
  { platformId, documentHolder, draft, now }: NewUpload,
): Promise<Document> {
  const contentType = checkDraft(draft, sniffFile(draft.file));
  const document = newDocument(newId('Document'), holderOf(documentHolder), { draft, contentType, now });
  const [isHolder, existing] = await Promise.all([
    lockHolder(tx, platformId, document.holderId),
    findDocumentOfType(tx, platformId, document),
  ]);
  if (!isHolder) throw notFound();
  if (existing) throw alreadyExists(existing);
  refuseRejected(checkDocument(draft.file));

  files.keep(tx, platformId, draft.file, now);
  if (!(await insertDocument(tx, custody, platformId, document))) throw alreadyExists(await findDocumentOfType(tx, platformId, document));
  return document;
}

export type Replacement = {
  readonly platformId: PlatformId;
  readonly id: DocumentId | undefined;
  readonly draft: DocumentDraft;
  readonly now: Date;
};

/** Replaces file and description. The previous file is erased. */
export async function replaceDocument(
  tx: Tx,
  { custody, files, checkDocument }: DocumentDeps,
  { platformId, id, draft, now }: Replacement,
): Promise<Document> {
  const contentType = checkDraft(draft, sniffFile(draft.file));
  const document = await lockDocument(tx, custody, platformId, id);
  const replaced = replacedDocument(document, { draft, contentType, now });
  const existing = await findDocumentOfType(tx, platformId, replaced);
  if (existing && existing !== document.id) throw alreadyExists(existing);
  refuseRejected(checkDocument(draft.file));

  files.keep(tx, platformId, draft.file, now);
  await saveDocument(tx, custody, platformId, replaced);
  files.delete(tx, platformId, [document.fileId]);
  return replaced;
}

export async function deleteDocument(
  tx: Tx,
  { custody, files }: Pick<DocumentDeps, 'custody' | 'files'>,
  platformId: PlatformId,
  id: DocumentId | undefined,
): Promise<void> {
  const document = await lockDocument(tx, custody, platformId, id);
  refuseSubmitted(document);

  deleteRow(tx, platformId, document.id);
  files.delete(tx, platformId, [document.fileId]);
}

/** The documents of holders that no longer exist. */
export async function removeDocumentsOf(tx: Tx, files: Files, platformId: PlatformId, holderIds: readonly HolderId[]): Promise<void> {
  files.delete(tx, platformId, await deleteDocumentsOf(tx, platformId, holderIds));
}

/** The content of a document. The reading is recorded before the first byte leaves. */
export async function downloadDocument(
  db: Db,
  { custody, files }: Pick<DocumentDeps, 'custody' | 'files'>,
  { platformId, id, tokenId, now }: { platformId: PlatformId; id: DocumentId | undefined; tokenId: TokenId; now: Date },
): Promise<{ document: Document; content: Readable }> {
  return openContent(db, files, platformId, () =>
    db.transaction(async (tx) => {
      const document = await getDocument(tx, custody, platformId, id);
      insertDownload(tx, platformId, document.id, tokenId, now);
      return document;
    }),
  );
}

/** A document that is replaced or deleted between its description and its file is looked for again. */
async function openContent(
  db: Db,
  files: Files,
  platformId: PlatformId,
  find: () => Promise<Document>,
): Promise<{ document: Document; content: Readable }> {
  for (;;) {
    const document = await find();
    const chunks = await files.open(db, platformId, document.fileId);
    if (chunks) return { document, content: Readable.from(chunks, { objectMode: false }) };
  }
}

/** The content for the vendor that checks the packet. What the vendor reads is part of the verification. */
export async function openDocument(
  db: Db,
  { custody, files }: Pick<DocumentDeps, 'custody' | 'files'>,
  platformId: PlatformId,
  id: DocumentId,
): Promise<{ headers: Record<string, string>; content: Readable }> {
  const { document, content } = await openContent(db, files, platformId, () => getDocument(db, custody, platformId, id));
  return { headers: downloadHeaders(document), content };
}
