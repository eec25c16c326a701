import { createCallOperation } from '../../http/call-operation.js';
import { errorBody } from '../../http/error-boundary.js';
import type { Module } from '../../module.js';
import { fixtureRoutes } from './fixture-routes.js';
import { createApplyFixture } from './fixtures.js';
import { sandboxRoutes } from './routes.js';
import { snapshotRoutes } from './snapshot-routes.js';

export const sandbox: Module = {
  name: 'sandbox',
  tables: ['emptied_platforms', 'sandbox_snapshots', 'sandbox_snapshot_parts', 'sandbox_fixture_steps'],
  reads: ['platforms', 'webhook_cursors'],
  create: ({ db, hooks, log, jobs, operations, custody, secrets }) => {
    const callOperation = createCallOperation({ db, idempotency: { secrets, custody }, renderError: errorBody });
    return {
      operations: [
        ...sandboxRoutes({ db, log, jobs }),
        ...snapshotRoutes({ db, hooks, log }),
        ...fixtureRoutes(createApplyFixture({ db, custody, operations, callOperation })),
      ],
    };
  },
};
