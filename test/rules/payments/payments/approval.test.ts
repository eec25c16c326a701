// What the receiver's answer to the question means.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  approvalOf,
  type Decision,
  decisionOf,
  deferredUntil,
  isUndecided,
  undecidedUntil,
} from '../../../../src/domains/payments/payments/approval-rules.js';
import { INCOMING_STATES, type IncomingState } from '../../../../src/domains/payments/payments/payment.js';
import { ApiError } from '../../../../src/kernel/errors.js';

const ASKED = [
  { name: 'FULL_NAME', mandatory: true },
  { name: 'NATIONALITY', mandatory: false },
];
const brief = (decision: Decision): string => (decision.event === 'REFUSED' ? decision.reason : decision.event);

test('every status that a receiver may answer', () => {
  const expected: Record<number, string> = { 202: 'DEFERRED', 403: 'REJECTED', 422: 'PAY_REQUEST_FAILED' };
  for (let status = 200; status < 600; status += 1) {
    const otherwise = status < 300 ? 'APPROVED' : 'PAYMENT_APPROVAL_WEBHOOK_ERROR';
    assert.equal(brief(decisionOf({ status, body: '' }, [])), expected[status] ?? otherwise, String(status));
  }
});

test('no answer in five seconds is a time-out; no connection is an error of the webhook', () => {
  assert.equal(brief(decisionOf({ failure: 'TIMEOUT' }, [])), 'PAYMENT_APPROVAL_TIMED_OUT');
  for (const failure of ['CONNECTION_FAILED', 'TLS_FAILED', 'NAME_NOT_RESOLVED', 'ANSWER_INVALID'])
    assert.equal(brief(decisionOf({ failure }, [])), 'PAYMENT_APPROVAL_WEBHOOK_ERROR', failure);
});

test('a 200 without a mandatory requested field fails; optional fields may be missing', () => {
  const answer = (receiverCustomerInfo: unknown) =>
    brief(decisionOf({ status: 200, body: JSON.stringify({ receiverCustomerInfo }) }, ASKED));
  assert.equal(answer({ FULL_NAME: 'Ada Lovelace' }), 'APPROVED');
  for (const info of [{}, { FULL_NAME: '' }, { FULL_NAME: null }, { NATIONALITY: 'US' }, [], 'FULL_NAME', null])
    assert.equal(answer(info), 'MISSING_MANDATORY_PAYEE_DATA', JSON.stringify(info));
});

test('any body is read without an error', () => {
  for (const body of ['', 'ok', '[]', 'null', '{', '{"receiverCustomerInfo":3}', '"x"', '{"__proto__":{"FULL_NAME":"x"}}']) {
    assert.equal(brief(decisionOf({ status: 200, body }, [])), 'APPROVED', body);
    assert.equal(brief(decisionOf({ status: 200, body }, ASKED)), 'MISSING_MANDATORY_PAYEE_DATA', body);
  }
});

test('a call that misses a mandatory field is refused and names it', () => {
  assert.throws(
    () => approvalOf({ requestedFields: ASKED }, { NATIONALITY: 'US' }),
    (error) => error instanceof ApiError && error.code === 'MISSING_MANDATORY_USER_INFO',
  );
  assert.deepEqual(approvalOf({ requestedFields: ASKED }, { FULL_NAME: 'Ada' }), {
    event: 'APPROVED',
    receiverCustomerInfo: { FULL_NAME: 'Ada' },
  });
});

test('"202: PENDING until approve or reject, at most 5 s of the clock"; the question itself waits 10 s', () => {
  const now = new Date('2026-03-04T05:06:07.000Z');
  assert.equal(deferredUntil(now).toISOString(), '2026-03-04T05:06:12.000Z');
  assert.equal(undecidedUntil(now).toISOString(), '2026-03-04T05:06:17.000Z');
});

test('a payment waits for the platform while it is announced, until its time is over', () => {
  const expiresAt = new Date('2026-03-04T05:06:07.000Z');
  const at = (ms: number) => new Date(expiresAt.getTime() + ms);
  assert.deepEqual(
    [at(-1), at(0), at(1)].map((now) => isUndecided({ state: 'ANNOUNCED', expiresAt }, now)),
    [true, false, false],
  );
  assert.equal(isUndecided({ state: 'ANNOUNCED', expiresAt: null }, at(0)), true);
  for (const state of Object.keys(INCOMING_STATES) as IncomingState[])
    for (const end of [null, expiresAt]) assert.equal(isUndecided({ state, expiresAt: end }, at(-1)), state === 'ANNOUNCED', state);
});
