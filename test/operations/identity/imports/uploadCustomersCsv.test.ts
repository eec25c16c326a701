// Bulk imports of customers from CSV.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { businessRow, COLUMNS, csvOf, imported, jobOf, personRow, uploadCsv } from '../../../support/imports.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startOwnService({ ROLE: 'api' });
  platform = service.platform;
});
after(() => service.stop());

const run = (): string => `r${randomUUID().slice(0, 8)}`;
const customerOf = async (platformCustomerId: string) =>
  (await expectStatus(200, platform.get(`/customers?platformCustomerId=${encodeURIComponent(platformCustomerId)}`))).data[0];
const eventsOf = async (objectId: string) =>
  service.db.many<{ type: string; data: unknown }>(
    sql`select type, data from webhook_events where object_id = ${objectId} order by sequence`,
  );
type Entry = { correlationId: string; code: string; details: { row?: number; reason?: string; errors?: { field: string }[] } };
const entries = (job: { errors?: Entry[] }): Entry[] => job.errors ?? [];

describe('202', () => {
  test('a job that is PENDING until it is run', async () => {
    const accepted = await expectStatus(202, uploadCsv(platform, csvOf([personRow(run(), 1)])));
    assert.match(accepted.jobId, /^Job:/);
    assert.deepEqual(accepted, { jobId: accepted.jobId, status: 'PENDING' });
    assert.deepEqual(await jobOf(platform, accepted.jobId), {
      id: accepted.jobId,
      status: 'PENDING',
      progress: { total: 0, processed: 0, successful: 0, failed: 0 },
    });
    await platform.clock.advance(1);
  });

  test('the same Idempotency-Key and file give the same job; another file conflicts', async () => {
    const [csv, sent] = [csvOf([personRow(run(), 1)]), { headers: { 'Idempotency-Key': randomUUID() } }];
    const first = await expectStatus(202, uploadCsv(platform, csv, sent));
    assert.deepEqual(await expectStatus(202, uploadCsv(platform, csv, sent)), first);
    assertRefused(await uploadCsv(platform, `${csv}\n`, sent), 409, 'CONFLICT');
    await platform.clock.advance(1);
  });
});

describe('a file that is imported', () => {
  test('creates each customer as POST /customers does: rules, accounts, verification and events', async () => {
    const name = run();
    const job = await imported(platform, csvOf([personRow(name, 1), businessRow(name, 2)]));
    assert.deepEqual(
      [job.status, job.progress, job.errors],
      ['COMPLETED', { total: 2, processed: 2, successful: 2, failed: 0 }, undefined],
    );
    const person = await customerOf(`${name}-1`);
    assert.deepEqual(
      [person.customerType, person.fullName, person.birthDate, person.umaAddress, person.kycStatus],
      ['INDIVIDUAL', 'Ada Lovelace 1', '1990-01-01', `$${name}-1@import.example`, 'APPROVED'],
    );
    assert.deepEqual(person.address, { line1: '1 Main Street', city: 'Springfield', state: 'IL', postalCode: '62701', country: 'US' });
    const business = await customerOf(`${name}-2`);
    assert.deepEqual(business.businessInfo, { legalName: 'Company, No. 2', country: 'US' });
    assert.deepEqual(
      (await eventsOf(person.id)).map(({ type }) => type),
      ['CUSTOMER.KYC_APPROVED'],
    );
    const { totalCount } = await expectStatus(200, platform.get(`/customers/internal-accounts?customerId=${person.id}`));
    assert.equal(totalCount, 2);
  });

  test('sends BULK_UPLOAD.COMPLETED once, with the job as it is read; its content is erased', async () => {
    const job = await imported(platform, csvOf([personRow(run(), 1)]));
    assert.deepEqual(await eventsOf(job.id), [{ type: 'BULK_UPLOAD.COMPLETED', data: job }]);
    assert.deepEqual(await service.db.many(sql`select 1 from stored_files`), []);
  });

  test('columns in any order, unknown ones ignored, short rows padded, BOM, CRLF, blank lines, a UMA address without $', async () => {
    const name = run();
    const columns =
      'customerType,nickname,platformCustomerId,umaAddress,fullName,birthDate,country,postalCode,state,city,addressLine1,email';
    const row = `INDIVIDUAL,Al,${name},${name}@import.example,"O""Hara, Æsa",1990-01-01,US,1,IL,S,"Line\r\nbreak 1"`;
    const job = await imported(platform, `\ufeff${columns}\r\n\r\n${row}\r\n`);
    assert.deepEqual([job.status, job.errors], ['COMPLETED', undefined]);
    const customer = await customerOf(name);
    assert.deepEqual([customer.fullName, customer.umaAddress, customer.email], ['O"Hara, Æsa', `$${name}@import.example`, undefined]);
    assert.equal(customer.address.line1, 'Line\r\nbreak 1');
  });

  test('goes on after the clock was set back', async () => {
    const own = await service.newPlatform();
    const { jobId } = await expectStatus(202, uploadCsv(own, csvOf([personRow(run(), 1)])));
    await own.clock.set('2020-01-01T00:00:00Z');
    await own.clock.advance(1);
    assert.equal((await jobOf(own, jobId)).status, 'COMPLETED');
  });

  test('the suffix of the name decides the verification, as at creation', async () => {
    const name = run();
    await imported(platform, csvOf([personRow(name, 1).replace('Ada Lovelace 1', 'Ada 002')]));
    assert.equal((await customerOf(`${name}-1`)).kycStatus, 'REJECTED');
  });
});

