import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { quoting } from '../../../support/quotes.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

async function market() {
  const platform = await service.newPlatform();
  const pay = quoting(platform);
  await pay.currencies('USD', 'EUR', 'BTC');
  const list = async (query = ''): Promise<Resource[]> => (await expectStatus(200, platform.get(`/exchange-rates${query}`))).data;
  return { platform, pay, list };
}

describe('200', () => {
  test('one row per currency the platform sends and per fiat currency, without itself', async () => {
    const { list } = await market();
    const rows = await list();
    const pairs = rows.map((row) => `${row.sourceCurrency.code} ${row.destinationCurrency.code}`);
    assert.equal(new Set(pairs).size, pairs.length);
    assert.ok(pairs.includes('BTC USD') && pairs.includes('EUR USD') && pairs.includes('USD EUR'));
    assert.ok(!pairs.some((pair) => pair.endsWith('BTC') || pair === 'USD USD'));
  });

  test('a row prices the amount as a quote of the platform would', async () => {
    const { platform, pay, list } = await market();
    await expectStatus(
      200,
      platform.patch('/config', {
        feeConfigs: [
          { feeType: 'CROSS_CURRENCY_TRANSACTION', sourceCurrency: 'USD', variableFeeBps: 30, fixedFee: { amount: 50, currency: 'USD' } },
        ],
      }),
    );
    const [row] = await list('?sourceCurrency=USD&destinationCurrency=EUR&sendingAmount=100000');
    const customer = await pay.customer();
    const quote = await pay.quote(pay.request(await pay.account(customer, 'USD'), await pay.eur(customer), 100_000));
    assert.deepEqual(
      [row.sendingAmount, row.receivingAmount, row.exchangeRate, row.fees.total, row.fees.fixed, row.destinationPaymentRail],
      [100_000, quote.totalReceivingAmount, quote.exchangeRate, quote.feesIncluded, 60, 'SEPA_INSTANT'],
    );
    assert.deepEqual([row.minSendingAmount, row.maxSendingAmount], [100, 10_000_000]);
  });

  test('destinationCurrency is repeatable; a currency that is not offered has no row; the amount is 10000 by default', async () => {
    const { list } = await market();
    const rows = await list('?sourceCurrency=USD&destinationCurrency=EUR&destinationCurrency=MXN&destinationCurrency=USDC');
    assert.deepEqual(
      rows.map((row) => [row.destinationCurrency.code, row.sendingAmount]),
      [
        ['EUR', 10_000],
        ['MXN', 10_000],
      ],
    );
    assert.deepEqual(await list('?sourceCurrency=GBP'), []);
  });

  test('an amount that no quote could carry: receivingAmount 0', async () => {
    const { list } = await market();
    const [row] = await list('?sourceCurrency=USD&destinationCurrency=EUR&sendingAmount=5');
    assert.equal(row.receivingAmount, 0);
    const received = async (amount: number) =>
      (await list(`?sourceCurrency=USD&destinationCurrency=EUR&sendingAmount=${amount}`))[0].receivingAmount;
    const [most, tooMuch] = [await received(100_000_000_000_000), await received(100_000_000_000_001)];
    assert.ok(most > 0);
    assert.equal(tooMuch, 0, 'above the bounds of the platform');
  });

  test('fixed fees above every amount: nothing can be sent, so the pair has no row', async () => {
    const { platform, list } = await market();
    const charge = (amount: number) =>
      expectStatus(
        200,
        platform.patch('/config', {
          feeConfigs: [
            { feeType: 'CROSS_CURRENCY_TRANSACTION', sourceCurrency: 'USD', variableFeeBps: 0, fixedFee: { amount, currency: 'USD' } },
          ],
        }),
      );
    await charge(Number.MAX_SAFE_INTEGER);
    assert.deepEqual(await list('?sourceCurrency=USD'), []);
    await charge(Number.MAX_SAFE_INTEGER - 10);
    const [row] = await list('?sourceCurrency=USD&destinationCurrency=EUR');
    assert.deepEqual([row.receivingAmount, row.fees.fixed], [0, Number.MAX_SAFE_INTEGER]);
  });

  test('updatedAt is the start of the five-minute slot, or the later change of the sandbox market', async () => {
    const { platform, list } = await market();
    await platform.clock.freeze('2026-05-05T10:07:30.000Z');
    const at = async () => (await list('?sourceCurrency=USD&destinationCurrency=EUR'))[0].updatedAt;
    assert.equal(await at(), '2026-05-05T10:05:00.000Z');
    await expectStatus(200, platform.put('/sandbox/exchange-rates', { currency: 'EUR', perUsd: '0.5' }));
    assert.equal(await at(), '2026-05-05T10:07:30.000Z');
    await platform.clock.advance(180_000);
    assert.equal(await at(), '2026-05-05T10:10:00.000Z');
  });
});

describe('400', () => {
  test('INVALID_CURRENCY for an unknown code, INVALID_INPUT for an amount that is not above zero', async () => {
    const { platform } = await market();
    assertRefused(await platform.get('/exchange-rates?sourceCurrency=XXX'), 400, 'INVALID_CURRENCY');
    assertRefused(await platform.get('/exchange-rates?destinationCurrency=EUR&destinationCurrency=XXX'), 400, 'INVALID_CURRENCY');
    assertInvalid(await platform.get('/exchange-rates?sendingAmount=0'), 'sendingAmount');
    assertInvalid(await platform.get('/exchange-rates?sendingAmount=many'), 'sendingAmount');
  });
});

