// All SQL of documents. Document numbers are sealed here and opened here.
import { countMatches } from '../../../db/count.js';
import { type Tx, violatedConstraint } from '../../../db/pool.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import type { FileKind } from '../../../kernel/file-kind.js';
import { idOf, newUuid, type PlatformId, parseId, type TokenId, uuidOf } from '../../../kernel/ids.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type { FileId } from '../../../providers/files/file.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { Document, DocumentId, DocumentSide, DocumentType, HeldDocument, HolderId } from './document.js';
import { alreadyExists } from './rules.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type DocumentRow = {
  platform_id: string;
  id: string;
  holder_kind: 'Customer' | 'BeneficialOwner';
  holder_id: string;
  document_type: DocumentType;
  side: DocumentSide | null;
  country: string;
  document_number_sealed: Buffer | null;
  issuing_authority: string | null;
  file_id: string;
  file_name: string;
  content_type: FileKind;
  submitted_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/** Binds a sealed number to platform and document: in another row it does not open. */
export const documentNumberContext = (platformId: PlatformId, id: DocumentId): string => `document number ${platformId} ${id}`;

const toDocument =
  (custody: KeyCustody) =>
  (row: DocumentRow): Document => {
    const id = idOf('Document', row.id);
    const context = documentNumberContext(idOf('Platform', row.platform_id), id);
    return {
      id,
      holderId: idOf(row.holder_kind, row.holder_id),
      documentType: row.document_type,
      side: row.side,
      country: row.country,
      documentNumber: row.document_number_sealed && custody.open(row.document_number_sealed, context).toString('utf8'),
      issuingAuthority: row.issuing_authority,
      fileId: idOf('File', row.file_id),
      fileName: row.file_name,
      contentType: row.content_type,
      submittedAt: row.submitted_at,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
  };

const sealNumber = (custody: KeyCustody, platformId: PlatformId, { id, documentNumber }: Document): Buffer | null =>
  documentNumber === null ? null : custody.seal(Buffer.from(documentNumber, 'utf8'), documentNumberContext(platformId, id));

const byId = (platformId: PlatformId, id: DocumentId): Sql => sql`
  select * from documents where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`;

const found = (custody: KeyCustody, row: DocumentRow | undefined): Document => {
  if (!row) throw new ApiError('NOT_FOUND');
  return toDocument(custody)(row);
};

/** The document, or 404. A malformed id (undefined) answers like an unknown one. */
export async function getDocument(tx: Reader, custody: KeyCustody, platformId: PlatformId, id: DocumentId | undefined): Promise<Document> {
  return found(custody, id && (await tx.one<DocumentRow>(byId(platformId, id))));
}

/** As `getDocument`, with the row locked. */
export async function lockDocument(tx: Tx, custody: KeyCustody, platformId: PlatformId, id: DocumentId | undefined): Promise<Document> {
  return found(custody, id && (await tx.one<DocumentRow>(sql`${byId(platformId, id)} for update`)));
}

const parseHolderId = (text: string): HolderId | undefined => parseId('Customer', text) ?? parseId('BeneficialOwner', text);

const kindOf = (holderId: HolderId): DocumentRow['holder_kind'] => (holderId.startsWith('Customer:') ? 'Customer' : 'BeneficialOwner');

/** `documentHolder` is as the caller sent it: an unknown or malformed one has no documents. */
export async function listDocuments(
  tx: Reader,
  custody: KeyCustody,
  platformId: PlatformId,
  { documentHolder }: { readonly documentHolder?: string },
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<Document>> {
  const holder = documentHolder === undefined ? undefined : parseHolderId(documentHolder);
  const where = allOf(
    sql`platform_id = ${uuidOf(platformId)}`,
    documentHolder !== undefined && (holder ? sql`holder_id = ${uuidOf(holder)} and holder_kind = ${kindOf(holder)}` : sql`false`),
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<DocumentRow>(sql`
      select * from documents where ${allOf(where, after !== undefined && sql`id < ${after}`)} order by id desc limit ${limit + 1}`),
    countMatches(tx, sql`documents where ${where}`),
  ]);
  return pageOf(rows.map(toDocument(custody)), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** The holder's document of that type and side. */
export async function findDocumentOfType(
  tx: Reader,
  platformId: PlatformId,
  { holderId, documentType, side }: Pick<Document, 'holderId' | 'documentType' | 'side'>,
): Promise<DocumentId | undefined> {
  const row = await tx.one<{ id: string }>(sql`
    select id from documents
    where holder_id = ${uuidOf(holderId)} and platform_id = ${uuidOf(platformId)} and document_type = ${documentType}
      and coalesce(side, '') = ${side ?? ''}`);
  return row && idOf('Document', row.id);
}

/** Returns false if the holder has a document of that type and side, also if it was inserted concurrently. */
export async function insertDocument(tx: Tx, custody: KeyCustody, platformId: PlatformId, document: Document): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into documents (platform_id, id, holder_kind, holder_id, document_type, side, country, document_number_sealed, issuing_authority,
                           file_id, file_name, content_type, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(document.id)}, ${kindOf(document.holderId)}, ${uuidOf(document.holderId)}, ${document.documentType},
            ${document.side}, ${document.country}, ${sealNumber(custody, platformId, document)}, ${document.issuingAuthority},
            ${uuidOf(document.fileId)}, ${document.fileName}, ${document.contentType}, ${document.createdAt}, ${document.updatedAt})
    on conflict do nothing`);
  return inserted === 1;
}

/** Writes every column that a replacement changes. */
export async function saveDocument(tx: Tx, custody: KeyCustody, platformId: PlatformId, document: Document): Promise<void> {
  await tx
    .run(
      sql`
    update documents set document_type = ${document.documentType}, side = ${document.side}, country = ${document.country},
      document_number_sealed = ${sealNumber(custody, platformId, document)}, issuing_authority = ${document.issuingAuthority},
      file_id = ${uuidOf(document.fileId)}, file_name = ${document.fileName}, content_type = ${document.contentType},
      submitted_at = ${document.submittedAt}, updated_at = ${document.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(document.id)}`,
    )
    .catch((error: unknown) => {
      // A concurrent request took the type and side after they were looked up.
      throw violatedConstraint(error) === 'documents_holder_type_side' ? alreadyExists(undefined) : error;
    });
}

export function deleteDocument(tx: Tx, platformId: PlatformId, id: DocumentId): void {
  tx.send(sql`delete from documents where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** The documents of the holders, the oldest first. They are neither replaced nor deleted until this transaction ends. */
export async function lockDocumentsOf(tx: Tx, platformId: PlatformId, holderIds: readonly HolderId[]): Promise<HeldDocument[]> {
  const rows = await tx.many<Omit<DocumentRow, 'document_number_sealed'>>(sql`
    select d.* from unnest(${[...new Set(holderIds.map(uuidOf))].sort()}::uuid[]) h (id) cross join lateral (
      select id, holder_kind, holder_id, document_type, side, country, submitted_at from documents
      where platform_id = ${uuidOf(platformId)} and holder_id = h.id order by id for no key update) d`);
  return rows
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((row) => ({
      id: idOf('Document', row.id),
      holderId: idOf(row.holder_kind, row.holder_id),
      documentType: row.document_type,
      country: row.country,
      side: row.side,
      isSubmitted: row.submitted_at !== null,
    }));
}

export function markSubmitted(tx: Tx, platformId: PlatformId, ids: readonly DocumentId[], now: Date): void {
  if (ids.length === 0) return;
  tx.send(sql`
    update documents set submitted_at = ${now} where platform_id = ${uuidOf(platformId)} and id = any(${ids.map(uuidOf)}::uuid[])`);
}

/** Deletes the documents of holders and returns their files. */
export async function deleteDocumentsOf(tx: Tx, platformId: PlatformId, holderIds: readonly HolderId[]): Promise<FileId[]> {
  const rows = await tx.many<{ file_id: string }>(sql`
    delete from documents where platform_id = ${uuidOf(platformId)} and holder_id = any(${holderIds.map(uuidOf)}::uuid[]) returning file_id`);
  return rows.map((row) => idOf('File', row.file_id));
}

/** Notes who read the content of a document. */
export function insertDownload(tx: Tx, platformId: PlatformId, id: DocumentId, tokenId: TokenId, now: Date): void {
  tx.send(sql`
    insert into document_downloads (platform_id, id, document_id, token_id, downloaded_at)
    values (${uuidOf(platformId)}, ${newUuid()}, ${uuidOf(id)}, ${uuidOf(tokenId)}, ${now})`);
}
