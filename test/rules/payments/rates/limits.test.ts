// Equivalents, limits, fees of networks and platforms, and what a withdrawal may be asked for. Prices are in price.test.ts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FeeConfig } from '../../../../src/domains/core/platform/platform.js';
import {
  amountIn,
  bandOf,
  checkRateChange,
  checkWithdrawal,
  conversionFee,
  DEFAULT_RAILS,
  dailyLimitOf,
  equivalentOf,
  isAbove,
  millisatoshiOf,
  NETWORKS_OF,
  networkFeeIn,
  networksOf,
  outgoingCurrencies,
  platformFee,
  priceOf,
  priceReceiving,
  priceSending,
  rateDetailsOf,
  SERVICE_TERMS,
  unitsOfUsd,
  withdrawalFee,
} from '../../../../src/domains/payments/rates/rules.js';
import { fraction } from '../../../../src/kernel/fraction.js';
import { CURRENCIES } from '../../../../src/kernel/money.js';
import { sandboxRates } from '../../../../src/providers/sandbox-rates.js';
import { currencyConfig, platformWith } from '../../../support/payment-facts.js';
import { answerOf, refusalBy } from '../../../support/refusal.js';

const { table } = sandboxRates;
const NO_RATES = { rateOf: () => undefined };
const NO_FEES = { platformFixed: 0n, platformBps: 0n, serviceFixed: 0n, serviceBps: 0n };
const termsOf = (fees = NO_FEES, rate = fraction(1n)) => ({ sending: 'USD', receiving: 'USD', rate, fees });

describe('equivalents', () => {
  test('exact, in whole units; undefined without a rate; the same currency needs none', () => {
    assert.deepEqual(equivalentOf(table, { amount: 92n, currency: 'EUR' }, 'USD'), fraction(1n));
    assert.deepEqual(equivalentOf(table, { amount: 100_000_000n, currency: 'BTC' }, 'BTC'), fraction(1n));
    assert.equal(equivalentOf(NO_RATES, { amount: 1n, currency: 'EUR' }, 'USD'), undefined);
    assert.deepEqual(equivalentOf(NO_RATES, { amount: 1n, currency: 'EUR' }, 'EUR'), fraction(1n, 100n));
  });

  test('an amount in another currency is rounded up', () => {
    assert.deepEqual(amountIn(table, { amount: 92n, currency: 'EUR' }, 'USD'), { amount: 100n, currency: 'USD' });
    assert.deepEqual(amountIn(table, { amount: 93n, currency: 'EUR' }, 'USD'), { amount: 102n, currency: 'USD' });
    assert.throws(() => amountIn(NO_RATES, { amount: 1n, currency: 'EUR' }, 'USD'));
  });

  test('units of a number of US dollars', () => {
    assert.deepEqual(unitsOfUsd(table, fraction(1n, 10n), 'EUR'), fraction(92n, 10n));
    assert.equal(unitsOfUsd(NO_RATES, fraction(1n), 'EUR'), undefined);
  });

  test('millisatoshi per smallest unit, as messages between providers carry it', () => {
    assert.equal(millisatoshiOf(table, 'USD'), 8_330);
    assert.equal(millisatoshiOf(table, 'BTC'), 1_000);
    assert.equal(millisatoshiOf(NO_RATES, 'USD'), 1);
  });

  test('exactly the limit is not above it', () => {
    assert.deepEqual(
      [fraction(999n), fraction(1_000n), fraction(100_001n, 100n)].map((value) => isAbove(value, fraction(1_000n))),
      [false, false, true],
    );
  });
});

