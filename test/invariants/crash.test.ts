// Crash safety, in the short form of `npm run prove`: kills of the service, of PostgreSQL and of both, under load and while migrating.
import { test } from 'node:test';
import { crash } from '../prove/crash.js';
import { migrating } from '../prove/migrating.js';
import { seedOf } from '../prove/random.js';
import { assertHolds, tableOf } from '../prove/report.js';

/** On a busy machine fewer kills are made, rather than everybody kept waiting. */
const LIMIT_MS = 60_000;

test('20 kills under load: acknowledged is there once, the rest is whole or absent', async (t) => {
  const outcomes = await crash({ seed: seedOf(), kills: 20, until: Date.now() + LIMIT_MS });
  t.diagnostic(`\n${tableOf(outcomes)}`);
  assertHolds(outcomes);
});

test('killed while migrating: the old schema or the new one, and the next start finishes; four that start at once make one', async (t) => {
  const outcomes = await migrating({ seed: seedOf(), kills: 4, until: Date.now() + LIMIT_MS });
  t.diagnostic(`\n${tableOf(outcomes)}`);
  assertHolds(outcomes);
});
