// Fuzzing, the short form of `npm run prove`: requests of every kind for every operation, generated from the served document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEnvironment } from '../prove/environment.js';
import { FIXED_SEED, fuzz } from '../prove/fuzz.js';
import { assertHolds, tableOf } from '../prove/report.js';

const REQUESTS = 2_500;
/** A fixed seed, so that every change is tested with the same requests. `npm run prove` sends 20,000 with this seed, and more with a new seed. */
const SEED = process.env['PROVE_SEED'] ?? FIXED_SEED;

test('2,500 valid and invalid requests: no server error, no undocumented response, no invalid request accepted', async (t) => {
  const environment = await startEnvironment(4, { LOG_LEVEL: 'error' });
  try {
    const outcomes = await fuzz(environment, { seed: SEED, requests: REQUESTS, evenly: true });
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
    const sent = Math.min(...outcomes.filter(({ goal }) => /is a server error|its time budget/.test(goal)).map(({ trials }) => trials));
    assert.ok(sent >= REQUESTS, `${sent} requests were sent`);
  } finally {
    await environment.stop();
  }
});
