import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { moveMoney, serviceAccountId } from '../../../../src/domains/ledger/actions.js';
import { idOf, newUuid } from '../../../../src/kernel/ids.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { assertLedgerHolds } from '../../../support/ledger.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { newKeys, stamp, wallet } from '../../../support/wallet.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
let pay: ReturnType<typeof quoting>;
before(async () => {
  service = await startTestService();
  pay = quoting(service.platform);
  await pay.currencies('USD', 'USDB', 'EUR', 'USDC');
});
after(async () => {
  const account = await pay.platformAccount('USD');
  const row = await service.db.one<{ platform_id: string }>(
    sql`select platform_id from internal_accounts where id = ${account.id.split(':')[1]}`,
  );
  await assertLedgerHolds(service.db, idOf('Platform', row?.platform_id ?? ''));
  await service.stop();
});

/** A customer with USD, and a quote of 1000.00 USD to a EUR account with the ending. */
async function quoted(ending = '999', amount = 100_000): Promise<{ account: Resource; quote: Resource; customer: Resource }> {
  const customer = await pay.customer();
  const account = await pay.fund(await pay.account(customer, 'USD'), 1_000_000);
  const quote = await pay.quote(pay.request(account, await pay.eur(customer, ending), amount));
  return { account: { ...account, customerId: customer.id }, quote, customer };
}

