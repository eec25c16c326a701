// Crash safety, the short form of `npm run prove`: the service, PostgreSQL or both are killed, under load and during migrations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crash } from '../prove/crash.js';
import { crashOperations } from '../prove/crash-operations.js';
import { migrating } from '../prove/migrating.js';
import { testSeed } from '../prove/random.js';
import { assertHolds, tableOf } from '../prove/report.js';

/** One of the service, one of PostgreSQL, one of both; `npm run prove` kills 300 times under load and 30 times while migrating. */
const KILLS = 3;
const KILLS_WHILE_MIGRATING = 1;

test(`${KILLS} kills under load: acknowledged changes exist once, other changes are complete or absent`, async (t) => {
  const outcomes = await crash({ seed: testSeed(), kills: KILLS });
  t.diagnostic(`\n${tableOf(outcomes)}`);
  assertHolds(outcomes);
  assert.equal(outcomes[0]?.trials, KILLS);
});

test('kills during operations: the changes of each are complete or absent, and its repeat has the effect of one', async (t) => {
  const outcomes = await crashOperations({ seed: testSeed(), perKind: 0 });
  t.diagnostic(`\n${tableOf(outcomes)}`);
  assertHolds(outcomes);
});

test('kills during migrations: every migration is complete or absent, the next start applies the rest, and two concurrent starts make one schema', async (t) => {
  const outcomes = await migrating({ seed: testSeed(), kills: KILLS_WHILE_MIGRATING, together: 2, until: Number.POSITIVE_INFINITY });
  t.diagnostic(`\n${tableOf(outcomes)}`);
  assertHolds(outcomes);
});
