// Every purpose of a documented payment with every type of document, restated from the facts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PAYMENT_DOCUMENT_TYPES, type PaymentDocumentType } from '../../../../src/domains/payments/payment-documents/payment-document.js';
import { requireDocuments, statusAt } from '../../../../src/domains/payments/payment-documents/rules.js';
import { ApiError } from '../../../../src/kernel/errors.js';

const TRADE = ['CONTRACT', 'PURCHASE_ORDER', 'INVOICE'] as const;
const SERVICE = ['CONTRACT', 'INVOICE'] as const;
const SHIPMENT = ['CUSTOMS_DECLARATION', 'BILL_OF_LADING', 'LOGISTICS_BILL', 'DELIVERY_SLIP'] as const;
const BOOKING = ['HOTEL_BOOKING_CONFIRMATION', 'INVOICE'] as const;
const TRAVEL = ['FLIGHT_TICKET', 'TRAVEL_DOCUMENT'] as const;

const NEEDED: Readonly<Record<string, readonly (readonly PaymentDocumentType[])[]>> = {
  EXPORTED_GOODS_PREPAYMENT: [TRADE],
  COMMISSION_ON_GOODS: [TRADE],
  EXPORTED_GOODS_POSTPAYMENT: [TRADE, SHIPMENT],
  DELIVERY_FEES: [SERVICE, SHIPMENT],
  HOTEL_ACCOMMODATION: [BOOKING],
  TRAVEL: [TRAVEL],
  SERVICE_CHARGES: [SERVICE],
  OFFICE_EXPENSES: [SERVICE],
  COMMISSION_ON_SERVICES: [SERVICE],
  ACCOUNTING_SERVICES: [SERVICE],
  EXHIBITION_SERVICES: [SERVICE],
};

const outcome = (purpose: string, types: readonly PaymentDocumentType[]): string => {
  try {
    requireDocuments(purpose, types);
    return 'ACCEPTED';
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error.code;
  }
};

/** Every set of at most two types. */
const sets = [
  [],
  ...PAYMENT_DOCUMENT_TYPES.map((one) => [one]),
  ...PAYMENT_DOCUMENT_TYPES.flatMap((one) => PAYMENT_DOCUMENT_TYPES.map((two) => [one, two])),
];

for (const [purpose, needed] of Object.entries(NEEDED)) {
  test(`${purpose}: every requirement is filled, and every document fills one`, () => {
    for (const types of sets) {
      const isFilled = needed.every((accepted) => types.some((type) => accepted.includes(type)));
      const isUseful = types.every((type) => needed.some((accepted) => accepted.includes(type)));
      const expected = !isFilled ? 'DOCUMENTS_REQUIRED' : isUseful ? 'ACCEPTED' : 'INVALID_INPUT';
      assert.equal(outcome(purpose, types), expected, types.join());
    }
  });
}

test('any other purpose is not accepted, whatever the documents', () => {
  for (const purpose of ['GIFT', 'SELF', 'GOODS_OR_SERVICES', 'EDUCATION', 'OTHER', 'toString'])
    assert.equal(outcome(purpose, ['INVOICE']), 'SENDER_NOT_ACCEPTED');
});

describe('status', () => {
  const expiresAt = new Date('2026-01-02T00:00:00Z');
  test('UPLOADED until expiresAt, EXPIRED from then on, ATTACHED for good', () => {
    const at = (quoteId: 'Quote:1' | null, now: string) =>
      statusAt({ quoteId, fileId: quoteId ? null : 'File:1', expiresAt }, new Date(now));
    assert.equal(at(null, '2026-01-01T23:59:59.999Z'), 'UPLOADED');
    assert.equal(at(null, '2026-01-02T00:00:00Z'), 'EXPIRED');
    assert.equal(at('Quote:1', '2026-01-01T00:00:00Z'), 'ATTACHED');
    assert.equal(at('Quote:1', '2026-01-02T00:00:00Z'), 'ATTACHED');
  });

  test('EXPIRED without its content, also when the clock was set back before expiresAt', () => {
    assert.equal(statusAt({ quoteId: null, fileId: null, expiresAt }, new Date('2026-01-01T00:00:00Z')), 'EXPIRED');
  });
});
