import { movesByEvent } from '../../../kernel/lifecycle.js';
import type { Module } from '../../../module.js';
import { continueImports } from './actions.js';
import { importRoutes } from './routes.js';
import { IMPORT_MOVES } from './rules.js';
import { BulkCustomerImportJob } from './schemas.js';
import { firstDueImport } from './store.js';

export const imports: Module = {
  name: 'identity/imports',
  tables: ['import_jobs', 'import_errors'],
  transitions: { BulkCustomerImportJobStatus: movesByEvent(IMPORT_MOVES) },
  events: { 'bulk-upload': BulkCustomerImportJob },
  create: (context) => ({
    operations: importRoutes(context),
    jobs: [
      {
        name: 'customer-imports',
        firstDue: firstDueImport,
        run: (db, platformId, now, isOver) => continueImports(db, context, platformId, now, isOver),
      },
    ],
  }),
};
