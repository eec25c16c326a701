// Prices, recomputed with fractions written by hand.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Terms } from '../../../../src/domains/payments/rates/price.js';
import {
  bandOf,
  conversionFee,
  platformFee,
  priceReceiving,
  priceSending,
  rateBetween,
  SERVICE_TERMS,
  shownRate,
} from '../../../../src/domains/payments/rates/rules.js';
import { fraction, showDecimal } from '../../../../src/kernel/fraction.js';
import { CURRENCIES } from '../../../../src/kernel/money.js';
import { sandboxRates } from '../../../../src/providers/sandbox-rates.js';

const { table } = sandboxRates;

function termsOf(sending: string, receiving: string, platformFixed = 0n, platformBps = 0n): Terms {
  const rate = rateBetween(table, sending, receiving);
  assert.ok(rate);
  return {
    sending,
    receiving,
    rate,
    fees: { platformFixed, platformBps, ...conversionFee(SERVICE_TERMS, table, sending, receiving) },
  };
}

describe('vectors of the sandbox table', () => {
  const sent = (terms: Terms, amount: bigint) => {
    const price = priceSending(terms, amount);
    assert.ok(price);
    return { fees: price.fees, platformFees: price.platformFees, received: price.received };
  };

  test('the fixed fee is 0.10 USD in the sending currency, rounded half up, at least 1 unit', () => {
    const fixed = (code: string) => conversionFee(SERVICE_TERMS, table, code, code === 'USD' ? 'EUR' : 'USD').serviceFixed;
    assert.deepEqual(['USD', 'EUR', 'MXN', 'BTC', 'USDC'].map(fixed), [10n, 9n, 173n, 83n, 100_000n]);
    assert.deepEqual(conversionFee(SERVICE_TERMS, table, 'USD', 'USD'), { serviceFixed: 0n, serviceBps: 0n });
  });

  test('sent → fees, received', () => {
    assert.deepEqual(sent(termsOf('USD', 'EUR'), 100_000n), { fees: 310n, platformFees: 0n, received: 91_714n });
    assert.deepEqual(sent(termsOf('USD', 'EUR', 50n, 30n), 1_000n), { fees: 66n, platformFees: 53n, received: 859n });
    assert.deepEqual(sent(termsOf('USD', 'UGX'), 12_345n), { fees: 47n, platformFees: 0n, received: 467_324n });
    assert.deepEqual(sent(termsOf('BTC', 'USD'), 100_000n), { fees: 383n, platformFees: 0n, received: 11_958n });
  });

  test('RECEIVING: the sender pays more and the receiver gets exactly the locked amount', () => {
    const eur = priceReceiving(termsOf('USD', 'EUR'), 91_540n);
    assert.deepEqual([eur?.sent, eur?.fees, eur?.received], [99_809n, 309n, 91_540n]);
    const mxn = priceReceiving(termsOf('USDC', 'MXN'), 1_725n);
    assert.deepEqual([mxn?.sent, mxn?.fees, mxn?.received], [1_103_009n, 103_009n, 1_725n]);
  });

  test('the published example: 30 bps + 50 of the platform and 100 bps of the service on 1000 leave 937', () => {
    const terms = { ...termsOf('USD', 'USD'), fees: { platformFixed: 50n, platformBps: 30n, serviceFixed: 0n, serviceBps: 100n } };
    assert.deepEqual(sent(terms, 1_000n), { fees: 63n, platformFees: 53n, received: 937n });
  });

  test('an amount that fees use up has no price', () => {
    assert.equal(priceSending(termsOf('USD', 'EUR'), 10n), undefined);
    assert.equal(priceSending(termsOf('USD', 'BTC', 0n, 10_000n), 1_000n), undefined);
    assert.ok(priceSending(termsOf('USD', 'EUR'), 12n));
  });
});

describe('shown rates', () => {
  test('sending units per receiving unit, 8 decimals, or 8 significant digits where that is finer', () => {
    assert.equal(shownRate(termsOf('USD', 'EUR')), '1.08695652');
    assert.equal(shownRate(termsOf('USD', 'USD')), '1');
    assert.equal(shownRate(termsOf('USD', 'IDR')), '0.000061349693');
    assert.equal(shownRate(termsOf('BTC', 'USD')), '0.00000833');
    assert.equal(showDecimal(fraction(0n)), '0');
  });
});

test('platform fees: conversion and rail fees in the sending currency add up; the rail counts only when it carries the payment', () => {
  const fees = [
    { feeType: 'CROSS_CURRENCY_TRANSACTION', sourceCurrency: 'USD', variableFeeBps: 30, fixedFee: { amount: 50, currency: 'USD' } },
    { feeType: 'RAIL', rail: 'ACH', direction: 'OUT', originator: 'GRID', variableFeeBps: 0, fixedFee: { amount: 25, currency: 'USD' } },
    {
      feeType: 'RAIL',
      rail: 'ACH',
      direction: 'OUT',
      originator: 'EXTERNAL',
      variableFeeBps: 0,
      fixedFee: { amount: 99, currency: 'USD' },
    },
  ] as const;
  assert.deepEqual(platformFee(fees, { sending: 'USD', receiving: 'EUR', paymentRail: 'SEPA' }), { platformFixed: 50n, platformBps: 30n });
  assert.deepEqual(platformFee(fees, { sending: 'USD', receiving: 'USD', paymentRail: 'ACH' }), { platformFixed: 25n, platformBps: 0n });
  assert.deepEqual(platformFee(fees, { sending: 'EUR', receiving: 'USD', paymentRail: 'WIRE' }), { platformFixed: 0n, platformBps: 0n });
});

