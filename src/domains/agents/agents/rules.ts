// Policies and device codes: what is valid, how a change merges, and what is left of a limit. Pure.
import { ApiError, type FieldError, invalid } from '../../../kernel/errors.js';
import { type Fraction, fraction, roundDown, roundUp, times } from '../../../kernel/fraction.js';
import { parseId } from '../../../kernel/ids.js';
import { type CurrencyCode, currencyOf, isCurrency, MAX_AMOUNT } from '../../../kernel/money.js';
import { DAY_MS, MINUTE_MS, plusMs, utcDay } from '../../../kernel/time.js';
import { equivalentOf } from '../../payments/rates/actions.js';
import type { Market } from '../../payments/rates/price.js';
import type { AccountRuleForm, Agent, DeviceCode, OwnAccounts, Policy, PolicyForm, PolicyPatch, Usage } from './agent.js';

// ---- policies

/** The ids of accounts that a policy names, as far as they could name one. */
export const accountsNamedBy = ({
  accountRestrictions: { allowedAccountIds, accountRules } = {},
}: Pick<PolicyForm, 'accountRestrictions'>) =>
  [...(allowedAccountIds ?? []), ...(accountRules ?? []).map(({ accountId }) => accountId)].flatMap(
    (text) => parseId('InternalAccount', text) ?? [],
  );

/** Refuses a policy that is not valid as a whole, with every bad field. `own` are the accounts of the customer among those it names. */
export function checkPolicy(policy: PolicyForm, own: OwnAccounts, prefix = ''): void {
  const { spendingLimits, approvalThresholds: threshold = {}, accountRestrictions: { allowedAccountIds, accountRules } = {} } = policy;
  const errors = [
    ...problemOfCurrency('spendingLimits.currency', spendingLimits.currency),
    ...problemsOfAccounts('accountRestrictions.allowedAccountIds', allowedAccountIds ?? [], '', own),
    ...problemsOfAccounts('accountRestrictions.accountRules', accountRules?.map(({ accountId }) => accountId) ?? [], '.accountId', own),
    ...problemOfCurrency('approvalThresholds.currency', threshold.currency),
    ...((threshold.amount ?? null) !== null && threshold.currency === undefined
      ? [{ field: 'approvalThresholds.currency', message: 'is required with an amount' }]
      : []),
  ];
  if (errors.length > 0) throw invalid(...errors.map((error) => ({ ...error, field: prefix + error.field })));
}

const problemOfCurrency = (field: string, code: CurrencyCode | undefined): FieldError[] =>
  code === undefined || isCurrency(code) ? [] : [{ field, message: 'is not a currency of the service' }];

const problemsOfAccounts = (field: string, ids: readonly string[], member: string, own: OwnAccounts): FieldError[] =>
  ids.flatMap((text, i): FieldError[] => {
    const id = parseId('InternalAccount', text);
    const at = `${field}.${i}${member}`;
    if (!id || !own.has(id)) return [{ field: at, message: 'must be an internal account of the customer' }];
    return ids.indexOf(text) < i ? [{ field: at, message: 'is named twice' }] : [];
  });

/** Fields merge one by one; a given list replaces the stored one. Limits are still in their former currency. */
export function mergePolicy(current: PolicyForm, patch: PolicyPatch): PolicyForm {
  const { accountRestrictions: restrictions, approvalThresholds: threshold } = patch;
  return {
    permissions: patch.permissions ?? current.permissions,
    defaultExecutionMode: patch.defaultExecutionMode ?? current.defaultExecutionMode,
    spendingLimits: { ...current.spendingLimits, ...patch.spendingLimits },
    accountRestrictions: { ...current.accountRestrictions, ...restrictions },
    // Without its amount a threshold is gone, its currency as well.
    approvalThresholds: threshold?.amount === null ? {} : { ...current.approvalThresholds, ...threshold },
  };
}

