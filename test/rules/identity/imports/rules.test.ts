// What the rows of an import mean, and how an import proceeds and ends. Without a database.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IMPORT_STATUSES, type ImportJob, type ImportStatus } from '../../../../src/domains/identity/imports/import-job.js';
import {
  advance,
  columnOf,
  fieldsError,
  fileError,
  finish,
  headerProblem,
  IMPORT_MOVES,
  MAX_ERRORS,
  MAX_EVENT_ERRORS,
  MAX_FILE_BYTES,
  type RowRequest,
  refusalError,
  refuseTooLarge,
  requestOf,
  rowError,
  unreadable,
} from '../../../../src/domains/identity/imports/rules.js';
import type { CsvProblem, CsvRow } from '../../../../src/kernel/csv.js';
import { ApiError, invalid } from '../../../../src/kernel/errors.js';
import { answerOf } from '../../../support/refusal.js';

const REQUIRED = ['umaAddress', 'platformCustomerId', 'customerType', 'addressLine1', 'city', 'state', 'postalCode', 'country'];
const row = (cells: readonly string[], problem?: CsvProblem): CsvRow => ({
  cells,
  line: 7,
  nextByte: 0,
  nextLine: 8,
  ...(problem && { problem }),
});

describe('the header', () => {
  test('has every column that all rows need, in any order', () => {
    assert.equal(headerProblem(row(REQUIRED)), undefined);
    assert.equal(headerProblem(row(['other', ...REQUIRED].reverse())), undefined);
    for (const column of REQUIRED)
      assert.deepEqual(headerProblem(row(REQUIRED.filter((name) => name !== column))), { reason: 'missing_required_column', column });
  });
  test('names each column once, and can be read', () => {
    assert.deepEqual(headerProblem(row([...REQUIRED, 'city'])), { reason: 'malformed' });
    for (const problem of ['malformed', 'not_utf8', 'too_long'] as const)
      assert.deepEqual(headerProblem(row([], problem)), { reason: problem });
    assert.deepEqual(headerProblem(undefined), { reason: 'no_rows' });
  });
  test('may repeat columns that are not kept: a spreadsheet ends its rows with empty ones', () => {
    assert.equal(headerProblem(row([...REQUIRED, '', '', 'notes', 'notes'])), undefined);
  });
  test('a file that cannot be imported has one error, on line 1', () => {
    assert.deepEqual(fileError({ reason: 'missing_required_column', column: 'city' }), {
      correlationId: 'row_1',
      code: 'INVALID_CSV_FORMAT',
      message: 'The file lacks a required column.',
      details: { reason: 'missing_required_column', column: 'city' },
    });
    assert.deepEqual(fileError({ reason: 'not_utf8' }).details, { reason: 'not_utf8' });
  });
});

const PERSON = {
  umaAddress: '$ada@bank.example',
  platformCustomerId: 'p-1',
  customerType: 'INDIVIDUAL',
  addressLine1: '1 Road',
  city: 'Town',
  state: 'CA',
  postalCode: '90000',
  country: 'US',
  fullName: 'Ada',
  birthDate: '1980-01-01',
};
const { fullName: _fullName, birthDate: _birthDate, ...COMMON } = PERSON;
const BUSINESS = { ...COMMON, customerType: 'BUSINESS', businessLegalName: 'Acme' };
const requestFor = (cells: Readonly<Record<string, string>>): RowRequest => requestOf(Object.keys(cells), row(Object.values(cells)));
const problemsIn = (cells: Readonly<Record<string, string>>): string[] => requestFor(cells).problems.map(({ field }) => field);

