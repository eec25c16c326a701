// "410 stops the endpoint": only requests in progress are sent, and the other events wait.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardEvent, setEndpoint, tell } from '../../../support/webhooks/platform.js';
import { startReceiver } from '../../../support/webhooks/receiver.js';
import { workerOn } from '../../../support/webhooks/worker.js';

const AT_ONCE = 2;
const EVENTS = 60;
const key = randomBytes(32);

let service: TestService;
before(async () => {
  // Without its own worker: only the worker below delivers.
  service = await startTestService({ ROLE: 'api', KEY_ENCRYPTION_KEY: key.toString('base64') });
});
after(() => service.stop());

test('of many waiting objects only the requests in progress are sent', async () => {
  const { platform, db } = service;
  const receiver = await startReceiver({ reply: () => 410 });
  const deliverer = workerOn(db, key, { concurrency: AT_ONCE });
  try {
    await setEndpoint(platform, receiver.url);
    await tell(service, platform, ...Array.from({ length: EVENTS }, () => cardEvent()));
    deliverer.start();
    while (!(await db.one(sql`select 1 from webhook_stops`))) await new Promise(setImmediate);
    await deliverer.stop();

    assert.ok(receiver.received.length <= AT_ONCE, `${receiver.received.length} requests`);
    const queued = await db.many<{ status: string; free: boolean; count: bigint }>(
      sql`select status, leased_until is null as free, count(*) as count from webhook_deliveries group by 1, 2 order by 1`,
    );
    assert.deepEqual(queued, [
      { status: 'FAILED', free: true, count: BigInt(receiver.received.length) },
      { status: 'PENDING', free: true, count: BigInt(EVENTS + 1 - receiver.received.length) },
    ]);
  } finally {
    await receiver.close();
  }
});
