// Random histories of customers, accounts, wallets, keys, cards, authorizations and statements: the short form of `npm run prove`.
import { test } from 'node:test';
import { model } from '../prove/model.js';
import { assertHolds, tableOf } from '../prove/report.js';
import { startTestService } from '../support/service.js';

/** A fixed seed, so that every change is tested with the same histories. `npm run prove` uses a new seed for every run. */
const SEED = process.env['PROVE_SEED'] ?? 'one clock';
const HISTORIES = 5;

test(`${HISTORIES} histories of 40 commands: every response, balance and event agrees with the model`, async (t) => {
  const service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off', LOG_LEVEL: 'error' });
  try {
    const outcomes = await model(service, { seed: SEED, histories: HISTORIES, commands: 40 });
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
  } finally {
    await service.stop();
  }
});
