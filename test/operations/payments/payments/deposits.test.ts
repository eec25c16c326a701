// Deposits as transactions: what each shows, what it tells, and how statements name it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, expectStatus } from '../../../support/client.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
let build: ReturnType<typeof quoting>;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  build = quoting(platform);
  await platform.clock.freeze();
});
after(() => service.stop());

const fund = (account: Resource, body: Record<string, unknown>) =>
  expectStatus(200, platform.post(`/sandbox/internal-accounts/${account.id}/fund`, body));
const latest = async (account: Resource): Promise<Resource> =>
  (await expectStatus(200, platform.get(`/transactions?receiverAccountIdentifier=${account.id}&limit=1`))).data[0];

test('a deposit in US dollars is a completed INCOMING transaction that came over ACH', async () => {
  const account = await build.fundedAccount('USD', 0);
  await fund(account, { amount: 2_500, description: 'rent', remittanceInformation: 'MAY' });
  const deposit = await latest(account);
  const now = (await platform.clock.now()).toISOString();
  const { railDetails, ...source } = deposit.source;
  assert.deepEqual(source, { sourceType: 'REALTIME_FUNDING', customerId: account.customerId, currency: 'USD' });
  assert.deepEqual(
    [railDetails.paymentRail, railDetails.status, railDetails.addenda, railDetails.settledAt],
    ['ACH', 'SETTLED', 'MAY', now],
  );
  assert.match(railDetails.traceNumber, /^\d{15}$/);
  assert.deepEqual(
    [deposit.type, deposit.direction, deposit.status, deposit.receivedAmount.amount, deposit.description, deposit.fees, deposit.settledAt],
    ['INCOMING', 'CREDIT', 'COMPLETED', 2_500, 'rent', 0, now],
  );
  assert.deepEqual(deposit.destination, { destinationType: 'ACCOUNT', accountId: account.id, currency: 'USD' });
  assert.deepEqual(await eventsOf(service.db, deposit.id), ['COMPLETED']);
});

test('a deposit on a chain shows its transaction there', async () => {
  const account = await build.fundedAccount('USDB', 700);
  const { source } = await latest(account);
  assert.deepEqual([source.railDetails.paymentRail, source.railDetails.network], ['ONCHAIN', 'SPARK']);
  assert.deepEqual(source.onChainTransaction, { transactionHash: source.railDetails.transactionHash, network: 'SPARK' });
});

test('the row of the statement names the transaction', async () => {
  const account = await build.fundedAccount('USD', 0);
  const startDate = (await platform.clock.now()).toISOString();
  await fund(account, { amount: 900 });
  await platform.clock.advance(1_000);
  const query = `startDate=${startDate}&endDate=${(await platform.clock.now()).toISOString()}`;
  const { data } = await expectStatus(200, platform.get(`/internal-accounts/${account.id}/balance-changes?${query}`));
  assert.deepEqual(
    data.map(({ amount, transactionId }: Resource) => [amount.amount, transactionId]),
    [[900, (await latest(account)).id]],
  );
});

test('a refused deposit makes no transaction', async () => {
  const account = await build.fundedAccount('USD', 0);
  for (const body of [{ amount: 0 }, { amount: -1 }, {}])
    assert.equal((await platform.post(`/sandbox/internal-accounts/${account.id}/fund`, body)).status, 400);
  assert.equal(await latest(account), undefined);
});

test('a rule-based account: one transaction that names it; out of its band the sweep has failed and the money stays with the holder', async () => {
  const holder = await build.customer();
  const own = { ...(await build.account(holder, 'USD')), customerId: holder.id };
  const destination = await build.fundedAccount('USD', 0);
  const rule = await expectStatus(
    201,
    platform.post('/internal-accounts', {
      type: 'RULE_BASED',
      currency: 'USD',
      customerId: holder.id,
      sweepRule: { destination: { accountId: destination.id }, description: 'savings' },
    }),
  );
  await fund(rule, { amount: 400 });
  const swept = await latest(rule);
  assert.deepEqual([swept.status, swept.ruleBasedAccountId, swept.description], ['COMPLETED', rule.id, 'savings']);
  assert.equal(await build.balance(destination), 400);
  await fund(rule, { amount: 1_000_000_001 });
  const unswept = await latest(rule);
  assert.deepEqual([unswept.status, unswept.failureReason], ['FAILED', 'SWEEP_AMOUNT_OUT_OF_RANGE']);
  assert.equal(await build.balance(own), 1_000_000_001);
  assert.deepEqual(await eventsOf(service.db, unswept.id), ['FAILED']);
});