/** Without unset fields: what is unset is left out of answers. */
export function tidyPolicy(policy: PolicyForm): PolicyForm {
  const { currency, perTransactionLimit, dailyLimit, dailyTransactionLimit, monthlyLimit } = policy.spendingLimits;
  const { allowedAccountIds, accountRules = [] } = policy.accountRestrictions ?? {};
  const { currency: thresholdCurrency, amount } = policy.approvalThresholds ?? {};
  const restrictions = {
    ...(isSet(allowedAccountIds) && { allowedAccountIds }),
    ...(accountRules.length > 0 && { accountRules: accountRules.map(tidyRule) }),
  };
  const threshold = { ...(thresholdCurrency !== undefined && { currency: thresholdCurrency }), ...(isSet(amount) && { amount }) };
  return {
    permissions: policy.permissions,
    defaultExecutionMode: policy.defaultExecutionMode,
    spendingLimits: {
      currency,
      perTransactionLimit,
      ...(isSet(dailyLimit) && { dailyLimit }),
      ...(dailyTransactionLimit !== undefined && { dailyTransactionLimit }),
      ...(isSet(monthlyLimit) && { monthlyLimit }),
    },
    ...(Object.keys(restrictions).length > 0 && { accountRestrictions: restrictions }),
    ...(Object.keys(threshold).length > 0 && { approvalThresholds: threshold }),
  };
}

const isSet = <Value>(value: Value | null | undefined): value is Value => value !== null && value !== undefined;

const tidyRule = ({ accountId, executionMode, perTransactionLimit }: AccountRuleForm): AccountRuleForm => ({
  accountId,
  ...(executionMode !== undefined && { executionMode }),
  ...(isSet(perTransactionLimit) && { perTransactionLimit }),
});

const amountOrNull = (amount: number | null | undefined): bigint | null => (isSet(amount) ? BigInt(amount) : null);

export function readPolicy({
  permissions,
  defaultExecutionMode,
  spendingLimits,
  accountRestrictions,
  approvalThresholds,
}: PolicyForm): Policy {
  const { allowedAccountIds, accountRules = [] } = accountRestrictions ?? {};
  const { amount, currency } = approvalThresholds ?? {};
  return {
    permissions,
    mode: defaultExecutionMode,
    currency: spendingLimits.currency,
    perTransaction: BigInt(spendingLimits.perTransactionLimit),
    daily: amountOrNull(spendingLimits.dailyLimit),
    dailyCount: spendingLimits.dailyTransactionLimit ?? null,
    monthly: amountOrNull(spendingLimits.monthlyLimit),
    allowed: isSet(allowedAccountIds) ? new Set(allowedAccountIds) : null,
    rules: new Map(
      accountRules.map((rule) => [
        rule.accountId,
        { mode: rule.executionMode ?? null, perTransaction: amountOrNull(rule.perTransactionLimit) },
      ]),
    ),
    threshold: isSet(amount) && currency !== undefined ? { amount: BigInt(amount), currency } : null,
  };
}

// ---- amounts in another currency

/** One more than the largest amount of the API, so that it is above every limit. */
const BEYOND = MAX_AMOUNT + 1n;
const atMost = (amount: bigint, most: bigint): bigint => (amount < most ? amount : most);

/** The amount in the smallest unit of another currency at the present rate, exact; undefined while there is no rate. */
function unitsIn(market: Pick<Market, 'rateOf'>, amount: bigint, from: CurrencyCode, to: CurrencyCode): Fraction | undefined {
  const whole = equivalentOf(market, { amount, currency: from }, to);
  return whole && times(whole, fraction(10n ** BigInt(currencyOf(to).decimals)));
}

/** What an amount counts for against a limit: rounded up, which decides as the exact value would. Refused while there is no rate. */
export function countedIn(market: Pick<Market, 'rateOf'>, amount: bigint, from: CurrencyCode, to: CurrencyCode): bigint {
  const units = unitsIn(market, amount, from, to);
  if (!units) throw new ApiError('QUOTE_RATE_UNAVAILABLE');
  return atMost(roundUp(units), BEYOND);
}

export type Recast = { readonly policy: PolicyForm; readonly usage: Usage };

/**
 * Brings stored amounts into the new currency of the limits. Amounts of the request are in it already. Limits are rounded down and usage is
 * rounded up, so that the change widens nothing.
 */
