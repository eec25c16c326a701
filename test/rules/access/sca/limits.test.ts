// Limits, factors, locks, resets and beneficiaries of strong customer authentication: bounds, codes and causes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CHALLENGE_LIFE_MS,
  channelUnavailable,
  completeReset,
  concludeLiveness,
  describeBeneficiary,
  ENROLLMENT_LIFE_MS,
  enrollmentStatus,
  isGated,
  lockView,
  NO_SECURITY,
  paymentFactor,
  RESET_LIFE_MS,
  RESET_MOVES,
  refuseLocked,
  relyingPartyOf,
  requireIpAddress,
  requireNotEnrolled,
  requireRelyingParty,
  requireTrustChange,
  requireUsable,
  TRIES,
  takeUse,
  trustFactor,
  wrongProof,
} from '../../../../src/domains/access/sca/rules.js';
import type { Factors, LimitedAction, Reset, ResetState } from '../../../../src/domains/access/sca/sca.js';
import type { ExternalAccount } from '../../../../src/domains/accounts/external-accounts/external-account.js';
import type { ApiError, FieldError } from '../../../../src/kernel/errors.js';
import { refusalBy, refusalOf } from '../../../support/refusal.js';
import { around, DAY, MINUTE, SECOND } from '../../../support/times.js';

const { now, at } = around('2026-03-01T12:00:00Z');

/** The only wrong field of a refusal. */
const errorOf = (work: () => unknown): FieldError => {
  const errors = refusalOf(work).details?.['errors'] as FieldError[] | undefined;
  assert.ok(errors?.[0] && errors.length === 1);
  return errors[0];
};
const answered = (error: ApiError): string =>
  refusalBy(() => {
    throw error;
  });

test('lives: a code five minutes, an app or passkey challenge and an enrolment ten, a reset thirty; five tries', () => {
  assert.deepEqual(CHALLENGE_LIFE_MS, { SMS_OTP: 300_000, TOTP: 600_000, PASSKEY: 600_000 });
  assert.deepEqual([ENROLLMENT_LIFE_MS, RESET_LIFE_MS, TRIES], [600_000, 1_800_000, 5]);
});

describe('limits of use', () => {
  test('five codes of each kind in ten minutes, five resets in a day', () => {
    const windows: Record<LimitedAction, number> = { LOGIN_CODE: 600_000, TRUST_CODE: 600_000, PAYMENT_CODE: 600_000, RESET: DAY };
    for (const [action, window] of Object.entries(windows) as [LimitedAction, number][]) {
      const uses = (count: number) => Array.from({ length: count }, () => now);
      assert.equal(takeUse(action, uses(4), now).length, 5, action);
      assert.equal(
        refusalBy(() => takeUse(action, uses(5), at(window - 1))),
        'RATE_LIMITED',
        action,
      );
      assert.deepEqual(takeUse(action, uses(5), at(window)), [at(window)], action);
    }
  });

  test('the refusal says in whole seconds when the oldest use leaves the window, in whatever order uses were recorded', () => {
    assert.equal(refusalOf(() => takeUse('RESET', [now, now, now, now, now], now)).headers['retry-after'], '86400');
    const used = [3, 0, 4, 1, 2].map((minute) => at(minute * MINUTE));
    const wait = (ms: number) => refusalOf(() => takeUse('LOGIN_CODE', used, at(ms))).headers['retry-after'];
    assert.deepEqual([wait(4 * MINUTE), wait(4 * MINUTE + 1), wait(10 * MINUTE - SECOND), wait(10 * MINUTE - 1)], ['360', '360', '1', '1']);
    assert.deepEqual(
      takeUse('LOGIN_CODE', used, at(10 * MINUTE)),
      [1, 2, 3, 4, 10].map((minute) => at(minute * MINUTE)),
    );
  });
});

test('the address of the end user is IPv4 or IPv6', () => {
  for (const good of ['192.0.2.1', '::1', '2001:db8::7'])
    assert.equal(
      refusalBy(() => requireIpAddress(good)),
      'allowed',
      good,
    );
  for (const bad of ['', '192.0.2', 'localhost', '192.0.2.1/24'])
    assert.equal(
      refusalBy(() => requireIpAddress(bad)),
      'INVALID_INPUT endUserIpAddress',
      bad,
    );
  assert.deepEqual(errorOf(() => requireIpAddress('x')).constraint, { format: 'ip' });
});

