// Prices: exact fractions, fees first, and rounding that is never against the ledger. Pure.
import { ApiError } from '../../../kernel/errors.js';
import {
  compare,
  dividedBy,
  type Fraction,
  fraction,
  inverse,
  roundDown,
  roundHalfUp,
  roundUp,
  showDecimal,
  times,
} from '../../../kernel/fraction.js';
import { type CurrencyCode, currencyOf, MAX_AMOUNT } from '../../../kernel/money.js';
import type { FeeConfig } from '../../core/platform/platform.js';

import type { FeeTerms, LockedSide, Market, Price, RateDetails, Terms } from './price.js';

// ---- conversion

type Amount = { readonly amount: bigint; readonly currency: CurrencyCode };

const ONE = fraction(1n);
const scaleOf = (currency: CurrencyCode): bigint => 10n ** BigInt(currencyOf(currency).decimals);

/** The rate in smallest units. */
const unitRate = ({ sending, receiving, rate }: Pick<Terms, 'sending' | 'receiving' | 'rate'>): Fraction =>
  times(rate, fraction(scaleOf(receiving), scaleOf(sending)));

export const rateBetween = (market: Pick<Market, 'rateOf'>, sending: CurrencyCode, receiving: CurrencyCode): Fraction | undefined =>
  sending === receiving ? ONE : market.rateOf(sending, receiving);

/** The exact equivalent in whole units of another currency; undefined while there is no rate. */
export function equivalentOf(market: Pick<Market, 'rateOf'>, { amount, currency }: Amount, target: CurrencyCode): Fraction | undefined {
  const rate = rateBetween(market, currency, target);
  return rate && times(fraction(amount, scaleOf(currency)), rate);
}

/** Smallest units of a currency for a number of whole US dollars, not rounded. */
export function unitsOfUsd(market: Pick<Market, 'rateOf'>, usd: Fraction, currency: CurrencyCode): Fraction | undefined {
  const rate = rateBetween(market, 'USD', currency);
  return rate && times(times(usd, rate), fraction(scaleOf(currency)));
}

// ---- price of a payment

const BPS = 10_000n;
const share = (base: bigint, bps: bigint): bigint => roundHalfUp(fraction(base * bps, BPS));

/** All fixed fees first, then each variable fee on what is left, rounded on its own. Undefined when nothing is left for the receiver. */
export function priceSending(terms: Terms, sent: bigint): Price | undefined {
  const { platformFixed, platformBps, serviceFixed, serviceBps } = terms.fees;
  const base = sent - platformFixed - serviceFixed;
  if (base < 1n) return undefined;
  const platformFees = platformFixed + share(base, platformBps);
  const serviceVariable = share(base, serviceBps);
  const fees = platformFees + serviceFixed + serviceVariable;
  const net = sent - fees;
  if (net < 1n) return undefined;
  const received = roundDown(times(fraction(net), unitRate(terms)));
  return received < 1n || received > MAX_AMOUNT ? undefined : { sent, received, fees, platformFees, serviceVariable };
}

/**
 * The smallest sending amount whose receiver gets at least `received`. One more unit sent brings at most one more unit after fees, so a
 * step as long as the missing amount never passes the smallest amount. The rounding of two variable fees moves the result by one unit.
 */
export function priceReceiving(terms: Terms, received: bigint): Price | undefined {
  const { platformFixed, platformBps, serviceFixed, serviceBps } = terms.fees;
  const kept = BPS - platformBps - serviceBps;
  if (kept <= 0n) return undefined;
  const net = roundUp(dividedBy(fraction(received), unitRate(terms)));
  const least = roundUp(fraction((net - 1n) * BPS, kept));
  let sent = platformFixed + serviceFixed + (least < 1n ? 1n : least);
  for (;;) {
    if (sent > MAX_AMOUNT) return undefined;
    const { platformFees, serviceVariable } = feesAt(terms.fees, sent);
    const fees = platformFees + serviceFixed + serviceVariable;
    const missing = net - (sent - fees);
    if (missing <= 0n) return { sent, received, fees, platformFees, serviceVariable };
    sent += missing;
  }
}

const feesAt = ({ platformFixed, platformBps, serviceFixed, serviceBps }: FeeTerms, sent: bigint) => {
  const base = sent - platformFixed - serviceFixed;
  return { platformFees: platformFixed + share(base, platformBps), serviceVariable: share(base, serviceBps) };
};

/** The price of a locked amount, or a refusal when fees or rounding leave nothing. */
export function priceOf(terms: Terms, side: LockedSide, amount: bigint): Price {
  const price = side === 'SENDING' ? priceSending(terms, amount) : priceReceiving(terms, amount);
  if (!price) throw new ApiError('AMOUNT_OUT_OF_RANGE');
  return price;
}

