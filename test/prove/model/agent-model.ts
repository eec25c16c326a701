// The policy, the budgets and the payments of agents, written from the specification: what the service is compared with.
import type { ErrorCode } from '../../../src/kernel/errors.js';
import { DAY } from './history.js';

// ---- the market

/** Ten-thousandths of a unit for 1 USD. */
const PER_USD: Readonly<Record<string, bigint>> = { USD: 10_000n, USDB: 10_000n, USDC: 10_000n, EUR: 9_200n, MXN: 172_500n };
const DECIMALS: Readonly<Record<string, bigint>> = { USD: 2n, USDB: 2n, USDC: 6n, EUR: 2n, MXN: 2n };
/** The currency that the history moves. No payment has it, so it concerns limits and thresholds only. */
export const MOVING = 'MXN';

export class Market {
  moving = PER_USD[MOVING] as bigint;
  isAvailable = true;

  /** "exact rationals, decimals of both currencies respected"; undefined without a rate. */
  converted(amount: number, from: string, to: string, rounding: 'UP' | 'DOWN'): number | undefined {
    if (from === to) return amount;
    if (!this.isAvailable && (from === MOVING || to === MOVING)) return undefined;
    const over = BigInt(amount) * this.unitsOf(to);
    const under = this.unitsOf(from);
    return Number((over + (rounding === 'UP' ? under - 1n : 0n)) / under);
  }

  private unitsOf(currency: string): bigint {
    const perUsd = currency === MOVING ? this.moving : (PER_USD[currency] as bigint);
    return perUsd * 10n ** (DECIMALS[currency] as bigint);
  }
}

// ---- policies

export const PERMISSIONS = ['VIEW_TRANSACTIONS', 'CREATE_QUOTES', 'EXECUTE_QUOTES', 'MANAGE_EXTERNAL_ACCOUNTS'] as const;
export type Permission = (typeof PERMISSIONS)[number];
export type Mode = 'AUTO' | 'APPROVAL_REQUIRED';
type Limits = {
  readonly currency: string;
  readonly perTransactionLimit: number;
  readonly dailyLimit?: number | null;
  readonly dailyTransactionLimit?: number;
  readonly monthlyLimit?: number | null;
};
export type Rule = { readonly accountId: string; readonly executionMode?: Mode; readonly perTransactionLimit?: number | null };
type Threshold = { readonly currency?: string; readonly amount: number | null };
/** As it is sent and answered. */
export type Policy = {
  readonly permissions: readonly Permission[];
  readonly defaultExecutionMode: Mode;
  readonly spendingLimits: Limits;
  readonly accountRestrictions?: { readonly allowedAccountIds?: readonly string[] | null; readonly accountRules?: readonly Rule[] };
  readonly approvalThresholds?: Threshold;
};
export type PolicyPatch = Partial<Omit<Policy, 'spendingLimits'>> & { readonly spendingLimits?: Partial<Limits> };

/** "null and absent mean the same to a reader": members without a value are left out. */
function present<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null && member !== undefined)) as Value;
}

/** The policy as an answer shows it. */
export function shownPolicy({ accountRestrictions = {}, approvalThresholds, ...policy }: Policy): Policy {
  const { allowedAccountIds, accountRules = [] } = accountRestrictions;
  const restrictions = present({ allowedAccountIds, accountRules: accountRules.length > 0 ? accountRules.map(present) : null });
  return present({
    ...policy,
    spendingLimits: present(policy.spendingLimits),
    accountRestrictions: Object.keys(restrictions).length > 0 ? restrictions : null,
    approvalThresholds: (approvalThresholds?.amount ?? null) === null ? null : approvalThresholds,
  }) as Policy;
}

/**
 * "an omitted field keeps its value"; lists are replaced whole. With a new currency "amounts given in the same request are taken as they are",
 * "every other stored amount (limits and account rules) is converted at the present rate and rounded DOWN". Undefined without a rate.
 */
