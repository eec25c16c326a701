// Deletes expired one-time passwords.
import type { Job } from '../../../db/job.js';
import { deleteExpiredOtps, nextOtpExpiry } from './store.js';

export const credentialJobs: readonly Job[] = [
  {
    name: 'otp-expiry',
    nextDue: nextOtpExpiry,
    run: (db, platformId, now) => db.transaction((tx) => deleteExpiredOtps(tx, platformId, now)),
  },
];