// ---- what is shown

/** Sending units per receiving unit, in whole units. */
export const shownRate = ({ rate }: Pick<Terms, 'rate'>): string => showDecimal(inverse(rate));

/** Millisatoshi per smallest unit, at the published rates. */
const millisatoshi = (table: Pick<Market, 'rateOf'>, currency: CurrencyCode): Fraction | undefined => {
  const bitcoin = rateBetween(table, currency, 'BTC');
  return bitcoin && times(bitcoin, fraction(scaleOf('BTC') * 1_000n, scaleOf(currency)));
};

/** Absent within one currency. */
export function rateDetailsOf(
  { sending, receiving, fees }: Terms,
  { serviceVariable }: Price,
  table: Pick<Market, 'rateOf'>,
): RateDetails | null {
  if (sending === receiving) return null;
  const [sold, bought] = [millisatoshi(table, sending), millisatoshi(table, receiving)];
  if (!sold || !bought) return null;
  return {
    counterpartyMultiplier: Number(showDecimal(bought)),
    counterpartyFixedFee: 0,
    gridApiMultiplier: Number(showDecimal(sold)),
    gridApiFixedFee: Number(fees.serviceFixed),
    gridApiVariableFeeRate: Number(showDecimal(fraction(fees.serviceBps, BPS))),
    gridApiVariableFeeAmount: Number(serviceVariable),
  };
}

// ---- fees and limits of a platform

/** What the operator sets for a platform. Amounts in whole US dollars. */
export type ServiceTerms = {
  readonly conversionBps: bigint;
  readonly conversionFixedUsd: Fraction;
  readonly leastUsd: Fraction;
  readonly mostUsd: Fraction;
  readonly dailyUsd: Fraction;
};

export const SERVICE_TERMS: ServiceTerms = {
  conversionBps: 30n,
  conversionFixedUsd: fraction(1n, 10n),
  leastUsd: fraction(1n),
  mostUsd: fraction(100_000n),
  dailyUsd: fraction(1_000_000n),
};

/** The service's fee between two currencies: none within one. The fixed part is at least one unit. */
export function conversionFee(
  { conversionBps, conversionFixedUsd }: ServiceTerms,
  table: Pick<Market, 'rateOf'>,
  sending: CurrencyCode,
  receiving: CurrencyCode,
): Pick<FeeTerms, 'serviceFixed' | 'serviceBps'> {
  if (sending === receiving) return { serviceFixed: 0n, serviceBps: 0n };
  const units = unitsOfUsd(table, conversionFixedUsd, sending);
  const fixed = units ? roundHalfUp(units) : 0n;
  return { serviceFixed: fixed < 1n ? 1n : fixed, serviceBps: conversionBps };
}

/** The originator of fees on payments that the service itself sends out. */
const OWN_ORIGINATOR = 'GRID';

/** The platform's fees: for a conversion from the currency, and for the rail that carries the payment out. */
export function platformFee(
  fees: readonly FeeConfig[],
  {
    sending,
    receiving,
    paymentRail,
  }: { readonly sending: CurrencyCode; readonly receiving: CurrencyCode; readonly paymentRail: string | null },
): Pick<FeeTerms, 'platformFixed' | 'platformBps'> {
  const charged = fees.filter((fee) =>
    fee.feeType === 'RAIL'
      ? fee.rail === paymentRail && fee.direction === 'OUT' && fee.originator === OWN_ORIGINATOR
      : fee.sourceCurrency === sending && sending !== receiving,
  );
  const inCurrency = charged.filter(({ fixedFee }) => fixedFee.currency === sending);
  return {
    platformFixed: inCurrency.reduce((sum, { fixedFee }) => sum + BigInt(fixedFee.amount), 0n),
    platformBps: inCurrency.reduce((sum, { variableFeeBps }) => sum + BigInt(variableFeeBps), 0n),
  };
}

/** The smallest and largest amount in units of the sending currency that may leave in one payment. Both bounds are allowed. */
export function bandOf({ leastUsd, mostUsd }: ServiceTerms, market: Pick<Market, 'rateOf'>, sending: CurrencyCode) {
  const [least, most] = [unitsOfUsd(market, leastUsd, sending), unitsOfUsd(market, mostUsd, sending)];
  return least && most && { least: roundUp(least), most: roundDown(most) };
}

/** The most that may leave on one day, in units of the sending currency. */
export function dailyLimitOf({ dailyUsd }: ServiceTerms, market: Pick<Market, 'rateOf'>, sending: CurrencyCode): bigint | undefined {
  const units = unitsOfUsd(market, dailyUsd, sending);
  return units && roundDown(units);
}

export const isAbove = (value: Fraction, limit: Fraction): boolean => compare(value, limit) > 0;
