// Jobs of verifications: decisions that the provider announced, packets for the vendor, and expired links.
import type { Job } from '../../../db/job.js';
import type { Db } from '../../../db/pool.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { decidePlanned, type VerificationDeps } from './actions.js';
import { deleteExpiredLinks, firstExpired } from './links-store.js';
import { findDue, firstDue } from './store.js';

const BATCH = 50;

/** Repeats a batch until it finds nothing to do. */
const untilDone = async (batch: () => Promise<number>, isOver: () => boolean): Promise<number> => {
  let done = 0;
  for (;;) {
    const taken = await batch();
    done += taken;
    if (taken === 0 || isOver()) return done;
  }
};

const decideDue = async (db: Db, deps: VerificationDeps, platformId: PlatformId, now: Date): Promise<number> => {
  const due = await findDue(db, 'PLANNED_DECISION', platformId, now, BATCH);
  for (const { id } of due) await db.transaction((tx) => decidePlanned(tx, deps, platformId, id, now));
  return due.length;
};

export const verificationJobs = (deps: VerificationDeps): Job[] => [
  {
    name: 'verification-decisions',
    firstDue: (condition) => firstDue(condition, 'PLANNED_DECISION'),
    run: (db, platformId, now, isOver) => untilDone(() => decideDue(db, deps, platformId, now), isOver),
  },
  {
    name: 'kyc-link-expiry',
    firstDue: firstExpired,
    run: (db, platformId, now, isOver) => untilDone(() => db.transaction((tx) => deleteExpiredLinks(tx, platformId, now, BATCH)), isOver),
  },
];
