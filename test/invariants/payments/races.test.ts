// Concurrent requests on one quote, and a quote that expires at the moment it is executed.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { sql } from '../../../src/db/sql.js';
import { idOf } from '../../../src/kernel/ids.js';
import { expectStatus } from '../../support/client.js';
import { announce } from '../../support/incoming.js';
import { assertLedgerHolds } from '../../support/ledger.js';
import { eventsOf, quoting } from '../../support/quotes.js';
import { race } from '../../support/race.js';
import { startTestService, type TestService } from '../../support/service.js';

const CALLERS = 64;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

/** A platform of its own with a funded customer. */
async function world() {
  const platform = await service.newPlatform();
  const pay = quoting(platform);
  await pay.currencies('USD', 'EUR');
  const customer = await pay.customer();
  const account = { ...(await pay.fund(await pay.account(customer, 'USD'), 1_000_000)), customerId: customer.id };
  const row = await service.db.one<{ platform_id: string }>(
    sql`select platform_id from internal_accounts where id = ${account.id.split(':')[1]}`,
  );
  return { platform, pay, customer, account, platformId: idOf('Platform', row?.platform_id ?? '') };
}

race(`${CALLERS} executes of one quote: exactly one 200, one debit, the others 409`, async () => {
  const { platform, pay, customer, account, platformId } = await world();
  const quote = await pay.quote(pay.request(account, await pay.eur(customer), 10_000));
  const answers = await Promise.all(Array.from({ length: CALLERS }, () => platform.post(`/quotes/${quote.id}/execute`)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array.from({ length: CALLERS - 1 }, () => 409)]);
  assert.equal(await pay.balance(account), 990_000);
  await pay.settle();
  assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING', 'PROCESSING', 'COMPLETED']);
  await assertLedgerHolds(service.db, platformId);
});

