// Jobs of verifications: decisions that the provider announced, packets for the vendor, and expired links.
import type { Job } from '../../../db/job.js';
import type { Db } from '../../../db/pool.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { KycVendor } from '../../../providers/kyc.js';
import { decidePlanned, type VerificationDeps } from './actions.js';
import { deleteExpiredLinks, firstExpired } from './links-store.js';
import { findDue, firstDue } from './store.js';
import { sendPacket } from './vendor.js';

const BATCH = 50;
/** Packets that are on their way to the vendor at the same time. */
const SENDING = 8;

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

const sendDue = async (db: Db, deps: VerificationDeps, vendor: KycVendor, platformId: PlatformId, now: Date): Promise<number> => {
  const due = await findDue(db, 'SEND', platformId, now, SENDING);
  await Promise.all(due.map(({ id }) => sendPacket(db, { ...deps, vendor }, platformId, id, now)));
  return due.length;
};

const sendingJobs = (deps: VerificationDeps, vendor: KycVendor): Job[] => [
  {
    name: 'verification-packets',
    firstDue: (condition) => firstDue(condition, 'SEND'),
    run: (db, platformId, now, isOver) => untilDone(() => sendDue(db, deps, vendor, platformId, now), isOver),
  },
];

export const verificationJobs = (deps: VerificationDeps): Job[] => [
  ...(deps.kyc.vendor ? sendingJobs(deps, deps.kyc.vendor) : []),
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
