// A quick look at a document when it is uploaded, without a network call. What takes longer belongs to the verification.
import type { ErrorCode } from '../kernel/errors.js';

export const REJECTION_CODES = [
  'LOW_QUALITY',
  'DATA_MISMATCH',
  'EXPIRED',
  'SUSPECTED_FRAUD',
  'UNSUITABLE_DOCUMENT',
  'INCOMPLETE',
] as const satisfies readonly ErrorCode[];
export type RejectionCode = (typeof REJECTION_CODES)[number];

export type DocumentToCheck = { readonly fileName: string; readonly contentType: string; readonly size: number };

export type DocumentVerdict =
  | { readonly kind: 'ACCEPTED' }
  /** What the document says is refused. */
  | { readonly kind: 'REFUSED'; readonly code: RejectionCode }
  /** The file cannot be used, for these reasons. */
  | { readonly kind: 'UNUSABLE'; readonly labels: readonly string[] };

export type DocumentCheck = (document: DocumentToCheck) => DocumentVerdict;

const ACCEPTED: DocumentVerdict = { kind: 'ACCEPTED' };

/** An installation without a provider of its own accepts what is readable. */
export const noDocumentCheck: DocumentCheck = () => ACCEPTED;

const UNUSABLE_LABELS = ['dataNotReadable', 'screenshot', 'grayscale', 'documentExpired'] as const;

/** The end of the file name, before the extension, chooses the verdict. */
export const sandboxDocumentCheck: DocumentCheck = ({ fileName }) => {
  const name = fileName.replace(/\.[^.]*$/, '');
  const label = UNUSABLE_LABELS.find((end) => name.endsWith(end));
  if (label) return { kind: 'UNUSABLE', labels: [label] };
  const code = REJECTION_CODES.find((end) => name.endsWith(end));
  return code ? { kind: 'REFUSED', code } : ACCEPTED;
};
