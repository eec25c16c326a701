// createTransferOut: a payout in one currency, debited at once and acknowledged by the bank.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { race } from '../../../support/race.js';
import { regulatedCustomer } from '../../../support/sca.js';
import type { TestService } from '../../../support/service.js';
import { type Transferring, transferBody, transferring } from '../../../support/transferring.js';
import { wallet } from '../../../support/wallet.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of responses is checked against the document.
type Resource = any;

let service: TestService;
let platform: Client;
let build: Transferring['build'];
let read: Transferring['read'];
before(async () => {
  ({ service, platform, build, read } = await transferring());
});
after(() => service.stop());

const send = (source: Resource, destination: Resource, amount: unknown, more?: Record<string, unknown>) =>
  platform.post('/transfer-out', transferBody(source, destination, amount, more));

/** A funded account and a bank account of its holder. */
const given = async (ending = '999', amount = 10_000) => {
  const source = await build.fundedAccount('USD', amount);
  return { source, destination: await build.usd({ id: source.customerId }, ending) };
};

describe('200', () => {
  test('the account is debited at once; PENDING, then PROCESSING and COMPLETED', async () => {
    const { source, destination } = await given();
    const made = await expectStatus(200, send(source, destination, 4_000, { remittanceInformation: 'INVOICE 7' }));
    assert.equal(made.status, 'PENDING');
    assert.equal(await build.balance(source), 6_000);
    await build.settle();
    const payment = await read(made.id);
    assert.deepEqual(
      [payment.type, payment.status, payment.sentAmount.amount, payment.receivedAmount.amount, payment.fees, payment.exchangeRate],
      ['OUTGOING', 'COMPLETED', 4_000, 4_000, 0, 1],
    );
    assert.deepEqual([payment.quoteId, payment.rateDetails, payment.paymentRail], [undefined, undefined, 'ACH']);
    assert.deepEqual([payment.destination.railDetails.status, payment.destination.railDetails.addenda], ['SETTLED', 'INVOICE 7']);
    assert.deepEqual(await eventsOf(service.db, made.id), ['PENDING', 'PROCESSING', 'COMPLETED']);
  });

  const failures: [string, string, string][] = [
    ['002', 'QUOTE_EXECUTION_FAILED', 'TRANSACTION_FAILED'],
    ['003', 'ACCOUNT_INVALID', 'TRANSACTION_FAILED'],
    ['004', 'ACCOUNT_CANNOT_RECEIVE', 'TRANSACTION_FAILED'],
    ['005', 'QUOTE_EXECUTION_FAILED', 'TIMEOUT'],
  ];
  for (const [ending, failureReason, reason] of failures)
    test(`${ending}: FAILED ${failureReason}, refund COMPLETED ${reason}`, async () => {
      const { source, destination } = await given(ending);
      const made = await expectStatus(200, send(source, destination, 4_000));
      await build.settle();
      if (ending === '005') {
        assert.equal((await read(made.id)).status, 'PENDING');
        await platform.clock.advance(30_000);
      }
      const payment = await read(made.id);
      assert.deepEqual([payment.status, payment.failureReason], ['FAILED', failureReason]);
      assert.deepEqual([payment.refund.status, payment.refund.reason], ['COMPLETED', reason]);
      assert.equal(payment.refund.reference, `${payment.reconciliationInstructions.reference}-REFUND`);
      assert.equal(await build.balance(source), 10_000);
      assert.deepEqual(await eventsOf(service.db, made.id), ['PENDING', 'FAILED', 'REFUND_PENDING', 'REFUND_COMPLETED']);
    });

  test('one unit is enough, the platform may pay any account, and a rail may be chosen', async () => {
    const { source, destination } = await given();
    await expectStatus(200, send(source, destination, 1));
    const own = await build.fund(await build.platformAccount('USD'), 500);
    const made = await expectStatus(
      200,
      platform.post('/transfer-out', {
        source: { accountId: own.id },
        destination: { accountId: destination.id, paymentRail: 'WIRE' },
        amount: 500,
      }),
    );
    assert.deepEqual([made.paymentRail, made.railSelectionMode], ['WIRE', 'MANUAL']);
    assert.match(made.customerId, /^Platform:/);
  });

  test('the same Idempotency-Key makes one transfer', async () => {
    const { source, destination } = await given();
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      [1, 2, 3].map(() => platform.post('/transfer-out', transferBody(source, destination, 4_000), { headers })),
    );
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(await build.balance(source), 6_000);
  });

  race('64 transfers of all the money at the same instant: one is paid', async () => {
    const { source, destination } = await given();
    const answers = await Promise.all(Array.from({ length: 64 }, () => send(source, destination, 10_000)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200)) assertRefused(answer, 400, 'INSUFFICIENT_FUNDS');
    assert.equal(await build.balance(source), 0);
  });
});

