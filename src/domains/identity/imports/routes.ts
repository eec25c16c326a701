// Bulk imports of customers.
import type { Db } from '../../../db/pool.js';
import { accepted, type Operation, ok, operation } from '../../../http/operation.js';
import { parseId } from '../../../kernel/ids.js';
import { getImport, type ImportDeps, startImport } from './actions.js';
import { MAX_FILE_BYTES } from './rules.js';
import { BulkCustomerImportJob, BulkCustomerImportJobAccepted, CsvUpload, renderJob } from './schemas.js';

/** The file and what multipart adds. */
const MAX_BYTES = MAX_FILE_BYTES + 64 * 1024;

export const importRoutes = ({ db, ...deps }: Pick<ImportDeps, 'files'> & { readonly db: Db }): Operation[] => [
  operation({
    id: 'uploadCustomersCsv',
    method: 'POST',
    path: '/customers/bulk/csv',
    tag: 'Customers',
    summary: 'Import customers from a CSV file',
    command: 'customers bulk upload',
    permission: 'MANAGE',
    body: CsvUpload,
    multipart: { maxFileBytes: MAX_BYTES, maxRequestBytes: MAX_BYTES },
    success: { 202: BulkCustomerImportJobAccepted },
    idempotency: 'optional',
    write: async (tx, { platformId, now, body: { file } }) => {
      const { id, status } = startImport(tx, deps, { platformId, file, now });
      return accepted({ jobId: id, status });
    },
  }),
  operation({
    id: 'getBulkCustomerImportJob',
    method: 'GET',
    path: '/customers/bulk/jobs/{jobId}',
    tag: 'Customers',
    summary: 'Get the progress of an import and the rows it refused',
    permission: 'VIEW',
    success: { 200: BulkCustomerImportJob },
    errors: ['BULK_UPLOAD_JOB_NOT_FOUND'],
    handle: async ({ platformId, params }) => {
      const { job, errors } = await getImport(db, platformId, parseId('Job', params.jobId));
      return ok(renderJob(job, errors));
    },
  }),
];
