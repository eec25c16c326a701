// What a file must be to be a payment document, whose it is, and when it can be used. The purposes are in rules.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentDocument, PaymentDocumentId } from '../../../../src/domains/payments/payment-documents/payment-document.js';
import {
  checkFile,
  DOCUMENT_MOVES,
  documentsOfHolder,
  MAX_FILE_BYTES,
  MAX_REQUEST_BYTES,
  newPaymentDocument,
  refuseUnusable,
  requireDocuments,
} from '../../../../src/domains/payments/payment-documents/rules.js';
import { newId } from '../../../../src/kernel/ids.js';
import { answerOf, fieldsOf, refusalBy } from '../../../support/refusal.js';

const NOW = new Date('2026-03-04T05:06:07.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const [ADA, BOB] = [newId('Customer'), newId('Customer')];

const document = (fields: Partial<PaymentDocument> = {}): PaymentDocument => ({
  ...newPaymentDocument({
    id: newId('PaymentDocument'),
    customerId: ADA,
    documentType: 'INVOICE',
    file: { id: newId('File'), fileName: 'invoice.pdf', size: 12 },
    contentType: 'application/pdf',
    now: NOW,
  }),
  ...fields,
});

test('a file of 1 to 8,000,000 bytes, in a request of at most twice that', () => {
  assert.deepEqual([MAX_FILE_BYTES, MAX_REQUEST_BYTES], [8_000_000, 16_000_000]);
});

test('PDF, JPEG and PNG are told by content; anything else is INVALID_INPUT on file', () => {
  for (const kind of ['application/pdf', 'image/jpeg', 'image/png'] as const) assert.equal(checkFile({ size: 1 }, kind), kind);
  for (const sniffed of [undefined, 'MIXED', 'OVERSIZED'] as const)
    assert.deepEqual(
      fieldsOf(() => checkFile({ size: 12 }, sniffed)),
      ['file'],
      String(sniffed),
    );
  const empty = answerOf(() => checkFile({ size: 0 }, 'application/pdf'));
  assert.deepEqual(empty, ['INVALID_INPUT', { errors: [{ field: 'file', message: 'is empty', constraint: { minLength: 1 } }] }]);
});

test('"expiresAt = + 24 h of the clock"; it is of nobody yet', () => {
  const made = document();
  assert.deepEqual([made.expiresAt, made.createdAt, made.quoteId], [at(86_400_000), NOW, null]);
  assert.deepEqual([made.fileName, made.sizeBytes, made.contentType], ['invoice.pdf', 12, 'application/pdf']);
});

test('UPLOADED → ATTACHED or EXPIRED, and nothing after them', () => {
  assert.deepEqual(DOCUMENT_MOVES, { UPLOADED: { ATTACHED: 'ATTACHED', EXPIRED: 'EXPIRED' }, ATTACHED: {}, EXPIRED: {} });
});

test('documents of the sender in the order asked for; those of another holder are not found, as unknown ones', () => {
  const [first, second, foreign, own] = [document(), document(), document({ customerId: BOB }), document({ customerId: null })];
  const found = [first, second, foreign, own];
  const of = (holder: typeof ADA | null, ...ids: (PaymentDocumentId | undefined)[]) => documentsOfHolder(found, ids, holder);
  assert.deepEqual(of(ADA, second.id, first.id), [second, first]);
  assert.deepEqual(of(null, own.id), [own], 'of the platform itself');
  for (const [holder, id] of [
    [ADA, foreign.id],
    [ADA, own.id],
    [null, first.id],
    [ADA, newId('PaymentDocument')],
    [ADA, undefined],
  ] as const)
    assert.equal(
      refusalBy(() => of(holder, id)),
      'PAYMENT_DOCUMENT_NOT_FOUND',
    );
});

test('a used document comes before an expired one; the last millisecond counts', () => {
  const usable = (...documents: PaymentDocument[]) => refusalBy(() => refuseUnusable(documents, at(0)));
  const used = document({ quoteId: newId('Quote') });
  const expired = document({ expiresAt: at(0) });
  assert.equal(usable(), 'allowed');
  assert.equal(usable(document({ expiresAt: at(1) })), 'allowed');
  assert.equal(usable(expired), 'PAYMENT_DOCUMENT_EXPIRED');
  assert.equal(usable(used), 'PAYMENT_DOCUMENT_ALREADY_USED');
  assert.equal(usable(expired, used), 'PAYMENT_DOCUMENT_ALREADY_USED');
});

test('the refusals name what is missing, and the field of a document that supports nothing', () => {
  assert.deepEqual(
    answerOf(() => requireDocuments('DELIVERY_FEES', [])),
    ['DOCUMENTS_REQUIRED', { missingRequirements: ['SERVICE_AGREEMENT', 'PROOF_OF_SHIPMENT'] }],
  );
  assert.deepEqual(
    answerOf(() => requireDocuments('DELIVERY_FEES', ['INVOICE'])),
    ['DOCUMENTS_REQUIRED', { missingRequirements: ['PROOF_OF_SHIPMENT'] }],
  );
  assert.deepEqual(
    fieldsOf(() => requireDocuments('TRAVEL', ['FLIGHT_TICKET', 'INVOICE'])),
    ['documentIds'],
  );
});
