// The expiry of invitations.
import type { Job } from '../../../db/job.js';
import { expireInvitations, firstExpiry } from './store.js';

const BATCH = 500;

export const invitationJobs = (): Job[] => [
  {
    name: 'invitation-expiry',
    firstDue: firstExpiry,
    run: async (db, platformId, now, isOver) => {
      let done = 0;
      for (;;) {
        const expired = await db.transaction((tx) => expireInvitations(tx, platformId, now, BATCH));
        done += expired;
        if (expired < BATCH || isOver()) return done;
      }
    },
  },
];
