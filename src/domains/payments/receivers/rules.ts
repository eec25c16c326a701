// What a look-up shows: currencies with their rates and bounds. Pure.
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { fraction, roundDown, roundUp, showDecimal, times } from '../../../kernel/fraction.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { currencyOf, MAX_AMOUNT } from '../../../kernel/money.js';
import { HOUR_MS, plusMs } from '../../../kernel/time.js';
import type { Platform } from '../../core/platform/platform.js';
import type { Customer } from '../../identity/customers/customer.js';
import { bandOf, outgoingCurrencies, rateBetween, SERVICE_TERMS, shownRate } from '../rates/actions.js';
import type { Market } from '../rates/price.js';
import type { FoundReceiver } from '../uma/uma.js';
import type { CurrencyPreference, Lookup, LookupId } from './lookup.js';

const LIFE_MS = HOUR_MS;

export const newLookup = (id: LookupId, receiver: string, found: FoundReceiver | null, now: Date): Lookup => ({
  id,
  receiver,
  found,
  expiresAt: plusMs(now, LIFE_MS),
});

/** The look-up, for its own receiver and its hour. Anything else answers like a look-up that never was. */
export function usableLookup(lookup: Lookup | undefined, receiver: string, now: Date): Lookup {
  if (!lookup || lookup.receiver !== receiver || lookup.expiresAt <= now) throw new ApiError('LOOKUP_REQUEST_NOT_FOUND');
  return lookup;
}

/** The customer that a query names in one or two ways. */
export function sameSender(byId: Customer | undefined, byAddress: Customer | undefined): Customer | null {
  if (byId && byAddress && byId.id !== byAddress.id) throw invalidField('senderUmaAddress', 'is not an address of the customer');
  return byId ?? byAddress ?? null;
}

/** The currency that the sender would pay with: the one asked for, else the sender's first. */
export function sendingCurrencyOf(platform: Pick<Platform, 'config'>, sender: Customer | null, asked: string | undefined): CurrencyCode {
  const offered = outgoingCurrencies(platform);
  if (asked !== undefined) {
    if (!offered.includes(asked)) throw new ApiError('INVALID_CURRENCY');
    return asked;
  }
  const [first] = sender ? sender.currencies.filter((code) => offered.includes(code)) : offered;
  if (first === undefined) throw new ApiError('INVALID_CURRENCY');
  return first;
}

type Bounds = { readonly code: CurrencyCode; readonly min: bigint; readonly max: bigint };

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Undefined for a currency that cannot be paid now: without a rate, or with bounds that leave nothing. */
export function preferenceOf(market: Market, sending: CurrencyCode, receiving: Bounds): CurrencyPreference | undefined {
  const rate = rateBetween(market, sending, receiving.code);
  const band = bandOf(SERVICE_TERMS, market, sending);
  if (!rate || !band) return undefined;
  const scale = (code: CurrencyCode) => 10n ** BigInt(currencyOf(code).decimals);
  const units = times(rate, fraction(scale(receiving.code), scale(sending)));
  const min = greater(greater(1n, receiving.min), roundUp(times(fraction(band.least), units)));
  const max = lesser(lesser(MAX_AMOUNT, receiving.max), roundDown(times(fraction(band.most), units)));
  if (min > max) return undefined;
  return {
    currency: receiving.code,
    estimatedExchangeRate: showDecimal(rate),
    exchangeRate: shownRate({ rate }),
    min,
    max,
    minSending: band.least,
    maxSending: band.most,
  };
}
