// The wall between platforms, for every operation that is served; an operation without a builder or an example fails here.
import { test } from 'node:test';
import { startEnvironment } from '../prove/environment.js';
import { assertHolds, tableOf } from '../prove/report.js';
import { tenancy } from '../prove/tenancy.js';

test('every operation × {no credential, revoked token, missing permission, other platform}', async (t) => {
  const environment = await startEnvironment(2, { ROLE: 'api' });
  try {
    const outcomes = await tenancy(environment);
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
  } finally {
    await environment.stop();
  }
});