export function recast(
  agent: Pick<Agent, 'policy' | 'usage'>,
  merged: PolicyForm,
  patch: PolicyPatch,
  market: Pick<Market, 'rateOf'>,
): Recast {
  const from = agent.policy.spendingLimits.currency;
  const { spendingLimits: limits, accountRestrictions: restrictions } = merged;
  const given = patch.spendingLimits ?? {};
  const down = (amount: number): number => {
    const units = unitsIn(market, BigInt(amount), from, limits.currency);
    if (!units) throw new ApiError('QUOTE_RATE_UNAVAILABLE');
    return Number(atMost(roundDown(units), MAX_AMOUNT));
  };
  const limit = (name: 'dailyLimit' | 'monthlyLimit') => {
    const stored = limits[name];
    return given[name] === undefined && isSet(stored) ? { [name]: down(stored) } : {};
  };
  const rules = restrictions?.accountRules;
  const isGiven = patch.accountRestrictions?.accountRules !== undefined;
  const ruleOf = (rule: AccountRuleForm): AccountRuleForm =>
    isSet(rule.perTransactionLimit) ? { ...rule, perTransactionLimit: down(rule.perTransactionLimit) } : rule;
  const up = (amount: bigint): bigint => (amount === 0n ? 0n : atMost(countedIn(market, amount, from, limits.currency), MAX_AMOUNT));
  return {
    policy: {
      ...merged,
      spendingLimits: {
        ...limits,
        ...(given.perTransactionLimit === undefined && { perTransactionLimit: down(limits.perTransactionLimit) }),
        ...limit('dailyLimit'),
        ...limit('monthlyLimit'),
      },
      accountRestrictions: { ...restrictions, ...(rules && !isGiven && { accountRules: rules.map(ruleOf) }) },
    },
    usage: { ...agent.usage, daySpend: up(agent.usage.daySpend), monthSpend: up(agent.usage.monthSpend) },
  };
}

// ---- usage

/** A request may have waited this long for one that came after it. */
const WAITED_MS = MINUTE_MS;

/**
 * What counts at a moment: the day and the month begin at 00:00 UTC. A request of the last moment of a day may follow one of the next day: it
 * counts on that day, or what was counted there would be forgotten.
 */
export function usageAt(usage: Usage, now: Date): Usage {
  const day = utcDay(now);
  if (usage.day === day || usage.day === utcDay(plusMs(now, WAITED_MS))) return usage;
  const sameMonth = usage.day?.slice(0, 7) === day.slice(0, 7);
  return { day, dayCount: 0, daySpend: 0n, monthSpend: sameMonth ? usage.monthSpend : 0n };
}

/** After one more execution. The sums stay within what the API can show; no limit is above that. */
export function countExecution(usage: Usage, amount: bigint, now: Date): Usage {
  const { day, dayCount, daySpend, monthSpend } = usageAt(usage, now);
  return {
    day,
    dayCount: dayCount + 1,
    daySpend: atMost(daySpend + amount, MAX_AMOUNT),
    monthSpend: atMost(monthSpend + amount, MAX_AMOUNT),
  };
}

/** When the counters start again: tomorrow's date and next month, in UTC. */
export const resetsAfter = (now: Date): { readonly date: string; readonly month: string } => ({
  date: utcDay(plusMs(now, DAY_MS)),
  month: utcDay(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))).slice(0, 7),
});

// ---- changes

export type AgentPatch = { readonly name?: string; readonly isPaused?: boolean };

export function changeAgent(agent: Agent, patch: AgentPatch, now: Date): Agent {
  const { name = agent.name, isPaused = agent.isPaused } = patch;
  return name === agent.name && isPaused === agent.isPaused ? agent : { ...agent, name, isPaused, updatedAt: now };
}

// ---- device codes

/** Digits and letters that are not mistaken for each other. */
export const CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE_LENGTH = 12;
export const CODE_LIFE_MS = DAY_MS;

/** `AGENT-XXXX-XXXX-XXXX` of twelve signs. */
export const codeOf = (signs: string): string => `AGENT-${signs.slice(0, 4)}-${signs.slice(4, 8)}-${signs.slice(8)}`;

const CODE_FORM = new RegExp(`^AGENT(?:-[${CODE_ALPHABET}]{4}){3}$`);

/** A code as a person typed it, in its own form; undefined for a text that is none. */
export function readCode(text: string): string | undefined {
  const code = text.toUpperCase();
  return CODE_FORM.test(code) ? code : undefined;
}

const spent = (cause: 'EXPIRED' | 'ALREADY_REDEEMED' | 'REPLACED', reason: string) => new ApiError('INVALID_INPUT', { cause }, { reason });

/** A code can be redeemed once, while it is the newest of its agent and has not expired. */
export function refuseSpentCode({ state, expiresAt }: Pick<DeviceCode, 'state' | 'expiresAt'>, now: Date): void {
  if (state === 'REDEEMED') throw spent('ALREADY_REDEEMED', 'The device code was redeemed before.');
  if (state === 'REPLACED') throw spent('REPLACED', 'A newer device code has replaced this one.');
  if (expiresAt <= now) throw spent('EXPIRED', 'The device code has expired.');
}

export function refuseConnected({ isConnected }: Pick<Agent, 'isConnected'>): void {
  if (isConnected) throw new ApiError('CONFLICT', undefined, { reason: 'The agent is connected. Delete it and create a new one.' });
}
