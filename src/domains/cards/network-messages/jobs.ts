// Jobs of card transactions: scheduled messages and expiries.
import { failedRecently, type Job } from '../../../db/job.js';
import { applyDueMessages, type DueDeps, expireAuthorizations } from './actions.js';
import { firstExpiry, firstMessage } from './store.js';

export function networkMessageJobs(deps: DueDeps, retryAfterMs = 60_000): Job[] {
  const messages = failedRecently(retryAfterMs);
  const expiries = failedRecently(retryAfterMs);
  return [
    {
      name: 'card-messages',
      firstDue: (condition) => firstMessage(condition, messages.ids()),
      run: (db, platformId, now, isOver) =>
        applyDueMessages({ ...deps, db: deps.db.causedBy(db.cause) }, { platformId, now, isOver, failed: messages }),
    },
    {
      name: 'card-authorization-expiry',
      firstDue: (condition) => firstExpiry(condition, expiries.ids()),
      run: (db, platformId, now, isOver) =>
        expireAuthorizations({ ...deps, db: deps.db.causedBy(db.cause) }, { platformId, now, isOver, failed: expiries }),
    },
  ];
}
