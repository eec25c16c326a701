// The decline table: the first row that applies is the reason given. The order is part of the contract.
import { utcDay } from '../../../kernel/time.js';
import type { CardStatus, DaySpend, SpendDays } from '../cards/card.js';
import type { DeclineReason } from './card-transaction.js';

export type { DaySpend, SpendDays } from '../cards/card.js';

export type Limits = {
  readonly maxSpendPerTransaction: bigint | null;
  readonly maxSpendPerDay: bigint | null;
  readonly maxTransactionsPerDay: number | null;
};

export const NO_LIMITS: Limits = { maxSpendPerTransaction: null, maxSpendPerDay: null, maxTransactionsPerDay: null };

export const NOTHING_SPENT: DaySpend = { spent: 0n, count: 0 };

/** The largest value of the column: a thousand times the largest limit. */
const MOST_SPENT = 9223372036854775807n;

/** Stops at the largest value of the column: an advice is recorded however much it adds. */
export const addSpend = ({ spent, count }: DaySpend, amount: bigint, times: number): DaySpend => ({
  spent: spent + amount < MOST_SPENT ? spent + amount : MOST_SPENT,
  count: count + times,
});

export const spendOn = (days: SpendDays, day: string): DaySpend => days.find((one) => one.day === day) ?? NOTHING_SPENT;

/** Keeps one other day: a late decision of the day before may still be reversed, and a sandbox clock may be set back. */
export const recordSpend = (days: SpendDays, day: string, { spent, count }: DaySpend): SpendDays => [
  { day, spent, count },
  ...days.filter((one) => one.day !== day).slice(0, 1),
];

/**
 * Takes one reversed decision out of its day. Nothing depends any more on a day that is not kept. A sandbox clock may have returned to
 * the day after it was dropped, so the decision may not be in it.
 */
export const takeSpend = (days: SpendDays, day: string, { spent, count }: DaySpend): SpendDays =>
  days.map((one) =>
    one.day === day ? { day, spent: one.spent > spent ? one.spent - spent : 0n, count: Math.max(one.count - count, 0) } : one,
  );

/** The month up to whose end a card may be used. */
export type CardExpiry = { readonly month: number; readonly year: number };

export type AuthorizationFacts = {
  /** 0: an account verification, which asks whether the card could be used and spends nothing. */
  readonly amount: bigint;
  readonly currency: string;
  readonly network: string | undefined;
  readonly card: Limits & {
    readonly status: CardStatus;
    readonly currency: string;
    readonly network: string | null;
    /** Null before the issuer has made the card. */
    readonly expiry: CardExpiry | null;
  };
  readonly now: Date;
  readonly platform: Limits;
  readonly today: DaySpend;
  readonly source: {
    readonly status: string;
    readonly available: bigint;
    /** Whether the service may take money out: from an embedded wallet only with a delegated key. */
    readonly usable: boolean;
  };
  /** The answer a sandbox caller chose; it takes the place of its reason in the table. */
  readonly forced?: DeclineReason | undefined;
};

type Decline = {
  readonly reason: DeclineReason;
  /** The rule in words, as the API document shows it. */
  readonly rule: string;
  readonly when: (facts: AuthorizationFacts) => boolean;
};

/** For a purchase. */
export const DECLINES: readonly Decline[] = [
  {
    reason: 'CARD_NOT_ACTIVE',
    rule: 'The card is not active, or its expiry month is over.',
    when: ({ card, now }) => card.status !== 'ACTIVE' || isPastExpiry(card.expiry, now),
  },
  {
    reason: 'UNSUPPORTED_NETWORK',
    rule: 'The request came over another network than that of the card.',
    when: ({ card, network }) => network !== undefined && network !== card.network,
  },
  { reason: 'OTHER', rule: 'The currency is not that of the card.', when: ({ card, currency }) => currency !== card.currency },
  {
    reason: 'SPEND_LIMIT_EXCEEDED',
    rule: 'The amount is above the limit for one purchase, or a limit of the day would be exceeded.',
    when: exceedsLimits,
  },
  {
    reason: 'NO_ELIGIBLE_FUNDING_SOURCE',
    rule: 'The account that funds the card is a wallet, and no delegated key lets the service take money from it.',
    when: ({ source }) => !source.usable,
  },
  { reason: 'BLOCKED', rule: 'The account that funds the card is not active.', when: ({ source }) => source.status !== 'ACTIVE' },
  {
    reason: 'INSUFFICIENT_FUNDS',
    rule: 'The account that funds the card has less available than the amount.',
    when: ({ source, amount }) => source.available < amount,
  },
];

/** The rules as the API document shows them, in the order in which they are asked. */
export const SHOWN_DECLINES = DECLINES.map(({ reason, rule }) => ({ value: reason, rule }));

/** For a credit. It spends nothing, so limits and balance do not apply. */
export const CREDIT_DECLINES: readonly Decline[] = DECLINES.filter(({ reason }) =>
  ['CARD_NOT_ACTIVE', 'UNSUPPORTED_NETWORK', 'OTHER'].includes(reason),
);

/** From the first instant after the expiry month, in UTC. The enum of decline reasons has none for it, so the card counts as not active. */
const isPastExpiry = (expiry: CardExpiry | null, now: Date): boolean =>
  expiry !== null && now.getTime() >= Date.UTC(expiry.year, expiry.month);

/** The decline reason, or undefined when the authorization is approved. */
export function decideAuthorization(facts: AuthorizationFacts, declines = DECLINES): DeclineReason | undefined {
  for (const { reason, when } of declines) if (facts.forced === reason || when(facts)) return reason;
  return facts.forced;
}

/** "Effective value is the lower of" the card's and the platform's; null means no limit. */
export const effectiveLimits = (card: Limits, platform: Limits): Limits => ({
  maxSpendPerTransaction: lower(card.maxSpendPerTransaction, platform.maxSpendPerTransaction),
  maxSpendPerDay: lower(card.maxSpendPerDay, platform.maxSpendPerDay),
  maxTransactionsPerDay: lower(card.maxTransactionsPerDay, platform.maxTransactionsPerDay),
});

const lower = <Value extends bigint | number>(a: Value | null, b: Value | null): Value | null =>
  a === null ? b : b === null || a < b ? a : b;

/** Exactly the limit is allowed, for each of the three. An account verification is no spend, so limits do not stop it. */
function exceedsLimits({ amount, card, platform, today }: AuthorizationFacts): boolean {
  if (amount === 0n) return false;
  const { maxSpendPerTransaction, maxSpendPerDay, maxTransactionsPerDay } = effectiveLimits(card, platform);
  return (
    (maxSpendPerTransaction !== null && amount > maxSpendPerTransaction) ||
    (maxSpendPerDay !== null && today.spent + amount > maxSpendPerDay) ||
    (maxTransactionsPerDay !== null && today.count + 1 > maxTransactionsPerDay)
  );
}

/** The day whose spend an authorization adds to. */
export const spendingDay = (now: Date): string => utcDay(now);
