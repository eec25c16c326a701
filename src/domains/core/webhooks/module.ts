import type { Background, Module } from '../../../module.js';
import { createDeliverer } from './delivery.js';
import { credentialUsable, deliveryFault, questionAnswered } from './hooks.js';
import { createDeliveryMetrics } from './metrics.js';
import { createOutbound, LIVE_POLICY, SANDBOX_POLICY } from './outbound.js';
import { createRetention } from './retention.js';
import { webhookRoutes } from './routes.js';

export const webhooks: Module = {
  name: 'core/webhooks',
  tables: [
    'webhook_events',
    'webhook_inbox',
    'webhook_log',
    'webhook_cursors',
    'webhook_sequences',
    'webhook_deliveries',
    'webhook_attempts',
    'webhook_stops',
    'webhook_signing_keys',
  ],
  reads: ['platforms'],
  hooks: [credentialUsable, questionAnswered, deliveryFault],
  create: ({ config, db, custody, log, metrics, isSandbox, closing, hooks, decisions }) => {
    const outbound = createOutbound({ policy: isSandbox ? SANDBOX_POLICY : LIVE_POLICY });
    const deliverer = createDeliverer({
      db,
      custody,
      mode: config.mode,
      outbound,
      metrics: createDeliveryMetrics(metrics.registry),
      log,
      decisions: decisions.open,
      signatureForm: config.compatibility.webhookSignature,
      onAnswer: (answer) => hooks.only(questionAnswered)(answer),
      faultOf: isSandbox ? (platformId, event) => hooks.only(deliveryFault)(platformId, event) : undefined,
    });
    return {
      operations: webhookRoutes({ db, custody, deliverer, isSandbox, closing, isUsable: (caller) => hooks.only(credentialUsable)(caller) }),
      jobs: [deliverer.job],
      background: together(deliverer, createRetention({ db, life: config.webhookLife, log })),
    };
  },
};

const together = (...parts: readonly Background[]): Background => ({
  start() {
    for (const part of parts) part.start();
  },
  async stop() {
    for (const part of parts) await part.stop();
  },
});
