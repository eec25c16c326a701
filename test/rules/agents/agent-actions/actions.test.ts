// The life of an action, what an agent sees, and what its quotes may not do. The limits and modes are in policy.test.ts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ActionStatus, AgentAction } from '../../../../src/domains/agents/agent-actions/agent-action.js';
import {
  ACTION_MOVES,
  actionAt,
  approvalOf,
  endsOf,
  failAction,
  isTransactionSeen,
  refuseOutsidePolicy,
  refuseSecond,
  rejectAction,
  startAction,
} from '../../../../src/domains/agents/agent-actions/rules.js';
import type { QuoteSource } from '../../../../src/domains/payments/quotes/quote.js';
import type { Listed } from '../../../../src/domains/payments/transactions/actions.js';
import { answerOf, fieldsOf } from '../../../support/refusal.js';

const ACCOUNT = 'InternalAccount:01950000-0000-7000-8000-000000000001';
const OTHER = 'InternalAccount:01950000-0000-7000-8000-000000000002';
const BANK = 'ExternalAccount:01950000-0000-7000-8000-000000000003';
const NOW = new Date('2026-06-01T10:00:00Z');
const LATER = new Date('2026-06-01T10:01:00Z');

const actionOf = (status: ActionStatus): AgentAction => ({
  id: 'AgentAction:1',
  agentId: 'Agent:1',
  customerId: 'Customer:1',
  platformCustomerId: '1',
  quoteId: 'Quote:1',
  paymentId: 'Transaction:1',
  status,
  neededApproval: true,
  started: false,
  undecided: false,
  rejectionReason: null,
  counted: { amount: 1n, currency: 'USD' },
  expiresAt: new Date('2026-06-01T10:05:00Z'),
  createdAt: NOW,
  updatedAt: NOW,
});

describe('what becomes of an action', () => {
  // Columns: the platform approves, rejects, deletes the agent; the quote expires; the payment fails. A dash changes nothing.
  const EVENTS = ['APPROVED', 'REJECTED', 'AGENT_DELETED', 'EXPIRED', 'PAYMENT_FAILED'];
  const TABLE: Readonly<Record<ActionStatus, string>> = {
    PENDING_APPROVAL: 'APPROVED|FAILED REJECTED REJECTED FAILED -',
    APPROVED: '- - - - FAILED',
    REJECTED: '- - - - -',
    FAILED: '- - - - -',
  };
  for (const [status, row] of Object.entries(TABLE))
    test(`${status}: ${row}`, () => {
      const moves: Readonly<Record<string, string | readonly string[]>> = ACTION_MOVES[status as ActionStatus];
      assert.equal(EVENTS.map((event) => [moves[event] ?? '-'].flat().join('|')).join(' '), row);
      assert.deepEqual(
        Object.keys(moves).filter((event) => !EVENTS.includes(event)),
        [],
      );
    });

  test('a rejection keeps the reason, or none', () => {
    const rejected = { ...actionOf('REJECTED'), updatedAt: LATER };
    assert.deepEqual(rejectAction(actionOf('PENDING_APPROVAL'), 'too dear', LATER), { ...rejected, rejectionReason: 'too dear' });
    assert.deepEqual(rejectAction(actionOf('PENDING_APPROVAL'), undefined, LATER), rejected);
  });

  test('an execution that starts is approved and counted; one that fails is failed', () => {
    const counted = { amount: 17_268n, currency: 'MXN' };
    assert.deepEqual(startAction(actionOf('PENDING_APPROVAL'), counted, LATER), {
      ...actionOf('APPROVED'),
      started: true,
      counted,
      updatedAt: LATER,
    });
    assert.deepEqual(failAction(actionOf('APPROVED'), LATER), { ...actionOf('FAILED'), updatedAt: LATER });
  });

  test('"expired means now >= expiresAt": an action that nobody decided has failed at that moment, whoever looks when', () => {
    const action = actionOf('PENDING_APPROVAL');
    assert.equal(actionAt(action, new Date('2026-06-01T10:04:59.999Z')), action);
    const failed = { ...action, status: 'FAILED', undecided: true, updatedAt: action.expiresAt };
    for (const now of ['2026-06-01T10:05:00.000Z', '2026-06-02T00:00:00.000Z']) assert.deepEqual(actionAt(action, new Date(now)), failed);
    for (const status of ['APPROVED', 'REJECTED', 'FAILED'] as const)
      assert.equal(actionAt(actionOf(status), new Date('2026-06-02T00:00:00Z')).updatedAt, NOW, status);
  });

  test('a decided action names its status to those who decide again', () => {
    for (const status of ['APPROVED', 'REJECTED', 'FAILED'] as const)
      for (const again of [() => approvalOf(actionOf(status)), () => rejectAction(actionOf(status), 'no', LATER)])
        assert.deepEqual(answerOf(again), ['TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL', { status }]);
  });

  test('one action per quote, whatever became of it', () => {
    refuseSecond(undefined);
    for (const status of Object.keys(TABLE) as ActionStatus[])
      assert.deepEqual(
        answerOf(() => refuseSecond(actionOf(status))),
        ['CONFLICT', { status }],
      );
  });
});