describe('bad rows', () => {
  test('each is reported with its id, line and columns; the others are created', async () => {
    const name = run();
    const good = personRow(name, 1);
    const job = await imported(
      platform,
      csvOf([
        good,
        personRow(name, 2).replace('1990-01-01', '1990-13-01'),
        personRow(name, 3).replace('Springfield,IL', ','),
        personRow(name, 4).replace('INDIVIDUAL', 'ROBOT'),
        personRow(name, 5).replace(`${name}-5@`, 'no good@'),
        personRow(name, 6).replace(`,${name}-6,`, ',,'),
        businessRow(name, 7).replace('"Company, No. 7"', ''),
        `${personRow(name, 8)},surplus`,
        `${personRow(name, 9)}"`.replace('Ada', 'A"da'),
        good,
        personRow(name, 10).replace(`${name}-10@`, `${name}-1@`),
        personRow(name, 11).replace('Ada Lovelace 4', '=HYPERLINK(1)'),
        personRow(name, 12).replace('INDIVIDUAL', 'constructor'),
      ]),
    );
    assert.equal(job.status, 'COMPLETED');
    assert.deepEqual(job.progress, { total: 13, processed: 13, successful: 1, failed: 12 });
    const summary = entries(job).map(({ correlationId, code, details: { row, errors } }) => [
      correlationId,
      code,
      row,
      errors?.map(({ field }) => field),
    ]);
    assert.deepEqual(summary, [
      [`${name}-2`, 'INVALID_FIELD', 3, ['birthDate']],
      [`${name}-3`, 'INVALID_FIELD', 4, ['city', 'state']],
      [`${name}-4`, 'INVALID_FIELD', 5, ['customerType']],
      [`${name}-5`, 'INVALID_FIELD', 6, ['umaAddress']],
      ['row_7', 'INVALID_FIELD', 7, ['platformCustomerId']],
      [`${name}-7`, 'INVALID_FIELD', 8, ['businessLegalName']],
      [`${name}-8`, 'INVALID_CSV_FORMAT', 9, undefined],
      ['row_10', 'INVALID_CSV_FORMAT', 10, undefined],
      [`${name}-1`, 'CONFLICT', 11, undefined],
      [`${name}-10`, 'UMA_ADDRESS_EXISTS', 12, undefined],
      [`${name}-11`, 'INVALID_FIELD', 13, ['fullName']],
      [`${name}-12`, 'INVALID_FIELD', 14, ['customerType']],
    ]);
    assert.ok(!JSON.stringify(job.errors).includes('1990-13-01'), 'no entry holds a value');
  });

  test('every bad column of a row is named, once: a missing one beside one of wrong form', async () => {
    const bad = '$ada@import.example,,INDIVIDUAL,,1990-13-01,,Springfield,IL,62701,US,,no-address';
    const company = 'u@import.example,c,BUSINESS,,,,Springfield,IL,62701,,,no-address';
    const unknown = ',,ROBOT,,1990-13-01,,Springfield,IL,62701,US,,no-address';
    const job = await imported(platform, csvOf([bad, company, unknown], `${COLUMNS},email`));
    assert.deepEqual(
      entries(job).map(({ details }) => details.errors?.map(({ field }) => field).sort()),
      [
        ['addressLine1', 'birthDate', 'email', 'fullName', 'platformCustomerId'],
        ['addressLine1', 'businessLegalName', 'country', 'email'],
        ['addressLine1', 'customerType', 'platformCustomerId', 'umaAddress'],
      ],
    );
  });

  test('a second import of the same file creates nobody and has FAILED', async () => {
    const csv = csvOf([personRow('twice', 1), personRow('twice', 2)]);
    assert.equal((await imported(platform, csv)).status, 'COMPLETED');
    const again = await imported(platform, csv);
    assert.equal(again.status, 'FAILED');
    assert.deepEqual(
      entries(again).map((entry: Entry) => entry.code),
      ['CONFLICT', 'CONFLICT'],
    );
    assert.deepEqual(
      (await eventsOf(again.id)).map(({ type }) => type),
      ['BULK_UPLOAD.FAILED'],
    );
  });

  test('a quote that never closes: the rows before it are created, and it is named', async () => {
    const name = run();
    const job = await imported(
      platform,
      csvOf([personRow(name, 1), `"${personRow(name, 2)}`, ...Array.from({ length: 1_000 }, (_, i) => personRow(name, i + 3))]),
    );
    assert.deepEqual(job.progress, { total: 2, processed: 2, successful: 1, failed: 1 });
    assert.deepEqual(
      entries(job).map((entry: Entry) => [entry.correlationId, entry.details.reason]),
      [['row_3', 'too_long']],
    );
  });

  test('a row that is too long costs itself alone, wherever it stands in the file', async () => {
    const name = run();
    const long = (i: number) => personRow(name, i).replace('Main Street', 'x'.repeat(200 * 1024));
    const job = await imported(platform, csvOf([personRow(name, 1), ...[2, 3, 4, 5, 6].map(long), personRow(name, 7)]));
    assert.deepEqual(job.progress, { total: 7, processed: 7, successful: 2, failed: 5 });
    assert.deepEqual(
      entries(job).map((entry: Entry) => [entry.correlationId, entry.details.reason]),
      [3, 4, 5, 6, 7].map((line) => [`row_${line}`, 'too_long']),
    );
  });

  test('cells that a spreadsheet would run are refused, wherever they stand; nothing of them is kept', async () => {
    const name = run();
    const formulas = ['=1+1', '=HYPERLINK(""http://x"")', '@SUM(A1)', "+cmd|' /C calc'!A0", '-2+3+cmd|x', '-1(x)', '+1=1'];
    const rows = formulas.flatMap((formula, i) => [
      personRow(name, 2 * i).replace(/Ada Lovelace \d/, `"${formula}"`),
      personRow(name, 2 * i + 1).replace(/\d+ Main Street/, `"${formula}"`),
    ]);
    const job = await imported(platform, csvOf(rows));
    assert.equal(job.status, 'FAILED');
    assert.deepEqual(
      entries(job).map((entry: Entry) => [entry.code, entry.details.errors?.map(({ field }) => field)]),
      formulas.flatMap(() => [
        ['INVALID_FIELD', ['fullName']],
        ['INVALID_FIELD', ['addressLine1']],
      ]),
    );
    assert.ok(!JSON.stringify(job.errors).includes('calc'), 'no entry holds a value');
  });

  test('a row is named by its line if its id is longer than any: the job and its event do not grow to the size of the file', async () => {
    const [name, longest] = [run(), 'é'.repeat(255)];
    const named = (id: string) =>
      personRow(name, 1).replace(`${name}-1`, name).replace(`,${name}-1,`, `,${id},`).replace('1990-01-01', 'never');
    const job = await imported(platform, csvOf([named(longest), named(`${longest}x`), named('y'.repeat(60_000))]));
    assert.deepEqual(
      entries(job).map(({ correlationId, details }) => [correlationId, details.row]),
      [
        [longest, 2],
        ['row_3', 3],
        ['row_4', 4],
      ],
    );
    assert.deepEqual(
      (await eventsOf(job.id)).map(({ data }) => data),
      [job],
    );
  });

  test('a row in another encoding is named; the rows around it are created', async () => {
    const name = run();
    const [before, latin1, after] = [personRow(name, 1), personRow(name, 2).replace('Lovelace', 'Lov\xe9lace'), personRow(name, 3)];
    const csv = Buffer.concat([Buffer.from(`${COLUMNS}\n${before}\n`), Buffer.from(`${latin1}\n`, 'latin1'), Buffer.from(`${after}\n`)]);
    const job = await imported(platform, csv);
    assert.deepEqual(job.progress, { total: 3, processed: 3, successful: 2, failed: 1 });
    assert.deepEqual(
      entries(job).map((entry: Entry) => [entry.correlationId, entry.code, entry.details.reason]),
      [['row_3', 'INVALID_CSV_FORMAT', 'not_utf8']],
    );
  });

  test('of two rows with one id the earlier is created, also when they are far apart', async () => {
    const name = run();
    const rows = Array.from({ length: 620 }, (_, i) => personRow(name, i));
    const repeated = [99, 100, 350, 619].map((i) => personRow(name, i).replace('Springfield', 'Elsewhere'));
    const job = await imported(platform, csvOf([...rows, ...repeated]));
    assert.deepEqual(job.progress, { total: 624, processed: 624, successful: 620, failed: 4 });
    assert.deepEqual(
      entries(job).map((entry: Entry) => [entry.correlationId, entry.code, entry.details.row]),
      [99, 100, 350, 619].map((i, at) => [`${name}-${i}`, 'CONFLICT', 622 + at]),
    );
    assert.equal((await customerOf(`${name}-350`)).address.city, 'Springfield');
  });

  test('ids of Firebase and the like begin with a dash and are no formulas', async () => {
    const name = `-N${run()}`;
    const job = await imported(platform, csvOf([personRow('x', 1).replace('x-1,', `${name},`).replace('$x-1', `$${run()}`)]));
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
  });
});