describe('a row', () => {
  const address = { line1: '1 Road', city: 'Town', state: 'CA', postalCode: '90000', country: 'US' };
  const asked = { platformCustomerId: 'p-1', umaAddress: '$ada@bank.example', address };

  test('of a person becomes the request of a person', () => {
    assert.deepEqual(requestFor(PERSON), {
      request: { ...asked, customerType: 'INDIVIDUAL', fullName: 'Ada', birthDate: '1980-01-01' },
      problems: [],
    });
  });
  test('of a business becomes the request of a business, whose country is that of the address', () => {
    assert.deepEqual(requestFor(BUSINESS), {
      request: { ...asked, customerType: 'BUSINESS', businessInfo: { legalName: 'Acme', country: 'US' } },
      problems: [],
    });
    const full = { ...BUSINESS, email: 'a@b.example', addressLine2: 'Flat 2', businessRegistrationNumber: 'R1', businessTaxId: 'T1' };
    assert.deepEqual(requestFor(full), {
      request: {
        ...asked,
        customerType: 'BUSINESS',
        email: 'a@b.example',
        address: { ...address, line2: 'Flat 2' },
        businessInfo: { legalName: 'Acme', registrationNumber: 'R1', taxId: 'T1', country: 'US' },
      },
      problems: [],
    });
  });
  test('may leave out the $ of the UMA address', () => {
    assert.deepEqual(requestFor({ ...PERSON, umaAddress: 'ada@bank.example' }), requestFor(PERSON));
  });
  test('"a blank cell is absent", "short rows are padded with blanks", cells are trimmed, unknown columns are ignored', () => {
    assert.deepEqual(requestFor({ ...PERSON, email: '  ', city: ' Town\t', other: 'x' }), requestFor(PERSON));
    assert.deepEqual(requestOf([...Object.keys(PERSON), 'email'], row(Object.values(PERSON))), requestFor(PERSON));
  });

  test('names every required cell that is blank: eight of all, those of its type beside them', () => {
    for (const column of Object.keys(PERSON)) assert.deepEqual(problemsIn({ ...PERSON, [column]: '' }), [column]);
    assert.deepEqual(problemsIn({ ...BUSINESS, businessLegalName: '' }), ['businessLegalName']);
    assert.deepEqual(problemsIn({ ...PERSON, customerType: '' }), ['customerType']);
    assert.deepEqual(problemsIn({ ...COMMON, city: '' }), ['city', 'fullName', 'birthDate']);
    for (const customerType of ['OTHER', 'constructor', '__proto__', 'toString'])
      assert.deepEqual(problemsIn({ ...COMMON, customerType }), [], 'POST /customers refuses the type');
  });
  test('a cell that a spreadsheet would take for a formula is refused; a plain number or phone number is not', () => {
    for (const text of ['=1+1', '@SUM(A1)', '+1(2)', '-1|cmd', '+A1!B2', '-2=3'])
      assert.deepEqual(problemsIn({ ...PERSON, fullName: text }), ['fullName'], text);
    for (const text of ['+15550100', '-1', 'a=b', 'Ada (Jr)']) assert.deepEqual(problemsIn({ ...PERSON, fullName: text }), [], text);
    assert.deepEqual(problemsIn({ ...PERSON, email: '=1', city: '' }), ['city', 'email']);
  });
  test('what columns hold that are not kept does not matter', () => {
    for (const column of ['twitter', 'description', 'platformAccountId'])
      for (const text of ['@ada', '=1+1', '- paid (monthly)'])
        assert.deepEqual(requestFor({ ...PERSON, [column]: text }), requestFor(PERSON), `${column} ${text}`);
  });
});

