// A document of a customer or a beneficial owner. Its content is a stored file.

import type { FileKind } from '../../../kernel/file-kind.js';
import type { FileId, ReceivedFile } from '../../../providers/files/file.js';

import type { DocumentId, DocumentType, HolderId } from '../verifications/verification.js';

export type { DocumentVerdict } from '../../../providers/document-check.js';
export type { DocumentId, DocumentType, HeldDocument, HolderId } from '../verifications/verification.js';

export const DOCUMENT_SIDES = ['FRONT', 'BACK'] as const;
export type DocumentSide = (typeof DOCUMENT_SIDES)[number];

/** What a caller says of a document, with the file. */
export type DocumentDraft = {
  readonly documentType: DocumentType;
  readonly country: string;
  readonly side: DocumentSide | undefined;
  readonly documentNumber: string | undefined;
  readonly issuingAuthority: string | undefined;
  readonly file: ReceivedFile;
};

export type Document = {
  readonly id: DocumentId;
  readonly holderId: HolderId;
  readonly documentType: DocumentType;
  readonly side: DocumentSide | null;
  readonly country: string;
  /** Stored sealed. */
  readonly documentNumber: string | null;
  readonly issuingAuthority: string | null;
  readonly fileId: FileId;
  readonly fileName: string;
  readonly contentType: FileKind;
  readonly submittedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
