// Jobs of agents' actions.
import type { Job } from '../../../db/job.js';
import { failUndecided, firstUndecided } from './store.js';

const BATCH = 200;

export const agentActionJobs = (): Job[] => [
  {
    name: 'agent-action-expiry',
    firstDue: firstUndecided,
    run: async (db, platformId, now, isOver) => {
      let done = 0;
      for (;;) {
        const failed = await db.transaction((tx) => failUndecided(tx, platformId, now, BATCH));
        done += failed;
        if (failed < BATCH || isOver()) return done;
      }
    },
  },
];
