// Jobs of card transactions: scheduled messages and expiries.
import { failedRecently, type Job } from '../../../db/job.js';
import { applyDueMessages, type DueDeps, expireAuthorizations } from './actions.js';
import { nextExpiries, nextMessages } from './store.js';

export function networkMessageJobs(deps: DueDeps, retryAfterMs = 60_000): Job[] {
  const messages = failedRecently(retryAfterMs);
  const expiries = failedRecently(retryAfterMs);
  return [
    {
      name: 'card-messages',
      nextDue: (platform) => nextMessages(platform, messages.ids()),
      run: (_db, platformId, now, isOver) => applyDueMessages(deps, { platformId, now, isOver, failed: messages }),
    },
    {
      name: 'card-authorization-expiry',
      nextDue: (platform) => nextExpiries(platform, expiries.ids()),
      run: (_db, platformId, now, isOver) => expireAuthorizations(deps, { platformId, now, isOver, failed: expiries }),
    },
  ];
}
