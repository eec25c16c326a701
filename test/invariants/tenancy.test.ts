// Isolation of platforms for every operation. An operation without a builder or an example fails this test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.js';
import { startEnvironment } from '../prove/environment.js';
import { assertHolds, tableOf } from '../prove/report.js';
import { tenancy } from '../prove/tenancy.js';

test('every operation refuses missing and revoked credentials, missing permissions and other platforms', async (t) => {
  const environment = await startEnvironment(2, { ROLE: 'api' });
  try {
    const outcomes = await tenancy(environment);
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
    const uncaused = await environment.service.db.many(
      sql`select distinct type from webhook_events where request_id is null and job is null`,
    );
    assert.deepEqual(uncaused, [], 'every operation was called, and every event that followed names its request or its job');
  } finally {
    await environment.stop();
  }
});
