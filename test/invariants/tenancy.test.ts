// The wall between platforms, for every operation that is served; an operation without a builder or an example fails here.
import { test } from 'node:test';
import { startGround } from '../prove/ground.js';
import { assertHolds, tableOf } from '../prove/report.js';
import { tenancy } from '../prove/tenancy.js';

test('every operation × {no credential, revoked token, missing permission, other platform}', async (t) => {
  const ground = await startGround(2, { ROLE: 'api' });
  try {
    const outcomes = await tenancy(ground);
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
  } finally {
    await ground.stop();
  }
});
