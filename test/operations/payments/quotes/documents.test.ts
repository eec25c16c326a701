// Documents on quotes: which payments need them, and that each document is used once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import type { ErrorCode } from '../../../../src/kernel/errors.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { filePart } from '../../../support/documents.js';
import { pdf } from '../../../support/multipart.js';
import { chineseBusiness, givenPaymentDocument, withKey } from '../../../support/payment-documents.js';
import { quoting } from '../../../support/quotes.js';
import { race } from '../../../support/race.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
let pay: ReturnType<typeof quoting>;
let customer: Resource;
let usd: Resource;
let supplier: Resource;
before(async () => {
  service = await startTestService();
  pay = quoting(service.platform);
  await pay.currencies('USD', 'EUR');
  customer = await pay.customer();
  usd = { ...(await pay.fund(await pay.account(customer, 'USD'), 100_000_000)), customerId: customer.id };
  supplier = await chineseBusiness(service.platform, customer);
});
after(() => service.stop());

const upload = (documentType: string, holder: Resource = customer, fileName?: string): Promise<Resource> =>
  givenPaymentDocument(service.platform, documentType, holder?.id, filePart(pdf(), fileName));
const read = (document: Resource): Promise<Resource> => expectStatus(200, service.platform.get(`/payment-documents/${document.id}`));
const body = (documents: readonly Resource[], purposeOfPayment = 'EXPORTED_GOODS_POSTPAYMENT', fields = {}) =>
  pay.request(usd, supplier, 10_000, { documentIds: documents.map(({ id }) => id), purposeOfPayment, ...fields });
const post = (request: unknown, sent = withKey()): Promise<Answer> => service.platform.post('/quotes', request, sent);
const countQuotes = async () =>
  (await service.db.one<{ count: bigint }>(sql`select count(*) from payments where customer_id = ${customer.id.split(':')[1]}`))?.count;
const storedFile = async (document: Resource) =>
  (await service.db.one<{ file_id: string | null }>(sql`select file_id from payment_documents where id = ${document.id.split(':')[1]}`))
    ?.file_id;

/** Refused with nothing written: neither a quote nor a use of the documents. */
async function refused(
  answer: () => Promise<Answer>,
  status: number,
  code: ErrorCode,
  documents: readonly Resource[] = [],
): Promise<Answer> {
  const before = [await countQuotes(), ...(await Promise.all(documents.map(read)))];
  const given = await answer();
  assertRefused(given, status, code);
  assert.deepEqual([await countQuotes(), ...(await Promise.all(documents.map(read)))], before);
  return given;
}

describe('200', () => {
  test('the documents are attached in the transaction of the quote, shown on it, and their content is erased', async () => {
    const documents = [await upload('CONTRACT'), await upload('BILL_OF_LADING')];
    const fileId = await storedFile(documents[0]);
    assert.ok(fileId);
    const quote = await expectStatus(200, post(body(documents)));
    assert.deepEqual(
      quote.documentIds,
      documents.map(({ id }) => id),
    );
    assert.deepEqual(await pay.getQuote(quote), quote);
    for (const document of documents) assert.deepEqual(await read(document), { ...document, status: 'ATTACHED', quoteId: quote.id });
    assert.equal(await storedFile(documents[0]), null);
    assert.equal(await service.db.one(sql`select from stored_files where id = ${fileId}`), undefined);
    assert.equal((await pay.execute(quote)).status, 'PROCESSING');
  });

  test('an attached document stays ATTACHED after its 24 hours', async () => {
    const own = await service.newPlatform();
    const build = quoting(own);
    const source = await build.platformAccount('USD');
    const document = await givenPaymentDocument(own, 'INVOICE');
    const destination = await chineseBusiness(own, undefined);
    await expectStatus(
      200,
      own.post(
        '/quotes',
        build.request(source, destination, 10_000, { documentIds: [document.id], purposeOfPayment: 'SERVICE_CHARGES' }),
        withKey(),
      ),
    );
    await own.clock.set(new Date(Date.parse(document.expiresAt) + 1));
    assert.equal((await own.get(`/payment-documents/${document.id}`)).body.status, 'ATTACHED');
  });

  test('several documents may support the same requirement', async () => {
    const documents = [await upload('CONTRACT'), await upload('INVOICE')];
    await expectStatus(200, post(body(documents, 'SERVICE_CHARGES')));
  });

  test('the same key answers the same bytes and uses the documents once', async () => {
    const document = await upload('FLIGHT_TICKET');
    const key = withKey();
    const first = await post(body([document], 'TRAVEL'), key);
    const second = await post(body([document], 'TRAVEL'), key);
    assert.equal(first.status, 200);
    assert.equal(second.text, first.text);
  });
});

