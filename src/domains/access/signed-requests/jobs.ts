// Deletes signed requests that can no longer be used.
import type { Job } from '../../../db/job.js';
import { deleteInBatches } from '../../../db/upkeep.js';
import { plusMs } from '../../../kernel/time.js';
import { deleteExpired, firstRemoval } from './store.js';

export const signedRequestJobs = (retentionMs: number): readonly Job[] => [
  {
    name: 'signed-request-retention',
    firstDue: firstRemoval(retentionMs),
    run: (db, platformId, now, isOver) =>
      deleteInBatches((limit) => deleteExpired(db, platformId, plusMs(now, -retentionMs), limit), isOver),
  },
];
