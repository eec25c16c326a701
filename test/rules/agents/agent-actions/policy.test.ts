// The decision table of policies, against an oracle that is written from the facts: every mode × permission × rule × limit.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ActionStatus, AgentAction } from '../../../../src/domains/agents/agent-actions/agent-action.js';
import {
  actionAt,
  approvalOf,
  modeFor,
  refuseAccounts,
  refuseSpending,
  rejectAction,
} from '../../../../src/domains/agents/agent-actions/rules.js';
import type { PolicyForm, Usage } from '../../../../src/domains/agents/agents/agent.js';
import { readPolicy } from '../../../../src/domains/agents/agents/rules.js';
import { type AgentPermission, refuseAgent } from '../../../../src/kernel/agent.js';
import { ApiError } from '../../../../src/kernel/errors.js';

const ACCOUNT = 'InternalAccount:01950000-0000-7000-8000-000000000001';
const OTHER = 'InternalAccount:01950000-0000-7000-8000-000000000002';
const BANK = 'ExternalAccount:01950000-0000-7000-8000-000000000003';
const AMOUNT = 1_000;

type Case = {
  readonly isPaused: boolean;
  readonly granted: boolean;
  readonly allowed: 'ALL' | 'NONE' | 'SOURCE' | 'BOTH';
  readonly source: 'INTERNAL' | 'EXTERNAL';
  readonly destination: 'INTERNAL' | 'EXTERNAL';
  readonly mode: 'AUTO' | 'APPROVAL_REQUIRED';
  readonly ruleMode: 'AUTO' | 'APPROVAL_REQUIRED' | undefined;
  readonly ruleLimit: number | undefined;
  readonly perTransaction: number;
  readonly daily: number | undefined;
  readonly count: number | undefined;
  readonly monthly: number | undefined;
  readonly threshold: number | undefined;
  readonly spent: number;
};

const AXES: { readonly [Name in keyof Case]: readonly Case[Name][] } = {
  isPaused: [false, true],
  granted: [true, false],
  allowed: ['ALL', 'NONE', 'SOURCE', 'BOTH'],
  source: ['INTERNAL', 'EXTERNAL'],
  destination: ['EXTERNAL', 'INTERNAL'],
  mode: ['AUTO', 'APPROVAL_REQUIRED'],
  ruleMode: [undefined, 'AUTO', 'APPROVAL_REQUIRED'],
  ruleLimit: [undefined, AMOUNT, AMOUNT - 1],
  perTransaction: [AMOUNT, AMOUNT - 1, 0],
  daily: [undefined, AMOUNT + 500, AMOUNT - 1],
  count: [undefined, 2, 0],
  monthly: [undefined, AMOUNT + 500, AMOUNT - 1],
  threshold: [undefined, AMOUNT, AMOUNT - 1],
  spent: [0, 500, 501],
};

/** The table of the facts, row by row. It reads a case and nothing of the program. */
function oracle(c: Case): string {
  if (c.isPaused) return 'AGENT_PAUSED';
  if (!c.granted) return 'PERMISSION_MISSING';
  if (c.allowed !== 'ALL') {
    if (c.source === 'EXTERNAL' || c.allowed === 'NONE') return 'ACCOUNT_NOT_ALLOWED';
    if (c.destination === 'INTERNAL' && c.allowed !== 'BOTH') return 'ACCOUNT_NOT_ALLOWED';
  }
  // A rule is for one internal account, so it never meets a source elsewhere.
  const rule = c.source === 'INTERNAL' ? { mode: c.ruleMode, limit: c.ruleLimit } : { mode: undefined, limit: undefined };
  const most = rule.limit === undefined ? c.perTransaction : rule.limit;
  if (AMOUNT > most) return 'PER_TRANSACTION_LIMIT_EXCEEDED';
  if (c.daily !== undefined && c.spent + AMOUNT > c.daily) return 'DAILY_LIMIT_EXCEEDED';
  const executed = c.spent > 0 ? 1 : 0;
  if (c.count !== undefined && executed + 1 > c.count) return 'DAILY_TRANSACTION_LIMIT_EXCEEDED';
  if (c.monthly !== undefined && c.spent + AMOUNT > c.monthly) return 'MONTHLY_LIMIT_EXCEEDED';
  if (c.threshold !== undefined && AMOUNT > c.threshold) return 'APPROVAL_REQUIRED';
  return rule.mode === undefined ? c.mode : rule.mode;
}

