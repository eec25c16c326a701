// Deposits as transactions: what each shows, what it tells, and how statements name it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, type Client, expectStatus } from '../../../support/client.js';
import { assertLedgerHolds } from '../../../support/ledger.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

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

/** A holder's own account, and a rule-based one that sweeps to it. */
async function ruleToOwn(): Promise<{ readonly own: Resource; readonly rule: Resource }> {
  const holder = await build.customer();
  const own = { ...(await build.account(holder, 'USD')), customerId: holder.id };
  const sweepRule = { destination: { accountId: own.id } };
  const body = { type: 'RULE_BASED', currency: 'USD', customerId: holder.id, sweepRule };
  return { own, rule: await expectStatus(201, platform.post('/internal-accounts', body)) };
}

test("a deposit on a rule-based account that is returned is taken from the holder's own account; a dishonor puts it back there", async () => {
  const { own, rule } = await ruleToOwn();
  await fund(rule, { amount: 400 });
  assert.equal(await build.balance(own), 400);
  const { id } = await latest(rule);
  const play = (event: string) => expectStatus(200, platform.post(`/sandbox/transactions/${id}/rail-event`, { event }));
  assert.deepEqual([(await play('RETURN')).status, await build.balance(own)], ['FAILED', 0]);
  assert.deepEqual([(await play('DISHONOR')).status, await build.balance(own)], ['COMPLETED', 400]);
  await assertLedgerHolds(service.db, await platformIdOf(service, platform));
});

test("a deposit that its rule did not sweep is returned by its bank all the same: it is taken from the holder's own account", async () => {
  const { own, rule } = await ruleToOwn();
  const unswept = async (): Promise<Resource> => {
    await fund(rule, { amount: 1_000_000_001 });
    return latest(rule);
  };
  const play = ({ id }: Resource, event: string) => expectStatus(200, platform.post(`/sandbox/transactions/${id}/rail-event`, { event }));
  const shown = async ({ status, failureReason, source }: Resource) => [
    ...[status, failureReason, source.railDetails.status],
    await build.balance(own),
  ];
  const deposit = await unswept();
  assert.deepEqual(await shown(deposit), ['FAILED', 'SWEEP_AMOUNT_OUT_OF_RANGE', 'SETTLED', 1_000_000_001]);
  assert.deepEqual(await shown(await play(deposit, 'RETURN')), ['FAILED', 'COLLECTION_FAILED', 'RETURNED', 0]);
  assert.deepEqual(await shown(await play(deposit, 'DISHONOR')), ['COMPLETED', undefined, 'RETURN_DISHONORED', 1_000_000_001]);
  assert.deepEqual(await shown(await play(deposit, 'CONTEST')), ['FAILED', 'COLLECTION_FAILED', 'RETURN_CONTESTED', 0]);
  assert.deepEqual(await eventsOf(service.db, deposit.id), ['FAILED', 'FAILED', 'COMPLETED', 'FAILED']);
  assert.deepEqual(await shown(await play(await unswept(), 'REVERSE')), ['FAILED', 'COLLECTION_FAILED', 'REVERSED', 0]);
  await assertLedgerHolds(service.db, await platformIdOf(service, platform));
});

