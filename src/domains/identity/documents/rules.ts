// What a document must be. Every bad field is named in one answer.
import { isCountry } from '../../../kernel/countries.js';
import { ApiError, type FieldError, invalid } from '../../../kernel/errors.js';
import { FILE_KINDS, type FileKind, fileProblem, type Sniffed } from '../../../kernel/file-kind.js';
import type { Document, DocumentDraft, DocumentId, DocumentType, DocumentVerdict, HolderId } from './document.js';

/** At most 10 MB; exactly that many bytes are fine. */
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
/** Beyond this the request is refused as a whole. */
export const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

/** Documents that prove an identity carry a number and say who issued them. */
const NUMBERED: ReadonlySet<DocumentType> = new Set(['PASSPORT', 'DRIVERS_LICENSE', 'NATIONAL_ID']);

/** Cards are uploaded side by side. A Brazilian driver's licence is one sheet. */
const hasSides = ({ documentType, country }: Pick<DocumentDraft, 'documentType' | 'country'>): boolean =>
  documentType === 'NATIONAL_ID' || (documentType === 'DRIVERS_LICENSE' && country !== 'BR');

function fileProblems({ file }: DocumentDraft, sniffed: Sniffed): FieldError[] {
  if (!FILE_KINDS.some((kind) => kind === file.contentType))
    return [{ field: 'file', message: `must have the Content-Type ${FILE_KINDS.join(', ')}`, constraint: { enum: FILE_KINDS } }];
  const problem = fileProblem(file.size, sniffed, file.contentType);
  return problem ? [{ field: 'file', ...problem }] : [];
}

function sideProblems(draft: DocumentDraft): FieldError[] {
  if (hasSides(draft) === (draft.side !== undefined)) return [];
  return [{ field: 'side', message: draft.side === undefined ? 'is required: upload each side' : 'is not taken for this document' }];
}

function numberProblems(draft: DocumentDraft): FieldError[] {
  if (!NUMBERED.has(draft.documentType)) return [];
  const { documentNumber, issuingAuthority } = draft;
  return Object.entries({ documentNumber, issuingAuthority }).flatMap(([field, value]) =>
    value === undefined || value.trim() === '' ? [{ field, message: 'is required for this document' }] : [],
  );
}

/** The kind of the file. Refuses a draft with any bad field. */
export function checkDraft(draft: DocumentDraft, sniffed: Sniffed): FileKind {
  const problems = [
    ...(isCountry(draft.country) ? [] : [{ field: 'country', message: 'must be an ISO 3166-1 alpha-2 code' }]),
    ...sideProblems(draft),
    ...numberProblems(draft),
    ...fileProblems(draft, sniffed),
  ];
  const kind = FILE_KINDS.find((known) => known === sniffed);
  if (problems.length > 0 || kind === undefined) throw invalid(...problems);
  return kind;
}

/** Refuses what the provider refuses. */
export function refuseRejected(verdict: DocumentVerdict): void {
  switch (verdict.kind) {
    case 'ACCEPTED':
      return;
    case 'REFUSED':
      throw new ApiError(verdict.code);
    case 'UNUSABLE':
      throw new ApiError('DOCUMENT_REJECTED', undefined, { beside: { precheckErrors: verdict.labels } });
  }
}

type Facts = { readonly draft: DocumentDraft; readonly contentType: FileKind; readonly now: Date };

const described = ({ draft: { file, ...draft }, contentType, now }: Facts) => ({
  documentType: draft.documentType,
  side: draft.side ?? null,
  country: draft.country,
  documentNumber: draft.documentNumber ?? null,
  issuingAuthority: draft.issuingAuthority ?? null,
  fileId: file.id,
  fileName: file.fileName,
  contentType,
  submittedAt: null,
  updatedAt: now,
});

export const newDocument = (id: DocumentId, holderId: HolderId, facts: Facts): Document => ({
  id,
  holderId,
  ...described(facts),
  createdAt: facts.now,
});

/** A replacement says everything anew. It was never handed over. */
export const replacedDocument = (document: Document, facts: Facts): Document => ({ ...document, ...described(facts) });

export const alreadyExists = (existing: DocumentId | undefined): ApiError =>
  new ApiError('DOCUMENT_ALREADY_EXISTS', existing && { documentId: existing });

/** What the provider has seen stays. */
export function refuseSubmitted({ submittedAt }: Document): void {
  if (submittedAt !== null)
    throw new ApiError('CONFLICT', { cause: 'SUBMITTED' }, { reason: 'The document was submitted and can only be replaced.' });
}
