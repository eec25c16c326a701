// Exchange rates, as a market maker quotes them. A rate is exact; amounts are rounded by the domain that prices a payment.
import type { Tx } from '../db/pool.js';
import { ApiError } from '../kernel/errors.js';
import type { Fraction } from '../kernel/fraction.js';
import type { PlatformId } from '../kernel/ids.js';
import type { CurrencyCode } from '../kernel/money.js';

export type Reader = Pick<Tx, 'one' | 'many'>;

/** The rates of one platform at one moment. */
export type Market = {
  /** Every currency that has a rate at some time. */
  readonly currencies: readonly CurrencyCode[];
  /** Receiving units for one sending unit, both whole units of their currency. Undefined while no rate is available. */
  rateOf(sending: CurrencyCode, receiving: CurrencyCode): Fraction | undefined;
  /** Whether the rate of an earlier quote is still honoured. */
  honours(locked: LockedRate): boolean;
  /** When the rate of the pair was last set. */
  updatedAt(sending: CurrencyCode, receiving: CurrencyCode): Date;
};

export type LockedRate = { readonly sending: CurrencyCode; readonly receiving: CurrencyCode; readonly rate: Fraction };

export type RateProvider = {
  /** Also read under the lock of a payment, so it must not take long. */
  marketAt(tx: Reader, platformId: PlatformId, now: Date): Promise<Market>;
  /** The market as published, before changes of a platform. Operator's prices in USD, such as fees, are converted with it. */
  readonly table: Pick<Market, 'rateOf'>;
};

const notConnected = (): never => {
  throw new ApiError('NOT_IMPLEMENTED', undefined, { reason: 'No exchange-rate provider is connected.' });
};

/** A live installation connects a market maker of its own. */
export const noRates: RateProvider = {
  marketAt: async () => notConnected(),
  table: { rateOf: notConnected },
};
