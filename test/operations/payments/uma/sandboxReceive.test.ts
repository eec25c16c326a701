// Payments from the sandbox's counterparty to customers: announced, decided by the platform, credited.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { eventsOf, quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { at, decided, givenLookup, umaRequest } from '../../../support/uma.js';
import { envelopeOf, givenEndpoint } from '../../../support/webhooks/platform.js';
import type { Receiver, Reply } from '../../../support/webhooks/receiver.js';

let service: TestService;
const receivers: Receiver[] = [];
before(async () => {
  service = await startTestService();
});
after(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await service.stop();
});

/** A platform whose receiver gives one answer to questions and 200 to everything else. */
async function world(reply: Reply = 200) {
  const platform = await service.newPlatform();
  const build = quoting(platform);
  await build.currencies('USD', 'EUR');
  const customer = await build.customer();
  const account = { ...(await build.account(customer, 'USD')), customerId: customer.id };
  const receiver = await givenEndpoint(platform, {
    reply: (received) => (envelopeOf(received).type === 'INCOMING_PAYMENT.PENDING' ? reply : 200),
  });
  receivers.push(receiver);
  return { platform, build, customer, account };
}

const receive = (platform: Client, fields: Record<string, unknown>): Promise<Answer> =>
  platform.post('/sandbox/uma/receive', {
    senderUmaAddress: at('success.usd'),
    receivingCurrencyCode: 'USD',
    receivingCurrencyAmount: 2_500,
    ...fields,
  });

