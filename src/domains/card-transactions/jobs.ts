// What of card transactions falls due by the clock.
import type { Job } from '../../db/job.js';
import { applyDueMessages, type CardTransactionDeps, expireAuthorizations } from './actions.js';
import { nextExpiries, nextMessages } from './store.js';

export const cardTransactionJobs = (deps: CardTransactionDeps): Job[] => [
  {
    name: 'card-messages',
    nextDue: nextMessages,
    run: (_db, platformId, now, isOver) => applyDueMessages(deps, platformId, now, isOver),
  },
  {
    name: 'card-authorization-expiry',
    nextDue: nextExpiries,
    run: (_db, platformId, now, isOver) => expireAuthorizations(deps, platformId, now, isOver),
  },
];
