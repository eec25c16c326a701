// A worker that only delivers, in a process that a test can kill: `node worker-process.js DATABASE_URL KEY`.
import { openDb } from '../../../src/db/pool.js';
import { createOutbound, SANDBOX_POLICY } from '../../../src/domains/core/webhooks/outbound.js';
import { workerOn } from './worker.js';

const [, , url = '', key = ''] = process.argv;
workerOn(openDb({ url, poolSize: 4 }), Buffer.from(key, 'base64'), {
  outbound: createOutbound({ policy: SANDBOX_POLICY, timeoutMs: 500 }),
  concurrency: 8,
  leaseMs: 2_000,
}).start();
