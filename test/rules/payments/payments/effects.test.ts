// What an event does beside the status: rails, payouts, refunds, times. The statuses are in states.test.ts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { internalDestination } from '../../../../src/domains/payments/payments/moves.js';
import type {
  BankRailDetails,
  IncomingState,
  OutgoingPayment,
  OutgoingState,
  RailDetails,
} from '../../../../src/domains/payments/payments/payment.js';
import { receivedPayment } from '../../../../src/domains/payments/payments/received-rules.js';
import {
  asOf,
  changeIncoming,
  changeOutgoing,
  type IncomingEvent,
  OUTGOING_EXPIRY,
  type OutgoingEvent,
  railAt,
  statusOf,
  TRANSACTION_MOVES,
} from '../../../../src/domains/payments/payments/rules.js';
import { idOf, newId, newUuid } from '../../../../src/kernel/ids.js';
import { incomingPayment, outgoingPayment } from '../../../support/payments.js';

const NOW = new Date('2026-03-04T05:06:07.000Z');
const LATER = new Date('2026-03-04T05:06:08.000Z');
const ACH = { paymentRail: 'ACH', status: 'PENDING', reference: '1' } as const;

const external = (rail?: RailDetails) => ({ type: 'ACCOUNT', accountId: idOf('ExternalAccount', newUuid()), rail }) as const;
const statusOfRail = (end: OutgoingPayment['source'] | OutgoingPayment['destination']): string =>
  'rail' in end && end.rail && 'status' in end.rail ? end.rail.status : '-';

/** State and event → rail of the outside end, rail of the debit, whether the payout starts, and why a refund begins. */
const OUTGOING_TABLE: readonly (readonly [OutgoingState, OutgoingEvent, string])[] = [
  ['QUOTED', 'EXPIRED', 'PENDING PENDING - -'],
  ['QUOTED', 'EXECUTED', 'PENDING PENDING pays-out -'],
  ['QUOTED', 'ORDERED', 'PENDING PENDING pays-out -'],
  ['QUOTED', 'COLLECTION_STARTED', 'PENDING PENDING - -'],
  ['QUOTED', 'FUNDS_ARRIVED', 'PENDING PENDING pays-out -'],
  ['QUOTED', 'FUNDS_MISMATCHED', 'PENDING PENDING - TRANSACTION_FAILED'],
  ['AWAITING_AUTHORIZATION', 'EXECUTED', 'PENDING PENDING pays-out -'],
  ['AWAITING_AUTHORIZATION', 'COLLECTION_STARTED', 'PENDING PENDING - -'],
  ['AWAITING_AUTHORIZATION', 'AUTHORIZED_UNFUNDED', 'PENDING PENDING - -'],
  ['SUBMITTED', 'ACCEPTED', 'PENDING PENDING - -'],
  ['SUBMITTED', 'FAILED', 'FAILED PENDING - TRANSACTION_FAILED'],
  ['SUBMITTED', 'CANCELLED', 'FAILED PENDING - USER_CANCELLATION'],
  ['COLLECTING', 'COLLECTED', 'PENDING SETTLED pays-out -'],
  ['COLLECTING', 'COLLECTION_FAILED', 'PENDING FAILED - -'],
  ['PROCESSING', 'SETTLED', 'SETTLED PENDING - -'],
  ['PROCESSING', 'FAILED', 'FAILED PENDING - TRANSACTION_FAILED'],
  ['PROCESSING', 'CANCELLED', 'FAILED PENDING - USER_CANCELLATION'],
  ['COMPLETED', 'RETURNED', 'RETURNED PENDING - TRANSACTION_FAILED'],
  ['REFUNDING', 'DISHONORED', 'RETURN_DISHONORED PENDING - -'],
  ['REFUNDING', 'CONTESTED', 'RETURN_CONTESTED PENDING - -'],
  ['REFUNDED', 'DISHONORED', 'RETURN_DISHONORED PENDING - -'],
  ['REFUNDED', 'CONTESTED', 'RETURN_CONTESTED PENDING - -'],
  ['REFUND_FAILED', 'DISHONORED', 'RETURN_DISHONORED PENDING - -'],
  ['REFUND_FAILED', 'CONTESTED', 'RETURN_CONTESTED PENDING - -'],
  ['EXPIRED', 'FUNDS_LATE', 'PENDING PENDING - TIMEOUT'],
];