describe('a file that cannot be imported has FAILED', () => {
  const failing: Record<string, [csv: string | Buffer, details: Record<string, unknown>]> = {
    empty: ['', { reason: 'no_rows' }],
    'a header and no rows': [csvOf([]), { reason: 'no_rows' }],
    'a missing column': [
      csvOf([personRow('x', 1)], COLUMNS.replace('country', 'land')),
      { reason: 'missing_required_column', column: 'country' },
    ],
    'column names are case-sensitive': [
      csvOf([personRow('x', 1)], COLUMNS.replace('city', 'City')),
      { reason: 'missing_required_column', column: 'city' },
    ],
    'a repeated column': [csvOf([personRow('x', 1)], `${COLUMNS},city`), { reason: 'malformed' }],
    'another encoding': [Buffer.from(`\ufeff${csvOf([personRow('x', 1)])}`, 'utf16le'), { reason: 'not_utf8' }],
    'Latin-1 in the header': [Buffer.from(`stra\xdfe,${csvOf([])}`, 'latin1'), { reason: 'not_utf8' }],
    'no text at all': [Buffer.alloc(100_000, 0x41), { reason: 'too_long' }],
  };
  for (const [name, [csv, details]] of Object.entries(failing))
    test(name, async () => {
      const job = await imported(platform, csv);
      assert.equal(job.status, 'FAILED');
      assert.deepEqual(
        entries(job).map((entry: Entry) => [entry.correlationId, entry.code, entry.details]),
        [['row_1', 'INVALID_CSV_FORMAT', details]],
      );
      assert.deepEqual(
        (await eventsOf(job.id)).map(({ type }) => type),
        ['BULK_UPLOAD.FAILED'],
      );
    });
});

