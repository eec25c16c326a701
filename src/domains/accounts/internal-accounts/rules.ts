// What accounts a holder gets, which may be created, and where money that arrives goes.
import { ApiError, type FieldError, invalidField } from '../../../kernel/errors.js';
import { type CustomerId, type InternalAccountId, uuidOf } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { InternalAccount, InternalAccountDraft, InternalAccountType, SweepRule } from './internal-account.js';

const CRYPTO: ReadonlySet<CurrencyCode> = new Set(['USDB', 'USDC', 'USDT', 'BTC']);

/** The type of a holder's own account. USDB of a customer is a wallet under the customer's keys; the platform has no end user to hold keys. */
export const ownAccountType = (currency: CurrencyCode, holder: CustomerId | null): InternalAccountType =>
  currency === 'USDB' && holder !== null ? 'EMBEDDED_WALLET' : CRYPTO.has(currency) ? 'INTERNAL_CRYPTO' : 'INTERNAL_FIAT';

// ---- accounts created by hand

/** The shape of the request beyond its schema: only rule-based USD accounts are created by hand, and such an account needs its rule. */
export function draftProblems({ type, currency, sweepRule }: InternalAccountDraft): FieldError[] {
  const problems: FieldError[] = [];
  if (type !== 'RULE_BASED')
    problems.push({ field: 'type', constraint: { enum: ['RULE_BASED'] }, message: 'only RULE_BASED accounts can be created' });
  if (currency !== 'USD')
    problems.push({ field: 'currency', constraint: { enum: ['USD'] }, message: 'a RULE_BASED account is held in USD' });
  if (!sweepRule) problems.push({ field: 'sweepRule', message: 'is required' });
  const fee = sweepRule?.platformFeeOverride?.platformFixedFee;
  if (fee && fee.currency !== 'USD')
    problems.push({
      field: 'sweepRule.platformFeeOverride.platformFixedFee.currency',
      constraint: { enum: ['USD'] },
      message: 'must be the currency of the account',
    });
  if (sweepRule?.destination.paymentRail !== undefined)
    problems.push({ field: 'sweepRule.destination.paymentRail', message: 'applies to destinations outside the service only' });
  return problems;
}

/** From the smallest unit to what instant rails carry in one payment. */
const SWEEP_BAND = { minimumAmount: 1n, maximumAmount: 1_000_000_000n } as const;

export function newSweepRule(
  { destination: _asked, ...rule }: NonNullable<InternalAccountDraft['sweepRule']>,
  destination: InternalAccount,
): SweepRule {
  const field = 'sweepRule.destination.accountId';
  if (destination.status !== 'ACTIVE') throw invalidField(field, 'is not active');
  if (destination.type === 'RULE_BASED') throw invalidField(field, 'cannot be a RULE_BASED account');
  if (destination.currency !== 'USD') throw invalidField(field, 'must hold USD');
  return { ...rule, destination: { accountId: destination.id }, ...SWEEP_BAND };
}

// ---- money that arrives

export type DepositStep = {
  /** Undefined: from outside. */
  readonly from: InternalAccountId | undefined;
  readonly to: InternalAccountId;
  readonly amount: bigint;
  readonly cause: 'DEPOSIT' | 'SWEEP' | 'SWEEP_FEE';
};

export type DepositFacts = {
  readonly account: InternalAccount;
  readonly amount: bigint;
  readonly description?: string | undefined;
  /** Only of a rule-based account: the holder's own account, the rule's destination, and where the platform's fees go. */
  readonly sweep?: { readonly own: InternalAccount; readonly destination: InternalAccount; readonly fees: InternalAccount };
};

/**
 * What a rule-based account receives passes through its holder's own account, so that it stands on the holder's statement,
 * and goes on from there; out of band, or with nowhere to go, it stays with the holder.
 */
export function decideDeposit({ account, amount, description, sweep }: DepositFacts): DepositStep[] {
  if (account.status === 'CLOSED') throw new ApiError('ACCOUNT_NOT_FOUND');
  if (account.type === 'RULE_BASED' && description !== undefined)
    throw invalidField('description', 'a RULE_BASED account takes the description of its sweepRule');
  const arrives: DepositStep = { from: undefined, to: account.id, amount, cause: 'DEPOSIT' };
  if (!sweep || !account.sweepRule) return [arrives];

  const { own, destination, fees } = sweep;
  const fee = feeOf(account.sweepRule, amount);
  const inBand = amount >= account.sweepRule.minimumAmount && amount <= account.sweepRule.maximumAmount;
  const passes = (net: bigint): DepositStep => ({ from: account.id, to: own.id, amount: net, cause: 'SWEEP' });
  if (!inBand || destination.status !== 'ACTIVE' || fee >= amount) return [arrives, passes(amount)];
  // The fee is taken before the holder's account: on a statement fees are inside the amount, never a line of their own.
  const charged = fees.id === own.id ? 0n : fee;
  const steps: DepositStep[] = [arrives, passes(amount - charged)];
  if (charged > 0n) steps.push({ from: account.id, to: fees.id, amount: charged, cause: 'SWEEP_FEE' });
  if (destination.id !== own.id) steps.push({ from: own.id, to: destination.id, amount: amount - fee, cause: 'SWEEP' });
  return steps;
}

/** Fractions of a unit stay with the holder. */
function feeOf({ platformFeeOverride }: SweepRule, amount: bigint): bigint {
  if (!platformFeeOverride) return 0n;
  const { platformFixedFee, platformVariableFeeBps } = platformFeeOverride;
  return BigInt(platformFixedFee.amount) + (amount * BigInt(platformVariableFeeBps)) / 10_000n;
}

/** The accounts that a deletion closes: without money, and never the funding source of a card. */
export const emptyAccounts = (
  open: readonly InternalAccount[],
  balances: ReadonlyMap<string, { readonly total: bigint }>,
  funders: ReadonlySet<InternalAccountId>,
): InternalAccount[] => open.filter(({ id }) => balances.get(uuidOf(id))?.total === 0n && !funders.has(id));

/** The accounts whose balance the steps change, once everything has passed through. */
export function changedAccounts(steps: readonly DepositStep[]): Set<InternalAccountId> {
  const net = new Map<InternalAccountId, bigint>();
  for (const { from, to, amount } of steps) {
    if (from) net.set(from, (net.get(from) ?? 0n) - amount);
    net.set(to, (net.get(to) ?? 0n) + amount);
  }
  return new Set([...net].filter(([, amount]) => amount !== 0n).map(([id]) => id));
}
