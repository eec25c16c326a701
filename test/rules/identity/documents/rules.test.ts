// What a document must be, without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Document, DocumentDraft } from '../../../../src/domains/identity/documents/document.js';
import {
  alreadyExists,
  checkDraft,
  MAX_DOCUMENT_BYTES,
  MAX_REQUEST_BYTES,
  newDocument,
  refuseRejected,
  refuseSubmitted,
  replacedDocument,
} from '../../../../src/domains/identity/documents/rules.js';
import { DOCUMENT_TYPES } from '../../../../src/domains/identity/verifications/verification.js';
import { REJECTION_CODES } from '../../../../src/providers/document-check.js';
import { answerOf, fieldsOf, refusalOf } from '../../../support/refusal.js';

const BEFORE = new Date('2026-05-01T00:00:00Z');
const NOW = new Date('2026-06-01T00:00:00Z');
const FILE = { id: 'File:1', fileName: 'a.pdf', contentType: 'application/pdf', size: 9 };
const PASSPORT = {
  documentType: 'PASSPORT',
  country: 'US',
  side: undefined,
  documentNumber: 'X1',
  issuingAuthority: 'State',
  file: FILE,
} as unknown as DocumentDraft;
const BILL = { ...PASSPORT, documentType: 'UTILITY_BILL', documentNumber: undefined, issuingAuthority: undefined } as const;
const check =
  (fields: object, sniffed: Parameters<typeof checkDraft>[1] = 'application/pdf') =>
  () =>
    checkDraft({ ...PASSPORT, ...fields } as DocumentDraft, sniffed);

test('a document has 10 MB at most, a request 32 MB', () => {
  assert.deepEqual([MAX_DOCUMENT_BYTES, MAX_REQUEST_BYTES], [10_485_760, 33_554_432]);
});

describe('a document that is uploaded', () => {
  test('is of the kind that its bytes show', () => {
    assert.equal(check({})(), 'application/pdf');
    assert.equal(check({ file: { ...FILE, contentType: 'image/png' } }, 'image/png')(), 'image/png');
  });

  test('"PASSPORT, DRIVERS_LICENSE, NATIONAL_ID need documentNumber and issuingAuthority"; no other type does', () => {
    for (const documentType of DOCUMENT_TYPES) {
      const side = ['NATIONAL_ID', 'DRIVERS_LICENSE'].includes(documentType) ? 'FRONT' : undefined;
      const bare = { documentType, side, documentNumber: undefined, issuingAuthority: ' ' };
      if (!['PASSPORT', 'DRIVERS_LICENSE', 'NATIONAL_ID'].includes(documentType))
        assert.equal(check(bare)(), 'application/pdf', documentType);
      else assert.deepEqual(fieldsOf(check(bare)), ['documentNumber', 'issuingAuthority'], documentType);
    }
  });

  test('a card is uploaded side by side, anything else whole; a Brazilian licence is one sheet', () => {
    // Document, country, whether it has sides.
    const TABLE = [
      ['NATIONAL_ID', 'US', true],
      ['NATIONAL_ID', 'BR', true],
      ['DRIVERS_LICENSE', 'US', true],
      ['DRIVERS_LICENSE', 'BR', false],
      ['PASSPORT', 'US', false],
      ['UTILITY_BILL', 'US', false],
    ] as const;
    for (const [documentType, country, hasSides] of TABLE) {
      const [taken, refused] = hasSides ? ['BACK', undefined] : [undefined, 'BACK'];
      assert.equal(check({ documentType, country, side: taken })(), 'application/pdf', documentType);
      assert.deepEqual(fieldsOf(check({ documentType, country, side: refused })), ['side'], documentType);
    }
    const message = (fields: object) => refusalOf(check(fields)).details;
    assert.deepEqual(message({ documentType: 'NATIONAL_ID' }), { errors: [{ field: 'side', message: 'is required: upload each side' }] });
    assert.deepEqual(message({ side: 'FRONT' }), { errors: [{ field: 'side', message: 'is not taken for this document' }] });
  });

  test('the file is a PDF, JPEG or PNG, and what it claims to be', () => {
    for (const sniffed of [undefined, 'MIXED', 'OVERSIZED', 'image/png'] as const)
      assert.deepEqual(
        fieldsOf(() => checkDraft(BILL, sniffed)),
        ['file'],
        sniffed,
      );
    assert.deepEqual(fieldsOf(check({ file: { ...FILE, size: 0 } })), ['file']);
    assert.deepEqual(refusalOf(check({ file: { ...FILE, contentType: 'text/html' } })).details, {
      errors: [
        {
          field: 'file',
          message: 'must have the Content-Type application/pdf, image/jpeg, image/png',
          constraint: { enum: ['application/pdf', 'image/jpeg', 'image/png'] },
        },
      ],
    });
  });

  test('every bad field is named in one answer', () => {
    assert.deepEqual(fieldsOf(check({ country: 'ZZ', side: 'FRONT', documentNumber: '', file: { ...FILE, size: 0 } })), [
      'country',
      'side',
      'documentNumber',
      'file',
    ]);
  });
});

