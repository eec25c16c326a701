// Deletes expired one-time passwords.
import type { Job } from '../../../db/job.js';
import { deleteInBatches } from '../../../db/upkeep.js';
import { plusMs } from '../../../kernel/time.js';
import { deleteExpiredOtps, firstOtpRemoval } from './store.js';

export const credentialJobs = (retentionMs: number): readonly Job[] => [
  {
    name: 'one-time-code-retention',
    firstDue: firstOtpRemoval(retentionMs),
    run: (db, platformId, now, isOver) =>
      deleteInBatches((limit) => deleteExpiredOtps(db, platformId, plusMs(now, -retentionMs), limit), isOver),
  },
];
