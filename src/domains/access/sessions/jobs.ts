// Deletes sessions some time after they expired. What a session signed stays in the records of the wallet signer.
import type { Job } from '../../../db/job.js';
import { deleteInBatches } from '../../../db/upkeep.js';
import { plusMs } from '../../../kernel/time.js';
import { deleteExpired, firstRemoval } from './store.js';

export const sessionJobs = (retentionMs: number): readonly Job[] => [
  {
    name: 'session-retention',
    firstDue: firstRemoval(retentionMs),
    run: (db, platformId, now, isOver) =>
      deleteInBatches((limit) => deleteExpired(db, platformId, plusMs(now, -retentionMs), limit), isOver),
  },
];
