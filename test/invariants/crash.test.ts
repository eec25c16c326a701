// Crash safety, in the short form of `npm run prove`: 20 kills of the service, of PostgreSQL and of both.
import { test } from 'node:test';
import { crash } from '../prove/crash.js';
import { seedOf } from '../prove/random.js';
import { assertHolds, tableOf } from '../prove/report.js';

/** On a busy machine fewer kills are made, rather than everybody kept waiting. */
const LIMIT_MS = 60_000;

test('20 kills under load: acknowledged is there once, the rest is whole or absent', async (t) => {
  const outcomes = await crash({ seed: seedOf(), kills: 20, until: Date.now() + LIMIT_MS });
  t.diagnostic(`\n${tableOf(outcomes)}`);
  assertHolds(outcomes);
});
