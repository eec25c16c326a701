// What the rows of an import mean, and how an import proceeds and ends.
import type { CsvProblem, CsvRow } from '../../../kernel/csv.js';
import { ApiError, type FieldError } from '../../../kernel/errors.js';
import type { ImportError, ImportJob, ImportStatus } from './import-job.js';

/** A request to create a customer, as `POST /customers` takes it, and what is wrong with the row already. */
export type RowRequest = { readonly request: Record<string, unknown>; readonly problems: readonly FieldError[] };

const OF_ALL = ['umaAddress', 'platformCustomerId', 'customerType', 'addressLine1', 'city', 'state', 'postalCode', 'country'] as const;
/** A map, because the type is a cell of the file and may be any text. */
const OF_TYPE: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ['INDIVIDUAL', ['fullName', 'birthDate']],
  ['BUSINESS', ['businessLegalName']],
]);

/** The columns that are kept. What the others hold does not matter. */
const KEPT: ReadonlySet<string> = new Set([
  ...OF_ALL,
  ...[...OF_TYPE.values()].flat(),
  ...['addressLine2', 'email', 'businessRegistrationNumber', 'businessTaxId'],
]);

/** The column of each field of the request that a row makes. */
const COLUMN_OF: Readonly<Record<string, string>> = {
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
};

export const columnOf = (field: string): string => COLUMN_OF[field] ?? field;

// ---- the header

export type HeaderProblem = { readonly reason: CsvProblem | 'missing_required_column' | 'no_rows'; readonly column?: string };

/** Why the file cannot be imported; undefined for a header with every column that all rows need. */
export function headerProblem(header: CsvRow | undefined): HeaderProblem | undefined {
  if (!header) return { reason: 'no_rows' };
  if (header.problem) return { reason: header.problem };
  if (header.cells.some((column, i) => KEPT.has(column) && header.cells.indexOf(column) < i)) return { reason: 'malformed' };
  const missing = OF_ALL.find((column) => !header.cells.includes(column));
  return missing === undefined ? undefined : { reason: 'missing_required_column', column: missing };
}

const FILE_MESSAGES: Readonly<Record<HeaderProblem['reason'], string>> = {
  malformed: 'is not valid CSV',
  not_utf8: 'is not UTF-8 text',
  too_long: 'is longer than 64 KB, or a quote in it is never closed',
  missing_required_column: 'lacks a required column',
  no_rows: 'has no rows',
};

export const fileError = ({ reason, column }: HeaderProblem): ImportError => ({
  correlationId: 'row_1',
  code: 'INVALID_CSV_FORMAT',
  message: `The file ${FILE_MESSAGES[reason]}.`,
  details: { reason, ...(column !== undefined && { column }) },
});

// ---- rows

/** The cells of a row by column. Blank cells are absent; a short row is filled up with them. */
function cellsOf(columns: readonly string[], { cells }: CsvRow): ReadonlyMap<string, string> {
  return new Map(columns.flatMap((column, i): [string, string][] => (cells[i]?.trim() ? [[column, cells[i].trim()]] : [])));
}