describe('an outgoing payment', () => {
  for (const [state, event, expected] of OUTGOING_TABLE)
    test(`${state} ${event}: ${expected}`, () => {
      const payment = outgoingPayment({ state, source: external(ACH), destination: external(ACH) });
      const change = changeOutgoing(payment, { event, reason: 'ACCOUNT_INVALID', now: NOW });
      assert.ok(change);
      const { source, destination, refund } = change.payment;
      assert.equal(
        [statusOfRail(destination), statusOfRail(source), change.paysOut ? 'pays-out' : '-', refund?.reason ?? '-'].join(' '),
        expected,
      );
      assert.equal(change.refundBegins, refund !== null);
    });

  test('the debit of an external account is shown PENDING as soon as it is collected', () => {
    const settled = { ...ACH, status: 'SETTLED' } as const;
    for (const state of ['QUOTED', 'AWAITING_AUTHORIZATION'] as const) {
      const change = changeOutgoing(outgoingPayment({ state, source: external(settled) }), { event: 'COLLECTION_STARTED', now: NOW });
      assert.equal(change && statusOfRail(change.payment.source), 'PENDING', state);
    }
  });

  test('ends that no rail reaches keep what they show', () => {
    const source = { type: 'REALTIME_FUNDING', rail: ACH } as const;
    const destination = { type: 'UMA_ADDRESS', umaAddress: '$ada@example.com' } as const;
    const change = changeOutgoing(outgoingPayment({ state: 'COLLECTING', source, destination }), { event: 'COLLECTED', now: NOW });
    assert.deepEqual([change?.payment.source, change?.payment.destination], [source, destination]);
  });

  test('settledAt: only SETTLED delivers the money', () => {
    const settles = OUTGOING_TABLE.filter(
      ([state, event]) => changeOutgoing(outgoingPayment({ state }), { event, now: NOW })?.payment.settledAt !== null,
    );
    assert.deepEqual(
      settles.map(([, event]) => event),
      ['SETTLED'],
    );
  });

  test('without a reason of the rail the failure is QUOTE_EXECUTION_FAILED, with one it is that', () => {
    const failed = (reason: string | null | undefined) =>
      changeOutgoing(outgoingPayment({ state: 'PROCESSING' }), { event: 'FAILED', reason, now: NOW })?.payment.failureReason;
    assert.deepEqual(
      [failed(undefined), failed(null), failed('TIMEOUT'), failed('ACCOUNT_INVALID')],
      ['QUOTE_EXECUTION_FAILED', 'QUOTE_EXECUTION_FAILED', 'QUOTE_EXECUTION_FAILED', 'ACCOUNT_INVALID'],
    );
  });

  test('the refund keeps why and when it began; settledAt is when it is paid, once', () => {
    const begun = { reason: 'USER_CANCELLATION', initiatedAt: NOW, settledAt: null } as const;
    const refunding = outgoingPayment({ state: 'REFUNDING', refund: begun });
    const paid = changeOutgoing(refunding, { event: 'REFUND_PAID', now: LATER });
    assert.deepEqual(paid?.payment.refund, { ...begun, settledAt: LATER });
    const failed = changeOutgoing(refunding, { event: 'REFUND_FAILED', now: LATER });
    assert.deepEqual(failed?.payment.refund, begun, 'a refund that failed is not settled');
    const disputed = paid && changeOutgoing(paid.payment, { event: 'DISHONORED', now: new Date(LATER.getTime() + 1) });
    assert.deepEqual(disputed?.payment.refund, { ...begun, settledAt: LATER }, 'a later dispute of the banks changes nothing of it');
    const withoutRefund = changeOutgoing(outgoingPayment({ state: 'REFUNDED', refund: null }), { event: 'DISHONORED', now: LATER });
    assert.equal(withoutRefund?.payment.refund, null);
  });

  test('a challenge extends the wait; a satisfied one without another end keeps it', () => {
    const waiting = outgoingPayment({ state: 'AWAITING_AUTHORIZATION', expiresAt: NOW });
    assert.deepEqual(changeOutgoing(waiting, { event: 'CHALLENGED', expiresAt: LATER, now: NOW })?.payment.expiresAt, LATER);
    assert.deepEqual(changeOutgoing(waiting, { event: 'AUTHORIZED_UNFUNDED', now: NOW })?.payment.expiresAt, NOW);
    assert.deepEqual(changeOutgoing(waiting, { event: 'AUTHORIZED_UNFUNDED', expiresAt: LATER, now: NOW })?.payment.expiresAt, LATER);
  });
});

