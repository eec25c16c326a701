// Types of prices: what a sender pays, what a receiver gets, and the fees between them.
import type { Fraction } from '../../../kernel/fraction.js';
import type { CurrencyCode } from '../../../kernel/money.js';

export type { NetworkFee } from '../../../providers/rails.js';
export type { Market } from '../../../providers/rates.js';

/** Fees of one quote, all in the sending currency. The variable part applies to what the fixed fees leave. */
export type FeeTerms = {
  readonly platformFixed: bigint;
  readonly platformBps: bigint;
  /** Includes the fee of the network where the payment leaves on a chain. */
  readonly serviceFixed: bigint;
  readonly serviceBps: bigint;
};

export type Terms = {
  readonly sending: CurrencyCode;
  readonly receiving: CurrencyCode;
  /** Receiving units per sending unit, both whole units; 1 within one currency. */
  readonly rate: Fraction;
  readonly fees: FeeTerms;
};

export type Price = {
  readonly sent: bigint;
  readonly received: bigint;
  /** All fees; `platformFees` is part of them. */
  readonly fees: bigint;
  readonly platformFees: bigint;
  readonly serviceVariable: bigint;
};

export type LockedSide = 'SENDING' | 'RECEIVING';

/** How the sent amount became the received one, as the API shows it. */
export type RateDetails = {
  readonly counterpartyMultiplier: number;
  readonly counterpartyFixedFee: number;
  readonly gridApiMultiplier: number;
  readonly gridApiFixedFee: number;
  readonly gridApiVariableFeeRate: number;
  readonly gridApiVariableFeeAmount: number;
};
