// A document of a customer or a beneficial owner. Its content is a stored file.

import type { FileKind } from '../../../kernel/file-kind.js';
import type { CustomerId, Id } from '../../../kernel/ids.js';
import type { FileId, ReceivedFile } from '../../../providers/files/file.js';

export type { DocumentVerdict } from '../../../providers/document-check.js';

export const DOCUMENT_TYPES = [
  'PASSPORT',
  'DRIVERS_LICENSE',
  'NATIONAL_ID',
  'PROOF_OF_ADDRESS',
  'BANK_STATEMENT',
  'TAX_RETURN',
  'CERTIFICATE_OF_INCORPORATION',
  'ARTICLES_OF_INCORPORATION',
  'ARTICLES_OF_ASSOCIATION',
  'STATE_REGISTRY_EXCERPT',
  'GOOD_STANDING_CERTIFICATE',
  'INFORMATION_STATEMENT',
  'INCUMBENCY_CERTIFICATE',
  'BUSINESS_LICENSE',
  'SHAREHOLDER_REGISTER',
  'POWER_OF_ATTORNEY',
  'UTILITY_BILL',
  'ELECTRICITY_BILL',
  'RENT_OR_LEASE_AGREEMENT',
  'DIRECTOR_REGISTRY',
  'TRUST_AGREEMENT',
  'STATE_COMPANY_REGISTRY',
  'PARTNERSHIP_CONTROL_AGREEMENT',
  'PARTNERSHIP_AGREEMENT',
  'SELFIE',
  'OTHER',
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export const DOCUMENT_SIDES = ['FRONT', 'BACK'] as const;
export type DocumentSide = (typeof DOCUMENT_SIDES)[number];

export type DocumentId = Id<'Document'>;
export type HolderId = CustomerId | Id<'BeneficialOwner'>;

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