/** State and event → rail of the source, whether money goes on to an external account, and why a refund begins. */
const INCOMING_TABLE: readonly (readonly [IncomingState, IncomingEvent, string])[] = [
  ['ANNOUNCED', 'APPROVED', 'PENDING - -'],
  ['SUBMITTED', 'ACCEPTED', 'PENDING - -'],
  ['SUBMITTED', 'COLLECTION_FAILED', 'FAILED - -'],
  ['SUBMITTED', 'CANCELLED', 'FAILED - -'],
  ['PROCESSING', 'COLLECTED', 'SETTLED - -'],
  ['PROCESSING', 'COLLECTED_TO_PAY_OUT', 'PENDING pays-out -'],
  ['PROCESSING', 'COLLECTION_FAILED', 'FAILED - -'],
  ['PAYING_OUT', 'SETTLED', 'PENDING - -'],
  ['PAYING_OUT', 'FAILED', 'PENDING - TRANSACTION_FAILED'],
  ['COMPLETED', 'RETURNED', 'RETURNED - -'],
  ['COMPLETED', 'REVERSED', 'REVERSED - -'],
  ['RETURNED', 'DISHONORED', 'RETURN_DISHONORED - -'],
  ['RESTORED', 'CONTESTED', 'RETURN_CONTESTED - -'],
];

describe('an incoming payment', () => {
  for (const [state, event, expected] of INCOMING_TABLE)
    test(`${state} ${event}: ${expected}`, () => {
      const change = changeIncoming(incomingPayment({ state, source: external(ACH) }), { event, now: NOW });
      assert.ok(change);
      const { source, refund } = change.payment;
      assert.equal([statusOfRail(source), change.paysOut ? 'pays-out' : '-', refund?.reason ?? '-'].join(' '), expected);
      assert.equal(change.refundBegins, refund !== null);
    });

  test('settledAt: when the money is credited, or has reached the external account', () => {
    const settles = INCOMING_TABLE.filter(
      ([state, event]) => changeIncoming(incomingPayment({ state }), { event, now: NOW })?.payment.settledAt !== null,
    );
    assert.deepEqual(
      settles.map(([state, event]) => `${state} ${event}`),
      ['PROCESSING COLLECTED', 'PAYING_OUT SETTLED'],
    );
  });

  test('a sender at another provider has no rail', () => {
    const source = { type: 'UMA_ADDRESS', umaAddress: '$ada@example.com' } as const;
    assert.deepEqual(changeIncoming(incomingPayment({ source }), { event: 'COLLECTED', now: NOW })?.payment.source, source);
  });
});

describe('the details of a rail', () => {
  const TIMES: readonly (readonly [BankRailDetails['status'], keyof BankRailDetails | undefined])[] = [
    ['PENDING', undefined],
    ['SETTLED', 'settledAt'],
    ['RETURNED', 'returnedAt'],
    ['RETURN_DISHONORED', 'dishonoredAt'],
    ['RETURN_CONTESTED', 'contestedAt'],
    ['REVERSED', 'reversedAt'],
    ['FAILED', undefined],
  ];
  for (const [status, time] of TIMES)
    test(`${status}: ${time ?? 'no time'}, beside the times before`, () => {
      const before = { ...ACH, settledAt: '2026-01-01T00:00:00.000Z' };
      const expected = { ...before, status, ...(time && { [time]: NOW.toISOString() }) };
      assert.deepEqual(railAt(before, status, NOW), expected);
    });

  for (const paymentRail of ['ACH', 'ACH_SAME_DAY', 'WIRE', 'RTP', 'FEDNOW'] as const)
    test(`${paymentRail}: ${paymentRail.startsWith('ACH') ? 'has what follows a settlement' : 'a payment that comes back is another one of the bank'}`, () => {
      const settled = { ...ACH, paymentRail, status: 'SETTLED', settledAt: '2026-01-01T00:00:00.000Z' } as const;
      for (const [status] of TIMES) {
        const isKept = !paymentRail.startsWith('ACH') && !['PENDING', 'SETTLED', 'FAILED'].includes(status);
        assert.equal((railAt(settled, status, NOW) as BankRailDetails).status, isKept ? 'SETTLED' : status);
      }
    });

  test('a transaction of a chain, and an event that says nothing of the rail, leave them as they are', () => {
    const chain = { paymentRail: 'ONCHAIN', transactionHash: 'ab', network: 'BASE' } as const;
    assert.equal(railAt(chain, 'SETTLED', NOW), chain);
    assert.equal(railAt(ACH, undefined, NOW), ACH);
    assert.equal(railAt(undefined, 'SETTLED', NOW), undefined);
  });
});