describe('refusals change nothing', () => {
  const refused = (read: () => Promise<void>) => changesNothing(service.db, read);

  test('400: no amount, an amount that is none, another currency, too little money, too much for one transfer', async () => {
    const { source, destination } = await given();
    await build.currencies('USD', 'EUR', 'USDB');
    const eur = await build.eur({ id: source.customerId });
    await refused(async () => {
      assertInvalid(await send(source, destination, undefined), 'amount');
      for (const amount of [0, -1]) assertRefused(await send(source, destination, amount), 400, 'INVALID_AMOUNT');
      for (const amount of [1.5, '1']) assertInvalid(await send(source, destination, amount), 'amount');
      assertRefused(await send(source, eur, 100), 400, 'INVALID_CURRENCY');
      assertRefused(await send(source, destination, 10_001), 400, 'INSUFFICIENT_FUNDS');
      assertRefused(await send(source, destination, 10_000_001), 400, 'TRANSACTION_SIZE_LIMIT_EXCEEDED');
      assertInvalid(
        await platform.post('/transfer-out', {
          ...transferBody(source, destination, 1),
          destination: { accountId: destination.id, paymentRail: 'SEPA' },
        }),
        'destination.paymentRail',
      );
    });
  });

  test('404: accounts that are unknown, foreign, malformed or of the wrong side answer alike', async () => {
    const { source, destination } = await given();
    const other = await service.newPlatform();
    await refused(async () => {
      const answers = await Promise.all([
        other.post('/transfer-out', transferBody(source, destination, 1)),
        send({ id: `InternalAccount:${randomUUID()}` }, destination, 1),
        send(source, { id: `ExternalAccount:${randomUUID()}` }, 1),
        send({ id: 'x' }, destination, 1),
        send(source, source, 1),
        send(destination, destination, 1),
      ]);
      for (const answer of answers) assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    });
  });

  test('409: a bank account that is being validated; a payer who must authenticate', async () => {
    const { source } = await given();
    const pending = await build.usd({ id: source.customerId }, '104');
    await build.currencies('USD', 'EUR', 'USDB');
    const german = await regulatedCustomer(platform);
    const eur = await build.fund(await build.account(german, 'EUR'), 1_000);
    const iban = await build.eur(german);
    await refused(async () => {
      assertRefused(await send(source, pending, 1), 409, 'BANK_ACCOUNT_VALIDATION_PENDING');
      assertRefused(await send(eur, iban, 100), 409, 'CONFLICT');
    });
  });

  test("400: an embedded wallet, and another customer's bank account; 403: a customer who is not verified", async () => {
    const { source } = await given();
    const theirs = await build.usd(await build.customer());
    const { account } = await wallet(platform);
    const spark = await build.usd({ id: account.customerId });
    const pending = await build.account(await build.customer({ fullName: 'Ada 001' }), 'USD');
    const own = await build.usd({ id: pending.customerId });
    await refused(async () => {
      assertInvalid(await send(source, theirs, 100), 'destination.accountId');
      assertInvalid(await send(account, spark, 100), 'source.accountId');
      assertRefused(await send(pending, own, 100), 403, 'CUSTOMER_NOT_VERIFIED');
    });
  });

  test('429: the daily volume of the corridor', async () => {
    const other = await service.newPlatform();
    const pay = quoting(other);
    const source = await pay.fundedAccount('USD', 110_000_000_00);
    const destination = await pay.usd({ id: source.customerId });
    const transfer = (amount: number) => other.post('/transfer-out', transferBody(source, destination, amount));
    for (let i = 0; i < 10; i += 1) await expectStatus(200, transfer(100_000_00));
    assertRefused(await transfer(1), 429, 'DAILY_VOLUME_LIMIT_EXCEEDED');
  });
});