describe('the error of a row', () => {
  const columns = ['platformCustomerId', 'city'];
  test('that cannot be read is named by its id, and by its line where it has none', () => {
    assert.equal(unreadable(columns, row(['a', 'b'])), undefined);
    assert.equal(unreadable(columns, row(['a'])), undefined);
    const code = 'INVALID_CSV_FORMAT';
    assert.deepEqual(unreadable(columns, row(['a', 'b', 'c'])), {
      correlationId: 'a',
      code,
      message: 'The row has more cells than the header.',
      details: { reason: 'too_many_cells', row: 7 },
    });
    assert.deepEqual(unreadable(columns, row([], 'not_utf8')), {
      correlationId: 'row_7',
      code,
      message: 'The row is not UTF-8 text.',
      details: { reason: 'not_utf8', row: 7 },
    });
  });
  test('"correlationId = the row\'s platformCustomerId, else row_<line>"', () => {
    const correlation = (cells: string[]) => fieldsError(columns, row(cells), []).correlationId;
    assert.equal(correlation([' p-1 ', 'x']), 'p-1');
    assert.equal(correlation(['  ', 'x']), 'row_7');
  });
  test('an id of more than 255 characters is not repeated', () => {
    const correlation = (id: string) => fieldsError(columns, row([id, 'x']), []).correlationId;
    assert.equal(correlation('é'.repeat(255)), 'é'.repeat(255));
    assert.equal(correlation('🌍'.repeat(255)), '🌍'.repeat(255), 'characters are counted as people count them');
    assert.equal(correlation('é'.repeat(256)), 'row_7');
  });
  test('lists what is wrong with the row and with its request, each column once', () => {
    const own = { field: 'city', message: 'is a formula' };
    const errorsOf = (refusal: ApiError | undefined, problems = [own]) =>
      rowError(columns, row(['p-1']), problems, refusal).details?.['errors'];
    assert.deepEqual(errorsOf(undefined), [own]);
    assert.deepEqual(errorsOf(new ApiError('UMA_ADDRESS_EXISTS')), [own]);
    const refusal = invalid({ field: 'address.city', message: 'is too long' }, { field: 'address.line1', message: 'is required' });
    assert.deepEqual(errorsOf(refusal), [own, { field: 'addressLine1', message: 'is required' }]);
    const two = [own, { field: 'country', message: 'is a formula' }];
    const merged = [...two, { field: 'addressLine1', message: 'is required' }];
    assert.deepEqual(errorsOf(refusal, two), merged, 'whichever of the columns is named twice');
  });
  test('lists the columns of the bad fields', () => {
    assert.deepEqual(
      fieldsError(columns, row(['p-1']), [{ field: 'address.city', message: 'is required', constraint: { minLength: 1 } }]),
      {
        correlationId: 'p-1',
        code: 'INVALID_FIELD',
        message: 'The row has invalid fields.',
        details: { row: 7, errors: [{ field: 'city', message: 'is required' }] },
      },
    );
    const TABLE = {
      'address.line1': 'addressLine1',
      'address.line2': 'addressLine2',
      'address.city': 'city',
      'address.state': 'state',
      'address.postalCode': 'postalCode',
      'address.country': 'country',
      'businessInfo.legalName': 'businessLegalName',
      'businessInfo.registrationNumber': 'businessRegistrationNumber',
      'businessInfo.taxId': 'businessTaxId',
      'businessInfo.country': 'country',
      email: 'email',
    };
    for (const [field, column] of Object.entries(TABLE)) assert.equal(columnOf(field), column);
  });
  test('is what POST /customers would have answered', () => {
    const refused = (refusal: ApiError) => refusalError(columns, row(['p-1']), refusal);
    assert.deepEqual(refused(new ApiError('UMA_ADDRESS_EXISTS')), {
      correlationId: 'p-1',
      code: 'UMA_ADDRESS_EXISTS',
      message: new ApiError('UMA_ADDRESS_EXISTS').message,
      details: { row: 7 },
    });
    assert.equal(refused(new ApiError('CONFLICT', { field: 'platformCustomerId' })).code, 'CONFLICT');
    assert.equal(refused(invalid({ field: 'email', message: 'is bad' })).code, 'INVALID_FIELD');
  });
});

describe('an import', () => {
  const job: ImportJob = {
    id: 'Job:1',
    status: 'PENDING',
    fileId: 'File:1',
    columns: null,
    next: { byte: 0, line: 1 },
    total: 0,
    successful: 2,
    failed: 3,
    createdAt: new Date(0),
    completedAt: null,
  };
  // Columns: it starts, its file cannot be read, it ends. A dash changes nothing.
  const TABLE: Record<ImportStatus, string> = {
    PENDING: 'PROCESSING FAILED -',
    PROCESSING: '- - COMPLETED|FAILED',
    COMPLETED: '- - -',
    FAILED: '- - -',
  };
  for (const status of IMPORT_STATUSES)
    test(`${status}: ${TABLE[status]}`, () => {
      const moves: Readonly<Record<string, string | readonly string[]>> = IMPORT_MOVES[status];
      assert.equal(['STARTED', 'UNREADABLE', 'ENDED'].map((event) => [moves[event] ?? '-'].flat().join('|')).join(' '), TABLE[status]);
    });

  test('a step adds what it did', () => {
    const next = { byte: 90, line: 9 };
    assert.deepEqual(advance(job, { next, successful: 10, failed: 20 }), {
      ...job,
      status: 'PROCESSING',
      next,
      successful: 12,
      failed: 23,
    });
  });
  test('is completed if it created a customer, failed if it created nobody', () => {
    const now = new Date(1);
    const ended = { fileId: null, completedAt: now };
    assert.deepEqual(finish(job, now), { ...job, ...ended, status: 'COMPLETED', total: 5 });
    assert.deepEqual(finish({ ...job, successful: 1, failed: 0 }, now), {
      ...job,
      ...ended,
      successful: 1,
      failed: 0,
      status: 'COMPLETED',
      total: 1,
    });
    assert.deepEqual(finish({ ...job, successful: 0 }, now), { ...job, ...ended, successful: 0, status: 'FAILED', total: 3 });
  });
  test('has a file of 100 MB at most', () => {
    assert.equal(MAX_FILE_BYTES, 104_857_600);
    refuseTooLarge(104_857_600);
    assert.deepEqual(
      answerOf(() => refuseTooLarge(104_857_601)),
      ['PAYLOAD_TOO_LARGE', undefined],
    );
  });
  test('keeps 10,000 errors, and its event carries 100', () => assert.deepEqual([MAX_ERRORS, MAX_EVENT_ERRORS], [10_000, 100]));
});
