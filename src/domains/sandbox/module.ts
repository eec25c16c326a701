import type { Context } from '../../context.js';
import type { Db } from '../../db/pool.js';
import { createCallOperation } from '../../http/call-operation.js';
import { errorBody } from '../../http/error-boundary.js';
import { MAX_BODY_BYTES } from '../../http/request-checks.js';
import { listen, type Module } from '../../module.js';
import { deliveryFault } from '../core/webhooks/hooks.js';
import { faultRoutes } from './fault-routes.js';
import { createFaults, type Faults } from './faults.js';
import { fixtureRoutes } from './fixture-routes.js';
import { createApplyFixture } from './fixtures.js';
import { sandboxRoutes } from './routes.js';
import { snapshotRoutes } from './snapshot-routes.js';

export const sandbox: Module = {
  name: 'sandbox',
  tables: ['emptied_platforms', 'sandbox_snapshots', 'sandbox_snapshot_parts', 'sandbox_fixture_steps', 'sandbox_faults'],
  reads: ['platforms', 'webhook_cursors', 'customers', 'internal_accounts', 'ledger_accounts', 'invitations'],
  listeners: [listen(deliveryFault, (context) => faultsOf(context).onEvent)],
  create: (context) => {
    const { db, hooks, log, jobs, operations, custody, files, secrets, isSandbox, sealedColumns } = context;
    const faults = faultsOf(context);
    const callOperation = createCallOperation({
      db,
      idempotency: { secrets, custody },
      renderError: errorBody,
      maxBodyBytes: MAX_BODY_BYTES,
    });
    return {
      operations: [
        ...sandboxRoutes({ db, log, jobs }),
        ...snapshotRoutes({ db, hooks, log, custody, files, sealedColumns, operations }),
        ...fixtureRoutes(createApplyFixture({ db, custody, operations, callOperation })),
        ...faultRoutes(faults, operations),
      ],
      ...(isSandbox && { faults: faults.find }),
    };
  },
};

/** One for the operations and the hook of a service. */
const made = new WeakMap<Db, Faults>();
function faultsOf({ db, decisionDb }: Context): Faults {
  const faults = made.get(db) ?? createFaults({ db, decisionDb });
  made.set(db, faults);
  return faults;
}
