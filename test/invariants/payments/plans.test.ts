// The statements of a quote and its execution find rows by key, also on tables without statistics: their cost does not grow with the
// payments of a platform.
import '../../support/own-process.js';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { expectStatus } from '../../support/client.js';
import { plansOfOneServer } from '../../support/database.js';
import { genericAccesses, watchStatements } from '../../support/plans.js';
import { quoting } from '../../support/quotes.js';
import { startOwnService, type TestService } from '../../support/service.js';

const sent = new Set<string>();
let service: TestService;
let client: pg.Client;
let restore = () => {};
before(async () => {
  if (plansOfOneServer()) return;
  restore = watchStatements((text) => sent.add(text));
  service = await startOwnService({ ROLE: 'api' });
  client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query(`set plan_cache_mode = 'force_generic_plan'`);
});
after(async () => {
  restore();
  await client?.end();
  await service?.stop();
});

/** All rows of the platform, or of everybody. */
const SCANS =
  /^Seq Scan of (payments|quotes|customers|internal_accounts|external_accounts|ledger_accounts)$|^(payments|quotes|customers|internal_accounts|external_accounts|ledger_accounts) by (nothing|platform_id)$/;

test('no statement of a quote and its execution reads all payments, customers or accounts of a platform', {
  skip: plansOfOneServer(),
}, async () => {
  const { platform } = service;
  const pay = quoting(platform);
  const customer = await pay.customer();
  const account = await pay.account(customer, 'USD');
  await pay.fund(account, 100_000);
  const destination = await pay.eur(customer);
  sent.clear();
  const quote = await expectStatus(200, platform.post('/quotes', pay.request(account, destination, 10_000)));
  await expectStatus(200, platform.post(`/quotes/${quote.id}/execute`));
  await expectStatus(200, platform.get(`/quotes/${quote.id}`));
  const texts = [...sent];
  for (const table of ['payments', 'quotes', 'customers', 'internal_accounts', 'ledger_accounts'])
    assert.ok(
      texts.some((text) => text.includes(table)),
      `no statement about ${table} was seen`,
    );
  for (const text of texts) {
    const scans = (await genericAccesses(client, text)).filter((access) => SCANS.test(access));
    assert.deepEqual(scans, [], text);
  }
});
