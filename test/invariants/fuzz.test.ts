// Fuzzing, the short form of `npm run prove`: 20,000 requests generated from the served document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEnvironment } from '../prove/environment.js';
import { fuzz } from '../prove/fuzz.js';
import { assertHolds, tableOf } from '../prove/report.js';

const REQUESTS = 20_000;
/** A fixed seed, so that every change is tested with the same requests. `npm run prove` uses a new seed for every run. */
const SEED = process.env['PROVE_SEED'] ?? 'cd2pscv6';

test('20,000 valid and invalid requests: no server error, no undocumented response, no invalid request accepted', async (t) => {
  const environment = await startEnvironment(4, { LOG_LEVEL: 'error' });
  try {
    const outcomes = await fuzz(environment, { seed: SEED, requests: REQUESTS });
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
    const sent = Math.min(...outcomes.filter(({ goal }) => /is a server error|its time budget/.test(goal)).map(({ trials }) => trials));
    assert.ok(sent >= REQUESTS, `${sent} requests were sent`);
  } finally {
    await environment.stop();
  }
});
