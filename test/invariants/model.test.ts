// Random histories across customers, accounts, wallets, keys, cards, authorizations and statements, in the short form of `npm run prove`.
import { test } from 'node:test';
import { model } from '../prove/model.js';
import { assertHolds, tableOf } from '../prove/report.js';
import { startTestService } from '../support/service.js';

/** A change is judged by the same histories as the one before it; `npm run prove` draws new ones every time. */
const SEED = process.env['PROVE_SEED'] ?? 'one clock';
const HISTORIES = 5;

test(`${HISTORIES} histories of 40 commands: every answer, every balance, every event is the one a plain model gives`, async (t) => {
  const service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off', LOG_LEVEL: 'error' });
  try {
    const outcomes = await model(service, { seed: SEED, histories: HISTORIES, commands: 40 });
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
  } finally {
    await service.stop();
  }
});