race('executing more quotes than the balance covers: as many succeed as it covers, and the balance never falls below zero', async () => {
  const { platform, pay, customer, account, platformId } = await world();
  const destination = await pay.eur(customer);
  const quotes = await Promise.all(Array.from({ length: 16 }, () => pay.quote(pay.request(account, destination, 100_000))));
  const answers = await Promise.all(quotes.map((quote) => platform.post(`/quotes/${quote.id}/execute`)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  assert.ok(answers.every(({ status, body }) => status === 200 || body.code === 'INSUFFICIENT_FUNDS'));
  assert.equal(await pay.balance(account), 0);
  await assertLedgerHolds(service.db, platformId);
});

race('a quote that expires while it is executed is either executed or expired, never both', async () => {
  const { platform, pay, customer, account, platformId } = await world();
  await platform.clock.freeze('2026-05-05T10:00:00.000Z');
  const destination = await pay.eur(customer);
  const quotes = await Promise.all(Array.from({ length: 8 }, () => pay.quote(pay.request(account, destination, 10_000))));
  await platform.clock.advance(299_999);
  const [, ...answers] = await Promise.all([
    platform.clock.advance(1),
    ...quotes.flatMap((quote) => [0, 1].map(() => platform.post(`/quotes/${quote.id}/execute`).then((answer) => ({ quote, answer })))),
  ]);
  await pay.settle();
  let executed = 0;
  for (const quote of quotes) {
    const wins = answers.filter((each) => each.quote.id === quote.id && each.answer.status === 200).length;
    const { status } = await pay.transaction(quote);
    const events = await eventsOf(service.db, quote.transactionId);
    assert.deepEqual(events, wins === 1 ? ['PENDING', 'PROCESSING', 'COMPLETED'] : ['PENDING', 'EXPIRED']);
    assert.equal(status, wins === 1 ? 'COMPLETED' : 'EXPIRED');
    executed += wins;
  }
  assert.equal(await pay.balance(account), 1_000_000 - 10_000 * executed);
  await assertLedgerHolds(service.db, platformId);
});

race('a payout that settles while it is cancelled is either delivered or refunded, never both', async () => {
  const { platform, pay, customer, account, platformId } = await world();
  await platform.clock.freeze('2026-05-05T10:00:00.000Z');
  const bank = await pay.usd(customer, '003');
  const quotes = await Promise.all(
    Array.from({ length: 8 }, () => pay.quote(pay.request(account, bank, 10_000, { immediatelyExecute: true }))),
  );
  await platform.clock.advance(359_999);
  const [, ...answers] = await Promise.all([
    platform.clock.advance(1),
    ...quotes.flatMap((quote) =>
      [0, 1].map(() => platform.post(`/transactions/${quote.transactionId}/cancel`).then((answer) => ({ quote, answer }))),
    ),
  ]);
  await pay.settle();
  let cancelled = 0;
  for (const quote of quotes) {
    const wins = answers.filter((each) => each.quote.id === quote.id && each.answer.status === 200).length;
    assert.ok(wins <= 1);
    const { status, refund, settledAt } = await pay.transaction(quote);
    assert.deepEqual([status, refund?.status, settledAt === undefined], ['COMPLETED', wins === 1 ? 'COMPLETED' : undefined, wins === 1]);
    cancelled += wins;
  }
  assert.equal(await pay.balance(account), 1_000_000 - 10_000 * (quotes.length - cancelled));
  await assertLedgerHolds(service.db, platformId);
});

race(
  'approve, reject and the end of the time to decide at the same instant: one counts, and the money is credited at most once',
  async () => {
    const { platform, pay, account, platformId } = await world();
    await platform.clock.freeze('2026-05-05T10:00:00.000Z');
    const ids = await Promise.all(Array.from({ length: 8 }, () => announce(service, platform, account)));
    await platform.clock.advance(9_999);
    const [, ...answers] = await Promise.all([
      platform.clock.advance(1),
      ...ids.flatMap((id) =>
        ['approve', 'reject', 'approve', 'reject'].map((path) =>
          platform.post(`/transactions/${id}/${path}`).then((answer) => ({ id, path, answer })),
        ),
      ),
    ]);
    await pay.settle();
    let credited = 0;
    for (const id of ids) {
      const wins = answers.filter((each) => each.id === id && each.answer.status === 200);
      assert.ok(wins.length <= 1);
      const { status } = await expectStatus(200, platform.get(`/transactions/${id}`));
      const expected = wins[0] === undefined ? 'FAILED' : wins[0].path === 'approve' ? 'COMPLETED' : 'REJECTED';
      assert.equal(status, expected);
      if (expected === 'COMPLETED') credited += 2_500;
    }
    assert.equal(await pay.balance(account), 1_000_000 + credited);
    await assertLedgerHolds(service.db, platformId);
  },
);

race('simultaneous executions never pass the daily limit together', async () => {
  const { platform, pay, customer, account } = await world();
  await pay.fund(account, 200_000_000);
  const destination = await pay.eur(customer);
  const quotes = await Promise.all(Array.from({ length: 14 }, () => pay.quote(pay.request(account, destination, 9_000_000))));
  const answers = await Promise.all(quotes.map((quote) => platform.post(`/quotes/${quote.id}/execute`)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 11);
  assert.equal(answers.filter(({ status, body }) => status === 429 && body.code === 'DAILY_VOLUME_LIMIT_EXCEEDED').length, 3);

  // 1,000,000 are left: twenty of these and no more, whatever parts of the volume they are counted in.
  const small = await Promise.all(Array.from({ length: 64 }, () => pay.quote(pay.request(account, destination, 50_000))));
  const again = await Promise.all(small.map((quote) => platform.post(`/quotes/${quote.id}/execute`)));
  assert.deepEqual([again.filter(({ status }) => status === 200).length, again.filter(({ status }) => status === 429).length], [20, 44]);
});

race('a statement under concurrent payments: every movement once, with its transaction, and opening plus changes is closing', async () => {
  const { platform, pay, customer, account } = await world();
  await platform.clock.freeze();
  await platform.clock.advance(1_000);
  const start = await platform.clock.now();
  const endings = ['999', '002', '004', '006', '007', '005', '999', '002'];
  const quotes = await Promise.all(
    endings.map(async (ending, i) => pay.quote(pay.request(account, await pay.eur(customer, ending), 1_000 + i))),
  );
  const bank = await pay.usd(customer);
  await Promise.all([
    ...quotes.map((quote) => pay.execute(quote)),
    ...[501, 502, 503].map((amount) => pay.fund(account, amount)),
    ...[601, 602, 603].map((amount) =>
      expectStatus(200, platform.post('/transfer-in', { source: { accountId: bank.id }, destination: { accountId: account.id }, amount })),
    ),
  ]);
  await platform.clock.advance(31_000);
  const query = `startDate=${start.toISOString()}&endDate=${(await platform.clock.now()).toISOString()}`;
  const { data, openingBalance, closingBalance } = await expectStatus(
    200,
    platform.get(`/internal-accounts/${account.id}/balance-changes?${query}`),
  );
  const sum = data.reduce((total: number, { amount }: { amount: { amount: number } }) => total + amount.amount, 0);
  assert.equal(openingBalance.amount + sum, closingBalance.amount);
  assert.equal(closingBalance.amount, await pay.balance(account));
  for (const [i, quote] of quotes.entries()) {
    const rows = data
      .filter(({ transactionId }: { transactionId: string }) => transactionId === quote.transactionId)
      .map(({ amount }: { amount: { amount: number } }) => amount.amount);
    const isRefunded = ['002', '004', '006', '005'].includes(endings[i] ?? '');
    assert.deepEqual(rows, isRefunded ? [-(1_000 + i), 1_000 + i] : [-(1_000 + i)], `ending ${endings[i]}`);
  }
  const { data: listed } = await expectStatus(200, platform.get(`/transactions?accountIdentifier=${account.id}&limit=100`));
  const arrived = listed.filter(
    ({ type, createdAt }: { type: string; createdAt: string }) => type === 'INCOMING' && createdAt >= start.toISOString(),
  );
  assert.equal(arrived.length, 6);
  for (const { id, receivedAmount } of arrived)
    assert.deepEqual(
      data
        .filter(({ transactionId }: { transactionId: string }) => transactionId === id)
        .map(({ amount }: { amount: { amount: number } }) => amount.amount),
      [receivedAmount.amount],
    );
  const named = new Set([...quotes.map(({ transactionId }) => transactionId), ...arrived.map(({ id }: { id: string }) => id)]);
  assert.ok(data.every(({ transactionId }: { transactionId: string }) => named.has(transactionId)));
});
