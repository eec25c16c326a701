// Deletes challenges of payments that were not authorized. The payments themselves have failed before.
import type { Job } from '../../../db/job.js';
import { deleteStaleChallenges, firstStaleChallenge } from './challenge-store.js';

const BATCH = 500;

export const scaJobs: readonly Job[] = [
  {
    name: 'sca-challenge-retention',
    firstDue: firstStaleChallenge,
    async run(db, platformId, now, isOver) {
      let deleted = 0;
      for (let batch = BATCH; batch === BATCH && !isOver(); deleted += batch)
        batch = await db.transaction((tx) => deleteStaleChallenges(tx, platformId, now, BATCH));
      return deleted;
    },
  },
];