export function merged(policy: Policy, patch: PolicyPatch, market: Market): Policy | undefined {
  const from = policy.spendingLimits.currency;
  const to = patch.spendingLimits?.currency ?? from;
  if (market.converted(0, from, to, 'DOWN') === undefined) return undefined;
  const recast = <Amount extends number | null | undefined>(amount: Amount) =>
    typeof amount === 'number' ? (market.converted(amount, from, to, 'DOWN') as Amount) : amount;
  const { perTransactionLimit, dailyLimit, monthlyLimit } = policy.spendingLimits;
  const stored = policy.accountRestrictions?.accountRules ?? [];
  return shownPolicy({
    ...policy,
    ...patch,
    spendingLimits: {
      ...policy.spendingLimits,
      ...{ perTransactionLimit: recast(perTransactionLimit), dailyLimit: recast(dailyLimit), monthlyLimit: recast(monthlyLimit) },
      ...patch.spendingLimits,
    } as Limits,
    accountRestrictions: {
      ...policy.accountRestrictions,
      accountRules: stored.map((rule) => ({ ...rule, perTransactionLimit: recast(rule.perTransactionLimit) }) as Rule),
      ...patch.accountRestrictions,
    },
  });
}

export const isAllowed = ({ accountRestrictions }: Policy, accountId: string): boolean =>
  accountRestrictions?.allowedAccountIds?.includes(accountId) ?? true;

// ---- budgets

/** "Day = UTC calendar day, month = UTC calendar month"; both begin at zero without any write. */
export class Usage {
  private day = '';
  private month = '';
  private counted = { today: 0, day: 0, month: 0 };

  at(now: number): { readonly today: number; readonly day: number; readonly month: number } {
    const date = new Date(now).toISOString().slice(0, 10);
    if (date !== this.day) this.counted = { ...this.counted, today: 0, day: 0 };
    if (date.slice(0, 7) !== this.month) this.counted = { ...this.counted, month: 0 };
    [this.day, this.month] = [date, date.slice(0, 7)];
    return this.counted;
  }

  count(amount: number, now: number): void {
    const { today, day, month } = this.at(now);
    this.counted = { today: today + 1, day: day + amount, month: month + amount };
  }

  /** "usage counters of the running day and month are converted and rounded UP" */
  recast(convert: (amount: number) => number, now: number): void {
    const { today, day, month } = this.at(now);
    this.counted = { today, day: convert(day), month: convert(month) };
  }

  shown(now: number): Record<string, unknown> {
    const { today, day, month } = this.at(now);
    const [year = 0, monthOfYear = 0] = this.month.split('-').map(Number);
    return {
      dailyTransactionCount: today,
      dailySpend: day,
      dailyResetDate: new Date(now + DAY).toISOString().slice(0, 10),
      monthlySpend: month,
      monthlyResetMonth: new Date(Date.UTC(year, monthOfYear)).toISOString().slice(0, 7),
    };
  }
}

// ---- the evaluation of an execution

/** A refusal, and the word in `details.cause` where the facts name one. */
export type Refusal = { readonly expected: readonly [number, ErrorCode]; readonly cause?: string };
export const forbidden = (cause: string): Refusal => ({ expected: [403, 'FORBIDDEN'], cause });
const NO_RATE: Refusal = { expected: [400, 'QUOTE_RATE_UNAVAILABLE'] };

/** Accounts and limits, "the first failing row answers". The amount that counts, in the currency of the limits. */
export function judged(policy: Policy, usage: Usage, payment: Payment, market: Market, now: number): Refusal | number {
  const { spendingLimits: limits, accountRestrictions } = policy;
  const { facts } = payment;
  if (payment.accounts.some(({ id }) => !isAllowed(policy, id))) return forbidden('ACCOUNT_NOT_ALLOWED');
  const amount = market.converted(facts.amount, facts.source.currency, limits.currency, 'UP');
  if (amount === undefined) return NO_RATE;
  const rule = accountRestrictions?.accountRules?.find(({ accountId }) => accountId === facts.source.id);
  const { today, day, month } = usage.at(now);
  const exceeds = (value: number, limit: number | null | undefined) => typeof limit === 'number' && value > limit;
  if (exceeds(amount, rule?.perTransactionLimit ?? limits.perTransactionLimit)) return forbidden('PER_TRANSACTION_LIMIT_EXCEEDED');
  if (exceeds(day + amount, limits.dailyLimit)) return forbidden('DAILY_LIMIT_EXCEEDED');
  if (exceeds(today + 1, limits.dailyTransactionLimit)) return forbidden('DAILY_TRANSACTION_LIMIT_EXCEEDED');
  if (exceeds(month + amount, limits.monthlyLimit)) return forbidden('MONTHLY_LIMIT_EXCEEDED');
  return amount;
}

