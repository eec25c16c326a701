// Deletes signed requests that can no longer be used.
import type { Job } from '../../../db/job.js';
import { deleteExpired, firstExpiry } from './store.js';

export const signedRequestJobs: readonly Job[] = [
  {
    name: 'signed-request-expiry',
    firstDue: firstExpiry,
    run: (db, platformId, now) => db.transaction((tx) => deleteExpired(tx, platformId, now)),
  },
];