describe('sweeps that are payments', () => {
  /** A rule-based account of a new customer, whose rule sends money to what `destinationOf` makes. */
  async function sweeping(destinationOf: (customer: Resource) => Promise<Resource>, rule: Record<string, unknown> = {}) {
    const customer = await build.customer();
    const own = { ...(await build.account(customer, 'USD')), customerId: customer.id };
    const destination = await destinationOf(customer);
    const account = await expectStatus(
      201,
      platform.post('/internal-accounts', {
        ...{ type: 'RULE_BASED', currency: 'USD', customerId: customer.id },
        sweepRule: { destination: { accountId: destination.id }, ...rule },
      }),
    );
    return { customer, own, destination, account };
  }
  const sent = async (own: Resource): Promise<Resource[]> =>
    (await expectStatus(200, platform.get(`/transactions?type=OUTGOING&senderAccountIdentifier=${own.id}`))).data;

  test("to an external account: an OUTGOING transaction of the holder's own account, priced and settled like a quote", async () => {
    const words = { purposeOfPayment: 'GIFT', description: 'to Berlin', remittanceInformation: 'Invoice 42' };
    const { own, destination, account } = await sweeping((customer) => build.eur(customer), words);
    assert.deepEqual([account.sweepRule.minimumAmount.amount, account.sweepRule.maximumAmount.amount], [100, 10_000_000]);
    await fund(account, { amount: 100_000 });
    await build.settle();
    const deposit = await latest(account);
    assert.deepEqual([deposit.status, deposit.ruleBasedAccountId, deposit.receivedAmount.amount], ['COMPLETED', account.id, 100_000]);
    const [payment, ...others] = await sent(own);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [payment.status, payment.ruleBasedAccountId, payment.sentAmount.amount, payment.receivedAmount.amount, payment.fees, payment.quoteId],
      ['COMPLETED', account.id, 100_000, 91_714, 310, undefined],
    );
    assert.deepEqual(
      [payment.destination.accountId, payment.description, payment.paymentRail],
      [destination.id, 'to Berlin', 'SEPA_INSTANT'],
    );
    assert.deepEqual(await eventsOf(service.db, payment.id), ['PENDING', 'PROCESSING', 'COMPLETED']);
    assert.equal(await build.balance(own), 0);
    await assertLedgerHolds(service.db, await platformIdOf(service, platform));
  });

  test('the receiver is told what rails carry of the text of the rule: at most 80 characters of printable ASCII', async () => {
    const { own, account } = await sweeping((customer) => build.usd(customer), {
      remittanceInformation: `Müller\nline two ${'x'.repeat(1_000)}`,
    });
    await fund(account, { amount: 50_000 });
    const [payment] = await sent(own);
    const { addenda, remittanceInformation, originatorToBeneficiaryInformation } = payment.destination.railDetails;
    assert.equal(addenda ?? remittanceInformation ?? originatorToBeneficiaryInformation, `Muller line two ${'x'.repeat(64)}`);
  });

  test('to an account in another currency it completes at once', async () => {
    await build.currencies('USD', 'EUR');
    const { own, destination, account } = await sweeping(async (customer) => ({
      ...(await build.account(customer, 'EUR')),
      customerId: customer.id,
    }));
    await fund(account, { amount: 100_000 });
    assert.deepEqual([await build.balance(own), await build.balance(destination)], [0, 91_714]);
    assert.deepEqual(
      (await sent(own)).map(({ status, ruleBasedAccountId }) => [status, ruleBasedAccountId]),
      [['COMPLETED', account.id]],
    );
    await assertLedgerHolds(service.db, await platformIdOf(service, platform));
  });

  test('to an external account of the platform, but not of another customer', async () => {
    const { own, account } = await sweeping(() => build.eur(undefined));
    await fund(account, { amount: 50_000 });
    await build.settle();
    assert.deepEqual(
      (await sent(own)).map(({ status }) => status),
      ['COMPLETED'],
    );
    const [holder, other] = [await build.customer(), await build.customer()];
    const rule = { sweepRule: { destination: { accountId: (await build.eur(other)).id } } };
    assertInvalid(
      await platform.post('/internal-accounts', { type: 'RULE_BASED', currency: 'USD', customerId: holder.id, ...rule }),
      'sweepRule.destination.accountId',
    );
  });

  test('003, 005 and 006 end like the payout of a quote, not like a transfer', async () => {
    const [long, returned, cancelled] = await Promise.all(
      ['003', '005', '006'].map((ending) => sweeping((customer) => build.eur(customer, ending))),
    );
    for (const each of [long, returned, cancelled]) await fund(each?.account, { amount: 50_000 });
    await build.settle();
    const statusOf = async (each: Resource) => {
      const [{ status, failureReason, refund }] = await sent(each.own);
      return [status, failureReason, refund?.status, refund?.reason];
    };
    assert.deepEqual(await statusOf(long), ['PROCESSING', undefined, undefined, undefined]);
    assert.deepEqual(await statusOf(returned), ['COMPLETED', undefined, undefined, undefined]);
    assert.deepEqual(await statusOf(cancelled), ['COMPLETED', undefined, 'COMPLETED', 'USER_CANCELLATION']);
    await platform.clock.advance(360_000);
    assert.deepEqual(await statusOf(long), ['COMPLETED', undefined, undefined, undefined]);
    assert.deepEqual(await statusOf(returned), ['FAILED', 'PAYOUT_RETURNED', 'COMPLETED', 'TRANSACTION_FAILED']);
  });

  test("a payout that fails is refunded to the holder's own account", async () => {
    const { own, account } = await sweeping((customer) => build.eur(customer, '004'));
    await fund(account, { amount: 50_000 });
    await build.settle();
    const [payment] = await sent(own);
    assert.deepEqual([payment.status, payment.failureReason, payment.refund.status], ['FAILED', 'ACCOUNT_CANNOT_RECEIVE', 'COMPLETED']);
    assert.equal(await build.balance(own), 50_000);
  });

  test('SWEEP_AMOUNT_OUT_OF_RANGE outside the band, SWEEP_QUOTE_FAILED where it cannot be priced: the money stays with the holder', async () => {
    const { own, account, destination } = await sweeping((each) => build.eur(each));
    await fund(account, { amount: 99 });
    assert.deepEqual([(await latest(account)).status, (await latest(account)).failureReason], ['FAILED', 'SWEEP_AMOUNT_OUT_OF_RANGE']);
    await expectStatus(204, platform.delete(`/customers/external-accounts/${destination.id}`));
    await fund(account, { amount: 1_000 });
    assert.deepEqual([(await latest(account)).status, (await latest(account)).failureReason], ['FAILED', 'SWEEP_QUOTE_FAILED']);
    assert.deepEqual(await sent(own), []);
    assert.equal(await build.balance(own), 1_099);
    await assertLedgerHolds(service.db, await platformIdOf(service, platform));
  });
});
