// Replacing, reading, listing, downloading and deleting documents.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { BILL, filePart, givenDocument, NATIONAL_ID, PASSPORT, replace, upload } from '../../../support/documents.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { pdf, png } from '../../../support/multipart.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService({ ROLE: 'api' });
  platform = service.platform;
});
after(() => service.stop());

const holder = async (): Promise<string> => (await given(platform).customer()).id;
const files = async () => Number((await service.db.one<{ count: bigint }>(sql`select count(*) from stored_files`))?.count);
const submit = (id: string) =>
  service.db.run(sql`update documents set submitted_at = created_at where id = ${id.slice('Document:'.length)}`);

/** The content as stored. */
async function download(id: string, from: Client = platform) {
  const { statusCode, headers, body } = await request(`${service.baseUrl}/documents/${id}/download`, {
    method: 'POST',
    headers: { authorization: from.authorization },
  });
  return { status: statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
}

describe('PUT /documents/{documentId}', () => {
  test('200: everything is described anew; id, holder and createdAt stay; the previous file is erased', async () => {
    const documentHolder = await holder();
    const document = await givenDocument(platform, documentHolder, NATIONAL_ID, filePart(pdf(2_700_000)));
    const before = await files();
    const replaced = await expectStatus(200, replace(platform, document.id, BILL, filePart(png(), 'bill.png', 'image/png')));
    assert.deepEqual(replaced, {
      id: document.id,
      documentHolder,
      ...BILL,
      fileName: 'bill.png',
      createdAt: document.createdAt,
      updatedAt: replaced.updatedAt,
    });
    assert.ok(replaced.updatedAt > document.createdAt);
    assert.equal(await files(), before, 'one file in, one file out');
    assert.deepEqual((await download(document.id)).bytes, png());
  });

  test('a submitted document may be replaced and then counts as not submitted', async () => {
    const document = await givenDocument(platform, await holder());
    await submit(document.id);
    await expectStatus(200, replace(platform, document.id));
    assert.equal((await platform.delete(`/documents/${document.id}`)).status, 204);
  });

  test('refusals leave the old file: 400 by field, 400 and 422 of the provider, 409 for a type that another document has', async () => {
    const documentHolder = await holder();
    const document = await givenDocument(platform, documentHolder, PASSPORT);
    const other = await givenDocument(platform, documentHolder);
    const refuse = (fields: Record<string, string>, file = filePart(pdf(2_600_000))) =>
      changesNothing(service.db, () => replace(platform, document.id, fields, file));
    assertInvalid(await refuse({ documentType: 'PASSPORT', country: 'DE' }), 'documentNumber', 'issuingAuthority');
    assertInvalid(await refuse({ ...PASSPORT, documentHolder }), 'documentHolder');
    assertInvalid(await refuse(PASSPORT, filePart(png())), 'file');
    assertRefused(await refuse(PASSPORT, filePart(pdf(), 'EXPIRED.pdf')), 400, 'EXPIRED');
    assertRefused(await refuse(PASSPORT, filePart(pdf(), 'screenshot.pdf')), 422, 'DOCUMENT_REJECTED');
    const taken = await refuse(BILL);
    assertRefused(taken, 409, 'DOCUMENT_ALREADY_EXISTS');
    assert.equal(taken.body.details.documentId, other.id);
    assert.deepEqual((await download(document.id)).bytes, pdf());
  });

  race('two replacements and a deletion at once leave a whole document or none', async () => {
    for (let round = 0; round < 5; round += 1) {
      const document = await givenDocument(platform, await holder());
      const before = await files();
      const answers = await Promise.all([
        replace(platform, document.id, BILL, filePart(pdf(2_400_000))),
        replace(platform, document.id, BILL, filePart(pdf(2_500_000))),
        platform.delete(`/documents/${document.id}`),
      ]);
      assert.ok(
        answers.every(({ status }) => [200, 204, 404].includes(status)),
        JSON.stringify(answers.map(({ status }) => status)),
      );
      assertRefused(await platform.get(`/documents/${document.id}`), 404, 'NOT_FOUND');
      assert.equal(await files(), before - 1);
    }
  });
});

describe('DELETE /documents/{documentId}', () => {
  test('204: the document is gone and its bytes are erased', async () => {
    const before = await files();
    const document = await givenDocument(platform, await holder(), BILL, filePart(pdf(2_600_000)));
    assert.equal((await platform.delete(`/documents/${document.id}`)).status, 204);
    assertRefused(await platform.get(`/documents/${document.id}`), 404, 'NOT_FOUND');
    assert.equal(await files(), before);
    const chunks = await service.db.many(
      sql`select 1 from stored_file_chunks c left join stored_files f on f.platform_id = c.platform_id and f.id = c.file_id where f.id is null`,
    );
    assert.deepEqual(chunks, []);
  });
  test('409 CONFLICT: a submitted document', async () => {
    const document = await givenDocument(platform, await holder());
    await submit(document.id);
    assertRefused(await changesNothing(service.db, () => platform.delete(`/documents/${document.id}`)), 409, 'CONFLICT');
  });
  test('the documents of a deleted customer go with it', async () => {
    const documentHolder = await holder();
    const before = await files();
    const document = await givenDocument(platform, documentHolder, BILL, filePart(pdf(2_600_000)));
    await expectStatus(200, platform.delete(`/customers/${documentHolder}`));
    assertRefused(await platform.get(`/documents/${document.id}`), 404, 'NOT_FOUND');
    assert.equal(await files(), before);
  });
});

describe('GET /documents', () => {
  test('newest first, by holder, in pages; an unknown holder has none', async () => {
    const [one, two] = [await holder(), await holder()];
    const first = await givenDocument(platform, one, PASSPORT);
    const second = await givenDocument(platform, one);
    await givenDocument(platform, two);
    const list = (query: string) => expectStatus(200, platform.get(`/documents?${query}`));
    assert.deepEqual((await list(`documentHolder=${one}`)).data, [second, first]);
    const page = await list(`documentHolder=${one}&limit=1`);
    assert.deepEqual([page.data, page.hasMore, page.totalCount], [[second], true, 2]);
    assert.deepEqual((await list(`documentHolder=${one}&limit=1&cursor=${page.nextCursor}`)).data, [first]);
    for (const unknown of [`Customer:${randomUUID()}`, 'x', one.replace('Customer', 'BeneficialOwner')])
      assert.deepEqual((await list(`documentHolder=${unknown}`)).data, []);
    assert.deepEqual((await (await service.newPlatform()).get('/documents')).body.data, []);
    assertInvalid(await platform.get('/documents?limit=101'), 'limit');
  });
});

describe('POST /documents/{documentId}/download', () => {
  test('beside a replacement and a deletion it answers a whole file, or 404', async () => {
    for (let round = 0; round < 8; round += 1) {
      const document = await givenDocument(platform, await holder(), BILL, filePart(pdf(300)));
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 6 }, () => download(document.id))),
        replace(platform, document.id, BILL, filePart(pdf(400))).then(() => platform.delete(`/documents/${document.id}`)),
      ]);
      for (const { status, bytes } of answers) {
        if (status === 200) assert.ok([300, 400].includes(bytes.length), `${bytes.length} bytes`);
        else assert.equal(status, 404);
      }
    }
  });

  test('200: the bytes as stored, as an attachment of the kind that was found; the reading is recorded', async () => {
    const content = pdf(1_500_000);
    const document = await givenDocument(platform, await holder(), PASSPORT, filePart(content, 'Pass "1" ü.pdf'.replaceAll('"', "'")));
    const { status, headers, bytes } = await download(document.id);
    assert.equal(status, 200);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), createHash('sha256').update(content).digest('hex'));
    assert.equal(headers['content-type'], 'application/pdf');
    assert.match(String(headers['content-disposition']), /^attachment; filename="Pass _1_ _.pdf"; filename\*=UTF-8''Pass/);
    assert.deepEqual([headers['x-content-type-options'], headers['cache-control']], ['nosniff', 'no-store']);
    const rows = await service.db.many<{ token_id: string }>(
      sql`select token_id from document_downloads where document_id = ${document.id.slice('Document:'.length)}`,
    );
    assert.equal(rows.length, 1);
  });
  test('404 of unknown, malformed, deleted and foreign documents, for every operation', async () => {
    const foreign = await service.newPlatform();
    const document = await givenDocument(platform, await holder());
    for (const [client, id] of [
      [platform, `Document:${randomUUID()}`],
      [platform, 'Document:x'],
      [foreign, document.id],
    ] as const) {
      assertRefused(await client.get(`/documents/${id}`), 404, 'NOT_FOUND');
      assertRefused(await client.delete(`/documents/${id}`), 404, 'NOT_FOUND');
      assertRefused(await client.post(`/documents/${id}/download`), 404, 'NOT_FOUND');
      assertRefused(await replace(client, id), 404, 'NOT_FOUND');
    }
  });
  test('403: a token that may only view reads descriptions and no content', async () => {
    const document = await givenDocument(platform, await holder());
    const { clientId, clientSecret } = await expectStatus(201, platform.post('/tokens', { name: 'v', permissions: ['VIEW'] }));
    const viewer = service.as(clientId, clientSecret);
    assert.equal((await viewer.get(`/documents/${document.id}`)).status, 200);
    assertRefused(await viewer.post(`/documents/${document.id}/download`), 403, 'FORBIDDEN');
    assertRefused(await upload(viewer, document.documentHolder, PASSPORT), 403, 'FORBIDDEN');
  });
});