describe('400', () => {
  test('INVALID_INPUT: documentIds without an Idempotency-Key', async () => {
    const document = await upload('INVOICE');
    const answer = await refused(() => service.platform.post('/quotes', body([document], 'SERVICE_CHARGES')), 400, 'INVALID_INPUT', [
      document,
    ]);
    assertInvalid(answer, 'Idempotency-Key');
  });

  test('INVALID_INPUT: none, more than three, and the same one twice', async () => {
    const document = await upload('INVOICE');
    for (const documents of [[], [document, document], [document, { id: 'a' }, { id: 'b' }, { id: 'c' }]])
      assertInvalid(await post(body(documents, 'SERVICE_CHARGES')), 'documentIds');
  });

  test('INVALID_INPUT: a destination that wants no documents', async () => {
    const document = await upload('INVOICE');
    const request = pay.request(usd, await pay.eur(customer), 10_000, { documentIds: [document.id] });
    assertInvalid(await refused(() => post(request), 400, 'INVALID_INPUT', [document]), 'documentIds');
  });

  test('INVALID_INPUT: a document that fills none of the requirements', async () => {
    const documents = [await upload('INVOICE'), await upload('FLIGHT_TICKET')];
    assertInvalid(await refused(() => post(body(documents, 'SERVICE_CHARGES')), 400, 'INVALID_INPUT', documents), 'documentIds');
  });

  test('INVALID_INPUT: a payment to a business in China without a purpose', async () => {
    const { purposeOfPayment: _, ...request } = body([await upload('INVOICE')]) as Record<string, unknown>;
    assertInvalid(await post(request), 'purposeOfPayment');
  });

  test('SENDER_NOT_ACCEPTED: a purpose that the destination does not take', async () => {
    const document = await upload('INVOICE');
    for (const purpose of ['GIFT', 'OTHER', 'SALARY_PAYMENT'])
      await refused(() => post(body([document], purpose)), 400, 'SENDER_NOT_ACCEPTED', [document]);
  });

  test('DOCUMENTS_REQUIRED names the requirements that no document fills', async () => {
    const document = await upload('PURCHASE_ORDER');
    const one = await refused(() => post(body([document])), 400, 'DOCUMENTS_REQUIRED', [document]);
    assert.deepEqual(one.body.details, { missingRequirements: ['PROOF_OF_SHIPMENT'] });
    const none = await post(pay.request(usd, supplier, 10_000, { purposeOfPayment: 'DELIVERY_FEES' }));
    assertRefused(none, 400, 'DOCUMENTS_REQUIRED');
    assert.deepEqual(none.body.details, { missingRequirements: ['SERVICE_AGREEMENT', 'PROOF_OF_SHIPMENT'] });
  });
});

describe('404 PAYMENT_DOCUMENT_NOT_FOUND', () => {
  test('an unknown document, one of another customer, of the platform, and of another platform, with the same bytes', async () => {
    const others = [
      { id: `PaymentDocument:${randomUUID()}` },
      { id: 'nothing' },
      await upload('INVOICE', await pay.customer()),
      await upload('INVOICE', null),
      await givenPaymentDocument(await service.newPlatform(), 'INVOICE'),
    ];
    const answers = await Promise.all(others.map((document) => post(body([document], 'SERVICE_CHARGES'))));
    for (const answer of answers) {
      assertRefused(answer, 404, 'PAYMENT_DOCUMENT_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });
});

describe('409, 410, 424: the key stays free', () => {
  test('PAYMENT_DOCUMENT_ALREADY_USED', async () => {
    const document = await upload('INVOICE');
    await expectStatus(200, post(body([document], 'SERVICE_CHARGES')));
    await refused(() => post(body([document], 'SERVICE_CHARGES')), 409, 'PAYMENT_DOCUMENT_ALREADY_USED', [document]);
  });

  test('PAYMENT_DOCUMENT_EXPIRED: at expiresAt it is over', async () => {
    const own = await service.newPlatform();
    const build = quoting(own);
    const source = await build.platformAccount('USD');
    const destination = await chineseBusiness(own, undefined);
    await own.clock.freeze();
    const document = await givenPaymentDocument(own, 'INVOICE');
    const request = build.request(source, destination, 10_000, { documentIds: [document.id], purposeOfPayment: 'SERVICE_CHARGES' });
    const key = withKey();
    await own.clock.set(document.expiresAt);
    assertRefused(await own.post('/quotes', request, key), 410, 'PAYMENT_DOCUMENT_EXPIRED');
    const fresh = await givenPaymentDocument(own, 'INVOICE');
    await expectStatus(200, own.post('/quotes', { ...request, documentIds: [fresh.id] }, key));
  });

  test('PAYMENT_DOCUMENT_EXPIRED: a document that has expired stays over when the clock is set back', async () => {
    const own = await service.newPlatform();
    const build = quoting(own);
    const source = await build.platformAccount('USD');
    const destination = await chineseBusiness(own, undefined);
    await own.clock.freeze();
    const document = await givenPaymentDocument(own, 'INVOICE');
    await own.clock.set(document.expiresAt);
    await own.clock.set(document.createdAt);
    assert.deepEqual(await expectStatus(200, own.get(`/payment-documents/${document.id}`)), { ...document, status: 'EXPIRED' });
    const request = build.request(source, destination, 10_000, { documentIds: [document.id], purposeOfPayment: 'SERVICE_CHARGES' });
    assertRefused(await own.post('/quotes', request, withKey()), 410, 'PAYMENT_DOCUMENT_EXPIRED');
  });

  test('PAYMENT_DOCUMENT_ATTACHMENT_FAILED: the partner refuses; the document stays usable', async () => {
    const document = await upload('INVOICE', customer, 'invoice ATTACHMENT_FAILED.pdf');
    const key = withKey();
    const request = body([document], 'SERVICE_CHARGES');
    await refused(() => post(request, key), 424, 'PAYMENT_DOCUMENT_ATTACHMENT_FAILED', [document]);
    await expectStatus(200, post(body([await upload('INVOICE')], 'SERVICE_CHARGES'), key));
  });
});

race('64 quotes with one document: one wins, the others 409', async () => {
  const document = await upload('INVOICE');
  const before = await countQuotes();
  const answers = await Promise.all(Array.from({ length: 64 }, () => post(body([document], 'SERVICE_CHARGES'))));
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  for (const answer of answers) if (answer.status !== 200) assertRefused(answer, 409, 'PAYMENT_DOCUMENT_ALREADY_USED');
  assert.equal((await read(document)).quoteId, won[0]?.body.id);
  assert.equal(await countQuotes(), (before ?? 0n) + 1n);
});