describe('waiting', () => {
  test('"At expiresAt it is over, whether or not the expiry job has run": a quote alone', () => {
    const at = (ms: number) => new Date(NOW.getTime() + ms);
    const quoted = outgoingPayment({ state: 'QUOTED', expiresAt: NOW });
    assert.deepEqual(
      [at(-1), at(0), at(1)].map((now) => statusOf(asOf(quoted, now))),
      ['PENDING', 'EXPIRED', 'EXPIRED'],
    );
    assert.equal(asOf({ ...quoted, expiresAt: null }, at(1)).state, 'QUOTED', 'a transfer has no end of waiting');
    assert.equal(asOf({ ...quoted, state: 'AWAITING_AUTHORIZATION' }, at(1)).state, 'AWAITING_AUTHORIZATION', 'its challenge ends it');
  });

  test('what the end of waiting is: a quote expires, a challenge is not completed, nothing else waits', () => {
    assert.deepEqual(OUTGOING_EXPIRY, { QUOTED: 'EXPIRED', AWAITING_AUTHORIZATION: 'CHALLENGE_EXPIRED' });
  });
});

test("a payment that stays in the service: the receiver has a completed transaction of its own, and the payer's names the fees", () => {
  const id = newId('Transaction');
  const customerId = newId('Customer');
  const payment = outgoingPayment({ state: 'PROCESSING', fees: 310n, platformFees: 53n, feeAccountId: idOf('InternalAccount', newUuid()) });
  const received = receivedPayment({ id, customerId, platformCustomerId: 'ada', payment, now: NOW });
  assert.deepEqual(
    {
      type: received.type,
      status: statusOf(received),
      holder: [received.customerId, received.platformCustomerId],
      fees: [received.fees, received.platformFees, received.feeAccountId],
      counterpart: received.counterpartId,
      quoteId: received.quoteId,
      times: [received.settledAt, received.createdAt, received.updatedAt],
      amounts: [received.sent, received.received],
    },
    {
      type: 'INCOMING',
      status: 'COMPLETED',
      holder: [customerId, 'ada'],
      fees: [0n, 0n, null],
      counterpart: payment.id,
      quoteId: null,
      times: [NOW, NOW, NOW],
      amounts: [payment.sent, payment.received],
    },
  );
  assert.equal(internalDestination(received), internalDestination(payment), 'of the same account');
  const rail = { paymentRail: 'ACH', status: 'SETTLED', reference: '1' } as const;
  const ids = { agentId: idOf('Agent', newUuid()), ruleBasedAccountId: idOf('InternalAccount', newUuid()) };
  for (const source of [external(rail), { type: 'REALTIME_FUNDING', rail } as const]) {
    const other = receivedPayment({ id, customerId, platformCustomerId: 'ada', payment: { ...payment, ...ids, source }, now: NOW });
    assert.deepEqual([other.agentId, other.ruleBasedAccountId], [null, null], "of the payer's agent and the payer's rule");
    assert.deepEqual(other.source, { ...source, rail: undefined }, "the rail is the payer's");
  }
  const source = { type: 'UMA_ADDRESS', umaAddress: '$ada@bank.example' } as const;
  assert.deepEqual(
    receivedPayment({ id, customerId, platformCustomerId: 'ada', payment: { ...payment, source }, now: NOW }).source,
    source,
    'an address has no rail',
  );
});

test('the moves as the API shows them name the direction, and no move keeps the status', () => {
  const moves = Object.entries(TRANSACTION_MOVES).flatMap(([from, list]) =>
    list.map(({ to, by, of }) => ({ from, to, by: String(by), of: String(of) })),
  );
  const brief = moves.map(({ from, to, of }) => `${of} ${from} ${to}`);
  assert.deepEqual([...new Set(brief)].sort(), [
    'INCOMING COMPLETED FAILED',
    'INCOMING FAILED COMPLETED',
    'INCOMING PENDING FAILED',
    'INCOMING PENDING PROCESSING',
    'INCOMING PENDING REJECTED',
    'INCOMING PROCESSING COMPLETED',
    'INCOMING PROCESSING FAILED',
    'OUTGOING COMPLETED FAILED',
    'OUTGOING PENDING COMPLETED',
    'OUTGOING PENDING EXPIRED',
    'OUTGOING PENDING FAILED',
    'OUTGOING PENDING PENDING_AUTHORIZATION',
    'OUTGOING PENDING PROCESSING',
    'OUTGOING PENDING_AUTHORIZATION FAILED',
    'OUTGOING PENDING_AUTHORIZATION PENDING',
    'OUTGOING PENDING_AUTHORIZATION PROCESSING',
    'OUTGOING PROCESSING COMPLETED',
    'OUTGOING PROCESSING FAILED',
  ]);
});
