// Wire schemas of documents.
import Type, { type Static } from 'typebox';
import { FilePart } from '../../../http/multipart.js';
import { Closed, Enum, pageOfSchema, Timestamp } from '../../../http/schemas.js';
import { lateCheck } from '../../../http/validate.js';
import type { ReceivedFile } from '../../../providers/files/file.js';
import { DocumentTypeSchema } from '../verifications/schemas.js';
import { DOCUMENT_SIDES, type Document, type DocumentDraft } from './document.js';

const DocumentSideSchema = Enum(DOCUMENT_SIDES, { title: 'DocumentSide' });

const description = {
  file: FilePart({
    description:
      'A PDF, JPEG or PNG of 1 to 10,485,760 bytes, with its Content-Type. The bytes must be of that kind. A PDF whose compressed streams unpack to more than 256 MB is refused. Nothing in the file is executed.',
  }),
  documentType: DocumentTypeSchema,
  country: Type.String({
    maxLength: 255,
    description: 'Country that issued the document: ISO 3166-1 alpha-2, in upper case.',
    examples: ['DE'],
  }),
  side: Type.Optional(DocumentSideSchema),
  documentNumber: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID.' }),
  ),
  issuingAuthority: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Required for PASSPORT, DRIVERS_LICENSE and NATIONAL_ID.' }),
  ),
};

export const DocumentReplaceRequest = Closed(description, { title: 'DocumentReplaceRequest' });
export const DocumentUploadRequest = Closed(
  { ...description, documentHolder: Type.String({ maxLength: 255, description: 'Id of the customer or the beneficial owner.' }) },
  { title: 'DocumentUploadRequest' },
);

export const DocumentSchema = Type.Object(
  {
    id: Type.String(),
    documentHolder: Type.String(),
    documentType: DocumentTypeSchema,
    side: Type.Optional(DocumentSideSchema),
    country: Type.String(),
    documentNumber: Type.Optional(Type.String()),
    issuingAuthority: Type.Optional(Type.String()),
    fileName: Type.String(),
    createdAt: Timestamp(),
    updatedAt: Type.Optional(Timestamp()),
  },
  { title: 'Document' },
);

export const DocumentListResponse = pageOfSchema(DocumentSchema, 'DocumentListResponse');

export const parseDraft = ({
  documentType,
  country,
  side,
  documentNumber,
  issuingAuthority,
  file,
}: Static<typeof DocumentReplaceRequest>): DocumentDraft => ({ documentType, country, side, documentNumber, issuingAuthority, file });

const check = lateCheck(DocumentReplaceRequest);

/** As `parseDraft`, for fields that were not checked yet: a page of the service sends them. Blank ones are absent. */
export function parseFields(fields: Readonly<Record<string, string | undefined>>, file: ReceivedFile): DocumentDraft {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value.trim() !== ''));
  check({ ...given, file: '' });
  // The schema that was just checked is the one of this type.
  return parseDraft({ ...given, file } as Static<typeof DocumentReplaceRequest>);
}

export const renderDocument = (document: Document) => ({
  id: document.id,
  documentHolder: document.holderId,
  documentType: document.documentType,
  ...(document.side === null ? {} : { side: document.side }),
  country: document.country,
  ...(document.documentNumber === null ? {} : { documentNumber: document.documentNumber }),
  ...(document.issuingAuthority === null ? {} : { issuingAuthority: document.issuingAuthority }),
  fileName: document.fileName,
  createdAt: document.createdAt.toISOString(),
  updatedAt: document.updatedAt.toISOString(),
});

/** Never shown in the browser: saved, under a name that is safe in a header, as the kind that was found and not as any other. */
export const downloadHeaders = ({ contentType, fileName }: Document): Record<string, string> => ({
  'content-type': contentType,
  'content-disposition': `attachment; filename="${fileName.replaceAll(/[^\w .-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(fileName)}`,
  'content-security-policy': "default-src 'none'; sandbox",
});
