// Random histories of every domain beside their models: the short form of `npm run prove -- model`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS, model, unmodelled } from '../prove/model/model.js';
import { withOutside } from '../prove/model/outside.js';
import { assertHolds, tableOf } from '../prove/report.js';
import { startTestService } from '../support/service.js';

/** A fixed seed, so that every change is tested with the same histories. `npm run prove` uses a new seed for every run. */
const SEED = process.env['PROVE_SEED'] ?? 'one clock';
const HISTORIES = Object.keys(KINDS).length;

test(`${HISTORIES} histories of 40 commands: every response, balance and event agrees with the model`, async (t) => {
  await withOutside(async (settings) => {
    const service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off', LOG_LEVEL: 'error', ...settings });
    try {
      assert.deepEqual(unmodelled(service), [], 'every operation has a model');
      const outcomes = await model(service, { seed: SEED, histories: HISTORIES, commands: 40 });
      t.diagnostic(`\n${tableOf(outcomes)}`);
      // Some operations are reached only in the long form.
      assertHolds(outcomes.filter(({ isCoverage }) => !isCoverage));
    } finally {
      await service.stop();
    }
  });
});
