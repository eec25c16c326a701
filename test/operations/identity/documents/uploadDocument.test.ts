// Uploading documents: what is accepted, what is refused, and how it is stored.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import pg from 'pg';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { plansOfOneServer } from '../../../support/database.js';
import { BILL, documentForm, filePart, givenDocument, NATIONAL_ID, PASSPORT, upload } from '../../../support/documents.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { formOf, jpeg, pdf, png } from '../../../support/multipart.js';
import { genericAccesses, watchStatements } from '../../../support/plans.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';

const MAX = 10 * 1024 * 1024;
let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService({ ROLE: 'api' });
  platform = service.platform;
});
after(() => service.stop());

const holder = async (): Promise<string> => (await given(platform).customer()).id;
const count = async (table: 'stored_files' | 'stored_file_chunks') =>
  Number(
    (
      await service.db.one<{ count: bigint }>(
        table === 'stored_files' ? sql`select count(*) from stored_files` : sql`select count(*) from stored_file_chunks`,
      )
    )?.count,
  );

describe('201', () => {
  test('the document as it was described, never with its content', async () => {
    const documentHolder = await holder();
    const document = await givenDocument(platform, documentHolder, PASSPORT, filePart(pdf(), 'Reisepass Müller.pdf'));
    assert.match(document.id, /^Document:/);
    assert.deepEqual(document, {
      id: document.id,
      documentHolder,
      ...PASSPORT,
      fileName: 'Reisepass Müller.pdf',
      createdAt: document.createdAt,
      updatedAt: document.createdAt,
    });
  });

  test('PDF, JPEG and PNG by the Content-Type of the part; the file extension does not count', async () => {
    const documentHolder = await holder();
    await givenDocument(platform, documentHolder, { ...BILL, documentType: 'OTHER' }, filePart(pdf(), 'x.exe'));
    await givenDocument(platform, documentHolder, { ...BILL, documentType: 'SELFIE' }, filePart(jpeg(), 'x', 'image/jpeg'));
    await givenDocument(platform, documentHolder, { ...BILL, documentType: 'TAX_RETURN' }, filePart(png(), 'x.pdf', 'IMAGE/PNG'));
  });

  test('exactly 10 MB are fine; the file is stored encrypted, in chunks', async () => {
    const chunks = await count('stored_file_chunks');
    const secret = randomBytes(20).toString('hex');
    const exact = pdf(MAX);
    exact.fill(secret, 9, MAX - 7);
    assert.equal(exact.length, MAX);
    const { id } = await givenDocument(platform, await holder(), PASSPORT, filePart(exact));
    assert.equal((await count('stored_file_chunks')) - chunks, 40);
    const leaking = await service.db.one<{ count: bigint }>(
      sql`select count(*) from stored_file_chunks where position(${Buffer.from(secret)} in bytes) > 0`,
    );
    assert.equal(leaking?.count, 0n);
    const rows = JSON.stringify(await service.db.many(sql`select d::text from documents d`));
    assert.ok(!rows.includes(PASSPORT.documentNumber), 'the number of a document is sealed');
    // The tests below read all rows again and again.
    assert.equal((await platform.delete(`/documents/${id}`)).status, 204);
  });

  test('each side of a card once; a Brazilian driver licence has none', async () => {
    const documentHolder = await holder();
    for (const side of ['FRONT', 'BACK']) await givenDocument(platform, documentHolder, { ...NATIONAL_ID, side });
    await givenDocument(platform, documentHolder, { ...PASSPORT, documentType: 'DRIVERS_LICENSE', country: 'BR' });
  });

  test('the same Idempotency-Key and form give the same bytes; another file conflicts', async () => {
    const documentHolder = await holder();
    const sent = { headers: { 'Idempotency-Key': randomUUID() } };
    const first = await upload(platform, documentHolder, PASSPORT, filePart(pdf(2_000_000)), sent);
    assert.equal(first.status, 201, first.text);
    const files = await count('stored_files');
    const again = await upload(platform, documentHolder, PASSPORT, filePart(pdf(2_000_000)), sent);
    assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replayed')], [201, first.text, 'true']);
    assertRefused(await upload(platform, documentHolder, PASSPORT, filePart(pdf(2_000_001)), sent), 409, 'CONFLICT');
    assert.equal(await count('stored_files'), files, 'the files of repeats are gone');
  });
});