describe('limits of the service', () => {
  test('daily "1,000,000.00 USD" in the sending currency, rounded down', () => {
    assert.deepEqual(
      ['USD', 'EUR', 'VND', 'BTC'].map((currency) => dailyLimitOf(SERVICE_TERMS, table, currency)),
      [100_000_000n, 92_000_000n, 25_400_000_000n, 833_000_000n],
    );
    assert.equal(dailyLimitOf({ ...SERVICE_TERMS, dailyUsd: fraction(1n, 3n) }, table, 'USD'), 33n);
    assert.equal(dailyLimitOf(SERVICE_TERMS, NO_RATES, 'EUR'), undefined);
  });

  test('the band is unknown without a rate; bounds that are no whole units are rounded into it', () => {
    assert.equal(bandOf(SERVICE_TERMS, NO_RATES, 'EUR'), undefined);
    const thirds = { ...SERVICE_TERMS, leastUsd: fraction(1n, 3n), mostUsd: fraction(2n, 3n) };
    assert.deepEqual(bandOf(thirds, table, 'USD'), { least: 34n, most: 66n });
  });

  test('a currency that is worth next to nothing: no bound is larger than what can be shown and counted', () => {
    const market = { rateOf: () => fraction(10n ** 12n) };
    assert.deepEqual(bandOf(SERVICE_TERMS, market, 'EUR'), { least: 10n ** 14n, most: 2n ** 53n - 1n });
    assert.equal(dailyLimitOf(SERVICE_TERMS, market, 'EUR'), 2n ** 63n - 1n);
    const below = { rateOf: () => fraction(9n * 10n ** 8n) };
    assert.equal(bandOf(SERVICE_TERMS, below, 'EUR')?.most, 9n * 10n ** 15n);
    assert.equal(dailyLimitOf(SERVICE_TERMS, below, 'EUR'), 9n * 10n ** 16n);
  });

  test('the fee of a conversion: 30 basis points, and at least one unit fixed', () => {
    assert.deepEqual(conversionFee(SERVICE_TERMS, table, 'USD', 'EUR'), { serviceFixed: 10n, serviceBps: 30n });
    const small = { ...SERVICE_TERMS, conversionFixedUsd: fraction(1n, 1_000n) };
    assert.equal(conversionFee(small, table, 'USD', 'EUR').serviceFixed, 1n);
    const one = { ...SERVICE_TERMS, conversionFixedUsd: fraction(1n, 100n) };
    assert.equal(conversionFee(one, table, 'USD', 'EUR').serviceFixed, 1n);
    assert.throws(() => conversionFee(SERVICE_TERMS, NO_RATES, 'EUR', 'USD'));
  });
});

describe('prices at their bounds', () => {
  test('"base, net and the result must each be ≥ 1"', () => {
    const fixed = { ...NO_FEES, platformFixed: 5n, serviceFixed: 5n };
    assert.deepEqual(
      [10n, 11n].map((sent) => priceSending(termsOf(fixed), sent)?.received),
      [undefined, 1n],
    );
    const half = { ...NO_FEES, platformBps: 5_000n };
    assert.deepEqual(
      [1n, 2n].map((sent) => priceSending(termsOf(half), sent)?.received),
      [undefined, 1n],
      'half up: all of one unit is a fee',
    );
    assert.deepEqual(
      [9n, 10n].map((sent) => priceSending(termsOf(NO_FEES, fraction(1n, 10n)), sent)?.received),
      [undefined, 1n],
    );
  });

  test('no more is received or sent than JSON carries exactly', () => {
    const most = 9_007_199_254_740_991n;
    assert.equal(priceSending(termsOf(), most)?.received, most);
    assert.equal(priceSending(termsOf(NO_FEES, fraction(2n)), most), undefined);
    assert.equal(priceReceiving(termsOf(), most)?.sent, most);
    assert.equal(priceReceiving(termsOf({ ...NO_FEES, serviceFixed: 1n }), most), undefined);
  });

  test('variable fees of everything leave nothing to receive', () => {
    const bps = (platformBps: bigint, serviceBps: bigint) => termsOf({ ...NO_FEES, platformBps, serviceBps });
    assert.equal(priceReceiving(bps(9_970n, 30n), 1n), undefined);
    assert.equal(priceReceiving(bps(9_971n, 30n), 1n), undefined);
    assert.ok(priceReceiving(bps(9_969n, 30n), 1n));
  });

  test('a locked amount without a price is AMOUNT_OUT_OF_RANGE, on either side', () => {
    const fixed = termsOf({ ...NO_FEES, serviceFixed: 10n });
    assert.deepEqual([priceOf(fixed, 'SENDING', 11n).received, priceOf(fixed, 'RECEIVING', 1n).sent], [1n, 11n]);
    assert.equal(
      refusalBy(() => priceOf(fixed, 'SENDING', 10n)),
      'AMOUNT_OUT_OF_RANGE',
    );
    assert.equal(
      refusalBy(() => priceOf(fixed, 'RECEIVING', 9_007_199_254_740_991n)),
      'AMOUNT_OUT_OF_RANGE',
    );
  });

  test('rateDetails: the fees of the service and the multipliers through millisatoshi; none within one currency', () => {
    const terms = { ...termsOf({ ...NO_FEES, serviceFixed: 10n, serviceBps: 30n }), receiving: 'EUR' };
    const price = { sent: 1n, received: 1n, fees: 1n, platformFees: 0n, serviceVariable: 300n };
    assert.deepEqual(rateDetailsOf(terms, price, table), {
      counterpartyMultiplier: 9_054.34782609,
      counterpartyFixedFee: 0,
      gridApiMultiplier: 8_330,
      gridApiFixedFee: 10,
      gridApiVariableFeeRate: 0.003,
      gridApiVariableFeeAmount: 300,
    });
    assert.equal(rateDetailsOf(termsOf(), price, table), null);
    const only = (known: string) => ({ rateOf: (sending: string) => (sending === known ? fraction(1n) : undefined) });
    assert.equal(rateDetailsOf(terms, price, only('USD')), null);
    assert.equal(rateDetailsOf(terms, price, only('EUR')), null);
  });
});

