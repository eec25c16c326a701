// Looking up receivers at UMA addresses: of the sandbox's counterparty, and of the platform's own domain.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { placesHolding } from '../../../support/database-state.js';
import { quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { at, givenLookup, lookUp } from '../../../support/uma.js';

let service: TestService;
let platform: Client;
let pay: ReturnType<typeof quoting>;
before(async () => {
  service = await startTestService();
  platform = service.platform;
  pay = quoting(platform);
  await pay.currencies('USD', 'EUR', 'MXN');
});
after(() => service.stop());

describe('200', () => {
  test('$success.eur: its one currency with rate and bounds, and the payer data that it asks for', async () => {
    const customer = await pay.customer();
    const found = await givenLookup(platform, at('success.eur'), { customerId: customer.id, sendingCurrency: 'USD' });
    assert.match(found.lookupId, /^Lookup:/);
    assert.deepEqual(found, {
      receiverUmaAddress: at('success.eur'),
      lookupId: found.lookupId,
      sendingCurrency: { code: 'USD', name: 'US Dollar', symbol: '$', decimals: 2 },
      supportedCurrencies: [
        {
          currency: { code: 'EUR', name: 'Euro', symbol: '€', decimals: 2 },
          estimatedExchangeRate: 0.92,
          exchangeRate: 1.08695652,
          min: 92,
          max: 9_200_000,
          minSendingAmount: 100,
          maxSendingAmount: 10_000_000,
        },
      ],
      requiredPayerDataFields: [
        { name: 'FULL_NAME', mandatory: true },
        { name: 'BIRTH_DATE', mandatory: true },
        { name: 'NATIONALITY', mandatory: false },
      ],
    });
  });

  test('the others ask for nothing; each has one currency', async () => {
    for (const [name, currency] of [
      ['success.usd', 'USD'],
      ['success.mxn', 'MXN'],
      ['pending.long.usd', 'USD'],
      ['fail.compliance.usd', 'USD'],
    ] as const) {
      const found = await givenLookup(platform, at(name));
      assert.deepEqual(found.requiredPayerDataFields, []);
      assert.deepEqual(
        found.supportedCurrencies.map((each: { currency: { code: string } }) => each.currency.code),
        [currency],
      );
    }
  });

  test("without sendingCurrency the sender's first currency; without a customer the platform is the sender", async () => {
    const customer = await pay.customer({ currencies: ['MXN', 'USD'] });
    assert.equal((await givenLookup(platform, at('success.usd'), { customerId: customer.id })).sendingCurrency.code, 'MXN');
    assert.equal((await givenLookup(platform, at('success.usd'), { senderUmaAddress: customer.umaAddress })).sendingCurrency.code, 'MXN');
    assert.equal((await givenLookup(platform, at('success.usd'))).sendingCurrency.code, 'USD');
  });

  test("a customer at the platform's own umaDomain, in whatever case the address is written, with the currencies that come in", async () => {
    const customer = await pay.customer();
    const found = await givenLookup(platform, customer.umaAddress.toUpperCase());
    assert.equal(found.receiverUmaAddress, customer.umaAddress.toLowerCase());
    assert.deepEqual(
      found.supportedCurrencies.map((each: { currency: { code: string } }) => each.currency.code),
      ['USD', 'EUR', 'MXN'],
    );
  });

  test('what the platform asks for about counterparties is asked of payers to its customers', async () => {
    const own = await service.newPlatform();
    await expectStatus(
      200,
      own.patch('/config', {
        supportedCurrencies: [
          {
            currencyCode: 'USD',
            minAmount: 500,
            maxAmount: 600_000,
            requiredCounterpartyFields: [
              { name: 'FULL_NAME', mandatory: true },
              { name: 'POSTAL_ADDRESS', mandatory: false },
            ],
            enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
          },
        ],
      }),
    );
    const found = await givenLookup(own, (await quoting(own).customer()).umaAddress);
    assert.deepEqual(found.requiredPayerDataFields, [
      { name: 'FULL_NAME', mandatory: true },
      { name: 'POSTAL_ADDRESS', mandatory: false },
    ]);
    assert.deepEqual([found.supportedCurrencies[0].min, found.supportedCurrencies[0].max], [500, 600_000]);
  });

  test('a currency without a rate is left out', async () => {
    const own = await service.newPlatform();
    await quoting(own).currencies('USD');
    await expectStatus(200, own.put('/sandbox/exchange-rates', { currency: 'EUR', available: false }));
    assert.deepEqual((await givenLookup(own, at('success.eur'))).supportedCurrencies, []);
  });

  test('the keys of the platform are sealed in the database', async () => {
    await givenLookup(platform, at('success.usd'));
    const row = await service.db.one<{ signing_key_sealed: Buffer }>(sql`select signing_key_sealed from uma_keys limit 1`);
    assert.ok(row && row.signing_key_sealed.length > 32);
    assert.deepEqual((await placesHolding(service.db, row.signing_key_sealed.toString('hex'))).sort(), ['uma_keys']);
  });
});

describe('400', () => {
  test('INVALID_UMA_ADDRESS: anything but $name@domain of 2 to 200 characters', async () => {
    for (const address of [
      'success.usd@sandbox.uma.money',
      '$success.usd',
      '$@sandbox.uma.money',
      '$a b@sandbox.uma.money',
      '$a@b@c',
      '$a@-x.example',
      `$${'a'.repeat(65)}@x.example`,
      '$a@x.example:8080',
      '$a@bank.4',
      '$a@1.2',
      '$a@bank.xn--a',
      '$ä@x.example',
    ])
      assertRefused(await lookUp(platform, address), 400, 'INVALID_UMA_ADDRESS');
    assertRefused(await lookUp(platform, at('success.usd'), { senderUmaAddress: 'nobody' }), 400, 'INVALID_UMA_ADDRESS');
  });

  test('INVALID_INPUT: customerId and senderUmaAddress must agree', async () => {
    const [ada, grace] = [await pay.customer(), await pay.customer()];
    assertInvalid(
      await lookUp(platform, at('success.usd'), { customerId: ada.id, senderUmaAddress: grace.umaAddress }),
      'senderUmaAddress',
    );
    await givenLookup(platform, at('success.usd'), { customerId: ada.id, senderUmaAddress: ada.umaAddress });
  });

  test('INVALID_CURRENCY: a sending currency that is not supported', async () => {
    for (const sendingCurrency of ['GBP', 'XXX'])
      assertRefused(await lookUp(platform, at('success.usd'), { sendingCurrency }), 400, 'INVALID_CURRENCY');
  });
});

describe('404', () => {
  test('UMA_NOT_FOUND: nobody there, at the sandbox domain and at the own one; an unknown sender', async () => {
    const { umaDomain } = await expectStatus(200, platform.get('/config'));
    const deleted = await pay.customer();
    await expectStatus(200, platform.delete(`/customers/${deleted.id}`));
    for (const address of [at('nobody'), at('tostring'), `$nobody@${umaDomain}`, deleted.umaAddress])
      assertRefused(await lookUp(platform, address), 404, 'UMA_NOT_FOUND');
    assertRefused(await lookUp(platform, at('success.usd'), { senderUmaAddress: `$nobody@${umaDomain}` }), 404, 'UMA_NOT_FOUND');
  });

  test('CUSTOMER_NOT_FOUND: an unknown customer, and one of another platform, with the same bytes', async () => {
    const foreign = await quoting(await service.newPlatform()).customer();
    const [first, second] = await Promise.all(
      [foreign.id, `Customer:${randomUUID()}`].map((customerId) => lookUp(platform, at('success.usd'), { customerId })),
    );
    assertRefused(first as never, 404, 'CUSTOMER_NOT_FOUND');
    assert.equal(first?.text, second?.text);
  });
});

describe('424 LNURLP_REQUEST_FAILED', () => {
  test('any other domain, also the one of another platform here: no message leaves the sandbox', async () => {
    const foreign = await quoting(await service.newPlatform()).customer();
    const unknown = await lookUp(platform, '$ada@elsewhere.example');
    assertRefused(unknown, 424, 'LNURLP_REQUEST_FAILED');
    assert.equal((await lookUp(platform, foreign.umaAddress)).text, unknown.text);
  });
});
