import type { Module } from '../../../module.js';
import { isTokenUsable } from '../platform/actions.js';
import { requestLogUpkeep } from './actions.js';
import { createRecorder } from './recorder.js';
import { requestLogRoutes } from './routes.js';
import { timelineRoutes } from './timeline-routes.js';

export const requests: Module = {
  name: 'core/requests',
  tables: ['request_log', 'request_log_objects'],
  reads: ['platforms', 'webhook_events', 'webhook_attempts', 'card_history', 'ownership_proofs', 'signed_requests', 'entries', 'transfers'],
  create: ({ config, db, log, metrics, isSandbox, closing }) => {
    const recorder = createRecorder({ db, log, registry: metrics.registry, keepsBodies: isSandbox });
    return {
      operations: [
        ...requestLogRoutes({
          db,
          recorder,
          closing,
          isUsable: ({ platformId, tokenId }) => isTokenUsable(db, platformId, tokenId),
        }),
        ...timelineRoutes({ db, recorder }),
      ],
      upkeep: [requestLogUpkeep()],
      // Every process that answers requests records them, whatever its role, so recording begins with the first request.
      background: { start() {}, stop: recorder.stop },
      ...(config.requestLog && { observe: recorder.observe }),
    };
  },
};
