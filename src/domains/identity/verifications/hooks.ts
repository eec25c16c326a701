// Hooks of verifications: how packets learn of documents, which are a later domain.
import type { Readable } from 'node:stream';
import type { Db, Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { ReceivedFile } from '../../../providers/files/file.js';
import type { DocumentId, HeldDocument, HolderId } from './verification.js';

/** The documents of the holders, the oldest first. */
export const documentsOf =
  defineHook<(tx: Tx, platformId: PlatformId, holderIds: readonly HolderId[]) => Promise<readonly HeldDocument[]>>(
    'verifications.documents-of',
  );

/** The documents were handed to the provider. */
export const documentsSubmitted =
  defineHook<(tx: Tx, platformId: PlatformId, documentIds: readonly DocumentId[], now: Date) => Promise<void> | void>(
    'verifications.documents-submitted',
  );

/** Beneficial owners were deleted: their documents go with them. */
export const holdersRemoved =
  defineHook<(tx: Tx, platformId: PlatformId, holderIds: readonly HolderId[], now: Date) => Promise<void> | void>(
    'verifications.holders-removed',
  );

export type DocumentContent = { readonly headers: Readonly<Record<string, string>>; readonly content: Readable };

/** The bytes of a document, for the vendor. */
export const documentContent =
  defineHook<(db: Db, platformId: PlatformId, id: DocumentId) => Promise<DocumentContent>>('verifications.document-content');

/** A document as the hosted page receives it: texts as sent, to be judged like those of an upload. */
export type PageUpload = {
  readonly platformId: PlatformId;
  readonly holderId: HolderId;
  /** The document that the provider wants anew. */
  readonly replaces: DocumentId | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly file: ReceivedFile;
  readonly now: Date;
};

/** Stores a document that the end user gave on the hosted page. A refusal names the fields as an upload does. */
export const uploadFromPage = defineHook<(tx: Tx, upload: PageUpload) => Promise<void>>('verifications.upload-from-page');
