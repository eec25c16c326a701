// The sandbox market: a fixed table of exact rates that a platform can move, one currency at a time.
import type { Tx } from '../db/pool.js';
import { sql } from '../db/sql.js';
import { assert } from '../kernel/errors.js';
import { dividedBy, type Fraction, parseDecimal } from '../kernel/fraction.js';
import { type PlatformId, uuidOf } from '../kernel/ids.js';
import type { CurrencyCode } from '../kernel/money.js';
import { MINUTE_MS } from '../kernel/time.js';
import type { Market, RateProvider, Reader } from './rates.js';

/** Units per US dollar. */
const PER_USD: Readonly<Record<CurrencyCode, string>> = {
  USD: '1',
  USDB: '1',
  USDC: '1',
  USDT: '1',
  BTC: '0.00000833',
  AED: '3.6725',
  ARS: '1000',
  BDT: '117.5',
  BRL: '5.15',
  BWP: '13.6',
  CAD: '1.36',
  CNY: '7.24',
  COP: '3950',
  DKK: '6.86',
  EGP: '48',
  EUR: '0.92',
  GBP: '0.79',
  GHS: '15.2',
  GTQ: '7.75',
  HKD: '7.81',
  HTG: '132',
  IDR: '16300',
  ILS: '3.7',
  INR: '82.5',
  JMD: '156',
  KES: '129',
  MWK: '1735',
  MXN: '17.25',
  MYR: '4.7',
  NGN: '1500',
  PHP: '58',
  PKR: '278',
  RWF: '1310',
  SGD: '1.35',
  THB: '36.5',
  TRY: '32.5',
  TZS: '2600',
  UGX: '3800',
  VND: '25400',
  XAF: '605',
  XOF: '605',
  ZAR: '18.5',
  ZMW: '26',
};

const decimal = (text: string): Fraction => {
  const value = parseDecimal(text);
  assert(value && value.numerator > 0n, 'a stored rate is a positive decimal');
  return value;
};

const TABLE: ReadonlyMap<CurrencyCode, Fraction> = new Map(Object.entries(PER_USD).map(([code, text]) => [code, decimal(text)]));
const CURRENCIES = [...TABLE.keys()];

/** Published rates are renewed every five minutes, although the table never changes by itself. */
const SLOT_MS = 5 * MINUTE_MS;

/** `perUsd` is null for the rate of the table. */
export type SandboxRate = { readonly currency: CurrencyCode; readonly perUsd: string | null; readonly available: boolean };
type Moved = SandboxRate & { readonly updatedAt: Date };

function marketOf(moved: ReadonlyMap<CurrencyCode, Moved>, now: Date): Market {
  const perUsd = (code: CurrencyCode): Fraction | undefined => {
    const change = moved.get(code);
    if (change && !change.available) return undefined;
    return change && change.perUsd !== null ? decimal(change.perUsd) : TABLE.get(code);
  };
  const slot = Math.floor(now.getTime() / SLOT_MS) * SLOT_MS;
  const rateOf: Market['rateOf'] = (sending, receiving) => {
    const [sold, bought] = [perUsd(sending), perUsd(receiving)];
    return sold && bought && dividedBy(bought, sold);
  };
  return {
    currencies: CURRENCIES,
    rateOf,
    // The sandbox honours every rate that it quoted, as long as both currencies trade.
    honours: ({ sending, receiving }) => rateOf(sending, receiving) !== undefined,
    updatedAt: (...pair) => new Date(Math.max(slot, ...pair.map((code) => moved.get(code)?.updatedAt.getTime() ?? 0))),
  };
}

const PUBLISHED = marketOf(new Map(), new Date(0));

async function findMoved(tx: Reader, platformId: PlatformId): Promise<Map<CurrencyCode, Moved>> {
  const rows = await tx.many<{ currency: string; per_usd: string | null; available: boolean; updated_at: Date }>(sql`
    select currency, per_usd, available, updated_at from sandbox_rates where platform_id = ${uuidOf(platformId)}`);
  return new Map(
    rows.map(({ currency, per_usd, available, updated_at }) => [currency, { currency, perUsd: per_usd, available, updatedAt: updated_at }]),
  );
}

export const sandboxRates: RateProvider = {
  marketAt: async (tx, platformId, now) => marketOf(await findMoved(tx, platformId), now),
  table: PUBLISHED,
};

/** A change of one currency. Absent members stay as they are. */
export type RateChange = { readonly currency: CurrencyCode; readonly perUsd?: string | null; readonly available?: boolean };

export const isSandboxCurrency = (code: CurrencyCode): boolean => TABLE.has(code) && code !== 'USD';

export async function moveSandboxRate(tx: Tx, platformId: PlatformId, change: RateChange, now: Date): Promise<SandboxRate> {
  const row = await tx.one<{ per_usd: string | null; available: boolean }>(sql`
    insert into sandbox_rates (platform_id, currency, per_usd, available, updated_at)
    values (${uuidOf(platformId)}, ${change.currency}, ${change.perUsd ?? null}, ${change.available ?? true}, ${now})
    on conflict (platform_id, currency) do update set
      per_usd = case when ${change.perUsd !== undefined} then excluded.per_usd else sandbox_rates.per_usd end,
      available = case when ${change.available !== undefined} then excluded.available else sandbox_rates.available end,
      updated_at = excluded.updated_at
    returning per_usd, available`);
  assert(row, 'an upsert returns its row');
  return { currency: change.currency, perUsd: row.per_usd, available: row.available };
}