describe('the look of the provider', () => {
  test('each refusal is its own code; an unusable file is DOCUMENT_REJECTED with the labels beside the code', () => {
    refuseRejected({ kind: 'ACCEPTED' });
    for (const code of REJECTION_CODES) assert.equal(answerOf(() => refuseRejected({ kind: 'REFUSED', code }))[0], code);
    const { code, details, beside } = refusalOf(() => refuseRejected({ kind: 'UNUSABLE', labels: ['screenshot'] }));
    assert.deepEqual([code, details, beside], ['DOCUMENT_REJECTED', undefined, { precheckErrors: ['screenshot'] }]);
  });
});

describe('a stored document', () => {
  const facts = (draft: DocumentDraft) => ({ draft, contentType: 'application/pdf', now: NOW }) as const;
  const document: Document = {
    id: 'Document:1',
    holderId: 'Customer:1',
    documentType: 'PASSPORT',
    side: null,
    country: 'US',
    documentNumber: 'X1',
    issuingAuthority: 'State',
    fileId: 'File:1',
    fileName: 'a.pdf',
    contentType: 'application/pdf',
    submittedAt: null,
    createdAt: NOW,
    updatedAt: NOW,
  };
  test('holds what was said', () => {
    assert.deepEqual(newDocument('Document:1', 'Customer:1', facts(PASSPORT)), document);
    const card = { ...PASSPORT, documentType: 'NATIONAL_ID', side: 'BACK' } as const;
    assert.deepEqual(newDocument('Document:1', 'Customer:1', facts(card)), { ...document, documentType: 'NATIONAL_ID', side: 'BACK' });
  });
  test('"optional fields left out are cleared" by a replacement, which counts as not submitted', () => {
    const before: Document = { ...document, side: 'FRONT', submittedAt: BEFORE, createdAt: BEFORE, updatedAt: BEFORE };
    assert.deepEqual(replacedDocument(before, facts(BILL)), {
      ...document,
      documentType: 'UTILITY_BILL',
      documentNumber: null,
      issuingAuthority: null,
      createdAt: BEFORE,
    });
  });
  test('is not deleted once it was submitted', () => {
    refuseSubmitted(document);
    assert.deepEqual(
      answerOf(() => refuseSubmitted({ ...document, submittedAt: BEFORE })),
      ['CONFLICT', { cause: 'SUBMITTED' }],
    );
  });
  test('of the same holder, type and side is DOCUMENT_ALREADY_EXISTS and named, unless it is gone by now', () => {
    const { code, details } = alreadyExists('Document:2');
    assert.deepEqual([code, details], ['DOCUMENT_ALREADY_EXISTS', { documentId: 'Document:2' }]);
    assert.equal(alreadyExists(undefined).details, undefined);
  });
});