describe('200', () => {
  test('the whole totalSendingAmount is debited at execution, and the payment completes', async () => {
    const { account, quote } = await quoted();
    assert.equal(await pay.balance(account), 1_000_000, 'nothing is held at creation');
    const executed = await pay.execute(quote);
    assert.equal(executed.status, 'PROCESSING');
    assert.equal(await pay.balance(account), 900_000);
    await pay.settle();
    const transaction = await pay.transaction(quote);
    assert.equal(transaction.status, 'COMPLETED');
    assert.ok(transaction.settledAt);
    assert.equal((await pay.getQuote(quote)).status, 'COMPLETED');
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING', 'PROCESSING', 'COMPLETED']);
    assert.equal(transaction.quoteId, quote.id);
    assert.deepEqual([transaction.sentAmount.amount, transaction.receivedAmount.amount, transaction.fees], [100_000, 91_714, 310]);
  });

  test('the data of an event is the transaction as a GET showed it', async () => {
    const { quote } = await quoted();
    await pay.execute(quote);
    await pay.settle();
    const rows = await service.db.many<{ type: string; data: unknown }>(sql`
      select type, data from webhook_events where object_id = ${quote.transactionId} order by sequence`);
    assert.deepEqual(rows.at(-1)?.data, await pay.transaction(quote));
    assert.deepEqual(
      rows.map(({ data }) => (data as Resource).status),
      ['PENDING', 'PROCESSING', 'COMPLETED'],
    );
  });

  test('an internal destination completes in the same call; another holder gets a transaction of her own', async () => {
    const { account } = await quoted();
    const receiver = await pay.customer();
    const destination = { ...(await pay.account(receiver, 'USD')), customerId: receiver.id };
    const quote = await pay.quote(pay.request(account, destination, 2_500));
    assert.equal(quote.feesIncluded, 0);
    assert.equal((await pay.execute(quote)).status, 'COMPLETED');
    assert.equal(await pay.balance(destination), 2_500);
    const row = await service.db.one<{ id: string }>(sql`
      select id from payments where destination_identifier = ${destination.id} and type = 'INCOMING'`);
    const received = await expectStatus(200, service.platform.get(`/transactions/Transaction:${row?.id}`));
    assert.deepEqual(
      [received.type, received.status, received.customerId, received.source.accountId, received.receivedAmount.amount],
      ['INCOMING', 'COMPLETED', receiver.id, account.id, 2_500],
    );
    assert.deepEqual(await eventsOf(service.db, received.id), ['COMPLETED']);
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING', 'PROCESSING', 'COMPLETED']);
  });

  test("what another holder gets shows nothing of the payer's bank: the debit is the payer's, and so is its return", async () => {
    const { customer } = await quoted();
    const receiver = await pay.customer();
    const destination = { ...(await pay.account(receiver, 'USD')), customerId: receiver.id };
    const source = await pay.usd(customer);
    await pay.execute(await pay.quote(pay.request(source, destination, 2_500)));
    await pay.settle();
    const [received] = (
      await expectStatus(200, service.platform.get(`/transactions?receiverAccountIdentifier=${destination.id}&type=INCOMING`))
    ).data;
    assert.deepEqual(received.source, { sourceType: 'ACCOUNT', accountId: source.id, currency: received.source.currency });
    const event = service.platform.post(`/sandbox/transactions/${received.id}/rail-event`, { event: 'RETURN' });
    assertRefused(await event, 409, 'CONFLICT');
    assert.equal(await pay.balance(destination), 2_500);
  });

  test('between two accounts of one holder there is one transaction', async () => {
    const { customer, account } = await quoted();
    const eur = { ...(await pay.account(customer, 'EUR')), customerId: customer.id };
    const quote = await pay.quote(pay.request(account, eur, 10_000));
    assert.equal((await pay.execute(quote)).status, 'COMPLETED');
    assert.equal(await pay.balance(eur), quote.totalReceivingAmount);
    const rows = await service.db.many(sql`select from payments where destination_identifier = ${eur.id}`);
    assert.equal(rows.length, 1);
  });

  test('the same key gets the first answer, another key is 409 CONFLICT', async () => {
    const { quote, account } = await quoted();
    const key = { headers: { 'Idempotency-Key': randomUUID() } };
    const first = await service.platform.post(`/quotes/${quote.id}/execute`, undefined, key);
    const again = await service.platform.post(`/quotes/${quote.id}/execute`, undefined, key);
    assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text]);
    assertRefused(await service.platform.post(`/quotes/${quote.id}/execute`), 409, 'CONFLICT');
    assert.equal(await pay.balance(account), 900_000);
  });

  test('platform fees are credited to the platform at completion', async () => {
    const platformAccount = await pay.platformAccount('USD');
    const before = await pay.balance(platformAccount);
    const { account, customer } = await quoted();
    const quote = await pay.quote(
      pay.request(account, await pay.eur(customer), 1_000, {
        platformFeeOverride: { platformFixedFee: { amount: 50, currency: 'USD' }, platformVariableFeeBps: 30 },
      }),
    );
    assert.deepEqual([quote.feesIncluded, quote.platformFeesIncluded, quote.totalReceivingAmount], [66, 53, 859]);
    await pay.execute(quote);
    assert.equal(await pay.balance(platformAccount), before);
    await pay.settle();
    assert.equal(await pay.balance(platformAccount), before + 53);
    assert.equal((await pay.transaction(quote)).platformFees, 53);
  });

  test('a USD payout shows its ACH rail, settled with the payment', async () => {
    const { account, customer } = await quoted();
    const quote = await pay.quote(pay.request(account, await pay.usd(customer), 5_000, { remittanceInformation: 'INV 42' }));
    await pay.execute(quote);
    const pending = (await pay.transaction(quote)).destination.railDetails;
    assert.deepEqual([pending.paymentRail, pending.status, pending.addenda], ['ACH', 'PENDING', 'INV 42']);
    assert.match(pending.traceNumber, /^\d{15}$/);
    assert.match(pending.bankAccount.accountNumber, /^\*{8}\d{4}$/);
    await pay.settle();
    const transaction = await pay.transaction(quote);
    assert.deepEqual(transaction.destination.railDetails, { ...pending, status: 'SETTLED', settledAt: transaction.settledAt });
    assert.deepEqual([transaction.paymentRail, transaction.railSelectionMode], ['ACH', 'AUTO']);
  });
});

