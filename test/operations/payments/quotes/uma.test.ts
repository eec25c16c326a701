// Quotes to UMA addresses at the sandbox's counterparty: what they need, what they become, and every outcome.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { idOf } from '../../../../src/kernel/ids.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { assertLedgerHolds } from '../../../support/ledger.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { at, givenLookup, umaRequest } from '../../../support/uma.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
let pay: ReturnType<typeof quoting>;
let customer: Resource;
let usd: Resource;
before(async () => {
  service = await startTestService();
  pay = quoting(service.platform);
  await pay.currencies('USD', 'EUR', 'MXN');
  customer = await pay.customer({ birthDate: '1990-12-09' });
  usd = { ...(await pay.fund(await pay.account(customer, 'USD'), 100_000_000)), customerId: customer.id };
});
after(() => service.stop());

const lookUp = (name: string) => givenLookup(service.platform, at(name), { customerId: customer.id });
const post = (body: unknown): Promise<Answer> => service.platform.post('/quotes', body);
const counts = async () =>
  (await service.db.one<{ payments: bigint; payouts: bigint }>(sql`
    select (select count(*) from payments) as payments, (select count(*) from uma_payouts) as payouts`)) ?? {};

async function refused(body: unknown, status: number, code: Parameters<typeof assertRefused>[2]): Promise<Answer> {
  const before = await counts();
  const answer = await post(body);
  assertRefused(answer, status, code);
  assert.deepEqual(await counts(), before);
  return answer;
}

describe('200', () => {
  test('priced like a payment to an account, without a rail, and agreed with the provider of the receiver', async () => {
    const lookup = await lookUp('success.eur');
    const quote = await pay.quote(umaRequest(usd, lookup, 100_000));
    assert.deepEqual(
      [quote.status, quote.totalSendingAmount, quote.totalReceivingAmount, quote.feesIncluded, quote.receivingCurrency.code],
      ['PENDING', 100_000, 91_714, 310, 'EUR'],
    );
    assert.deepEqual(quote.destination, { destinationType: 'UMA_ADDRESS', umaAddress: at('success.eur'), currency: 'EUR' });
    assert.equal(quote.rateDetails.counterpartyFixedFee, 0);
    const transaction = await pay.transaction(quote);
    assert.deepEqual(transaction.destination, { destinationType: 'UMA_ADDRESS', umaAddress: at('success.eur'), currency: 'EUR' });
    assert.equal(transaction.paymentRail, null);
    const payout = await service.db.one<Resource>(
      sql`select sender, receiver, amount, currency from uma_payouts where payment_id = ${quote.transactionId.split(':')[1]}`,
    );
    assert.deepEqual({ ...payout }, { sender: customer.umaAddress, receiver: at('success.eur'), amount: 91_714n, currency: 'EUR' });
    assert.deepEqual(await pay.getQuote(quote), quote);
  });

  test('RECEIVING locks what the receiver gets', async () => {
    const quote = await pay.quote(umaRequest(usd, await lookUp('success.eur'), 91_540, { lockedCurrencySide: 'RECEIVING' }));
    assert.deepEqual([quote.totalSendingAmount, quote.totalReceivingAmount], [99_809, 91_540]);
  });

  test('one look-up serves any number of quotes, for an hour of the clock', async () => {
    const own = await service.newPlatform();
    const build = quoting(own);
    const source = await build.platformAccount('USD');
    await own.clock.freeze();
    const lookup = await givenLookup(own, at('success.usd'));
    for (let i = 0; i < 2; i += 1) await build.quote(umaRequest(source, lookup, 1_000));
    await own.clock.advance(3_599_999);
    await build.quote(umaRequest(source, lookup, 1_000));
    await own.clock.advance(1);
    assertRefused(await own.post('/quotes', umaRequest(source, lookup, 1_000)), 404, 'LOOKUP_REQUEST_NOT_FOUND');
  });

  test('payer data: what the caller gives, else what the record of the customer says', async () => {
    const unknown = await pay.customer();
    const source = await pay.account(unknown, 'USD');
    const lookup = await givenLookup(service.platform, at('success.eur'), { customerId: unknown.id });
    const missing = await refused(umaRequest(source, lookup, 10_000), 400, 'MISSING_MANDATORY_USER_INFO');
    assert.deepEqual(missing.body.details, { missingFields: ['BIRTH_DATE'] });
    await pay.quote(umaRequest(source, lookup, 10_000, { senderCustomerInfo: { BIRTH_DATE: '1985-06-15' } }));
  });
});

