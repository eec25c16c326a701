// One-time passwords and signed requests are forgotten once they can no longer be used.
import type { Job } from '../../../db/job.js';
import { deleteExpired, nextExpiry } from './store.js';

export const keyJobs: readonly Job[] = [
  {
    name: 'key-expiry',
    nextDue: nextExpiry,
    run: (db, platformId, now) => db.transaction((tx) => deleteExpired(tx, platformId, now)),
  },
];