describe('sandbox endings', () => {
  /** Executes, lets everything due happen, and returns the transaction. */
  async function outcome(ending: string) {
    const { account, quote } = await quoted(ending);
    await pay.execute(quote);
    await pay.settle();
    return { account, quote, transaction: await pay.transaction(quote) };
  }

  test('002: FAILED QUOTE_EXECUTION_FAILED, refunded in full', async () => {
    const { account, quote, transaction } = await outcome('002');
    assert.deepEqual([transaction.status, transaction.failureReason], ['FAILED', 'QUOTE_EXECUTION_FAILED']);
    assert.deepEqual([transaction.refund.status, transaction.refund.reason], ['COMPLETED', 'TRANSACTION_FAILED']);
    assert.equal(transaction.refund.reference, `${transaction.reconciliationInstructions.reference}-REFUND`);
    assert.equal(transaction.settledAt, undefined);
    assert.equal(await pay.balance(account), 1_000_000);
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), [
      'PENDING',
      'PROCESSING',
      'FAILED',
      'REFUND_PENDING',
      'REFUND_COMPLETED',
    ]);
  });

  test('004: FAILED ACCOUNT_CANNOT_RECEIVE, refunded', async () => {
    const { account, transaction } = await outcome('004');
    assert.deepEqual([transaction.failureReason, transaction.refund.status], ['ACCOUNT_CANNOT_RECEIVE', 'COMPLETED']);
    assert.equal(await pay.balance(account), 1_000_000);
  });

  test('006: cancelled by the user, ends COMPLETED with the money back and without settledAt', async () => {
    const { account, quote, transaction } = await outcome('006');
    assert.deepEqual(
      [transaction.status, transaction.refund.status, transaction.refund.reason],
      ['COMPLETED', 'COMPLETED', 'USER_CANCELLATION'],
    );
    assert.equal(transaction.settledAt, undefined);
    assert.equal(await pay.balance(account), 1_000_000);
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), [
      'PENDING',
      'PROCESSING',
      'REFUND_PENDING',
      'REFUND_COMPLETED',
      'COMPLETED',
    ]);
  });

  test('007: payout and refund fail, the money stays in suspense', async () => {
    const { account, quote, transaction } = await outcome('007');
    assert.deepEqual([transaction.failureReason, transaction.refund.status], ['QUOTE_EXECUTION_FAILED', 'FAILED']);
    assert.equal(await pay.balance(account), 900_000);
    const row = await service.db.one<{ sum: bigint }>(sql`
      select sum(e.amount)::bigint as sum from entries e join ledger_accounts a on a.platform_id = e.platform_id and a.id = e.account_id
      where e.transaction_id = ${quote.transactionId.split(':')[1]} and a.purpose = 'SUSPENSE'`);
    assert.equal(row?.sum, 100_000n);
  });

  test('003 and 005, by the clock: COMPLETED after 360 s; returned 30 s after completion', async () => {
    const other = await service.newPlatform();
    const own = quoting(other);
    await own.currencies('USD', 'EUR');
    const start = await other.clock.freeze('2026-05-05T10:00:00.000Z');
    const customer = await own.customer();
    const account = { ...(await own.fund(await own.account(customer, 'USD'), 1_000_000)), customerId: customer.id };
    const long = await own.quote(own.request(account, await own.eur(customer, '003'), 10_000));
    const returned = await own.quote(own.request(account, await own.usd(customer, '005'), 20_000));
    await own.execute(long);
    await own.execute(returned);
    await own.settle();
    assert.deepEqual([(await own.transaction(long)).status, (await own.transaction(returned)).status], ['PROCESSING', 'COMPLETED']);
    assert.equal(await own.balance(account), 970_000);

    await other.clock.advance(30_000);
    const back = await own.transaction(returned);
    assert.deepEqual([back.status, back.failureReason, back.refund.status], ['FAILED', 'PAYOUT_RETURNED', 'COMPLETED']);
    assert.equal(back.settledAt, start.toISOString(), 'settledAt stays after a return');
    assert.deepEqual(
      [back.destination.railDetails.status, back.destination.railDetails.returnedAt],
      ['RETURNED', new Date(start.getTime() + 30_000).toISOString()],
    );
    assert.equal(await own.balance(account), 990_000);

    await other.clock.advance(329_999);
    assert.equal((await own.transaction(long)).status, 'PROCESSING');
    await other.clock.advance(1);
    assert.equal((await own.transaction(long)).status, 'COMPLETED');
  });

  for (const paymentRail of ['WIRE', 'RTP', 'FEDNOW'])
    test(`005 over ${paymentRail}: returned and refunded; the details of the rail stay SETTLED`, async () => {
      const other = await service.newPlatform();
      const own = quoting(other);
      await other.clock.freeze('2026-05-05T10:00:00.000Z');
      const account = await own.fundedAccount('USD', 1_000_000);
      const bank = await own.usd({ id: account.customerId }, '005');
      const destination = { destinationType: 'ACCOUNT', accountId: bank.id, paymentRail };
      const quote = await own.quote(own.request(account, bank, 20_000, { destination }));
      await own.execute(quote);
      await other.clock.advance(31_000);
      const { status, failureReason, refund, destination: end } = await own.transaction(quote);
      assert.deepEqual([status, failureReason, refund.status], ['FAILED', 'PAYOUT_RETURNED', 'COMPLETED']);
      assert.deepEqual([end.railDetails.paymentRail, end.railDetails.status], [paymentRail, 'SETTLED']);
    });

  test('a returned payment takes the platform fee back', async () => {
    const other = await service.newPlatform();
    const own = quoting(other);
    await own.currencies('USD', 'EUR');
    await other.clock.freeze('2026-05-05T10:00:00.000Z');
    const customer = await own.customer();
    const account = { ...(await own.fund(await own.account(customer, 'USD'), 1_000_000)), customerId: customer.id };
    const platformFeeOverride = { platformFixedFee: { amount: 50, currency: 'USD' }, platformVariableFeeBps: 0 };
    const quote = await own.quote(own.request(account, await own.eur(customer, '005'), 10_000, { platformFeeOverride }));
    await own.execute(quote);
    await own.settle();
    const platformAccount = await own.platformAccount('USD');
    assert.equal(platformAccount.balance.amount, 50);
    await other.clock.advance(30_000);
    assert.equal((await own.platformAccount('USD')).balance.amount, 0);
    assert.equal(await own.balance(account), 1_000_000);
  });
});

