// Jobs of payments: messages of rails, and quotes and approvals that expire.
import { failedRecently, type Job } from '../../../db/job.js';
import { applyDueMessages, type DueDeps, expirePayments } from './due.js';
import { firstExpiry, firstMessage } from './store.js';

export function paymentJobs(deps: DueDeps, retryAfterMs = 60_000): Job[] {
  const messages = failedRecently(retryAfterMs);
  const expiries = failedRecently(retryAfterMs);
  return [
    {
      // Before the messages of the same moment, so that a payment that expires is not executed at that moment.
      name: 'payment-expiry',
      firstDue: (condition) => firstExpiry(condition, expiries.ids()),
      run: (db, platformId, now, isOver) =>
        expirePayments({ ...deps, db: deps.db.causedBy(db.cause) }, { platformId, now, isOver, failed: expiries }),
    },
    {
      name: 'payment-rail-messages',
      firstDue: (condition) => firstMessage(condition, messages.ids()),
      run: (db, platformId, now, isOver) =>
        applyDueMessages({ ...deps, db: deps.db.causedBy(db.cause) }, { platformId, now, isOver, failed: messages }),
    },
  ];
}
