// A worker that does nothing but deliver, in a process that a test can kill: `node worker-process.js DATABASE_URL KEY`.
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openDb } from '../../../src/db/pool.js';
import { createDeliverer } from '../../../src/domains/webhooks/delivery.js';
import { createDeliveryMetrics } from '../../../src/domains/webhooks/metrics.js';
import { createOutbound, SANDBOX_POLICY } from '../../../src/domains/webhooks/outbound.js';
import { createKeyCustody } from '../../../src/providers/key-custody.js';

const [, , url = '', key = ''] = process.argv;
const db = openDb({ url, poolSize: 4 });
createDeliverer({
  db,
  custody: createKeyCustody([Buffer.from(key, 'base64')]),
  outbound: createOutbound({ policy: SANDBOX_POLICY, timeoutMs: 500 }),
  metrics: createDeliveryMetrics(new Registry(), db),
  log: pino({ level: 'silent' }),
  concurrency: 8,
  pollMs: 10,
  leaseMs: 2_000,
}).start();
