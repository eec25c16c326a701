// The state table of payments, restated: every state with every event. What is not listed here does not happen.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  INCOMING_STATES,
  type IncomingPayment,
  type IncomingState,
  OUTGOING_STATES,
  type OutgoingPayment,
  type OutgoingState,
} from '../../../../src/domains/payments/payments/payment.js';
import {
  changeIncoming,
  changeOutgoing,
  INCOMING,
  type IncomingEvent,
  OUTGOING,
  type OutgoingEvent,
  refundStatusOf,
  statusOf,
} from '../../../../src/domains/payments/payments/rules.js';
import { incomingPayment, outgoingPayment } from '../../../support/payments.js';

const NOW = new Date('2026-03-04T05:06:07.000Z');

/** from event → status/refund, failureReason, webhooks, step of the ledger. */
const OUTGOING_TABLE = `
QUOTED EXPIRED → EXPIRED - : EXPIRED ; -
QUOTED EXECUTED → PROCESSING - : PROCESSING ; DEBIT
QUOTED ORDERED → PENDING - : PENDING ; DEBIT
QUOTED COLLECTION_STARTED → PROCESSING - : PROCESSING ; -
QUOTED CHALLENGED → PENDING_AUTHORIZATION - : PENDING_AUTHORIZATION ; -
QUOTED RATE_REFUSED → FAILED QUOTE_RATE_UNAVAILABLE : FAILED ; -
QUOTED FUNDS_ARRIVED → PROCESSING - : PROCESSING ; FUND
QUOTED FUNDS_MISMATCHED → FAILED/PENDING FUNDING_AMOUNT_MISMATCH : FAILED REFUND_PENDING ; FUND_MISMATCHED
AWAITING_AUTHORIZATION EXECUTED → PROCESSING - : PROCESSING ; DEBIT
AWAITING_AUTHORIZATION COLLECTION_STARTED → PROCESSING - : PROCESSING ; -
AWAITING_AUTHORIZATION CHALLENGED → PENDING_AUTHORIZATION - : PENDING_AUTHORIZATION ; -
AWAITING_AUTHORIZATION AUTHORIZED_UNFUNDED → PENDING - :  ; -
AWAITING_AUTHORIZATION CHALLENGE_EXPIRED → FAILED SCA_NOT_COMPLETED : FAILED ; -
SUBMITTED ACCEPTED → PROCESSING - : PROCESSING ; -
SUBMITTED FAILED → FAILED/PENDING GIVEN : FAILED REFUND_PENDING ; -
SUBMITTED CANCELLED → PENDING/PENDING - : REFUND_PENDING ; -
COLLECTING COLLECTED → PROCESSING - :  ; FUND
COLLECTING COLLECTION_FAILED → FAILED QUOTE_EXECUTION_FAILED : FAILED ; -
PROCESSING SETTLED → COMPLETED - : COMPLETED ; SETTLE
PROCESSING FAILED → FAILED/PENDING GIVEN : FAILED REFUND_PENDING ; -
PROCESSING CANCELLED → PROCESSING/PENDING - : REFUND_PENDING ; -
COMPLETED RETURNED → FAILED/PENDING PAYOUT_RETURNED : FAILED REFUND_PENDING ; UNSETTLE
REFUNDING REFUND_PAID → FAILED/COMPLETED BEFORE : REFUND_COMPLETED ; REFUND
REFUNDING REFUND_FAILED → FAILED/FAILED BEFORE : REFUND_FAILED ; SUSPEND
CANCELLING REFUND_PAID → COMPLETED/COMPLETED - : REFUND_COMPLETED COMPLETED ; REFUND
CANCELLING REFUND_FAILED → COMPLETED/FAILED - : REFUND_FAILED COMPLETED ; SUSPEND
CANCELLING_SUBMITTED REFUND_PAID → COMPLETED/COMPLETED - : REFUND_COMPLETED COMPLETED ; REFUND
CANCELLING_SUBMITTED REFUND_FAILED → COMPLETED/FAILED - : REFUND_FAILED COMPLETED ; SUSPEND
EXPIRED FUNDS_LATE → EXPIRED/PENDING - : REFUND_PENDING ; FUND_MISMATCHED
EXPIRED_REFUNDING REFUND_PAID → EXPIRED/COMPLETED - : REFUND_COMPLETED ; REFUND
EXPIRED_REFUNDING REFUND_FAILED → EXPIRED/FAILED - : REFUND_FAILED ; SUSPEND
REFUNDING DISHONORED → FAILED/PENDING BEFORE :  ; -
REFUNDING CONTESTED → FAILED/PENDING BEFORE :  ; -
REFUNDED DISHONORED → FAILED/COMPLETED BEFORE :  ; -
REFUNDED CONTESTED → FAILED/COMPLETED BEFORE :  ; -
REFUND_FAILED DISHONORED → FAILED/FAILED BEFORE :  ; -
REFUND_FAILED CONTESTED → FAILED/FAILED BEFORE :  ; -`;

