// Crash safety, in the short form of `npm run prove`: kills of the service, of PostgreSQL and of both, under load and while migrating.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crash } from '../prove/crash.js';
import { migrating } from '../prove/migrating.js';
import { seedOf } from '../prove/random.js';
import { assertHolds, tableOf } from '../prove/report.js';

/** One of the service, one of PostgreSQL, one of both; `npm run prove` kills 300 times under load and 30 times while migrating. */
const KILLS = 3;
const KILLS_WHILE_MIGRATING = 2;

test(`${KILLS} kills under load: acknowledged is there once, the rest is whole or absent`, async (t) => {
  const outcomes = await crash({ seed: seedOf(), kills: KILLS });
  t.diagnostic(`\n${tableOf(outcomes)}`);
  assertHolds(outcomes);
  assert.equal(outcomes[0]?.trials, KILLS);
});

test('killed while migrating: every migration is whole or absent, and the next start applies the rest; four that start at once make one schema', async (t) => {
  const outcomes = await migrating({ seed: seedOf(), kills: KILLS_WHILE_MIGRATING, until: Number.POSITIVE_INFINITY });
  t.diagnostic(`\n${tableOf(outcomes)}`);
  assertHolds(outcomes);
});
