// Wire schemas of bulk imports of customers.
import Type from 'typebox';
import { FilePart } from '../../../http/multipart.js';
import { Closed, Enum, Timestamp } from '../../../http/schemas.js';
import { lateCheck } from '../../../http/validate.js';
import { ApiError } from '../../../kernel/errors.js';
import type { CustomerDraft } from '../customers/customer.js';
import { type CustomerCreateRequest, CustomerCreateRequestOneOf, parseCustomerCreate } from '../customers/schemas.js';
import { IMPORT_STATUSES, type ImportError, type ImportJob } from './import-job.js';

const text = Type.String();
const maybeText = Type.Optional(Type.String());
const count = Type.Integer();

export const CsvUpload = Closed({
  file: FilePart({
    description:
      'CSV (RFC 4180) in UTF-8 with a header row, at most 100 MB. Columns of all rows: umaAddress, platformCustomerId, customerType, addressLine1, ' +
      'city, state, postalCode, country; of individuals also fullName and birthDate, of businesses businessLegalName. Optional: addressLine2, ' +
      'email, businessRegistrationNumber, businessTaxId. Other columns are ignored.',
  }),
});

export const BulkCustomerImportJobAccepted = Type.Object(
  { jobId: text, status: Enum(['PENDING', 'PROCESSING']) },
  { title: 'BulkCustomerImportJobAccepted' },
);

export const ImportErrorSchema = Type.Object(
  {
    correlationId: text,
    code: maybeText,
    message: maybeText,
    details: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { title: 'BulkCustomerImportErrorEntry' },
);

export const BulkCustomerImportJob = Type.Object(
  {
    id: text,
    status: Enum(IMPORT_STATUSES, { title: 'BulkCustomerImportJobStatus' }),
    progress: Type.Object({ total: count, processed: count, successful: count, failed: count }, { title: 'BulkCustomerImportProgress' }),
    errors: Type.Optional(
      Type.Array(ImportErrorSchema, {
        description: 'Rows that were refused, in the order of the file: at most 10,000 here, and 100 in a webhook.',
      }),
    ),
    completedAt: Type.Optional(Timestamp()),
  },
  { title: 'BulkCustomerImportJob' },
);

export const renderJob = ({ id, status, total, successful, failed, completedAt }: ImportJob, errors: readonly ImportError[]) => ({
  id,
  status,
  progress: { total, processed: successful + failed, successful, failed },
  ...(errors.length > 0 && { errors }),
  ...(completedAt && { completedAt: completedAt.toISOString() }),
});

const check = lateCheck(CustomerCreateRequestOneOf);

/** The customer that a row asks for, or the refusal that `POST /customers` would have answered. */
export function parseRow(request: Record<string, unknown>): CustomerDraft | ApiError {
  try {
    check(request);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  // The schema that was just checked is the one of this type.
  return parseCustomerCreate(request as CustomerCreateRequest);
}