describe('the accounts of a payment', () => {
  const ends = (source: object, destination: object) => endsOf({ source, destination } as Parameters<typeof endsOf>[0]);
  const account = (accountId: string) => ({ type: 'ACCOUNT', accountId });

  test('an end that is no account has no id', () => {
    assert.deepEqual(ends(account(ACCOUNT), account(BANK)), { source: ACCOUNT, destination: BANK });
    assert.deepEqual(ends({ type: 'REALTIME_FUNDING', accountId: 'x' }, { type: 'UMA_ADDRESS', accountId: 'x' }), {
      source: undefined,
      destination: undefined,
    });
  });

  const payment = (customerId: string, source: object, destination: object, creditTo: string | null = null) =>
    ({ payment: { customerId, source, destination, creditTo } }) as unknown as Listed;
  const purchase = (customerId: string, accountId: string) => ({ purchase: { customerId, accountId } }) as unknown as Listed;
  const seen = (listed: Listed, allowedAccountIds?: readonly string[] | null) =>
    isTransactionSeen(listed, 'Customer:1', allowedAccountIds === undefined ? {} : { accountRestrictions: { allowedAccountIds } });
  const uma = { type: 'UMA_ADDRESS', umaAddress: '$a@b' };

  test('without restrictions an agent sees the transactions of its customer, and of nobody else', () => {
    for (const allowed of [undefined, null]) {
      assert.equal(seen(payment('Customer:1', account(ACCOUNT), uma), allowed), true);
      assert.equal(seen(purchase('Customer:1', ACCOUNT), allowed), true);
      assert.equal(seen(payment('Customer:2', account(ACCOUNT), uma), allowed), false);
      assert.equal(seen(purchase('Customer:2', ACCOUNT), allowed), false);
    }
  });

  test('a restricted agent sees what touches an allowed account at either end, or is credited to it', () => {
    assert.equal(seen(payment('Customer:1', account(ACCOUNT), account(BANK)), [ACCOUNT]), true);
    assert.equal(seen(payment('Customer:1', uma, account(ACCOUNT)), [ACCOUNT]), true);
    assert.equal(seen(payment('Customer:1', account(OTHER), account(BANK)), [ACCOUNT]), false);
    assert.equal(seen(payment('Customer:1', uma, uma), [ACCOUNT]), false);
    assert.equal(seen(payment('Customer:1', uma, uma, ACCOUNT), [ACCOUNT]), true);
    assert.equal(seen(payment('Customer:1', uma, uma, OTHER), [ACCOUNT]), false);
    assert.equal(seen(purchase('Customer:1', ACCOUNT), [ACCOUNT]), true);
    assert.equal(seen(purchase('Customer:1', OTHER), [ACCOUNT]), false);
    assert.equal(seen(purchase('Customer:1', OTHER), []), false);
  });

  test('an allowed account of another customer shows nothing', () => {
    assert.equal(seen(payment('Customer:2', account(ACCOUNT), uma), [ACCOUNT]), false);
    assert.equal(seen(purchase('Customer:2', ACCOUNT), [ACCOUNT]), false);
  });
});

describe('a quote of an agent moves no money without an action', () => {
  const check = (sourceType: QuoteSource['sourceType'], immediatelyExecute: boolean) => () =>
    refuseOutsidePolicy({ source: { sourceType }, immediatelyExecute } as Parameters<typeof refuseOutsidePolicy>[0]);
  test('from an account, to be executed later', check('ACCOUNT', false));
  test('not at once, and not from real-time funding', () => {
    assert.deepEqual(fieldsOf(check('ACCOUNT', true)), ['immediatelyExecute']);
    assert.deepEqual(fieldsOf(check('REALTIME_FUNDING', false)), ['source.sourceType']);
    assert.deepEqual(fieldsOf(check('REALTIME_FUNDING', true)), ['immediatelyExecute', 'source.sourceType']);
  });
});
