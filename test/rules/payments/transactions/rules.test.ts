// Which transactions can be cancelled, confirmed and returned.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  INCOMING_STATES,
  type IncomingState,
  OUTGOING_STATES,
  type OutgoingState,
  RAIL_STATUSES,
  type RailDetails,
  type RailStatus,
} from '../../../../src/domains/payments/payments/payment.js';
import {
  BANK_EVENTS,
  type BankEvent,
  messageOf,
  outsideRail,
  refuseCancelling,
  refuseConfirmation,
} from '../../../../src/domains/payments/transactions/rules.js';
import { idOf, newUuid } from '../../../../src/kernel/ids.js';
import { incomingPayment, outgoingPayment } from '../../../support/payments.js';
import { refusalBy } from '../../../support/refusal.js';

const bank = (paymentRail: string, status: RailStatus = 'PENDING'): RailDetails =>
  ({ paymentRail, status, reference: '1' }) as unknown as RailDetails;
const end = (rail?: RailDetails) => ({ type: 'ACCOUNT', accountId: idOf('ExternalAccount', newUuid()), rail }) as const;
const out = (state: OutgoingState, rail?: RailDetails) => outgoingPayment({ state, source: end(bank('PIX')), destination: end(rail) });
const into = (state: IncomingState, rail?: RailDetails) => incomingPayment({ state, source: end(rail) });

describe('cancelling', () => {
  const outcome = (payment: Parameters<typeof refuseCancelling>[0]) => refusalBy(() => refuseCancelling(payment));

  test('while a bank has the order and no outcome is known; else TRANSACTION_NOT_CANCELLABLE', () => {
    const open = ['SUBMITTED', 'PROCESSING'];
    for (const state of Object.keys(OUTGOING_STATES) as OutgoingState[])
      assert.equal(outcome(out(state, bank('ACH'))), open.includes(state) ? 'allowed' : 'TRANSACTION_NOT_CANCELLABLE', state);
    for (const state of Object.keys(INCOMING_STATES) as IncomingState[])
      assert.equal(outcome(into(state, bank('ACH'))), open.includes(state) ? 'allowed' : 'TRANSACTION_NOT_CANCELLABLE', state);
  });

  test('"a bank transfer over ACH, ACH_SAME_DAY or WIRE"; another kind INVALID_INPUT, final states first', () => {
    for (const rail of ['ACH', 'ACH_SAME_DAY', 'WIRE']) assert.equal(outcome(out('PROCESSING', bank(rail))), 'allowed', rail);
    for (const rail of [bank('RTP'), bank('FEDNOW'), bank('ONCHAIN'), undefined]) {
      assert.equal(outcome(out('PROCESSING', rail)), 'INVALID_INPUT transactionId');
      assert.equal(outcome(into('PROCESSING', rail)), 'INVALID_INPUT transactionId');
      assert.equal(outcome(out('COMPLETED', rail)), 'TRANSACTION_NOT_CANCELLABLE');
    }
  });

  test('the rail is the one of the outside end: destination of a payout, source of a debit or deposit', () => {
    assert.deepEqual(outsideRail(out('PROCESSING', bank('WIRE'))), bank('WIRE'));
    assert.deepEqual(outsideRail(into('PROCESSING', bank('ACH'))), bank('ACH'));
    const uma = { type: 'UMA_ADDRESS', umaAddress: '$bob@example.com' } as const;
    assert.equal(outsideRail(outgoingPayment({ destination: uma })), undefined);
    assert.equal(outsideRail(incomingPayment({ source: uma })), undefined);
  });
});

test('a receipt: of a completed transaction, not in the future, not before the transaction, both bounds included', () => {
  const [created, settled, now] = [0, 1_000, 2_000].map((ms) => new Date(Date.UTC(2026, 2, 4) + ms)) as [Date, Date, Date];
  const plus = (time: Date, ms: number) => new Date(time.getTime() + ms);
  const confirmed = (at: Date, settledAt: Date | null = settled) =>
    refusalBy(() => refuseConfirmation(outgoingPayment({ createdAt: created, settledAt }), at, now));
  assert.deepEqual(
    [plus(created, -1), created, now, plus(now, 1)].map((at) => confirmed(at)),
    ['INVALID_INPUT receiptDeliveryConfirmedAt', 'allowed', 'allowed', 'INVALID_INPUT receiptDeliveryConfirmedAt'],
  );
  assert.equal(confirmed(plus(now, 1), null), 'INVALID_INPUT transactionId');
});

describe('ACH after settlement: rail status × event', () => {
  const TABLE: Readonly<Record<BankEvent, readonly [follows: RailStatus, message: string]>> = {
    RETURN: ['SETTLED', 'RETURNED'],
    DISHONOR: ['RETURNED', 'DISHONORED'],
    CONTEST: ['RETURN_DISHONORED', 'CONTESTED'],
    REVERSE: ['SETTLED', 'REVERSED'],
  };
  const played = (event: BankEvent, rail: RailDetails | undefined): string => {
    const refusal = refusalBy(() => messageOf(into('COMPLETED', rail), event));
    return refusal === 'allowed' ? messageOf(into('COMPLETED', rail), event) : refusal;
  };
  for (const event of BANK_EVENTS)
    test(`${event} follows ${TABLE[event][0]} alone`, () => {
      for (const status of RAIL_STATUSES)
        for (const rail of ['ACH', 'ACH_SAME_DAY'])
          assert.equal(played(event, bank(rail, status)), status === TABLE[event][0] ? TABLE[event][1] : 'CONFLICT', `${rail} ${status}`);
    });
  test('another rail, or none: 409 CONFLICT', () => {
    for (const rail of [bank('WIRE', 'SETTLED'), bank('RTP', 'SETTLED'), undefined]) assert.equal(played('RETURN', rail), 'CONFLICT');
  });
});