describe('200', () => {
  test('PENDING, then as the platform answers: credited once, from FUNDING', async () => {
    const { platform, build, customer, account } = await world();
    const payment = await expectStatus(200, receive(platform, { customerId: customer.id }));
    assert.deepEqual([payment.type, payment.status, payment.direction, payment.fees], ['INCOMING', 'PENDING', 'CREDIT', 0]);
    assert.deepEqual(payment.source, { sourceType: 'UMA_ADDRESS', umaAddress: at('success.usd'), currency: 'USD' });
    assert.deepEqual(payment.destination, { destinationType: 'UMA_ADDRESS', umaAddress: customer.umaAddress, currency: 'USD' });
    assert.equal((await decided(platform, payment.id)).status, 'COMPLETED');
    assert.equal(await build.balance(account), 2_500);
    assert.deepEqual(await eventsOf(service.db, payment.id), ['PENDING', 'PROCESSING', 'COMPLETED']);
  });

  test("by the receiver's address; the sent amount is in the sender's currency at the table rate, rounded up", async () => {
    const { platform, customer } = await world();
    const payment = await expectStatus(
      200,
      receive(platform, {
        senderUmaAddress: at('success.mxn'),
        receiverUmaAddress: customer.umaAddress.toUpperCase(),
        receivingCurrencyCode: 'EUR',
        receivingCurrencyAmount: 1_001,
      }),
    );
    assert.deepEqual(
      [payment.sentAmount.currency.code, payment.sentAmount.amount, payment.receivedAmount.currency.code, payment.receivedAmount.amount],
      ['MXN', 18_769, 'EUR', 1_001],
    );
  });

  test('at every domain that a platform may have, and at every address that a customer may bring', async () => {
    const { platform } = await world();
    const label = /[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?/i.source;
    const domains = fc.sample(fc.stringMatching(new RegExp(`^${label}(\\.${label}){0,3}$`)), { seed: 7, numRuns: 30 });
    const givenCustomer = (fields: Record<string, unknown>) =>
      platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', ...fields });
    const made: { id: string }[] = [];
    for (const domain of [...domains, 'localhost', 'x.1a', 'bank.4', '1.2', 'xn--a.b', 'xn--bcher-kva.example']) {
      if ((await platform.patch('/config', { umaDomain: domain })).status === 200) made.push(await expectStatus(201, givenCustomer({})));
      const { status, body } = await givenCustomer({ umaAddress: `$ada@${domain}` });
      if (status === 201) made.push(body);
    }
    for (const { id } of made) await expectStatus(200, receive(platform, { customerId: id }));
    assert.ok(made.length > 50, `${made.length} customers`);
  });

  test('$fail.compliance.usd: FAILED COMPLIANCE_REJECTED before the platform is asked', async () => {
    const { platform, build, customer, account } = await world();
    const payment = await expectStatus(200, receive(platform, { senderUmaAddress: at('fail.compliance.usd'), customerId: customer.id }));
    assert.deepEqual([payment.status, payment.failureReason], ['FAILED', 'COMPLIANCE_REJECTED']);
    assert.deepEqual(await eventsOf(service.db, payment.id), ['FAILED']);
    assert.equal(await build.balance(account), 0);
  });

  test('what the platform asks for about counterparties comes with the payment', async () => {
    const { platform, customer } = await world();
    await expectStatus(
      200,
      platform.patch('/config', {
        supportedCurrencies: [
          {
            currencyCode: 'USD',
            minAmount: 1,
            maxAmount: 1_000_000,
            requiredCounterpartyFields: [
              { name: 'FULL_NAME', mandatory: true },
              { name: 'BIRTH_DATE', mandatory: false },
            ],
            enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
          },
        ],
      }),
    );
    const payment = await expectStatus(200, receive(platform, { customerId: customer.id }));
    assert.deepEqual(payment.counterpartyInformation, { FULL_NAME: 'Sandbox Sender', BIRTH_DATE: '1985-06-15' });
  });

  test('an external account marked for UMA deposits in the currency is credited instead', async () => {
    const { platform, build, customer, account } = await world();
    const chosen = await build.usd(customer, '999', { defaultUmaDepositAccount: true });
    const payment = await expectStatus(200, receive(platform, { customerId: customer.id }));
    assert.equal((await decided(platform, payment.id)).status, 'COMPLETED');
    assert.equal(await build.balance(account), 0);
    const paid = await service.db.one(sql`select credit_to from payments where id = ${uuidOf(payment.id)}`);
    assert.deepEqual(paid, { credit_to: chosen.id });
  });
});

describe('400', () => {
  test('INVALID_UMA_ADDRESS: to a customer whose address an earlier version took, and no message can be sent to', async () => {
    const { platform, customer } = await world();
    await service.db.run(sql`update customers set uma_address = '$ada@bank.4' where id = ${uuidOf(customer.id)}`);
    assertRefused(await receive(platform, { customerId: customer.id }), 400, 'INVALID_UMA_ADDRESS');
  });

  test('INVALID_INPUT: neither receiver, or two that disagree', async () => {
    const { platform, build, customer } = await world();
    assertInvalid(await receive(platform, {}), 'receiverUmaAddress');
    const other = await build.customer();
    assertInvalid(await receive(platform, { customerId: customer.id, receiverUmaAddress: other.umaAddress }), 'receiverUmaAddress');
  });

  test('INVALID_UMA_ADDRESS, INVALID_CURRENCY, AMOUNT_OUT_OF_RANGE', async () => {
    const { platform, customer } = await world();
    const customerId = customer.id;
    assertRefused(await receive(platform, { customerId, senderUmaAddress: 'x' }), 400, 'INVALID_UMA_ADDRESS');
    assertRefused(await receive(platform, { receiverUmaAddress: 'x' }), 400, 'INVALID_UMA_ADDRESS');
    for (const receivingCurrencyCode of ['MXN', 'XXX'])
      assertRefused(await receive(platform, { customerId, receivingCurrencyCode }), 400, 'INVALID_CURRENCY');
    assertRefused(await receive(platform, { customerId, receivingCurrencyAmount: 100_000_000_000_001 }), 400, 'AMOUNT_OUT_OF_RANGE');
  });

  test('AMOUNT_OUT_OF_RANGE: an amount that the sender would pay with more than there is', async () => {
    const { platform, customer } = await world();
    const [usd] = (await expectStatus(200, platform.get('/config'))).supportedCurrencies;
    const supportedCurrencies = [{ ...usd, maxAmount: 9_000_000_000_000_000 }];
    await expectStatus(200, platform.patch('/config', { supportedCurrencies }));
    const fields = { customerId: customer.id, senderUmaAddress: at('success.mxn'), receivingCurrencyAmount: 1_000_000_000_000_000 };
    assertRefused(await receive(platform, fields), 400, 'AMOUNT_OUT_OF_RANGE');
  });

  test('WEBHOOK_ENDPOINT_NOT_SET: nobody could be asked; nothing is written', async () => {
    const platform = await service.newPlatform();
    const customer = await quoting(platform).customer();
    assertRefused(await receive(platform, { customerId: customer.id }), 400, 'WEBHOOK_ENDPOINT_NOT_SET');
    const rows = await service.db.many(sql`select from uma_invoices where customer_id = ${customer.id.split(':')[1]}`);
    assert.equal(rows.length, 0);
  });
});

describe('404', () => {
  test('UMA_NOT_FOUND: unknown sender or receiver; CUSTOMER_NOT_FOUND by id', async () => {
    const { platform, customer } = await world();
    for (const senderUmaAddress of [at('nobody'), '$ada@elsewhere.example']) {
      const answer = await receive(platform, { customerId: customer.id, senderUmaAddress });
      assertRefused(answer, 404, 'UMA_NOT_FOUND');
      assert.equal(answer.body.reason, 'The sandbox has no sender at that address.');
    }
    assertRefused(await receive(platform, { receiverUmaAddress: '$nobody@elsewhere.example' }), 404, 'UMA_NOT_FOUND');
    const foreign = await quoting(await service.newPlatform()).customer();
    const [first, second] = await Promise.all(
      [foreign.id, `Customer:${randomUUID()}`].map((customerId) => receive(platform, { customerId })),
    );
    assertRefused(first as Answer, 404, 'CUSTOMER_NOT_FOUND');
    assert.equal(first?.text, second?.text);
  });
});

describe("a payment to the platform's own domain", () => {
  async function paid(reply: Reply) {
    const here = await world(reply);
    const { platform, build, customer } = here;
    const payer = await build.customer();
    const source = { ...(await build.fund(await build.account(payer, 'USD'), 100_000)), customerId: payer.id };
    const lookup = await givenLookup(platform, customer.umaAddress, { customerId: payer.id });
    const quote = await build.quote(umaRequest(source, lookup, 10_000));
    await build.execute(quote);
    return { ...here, source, quote, outgoing: await decided(platform, quote.transactionId) };
  }

  test('runs both sides: OUTGOING of the sender, INCOMING of the receiver with approval', async () => {
    const { platform, build, customer, account, source, outgoing } = await paid(200);
    assert.equal(outgoing.status, 'COMPLETED');
    assert.equal(await build.balance(source), 90_000);
    const [incoming] = await service.db.many<{ id: string }>(
      sql`select id from payments where type = 'INCOMING' and customer_id = ${customer.id.split(':')[1]} and source_type = 'UMA_ADDRESS'`,
    );
    assert.equal((await decided(platform, `Transaction:${incoming?.id}`)).status, 'COMPLETED');
    assert.equal(await build.balance(account), 10_000);
  });

  test('is paid to the receiver although the platform has changed its domain after the quote', async () => {
    const { platform, build, customer, account } = await world();
    const payer = await build.customer();
    const source = { ...(await build.fund(await build.account(payer, 'USD'), 100_000)), customerId: payer.id };
    const lookup = await givenLookup(platform, customer.umaAddress, { customerId: payer.id });
    const quote = await build.quote(umaRequest(source, lookup, 10_000));
    await expectStatus(200, platform.patch('/config', { umaDomain: `${randomUUID()}.example` }));
    await build.execute(quote);
    assert.equal((await decided(platform, quote.transactionId)).status, 'COMPLETED');
    await build.settle();
    assert.deepEqual([await build.balance(source), await build.balance(account)], [90_000, 10_000]);
  });

  test('to a provider that is no longer connected fails ACCOUNT_CANNOT_RECEIVE with refund, whatever the provider calls the payment', async () => {
    const { platform, build, customer, account } = await world();
    const payer = await build.customer();
    const source = { ...(await build.fund(await build.account(payer, 'USD'), 100_000)), customerId: payer.id };
    const lookup = await givenLookup(platform, customer.umaAddress, { customerId: payer.id });
    for (const invoice of ['lnbc1', undefined]) {
      const quote = await build.quote(umaRequest(source, lookup, 10_000));
      await service.db.run(sql`
        update uma_payouts set receiver = '$somebody@gone.example', invoice = coalesce(${invoice ?? null}, invoice)
        where payment_id = ${uuidOf(quote.transactionId)}`);
      await build.execute(quote);
      const outgoing = await decided(platform, quote.transactionId);
      assert.deepEqual([outgoing.status, outgoing.failureReason], ['FAILED', 'ACCOUNT_CANNOT_RECEIVE']);
    }
    await build.settle();
    assert.deepEqual([await build.balance(source), await build.balance(account)], [100_000, 0]);
  });

  test("a refusal fails the sender's payment ACCOUNT_CANNOT_RECEIVE with refund", async () => {
    const { build, account, source, outgoing } = await paid(403);
    assert.deepEqual([outgoing.status, outgoing.failureReason], ['FAILED', 'ACCOUNT_CANNOT_RECEIVE']);
    await build.settle();
    assert.equal(await build.balance(source), 100_000);
    assert.equal(await build.balance(account), 0);
  });
});
