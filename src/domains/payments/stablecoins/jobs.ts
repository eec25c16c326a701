// Jobs of stablecoins: orders at the provider, issuances, and enablements of the sandbox.
import type { Job } from '../../../db/job.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { workOnOperation } from './follow.js';
import { findDueOperations, firstDueOperation } from './operations-store.js';
import type { OrderDeps } from './orders.js';
import { followIssuance, moveDueEnablement } from './register.js';
import { findDueStablecoins, firstDueStablecoin } from './store.js';

const BATCH = 100;
/** Questions that are on their way to the provider at the same time. */
const ASKING = 8;

/** Works off what is due, some at a time. An item that was asked about is due again later, so every round finds others. */
async function workOff<Id>(
  find: (limit: number) => Promise<Id[]>,
  work: (id: Id) => Promise<unknown>,
  isOver: () => boolean,
): Promise<number> {
  let done = 0;
  for (;;) {
    const due = await find(BATCH);
    for (let i = 0; i < due.length && !isOver(); i += ASKING) {
      await Promise.all(due.slice(i, i + ASKING).map(work));
      done += Math.min(ASKING, due.length - i);
    }
    if (due.length < BATCH || isOver()) return done;
  }
}

export const stablecoinJobs = (deps: OrderDeps): Job[] => [
  {
    name: 'stablecoin-issuance',
    firstDue: (condition) => firstDueStablecoin(condition, 'ISSUANCE'),
    run: (db, platformId, now, isOver) =>
      workOff(
        (limit) => findDueStablecoins(db, platformId, 'ISSUANCE', now, limit),
        (id) => followIssuance(deps, platformId, id, now),
        isOver,
      ),
  },
  {
    name: 'stablecoin-enablement',
    firstDue: (condition) => firstDueStablecoin(condition, 'ENABLEMENT'),
    run: (db, platformId, now, isOver) =>
      workOff(
        (limit) => findDueStablecoins(db, platformId, 'ENABLEMENT', now, limit),
        (id) => db.transaction((tx) => moveDueEnablement(tx, deps, platformId, id, now)),
        isOver,
      ),
  },
  {
    name: 'stablecoin-operations',
    firstDue: firstDueOperation,
    run: (db, platformId: PlatformId, now, isOver) =>
      workOff(
        (limit) => findDueOperations(db, platformId, now, limit),
        (id) => workOnOperation(deps, platformId, id, now),
        isOver,
      ),
  },
];
