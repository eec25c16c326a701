// Jobs of messages: a live installation sends them, the sandbox deletes them after a day.
import type { Job } from '../../../db/job.js';
import { type SendingDeps, sendDueMessages } from './actions.js';
import { deleteDueMessages, firstDueMessage } from './store.js';

export const messageJobs = (deps: SendingDeps & { readonly isSandbox: boolean }): readonly Job[] => [
  deps.isSandbox
    ? {
        name: 'sandbox-message-expiry',
        firstDue: (condition) => firstDueMessage(condition, true),
        run: (db, platformId, now) => deleteDueMessages(db, platformId, now),
      }
    : {
        name: 'messages',
        firstDue: (condition) => firstDueMessage(condition, false),
        run: (db, platformId, now, isOver) => sendDueMessages(db, deps, platformId, now, isOver),
      },
];