describe('factors', () => {
  const none: Factors = { phone: undefined, totp: undefined, passkey: undefined };
  const phone = { phone: '+4915112345678' };
  const totp = { totp: { secretSealed: Buffer.alloc(0), recoveryCodeHashes: [] } };
  const passkey = { passkey: { credentialId: 'x', publicKey: Buffer.alloc(0), counter: 0, rpId: 'localhost' } };

  test('one that is not usable is refused by its field, with those that are', () => {
    const refused = (work: () => unknown) => {
      const { field, constraint, message } = errorOf(work);
      return [field, constraint?.['enum'], message];
    };
    const factors = { ...none, ...totp };
    assert.deepEqual(
      refused(() => requireUsable(factors, 'SMS_OTP')),
      ['factor', ['TOTP'], 'needs a verified phone number'],
    );
    assert.deepEqual(
      refused(() => requireUsable(factors, 'PASSKEY')),
      ['factor', ['TOTP'], 'is not enrolled'],
    );
    assert.deepEqual(
      refused(() => paymentFactor({ ...none, ...phone, ...totp }, 'TOTP')),
      ['scaFactor', ['SMS_OTP'], 'cannot be bound to a payment'],
    );
    assert.equal(
      refusalBy(() => paymentFactor({ ...none, ...phone }, 'PASSKEY')),
      'INVALID_INPUT scaFactor',
    );
    assert.equal(
      refusalBy(() => paymentFactor(none, undefined)),
      'INVALID_INPUT scaFactor',
    );
    assert.equal(
      refusalBy(() => requireUsable(factors, 'TOTP')),
      'allowed',
    );
  });

  test('one of each kind is enrolled: a passkey has a code of its own, an authenticator app a cause', () => {
    const enrolled = (factors: Factors) => (['PASSKEY', 'TOTP'] as const).map((type) => refusalBy(() => requireNotEnrolled(factors, type)));
    assert.deepEqual(enrolled(none), ['allowed', 'allowed']);
    assert.deepEqual(enrolled({ ...none, ...passkey }), ['PASSKEY_ALREADY_ENROLLED', 'allowed']);
    assert.deepEqual(enrolled({ ...none, ...totp }), ['allowed', 'CONFLICT TOTP_ALREADY_ENROLLED']);
  });

  test('a customer without any cannot confirm', () => {
    assert.equal(
      refusalBy(() => trustFactor(none)),
      'INVALID_INPUT NO_USABLE_FACTOR',
    );
  });
});

test('passkeys need a web origin of the platform', () => {
  const live = { mode: 'live', scaOrigins: ['https://app.acme.example'], name: 'Acme' } as const;
  assert.deepEqual(requireRelyingParty(live), relyingPartyOf(live));
  assert.equal(
    refusalBy(() => requireRelyingParty({ ...live, scaOrigins: null })),
    'INVALID_INPUT CHANNEL_UNAVAILABLE',
  );
  assert.equal(answered(channelUnavailable('x')), 'INVALID_INPUT CHANNEL_UNAVAILABLE');
});

test('a wrong proof is 400 with its cause', () => {
  for (const cause of ['CODE_INVALID', 'ASSERTION_INVALID', 'CHALLENGE_EXPIRED'] as const)
    assert.equal(answered(wrongProof(cause)), `INVALID_INPUT ${cause}`);
});

test('a lock holds until its time, a suspension without end; the refusal shows both and the count', () => {
  assert.deepEqual(NO_SECURITY, { failedAttempts: 0, lockedUntil: null, isSuspended: false, session: undefined, totpSteps: [] });
  const locked = { ...NO_SECURITY, failedAttempts: 5, lockedUntil: at(1) };
  const until = { suspended: false, lockedUntil: at(1).toISOString(), failedAttempts: 5 };
  assert.deepEqual([lockView(locked, now), lockView(locked, at(1))], [until, { ...until, lockedUntil: null }]);
  assert.deepEqual(lockView(NO_SECURITY, now), { suspended: false, lockedUntil: null, failedAttempts: 0 });
  const refused = refusalOf(() => refuseLocked(locked, now));
  assert.deepEqual([refused.code, refused.details], ['ACCOUNT_LOCKED', until]);
  const suspended = { ...NO_SECURITY, failedAttempts: 9, isSuspended: true };
  assert.equal(
    refusalBy(() => refuseLocked(suspended, at(1_000 * DAY))),
    'ACCOUNT_LOCKED',
  );
  for (const free of [() => refuseLocked(locked, at(1)), () => refuseLocked(NO_SECURITY, now)]) assert.equal(refusalBy(free), 'allowed');
});