describe('PUT /sandbox/exchange-rates', () => {
  test('moves one currency of this platform and answers the three members; null goes back to the table; quotes made before keep their rate', async () => {
    const { platform, pay, list } = await market();
    const rateOf = async () => (await list('?sourceCurrency=USD&destinationCurrency=EUR'))[0].exchangeRate;
    const customer = await pay.customer();
    const quote = await pay.quote(pay.request(await pay.account(customer, 'USD'), await pay.eur(customer), 10_000));
    const put = (body: unknown) => expectStatus(200, platform.put('/sandbox/exchange-rates', body));
    assert.deepEqual(await put({ currency: 'EUR', perUsd: '0.5' }), { currency: 'EUR', perUsd: '0.5', available: true });
    assert.equal(await rateOf(), 2);
    assert.equal((await pay.getQuote(quote)).exchangeRate, 1.08695652);
    assert.deepEqual(await put({ currency: 'EUR', available: false }), { currency: 'EUR', perUsd: '0.5', available: false });
    assert.deepEqual(await list('?sourceCurrency=USD&destinationCurrency=EUR'), []);
    assert.deepEqual(await put({ currency: 'EUR', perUsd: null, available: true }), { currency: 'EUR', perUsd: null, available: true });
    assert.equal(await rateOf(), 1.08695652);
    const other = await market();
    assert.equal((await other.list('?sourceCurrency=USD&destinationCurrency=EUR'))[0].exchangeRate, 1.08695652);
  });

  test('a currency that is worth next to nothing: its bounds end at the largest amount, and what cannot be sent has no row', async () => {
    const { platform, pay, list } = await market();
    const customer = await pay.customer();
    const account = await pay.fund(await pay.account(customer, 'EUR'), 100);
    const outside = await pay.eur(customer);
    const lookUp = () => expectStatus(200, platform.get(`/receiver/external-account/${outside.id}?sendingCurrency=EUR`));
    const put = (perUsd: string) => expectStatus(200, platform.put('/sandbox/exchange-rates', { currency: 'EUR', perUsd }));
    await put('1000000000');
    const [row] = await list('?sourceCurrency=EUR&destinationCurrency=USD');
    assert.deepEqual([row.minSendingAmount, row.maxSendingAmount], [100_000_000_000, Number.MAX_SAFE_INTEGER]);
    assert.equal((await lookUp()).supportedCurrencies[0].maxSendingAmount, Number.MAX_SAFE_INTEGER);
    await put('9'.repeat(24));
    assert.deepEqual(await list('?sourceCurrency=EUR'), []);
    assert.deepEqual((await lookUp()).supportedCurrencies, []);
    await put('1600000000000');
    const body = { source: { accountId: account.id }, destination: { accountId: outside.id }, amount: 100 };
    assert.equal((await expectStatus(200, platform.post('/transfer-out', body))).status, 'PENDING');
  });

  test('400 INVALID_INPUT: USD, an unknown currency, a rate that is not above zero, no change at all', async () => {
    const put = (body: unknown) => service.platform.put('/sandbox/exchange-rates', body);
    assertInvalid(await put({ currency: 'USD', perUsd: '2' }), 'currency');
    assertInvalid(await put({ currency: 'XXX', perUsd: '2' }), 'currency');
    for (const perUsd of ['0', '-1', '1e3', '', '1.'.repeat(10)]) assertInvalid(await put({ currency: 'EUR', perUsd }), 'perUsd');
    assertRefused(await put({ currency: 'EUR' }), 400, 'INVALID_INPUT');
  });
});

describe('estimateCryptoWithdrawalFee', () => {
  const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
  const ask = async (fields: Record<string, unknown> = {}) => {
    const { platform, pay } = await market();
    await pay.currencies('USD', 'USDC', 'BTC');
    const customer = await pay.customer();
    const account = await pay.account(customer, 'USDC');
    const usd = await pay.account(customer, 'USD');
    const body = {
      internalAccountId: account.id,
      currency: 'USDC',
      cryptoNetwork: 'ETHEREUM',
      amount: 1_000_000,
      destinationAddress: ADDRESS,
      ...fields,
    };
    return platform.post(
      '/crypto/estimate-withdrawal-fee',
      fields['fiat'] ? { ...body, fiat: undefined, internalAccountId: usd.id } : body,
    );
  };

  test('200: the fee of the network, in its asset and in the currency', async () => {
    assert.deepEqual((await ask()).body, {
      networkFee: 42_000_000_000_000,
      networkFeeAsset: 'ETH',
      applicationFee: 0,
      totalFee: 150_000,
      netAmount: 850_000,
    });
  });

  test('400 and 404, by what is wrong', async () => {
    assertRefused(await ask({ internalAccountId: 'InternalAccount:00000000-0000-4000-8000-000000000000' }), 404, 'ACCOUNT_NOT_FOUND');
    assertInvalid(await ask({ fiat: true }), 'internalAccountId');
    assertRefused(await ask({ currency: 'USDT' }), 400, 'INVALID_CURRENCY');
    assertInvalid(await ask({ cryptoNetwork: 'TRON' }), 'cryptoNetwork');
    assertInvalid(await ask({ cryptoNetwork: '__proto__' }), 'cryptoNetwork');
    assertInvalid(await ask({ cryptoNetwork: 'constructor' }), 'cryptoNetwork');
    assertInvalid(await ask({ cryptoNetwork: 'SOLANA' }), 'destinationAddress');
    assertInvalid(await ask({ amount: 0 }), 'amount');
    assertRefused(await ask({ amount: 150_000 }), 400, 'AMOUNT_OUT_OF_RANGE');
    assert.equal((await ask({ amount: 150_001 })).body.netAmount, 1);
  });
});