describe('400', () => {
  test('INVALID_UMA_ADDRESS', async () => {
    const body = umaRequest(usd, await lookUp('success.usd'), 1_000);
    await refused({ ...body, destination: { ...body.destination, umaAddress: 'nobody' } }, 400, 'INVALID_UMA_ADDRESS');
  });

  test('INVALID_INPUT: without a look-up', async () => {
    const { lookupId: _, ...body } = umaRequest(usd, await lookUp('success.usd'), 1_000);
    assertInvalid(await refused(body, 400, 'INVALID_INPUT'), 'lookupId');
  });

  test('INVALID_CURRENCY: one that the receiver does not take', async () => {
    const body = umaRequest(usd, await lookUp('success.eur'), 1_000);
    for (const currency of ['USD', 'XXX'])
      await refused({ ...body, destination: { ...body.destination, currency } }, 400, 'INVALID_CURRENCY');
  });

  test("SELF_PAYMENT: the sender's own address", async () => {
    const lookup = await givenLookup(service.platform, customer.umaAddress, { customerId: customer.id });
    await refused(umaRequest(usd, lookup, 1_000), 400, 'SELF_PAYMENT');
  });

  test('AMOUNT_OUT_OF_RANGE and TRANSACTION_SIZE_LIMIT_EXCEEDED: the band of the corridor', async () => {
    const lookup = await lookUp('success.usd');
    await pay.quote(umaRequest(usd, lookup, 100));
    await refused(umaRequest(usd, lookup, 99), 400, 'AMOUNT_OUT_OF_RANGE');
    await pay.quote(umaRequest(usd, lookup, 10_000_000));
    await refused(umaRequest(usd, lookup, 10_000_001), 400, 'TRANSACTION_SIZE_LIMIT_EXCEEDED');
  });
});

describe('404 LOOKUP_REQUEST_NOT_FOUND', () => {
  test('an unknown look-up, one of another receiver, and one of another platform, with the same bytes', async () => {
    const lookup = await lookUp('success.usd');
    const other = await lookUp('success.eur');
    const foreign = await givenLookup(await service.newPlatform(), at('success.usd'));
    const answers = await Promise.all(
      [other.lookupId, foreign.lookupId, `Lookup:${randomUUID()}`, 'x'].map((lookupId) =>
        post(umaRequest(usd, lookup, 1_000, { lookupId })),
      ),
    );
    for (const answer of answers) {
      assertRefused(answer, 404, 'LOOKUP_REQUEST_NOT_FOUND');
      assert.equal(answer.text, answers[0]?.text);
    }
  });
});

describe('executed', () => {
  const platformOf = async (account: Resource) =>
    idOf(
      'Platform',
      (await service.db.one<{ platform_id: string }>(sql`select platform_id from internal_accounts where id = ${account.id.split(':')[1]}`))
        ?.platform_id ?? '',
    );

  async function world() {
    const platform = await service.newPlatform();
    const build = quoting(platform);
    await build.currencies('USD', 'EUR', 'MXN');
    await platform.clock.freeze();
    const owner = await build.customer({ birthDate: '1990-12-09' });
    const account = { ...(await build.fund(await build.account(owner, 'USD'), 1_000_000)), customerId: owner.id };
    const quote = async (name: string) =>
      build.quote(umaRequest(account, await givenLookup(platform, at(name), { customerId: owner.id }), 10_000));
    return { platform, build, account, quote };
  }

  test('$success.*: COMPLETED at once', async () => {
    const { build, account, quote } = await world();
    for (const name of ['success.usd', 'success.eur', 'success.mxn']) {
      const made = await quote(name);
      assert.equal((await build.execute(made)).status, 'PROCESSING');
      await build.settle();
      assert.equal((await build.transaction(made)).status, 'COMPLETED');
      assert.deepEqual(await eventsOf(service.db, made.transactionId), ['PENDING', 'PROCESSING', 'COMPLETED']);
    }
    assert.equal(await build.balance(account), 970_000);
    await assertLedgerHolds(service.db, await platformOf(account));
  });

  test('$pending.long.usd: PROCESSING for 360 seconds, then COMPLETED', async () => {
    const { platform, build, quote } = await world();
    const made = await quote('pending.long.usd');
    await build.execute(made);
    await platform.clock.advance(359_999);
    assert.equal((await build.transaction(made)).status, 'PROCESSING');
    await platform.clock.advance(1);
    assert.equal((await build.transaction(made)).status, 'COMPLETED');
  });

  test('$fail.compliance.usd: FAILED COMPLIANCE_REJECTED, and the money is back', async () => {
    const { build, account, quote } = await world();
    const made = await quote('fail.compliance.usd');
    await build.execute(made);
    await build.settle();
    const failed = await build.transaction(made);
    assert.deepEqual([failed.status, failed.failureReason, failed.refund.status], ['FAILED', 'COMPLIANCE_REJECTED', 'COMPLETED']);
    assert.equal(await build.balance(account), 1_000_000);
    await assertLedgerHolds(service.db, await platformOf(account));
  });

  test('immediatelyExecute', async () => {
    const { platform, build, account } = await world();
    const lookup = await givenLookup(platform, at('success.usd'));
    const made = await build.quote(umaRequest(account, lookup, 10_000, { immediatelyExecute: true }));
    assert.equal(made.status, 'PROCESSING');
    await build.settle();
    assert.equal((await expectStatus(200, platform.get(`/transactions/${made.transactionId}`))).status, 'COMPLETED');
  });
});
