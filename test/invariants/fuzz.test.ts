// Hostile input, in the short form of `npm run prove`: requests made from the served document, of every kind for every operation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED, fuzz } from '../prove/fuzz.js';
import { startGround } from '../prove/ground.js';
import { assertHolds, tableOf } from '../prove/report.js';

const REQUESTS = 3_000;
/** A change is judged by the same requests as the one before it; `npm run prove` makes 20,000 with this seed, and new ones every time. */
const SEED = process.env['PROVE_SEED'] ?? FIXED_SEED;

test('3,000 requests, right and wrong: no error of ours, nothing undocumented, nothing broken let through', async (t) => {
  const ground = await startGround(4, { LOG_LEVEL: 'error' });
  try {
    const outcomes = await fuzz(ground, { seed: SEED, requests: REQUESTS, evenly: true });
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
    const asked = Math.min(...outcomes.filter(({ goal }) => /an error of ours|its budget/.test(goal)).map(({ trials }) => trials));
    assert.ok(asked >= REQUESTS, `${asked} requests were made`);
  } finally {
    await ground.stop();
  }
});