test('the band is the equivalent of 1 to 100,000 USD, rounded into the band', () => {
  assert.deepEqual(bandOf(SERVICE_TERMS, table, 'USD'), { least: 100n, most: 10_000_000n });
  assert.deepEqual(bandOf(SERVICE_TERMS, table, 'EUR'), { least: 92n, most: 9_200_000n });
  assert.deepEqual(bandOf(SERVICE_TERMS, table, 'BTC'), { least: 833n, most: 83_300_000n });
});

// ---- properties

const codes = [...CURRENCIES.keys()];
const currency = fc.constantFrom(...codes);
const fees = fc.record({
  platformFixed: fc.bigInt(0n, 10_000n),
  platformBps: fc.bigInt(0n, 10_000n),
  serviceFixed: fc.bigInt(0n, 10_000n),
  serviceBps: fc.constantFrom(0n, 30n, 100n),
});
const RUNS = Number(process.env['PRICE_RUNS'] ?? 300);

const halfUp = (numerator: bigint, denominator: bigint): bigint => {
  const down = numerator / denominator;
  return 2n * (numerator - down * denominator) >= denominator ? down + 1n : down;
};

/** The receiver's amount by long division of numerators and denominators, without the code under test. */
function byHand(terms: Terms, sent: bigint): { fees: bigint; received: bigint; net: bigint } | undefined {
  const { platformFixed, platformBps, serviceFixed, serviceBps } = terms.fees;
  const base = sent - platformFixed - serviceFixed;
  if (base < 1n) return undefined;
  const all = platformFixed + serviceFixed + halfUp(base * platformBps, 10_000n) + halfUp(base * serviceBps, 10_000n);
  const net = sent - all;
  if (net < 1n) return undefined;
  const decimals = (code: string) => BigInt(CURRENCIES.get(code)?.decimals ?? 0);
  const { numerator, denominator } = terms.rate;
  const received = (net * numerator * 10n ** decimals(terms.receiving)) / (denominator * 10n ** decimals(terms.sending));
  return received < 1n || received > 9_007_199_254_740_991n ? undefined : { fees: all, received, net };
}

describe('properties', () => {
  test('a price is what the hand-written fractions give: fees first, then the rate, rounded down', () => {
    fc.assert(
      fc.property(currency, currency, fees, fc.bigInt(1n, 10n ** 13n), (sending, receiving, charged, amount) => {
        const terms = { ...termsOf(sending, receiving), fees: charged };
        const price = priceSending(terms, amount);
        const expected = byHand(terms, amount);
        assert.deepEqual(
          price && { fees: price.fees, received: price.received },
          expected && { fees: expected.fees, received: expected.received },
        );
        if (!price || !expected) return;
        // Never against the ledger: what goes out is worth at most what stays.
        const paidOut = price.received * terms.rate.denominator * 10n ** BigInt(CURRENCIES.get(sending)?.decimals ?? 0);
        assert.ok(paidOut <= expected.net * terms.rate.numerator * 10n ** BigInt(CURRENCIES.get(receiving)?.decimals ?? 0));
      }),
      { numRuns: RUNS },
    );
  });

  test('RECEIVING finds the smallest sending amount that reaches the locked amount', () => {
    fc.assert(
      fc.property(currency, currency, fees, fc.bigInt(1n, 10n ** 9n), (sending, receiving, charged, amount) => {
        const terms = { ...termsOf(sending, receiving), fees: charged };
        const price = priceReceiving(terms, amount);
        if (!price) return;
        assert.equal(price.received, amount);
        const reached = byHand(terms, price.sent);
        assert.ok(reached && reached.received >= amount && reached.fees === price.fees);
        // Two rounded fees can rise at one step, so smaller amounts near the result are tried one by one.
        for (let less = 1n; less <= 25n && price.sent > less; less += 1n)
          assert.ok((byHand(terms, price.sent - less)?.received ?? 0n) < amount, `${price.sent - less} is enough`);
      }),
      { numRuns: RUNS },
    );
  });

  test('within one currency the receiver gets exactly what the fees leave', () => {
    fc.assert(
      fc.property(fees, fc.bigInt(1n, 10n ** 10n), (charged, amount) => {
        const terms = { ...termsOf('USD', 'USD'), fees: charged };
        const price = priceReceiving(terms, amount);
        if (price) assert.equal(price.sent - price.fees, amount);
      }),
      { numRuns: RUNS },
    );
  });
});
