// The lock-out ladder, limits, the choice of a factor and the states of a reset, as pure functions.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  clearFailures,
  completeReset,
  concludeLiveness,
  countFailure,
  hasSession,
  isGuessable,
  isOpen,
  NO_SECURITY,
  openSession,
  paymentFactor,
  paymentFactors,
  relyingPartyOf,
  requireTrustChange,
  resetAt,
  takeUse,
  trustFactor,
  trustFactors,
  usableFactors,
} from '../../../../src/domains/access/sca/rules.js';
import type { Factors, LivenessOutcome, Reset, ResetState, Security } from '../../../../src/domains/access/sca/sca.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { around, DAY, HOUR, MINUTE } from '../../../support/times.js';

const { now, at } = around('2026-03-01T12:00:00Z');

const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error.code;
  }
  return 'none';
};

test('the ladder: nothing for four, then 15 minutes, 30 minutes, one hour, 24 hours, and suspension from the ninth on', () => {
  let security: Security = NO_SECURITY;
  const seen = Array.from({ length: 12 }, () => {
    security = countFailure(security, now);
    return security.isSuspended ? 'suspended' : security.lockedUntil ? security.lockedUntil.getTime() - now.getTime() : 0;
  });
  assert.deepEqual(seen, [0, 0, 0, 0, 15 * MINUTE, 30 * MINUTE, HOUR, DAY, 'suspended', 'suspended', 'suspended', 'suspended']);
  assert.deepEqual(clearFailures({ ...security, totpSteps: [7] }), { ...NO_SECURITY, totpSteps: [7] });
});

test('a session lasts 180 days, and not at exactly 180 days', () => {
  const open = openSession(NO_SECURITY, { factor: 'TOTP', endUserIpAddress: '::1', startedAt: now });
  assert.equal(hasSession(NO_SECURITY, now), false);
  assert.equal(hasSession(open, at(180 * DAY - 1)), true);
  assert.equal(hasSession(open, at(180 * DAY)), false);
});

test('five uses in any ten minutes: a use leaves the window at exactly ten minutes', () => {
  const used = [0, 1, 2, 3, 4].map((minute) => at(minute * MINUTE));
  assert.equal(
    refusal(() => takeUse('LOGIN_CODE', used, at(10 * MINUTE - 1))),
    'RATE_LIMITED',
  );
  assert.deepEqual(takeUse('LOGIN_CODE', used, at(10 * MINUTE)), [...used.slice(1), at(10 * MINUTE)]);
  assert.equal(takeUse('LOGIN_CODE', used.slice(1), at(5 * MINUTE)).length, 5);
});

test('a use that a request at the same moment recorded a little ahead counts; one that a sandbox clock left ahead does not', () => {
  const ahead = [1, 2, 3, 4, 5].map((ms) => at(ms));
  assert.equal(
    refusal(() => takeUse('LOGIN_CODE', ahead, now)),
    'RATE_LIMITED',
  );
  assert.deepEqual(takeUse('LOGIN_CODE', ahead.slice(1), now), [now, ...ahead.slice(1)]);
  assert.deepEqual(takeUse('RESET', [at(MINUTE - 1), at(MINUTE)], now), [now, at(MINUTE - 1)]);
  const used = [0, 1, 2, 3, 4].map((minute) => at(minute * MINUTE));
  assert.deepEqual(takeUse('LOGIN_CODE', used, at(-HOUR)), [at(-HOUR)]);
});

describe('factors', () => {
  const none: Factors = { phone: undefined, totp: undefined, passkey: undefined };
  const phone = { phone: '+4915112345678' };
  const totp = { totp: { secretSealed: Buffer.alloc(0), recoveryCodeHashes: [] } };
  const passkey = { passkey: { credentialId: 'x', publicKey: Buffer.alloc(0), counter: 0, rpId: 'localhost' } };
  const all = { ...phone, ...totp, ...passkey };

  test('are listed in the order SMS_OTP, TOTP, PASSKEY', () => {
    assert.deepEqual(usableFactors(none), []);
    assert.deepEqual(usableFactors(all), ['SMS_OTP', 'TOTP', 'PASSKEY']);
  });

  test('a start of trust that sends nothing counts where the app serves', () => {
    const counts = (factors: Factors) => isGuessable(factors, trustFactor(factors));
    assert.deepEqual(
      [totp, { ...passkey, ...totp }, passkey, all, phone].map((has) => counts({ ...none, ...has })),
      [true, true, false, false, false],
    );
  });

  test('trust asks for the phone, else the passkey, else the app; the app always serves', () => {
    const asked = (factors: Factors) => [trustFactor(factors), trustFactors(factors, trustFactor(factors))];
    assert.deepEqual(asked(all), ['SMS_OTP', ['SMS_OTP', 'TOTP']]);
    assert.deepEqual(asked({ ...none, ...phone, ...passkey }), ['SMS_OTP', ['SMS_OTP']]);
    assert.deepEqual(asked({ ...none, ...totp, ...passkey }), ['PASSKEY', ['TOTP', 'PASSKEY']]);
    assert.deepEqual(asked({ ...none, ...totp }), ['TOTP', ['TOTP']]);
    assert.equal(
      refusal(() => trustFactor(none)),
      'INVALID_INPUT',
    );
  });

  test('a payment is never authorized by the app: its code cannot be bound to amount and payee', () => {
    assert.deepEqual(paymentFactors(all), ['SMS_OTP', 'PASSKEY']);
    assert.equal(paymentFactor(all, undefined), 'SMS_OTP');
    assert.equal(paymentFactor(all, 'PASSKEY'), 'PASSKEY');
    assert.equal(paymentFactor({ ...none, ...passkey }, undefined), 'PASSKEY');
    for (const work of [
      () => paymentFactor(all, 'TOTP'),
      () => paymentFactor({ ...none, ...totp }, undefined),
      () => paymentFactor({ ...none, ...phone }, 'PASSKEY'),
      () => paymentFactor({ ...none, ...passkey }, 'SMS_OTP'),
    ])
      assert.equal(refusal(work), 'INVALID_INPUT');
  });
});

