// Broken and hostile uploads: every one gets an answer of the API, never a 5xx, and leaves nothing behind.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../../src/db/sql.js';
import type { Client } from '../../support/client.js';
import { documentForm, filePart, NATIONAL_ID, PASSPORT } from '../../support/documents.js';
import { given } from '../../support/given.js';
import { csvOf, personRow } from '../../support/imports.js';
import { formOf, jpeg, type Part, pdf, png } from '../../support/multipart.js';
import { startOwnService, type TestService } from '../../support/service.js';

/** `npm run prove` sends more. */
const ROUNDS = Number(process.env['UPLOAD_ROUNDS'] ?? 60);

let service: TestService;
let platform: Client;
let holder: string;
before(async () => {
  service = await startOwnService({ ROLE: 'api', LOG_LEVEL: 'error' });
  platform = service.platform;
  holder = (await given(platform).customer()).id;
});
after(() => service.stop());

const content = fc.oneof(
  fc.constantFrom(pdf(), png(), jpeg(), pdf(300_000), Buffer.alloc(0), Buffer.from('PK\u0003\u0004')),
  fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\u0000', 'DE', 'PASSPORT', 'FRONT', 'x'.repeat(20_000)),
);
const name = fc.constantFrom(
  'file',
  'documentHolder',
  'documentType',
  'country',
  'side',
  'documentNumber',
  '__proto__',
  'constructor',
  '',
  'x',
);
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ name, value: text }),
  fc.record({
    name,
    value: content,
    fileName: fc.constantFrom('a.pdf', '../x', '\u202e', 'EXPIRED.pdf', 'screenshot.pdf', '%00'),
    contentType: fc.constantFrom('application/pdf', 'image/png', 'text/html', 'application/octet-stream', 'x', ''),
  }),
);
const valid = fc
  .tuple(fc.constantFrom(PASSPORT, NATIONAL_ID), content)
  .map(([fields, bytes]) => documentForm({ documentHolder: holder, ...fields }, filePart(bytes)));

/** Bytes changed, cut out or doubled. */
const damage = fc.array(fc.record({ at: fc.nat(), length: fc.integer({ min: 0, max: 50 }), by: fc.uint8Array({ maxLength: 20 }) }), {
  maxLength: 3,
});
const damaged = (body: Buffer, cuts: readonly { at: number; length: number; by: Uint8Array }[]): Buffer =>
  cuts.reduce((bytes, { at, length, by }) => {
    const from = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(from + length)]);
  }, body);

const counts = async () =>
  service.db.one(sql`
    select (select count(*) from stored_files) as files, (select count(*) from documents) as documents,
      (select count(*) from import_jobs) as imports`);

test('uploads of documents and of CSV', async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.array(part, { maxLength: 8 }), valid), damage, fc.boolean(), async (parts, cuts, isDocument) => {
      const { body, contentType } = formOf(isDocument ? parts : [{ name: 'file', value: csvOf([personRow('f', 1)]), fileName: 'a.csv' }]);
      const before = await counts();
      const path = isDocument ? '/documents' : '/customers/bulk/csv';
      const answer = await platform.request('POST', path, damaged(body, cuts), { headers: { 'content-type': contentType } });
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      assert.ok(answer.status < 500, answer.text);
      if (answer.status >= 400) assert.deepEqual(await counts(), before, 'a refused upload leaves nothing');
    }),
    { numRuns: ROUNDS },
  );
  assert.ok((seen.get(400) ?? 0) > 0 && (seen.get(201) ?? 0) + (seen.get(202) ?? 0) > 0, JSON.stringify([...seen]));
});