describe('400 INVALID_INPUT names the field', () => {
  const refused = async (fields: Record<string, string | undefined>, names: string[], file = filePart()) => {
    const documentHolder = await holder();
    assertInvalid(await changesNothing(service.db, () => upload(platform, documentHolder, fields, file)), ...names);
  };

  test('a type, country or side that does not exist', async () => {
    await refused({ ...BILL, documentType: 'LIBRARY_CARD' }, ['documentType']);
    for (const country of ['de', 'DEU', 'ZZ', '']) await refused({ ...BILL, country }, ['country']);
    await refused({ ...NATIONAL_ID, side: 'LEFT' }, ['side']);
  });
  test('identity documents need a number and an issuing authority', async () => {
    await refused({ documentType: 'PASSPORT', country: 'DE' }, ['documentNumber', 'issuingAuthority']);
    await refused({ ...PASSPORT, documentNumber: 'x'.repeat(101) }, ['documentNumber']);
    await refused({ ...PASSPORT, issuingAuthority: 'x'.repeat(256) }, ['issuingAuthority']);
  });
  test('cards need a side, everything else has none', async () => {
    await refused({ ...NATIONAL_ID, side: undefined }, ['side']);
    await refused({ ...PASSPORT, documentType: 'DRIVERS_LICENSE' }, ['side']);
    await refused({ ...PASSPORT, documentType: 'DRIVERS_LICENSE', country: 'BR', side: 'BACK' }, ['side']);
    await refused({ ...PASSPORT, side: 'FRONT' }, ['side']);
    await refused({ ...BILL, side: 'FRONT' }, ['side']);
  });
  test('fields that are missing, unknown or repeated; a second file', async () => {
    assertInvalid(await platform.upload('POST', '/documents', []), 'file', 'documentHolder', 'documentType', 'country');
    const form = documentForm({ documentHolder: await holder(), ...BILL });
    assertInvalid(await platform.upload('POST', '/documents', [...form, { name: 'extra', value: '1' }]), 'extra');
    assertInvalid(await platform.upload('POST', '/documents', [...form, { name: 'country', value: 'FR' }]), 'country');
    assertInvalid(await platform.upload('POST', '/documents', [...form, filePart()]), 'file');
  });
  test('another kind of file, an empty one, and one that is not what its Content-Type says', async () => {
    await refused(BILL, ['file'], filePart(pdf(), 'a.pdf', 'text/plain'));
    await refused(BILL, ['file'], filePart(Buffer.alloc(0)));
    await refused(BILL, ['file'], filePart(png()));
    await refused(BILL, ['file'], filePart(pdf(), 'a.png', 'image/png'));
    await refused(BILL, ['file'], filePart(pdf().subarray(0, 100)));
    await refused(BILL, ['file'], filePart(Buffer.from('<html><script>alert(1)</script>')));
  });
  test('a file that is two things at once', async () => {
    const zipEnd = Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]);
    await refused(BILL, ['file'], filePart(Buffer.concat([pdf(), zipEnd, Buffer.from('%%EOF')])));
    await refused(BILL, ['file'], filePart(Buffer.concat([jpeg(), zipEnd]), 'a', 'image/jpeg'));
    await refused(BILL, ['file'], filePart(Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), pdf()]), 'a', 'image/jpeg'));
    await refused(BILL, ['file'], filePart(Buffer.from('%PDF-1.7\n<script>alert(1)</script>\n%%EOF')));
  });
  test('a PDF that unpacks to more than 256 MB, packed once, twice or in a file of several chunks; nothing stays', async () => {
    const layer = deflateSync(Buffer.alloc(64 * 1024 * 1024));
    const bomb = (data: Buffer, streams: number, padding = 0) => {
      const object = Buffer.concat([Buffer.from(`1 0 obj <</Length ${data.length}>> stream\n`), data, Buffer.from('\nendstream endobj\n')]);
      return Buffer.concat([
        Buffer.from('%PDF-1.7\n'),
        Buffer.alloc(padding, 0x20),
        ...Array<Buffer>(streams).fill(object),
        Buffer.from('%%EOF\n'),
      ]);
    };
    // Four streams are what is allowed, five are too many; the packed ones are short.
    const documentHolder = await holder();
    await givenDocument(platform, documentHolder, BILL, filePart(bomb(layer, 3)));
    for (const content of [bomb(layer, 5), bomb(deflateSync(layer), 5), bomb(layer, 5, 3_000_000)]) {
      const form = documentForm({ documentHolder, ...BILL, documentType: 'OTHER' }, filePart(content));
      assertInvalid(await changesNothing(service.db, () => platform.upload('POST', '/documents', form)), 'file');
    }
  });
  test('one byte more than 10 MB, however the fields are ordered; nothing stays', async () => {
    const documentHolder = await holder();
    const form = documentForm({ documentHolder, ...BILL }, filePart(pdf(MAX + 1)));
    for (const parts of [form, form.toReversed()])
      assertInvalid(await changesNothing(service.db, () => platform.upload('POST', '/documents', parts)), 'file');
  });
});

