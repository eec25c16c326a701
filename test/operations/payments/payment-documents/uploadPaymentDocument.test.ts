// Documents that support a payment: what is accepted, how long they can be used, and that their content is never kept longer.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { documentForm, filePart } from '../../../support/documents.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { jpeg, pdf, png } from '../../../support/multipart.js';
import { givenPaymentDocument, uploadPaymentDocument } from '../../../support/payment-documents.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService({ ROLE: 'api' });
  platform = service.platform;
  await platform.clock.freeze();
});
after(() => service.stop());

const storedFiles = async () => Number((await service.db.one<{ count: bigint }>(sql`select count(*) from stored_files`))?.count);
const INVOICE = { documentType: 'INVOICE' };

describe('201', () => {
  test('UPLOADED, usable for 24 hours, described as uploaded and never with its content', async () => {
    const customer = await given(platform).customer();
    const now = await platform.clock.now();
    const document = await givenPaymentDocument(platform, 'INVOICE', customer.id, filePart(pdf(321), 'C:\\papers\\Rechnung Müller.pdf'));
    assert.match(document.id, /^PaymentDocument:/);
    assert.deepEqual(document, {
      id: document.id,
      customerId: customer.id,
      documentType: 'INVOICE',
      fileName: 'Rechnung Müller.pdf',
      sizeBytes: 321,
      contentType: 'application/pdf',
      status: 'UPLOADED',
      createdAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + 24 * 3_600_000).toISOString(),
    });
    assert.deepEqual(await expectStatus(200, platform.get(`/payment-documents/${document.id}`)), document);
  });

  test('without a customer it belongs to the platform', async () => {
    assert.equal('customerId' in (await givenPaymentDocument(platform, 'CONTRACT')), false);
  });

  test('the kind is told by the content, not by the name or the Content-Type', async () => {
    const png1 = await givenPaymentDocument(platform, 'INVOICE', undefined, filePart(png(), 'a.pdf', 'application/pdf'));
    const jpeg1 = await givenPaymentDocument(platform, 'INVOICE', undefined, filePart(jpeg(), 'a.exe', 'text/plain'));
    assert.deepEqual([png1.contentType, jpeg1.contentType], ['image/png', 'image/jpeg']);
  });

  test('exactly 8,000,000 bytes are fine; the content is stored encrypted and erased at its expiry', async () => {
    const own = await service.newPlatform();
    const secret = randomBytes(20).toString('hex');
    const exact = pdf(8_000_000);
    exact.fill(secret, 9, exact.length - 7);
    const files = await storedFiles();
    const document = await givenPaymentDocument(own, 'INVOICE', undefined, filePart(exact));
    const leaking = await service.db.one<{ count: bigint }>(
      sql`select count(*) from stored_file_chunks where position(${Buffer.from(secret)} in bytes) > 0`,
    );
    assert.equal(leaking?.count, 0n);
    await own.clock.freeze(new Date(Date.parse(document.expiresAt) - 1));
    assert.equal((await own.get(`/payment-documents/${document.id}`)).body.status, 'UPLOADED');
    assert.equal(await storedFiles(), files + 1);
    await own.clock.advance(1);
    const expired = await expectStatus(200, own.get(`/payment-documents/${document.id}`));
    assert.deepEqual(expired, { ...document, status: 'EXPIRED' });
    assert.equal(await storedFiles(), files);
  });

  test('the documents of a customer who is deleted are erased', async () => {
    const customer = await given(platform).customer();
    const files = await storedFiles();
    const { id } = await givenPaymentDocument(platform, 'INVOICE', customer.id);
    assert.equal(await storedFiles(), files + 1);
    await expectStatus(200, platform.delete(`/customers/${customer.id}`));
    assert.equal(await storedFiles(), files);
    assertRefused(await platform.get(`/payment-documents/${id}`), 404, 'PAYMENT_DOCUMENT_NOT_FOUND');
  });
});

const refused = <Result>(work: () => Promise<Result>): Promise<Result> => changesNothing(service.db, work);

describe('400 INVALID_INPUT', () => {
  test('no file, no type, an unknown type, an unknown field: every one is named', async () => {
    const answer = await refused(() =>
      platform.upload('POST', '/payment-documents', documentForm({ other: 'x' }, { name: 'x', value: 'y' })),
    );
    assertInvalid(answer, 'other', 'x', 'file', 'documentType');
    assertInvalid(await refused(() => uploadPaymentDocument(platform, { documentType: 'SELFIE' })), 'documentType');
  });

  test('an empty file, one byte above the limit, a text, a file that is two kinds at once', async () => {
    for (const [content, why] of [
      [Buffer.alloc(0), 'empty'],
      [pdf(8_000_001), 'too large'],
      [Buffer.from('hello'), 'a text'],
      [Buffer.concat([png(), pdf()]), 'cut off'],
      [Buffer.concat([jpeg(60), pdf()]), 'two kinds'],
    ] as const) {
      const answer = await refused(() => uploadPaymentDocument(platform, INVOICE, filePart(content)));
      assert.equal(answer.status, 400, why);
      assertInvalid(answer, 'file');
    }
  });
});

describe('403', () => {
  test('a token that may only view', async () => {
    const token = await expectStatus(201, platform.post('/tokens', { name: 'viewer', permissions: ['VIEW'] }));
    const authorization = `Basic ${Buffer.from(`${token.clientId}:${token.clientSecret}`).toString('base64')}`;
    const answer = await platform.upload('POST', '/payment-documents', documentForm(INVOICE), { headers: { authorization } });
    assertRefused(answer, 403, 'FORBIDDEN');
  });
});

describe('404', () => {
  test('CUSTOMER_NOT_FOUND: an unknown customer, and one of another platform', async () => {
    const foreign = await given(await service.newPlatform()).customer();
    for (const customerId of [foreign.id, `Customer:${randomUUID()}`, 'nobody'])
      assertRefused(await refused(() => uploadPaymentDocument(platform, { ...INVOICE, customerId })), 404, 'CUSTOMER_NOT_FOUND');
  });

  test('PAYMENT_DOCUMENT_NOT_FOUND: an unknown document, and one of another platform, with the same bytes', async () => {
    const foreign = await givenPaymentDocument(await service.newPlatform(), 'INVOICE');
    const [other, unknown, malformed] = await Promise.all(
      [foreign.id, `PaymentDocument:${randomUUID()}`, 'x'].map((id) => platform.get(`/payment-documents/${id}`)),
    );
    assertRefused(other as never, 404, 'PAYMENT_DOCUMENT_NOT_FOUND');
    assert.equal(other?.text, unknown?.text);
    assert.equal(other?.text, malformed?.text);
  });
});
