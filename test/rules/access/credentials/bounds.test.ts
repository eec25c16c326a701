// Credentials of a wallet: what is sent and tried how often, duplicates by type, and what a proof is worth.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Proof } from '../../../../src/domains/access/credentials/credential.js';
import {
  type CreationFacts,
  decideContactChange,
  decideCreation,
  decideRevocation,
  FAILURES,
  isOtp,
  OTP_TRIES,
  requireSameContact,
  requireType,
  SENDS,
  sameIdentity,
  takeAllowance,
} from '../../../../src/domains/access/credentials/rules.js';
import { ApiError } from '../../../../src/kernel/errors.js';
import { plusMs } from '../../../../src/kernel/time.js';
import { credential } from '../../../support/credential.js';
import { refusalBy } from '../../../support/refusal.js';

const now = new Date('2026-03-01T12:00:00Z');
const email: Proof = { type: 'EMAIL_OTP', contact: 'ada@example.com' };
const sms: Proof = { type: 'SMS_OTP', contact: '+4915112345678' };
const passkey: Proof = { type: 'PASSKEY', passkey: { credentialId: 'id', publicKey: Buffer.alloc(1), counter: 0, rpId: 'example.com' } };
const person = { issuer: 'i', audience: 'a', subject: 's' };
const oauth = (change: Partial<typeof person> = {}): Proof => ({ type: 'OAUTH', identity: { ...person, ...change } });

test('codes are sent by email and SMS, and take five tries', () => {
  assert.deepEqual(
    (['EMAIL_OTP', 'SMS_OTP', 'PASSKEY', 'OAUTH'] as const).map((type) => isOtp(type)),
    [true, true, false, false],
  );
  assert.equal(OTP_TRIES, 5);
});

describe('allowances', () => {
  test('five codes at once, then one a minute; ten wrong codes at once, then six an hour', () => {
    assert.deepEqual(SENDS, { burst: 5, everyMs: 60_000 });
    assert.deepEqual(FAILURES, { burst: 10, everyMs: 600_000 });
  });

  test('the wait is rounded up to whole seconds; a time that only another clock can have left is none', () => {
    const spent = plusMs(now, 5 * 60_000);
    const wait = (ms: number) => {
      try {
        takeAllowance(plusMs(spent, ms), now, SENDS);
        return 'none';
      } catch (error) {
        return error instanceof ApiError && error.headers['retry-after'];
      }
    };
    const waits = [wait(-60_000), wait(0), wait(240_001), wait(300_000), wait(300_001)];
    assert.deepEqual(waits, ['none', '60', '301', '360', 'none']);
  });
});

describe('adding a credential', () => {
  const facts: CreationFacts = { existing: [], provisioned: true, proof: email, named: false, taken: false };
  const refused = (change: Partial<CreationFacts>) => refusalBy(() => decideCreation({ ...facts, ...change }));

  test('one email and one phone per account, each with its own codes; a named contact is free on the platform', () => {
    assert.equal(refused({ existing: [credential(email)] }), 'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS');
    assert.equal(refused({ proof: sms, existing: [credential(sms)] }), 'SMS_OTP_CREDENTIAL_ALREADY_EXISTS');
    assert.equal(refused({ named: true, taken: true }), 'EMAIL_OTP_EMAIL_ALREADY_EXISTS');
    assert.equal(refused({ proof: sms, named: true, taken: true }), 'SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS');
    assert.equal(refused({ proof: sms, existing: [credential(email)] }), 'allowed');
  });

  test('a replacement that waits is not the account’s credential', () => {
    const existing = [credential(email, { replacement: true })];
    assert.deepEqual(decideCreation({ ...facts, existing }), { by: 'OWNER', replacement: false });
  });

  test('an identity is the same by issuer, audience and subject together', () => {
    assert.equal(sameIdentity(person, { ...person }), true);
    for (const part of ['issuer', 'audience', 'subject'] as const) {
      assert.equal(sameIdentity(person, { ...person, [part]: 'other' }), false, part);
      assert.equal(refused({ proof: oauth(), existing: [credential(oauth({ [part]: 'other' }))] }), 'allowed', part);
    }
    assert.equal(refused({ proof: oauth(), existing: [credential(oauth())] }), 'INVALID_INPUT OAUTH_CREDENTIAL_ALREADY_EXISTS');
  });

  test('a passkey never replaces one, named or not', () => {
    const existing = [credential(passkey)];
    assert.deepEqual(decideCreation({ ...facts, proof: passkey, named: true, existing }), { by: 'OWNER', replacement: false });
  });
});

test('the only credential of an account cannot be revoked', () => {
  const one = credential(email);
  assert.equal(
    refusalBy(() => decideRevocation(one, [one], true)),
    'INVALID_INPUT LAST_CREDENTIAL',
  );
});

test('a change of contact is proved by a replacement of the same type', () => {
  const fresh = credential({ type: 'SMS_OTP', contact: 'new' }, { replacement: true });
  assert.equal(
    refusalBy(() => decideContactChange('EMAIL_OTP', 'new', [fresh], now)),
    'AUTH_CREDENTIAL_VERIFICATION_REQUIRED',
  );
  assert.equal(decideContactChange('SMS_OTP', 'new', [fresh], now), fresh);
});

test('a code proves the contact that it was sent to', () => {
  const proves = (proof: Proof, proven: string) => refusalBy(() => requireSameContact(credential(proof), proven));
  assert.deepEqual(
    [proves(email, 'ada@example.com'), proves(email, 'eve@example.com'), proves(passkey, 'ada@example.com')],
    ['allowed', 'WALLET_SIGNATURE_INVALID CONTACT_CHANGED', 'WALLET_SIGNATURE_INVALID CONTACT_CHANGED'],
  );
});

test('a credential is verified as its own type', () => {
  assert.equal(
    refusalBy(() => requireType(credential(email), 'EMAIL_OTP')),
    'allowed',
  );
  assert.equal(
    refusalBy(() => requireType(credential(email), 'SMS_OTP')),
    'INVALID_INPUT type',
  );
});
