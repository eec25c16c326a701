// A look-up of a receiver: what a quote to the receiver may rely on for a while.
import type { Id } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { FieldDefinition, FoundReceiver } from '../uma/uma.js';

export type LookupId = Id<'Lookup'>;

export type Lookup = {
  readonly id: LookupId;
  /** A UMA address or the id of an external account. */
  readonly receiver: string;
  /** What the receiver's provider said; null for an account. */
  readonly found: FoundReceiver | null;
  readonly expiresAt: Date;
};

/** A currency that the receiver takes, priced from the sending currency. Amounts in smallest units. */
export type CurrencyPreference = {
  readonly currency: CurrencyCode;
  /** Receiving units per sending unit, and the inverse. */
  readonly estimatedExchangeRate: string;
  readonly exchangeRate: string;
  readonly min: bigint;
  readonly max: bigint;
  readonly minSending: bigint;
  readonly maxSending: bigint;
};

export type ReceiverFound = {
  readonly lookup: Lookup;
  readonly sendingCurrency: CurrencyCode;
  readonly currencies: readonly CurrencyPreference[];
  readonly payerFields: readonly FieldDefinition[];
};
