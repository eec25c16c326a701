// Many holds that end at one moment: whoever runs them out may stop in between, and nothing is lost or given back twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cardTransactionJobs } from '../../../src/domains/card-transactions/jobs.js';
import { plusMs } from '../../../src/kernel/time.js';
import { fundedCard, issuerOf, moneyOn } from '../../support/card-transactions.js';
import { expectStatus } from '../../support/client.js';
import { startTestService, type TestService } from '../../support/service.js';
import { platformIdOf } from '../../support/webhooks/platform.js';

const HOLDS = 130;
const HOLD_LIFE_MS = 7 * 86_400_000;

let service: TestService;
before(async () => {
  service = await startTestService({ ROLE: 'api', RATE_LIMIT_PER_MINUTE: 'off' });
});
after(() => service.stop());

test('no further batch is begun once it is over; what is left stays due', async () => {
  const { platform, db } = service;
  const { card, account } = await fundedCard(platform, HOLDS);
  const { ask } = issuerOf(platform, card);
  await Promise.all(Array.from({ length: HOLDS }, () => expectStatus(200, ask({ amount: 1 }))));
  assert.deepEqual(await moneyOn(db, account), { available: 0, total: HOLDS });

  const wallets = { authorize: () => assert.fail('no wallet is asked') };
  const jobs = cardTransactionJobs({ db, wallets, holdLifeMs: HOLD_LIFE_MS });
  const expiry = jobs.find(({ name }) => name === 'card-authorization-expiry');
  assert.ok(expiry);
  const platformId = await platformIdOf(service, platform);
  const afterAll = plusMs(await platform.clock.now(), HOLD_LIFE_MS);
  const first = await expiry.run(db, platformId, afterAll, () => true);
  assert.ok(first > 0 && first < HOLDS, `${first} of ${HOLDS}`);
  assert.deepEqual(await moneyOn(db, account), { available: first, total: HOLDS });

  const rest = await expiry.run(db, platformId, afterAll, () => false);
  assert.equal(first + rest, HOLDS);
  assert.deepEqual(await moneyOn(db, account), { available: HOLDS, total: HOLDS });
});
