// Uploads of documents.
import { type Answer, type Client, expectStatus, type Sent } from './client.js';
import { type Part, pdf } from './multipart.js';

export type DocumentFields = Readonly<Record<string, string | undefined>>;

export const filePart = (value: Buffer = pdf(), fileName = 'paper.pdf', contentType = 'application/pdf'): Part => ({
  name: 'file',
  value,
  fileName,
  contentType,
});

/** Text parts of the fields that are given, then the file. */
export const documentForm = (fields: DocumentFields, file: Part | undefined = filePart()): Part[] => [
  ...Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
  ...(file ? [file] : []),
];

export const BILL = { documentType: 'UTILITY_BILL', country: 'DE' };
export const PASSPORT = { documentType: 'PASSPORT', country: 'DE', documentNumber: 'C01X00T47', issuingAuthority: 'Stadt Berlin' };
export const NATIONAL_ID = { ...PASSPORT, documentType: 'NATIONAL_ID', side: 'FRONT' };

export const upload = (
  platform: Client,
  documentHolder: string,
  fields: DocumentFields = BILL,
  file?: Part,
  sent?: Sent,
): Promise<Answer> => platform.upload('POST', '/documents', documentForm({ documentHolder, ...fields }, file), sent);

export const replace = (platform: Client, id: string, fields: DocumentFields = BILL, file?: Part): Promise<Answer> =>
  platform.upload('PUT', `/documents/${id}`, documentForm(fields, file));

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
export const givenDocument = (platform: Client, documentHolder: string, fields?: DocumentFields, file?: Part): Promise<any> =>
  expectStatus(201, upload(platform, documentHolder, fields, file));