describe('refusals', () => {
  test('400: no file, a second part, JSON is 415, beyond 100 MB is 413; nothing is stored', async () => {
    await changesNothing(service.db, async () => {
      assertInvalid(await platform.upload('POST', '/customers/bulk/csv', []), 'file');
      const part = { name: 'file', value: 'a', fileName: 'a.csv' };
      assertInvalid(await platform.upload('POST', '/customers/bulk/csv', [part, { name: 'note', value: 'x' }]), 'note');
      assertInvalid(await platform.upload('POST', '/customers/bulk/csv', [part, part]), 'file');
      assertRefused(await platform.post('/customers/bulk/csv', { file: 'a' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      assertRefused(
        await platform.request('POST', '/customers/bulk/csv', Buffer.alloc(101 * 1024 * 1024), { headers }),
        413,
        'PAYLOAD_TOO_LARGE',
      );
    });
  });
  test('404 BULK_UPLOAD_JOB_NOT_FOUND: unknown, malformed and foreign jobs', async () => {
    const { jobId } = await expectStatus(202, uploadCsv(platform, csvOf([personRow(run(), 1)])));
    await platform.clock.advance(1);
    const other = await service.newPlatform();
    for (const [client, id] of [
      [platform, `Job:${randomUUID()}`],
      [platform, 'Job:x'],
      [other, jobId],
    ] as const)
      assertRefused(await client.get(`/customers/bulk/jobs/${id}`), 404, 'BULK_UPLOAD_JOB_NOT_FOUND');
  });
});
