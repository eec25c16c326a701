// The tables of verification: every status with every event, written out from the rules and compared with the tables.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { VerificationStatus } from '../../../../src/domains/identity/customers/customer.js';
import { VERIFICATION_STATUSES } from '../../../../src/domains/identity/customers/customer.js';
import { maskIdentifier } from '../../../../src/domains/identity/verifications/owner-rules.js';
import {
  decideLater,
  decideSubmission,
  laterCauseOf,
  refuseRedirect,
  STATUS_CAUSES,
  type StatusCause,
  sendAgain,
  statusAfter,
} from '../../../../src/domains/identity/verifications/rules.js';
import { RECORD_STATUSES, type RecordStatus, type Verification } from '../../../../src/domains/identity/verifications/verification.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import type { KycDecision } from '../../../../src/providers/kyc.js';

const NOW = new Date('2026-06-01T12:00:00Z');
const EARLIER = new Date('2026-05-01T12:00:00Z');
const ERROR = { resourceId: 'Customer:x', type: 'MISSING_FIELD', field: 'fullName', reason: 'fullName is missing.' } as const;
const REJECTED: KycDecision = { outcome: 'REJECTED', errors: [{ resourceId: 'Customer:x', type: 'APPLICANT_FRAUD', reason: 'no' }] };

const verification = (status: RecordStatus, fields: Partial<Verification> = {}): Verification => ({
  id: 'Verification:1',
  customerId: 'Customer:1',
  status,
  errors: [],
  submissions: 1,
  planned: { at: NOW, decision: { outcome: 'APPROVED' } },
  sendAt: NOW,
  sendFailures: 0,
  createdAt: EARLIER,
  updatedAt: EARLIER,
  ...fields,
});

describe('the status of a customer, every status and cause', () => {
  // Rows: from. Columns: SUBMITTED, APPROVED, REJECTED, ERRORS_FOUND, PUT_ON_HOLD, RELEASED. A dash changes nothing.
  const TABLE: Record<VerificationStatus, string> = {
    UNVERIFIED: 'PENDING APPROVED REJECTED - - -',
    PENDING: '- APPROVED REJECTED - HOLD -',
    APPROVED: '- - - - HOLD -',
    REJECTED: '- - - - - -',
    HOLD: 'PENDING APPROVED REJECTED - - APPROVED',
  };
  const columns: StatusCause[] = ['SUBMITTED', 'APPROVED', 'REJECTED', 'ERRORS_FOUND', 'PUT_ON_HOLD', 'RELEASED'];
  assert.deepEqual([...columns].sort(), [...STATUS_CAUSES].sort());
  for (const from of VERIFICATION_STATUSES) {
    for (const [i, to] of TABLE[from].split(' ').entries()) {
      const cause = columns[i] as StatusCause;
      test(`${from} and ${cause}: ${to === '-' ? 'unchanged' : to}`, () => assert.equal(statusAfter(from, cause), to === '-' ? from : to));
    }
  }
});

describe('the status of a verification, every status and later answer', () => {
  const ANSWERS: readonly KycDecision[] = [
    { outcome: 'IN_PROGRESS' },
    { outcome: 'PENDING_MANUAL_REVIEW' },
    { outcome: 'RESOLVE_ERRORS', errors: [ERROR] },
    { outcome: 'APPROVED' },
    REJECTED,
  ];
  const TAKEN: Record<RecordStatus, readonly string[]> = {
    IN_PROGRESS: ['PENDING_MANUAL_REVIEW', 'RESOLVE_ERRORS', 'APPROVED', 'REJECTED'],
    PENDING_MANUAL_REVIEW: ['RESOLVE_ERRORS', 'APPROVED', 'REJECTED'],
    RESOLVE_ERRORS: [],
    APPROVED: [],
    REJECTED: [],
  };
  for (const status of RECORD_STATUSES) {
    for (const answer of ANSWERS) {
      const isTaken = TAKEN[status].includes(answer.outcome);
      test(`${status} and ${answer.outcome}: ${isTaken ? answer.outcome : 'ignored'}`, () => {
        const decided = decideLater(verification(status), answer, NOW);
        if (!isTaken) return assert.equal(decided, undefined);
        assert.deepEqual(decided, {
          ...verification(status),
          status: answer.outcome,
          errors: 'errors' in answer ? answer.errors : [],
          planned: null,
          sendAt: null,
          updatedAt: NOW,
        });
      });
    }
  }

  test('an answer to an earlier submission is ignored', () => {
    assert.equal(decideLater(verification('IN_PROGRESS', { submissions: 2 }), { outcome: 'APPROVED' }, NOW, 1), undefined);
    assert.equal(decideLater(verification('IN_PROGRESS', { submissions: 2 }), { outcome: 'APPROVED' }, NOW, 2)?.status, 'APPROVED');
  });

  test('an answer that decides nothing leaves the customer alone', () => {
    assert.deepEqual(ANSWERS.map(laterCauseOf), [undefined, undefined, 'ERRORS_FOUND', 'APPROVED', 'REJECTED']);
  });
});

