// Lists the platform's rates: one row per pair of currencies, priced as a quote would be.
import type { Db } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { currencyOf, isCurrency, MAX_AMOUNT, toWire } from '../../../kernel/money.js';
import type { RateProvider } from '../../../providers/rates.js';
import { getPlatform } from '../../core/platform/actions.js';
import type { Platform } from '../../core/platform/platform.js';
import type { Market } from './price.js';
import {
  bandOf,
  conversionFee,
  DEFAULT_RAILS,
  outgoingCurrencies,
  platformFee,
  priceSending,
  rateBetween,
  SERVICE_TERMS,
  shownRate,
} from './rules.js';

export type RateQuery = { readonly sourceCurrency?: string; readonly destinationCurrency?: string[]; readonly sendingAmount?: number };

export async function listRates(
  { db, rates }: { readonly db: Db; readonly rates: RateProvider },
  platformId: PlatformId,
  query: RateQuery,
  now: Date,
): Promise<Record<string, unknown>[]> {
  const { sourceCurrency, destinationCurrency = Object.keys(DEFAULT_RAILS), sendingAmount = 10_000 } = query;
  for (const code of [sourceCurrency, ...(query.destinationCurrency ?? [])])
    if (code !== undefined && !isCurrency(code)) throw new ApiError('INVALID_CURRENCY');
  const [platform, market] = await Promise.all([getPlatform(db, platformId), rates.marketAt(db, platformId, now)]);
  const sources = outgoingCurrencies(platform).filter((code) => sourceCurrency === undefined || code === sourceCurrency);
  return sources.flatMap((sending) =>
    [...new Set(destinationCurrency)]
      .filter((receiving) => receiving !== sending && receiving in DEFAULT_RAILS)
      .flatMap((receiving) => rowOf({ platform, market, table: rates.table, sending, receiving, amount: BigInt(sendingAmount) })),
  );
}

type Pair = {
  readonly platform: Platform;
  readonly market: Market;
  readonly table: Pick<Market, 'rateOf'>;
  readonly sending: string;
  readonly receiving: string;
  readonly amount: bigint;
};

/** The bounds of the platform hold for every quote. */
const isWithin = ({ config }: Platform, sending: string, amount: bigint): boolean =>
  config.supportedCurrencies.some(
    ({ currencyCode, minAmount, maxAmount }) => currencyCode === sending && amount >= BigInt(minAmount) && amount <= BigInt(maxAmount),
  );

/** None while the pair has no rate, or one at which no amount can be sent. */
function rowOf({ platform, market, table, sending, receiving, amount }: Pair): Record<string, unknown>[] {
  const rate = rateBetween(market, sending, receiving);
  const band = bandOf(SERVICE_TERMS, market, sending);
  const paymentRail = DEFAULT_RAILS[receiving];
  if (!rate || !band || band.least > band.most || paymentRail === undefined) return [];
  const fees = {
    ...platformFee(platform.config.feeConfigs ?? [], { sending, receiving, paymentRail }),
    ...conversionFee(SERVICE_TERMS, table, sending, receiving),
  };
  const fixed = fees.platformFixed + fees.serviceFixed;
  if (fixed > MAX_AMOUNT) return [];
  const terms = { sending, receiving, rate, fees };
  const price = isWithin(platform, sending, amount) ? priceSending(terms, amount) : undefined;
  return [
    {
      sourceCurrency: currencyOf(sending),
      sendingAmount: toWire(amount),
      minSendingAmount: toWire(band.least),
      maxSendingAmount: toWire(band.most),
      destinationCurrency: currencyOf(receiving),
      destinationPaymentRail: paymentRail,
      receivingAmount: toWire(price?.received ?? 0n),
      exchangeRate: Number(shownRate(terms)),
      fees: { fixed: toWire(fixed), total: toWire(price?.fees ?? fixed) },
      updatedAt: market.updatedAt(sending, receiving).toISOString(),
    },
  ];
}
