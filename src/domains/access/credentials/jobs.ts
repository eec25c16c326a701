// Deletes expired one-time passwords.
import type { Job } from '../../../db/job.js';
import { deleteExpiredOtps, firstOtpExpiry } from './store.js';

export const credentialJobs: readonly Job[] = [
  {
    name: 'otp-expiry',
    firstDue: firstOtpExpiry,
    run: (db, platformId, now) => db.transaction((tx) => deleteExpiredOtps(tx, platformId, now)),
  },
];
