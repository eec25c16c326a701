import type { Module } from '../../module.js';
import { sandboxRoutes } from './routes.js';
import { snapshotRoutes } from './snapshot-routes.js';

export const sandbox: Module = {
  name: 'sandbox',
  tables: ['emptied_platforms', 'sandbox_snapshots', 'sandbox_snapshot_parts'],
  reads: ['platforms', 'webhook_cursors'],
  create: ({ db, hooks, log, jobs }) => ({ operations: [...sandboxRoutes({ db, log, jobs }), ...snapshotRoutes({ db, hooks, log })] }),
};
