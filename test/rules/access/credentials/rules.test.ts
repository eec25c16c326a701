import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Credential, Proof } from '../../../../src/domains/access/credentials/credential.js';
import {
  decideContactChange,
  decideCreation,
  decideRevocation,
  isSentTo,
  replacedCredential,
  requireSameSet,
  successorOf,
  takeAllowance,
} from '../../../../src/domains/access/credentials/rules.js';
import { ApiError, type ErrorCode } from '../../../../src/kernel/errors.js';
import { newId } from '../../../../src/kernel/ids.js';
import { plusMs } from '../../../../src/kernel/time.js';
import { credential } from '../../../support/credential.js';

const now = new Date('2026-03-01T12:00:00Z');
const refuses = (code: ErrorCode, work: () => unknown, cause?: string) =>
  assert.throws(
    work,
    (error) => error instanceof ApiError && error.code === code && (cause === undefined || error.details?.['cause'] === cause),
  );

const email: Proof = { type: 'EMAIL_OTP', contact: 'ada@example.com' };
const passkey: Proof = { type: 'PASSKEY', passkey: { credentialId: 'id', publicKey: Buffer.alloc(1), counter: 0, rpId: 'example.com' } };
const identity: Proof = { type: 'OAUTH', identity: { issuer: 'i', audience: 'a', subject: 's' } };

describe('an allowance', () => {
  const allowance = { burst: 3, everyMs: 10_000 };
  const taken = (turns: number, at = now) =>
    Array.from({ length: turns }).reduce((spent: Date | undefined) => takeAllowance(spent, at, allowance), undefined);

  test('allows its burst at once and no more', () => {
    assert.deepEqual(taken(3), plusMs(now, 30_000));
    refuses('RATE_LIMITED', () => taken(4));
  });

  test('what a sandbox clock left far ahead when it was set back does not count', () => {
    const spent = taken(3);
    // An allowance of 30 seconds is used up for at most 30 seconds; as much again may come from a clock that differs a little.
    refuses('RATE_LIMITED', () => takeAllowance(spent, plusMs(now, -30_000), allowance));
    assert.deepEqual(takeAllowance(spent, plusMs(now, -30_001), allowance), plusMs(now, -20_001));
  });

  test('the refusal says how long to wait, in whole seconds; after that one is allowed', () => {
    const spent = taken(3);
    const wait = (at: Date) => {
      try {
        takeAllowance(spent, at, allowance);
        return 0;
      } catch (error) {
        return Number((error as ApiError).headers['retry-after']);
      }
    };
    assert.equal(wait(now), 10);
    assert.equal(wait(plusMs(now, 1)), 10);
    assert.equal(wait(plusMs(now, 9_001)), 1);
    assert.equal(wait(plusMs(now, 9_999)), 1);
    assert.equal(wait(plusMs(now, 10_000)), 0);
  });

  test('recovers fully over time, and never beyond its burst', () => {
    const spent = taken(3);
    const later = plusMs(now, 1_000_000);
    let next: Date | undefined = spent;
    for (let i = 0; i < 3; i += 1) next = takeAllowance(next, later, allowance);
    refuses('RATE_LIMITED', () => takeAllowance(next, later, allowance));
  });
});

describe('adding a credential', () => {
  const facts = { existing: [] as Credential[], provisioned: false, proof: email, named: false, taken: false };

  test('the first by the platform, every other by the owner', () => {
    assert.deepEqual(decideCreation(facts), { by: 'PLATFORM', replacement: false });
    const later = { ...facts, existing: [credential(email)], provisioned: true };
    for (const proof of [passkey, identity]) assert.deepEqual(decideCreation({ ...later, proof }), { by: 'OWNER', replacement: false });
  });

  test('the platform cannot add a credential to an owned wallet that has none left', () => {
    assert.deepEqual(decideCreation({ ...facts, provisioned: true }), { by: 'OWNER', replacement: false });
  });

  test('a named contact replaces the current one; without a current one it is added', () => {
    const named = { ...facts, named: true, provisioned: true };
    assert.deepEqual(decideCreation({ ...named, existing: [credential(email)] }), { by: 'OWNER', replacement: true });
    assert.deepEqual(decideCreation({ ...named, existing: [credential(passkey)] }), { by: 'OWNER', replacement: false });
  });

  test('duplicates are refused before a wallet that is not provisioned yet', () => {
    const existing = [credential(email, { verifiedAt: undefined })];
    refuses('EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS', () => decideCreation({ ...facts, existing }));
    refuses('EMAIL_OTP_EMAIL_ALREADY_EXISTS', () => decideCreation({ ...facts, existing, named: true, taken: true }));
    refuses('WALLET_NOT_PROVISIONED', () => decideCreation({ ...facts, existing, proof: passkey }));
    refuses('PASSKEY_CREDENTIAL_ALREADY_EXISTS', () => decideCreation({ ...facts, proof: passkey, taken: true }));
    refuses('INVALID_INPUT', () => decideCreation({ ...facts, existing: [credential(identity)], provisioned: true, proof: identity }));
  });

  test('a customer’s own contact may be tied to another account: only a named one must be free', () => {
    assert.deepEqual(decideCreation({ ...facts, taken: true }), { by: 'PLATFORM', replacement: false });
  });
});

