// What a policy lets an agent do, and how an action goes on. Pure.
import { type AgentRefusal, agentForbidden } from '../../../kernel/agent.js';
import { ApiError, invalid } from '../../../kernel/errors.js';
import { type CustomerId, parseId } from '../../../kernel/ids.js';
import type { OutgoingPayment, Payment } from '../../payments/payments/payment.js';
import type { QuoteDestination, QuoteSource } from '../../payments/quotes/quote.js';
import type { Listed } from '../../payments/transactions/actions.js';
import type { ExecutionMode, Policy, PolicyForm, Usage } from '../agents/agent.js';
import type { ActionStatus, AgentAction } from './agent-action.js';

// ---- accounts

/** The accounts of a payment: ids as the API names them. Undefined where an end is no account. */
export type Ends = { readonly source: string | undefined; readonly destination: string | undefined };

export const endsOf = ({ source, destination }: Pick<OutgoingPayment, 'source' | 'destination'>): Ends => ({
  source: source.type === 'ACCOUNT' ? source.accountId : undefined,
  destination: destination.type === 'ACCOUNT' ? destination.accountId : undefined,
});

const isInternal = (id: string): boolean => parseId('InternalAccount', id) !== undefined;

/** A restricted agent pays from allowed accounts only, and to its customer's own accounts only if they are allowed. */
export function refuseAccounts({ allowed }: Pick<Policy, 'allowed'>, { source, destination }: Ends): void {
  if (allowed === null) return;
  const isSourceAllowed = source !== undefined && allowed.has(source);
  const isDestinationAllowed = destination === undefined || !isInternal(destination) || allowed.has(destination);
  if (!isSourceAllowed || !isDestinationAllowed) throw agentForbidden('ACCOUNT_NOT_ALLOWED');
}

/** Whether a transaction is of the customer and touches an account that the policy allows. */
export function isTransactionSeen(
  listed: Listed,
  customerId: CustomerId,
  { accountRestrictions }: Pick<PolicyForm, 'accountRestrictions'>,
): boolean {
  const owner = 'payment' in listed ? listed.payment.customerId : listed.purchase.customerId;
  const allowed = accountRestrictions?.allowedAccountIds ?? null;
  if (owner !== customerId || allowed === null) return owner === customerId;
  const touched = 'payment' in listed ? accountsOf(listed.payment) : [listed.purchase.accountId];
  return touched.some((id) => allowed.includes(id));
}

/** Both ends, and the account that is credited where the destination is a UMA address or a rule-based account. */
const accountsOf = ({ source, destination, creditTo }: Pick<Payment, 'source' | 'destination' | 'creditTo'>): string[] => [
  ...[source, destination].flatMap((end) => (end.type === 'ACCOUNT' ? [end.accountId] : [])),
  ...(creditTo === null ? [] : [creditTo]),
];

// ---- quotes

/** What would move money without an action. */
export function refuseOutsidePolicy({
  source,
  immediatelyExecute,
}: {
  readonly source: QuoteSource;
  readonly destination: QuoteDestination;
  readonly immediatelyExecute: boolean;
}): void {
  const errors = [
    ...(immediatelyExecute ? [{ field: 'immediatelyExecute', message: 'is not possible for an agent' }] : []),
    ...(source.sourceType === 'REALTIME_FUNDING' ? [{ field: 'source.sourceType', message: 'must be ACCOUNT for an agent' }] : []),
  ];
  if (errors.length > 0) throw invalid(...errors);
}

// ---- limits

export type Spending = {
  /** The account that pays. */
  readonly source: string | undefined;
  /** All that leaves it, in the currency of the limits. */
  readonly amount: bigint;
};