describe('fees of a platform', () => {
  const fee = (fields: Partial<FeeConfig>): FeeConfig => ({
    feeType: 'CROSS_CURRENCY_TRANSACTION',
    variableFeeBps: 1,
    fixedFee: { amount: 1, currency: 'USD' },
    ...fields,
  });
  const charged = (fields: Partial<FeeConfig>, receiving = 'EUR', paymentRail: string | null = 'ACH') =>
    platformFee([fee(fields)], { sending: 'USD', receiving, paymentRail }).platformFixed === 1n;
  const rail = { feeType: 'RAIL', rail: 'ACH', direction: 'OUT', originator: 'GRID' } as const;

  test('a conversion fee: of its source currency, when the currencies differ', () => {
    assert.equal(charged({ sourceCurrency: 'USD' }), true);
    assert.equal(charged({ sourceCurrency: 'EUR' }), false);
    assert.equal(charged({ sourceCurrency: 'USD' }, 'USD'), false);
  });

  test('a rail fee: of the rail used, direction OUT, originated by the service itself', () => {
    assert.equal(charged(rail), true);
    assert.equal(charged({ ...rail, rail: 'WIRE' }), false);
    assert.equal(charged({ ...rail, direction: 'IN' }), false);
    assert.equal(charged({ ...rail, originator: 'EXTERNAL' }), false);
    assert.equal(charged(rail, 'EUR', null), false);
  });

  test('a fee in another currency than the sending one is not charged; others add up', () => {
    const other = fee({ sourceCurrency: 'USD', variableFeeBps: 100, fixedFee: { amount: 100, currency: 'EUR' } });
    const fees = [fee({ sourceCurrency: 'USD', variableFeeBps: 3, fixedFee: { amount: 5, currency: 'USD' } }), fee(rail), other];
    assert.deepEqual(platformFee(fees, { sending: 'USD', receiving: 'EUR', paymentRail: 'ACH' }), { platformFixed: 6n, platformBps: 4n });
  });
});