test('revoking a credential: another must remain, and a replacement does not count', () => {
  const [one, two] = [credential(email), credential(passkey)];
  decideRevocation(one, [one, two], true);
  refuses('INVALID_INPUT', () => decideRevocation(one, [one], true));
  refuses('INVALID_INPUT', () => decideRevocation(one, [one, credential(email, { replacement: true })], true));
  refuses('WALLET_NOT_PROVISIONED', () => decideRevocation(one, [one, two], false));
});

test('a revoked one-time password is succeeded by the replacement of its type; a replacement itself by none', () => {
  const [current, other] = [credential(email), credential(passkey)];
  const next = credential({ type: 'EMAIL_OTP', contact: 'next@example.com' }, { replacement: true });
  assert.equal(successorOf(current, [current, other, next]), next);
  assert.equal(successorOf(current, [current, other]), undefined);
  assert.equal(successorOf(other, [current, other, next]), undefined);
  assert.equal(successorOf(next, [current, other, next]), undefined);
});

test('the contact of a credential is compared with its type, ignoring case', () => {
  const own = credential({ type: 'EMAIL_OTP', contact: 'New@example.com' });
  assert.equal(isSentTo(own, 'EMAIL_OTP', 'new@EXAMPLE.com'), true);
  assert.equal(isSentTo(own, 'SMS_OTP', 'New@example.com'), false);
  assert.equal(isSentTo(own, 'EMAIL_OTP', 'other@example.com'), false);
});

describe('a change of contact', () => {
  const old = credential(email);
  const fresh: Proof = { type: 'EMAIL_OTP', contact: 'New@example.com' };

  test('takes the verified replacement, ignoring case', () => {
    const replacement = credential(fresh, { replacement: true });
    assert.equal(decideContactChange('EMAIL_OTP', 'new@EXAMPLE.com', [old, replacement], now), replacement);
  });

  test('none, an unverified one, or one for another contact: required', () => {
    const unverified = credential(fresh, { replacement: true, verifiedAt: undefined });
    const other = credential({ type: 'EMAIL_OTP', contact: 'other@example.com' }, { replacement: true });
    for (const existing of [[old], [old, unverified], [old, other], [old, credential(fresh)]]) {
      refuses('AUTH_CREDENTIAL_VERIFICATION_REQUIRED', () => decideContactChange('EMAIL_OTP', 'new@example.com', existing, now));
    }
  });

  test('verified fifteen minutes ago: expired; a millisecond less: not', () => {
    const at = (ageMs: number) => [old, credential(fresh, { replacement: true, verifiedAt: plusMs(now, -ageMs) })];
    refuses('AUTH_CREDENTIAL_VERIFICATION_EXPIRED', () => decideContactChange('EMAIL_OTP', 'new@example.com', at(900_000), now));
    assert.ok(decideContactChange('EMAIL_OTP', 'new@example.com', at(899_999), now));
  });

  test('another contact replaces the credential of its type, also without a replacement for it', () => {
    const replacement = credential(fresh, { replacement: true });
    const named = (type: 'EMAIL_OTP' | 'SMS_OTP', contact: string, existing: readonly Credential[]) =>
      replacedCredential({ type, contact, known: false }, existing, now);
    assert.equal(named('EMAIL_OTP', 'new@example.com', [replacement, credential(passkey), old]), old);
    assert.equal(named('EMAIL_OTP', 'new@example.com', [old]), old);
    assert.equal(named('EMAIL_OTP', 'ADA@example.com', [old, replacement]), undefined);
    assert.equal(named('SMS_OTP', '+15550101001', [old, replacement]), undefined);
    assert.equal(named('EMAIL_OTP', 'new@example.com', [replacement]), undefined);
  });

  test('a contact that the customer has already replaces a credential while a verified replacement for it can take place', () => {
    const named = (...others: Credential[]) =>
      replacedCredential({ type: 'EMAIL_OTP', contact: 'new@example.com', known: true }, [old, ...others], now);
    const verified = (ageMs: number) => credential(fresh, { replacement: true, verifiedAt: plusMs(now, -ageMs) });
    assert.equal(named(verified(0)), old);
    assert.equal(named(verified(899_999)), old);
    assert.equal(named(verified(900_000)), undefined);
    assert.equal(named(), undefined);
    assert.equal(named(credential(fresh, { replacement: true, verifiedAt: undefined })), undefined);
    assert.equal(named(credential({ type: 'EMAIL_OTP', contact: 'other@example.com' }, { replacement: true })), undefined);
    assert.equal(named(credential({ type: 'SMS_OTP', contact: 'new@example.com' }, { replacement: true })), undefined);
    const current = credential(fresh);
    assert.equal(replacedCredential({ type: 'EMAIL_OTP', contact: 'new@example.com', known: true }, [current], now), undefined);
    assert.equal(named(credential({ type: 'SMS_OTP', contact: '+15550101001' })), undefined);
  });

  test('the credentials must be those of the challenge', () => {
    const replacement = credential(fresh, { replacement: true });
    requireSameSet('EMAIL_OTP', [old, credential(passkey), replacement], [old.id, replacement.id]);
    refuses('EMAIL_OTP_CREDENTIAL_SET_CHANGED', () => requireSameSet('EMAIL_OTP', [old], [old.id, replacement.id]));
    refuses('EMAIL_OTP_CREDENTIAL_SET_CHANGED', () => requireSameSet('EMAIL_OTP', [old, replacement], [old.id, newId('AuthMethod')]));
    refuses('SMS_OTP_CREDENTIAL_SET_CHANGED', () => requireSameSet('SMS_OTP', [], [old.id]));
  });
});
