import { deleteInBatches } from '../../../db/upkeep.js';
import type { Module } from '../../../module.js';
import { receiverRoutes } from './routes.js';
import { deleteEnded, firstEnded } from './store.js';

export const receivers: Module = {
  name: 'payments/receivers',
  tables: ['lookups'],
  create: ({ db, custody, umaPeers, rates }) => ({
    operations: receiverRoutes({ db, custody, umaPeers, rates }),
    jobs: [
      {
        name: 'lookup-expiry',
        firstDue: firstEnded,
        run: (jobDb, platformId, now, isOver) => deleteInBatches((limit) => deleteEnded(jobDb, platformId, now, limit), isOver),
      },
    ],
  }),
};