/** In the order in which they answer. Exactly the limit is allowed. */
const LIMITS: readonly {
  readonly cause: AgentRefusal;
  readonly isExceeded: (policy: Policy, usage: Usage, spending: Spending) => boolean;
}[] = [
  {
    cause: 'PER_TRANSACTION_LIMIT_EXCEEDED',
    isExceeded: ({ rules, perTransaction }, _usage, { source, amount }) =>
      amount > ((source === undefined ? undefined : rules.get(source)?.perTransaction) ?? perTransaction),
  },
  { cause: 'DAILY_LIMIT_EXCEEDED', isExceeded: ({ daily }, { daySpend }, { amount }) => daily !== null && daySpend + amount > daily },
  {
    cause: 'DAILY_TRANSACTION_LIMIT_EXCEEDED',
    isExceeded: ({ dailyCount }, { dayCount }) => dailyCount !== null && dayCount + 1 > dailyCount,
  },
  {
    cause: 'MONTHLY_LIMIT_EXCEEDED',
    isExceeded: ({ monthly }, { monthSpend }, { amount }) => monthly !== null && monthSpend + amount > monthly,
  },
];

/** `usage` is that of the present day and month. */
export function refuseSpending(policy: Policy, usage: Usage, spending: Spending): void {
  const exceeded = LIMITS.find(({ isExceeded }) => isExceeded(policy, usage, spending));
  if (exceeded) throw agentForbidden(exceeded.cause);
}

/**
 * The rule of the account, else the default. Above the threshold approval is needed, whatever made it AUTO. `thresholdAmount`: all that
 * leaves the source, in the currency of the threshold; null without a threshold.
 */
export function modeFor(
  { mode, rules, threshold }: Policy,
  { source, thresholdAmount }: Pick<Spending, 'source'> & { readonly thresholdAmount: bigint | null },
): ExecutionMode {
  if (threshold && thresholdAmount !== null && thresholdAmount > threshold.amount) return 'APPROVAL_REQUIRED';
  return (source === undefined ? undefined : rules.get(source)?.mode) ?? mode;
}

// ---- the life of an action

/** What may become of an action. An approval is judged at that moment, and may fail; so may the payment that it starts. */
export const ACTION_MOVES = {
  PENDING_APPROVAL: { APPROVED: ['APPROVED', 'FAILED'], REJECTED: 'REJECTED', AGENT_DELETED: 'REJECTED', EXPIRED: 'FAILED' },
  APPROVED: { PAYMENT_FAILED: 'FAILED' },
  REJECTED: {},
  FAILED: {},
} as const satisfies Readonly<Record<ActionStatus, Readonly<Record<string, ActionStatus | readonly ActionStatus[]>>>>;

/** The action at a moment: one that nobody decided before its quote expired has failed, whether or not the job has run. */
export const actionAt = (action: AgentAction, now: Date): AgentAction =>
  action.status === 'PENDING_APPROVAL' && action.expiresAt <= now
    ? { ...action, status: 'FAILED', undecided: true, updatedAt: action.expiresAt }
    : action;

const decided = (status: ActionStatus): ApiError =>
  new ApiError('TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL', { status }, { reason: 'The action is not pending approval.' });

/** Whether the action is now judged. A late approval of an action that nobody decided in time shows that it failed. */
export function approvalOf({ status, undecided }: AgentAction): 'JUDGE' | 'SHOW' {
  if (status === 'PENDING_APPROVAL') return 'JUDGE';
  if (status === 'FAILED' && undecided) return 'SHOW';
  throw decided(status);
}

export function rejectAction(action: AgentAction, reason: string | undefined, now: Date): AgentAction {
  if (action.status !== 'PENDING_APPROVAL') throw decided(action.status);
  return { ...action, status: 'REJECTED', rejectionReason: reason ?? null, updatedAt: now };
}

export const failAction = (action: AgentAction, now: Date): AgentAction => ({ ...action, status: 'FAILED', updatedAt: now });

export const startAction = (action: AgentAction, counted: AgentAction['counted'], now: Date): AgentAction => ({
  ...action,
  status: 'APPROVED',
  started: true,
  counted,
  updatedAt: now,
});

/** The reason of actions whose agent, or its customer, was deleted. */
export const DELETED = 'The agent was deleted.';

/** One action per quote, whatever became of it. */
export function refuseSecond(action: AgentAction | undefined): void {
  if (action) throw new ApiError('CONFLICT', { status: action.status }, { reason: 'The quote was already submitted for execution.' });
}
