// Documents of customers and beneficial owners.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { createdSealed, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, pageQuery } from '../../../http/schemas.js';
import { FILE_KINDS } from '../../../kernel/file-kind.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { REJECTION_CODES } from '../../../providers/document-check.js';
import { type DocumentDeps, deleteDocument, downloadDocument, replaceDocument, uploadDocument } from './actions.js';
import { MAX_DOCUMENT_BYTES, MAX_REQUEST_BYTES } from './rules.js';
import {
  DocumentListResponse,
  DocumentReplaceRequest,
  DocumentSchema,
  DocumentUploadRequest,
  downloadHeaders,
  parseDraft,
  renderDocument,
} from './schemas.js';
import { getDocument, listDocuments } from './store.js';

const tag = 'Documents';
const multipart = { maxFileBytes: MAX_DOCUMENT_BYTES, maxRequestBytes: MAX_REQUEST_BYTES };
const documentId = ({ documentId }: { readonly documentId: string }) => parseId('Document', documentId);

export const documentRoutes = ({ db, ...deps }: DocumentDeps & { readonly db: Db }): Operation[] => [
  operation({
    id: 'listDocuments',
    method: 'GET',
    path: '/documents',
    tag,
    summary: 'List documents, the newest first',
    permission: 'VIEW',
    query: Closed({ documentHolder: Type.Optional(Type.String()), ...pageQuery }),
    success: { 200: DocumentListResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, ...filter } }) => {
      const scope = ['listDocuments', platformId, filter];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      return ok(renderPage(await listDocuments(db, deps.custody, platformId, filter, { limit, after }, scope), renderDocument));
    },
  }),
  operation({
    id: 'uploadDocument',
    method: 'POST',
    path: '/documents',
    tag,
    summary: 'Upload a document of a customer or a beneficial owner',
    command: 'documents upload',
    permission: 'MANAGE',
    body: DocumentUploadRequest,
    multipart,
    success: { 201: DocumentSchema },
    errors: ['DOCUMENT_HOLDER_NOT_FOUND', 'DOCUMENT_ALREADY_EXISTS', 'DOCUMENT_REJECTED', ...REJECTION_CODES],
    idempotency: 'optional',
    write: async (tx, { platformId, now, body: { documentHolder, ...fields } }) =>
      createdSealed(renderDocument(await uploadDocument(tx, deps, { platformId, documentHolder, draft: parseDraft(fields), now }))),
  }),
  operation({
    id: 'getDocument',
    method: 'GET',
    path: '/documents/{documentId}',
    tag,
    summary: 'Get the description of a document',
    permission: 'VIEW',
    success: { 200: DocumentSchema },
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, params }) => ok(renderDocument(await getDocument(db, deps.custody, platformId, documentId(params)))),
  }),
  operation({
    id: 'replaceDocument',
    method: 'PUT',
    path: '/documents/{documentId}',
    tag,
    summary: 'Replace the file and the description of a document; the previous file is erased',
    command: 'documents replace',
    permission: 'MANAGE',
    body: DocumentReplaceRequest,
    multipart,
    success: { 200: DocumentSchema },
    errors: ['NOT_FOUND', 'DOCUMENT_ALREADY_EXISTS', 'DOCUMENT_REJECTED', ...REJECTION_CODES],
    write: async (tx, { platformId, now, params, body }) =>
      ok(renderDocument(await replaceDocument(tx, deps, { platformId, id: documentId(params), draft: parseDraft(body), now }))),
  }),
  operation({
    id: 'deleteDocument',
    method: 'DELETE',
    path: '/documents/{documentId}',
    tag,
    summary: 'Delete a document that was not submitted; its file is erased',
    permission: 'MANAGE',
    success: { 204: null },
    errors: ['NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, params }) => {
      await deleteDocument(tx, deps, platformId, documentId(params));
      return noContent();
    },
  }),
  operation({
    id: 'downloadDocument',
    method: 'POST',
    path: '/documents/{documentId}/download',
    tag,
    summary: 'Read the file of a document; each reading is recorded',
    permission: 'MANAGE',
    success: { 200: Type.String() },
    produces: FILE_KINDS,
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, caller, now, params }) => {
      const { document, content } = await downloadDocument(db, deps, { platformId, id: documentId(params), tokenId: caller.tokenId, now });
      return { status: 200, headers: downloadHeaders(document), stream: content };
    },
  }),
];
