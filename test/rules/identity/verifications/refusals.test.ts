// What a verification refuses, and its moves as the API document draws them. The tables of decisions are in rules.test.ts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Customer, VERIFICATION_STATUSES } from '../../../../src/domains/identity/customers/customer.js';
import {
  decideSubmission,
  isDecided,
  isUnderReview,
  refuseDecided,
  refuseErrors,
  refuseRedirect,
  refuseUnverifiedContacts,
  VERIFICATION_MOVES,
} from '../../../../src/domains/identity/verifications/rules.js';
import { RECORD_STATUSES, type RecordStatus } from '../../../../src/domains/identity/verifications/verification.js';
import { answerOf, fieldsOf, refusalOf } from '../../../support/refusal.js';

test('every move of a verification: a later answer decides what is under review, a new submission what had errors', () => {
  const TABLE: Record<RecordStatus, string> = {
    IN_PROGRESS: 'DECIDED PENDING_MANUAL_REVIEW, DECIDED RESOLVE_ERRORS, DECIDED APPROVED, DECIDED REJECTED',
    PENDING_MANUAL_REVIEW: 'DECIDED RESOLVE_ERRORS, DECIDED APPROVED, DECIDED REJECTED',
    RESOLVE_ERRORS: 'SUBMITTED IN_PROGRESS, SUBMITTED PENDING_MANUAL_REVIEW, SUBMITTED APPROVED, SUBMITTED REJECTED',
    APPROVED: '',
    REJECTED: '',
  };
  for (const status of RECORD_STATUSES) {
    assert.equal((VERIFICATION_MOVES[status] ?? []).map(({ by, to }) => `${by} ${to}`).join(', '), TABLE[status], status);
    assert.equal(isUnderReview({ status }), TABLE[status].startsWith('DECIDED'), status);
  }
});

test('a customer who is approved or rejected is decided, and submits no more', () => {
  for (const verificationStatus of VERIFICATION_STATUSES) {
    const customer = { verificationStatus } as Customer;
    const decided = ['APPROVED', 'REJECTED'].includes(verificationStatus);
    assert.equal(isDecided(customer), decided, verificationStatus);
    if (!decided) refuseDecided(customer);
    else
      assert.deepEqual(
        answerOf(() => refuseDecided(customer)),
        ['INVALID_INPUT', { cause: 'ALREADY_DECIDED' }],
      );
  }
});

test('a first submission counts once, waits for no vendor where there is none, and has not failed', () => {
  const facts = { id: 'Verification:2', customerId: 'Customer:1', open: undefined, problems: [], now: new Date(0) } as const;
  const submission = { decision: { outcome: 'IN_PROGRESS' } } as const;
  const made = (hasVendor: boolean, handed: typeof submission | undefined) =>
    decideSubmission({ ...facts, hasVendor, submission: handed }).verification;
  assert.deepEqual(made(false, submission), {
    id: 'Verification:2',
    customerId: 'Customer:1',
    status: 'IN_PROGRESS',
    errors: [],
    submissions: 1,
    planned: null,
    sendAt: null,
    sendFailures: 0,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  });
  assert.equal(made(true, undefined).sendAt, null, 'a packet with problems is not sent');
});

describe('links', () => {
  test('a redirectUri has 2048 characters at most, and the answer says what it must be', () => {
    const ofLength = (length: number) => `https://example.com/${'a'.repeat(length - 20)}`;
    refuseRedirect(ofLength(2048));
    const { details } = refusalOf(() => refuseRedirect(ofLength(2049)));
    assert.deepEqual(details, {
      errors: [
        {
          field: 'redirectUri',
          constraint: { format: 'uri', maxLength: 2048 },
          message: 'must be an https:// URL without user info, or http:// on localhost',
        },
      ],
    });
  });

  test('the contacts that the region asks for come first', () => {
    refuseUnverifiedContacts([]);
    const missing = (...unverified: ('EMAIL' | 'PHONE')[]) => answerOf(() => refuseUnverifiedContacts(unverified));
    assert.deepEqual(missing('EMAIL'), ['CONFLICT', { missing: ['email'] }]);
    assert.deepEqual(missing('PHONE'), ['CONFLICT', { missing: ['phone'] }]);
    assert.deepEqual(missing('EMAIL', 'PHONE'), ['CONFLICT', { missing: ['email', 'phone'] }]);
  });
});

test("the sandbox's caller gives errors with RESOLVE_ERRORS and REJECTED only", () => {
  for (const status of RECORD_STATUSES) {
    refuseErrors(status, undefined);
    if (status === 'RESOLVE_ERRORS' || status === 'REJECTED') refuseErrors(status, []);
    else
      assert.deepEqual(
        fieldsOf(() => refuseErrors(status, [])),
        ['errors'],
      );
  }
});