describe('networks', () => {
  test('which networks carry each asset', () => {
    assert.deepEqual(NETWORKS_OF, {
      USDC: ['SOLANA', 'ETHEREUM', 'BASE', 'POLYGON', 'ARBITRUM'],
      USDT: ['TRON', 'ETHEREUM', 'PLASMA'],
      BTC: ['SPARK', 'LIGHTNING', 'BITCOIN'],
      USDB: ['SPARK'],
    });
  });

  test('a text that is no currency is on no network, words of JavaScript included', () => {
    assert.deepEqual(networksOf('USDB'), ['SPARK']);
    for (const text of ['USD', 'constructor', '__proto__']) assert.equal(networksOf(text), undefined);
  });

  test('the cost of a network is converted at the table and rounded up; a fee in the asset itself is the raw fee', () => {
    const ethereum = { asset: 'ETH', amount: 42_000_000_000_000n, usd: fraction(15n, 100n) };
    assert.equal(networkFeeIn(ethereum, table, 'USDC'), 150_000n);
    assert.equal(networkFeeIn({ ...ethereum, usd: fraction(1n, 3_000_000n) }, table, 'USDC'), 1n);
    assert.equal(networkFeeIn({ asset: 'BTC', amount: 1_000n, usd: fraction(12n, 100n) }, table, 'BTC'), 1_000n);
    assert.throws(() => networkFeeIn(ethereum, NO_RATES, 'USDC'));
  });

  test('netAmount < 1 is AMOUNT_OUT_OF_RANGE', () => {
    const network = { asset: 'BTC', amount: 10n, usd: fraction(0n) };
    assert.deepEqual(withdrawalFee(network, table, 'BTC', 11n), { network, total: 10n, net: 1n });
    assert.equal(
      refusalBy(() => withdrawalFee(network, table, 'BTC', 10n)),
      'AMOUNT_OUT_OF_RANGE',
    );
  });

  test('a withdrawal: closed account, no crypto, other currency, other network, other address, in this order', () => {
    const asked = (fields: Partial<Parameters<typeof checkWithdrawal>[0]>) =>
      refusalBy(() =>
        checkWithdrawal({
          account: { currency: 'USDC', status: 'ACTIVE' },
          currency: 'USDC',
          network: 'BASE',
          isAddressOfNetwork: true,
          amount: 1n,
          ...fields,
        }),
      );
    const wrong = { currency: 'BTC', network: 'TRON', isAddressOfNetwork: false };
    assert.equal(asked({ ...wrong, account: { currency: 'USD', status: 'CLOSED' } }), 'ACCOUNT_NOT_FOUND');
    assert.equal(asked({ ...wrong, account: { currency: 'USD', status: 'ACTIVE' } }), 'INVALID_INPUT internalAccountId');
    assert.equal(asked(wrong), 'INVALID_CURRENCY');
    assert.equal(asked({ ...wrong, currency: 'USDC' }), 'INVALID_INPUT cryptoNetwork');
    assert.equal(asked({ isAddressOfNetwork: false }), 'INVALID_INPUT destinationAddress');
    assert.equal(asked({}), 'allowed');
    const [, details] = answerOf(() =>
      checkWithdrawal({
        account: { currency: 'USDT', status: 'ACTIVE' },
        currency: 'USDT',
        network: 'BASE',
        isAddressOfNetwork: true,
        amount: 1n,
      }),
    );
    assert.deepEqual(details, {
      errors: [{ field: 'cryptoNetwork', message: 'does not carry the currency', constraint: { enum: ['TRON', 'ETHEREUM', 'PLASMA'] } }],
    });
  });
});

describe('the list of rates', () => {
  /** Currency → default rail, as the facts list them by account type. */
  const RAILS: Readonly<Record<string, string>> = {
    ACH: 'USD',
    PIX: 'BRL',
    SEPA_INSTANT: 'DKK EUR',
    FASTER_PAYMENTS: 'GBP',
    UPI: 'INR',
    SPEI: 'MXN',
    FAST: 'SGD',
    MOBILE_MONEY: 'BWP HTG KES MWK RWF TZS UGX XAF XOF ZMW',
    BANK_TRANSFER: 'AED ARS BDT CAD CNY COP EGP GHS GTQ HKD IDR ILS JMD MYR NGN PHP PKR THB TRY VND ZAR',
  };
  test('every fiat currency has the default rail of its accounts, crypto has none', () => {
    const expected = Object.entries(RAILS).flatMap(([rail, codes]) => codes.split(' ').map((code) => [code, rail]));
    assert.deepEqual(DEFAULT_RAILS, Object.fromEntries(expected));
    const crypto = [...CURRENCIES.keys()].filter((code) => !(code in DEFAULT_RAILS));
    assert.deepEqual(crypto.sort(), ['BTC', 'USDB', 'USDC', 'USDT']);
  });

  test("sources are the platform's currencies with OUTGOING enabled", () => {
    const supportedCurrencies = [
      currencyConfig('USD'),
      currencyConfig('EUR', { enabledTransactionTypes: ['INCOMING'] }),
      currencyConfig('MXN'),
    ];
    assert.deepEqual(outgoingCurrencies(platformWith({ config: { supportedCurrencies } })), ['USD', 'MXN']);
  });
});

describe('moving the sandbox market', () => {
  const changed = (change: Parameters<typeof checkRateChange>[0]) => refusalBy(() => checkRateChange(change));
  test('any currency but USD; a decimal above zero of at most 24 characters, or null for the table', () => {
    assert.equal(changed({ currency: 'USD', available: false }), 'INVALID_INPUT currency');
    assert.equal(changed({ currency: 'XXX', available: false }), 'INVALID_INPUT currency');
    for (const perUsd of ['0.92', '1', null, '9'.repeat(24), undefined])
      assert.equal(changed({ currency: 'EUR', ...(perUsd !== undefined && { perUsd }) }), 'allowed', String(perUsd));
    for (const perUsd of ['0', '0.00', '', '-1', 'x', '1e3', '9'.repeat(25)])
      assert.equal(changed({ currency: 'EUR', perUsd }), 'INVALID_INPUT perUsd', perUsd);
    const change = { currency: 'EUR', perUsd: '0.9', available: true };
    assert.equal(checkRateChange(change), change);
  });
});