test('a challenge is open while a try is left and before it expires', () => {
  const open = { triesLeft: 1, expiresAt: at(1) };
  assert.equal(isOpen(open, now), true);
  assert.equal(isOpen(open, at(1)), false);
  assert.equal(isOpen({ ...open, triesLeft: 0 }, now), false);
  assert.equal(isOpen(undefined, now), false);
});

describe('a reset', () => {
  const reset = (status: ResetState): Reset => ({
    id: 'TwoFactorReset:x',
    customerId: 'Customer:x',
    factor: 'TOTP',
    status,
    endUserIpAddress: '::1',
    createdAt: now,
    expiresAt: at(30 * MINUTE),
    completedAt: status === 'COMPLETED' ? now : null,
    enrolledAt: null,
  });
  const STATES: ResetState[] = ['INITIATED', 'PENDING_REVIEW', 'LIVENESS_PASSED', 'COMPLETED', 'REJECTED', 'EXPIRED'];

  test('every state and liveness outcome', () => {
    const outcome = (status: ResetState, word: LivenessOutcome) => {
      try {
        return concludeLiveness(reset(status), word, now).status;
      } catch (error) {
        return error instanceof ApiError ? error.status : error;
      }
    };
    const table = STATES.map((status) => [status, ...(['PASS', 'FAIL', 'REVIEW'] as const).map((word) => outcome(status, word))]);
    assert.deepEqual(table, [
      ['INITIATED', 'LIVENESS_PASSED', 'REJECTED', 'PENDING_REVIEW'],
      ['PENDING_REVIEW', 'LIVENESS_PASSED', 'REJECTED', 409],
      ['LIVENESS_PASSED', 409, 409, 409],
      ['COMPLETED', 409, 409, 409],
      ['REJECTED', 409, 409, 409],
      ['EXPIRED', 409, 409, 409],
    ]);
  });

  test('completes only after the liveness check passed, and within its window', () => {
    const completes = (status: ResetState, when: Date) => refusal(() => completeReset(reset(status), when)) === 'none';
    assert.deepEqual(
      STATES.filter((status) => completes(status, now)),
      ['LIVENESS_PASSED'],
    );
    assert.equal(completes('LIVENESS_PASSED', at(30 * MINUTE - 1)), true);
    assert.equal(completes('LIVENESS_PASSED', at(30 * MINUTE)), false);
  });

  test('past its window it reads EXPIRED, unless it ended before', () => {
    const late = STATES.map((status) => resetAt(reset(status), at(30 * MINUTE)).status);
    assert.deepEqual(late, ['EXPIRED', 'EXPIRED', 'EXPIRED', 'COMPLETED', 'REJECTED', 'EXPIRED']);
  });
});

test('trust needs an ACTIVE account that is not trusted; untrust needs a trusted one in any status', () => {
  const refused = (status: string, isTrusted: boolean, purpose: 'TRUST' | 'UNTRUST') =>
    refusal(() => requireTrustChange({ status, isTrusted }, purpose)) !== 'none';
  assert.deepEqual(
    [refused('ACTIVE', false, 'TRUST'), refused('ACTIVE', true, 'TRUST'), refused('UNVERIFIED', false, 'TRUST')],
    [false, true, true],
  );
  assert.deepEqual(
    [refused('ACTIVE', true, 'UNTRUST'), refused('UNVERIFIED', true, 'UNTRUST'), refused('ACTIVE', false, 'UNTRUST')],
    [false, false, true],
  );
});

test('passkeys: the first origin names the relying party; a live platform has none until its operator names one', () => {
  assert.equal(relyingPartyOf({ mode: 'live', scaOrigins: null, name: 'Acme' }), undefined);
  assert.deepEqual(relyingPartyOf({ mode: 'live', scaOrigins: ['https://app.acme.example', 'https://acme.example'], name: 'Acme' }), {
    id: 'app.acme.example',
    name: 'Acme',
    origins: ['https://app.acme.example', 'https://acme.example'],
  });
  assert.equal(relyingPartyOf({ mode: 'sandbox', scaOrigins: null, name: 'Acme' })?.id, 'localhost');
});
