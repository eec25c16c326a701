// "410 stops the endpoint": only requests in progress are sent, and the other events wait.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { expectStatus } from '../../../support/client.js';
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
    const countOf = async (status: string) =>
      (await expectStatus(200, platform.get(`/webhooks/events?deliveryStatus=${status}&limit=1`))).totalCount;
    assert.equal(await countOf('FAILED'), receiver.received.length);
    assert.equal(await countOf('PENDING'), EVENTS + 1 - receiver.received.length);
    const leased = sql`
      select 1 from webhook_deliveries where leased_until is not null union all select 1 from webhook_cursors where leased_until is not null`;
    assert.deepEqual(await db.many(leased), [], 'nothing is leased any more');
  } finally {
    await receiver.close();
  }
});
