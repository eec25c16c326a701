// Deletes signed requests that can no longer be used.
import type { Job } from '../../../db/job.js';
import { deleteExpired, nextExpiry } from './store.js';

export const signedRequestJobs: readonly Job[] = [
  {
    name: 'signed-request-expiry',
    nextDue: nextExpiry,
    run: (db, platformId, now) => db.transaction((tx) => deleteExpired(tx, platformId, now)),
  },
];