const INCOMING_TABLE = `
ANNOUNCED APPROVED → PROCESSING - : PROCESSING ; -
ANNOUNCED DEFERRED → PENDING - :  ; -
ANNOUNCED REJECTED → REJECTED - : FAILED ; -
ANNOUNCED REFUSED → FAILED GIVEN : FAILED ; -
SUBMITTED ACCEPTED → PROCESSING - : PROCESSING ; -
SUBMITTED COLLECTION_FAILED → FAILED COLLECTION_FAILED : FAILED ; -
SUBMITTED CANCELLED → FAILED COLLECTION_FAILED : FAILED ; -
PROCESSING COLLECTED → COMPLETED - : COMPLETED ; CREDIT
PROCESSING COLLECTION_FAILED → FAILED COLLECTION_FAILED : FAILED ; -
PROCESSING CANCELLED → FAILED COLLECTION_FAILED : FAILED ; -
PROCESSING COLLECTED_TO_PAY_OUT → PROCESSING - :  ; FUND
PAYING_OUT SETTLED → COMPLETED - : COMPLETED ; PAY_OUT
PAYING_OUT FAILED → FAILED/PENDING OFFRAMP_FAILED : FAILED REFUND_PENDING ; -
COMPLETED RETURNED → FAILED COLLECTION_FAILED : FAILED ; TAKE_BACK
COMPLETED REVERSED → FAILED COLLECTION_FAILED : FAILED ; TAKE_BACK
RETURNED DISHONORED → COMPLETED - : COMPLETED ; RESTORE
RESTORED CONTESTED → FAILED COLLECTION_FAILED : FAILED ; TAKE_BACK_AGAIN
REFUNDING REFUND_PAID → FAILED/COMPLETED BEFORE : REFUND_COMPLETED ; SEND_BACK
REFUNDING REFUND_FAILED → FAILED/FAILED BEFORE : REFUND_FAILED ; SUSPEND`;

type Expected = { shown: string; failure: string; sends: string[]; ledger: string };

const parse = (table: string): Map<string, Expected> =>
  new Map(
    table
      .trim()
      .split('\n')
      .map((row): [string, Expected] => {
        const [, from, event, shown, failure, sends, ledger] = /^(\S+) (\S+) → (\S+) (\S+) : (.*) ; (\S+)$/.exec(row) ?? [];
        assert.ok(from && event && shown && failure && ledger, row);
        return [`${from} ${event}`, { shown, failure, sends: (sends ?? '').split(' ').filter((word) => word !== ''), ledger }];
      }),
  );

const isFailed = (shown: { status: string }) => shown.status === 'FAILED';
const withRefund = (refund: string | undefined) =>
  refund === undefined ? null : { reason: 'TRANSACTION_FAILED' as const, initiatedAt: NOW, settledAt: refund === 'COMPLETED' ? NOW : null };

function expectChange(
  label: string,
  expected: Expected | undefined,
  change: ReturnType<typeof changeOutgoing> | ReturnType<typeof changeIncoming>,
): void {
  if (!expected) {
    assert.equal(change, undefined, `${label} does not happen`);
    return;
  }
  assert.ok(change, `${label} happens`);
  const refund = refundStatusOf(change.payment);
  const failure = { '-': null, GIVEN: 'ACCOUNT_CANNOT_RECEIVE', BEFORE: 'EARLIER' }[expected.failure];
  assert.deepEqual(
    {
      shown: statusOf(change.payment) + (refund === undefined ? '' : `/${refund}`),
      failure: change.payment.failureReason,
      sends: change.sends,
      ledger: change.ledger ?? '-',
      updatedAt: change.payment.updatedAt,
    },
    { ...expected, failure: failure === undefined ? expected.failure : failure, updatedAt: NOW },
    label,
  );
  assert.equal(change.payment.refund === null, refund === undefined, `${label}: the refund is shown as long as it exists`);
}

