// Isolation of platforms for every operation. An operation without a builder or an example fails this test.
import { test } from 'node:test';
import { startEnvironment } from '../prove/environment.js';
import { assertHolds, tableOf } from '../prove/report.js';
import { tenancy } from '../prove/tenancy.js';

test('every operation refuses missing and revoked credentials, missing permissions and other platforms', async (t) => {
  const environment = await startEnvironment(2, { ROLE: 'api' });
  try {
    const outcomes = await tenancy(environment);
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
  } finally {
    await environment.stop();
  }
});
