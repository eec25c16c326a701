// The accounts that are opened for a holder, created on request and closed, and the route of incoming money.
import { ApiError, type FieldError, invalid, invalidField } from '../../../kernel/errors.js';
import { type CustomerId, type InternalAccountId, parseId, uuidOf } from '../../../kernel/ids.js';
import { type CurrencyCode, isCrypto } from '../../../kernel/money.js';
import type {
  InternalAccount,
  InternalAccountDraft,
  InternalAccountType,
  NewInternalAccount,
  SweepBounds,
  SweepRule,
} from './internal-account.js';

// ---- a holder's own accounts

/** A customer holds USDB in an embedded wallet under the customer's keys. The platform has no end user who could hold keys. */
const ownAccountType = (currency: CurrencyCode, holder: CustomerId | null): InternalAccountType =>
  currency === 'USDB' && holder !== null ? 'EMBEDDED_WALLET' : isCrypto(currency) ? 'INTERNAL_CRYPTO' : 'INTERNAL_FIAT';

export type OpeningFacts = Pick<NewInternalAccount, 'id' | 'customerId' | 'currency' | 'fundingInstructions'> & { readonly now: Date };

export function newOwnAccount({ id, customerId, currency, fundingInstructions, now }: OpeningFacts): NewInternalAccount {
  const type = ownAccountType(currency, customerId);
  return {
    id,
    customerId,
    currency,
    fundingInstructions,
    type,
    status: 'ACTIVE',
    onBehalfOfCustomerId: null,
    label: null,
    sweepRule: null,
    privateEnabled: type === 'EMBEDDED_WALLET' ? false : null,
    createdAt: now,
    updatedAt: now,
  };
}

// ---- rule-based accounts

type SweepRuleDraft = NonNullable<InternalAccountDraft['sweepRule']>;

/** The sweep rule of a request that may be carried out. Only rule-based USD accounts can be created, and such an account needs a rule. */
export function checkDraft(draft: InternalAccountDraft, { ruleBasedAccounts }: { readonly ruleBasedAccounts: boolean }): SweepRuleDraft {
  if (!ruleBasedAccounts) throw new ApiError('FORBIDDEN', undefined, { reason: 'Rule-based accounts are not enabled for this platform.' });
  const problems = draftProblems(draft);
  if (problems.length > 0 || !draft.sweepRule) throw invalid(...problems);
  return draft.sweepRule;
}

function draftProblems({ type, currency, sweepRule }: InternalAccountDraft): FieldError[] {
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
  if (sweepRule?.destination.paymentRail !== undefined && !sweepRule.destination.accountId.startsWith('ExternalAccount:'))
    problems.push({ field: 'sweepRule.destination.paymentRail', message: 'applies to destinations outside the service only' });
  return problems;
}

/** Sweeps in the currency of the account within the service move money. All others are payments. */
export const isPaid = ({ destination: { accountId } }: SweepRuleDraft, destination: InternalAccount | undefined): boolean =>
  accountId.startsWith('ExternalAccount:') || (destination !== undefined && destination.currency !== 'USD');

export type RuleBasedAccountFacts = Omit<OpeningFacts, 'currency'> & {
  readonly draft: InternalAccountDraft;
  readonly sweepRule: SweepRuleDraft;
  /** Undefined for a destination outside the service. */
  readonly destination: InternalAccount | undefined;
  /** Of a sweep that is a payment. */
  readonly bounds: SweepBounds | undefined;
  readonly onBehalfOfCustomerId: CustomerId | null;
  /** The holder's own USD account, through which incoming money is swept. */
  readonly own: InternalAccount | undefined;
};

export function newRuleBasedAccount(facts: RuleBasedAccountFacts): NewInternalAccount {
  const { id, customerId, onBehalfOfCustomerId, draft, fundingInstructions, now } = facts;
  if (!facts.own) throw invalidField('customerId', 'the holder has no USD account of its own');
  return {
    id,
    customerId,
    type: 'RULE_BASED',
    status: 'ACTIVE',
    currency: draft.currency,
    onBehalfOfCustomerId,
    label: draft.label ?? null,
    sweepRule: newSweepRule(facts),
    privateEnabled: null,
    fundingInstructions,
    createdAt: now,
    updatedAt: now,
  };
}

/** From the smallest unit to the largest amount that instant rails carry in one payment. */
const SWEEP_RANGE = { minimumAmount: 1n, maximumAmount: 1_000_000_000n } as const;

function newSweepRule({
  sweepRule: { destination: named, ...rule },
  destination,
  bounds = SWEEP_RANGE,
}: Pick<RuleBasedAccountFacts, 'sweepRule' | 'destination' | 'bounds'>): SweepRule {
  const field = 'sweepRule.destination.accountId';
  if (destination && destination.status !== 'ACTIVE') throw invalidField(field, 'is not active');
  if (destination?.type === 'RULE_BASED') throw invalidField(field, 'cannot be a RULE_BASED account');
  const accountId = destination?.id ?? parseId('ExternalAccount', named.accountId);
  if (!accountId) throw new ApiError('ACCOUNT_NOT_FOUND');
  return { ...rule, destination: { ...named, accountId }, ...bounds };
}

// ---- deposits

export type DepositStep = {
  /** Undefined for money from outside the service. */
  readonly from: InternalAccountId | undefined;
  readonly to: InternalAccountId;
  readonly amount: bigint;
  readonly cause: 'DEPOSIT' | 'SWEEP' | 'SWEEP_FEE';
  /** Pays another holder, whose side of it is a transaction of their own. */
  readonly isReceived?: true;
};

