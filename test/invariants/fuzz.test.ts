// Hostile input, in the short form of `npm run prove`: 20,000 requests made from the served document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from '../prove/fuzz.js';
import { startEnvironment } from '../prove/environment.js';
import { assertHolds, tableOf } from '../prove/report.js';

const REQUESTS = 20_000;
/** A change is judged by the same requests as the one before it; `npm run prove` draws new ones every time. */
const SEED = process.env['PROVE_SEED'] ?? 'cd2pscv6';

test('20,000 requests, right and wrong: no error of ours, nothing undocumented, nothing broken let through', async (t) => {
  const environment = await startEnvironment(4, { LOG_LEVEL: 'error' });
  try {
    const outcomes = await fuzz(environment, { seed: SEED, requests: REQUESTS });
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
    const asked = Math.min(...outcomes.filter(({ goal }) => /an error of ours|its budget/.test(goal)).map(({ trials }) => trials));
    assert.ok(asked >= REQUESTS, `${asked} requests were made`);
  } finally {
    await environment.stop();
  }
});
