// What a look-up shows and for how long it can be used.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newLookup, preferenceOf, sameSender, sendingCurrencyOf, usableLookup } from '../../../../src/domains/payments/receivers/rules.js';
import { newId } from '../../../../src/kernel/ids.js';
import { currencyConfig, individualCustomer, platformWith } from '../../../support/payment-facts.js';
import { marketOf } from '../../../support/quote-facts.js';
import { refusalBy } from '../../../support/refusal.js';

const NOW = new Date('2026-03-04T05:00:00.000Z');
const BOB = '$bob@example.com';

test('"a look-up is good for 60 minutes of the clock, for its own receiver; later 404 LOOKUP_REQUEST_NOT_FOUND"', () => {
  const lookup = newLookup(newId('Lookup'), BOB, null, NOW);
  const at = (ms: number) => new Date(NOW.getTime() + 3_600_000 + ms);
  const used = (one: typeof lookup | undefined, receiver: string, now: Date) => refusalBy(() => usableLookup(one, receiver, now));
  assert.equal(usableLookup(lookup, BOB, at(-1)), lookup);
  assert.equal(used(lookup, BOB, at(0)), 'LOOKUP_REQUEST_NOT_FOUND');
  assert.equal(used(lookup, BOB, at(1)), 'LOOKUP_REQUEST_NOT_FOUND');
  assert.equal(used(lookup, '$eve@example.com', NOW), 'LOOKUP_REQUEST_NOT_FOUND');
  assert.equal(used(undefined, BOB, NOW), 'LOOKUP_REQUEST_NOT_FOUND');
});

describe('the sender', () => {
  const [ada, bob] = [individualCustomer(), individualCustomer()];
  test('named by id, by address or by both, which must agree; without a name it is the platform', () => {
    assert.equal(sameSender(ada, undefined), ada);
    assert.equal(sameSender(undefined, ada), ada);
    assert.equal(sameSender(ada, { ...ada }), ada);
    assert.equal(sameSender(undefined, undefined), null);
    assert.equal(
      refusalBy(() => sameSender(ada, bob)),
      'INVALID_INPUT senderUmaAddress',
    );
  });

  test('"without sendingCurrency the sender\'s first currency; one that is not supported INVALID_CURRENCY"', () => {
    const platform = platformWith({
      config: {
        supportedCurrencies: [
          currencyConfig('USD'),
          currencyConfig('EUR'),
          currencyConfig('MXN', { enabledTransactionTypes: ['INCOMING'] }),
        ],
      },
    });
    const sending = (sender: typeof ada | null, asked?: string) => refusalOrValue(() => sendingCurrencyOf(platform, sender, asked));
    assert.equal(sending(null), 'USD');
    assert.equal(sending(individualCustomer({ currencies: ['MXN', 'EUR', 'USD'] })), 'EUR');
    assert.equal(sending(ada, 'EUR'), 'EUR');
    assert.equal(sending(ada, 'MXN'), 'INVALID_CURRENCY');
    assert.equal(sending(individualCustomer({ currencies: ['MXN'] })), 'INVALID_CURRENCY');
  });
});

const refusalOrValue = (work: () => string): string => {
  const refusal = refusalBy(work);
  return refusal === 'allowed' ? work() : refusal;
};

describe('a currency that the receiver takes', () => {
  const wide = { code: 'EUR', min: 0n, max: 9_007_199_254_740_991n };
  test('"min, max = that band in receiving units"; rates in both directions', () => {
    assert.deepEqual(preferenceOf(marketOf(), 'USD', wide), {
      currency: 'EUR',
      estimatedExchangeRate: '0.92',
      exchangeRate: '1.08695652',
      min: 92n,
      max: 9_200_000n,
      minSending: 100n,
      maxSending: 10_000_000n,
    });
  });

  test("the receiver's own bounds where they are narrower, and at least one unit", () => {
    const bounds = (min: bigint, max: bigint) => {
      const shown = preferenceOf(marketOf(), 'USD', { code: 'EUR', min, max });
      return shown && [shown.min, shown.max];
    };
    assert.deepEqual(bounds(91n, 9_200_001n), [92n, 9_200_000n]);
    assert.deepEqual(bounds(93n, 9_199_999n), [93n, 9_199_999n]);
    assert.deepEqual(bounds(500n, 500n), [500n, 500n]);
    assert.equal(bounds(501n, 500n), undefined, 'bounds that leave nothing');
    // One US dollar is a fraction of a unit here.
    const expensive = { ...marketOf(), rateOf: () => ({ numerator: 1n, denominator: 100_000n }) };
    assert.equal(preferenceOf({ ...expensive }, 'USD', { code: 'USDB', min: 0n, max: 10n })?.min, 1n);
  });

  test('rounded into the band', () => {
    const mxn = preferenceOf(marketOf(), 'EUR', { code: 'UGX', min: 0n, max: 9_007_199_254_740_991n });
    // 0.92 EUR to 92,000.00 EUR at 3800 / 0.92.
    assert.deepEqual(mxn && [mxn.min, mxn.max, mxn.minSending, mxn.maxSending], [3_800n, 380_000_000n, 92n, 9_200_000n]);
  });

  test('without a rate it cannot be paid', () => {
    assert.equal(preferenceOf(marketOf('EUR'), 'USD', wide), undefined);
    assert.equal(preferenceOf(marketOf('USD'), 'EUR', wide), undefined);
  });
});