describe('other refusals', () => {
  test('413 PAYLOAD_TOO_LARGE: a request far beyond', async () => {
    const form = documentForm({ documentHolder: await holder(), ...BILL }, filePart(pdf(33 * 1024 * 1024)));
    assertRefused(await changesNothing(service.db, () => platform.upload('POST', '/documents', form)), 413, 'PAYLOAD_TOO_LARGE');
  });
  test('415 UNSUPPORTED_MEDIA_TYPE: JSON', async () => {
    assertRefused(await platform.post('/documents', { documentType: 'OTHER' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
  test('400: a form that ends early, or has no boundary', async () => {
    const { body, contentType } = formOf(documentForm({ documentHolder: await holder(), ...BILL }, filePart(pdf(2_600_000))));
    const send = (bytes: Buffer, type: string) => platform.request('POST', '/documents', bytes, { headers: { 'content-type': type } });
    await changesNothing(service.db, async () => {
      assertRefused(await send(body.subarray(0, -100), contentType), 400, 'INVALID_INPUT');
      assertRefused(await send(body, 'multipart/form-data'), 400, 'INVALID_INPUT');
    });
  });
  test('404 DOCUMENT_HOLDER_NOT_FOUND: unknown, malformed, deleted and foreign holders answer the same', async () => {
    const deleted = await holder();
    await platform.delete(`/customers/${deleted}`);
    const foreign = (await given(await service.newPlatform()).customer()).id;
    const texts = new Set<string>();
    for (const id of [`Customer:${randomUUID()}`, `BeneficialOwner:${randomUUID()}`, 'x', `Card:${randomUUID()}`, deleted, foreign]) {
      const answer = await changesNothing(service.db, () => upload(platform, id, BILL, filePart(pdf(2_600_000))));
      assertRefused(answer, 404, 'DOCUMENT_HOLDER_NOT_FOUND');
      texts.add(answer.text);
    }
    assert.equal(texts.size, 1);
  });
  test('409 DOCUMENT_ALREADY_EXISTS: the holder has a document of this type and side', async () => {
    const documentHolder = await holder();
    const first = await givenDocument(platform, documentHolder, NATIONAL_ID);
    const again = await changesNothing(service.db, () => upload(platform, documentHolder, NATIONAL_ID));
    assertRefused(again, 409, 'DOCUMENT_ALREADY_EXISTS');
    assert.equal(again.body.details.documentId, first.id);
  });
  race('409: of 16 uploads of one type at once one is stored', async () => {
    const documentHolder = await holder();
    const files = await count('stored_files');
    const answers = await Promise.all(Array.from({ length: 16 }, () => upload(platform, documentHolder, BILL, filePart(pdf(2_300_000)))));
    assert.deepEqual(
      [201, 409].map((status) => answers.filter((answer) => answer.status === status).length),
      [1, 15],
    );
    assert.equal((await count('stored_files')) - files, 1);
  });
  test('400 with the reason of the provider, which the sandbox reads from the file name; nothing is stored', async () => {
    const documentHolder = await holder();
    for (const code of ['LOW_QUALITY', 'DATA_MISMATCH', 'EXPIRED', 'SUSPECTED_FRAUD', 'UNSUITABLE_DOCUMENT', 'INCOMPLETE'] as const) {
      const answer = await changesNothing(service.db, () =>
        upload(platform, documentHolder, PASSPORT, filePart(pdf(), `scan-${code}.pdf`)),
      );
      assertRefused(answer, 400, code);
    }
  });
  test('422 DOCUMENT_REJECTED: the file is unusable; precheckErrors stand beside code and reason', async () => {
    const documentHolder = await holder();
    for (const label of ['dataNotReadable', 'screenshot', 'grayscale', 'documentExpired']) {
      const answer = await changesNothing(service.db, () => upload(platform, documentHolder, PASSPORT, filePart(pdf(), `my ${label}.pdf`)));
      assertRefused(answer, 422, 'DOCUMENT_REJECTED');
      assert.deepEqual(answer.body.precheckErrors, [label]);
      assert.equal(answer.body.details, undefined);
    }
  });
  test('401 and 403 before the form is read', async () => {
    const form = documentForm({ documentHolder: await holder(), ...BILL }, filePart(pdf(5_000_000)));
    assertRefused(await service.as('nobody', 'x').upload('POST', '/documents', form), 401, 'UNAUTHORIZED');
    const { clientId, clientSecret } = await expectStatus(201, platform.post('/tokens', { name: 'v', permissions: ['VIEW'] }));
    assertRefused(await service.as(clientId, clientSecret).upload('POST', '/documents', form), 403, 'FORBIDDEN');
  });
  test('nothing of a document is in the log', () => {
    const log = service.logged.join('\n');
    for (const text of [PASSPORT.documentNumber, 'Reisepass', '%PDF']) assert.ok(!log.includes(text), text);
  });
});

test('every row is found by its key, also among thousands of customers that nobody has analysed', {
  skip: plansOfOneServer(),
}, async () => {
  const documentHolder = await holder();
  const sent = new Set<string>();
  const stop = watchStatements((text) => void (/\b(customers|documents|stored_files)\b/.test(text) && sent.add(text)));
  await givenDocument(platform, documentHolder, PASSPORT, filePart(pdf())).finally(stop);
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    for (const table of ['customers', 'documents', 'stored_files'])
      await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await client.query(`
      insert into customers (platform_id, id, platform_customer_id, customer_type, uma_address, verification_status, currencies, profile, created_at, updated_at)
      select p.id, gen_random_uuid(), 'many-' || n, 'INDIVIDUAL', '$many-' || n || '@here', 'APPROVED', '{USD}', '{}', now(), now()
      from platforms p, generate_series(1, 5000) n`);
    for (const text of sent)
      assert.deepEqual(
        (await genericAccesses(client, text)).filter((access) => /^Seq Scan|by (nothing|platform_id)$/.test(access)),
        [],
        text,
      );
    assert.ok(sent.size >= 4);
  } finally {
    await client.end();
  }
});