describe('outgoing payments', () => {
  const expected = parse(OUTGOING_TABLE);
  const events = [...new Set(Object.values(OUTGOING).flatMap((row) => Object.keys(row)))] as OutgoingEvent[];

  test('the status equals the drawn one for every state and event, and everything not drawn does not happen', () => {
    for (const [state, shown] of Object.entries(OUTGOING_STATES) as [OutgoingState, { status: string; refund?: string }][])
      for (const event of events) {
        const payment: OutgoingPayment = {
          ...outgoingPayment({ state }),
          failureReason: isFailed(shown) ? 'EARLIER' : null,
          refund: withRefund(shown.refund),
        };
        const change = changeOutgoing(payment, { event, reason: 'ACCOUNT_CANNOT_RECEIVE', now: NOW });
        expectChange(`${state} ${event}`, expected.get(`${state} ${event}`), change);
      }
  });

  test('settledAt is set when the money is delivered and stays after a return', () => {
    const settled = changeOutgoing(outgoingPayment({ state: 'PROCESSING' }), { event: 'SETTLED', now: NOW });
    assert.deepEqual(settled?.payment.settledAt, NOW);
    const returned = settled && changeOutgoing(settled.payment, { event: 'RETURNED', now: new Date(NOW.getTime() + 1) });
    assert.deepEqual(returned?.payment.settledAt, NOW);
  });

  test('a cancelled payment that ends COMPLETED has no settledAt', () => {
    const cancelling = changeOutgoing(outgoingPayment({ state: 'PROCESSING' }), { event: 'CANCELLED', now: NOW });
    const cancelled = cancelling && changeOutgoing(cancelling.payment, { event: 'REFUND_PAID', now: NOW });
    assert.equal(cancelled?.payment.settledAt, null);
    assert.deepEqual(cancelled?.payment.refund, { reason: 'USER_CANCELLATION', initiatedAt: NOW, settledAt: NOW });
  });

  test('a bank that never answered: QUOTE_EXECUTION_FAILED, and the refund says TIMEOUT', () => {
    const failed = changeOutgoing(outgoingPayment({ state: 'SUBMITTED' }), { event: 'FAILED', reason: 'TIMEOUT', now: NOW });
    assert.equal(failed?.payment.failureReason, 'QUOTE_EXECUTION_FAILED');
    assert.equal(failed?.payment.refund?.reason, 'TIMEOUT');
  });

  test('a payment that waits keeps its expiry, a decided one has none', () => {
    const expiresAt = new Date(NOW.getTime() + 1_000);
    const quoted = outgoingPayment({ state: 'QUOTED', expiresAt });
    const later = new Date(NOW.getTime() + 9_000);
    assert.deepEqual(changeOutgoing(quoted, { event: 'CHALLENGED', expiresAt: later, now: NOW })?.payment.expiresAt, later);
    for (const event of ['EXECUTED', 'EXPIRED', 'RATE_REFUSED'] as const)
      assert.equal(changeOutgoing(quoted, { event, now: NOW })?.payment.expiresAt, null, event);
  });
});

describe('incoming payments', () => {
  const expected = parse(INCOMING_TABLE);
  const events = [...new Set(Object.values(INCOMING).flatMap((row) => Object.keys(row)))] as IncomingEvent[];

  test('the status equals the drawn one for every state and event, and everything not drawn does not happen', () => {
    for (const [state, shown] of Object.entries(INCOMING_STATES) as [IncomingState, { status: string; refund?: string }][])
      for (const event of events) {
        const payment: IncomingPayment = {
          ...incomingPayment({ state }),
          failureReason: isFailed(shown) ? 'EARLIER' : null,
          refund: withRefund(shown.refund),
        };
        const change = changeIncoming(payment, { event, reason: 'ACCOUNT_CANNOT_RECEIVE', now: NOW });
        expectChange(`${state} ${event}`, expected.get(`${state} ${event}`), change);
      }
  });

  test('a deposit that was not swept has failed although its money is there: its bank takes it back like a completed one', () => {
    for (const event of events) {
      const unswept: IncomingPayment = { ...incomingPayment({ state: 'FAILED' }), failureReason: 'EARLIER', settledAt: NOW };
      const change = changeIncoming(unswept, { event, reason: 'ACCOUNT_CANNOT_RECEIVE', now: NOW });
      expectChange(`unswept ${event}`, expected.get(`COMPLETED ${event}`), change);
    }
  });

  test('the ACH rail shows a return, its dishonor and its contest, and earlier times stay', () => {
    const at = (seconds: number) => new Date(NOW.getTime() + 1_000 * seconds);
    const rail = { paymentRail: 'ACH', status: 'SETTLED', reference: '1', settledAt: NOW.toISOString() } as const;
    let payment = incomingPayment({ state: 'COMPLETED', source: { type: 'REALTIME_FUNDING', rail } });
    for (const [event, seconds] of [
      ['RETURNED', 1],
      ['DISHONORED', 2],
      ['CONTESTED', 3],
    ] as const) {
      const change = changeIncoming(payment, { event, now: at(seconds) });
      assert.ok(change);
      payment = change.payment;
    }
    assert.ok(payment.source.type === 'REALTIME_FUNDING');
    assert.deepEqual(payment.source.rail, {
      ...rail,
      status: 'RETURN_CONTESTED',
      returnedAt: at(1).toISOString(),
      dishonoredAt: at(2).toISOString(),
      contestedAt: at(3).toISOString(),
    });
  });
});