describe('a reset', () => {
  const reset = (status: ResetState, change: Partial<Reset> = {}): Reset => ({
    id: 'TwoFactorReset:x',
    customerId: 'Customer:x',
    factor: 'TOTP',
    status,
    endUserIpAddress: '::1',
    createdAt: now,
    expiresAt: at(RESET_LIFE_MS),
    completedAt: null,
    enrolledAt: null,
    ...change,
  });

  test('the table of its moves: liveness, confirmation, and the end of its window', () => {
    const shown = Object.entries(RESET_MOVES).map(([from, moves]) => [from, moves.map(({ to, by }) => `${to} by ${by}`).sort()]);
    assert.deepEqual(Object.fromEntries(shown), {
      INITIATED: ['EXPIRED by EXPIRED', 'LIVENESS_PASSED by PASS', 'PENDING_REVIEW by REVIEW', 'REJECTED by FAIL'],
      PENDING_REVIEW: ['EXPIRED by EXPIRED', 'LIVENESS_PASSED by PASS', 'REJECTED by FAIL'],
      LIVENESS_PASSED: ['COMPLETED by CONFIRMED', 'EXPIRED by EXPIRED'],
      COMPLETED: [],
      REJECTED: [],
      EXPIRED: [],
    });
  });

  test('refusals name their cause; a completed one has its time', () => {
    assert.equal(
      refusalBy(() => concludeLiveness(reset('REJECTED'), 'PASS', now)),
      'CONFLICT RESET_NOT_WAITING',
    );
    const early = refusalOf(() => completeReset(reset('INITIATED'), now));
    assert.deepEqual([early.code, early.details], ['INVALID_INPUT', { cause: 'RESET_NOT_PASSED', status: 'INITIATED' }]);
    assert.deepEqual(completeReset(reset('LIVENESS_PASSED'), now), reset('COMPLETED', { completedAt: now }));
  });

  test('asks for a new enrolment, except of a phone', () => {
    assert.deepEqual(
      [reset('COMPLETED'), reset('COMPLETED', { enrolledAt: now }), reset('COMPLETED', { factor: 'SMS_OTP', enrolledAt: now })].map(
        enrollmentStatus,
      ),
      ['PENDING', 'COMPLETED', null],
    );
  });
});

describe('beneficiaries and payments', () => {
  test('payments from EUR and USDC balances are authorized by the owner, under European law only', () => {
    const gated = (isRegulated: boolean) => ['EUR', 'USDC', 'USD', 'USDB', 'GBP'].filter((currency) => isGated(isRegulated, currency));
    assert.deepEqual([gated(true), gated(false)], [['EUR', 'USDC'], []]);
  });

  test('a beneficiary is described by name and end of the account, a wallet without a name by its address', () => {
    const named = (beneficiary: object | undefined) =>
      describeBeneficiary({ accountInfo: { beneficiary } } as unknown as Pick<ExternalAccount, 'accountInfo'>, 'DE89370400440532013000');
    assert.equal(named({ fullName: 'Ada Lovelace' }), 'Ada Lovelace, account ending 3000');
    assert.equal(named({ legalName: 'Acme Ltd' }), 'Acme Ltd, account ending 3000');
    assert.equal(named(undefined), 'DE89370400440532013000');
  });

  test('trust needs an ACTIVE account that is not trusted, judged in this order; untrust a trusted one', () => {
    const refused = (status: string, isTrusted: boolean, purpose: 'TRUST' | 'UNTRUST') =>
      refusalBy(() => requireTrustChange({ status, isTrusted }, purpose));
    assert.deepEqual(
      [refused('UNVERIFIED', true, 'TRUST'), refused('ACTIVE', true, 'TRUST'), refused('ACTIVE', false, 'TRUST')],
      ['CONFLICT ACCOUNT_NOT_ACTIVE', 'CONFLICT ALREADY_TRUSTED', 'allowed'],
    );
    assert.deepEqual(
      [refused('UNVERIFIED', false, 'UNTRUST'), refused('UNVERIFIED', true, 'UNTRUST')],
      ['CONFLICT NOT_TRUSTED', 'allowed'],
    );
  });
});