/** The rule's mode, else the default; "then amount > threshold makes it APPROVAL_REQUIRED whatever made it AUTO". */
export function modeOf(policy: Policy, { facts: { source, amount } }: Payment, market: Market): Mode | Refusal {
  const { currency = '', amount: most = null } = policy.approvalThresholds ?? {};
  const compared = most === null ? 0 : market.converted(amount, source.currency, currency, 'UP');
  if (compared === undefined) return NO_RATE;
  if (most !== null && compared > most) return 'APPROVAL_REQUIRED';
  const rule = policy.accountRestrictions?.accountRules?.find(({ accountId }) => accountId === source.id);
  return rule?.executionMode ?? policy.defaultExecutionMode;
}

// ---- payments

export type Account = { readonly id: string; readonly currency: string; balance: number; isClosed: boolean };
export type Payee = { readonly id: string; readonly number: string; isDeleted: boolean };

const LONG_PAYOUT = 360_000;
const RETURN_AFTER = 30_000;

/** "for two different currencies variable 30 basis points and fixed 0.10 USD", of USD and USDB, which are 1:1. */
export function received(sent: number, source: Account, destination: Account | Payee): number {
  if (!('currency' in destination) ? source.currency === 'USD' : source.currency === destination.currency) return sent;
  const base = sent - 10;
  return base - Math.floor((base * 3 + 500) / 1_000);
}

type PaymentFacts = {
  /** Of the transaction. */
  readonly id: string;
  readonly quoteId: string;
  readonly agentId: string;
  readonly source: Account;
  readonly destination: Account | Payee;
  readonly amount: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** What the owner of an embedded wallet signs. */
  readonly payloadToSign: string | undefined;
};

/** A quote and its outgoing transaction, whose statuses are equal. The last three digits of the payee choose what the bank does. */
export class Payment {
  readonly facts: PaymentFacts;
  status = 'PENDING';
  /** The events, without their prefix. */
  readonly notified: string[] = ['PENDING'];
  private executedAt = 0;
  private awaitsReturn = false;

  constructor(facts: PaymentFacts) {
    this.facts = facts;
  }

  /** The internal accounts at its ends. */
  get accounts(): Account[] {
    return 'currency' in this.facts.destination ? [this.facts.source, this.facts.destination] : [this.facts.source];
  }

  /** When something happens to it by itself. */
  get dueAt(): number | undefined {
    if (this.status === 'PENDING') return this.facts.expiresAt;
    if (this.status === 'PROCESSING') return this.executedAt + LONG_PAYOUT;
    return this.awaitsReturn ? this.executedAt + RETURN_AFTER : undefined;
  }

  /** What executeQuote would refuse now. */
  refusal(): Refusal | undefined {
    if ('isDeleted' in this.facts.destination && this.facts.destination.isDeleted) return { expected: [404, 'ACCOUNT_NOT_FOUND'] };
    return this.facts.source.balance < this.facts.amount ? { expected: [400, 'INSUFFICIENT_FUNDS'] } : undefined;
  }

  start(now: number): void {
    this.executedAt = now;
    this.facts.source.balance -= this.facts.amount;
    this.enter('PROCESSING');
    if (!('currency' in this.facts.destination)) return;
    this.facts.destination.balance += received(this.facts.amount, this.facts.source, this.facts.destination);
    this.enter('COMPLETED');
  }

  /** Everything that is due by now. */
  settle(now: number): void {
    if (this.status === 'PENDING' && now >= this.facts.expiresAt) this.enter('EXPIRED');
    const ending = 'number' in this.facts.destination ? this.facts.destination.number.slice(-3) : '';
    if (this.status === 'PROCESSING' && (ending !== '003' || now >= this.executedAt + LONG_PAYOUT)) {
      if (ending === '002' || ending === '004' || ending === '007') this.fail(ending !== '007');
      else if (ending === '006') this.cancel();
      else this.enter('COMPLETED');
      this.awaitsReturn = ending === '005';
    }
    if (!this.awaitsReturn || now < this.executedAt + RETURN_AFTER) return;
    this.awaitsReturn = false;
    this.fail(true);
  }

  private enter(status: string): void {
    this.status = status;
    this.notified.push(status);
  }

  /** "a refund to a closed account fails" */
  private fail(isRefunded: boolean): void {
    const isPaid = isRefunded && !this.facts.source.isClosed;
    this.enter('FAILED');
    this.notified.push('REFUND_PENDING', isPaid ? 'REFUND_COMPLETED' : 'REFUND_FAILED');
    if (isPaid) this.facts.source.balance += this.facts.amount;
  }

  /** The published sequence of a cancelled payment ends COMPLETED. */
  private cancel(): void {
    this.facts.source.balance += this.facts.amount;
    this.notified.push('REFUND_PENDING', 'REFUND_COMPLETED');
    this.enter('COMPLETED');
  }
}
