// What of card transactions falls due by the clock.
import type { Job } from '../../db/job.js';
import { applyDueMessages, type CardTransactionDeps, expireAuthorizations } from './actions.js';
import { nextExpiries, nextMessages } from './store.js';

export const cardTransactionJobs = (deps: CardTransactionDeps): Job[] => [
  {
    name: 'card-messages',
    nextDue: nextMessages,
    run: (_db, platformId, now) => applyDueMessages(deps, platformId, now),
  },
  {
    name: 'card-authorization-expiry',
    nextDue: nextExpiries,
    run: (_db, platformId, now) => expireAuthorizations(deps, platformId, now),
  },
];
