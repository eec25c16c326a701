// Jobs of cards: orders and closings that the issuer did not answer are repeated.
import type { Job } from '../../../db/job.js';
import { type CardDeps, repeatOrders } from './actions.js';
import { firstProvisioning } from './store.js';

export const cardJobs = (deps: CardDeps): Job[] => [
  {
    name: 'card-provisioning',
    firstDue: firstProvisioning,
    run: (db, platformId, now, isOver) => repeatOrders({ ...deps, db: deps.db.causedBy(db.cause) }, platformId, now, isOver),
  },
];
