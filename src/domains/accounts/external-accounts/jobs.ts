// Jobs of external accounts: pending name checks, and liveness checks that expire.
import type { Job } from '../../../db/job.js';
import { doDueWork } from './actions.js';
import { type DueWork, firstDue } from './store.js';

const job = (name: string, work: DueWork): Job => ({
  name,
  firstDue: (condition) => firstDue(condition, work),
  async run(db, platformId, now, isOver) {
    let done = 0;
    for (;;) {
      const taken = await db.transaction((tx) => doDueWork(tx, work, platformId, now));
      done += taken;
      if (taken === 0 || isOver()) return done;
    }
  },
});

export const externalAccountJobs: readonly Job[] = [
  job('external-account-name-checks', 'NAME_CHECK'),
  job('external-account-liveness-expiry', 'LIVENESS'),
];