/** What a spreadsheet would take for a formula when the data is exported again. */
const FORMULA = /^(?:[=@\t\r]|[+-].*[|!(=])/;

function rowProblems(columns: readonly string[], cells: ReadonlyMap<string, string>): FieldError[] {
  const required = [...OF_ALL, ...(OF_TYPE.get(cells.get('customerType')) ?? [])];
  const missing = required.filter((column) => !cells.has(column)).map((field) => ({ field, message: 'is required' }));
  const formulas = columns
    .filter((column) => KEPT.has(column) && FORMULA.test(cells.get(column) ?? ''))
    .map((field) => ({ field, message: 'must not begin like a formula' }));
  return [...missing, ...formulas];
}

const withoutAbsent = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The row as the body of `POST /customers`. */
export function requestOf(columns: readonly string[], row: CsvRow): RowRequest {
  const cells = cellsOf(columns, row);
  const uma = cells.get('umaAddress');
  const country = cells.get('country');
  const common = {
    customerType: cells.get('customerType'),
    platformCustomerId: cells.get('platformCustomerId'),
    umaAddress: uma === undefined || uma.startsWith('$') ? uma : `$${uma}`,
    email: cells.get('email'),
    address: withoutAbsent({
      line1: cells.get('addressLine1'),
      line2: cells.get('addressLine2'),
      city: cells.get('city'),
      state: cells.get('state'),
      postalCode: cells.get('postalCode'),
      country,
    }),
  };
  const own =
    common.customerType === 'BUSINESS'
      ? {
          businessInfo: withoutAbsent({
            legalName: cells.get('businessLegalName'),
            registrationNumber: cells.get('businessRegistrationNumber'),
            taxId: cells.get('businessTaxId'),
            country,
          }),
        }
      : { fullName: cells.get('fullName'), birthDate: cells.get('birthDate') };
  return { request: withoutAbsent({ ...common, ...own }), problems: rowProblems(columns, cells) };
}

/** Why the row cannot be read at all; undefined for one that can. */
export function unreadable(columns: readonly string[], row: CsvRow): ImportError | undefined {
  const reason = row.problem ?? (row.cells.length > columns.length ? 'too_many_cells' : undefined);
  if (reason === undefined) return undefined;
  const message = reason === 'too_many_cells' ? 'The row has more cells than the header.' : `The row ${FILE_MESSAGES[reason]}.`;
  return { correlationId: correlationOf(columns, row), code: 'INVALID_CSV_FORMAT', message, details: { reason, row: row.line } };
}

/** No customer has a longer id. */
const MAX_ID_LENGTH = 255;

/** The row's own id, or its line. What is too long for an id is not repeated: the job and its event would be as large as the file. */
function correlationOf(columns: readonly string[], row: CsvRow): string {
  const id = cellsOf(columns, row).get('platformCustomerId');
  return id !== undefined && [...id].length <= MAX_ID_LENGTH ? id : `row_${row.line}`;
}

export const fieldsError = (columns: readonly string[], row: CsvRow, problems: readonly FieldError[]): ImportError => ({
  correlationId: correlationOf(columns, row),
  code: 'INVALID_FIELD',
  message: 'The row has invalid fields.',
  details: { row: row.line, errors: problems.map(({ field, message }) => ({ field: columnOf(field), message })) },
});

const errorsOf = ({ details }: ApiError): FieldError[] | undefined => {
  const errors = details?.['errors'];
  return Array.isArray(errors) ? errors : undefined;
};

/** What is wrong with a row and with the request that it makes: every bad column, once. */
export function rowError(
  columns: readonly string[],
  row: CsvRow,
  problems: readonly FieldError[],
  refusal: ApiError | undefined,
): ImportError {
  const others = (refusal && errorsOf(refusal)) ?? [];
  return fieldsError(columns, row, [...problems, ...others.filter(({ field }) => !problems.some((one) => one.field === columnOf(field)))]);
}

/** What `POST /customers` would have answered. */
export function refusalError(columns: readonly string[], row: CsvRow, refusal: ApiError): ImportError {
  const problems = errorsOf(refusal);
  if (problems) return fieldsError(columns, row, problems);
  return { correlationId: correlationOf(columns, row), code: refusal.code, message: refusal.message, details: { row: row.line } };
}

// ---- the import

export const MAX_FILE_BYTES = 100 * 1024 * 1024;

export function refuseTooLarge(bytes: number): void {
  if (bytes > MAX_FILE_BYTES) throw new ApiError('PAYLOAD_TOO_LARGE');
}

/** How many refused rows an import keeps. */
export const MAX_ERRORS = 10_000;
/** How many of them its event carries. */
export const MAX_EVENT_ERRORS = 100;

/** A file that cannot be read ends the import before it begins. */
export const IMPORT_MOVES = {
  PENDING: { STARTED: 'PROCESSING', UNREADABLE: 'FAILED' },
  PROCESSING: { ENDED: ['COMPLETED', 'FAILED'] },
  COMPLETED: {},
  FAILED: {},
} as const satisfies Readonly<Record<ImportStatus, Readonly<Record<string, ImportStatus | readonly ImportStatus[]>>>>;

export type Step = { readonly next: ImportJob['next']; readonly successful: number; readonly failed: number };

export const advance = (job: ImportJob, { next, successful, failed }: Step): ImportJob => ({
  ...job,
  status: 'PROCESSING',
  next,
  successful: job.successful + successful,
  failed: job.failed + failed,
});

/** An import that created nobody has failed. */
export const finish = (job: ImportJob, now: Date): ImportJob => ({
  ...job,
  status: job.successful === 0 ? 'FAILED' : 'COMPLETED',
  total: job.successful + job.failed,
  fileId: null,
  completedAt: now,
});