export type DepositFacts = {
  readonly account: InternalAccount;
  readonly amount: bigint;
  readonly description?: string | undefined;
  /** Only for a rule-based account: the holder's own account, the destination of the rule, and the platform's account for fees. */
  readonly sweep?: {
    readonly own: InternalAccount;
    /** Undefined for a sweep that is a payment. */
    readonly destination: InternalAccount | undefined;
    readonly fees: InternalAccount;
    /** Whether money of the holder may move: no rule pays for a customer who may not pay. */
    readonly isHolderReady: boolean;
  };
  /** The destination of the rule, or the platform's account for its fee, has no room for what the rule brings. */
  readonly isWithoutRoom?: boolean;
};

export type DecidedDeposit = {
  readonly steps: readonly DepositStep[];
  /** Why the money stays with the holder of a rule-based account. */
  readonly unswept: 'SWEEP_AMOUNT_OUT_OF_RANGE' | 'SWEEP_QUOTE_FAILED' | undefined;
  /** What is then paid from the holder's own account, where the sweep is a payment. */
  readonly toPay?: bigint;
};

/**
 * Money that a rule-based account receives passes through its holder's own account, so that it appears on the holder's statement, and is
 * swept to the destination from there. It stays with the holder if the amount is out of range, the destination is not active or has no room,
 * the holder may not pay, or the fee would take all of it. What the holder owes is recovered from it first, and only the rest is swept.
 */
export function decideDeposit({ account, amount, description, sweep, isWithoutRoom = false }: DepositFacts): DecidedDeposit {
  if (account.status === 'CLOSED') throw new ApiError('ACCOUNT_NOT_FOUND');
  if (account.type === 'RULE_BASED' && description !== undefined)
    throw invalidField('description', 'a RULE_BASED account takes the description of its sweepRule');
  const arrives: DepositStep = { from: undefined, to: account.id, amount, cause: 'DEPOSIT' };
  if (!sweep || !account.sweepRule) return { steps: [arrives], unswept: undefined };

  const { own, destination, fees, isHolderReady } = sweep;
  const fee = feeOf(account.sweepRule, amount);
  const isInRange = amount >= account.sweepRule.minimumAmount && amount <= account.sweepRule.maximumAmount;
  const passes = (net: bigint): DepositStep => ({ from: account.id, to: own.id, amount: net, cause: 'SWEEP' });
  const stays = (unswept: DecidedDeposit['unswept']): DecidedDeposit => ({ steps: [arrives, passes(amount)], unswept });
  if (!isInRange) return stays('SWEEP_AMOUNT_OUT_OF_RANGE');
  // The payment carries its own fees. What the holder owes is recovered first here too.
  if (!destination) return { ...stays(undefined), ...(amount > own.owed && { toPay: amount - own.owed }) };
  const isPossible = destination.status === 'ACTIVE' && !isWithoutRoom && (isHolderReady || destination.id === own.id);
  if (!isPossible || fee >= amount) return stays('SWEEP_QUOTE_FAILED');
  // The fee is taken before the holder's account. A statement shows the amount after fees, never a fee of its own.
  const charged = fees.id === own.id ? 0n : fee;
  const steps: DepositStep[] = [arrives, passes(amount - charged)];
  if (charged > 0n) steps.push({ from: account.id, to: fees.id, amount: charged, cause: 'SWEEP_FEE' });
  const swept = amount - fee - own.owed;
  if (destination.id === own.id || swept <= 0n) return { steps, unswept: undefined };
  const isReceived = destination.customerId === own.customerId ? {} : ({ isReceived: true } as const);
  steps.push({ from: own.id, to: destination.id, amount: swept, cause: 'SWEEP', ...isReceived });
  return { steps, unswept: undefined };
}

/** Rounded down, in favour of the holder. */
function feeOf({ platformFeeOverride }: SweepRule, amount: bigint): bigint {
  if (!platformFeeOverride) return 0n;
  const { platformFixedFee, platformVariableFeeBps } = platformFeeOverride;
  return BigInt(platformFixedFee.amount) + (amount * BigInt(platformVariableFeeBps)) / 10_000n;
}

/** The accounts whose balance differs after all steps. Money that only passes through an account does not change it. */
export function changedAccounts(steps: readonly DepositStep[]): Set<InternalAccountId> {
  const net = new Map<InternalAccountId, bigint>();
  for (const { from, to, amount } of steps) {
    if (from) net.set(from, (net.get(from) ?? 0n) - amount);
    net.set(to, (net.get(to) ?? 0n) + amount);
  }
  return new Set([...net].filter(([, amount]) => amount !== 0n).map(([id]) => id));
}

// ---- closing

/** An account is active from the start. Nothing of the service freezes one or lets one fail; those statuses belong to the interface. */
export const ACCOUNT_MOVES = { ACTIVE: { CUSTOMER_DELETED: 'CLOSED' }, CLOSED: {} } as const satisfies Readonly<
  Partial<Record<InternalAccount['status'], Readonly<Record<string, InternalAccount['status']>>>>
>;

/**
 * The accounts of a deleted customer that are closed: they hold no money, owe none and never funded a card. An account with money or
 * debt stays open.
 * So does an account that funded a card, because returns, won disputes and network credits arrive on it later.
 */
export const closeEmptyAccounts = (
  open: readonly InternalAccount[],
  balances: ReadonlyMap<string, { readonly total: bigint; readonly owed: bigint }>,
  cardFunders: ReadonlySet<InternalAccountId>,
  now: Date,
): InternalAccount[] =>
  open
    .filter(({ id }) => {
      const balance = balances.get(uuidOf(id));
      return balance?.total === 0n && balance.owed === 0n && !cardFunders.has(id);
    })
    .map((account) => ({ ...account, available: 0n, total: 0n, owed: 0n, status: 'CLOSED', updatedAt: now }));
