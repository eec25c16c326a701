// Jobs of verifications: decisions that the provider announced, packets for the vendor, and expired links.
import { failedRecently, type Job } from '../../../db/job.js';
import { type DueRun, type WorkDeps, workOff } from '../../../db/work-off.js';
import { messageForLog } from '../../../kernel/errors.js';
import { uuidOf } from '../../../kernel/ids.js';
import type { KycVendor } from '../../../providers/kyc.js';
import { decidePlanned, type VerificationDeps } from './actions.js';
import { deleteExpiredLinks, firstExpired } from './links-store.js';
import { findDue, firstDue } from './store.js';
import { sendPacket } from './vendor.js';
import type { VerificationId } from './verification.js';

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

type JobDeps = VerificationDeps & Pick<WorkDeps, 'log'>;

const decideDue = (deps: JobDeps & WorkDeps, run: DueRun): Promise<number> =>
  workOff(deps, run, {
    noun: 'verification',
    find: (excluded, limit) => findDue(deps.db, 'PLANNED_DECISION', run.platformId, run.now, excluded, limit),
    work: (tx, { id }) => decidePlanned(tx, deps, run.platformId, id, run.now),
  });

/** A packet that cannot be sent is skipped for a while. One whose vendor does not answer is due again later. */
const sendDue = async (deps: JobDeps & WorkDeps, vendor: KycVendor, { platformId, now, failed }: DueRun): Promise<number> => {
  const due = await findDue(deps.db, 'SEND', platformId, now, failed.ids(), SENDING);
  const send = async (id: VerificationId): Promise<void> => {
    try {
      await sendPacket(deps.db, { ...deps, vendor }, platformId, id, now);
    } catch (error) {
      deps.log.error({ verificationId: id, errorMessage: messageForLog(error) }, 'a packet could not be sent; it is tried again');
      failed.add(uuidOf(id));
    }
  };
  await Promise.all(due.map(({ id }) => send(id)));
  return due.length;
};

const sendingJobs = (deps: JobDeps, vendor: KycVendor, retryAfterMs: number): Job[] => {
  const failed = failedRecently(retryAfterMs);
  return [
    {
      name: 'verification-packets',
      firstDue: (condition) => firstDue(condition, 'SEND', failed.ids()),
      run: (db, platformId, now, isOver) => untilDone(() => sendDue({ ...deps, db }, vendor, { platformId, now, isOver, failed }), isOver),
    },
  ];
};

const decidingJob = (deps: JobDeps, retryAfterMs: number): Job => {
  const failed = failedRecently(retryAfterMs);
  return {
    name: 'verification-decisions',
    firstDue: (condition) => firstDue(condition, 'PLANNED_DECISION', failed.ids()),
    run: (db, platformId, now, isOver) => decideDue({ ...deps, db }, { platformId, now, isOver, failed }),
  };
};

export const verificationJobs = (deps: JobDeps, retryAfterMs = 60_000): Job[] => [
  ...(deps.kyc.vendor ? sendingJobs(deps, deps.kyc.vendor, retryAfterMs) : []),
  decidingJob(deps, retryAfterMs),
  {
    name: 'kyc-link-expiry',
    firstDue: firstExpired,
    run: (db, platformId, now, isOver) => untilDone(() => db.transaction((tx) => deleteExpiredLinks(tx, platformId, now, BATCH)), isOver),
  },
];
