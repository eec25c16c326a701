// A worker in the process of the test, so that the test can read its state.
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Db } from '../../../src/db/pool.js';
import { createDeliverer, type Deliverer, type DelivererDeps } from '../../../src/domains/core/webhooks/delivery.js';
import { createDeliveryMetrics } from '../../../src/domains/core/webhooks/metrics.js';
import { createOutbound, SANDBOX_POLICY } from '../../../src/domains/core/webhooks/outbound.js';
import { createKeyCustody } from '../../../src/providers/key-custody.js';

export const workerOn = (db: Db, key: Buffer, options: Partial<DelivererDeps>): Deliverer =>
  createDeliverer({
    db,
    custody: createKeyCustody([key]),
    mode: 'sandbox',
    outbound: createOutbound({ policy: SANDBOX_POLICY }),
    metrics: createDeliveryMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    pollMs: 10,
    onAnswer: async () => {},
    ...options,
  });