describe('pull from an external account', () => {
  async function pulled(ending: string) {
    const customer = await pay.customer();
    const quote = await pay.quote(pay.request(await pay.usd(customer, ending), await pay.eur(customer), 50_000));
    const executed = await pay.execute(quote);
    assert.equal(executed.status, 'PROCESSING');
    await pay.settle();
    return { quote, transaction: await pay.transaction(quote) };
  }

  test('the payout goes out when the debit has settled', async () => {
    const { quote, transaction } = await pulled('999');
    assert.equal(transaction.status, 'COMPLETED');
    assert.equal(transaction.source.railDetails.status, 'SETTLED');
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING', 'PROCESSING', 'COMPLETED']);
  });

  test('a debit that fails: FAILED QUOTE_EXECUTION_FAILED without a refund, because nothing was taken', async () => {
    const { quote, transaction } = await pulled('002');
    assert.deepEqual([transaction.status, transaction.failureReason, transaction.refund], ['FAILED', 'QUOTE_EXECUTION_FAILED', undefined]);
    const entries = await service.db.many(sql`select from entries where transaction_id = ${quote.transactionId.split(':')[1]}`);
    assert.equal(entries.length, 0);
  });
});

describe('embedded wallet', () => {
  const execute = (quote: Resource, signature?: string) =>
    service.platform.post(
      `/quotes/${quote.id}/execute`,
      undefined,
      signature === undefined ? {} : { headers: { 'Service-Wallet-Signature': signature } },
    );
  const payloadOf = (quote: Resource): string => quote.paymentInstructions[0].accountOrWalletInfo.payloadToSign;

  test('200 with the stamp of a session over payloadToSign; 401 otherwise, and nothing changes', async () => {
    const owner = await wallet(service.platform);
    await pay.fund(owner.account, 100_000);
    const destination = await pay.eur(owner.customer);
    const quote = await pay.quote(pay.request(owner.account, destination, 10_000));
    const other = await pay.quote(pay.request(owner.account, destination, 10_000));
    assert.equal(JSON.parse(payloadOf(quote)).type, 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2');

    assertRefused(await execute(quote), 401, 'WALLET_SIGNATURE_MISSING');
    assertRefused(await execute(quote, 'not a stamp'), 401, 'WALLET_SIGNATURE_MALFORMED');
    assertRefused(await execute(quote, await stamp(newKeys(), payloadOf(quote))), 401, 'WALLET_SIGNATURE_INVALID');
    assertRefused(await execute(quote, await stamp(owner.keys, payloadOf(other))), 401, 'WALLET_SIGNATURE_INVALID');
    assert.equal((await pay.getQuote(quote)).status, 'PENDING');
    const done = await execute(quote, await stamp(owner.keys, payloadOf(quote)));
    assert.equal(done.status, 200, done.text);
    assert.equal(await pay.balance({ ...owner.account, customerId: owner.customer.id }), 90_000);
  });

  test('sandbox: the fixed signature of older clients stands for the stamp of an active session; 401 without one', async () => {
    const owner = await wallet(service.platform);
    await pay.fund(owner.account, 10_000);
    const quote = await pay.quote(pay.request(owner.account, await pay.eur(owner.customer), 10_000));
    const done = await execute(quote, 'sandbox-valid-signature');
    assert.deepEqual([done.status, done.body.status], [200, 'PROCESSING'], done.text);
    assert.equal(await pay.balance({ ...owner.account, customerId: owner.customer.id }), 0);

    const customer = await pay.customer();
    const unopened = await pay.quote(pay.request(await pay.account(customer, 'USDB'), await pay.eur(customer), 10_000));
    assertRefused(await execute(unopened, 'sandbox-valid-signature'), 401, 'WALLET_SIGNATURE_INVALID');
  });

  /** The holder of a wallet owes an amount that the account could not pay. */
  const owe = async (account: Resource, amount: bigint) => {
    const platformId = await platformIdOf(service, service.platform);
    const service_ = (purpose: 'RECEIVABLE' | 'RESERVE') => serviceAccountId(platformId, purpose, 'USDB');
    const transfer = { id: newUuid(), from: service_('RECEIVABLE'), to: service_('RESERVE'), amount, currency: 'USDB', cause: 'TEST' };
    await service.db.transaction((tx) =>
      moveMoney(tx, platformId, [{ kind: 'OWE', debtor: account.id.slice('InternalAccount:'.length), transfer }]),
    );
  };

  test('a wallet pays the wallet of a holder in debt: the debt is paid first, and the rest arrives', async () => {
    const payer = await wallet(service.platform);
    const debtor = await wallet(service.platform);
    await pay.fund(payer.account, 100_000);
    for (const [debt, arrives] of [
      [4_000n, 6_000],
      [30_000n, 0],
    ] as const) {
      const before = await pay.balance({ ...debtor.account, customerId: debtor.customer.id });
      await owe(debtor.account, debt);
      const quote = await pay.quote(pay.request(payer.account, debtor.account, 10_000));
      const done = await execute(quote, await stamp(payer.keys, payloadOf(quote)));
      assert.deepEqual([done.status, done.body.status], [200, 'COMPLETED'], done.text);
      assert.equal(await pay.balance({ ...debtor.account, customerId: debtor.customer.id }), before + arrives);
    }
  });

  test('a refund to the wallet of a holder in debt pays the debt first', async () => {
    const payer = await wallet(service.platform);
    await pay.fund(payer.account, 20_000);
    const quote = await pay.quote(pay.request(payer.account, await pay.eur(payer.customer, '003'), 10_000));
    await expectStatus(200, execute(quote, await stamp(payer.keys, payloadOf(quote))));
    await owe(payer.account, 2_500n);
    const refunding = await pay.quote(pay.request(payer.account, await pay.eur(payer.customer, '002'), 5_000));
    await expectStatus(200, execute(refunding, await stamp(payer.keys, payloadOf(refunding))));
    await pay.settle();
    assert.equal((await pay.transaction(refunding)).refund.status, 'COMPLETED');
    assert.equal(await pay.balance({ ...payer.account, customerId: payer.customer.id }), 7_500);
  });
});

describe('400', () => {
  test('INSUFFICIENT_FUNDS: the quote stays PENDING and can be executed once funded', async () => {
    const customer = await pay.customer();
    const account = await pay.account(customer, 'USD');
    const quote = await pay.quote(pay.request(account, await pay.eur(customer), 10_000));
    assertRefused(await service.platform.post(`/quotes/${quote.id}/execute`), 400, 'INSUFFICIENT_FUNDS');
    assert.equal((await pay.getQuote(quote)).status, 'PENDING');
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING']);
    await pay.fund(account, 10_000);
    await pay.execute(quote);
  });

  test('QUOTE_EXPIRED: at expiresAt it is over, one millisecond before it is not', async () => {
    const other = await service.newPlatform();
    const own = quoting(other);
    await own.currencies('USD', 'EUR');
    const start = await other.clock.freeze('2026-05-05T10:00:00.000Z');
    const customer = await own.customer();
    const account = await own.fund(await own.account(customer, 'USD'), 1_000_000);
    const destination = await own.eur(customer);
    const [first, second] = [
      await own.quote(own.request(account, destination, 10_000)),
      await own.quote(own.request(account, destination, 10_000)),
    ];
    assert.equal(first.expiresAt, new Date(start.getTime() + 300_000).toISOString());
    await other.clock.advance(299_999);
    await own.execute(first);
    await other.clock.advance(1);
    assertRefused(await other.post(`/quotes/${second.id}/execute`), 400, 'QUOTE_EXPIRED');
    assert.equal((await own.getQuote(second)).status, 'EXPIRED');
    const transaction = await own.transaction(second);
    assert.deepEqual([transaction.status, transaction.failureReason], ['EXPIRED', undefined]);
    assert.deepEqual(await eventsOf(service.db, second.transactionId), ['PENDING', 'EXPIRED']);
  });

  test('QUOTE_RATE_UNAVAILABLE is itself an outcome: the quote is FAILED', async () => {
    const other = await service.newPlatform();
    const own = quoting(other);
    await own.currencies('USD', 'EUR');
    const customer = await own.customer();
    const account = await own.fund(await own.account(customer, 'USD'), 1_000_000);
    const quote = await own.quote(own.request(account, await own.eur(customer), 10_000));
    await expectStatus(200, other.put('/sandbox/exchange-rates', { currency: 'EUR', available: false }));
    assertRefused(await other.post(`/quotes/${quote.id}/execute`), 400, 'QUOTE_RATE_UNAVAILABLE');
    const transaction = await own.transaction(quote);
    assert.deepEqual([transaction.status, transaction.failureReason], ['FAILED', 'QUOTE_RATE_UNAVAILABLE']);
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING', 'FAILED']);
    assertRefused(await other.post(`/quotes/${quote.id}/execute`), 409, 'CONFLICT');
  });

  test('QUOTE_RATE_UNAVAILABLE within one currency too, where the money leaves: its limits have no rate', async () => {
    const other = await service.newPlatform();
    const own = quoting(other);
    await own.currencies('EUR');
    const customer = await own.customer();
    const account = await own.fund(await own.account(customer, 'EUR'), 1_000_000);
    const quote = await own.quote(own.request(account, await own.eur(customer), 10_000));
    await expectStatus(200, other.put('/sandbox/exchange-rates', { currency: 'EUR', available: false }));
    assertRefused(await other.post(`/quotes/${quote.id}/execute`), 400, 'QUOTE_RATE_UNAVAILABLE');
    const transaction = await own.transaction(quote);
    assert.deepEqual([transaction.status, transaction.failureReason], ['FAILED', 'QUOTE_RATE_UNAVAILABLE']);
    assert.deepEqual(await eventsOf(service.db, quote.transactionId), ['PENDING', 'FAILED']);
    assert.equal(await own.balance({ ...account, customerId: customer.id }), 1_000_000);
  });

  test('INVALID_INPUT: a realtime quote is paid by sending the money, TOTP cannot be bound to a payment', async () => {
    const customer = await pay.customer();
    const quote = await pay.quote({
      ...pay.request({}, await pay.eur(customer), 10_000),
      source: { sourceType: 'REALTIME_FUNDING', currency: 'USD', customerId: customer.id },
    });
    assertInvalid(await service.platform.post(`/quotes/${quote.id}/execute`), 'quoteId');
    const { quote: other } = await quoted();
    assertInvalid(await service.platform.post(`/quotes/${other.id}/execute`, { scaFactor: 'TOTP' }), 'scaFactor');
  });
});

describe('403, 404, 409, 429', () => {
  test('403 CUSTOMER_NOT_VERIFIED: a customer who is no longer approved', async () => {
    const { quote, customer } = await quoted();
    await service.db.run(sql`update customers set verification_status = 'HOLD' where id = ${customer.id.split(':')[1]}`);
    assertRefused(await service.platform.post(`/quotes/${quote.id}/execute`), 403, 'CUSTOMER_NOT_VERIFIED');
  });

  test('404 QUOTE_NOT_FOUND: unknown, malformed and foreign ids answer the same bytes', async () => {
    const { quote } = await quoted();
    const other = await service.newPlatform();
    const answers = [
      await other.post(`/quotes/${quote.id}/execute`),
      await service.platform.post(`/quotes/Quote:${randomUUID()}/execute`),
      await service.platform.post('/quotes/nothing/execute'),
    ];
    for (const answer of answers) assertRefused(answer, 404, 'QUOTE_NOT_FOUND');
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  });

  test('404 ACCOUNT_NOT_FOUND: the destination was deleted after the quote', async () => {
    const { quote } = await quoted();
    await expectStatus(204, service.platform.delete(`/customers/external-accounts/${quote.destination.accountId}`));
    assertRefused(await service.platform.post(`/quotes/${quote.id}/execute`), 404, 'ACCOUNT_NOT_FOUND');
  });

  test('409 SCA_SESSION_REQUIRED: a customer in the EEA who pays from EUR', async () => {
    const customer = await pay.customer({ region: 'DE', phoneNumber: '+4915112345678' });
    const account = await pay.fund(await pay.account(customer, 'EUR'), 100_000);
    const quote = await pay.quote(pay.request(account, await pay.eur(customer), 10_000));
    assertRefused(await service.platform.post(`/quotes/${quote.id}/execute`), 409, 'SCA_SESSION_REQUIRED');
    assert.equal((await pay.getQuote(quote)).status, 'PENDING');
  });

  test('429 DAILY_VOLUME_LIMIT_EXCEEDED: exactly the limit is allowed, one unit more is not, and the next day begins anew', async () => {
    const other = await service.newPlatform();
    const own = quoting(other);
    await own.currencies('USD', 'EUR');
    await other.clock.freeze('2026-05-05T23:58:00.000Z');
    const customer = await own.customer();
    const account = await own.fund(await own.account(customer, 'USD'), 500_000_000);
    const destination = await own.eur(customer);
    const quotes = [];
    for (let i = 0; i < 10; i += 1) quotes.push(await own.quote(own.request(account, destination, 10_000_000)));
    const more = await own.quote(own.request(account, destination, 100));
    const answers = await Promise.all(quotes.map((quote) => other.post(`/quotes/${quote.id}/execute`)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
    assertRefused(await other.post(`/quotes/${more.id}/execute`), 429, 'DAILY_VOLUME_LIMIT_EXCEEDED');
    assert.equal((await own.getQuote(more)).status, 'PENDING');
    const inUsd = await own.quote(own.request(account, await own.usd(customer), 100));
    await own.execute(inUsd);
    await other.clock.advance(120_000);
    await own.execute(more);
  });
});
