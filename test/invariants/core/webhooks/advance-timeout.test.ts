// An advance of the clock waits for due webhooks up to a timeout. The worker sends the rest.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { cardEvent, platformIdOf, setEndpoint, tell } from '../../../support/webhooks/platform.js';
import { startReceiver } from '../../../support/webhooks/receiver.js';
import { workerOn } from '../../../support/webhooks/worker.js';

const AT_ONCE = 2;
const EVENTS = 20;
const key = randomBytes(32);

let service: TestService;
before(async () => {
  // Without its own worker: only the worker below delivers.
  service = await startTestService({ ROLE: 'api', KEY_ENCRYPTION_KEY: key.toString('base64') });
});
after(() => service.stop());

test('after the timeout the clock reaches its target, and no event is lost or sent twice', async () => {
  const { platform, db } = service;
  const receiver = await startReceiver();
  const worker = workerOn(db, key, { concurrency: AT_ONCE });
  try {
    await setEndpoint(platform, receiver.url);
    await tell(service, platform, ...Array.from({ length: EVENTS }, () => cardEvent()));
    const sent = await worker.job.run(db, await platformIdOf(service, platform), await platform.clock.now(), () => true);
    assert.equal(sent, AT_ONCE);
    assert.equal(receiver.received.length, AT_ONCE);

    worker.start();
    const isWaiting = sql`
      select 1 from webhook_deliveries where status = 'PENDING' union all select 1 from webhook_inbox
      union all select 1 from webhook_cursors where settled < last_position`;
    while (await db.one(isWaiting)) await new Promise(setImmediate);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, EVENTS + 1, 'the TEST of the endpoint, too');
    assert.equal(receiver.received.length, EVENTS + 1);
  } finally {
    await worker.stop();
    await receiver.close();
  }
});
