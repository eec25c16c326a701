// Random steps over every domain that moves money: the short form of `npm run prove -- money`.
import { test } from 'node:test';
import { money } from '../prove/money.js';
import { testSeed } from '../prove/random.js';
import { assertHolds, tableOf } from '../prove/report.js';
import { startTestService } from '../support/service.js';

const STEPS = 400;

test(`${STEPS} random steps of funds, quotes, cards, disputes, returns, mints and sweeps: every currency sums to zero after each`, async (t) => {
  // Without a worker due work happens only when the clock is moved.
  const service = await startTestService({ RATE_LIMIT_PER_MINUTE: 'off', LOG_LEVEL: 'error', ROLE: 'api' });
  try {
    const outcomes = await money(service, { seed: testSeed(), steps: STEPS });
    t.diagnostic(`\n${tableOf(outcomes)}`);
    assertHolds(outcomes);
  } finally {
    await service.stop();
  }
});