describe('a submission', () => {
  const facts = {
    id: 'Verification:2',
    customerId: 'Customer:1',
    open: undefined,
    submission: undefined,
    problems: [],
    hasVendor: false,
    now: NOW,
  } as const;

  test('with problems opens a record that lists them; nothing is handed over', () => {
    const { verification: made, cause } = decideSubmission({ ...facts, problems: [ERROR] });
    assert.deepEqual(
      [made.status, made.errors, made.submissions, made.sendAt, cause],
      ['RESOLVE_ERRORS', [ERROR], 0, null, 'ERRORS_FOUND'],
    );
  });

  test('of an open record keeps its id and creation', () => {
    const open = verification('RESOLVE_ERRORS', { planned: null, sendAt: null });
    const { verification: made } = decideSubmission({ ...facts, open, submission: { decision: { outcome: 'IN_PROGRESS' } } });
    assert.deepEqual([made.id, made.createdAt, made.updatedAt, made.submissions], [open.id, EARLIER, NOW, 2]);
  });

  test('plans the announced decision by the clock', () => {
    const later = { afterMs: 5_000, decision: { outcome: 'APPROVED' } } as const;
    const { verification: made } = decideSubmission({ ...facts, submission: { decision: { outcome: 'IN_PROGRESS' }, later } });
    assert.deepEqual(made.planned, { at: new Date('2026-06-01T12:00:05Z'), decision: { outcome: 'APPROVED' } });
  });

  test('is sent at once where there is a vendor', () => {
    const { verification: made } = decideSubmission({ ...facts, hasVendor: true, submission: { decision: { outcome: 'IN_PROGRESS' } } });
    assert.deepEqual(made.sendAt, NOW);
  });
});

test('a vendor that cannot be reached is tried again, further and further apart, at most an hour', () => {
  let made = verification('IN_PROGRESS');
  const waits: number[] = [];
  for (let i = 0; i < 9; i += 1) {
    made = sendAgain(made, NOW);
    waits.push(((made.sendAt?.getTime() ?? 0) - NOW.getTime()) / 1000);
  }
  assert.deepEqual(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
});

describe('redirectUri', () => {
  const taken = [
    'https://example.com',
    'https://example.com/a?b=c#d',
    'http://localhost:3000/done',
    'http://127.0.0.1/x',
    'http://[::1]:80/',
  ];
  for (const uri of taken) test(`${uri} is taken`, () => refuseRedirect(uri));
  const refused = [
    'http://example.com',
    'javascript:alert(1)',
    'https://user:pass@example.com/',
    'https://user@example.com/',
    'http://localhost.example.com/',
    'https://example.com/\r\nset-cookie: a=b',
    'https:\\\\example.com',
    'https:example.com',
    '//example.com',
    'ftp://example.com/',
    `https://example.com/${'a'.repeat(2048)}`,
    'https://example.com/a b',
    '',
  ];
  for (const uri of refused)
    test(`${JSON.stringify(uri).slice(0, 60)} is refused`, () => assert.throws(() => refuseRedirect(uri), ApiError));
  test('exactly 2048 characters are taken', () => refuseRedirect(`https://example.com/${'a'.repeat(2048 - 20)}`));
});

test('identifiers are masked but for the last four letters and digits; separators stay', () => {
  const shown = {
    '123-45-6789': '***-**-6789',
    'AB 12 34 56 C': '** ** *4 56 C',
    '12345678': '****5678',
    '1234': '**34',
    '7': '*',
    '--': '--',
  };
  for (const [identifier, masked] of Object.entries(shown)) assert.equal(maskIdentifier(identifier), masked);
});