function decided(c: Case): string {
  const form: PolicyForm = {
    permissions: c.granted ? ['EXECUTE_QUOTES'] : (['VIEW_TRANSACTIONS', 'CREATE_QUOTES', 'MANAGE_EXTERNAL_ACCOUNTS'] as AgentPermission[]),
    defaultExecutionMode: c.mode,
    spendingLimits: {
      currency: 'USD',
      perTransactionLimit: c.perTransaction,
      ...(c.daily !== undefined && { dailyLimit: c.daily }),
      ...(c.count !== undefined && { dailyTransactionLimit: c.count }),
      ...(c.monthly !== undefined && { monthlyLimit: c.monthly }),
    },
    accountRestrictions: {
      allowedAccountIds: { ALL: null, NONE: [], SOURCE: [ACCOUNT], BOTH: [OTHER, ACCOUNT] }[c.allowed],
      accountRules: [
        {
          accountId: ACCOUNT,
          ...(c.ruleMode !== undefined && { executionMode: c.ruleMode }),
          ...(c.ruleLimit !== undefined && { perTransactionLimit: c.ruleLimit }),
        },
      ],
    },
    ...(c.threshold !== undefined && { approvalThresholds: { currency: 'USD', amount: c.threshold } }),
  };
  const policy = readPolicy(form);
  const source = c.source === 'INTERNAL' ? ACCOUNT : BANK;
  const usage: Usage = { day: '2026-06-01', dayCount: c.spent > 0 ? 1 : 0, daySpend: BigInt(c.spent), monthSpend: BigInt(c.spent) };
  const spending = { source, amount: BigInt(AMOUNT), thresholdAmount: policy.threshold && BigInt(AMOUNT) };
  try {
    refuseAgent({ isPaused: c.isPaused, permissions: policy.permissions }, 'EXECUTE_QUOTES', true);
    refuseAccounts(policy, { source, destination: c.destination === 'INTERNAL' ? OTHER : BANK });
    refuseSpending(policy, usage, spending);
    return modeFor(policy, spending);
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'FORBIDDEN');
    return String(error.details?.['cause']);
  }
}

/** Every combination of the axes. */
function* cases(names: readonly (keyof Case)[], chosen: Partial<Case>): Generator<Case> {
  const [name, ...rest] = names;
  if (name === undefined) yield chosen as Case;
  else for (const value of AXES[name]) yield* cases(rest, { ...chosen, [name]: value });
}

describe('the policy of an agent', () => {
  test('every combination is decided as the table says, in its order', () => {
    const names = Object.keys(AXES) as (keyof Case)[];
    const met = new Map<string, number>();
    let count = 0;
    for (const one of cases(
      names.filter((name) => name !== 'isPaused' && name !== 'granted'),
      { isPaused: false, granted: true },
    )) {
      const expected = oracle(one);
      if (decided(one) !== expected) assert.equal(decided(one), expected, JSON.stringify(one));
      met.set(expected, (met.get(expected) ?? 0) + 1);
      count += 1;
    }
    assert.equal(count, 4 * 2 * 2 * 2 * 3 * 3 * 3 * 3 * 3 * 3 * 3 * 3);
    assert.deepEqual([...met.keys()].sort(), [
      'ACCOUNT_NOT_ALLOWED',
      'APPROVAL_REQUIRED',
      'AUTO',
      'DAILY_LIMIT_EXCEEDED',
      'DAILY_TRANSACTION_LIMIT_EXCEEDED',
      'MONTHLY_LIMIT_EXCEEDED',
      'PER_TRANSACTION_LIMIT_EXCEEDED',
    ]);
  });

  test('a pause comes first, then the permission, whatever the rest', () => {
    for (const isPaused of AXES.isPaused)
      for (const granted of AXES.granted)
        for (const allowed of AXES.allowed)
          for (const perTransaction of AXES.perTransaction) {
            const one = { ...[...cases([], FIRST)][0], isPaused, granted, allowed, perTransaction } as Case;
            assert.equal(decided(one), oracle(one), JSON.stringify(one));
          }
  });
});

const FIRST = Object.fromEntries((Object.keys(AXES) as (keyof Case)[]).map((name) => [name, AXES[name][0]])) as unknown as Case;

describe('the state machine of an action', () => {
  const NOW = new Date('2026-06-01T10:00:00Z');
  const actionOf = (status: ActionStatus, undecided = false, expiresAt = new Date('2026-06-01T10:05:00Z')): AgentAction => ({
    id: 'AgentAction:1',
    agentId: 'Agent:1',
    customerId: 'Customer:1',
    platformCustomerId: '1',
    quoteId: 'Quote:1',
    paymentId: 'Transaction:1',
    status,
    neededApproval: true,
    started: status === 'APPROVED',
    undecided,
    rejectionReason: null,
    counted: { amount: 1n, currency: 'USD' },
    expiresAt,
    createdAt: NOW,
    updatedAt: NOW,
  });
  const outcome = (work: () => unknown): string => {
    try {
      const done = work();
      return typeof done === 'string' ? done : (done as AgentAction).status;
    } catch (error) {
      assert.ok(error instanceof ApiError);
      return `${error.status}`;
    }
  };
  const EXPIRED = new Date('2026-06-01T10:00:00Z');
  const TABLE: readonly [name: string, action: AgentAction, approve: string, reject: string][] = [
    ['PENDING_APPROVAL', actionOf('PENDING_APPROVAL'), 'JUDGE', 'REJECTED'],
    ['PENDING_APPROVAL at the expiry of its quote', actionOf('PENDING_APPROVAL', false, EXPIRED), 'SHOW', '409'],
    ['APPROVED', actionOf('APPROVED'), '409', '409'],
    ['REJECTED', actionOf('REJECTED'), '409', '409'],
    ['FAILED, because the quote expired undecided', actionOf('FAILED', true), 'SHOW', '409'],
    ['FAILED, otherwise', actionOf('FAILED'), '409', '409'],
  ];
  for (const [name, action, approve, reject] of TABLE)
    test(name, () => {
      const current = actionAt(action, NOW);
      assert.equal(
        outcome(() => approvalOf(current)),
        approve,
      );
      assert.equal(
        outcome(() => rejectAction(current, 'x', NOW)),
        reject,
      );
    });
});
