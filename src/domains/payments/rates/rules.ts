// Prices: exact fractions, fees first, and rounding that is never against the ledger. Pure.
import { ApiError, assert, invalidField } from '../../../kernel/errors.js';
import {
  compare,
  dividedBy,
  type Fraction,
  fraction,
  inverse,
  parseDecimal,
  roundDown,
  roundHalfUp,
  roundUp,
  showDecimal,
  times,
} from '../../../kernel/fraction.js';
import { type CurrencyCode, currencyOf, isCurrency, MAX_AMOUNT } from '../../../kernel/money.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import type { FeeConfig, Platform } from '../../core/platform/platform.js';

import type { FeeTerms, LockedSide, Market, NetworkFee, Price, RateDetails, Terms } from './price.js';

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

/** The equivalent in units of another currency, rounded up. */
export function amountIn(market: Pick<Market, 'rateOf'>, amount: Amount, target: CurrencyCode): Amount {
  const equivalent = equivalentOf(market, amount, target);
  assert(equivalent, 'every currency has a published rate');
  return { amount: roundUp(times(equivalent, fraction(scaleOf(target)))), currency: target };
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

/** As `millisatoshi`, for messages that carry it as a number; 1 for a currency without a rate. */
export const millisatoshiOf = (table: Pick<Market, 'rateOf'>, currency: CurrencyCode): number => {
  const exact = millisatoshi(table, currency);
  return exact ? Number(showDecimal(exact)) : 1;
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
  assert(units, 'every currency has a published rate');
  const fixed = roundHalfUp(units);
  return { serviceFixed: fixed < 1n ? 1n : fixed, serviceBps: conversionBps };
}

/** Networks that carry each currency. */
export const NETWORKS_OF: Readonly<Record<CurrencyCode, readonly string[]>> = {
  USDC: ['SOLANA', 'ETHEREUM', 'BASE', 'POLYGON', 'ARBITRUM'],
  USDT: ['TRON', 'ETHEREUM', 'PLASMA'],
  BTC: ['SPARK', 'LIGHTNING', 'BITCOIN'],
  USDB: ['SPARK'],
};

/** The networks that carry a currency, which may be any text of a caller; undefined for one that is on no chain. */
export const networksOf = (currency: string): readonly string[] | undefined =>
  Object.hasOwn(NETWORKS_OF, currency) ? NETWORKS_OF[currency] : undefined;

/** The fee of a network in units of a currency, rounded up: the asset itself where the fee is paid in it, else its cost. */
export function networkFeeIn(fee: NetworkFee, table: Pick<Market, 'rateOf'>, currency: CurrencyCode): bigint {
  if (fee.asset === currency) return fee.amount;
  const units = unitsOfUsd(table, fee.usd, currency);
  assert(units, 'every currency has a published rate');
  return roundUp(units);
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

const atMost = (value: bigint, bound: bigint): bigint => (value < bound ? value : bound);

/**
 * The smallest and largest amount in units of the sending currency that may leave in one payment. Both bounds are allowed. Where a unit of
 * the currency is worth next to nothing, the largest is the largest amount there is, and the smallest may be above it.
 */
export function bandOf({ leastUsd, mostUsd }: ServiceTerms, market: Pick<Market, 'rateOf'>, sending: CurrencyCode) {
  const [least, most] = [unitsOfUsd(market, leastUsd, sending), unitsOfUsd(market, mostUsd, sending)];
  return least && most && { least: roundUp(least), most: atMost(roundDown(most), MAX_AMOUNT) };
}

/** A day's volume is stored as a sum of 64 bits, which no number of payments reaches. */
const MAX_VOLUME = 2n ** 63n - 1n;

/** The most that may leave on one day, in units of the sending currency. */
export function dailyLimitOf({ dailyUsd }: ServiceTerms, market: Pick<Market, 'rateOf'>, sending: CurrencyCode): bigint | undefined {
  const units = unitsOfUsd(market, dailyUsd, sending);
  return units && atMost(roundDown(units), MAX_VOLUME);
}

export const isAbove = (value: Fraction, limit: Fraction): boolean => compare(value, limit) > 0;

// ---- the list of rates

/** The rail that carries a payout in each currency by default. Currencies on chains have none, so they have no row in the list. */
export const DEFAULT_RAILS: Readonly<Record<CurrencyCode, string>> = {
  USD: 'ACH',
  AED: 'BANK_TRANSFER',
  ARS: 'BANK_TRANSFER',
  BDT: 'BANK_TRANSFER',
  BRL: 'PIX',
  BWP: 'MOBILE_MONEY',
  CAD: 'BANK_TRANSFER',
  CNY: 'BANK_TRANSFER',
  COP: 'BANK_TRANSFER',
  DKK: 'SEPA_INSTANT',
  EGP: 'BANK_TRANSFER',
  EUR: 'SEPA_INSTANT',
  GBP: 'FASTER_PAYMENTS',
  GHS: 'BANK_TRANSFER',
  GTQ: 'BANK_TRANSFER',
  HKD: 'BANK_TRANSFER',
  HTG: 'MOBILE_MONEY',
  IDR: 'BANK_TRANSFER',
  ILS: 'BANK_TRANSFER',
  INR: 'UPI',
  JMD: 'BANK_TRANSFER',
  KES: 'MOBILE_MONEY',
  MWK: 'MOBILE_MONEY',
  MXN: 'SPEI',
  MYR: 'BANK_TRANSFER',
  NGN: 'BANK_TRANSFER',
  PHP: 'BANK_TRANSFER',
  PKR: 'BANK_TRANSFER',
  RWF: 'MOBILE_MONEY',
  SGD: 'FAST',
  THB: 'BANK_TRANSFER',
  TRY: 'BANK_TRANSFER',
  TZS: 'MOBILE_MONEY',
  UGX: 'MOBILE_MONEY',
  VND: 'BANK_TRANSFER',
  XAF: 'MOBILE_MONEY',
  XOF: 'MOBILE_MONEY',
  ZAR: 'BANK_TRANSFER',
  ZMW: 'MOBILE_MONEY',
};

/** The currencies that the platform may send. */
export const outgoingCurrencies = ({ config }: Pick<Platform, 'config'>): CurrencyCode[] =>
  config.supportedCurrencies
    .filter(({ enabledTransactionTypes }) => enabledTransactionTypes.includes('OUTGOING'))
    .map(({ currencyCode }) => currencyCode);

// ---- the fee of a withdrawal

export type WithdrawalFacts = {
  readonly account: Pick<InternalAccount, 'currency' | 'status'>;
  readonly currency: CurrencyCode;
  readonly network: string;
  readonly isAddressOfNetwork: boolean;
  readonly amount: bigint;
};

/** What a withdrawal may be asked for. The fee itself follows from the network. */
export function checkWithdrawal({ account, currency, network, isAddressOfNetwork }: WithdrawalFacts): void {
  if (account.status === 'CLOSED') throw new ApiError('ACCOUNT_NOT_FOUND');
  const networks = networksOf(account.currency);
  if (!networks) throw invalidField('internalAccountId', 'does not hold a crypto asset');
  if (currency !== account.currency) throw new ApiError('INVALID_CURRENCY');
  if (!networks.includes(network)) throw invalidField('cryptoNetwork', 'does not carry the currency', { enum: networks });
  if (!isAddressOfNetwork) throw invalidField('destinationAddress', 'is not an address of the network');
}

export type WithdrawalFee = { readonly network: NetworkFee; readonly total: bigint; readonly net: bigint };

export function withdrawalFee(network: NetworkFee, table: Pick<Market, 'rateOf'>, currency: CurrencyCode, amount: bigint): WithdrawalFee {
  const total = networkFeeIn(network, table, currency);
  if (amount - total < 1n) throw new ApiError('AMOUNT_OUT_OF_RANGE');
  return { network, total, net: amount - total };
}

// ---- the sandbox market

type RateChange = { readonly currency: CurrencyCode; readonly perUsd?: string | null; readonly available?: boolean };

/** Digits that keep every price exact and quick. */
const MAX_RATE_DIGITS = 24;

export function checkRateChange(change: RateChange): RateChange {
  const { currency, perUsd } = change;
  if (!isCurrency(currency) || currency === 'USD') throw invalidField('currency', 'must be a currency other than USD');
  const value = perUsd == null ? undefined : parseDecimal(perUsd);
  if (perUsd != null && (!value || value.numerator === 0n || perUsd.length > MAX_RATE_DIGITS))
    throw invalidField('perUsd', `must be a decimal above zero of at most ${MAX_RATE_DIGITS} characters`);
  return change;
}
