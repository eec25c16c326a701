// Login, session, lock-out and security events.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { assertionOf, CODE, IP, ORIGIN, regulatedCustomer, type Sca, scaOf, unverifiedCustomer } from '../../../support/sca.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
  await service.platform.clock.freeze('2026-03-01T12:00:00Z');
});
after(() => service.stop());

const newSca = async (platform = service.platform) => scaOf(platform, await regulatedCustomer(platform));
const now = () => service.platform.clock.now();
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function assertWrong(answer: Answer, cause: string): void {
  assertRefused(answer, 400, 'INVALID_INPUT');
  assert.equal(answer.body.details.cause, cause, answer.text);
}

describe('a login by text message', () => {
  test('the start gives a challenge of 5 minutes, the right code a session of 180 days', async () => {
    const sca = await newSca();
    const start = await expectStatus(200, sca.start('SMS_OTP'));
    assert.deepEqual(Object.keys(start).sort(), ['challengeId', 'expiresAt', 'factor']);
    assert.match(start.challengeId, /^ScaChallenge:/);
    assert.equal(start.expiresAt, new Date((await now()).getTime() + 5 * MINUTE).toISOString());
    const session = await expectStatus(200, sca.complete({ factor: 'SMS_OTP', challengeId: start.challengeId, code: CODE }));
    assert.deepEqual(session, { status: 'SUCCESS', sessionExpiresAt: new Date((await now()).getTime() + 180 * DAY).toISOString() });
  });

  test('a code is good once, and a new start voids the open one', async () => {
    const sca = await newSca();
    const { challengeId: first } = await expectStatus(200, sca.start('SMS_OTP'));
    const { challengeId: second } = await expectStatus(200, sca.start('SMS_OTP'));
    const complete = (challengeId: string) => sca.complete({ factor: 'SMS_OTP', challengeId, code: CODE });
    assertWrong(await complete(first), 'CHALLENGE_EXPIRED');
    await expectStatus(200, complete(second));
    assertWrong(await complete(second), 'CHALLENGE_EXPIRED');
  });

  test('a code is accepted until just before 5 minutes, and not at 5 minutes', async () => {
    for (const [ms, status] of [
      [5 * MINUTE - 1, 200],
      [5 * MINUTE, 400],
    ] as const) {
      const sca = await newSca();
      const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
      await service.platform.clock.advance(ms);
      assert.equal((await sca.complete({ factor: 'SMS_OTP', challengeId, code: CODE })).status, status);
    }
  });

  test('five wrong codes void the challenge', async () => {
    const sca = await newSca();
    const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
    const complete = (code: string) => sca.complete({ factor: 'SMS_OTP', challengeId, code });
    for (let i = 0; i < 5; i += 1) assertWrong(await complete('654321'), 'CODE_INVALID');
    await service.platform.clock.advance(0);
    assertRefused(await complete(CODE), 423, 'ACCOUNT_LOCKED');
    await expectStatus(200, sca.report('RESET_PASSWORD_COMPLETED'));
    assertWrong(await complete(CODE), 'CHALLENGE_EXPIRED');
  });

  test('429 RATE_LIMITED with Retry-After: the sixth code in 10 minutes; the window slides', async () => {
    const sca = await newSca();
    for (let i = 0; i < 5; i += 1) {
      await expectStatus(200, sca.start('SMS_OTP'));
      await service.platform.clock.advance(MINUTE);
    }
    const refused = await sca.start('SMS_OTP');
    assertRefused(refused, 429, 'RATE_LIMITED');
    assert.equal(refused.headers.get('retry-after'), String(5 * 60));
    await service.platform.clock.advance(5 * MINUTE - 1);
    assertRefused(await sca.start('SMS_OTP'), 429, 'RATE_LIMITED');
    await service.platform.clock.advance(1);
    await expectStatus(200, sca.start('SMS_OTP'));
    assertRefused(await sca.start('SMS_OTP'), 429, 'RATE_LIMITED');
    // Other factors send nothing.
    await sca.withTotp();
    await expectStatus(200, sca.start('TOTP'));
  });
});

describe('a login with an authenticator app', () => {
  const appOf = (secret: string) => new TOTP({ secret: Secret.fromHex(secret) });

  test('the start answers the factor alone; a code of an independent implementation logs in, each step once', async () => {
    const sca = await newSca();
    const app = appOf((await sca.withTotp()).secret);
    const code = async (offset = 0) => app.generate({ timestamp: (await now()).getTime() + offset });
    assert.deepEqual(await expectStatus(200, sca.start('TOTP')), { factor: 'TOTP' });
    await expectStatus(200, sca.complete({ factor: 'TOTP', code: await code() }));
    await expectStatus(200, sca.start('TOTP'));
    assertWrong(await sca.complete({ factor: 'TOTP', code: await code() }), 'CODE_INVALID');
    await expectStatus(200, sca.complete({ factor: 'TOTP', code: await code(-30 * SECOND) }));
    await service.platform.clock.advance(30 * SECOND);
    await expectStatus(200, sca.start('TOTP'));
    assertWrong(await sca.complete({ factor: 'TOTP', code: await code(-30 * SECOND) }), 'CODE_INVALID');
    await expectStatus(200, sca.complete({ factor: 'TOTP', code: await code() }));
  });

  test('the code that confirmed the enrolment does not log in', async () => {
    const sca = await newSca();
    const { secret } = await expectStatus(200, sca.enroll('TOTP'));
    const code = appOf(secret).generate({ timestamp: (await now()).getTime() });
    await expectStatus(200, sca.confirm({ type: 'TOTP', secret, code }));
    await expectStatus(200, sca.start('TOTP'));
    assertWrong(await sca.complete({ factor: 'TOTP', code }), 'CODE_INVALID');
  });

  test('a recovery code logs in once, in any case and with or without hyphens', async () => {
    const sca = await newSca();
    const { recoveryCodes } = await sca.withTotp();
    const [first = '', second = ''] = recoveryCodes;
    await expectStatus(200, sca.start('TOTP'));
    await expectStatus(200, sca.complete({ factor: 'TOTP', code: first }));
    await expectStatus(200, sca.start('TOTP'));
    assertWrong(await sca.complete({ factor: 'TOTP', code: first }), 'CODE_INVALID');
    await expectStatus(200, sca.complete({ factor: 'TOTP', code: second.toLowerCase().replaceAll('-', '') }));
  });

  test('a recovery code of another customer, or for another factor, does not', async () => {
    const [one, two] = [await newSca(), await newSca()];
    const { recoveryCodes } = await one.withTotp();
    await two.withTotp();
    await expectStatus(200, two.start('TOTP'));
    assertWrong(await two.complete({ factor: 'TOTP', code: recoveryCodes[0] }), 'CODE_INVALID');
    const { challengeId } = await expectStatus(200, one.start('SMS_OTP'));
    assertWrong(await one.complete({ factor: 'SMS_OTP', challengeId, code: recoveryCodes[0] }), 'CODE_INVALID');
  });

  test('a start is open for 10 minutes', async () => {
    for (const [ms, cause] of [
      [10 * MINUTE - 1, undefined],
      [10 * MINUTE, 'CHALLENGE_EXPIRED'],
    ] as const) {
      const sca = await newSca();
      await sca.withTotp();
      await expectStatus(200, sca.start('TOTP'));
      await service.platform.clock.advance(ms);
      const answer = await sca.complete({ factor: 'TOTP', code: CODE });
      assert.equal(answer.body.details?.cause, cause, answer.text);
    }
  });
});

describe('a login with a passkey', () => {
  const begin = async (sca: Sca) => {
    const { passkeyOptions } = await expectStatus(200, sca.start('PASSKEY'));
    return passkeyOptions.challenge as string;
  };
  const complete = (sca: Sca, passkeyAssertion: unknown, origin = ORIGIN) => sca.complete({ factor: 'PASSKEY', passkeyAssertion, origin });

  test('the start names the passkey, the pages and the relying party; the assertion logs in', async () => {
    const sca = await newSca();
    const passkey = await sca.withPasskey();
    const { factor, passkeyOptions, allowedOrigins, relyingPartyId, ...rest } = await expectStatus(200, sca.start('PASSKEY'));
    assert.deepEqual(rest, {});
    assert.equal(factor, 'PASSKEY');
    assert.equal(relyingPartyId, 'localhost');
    assert.equal(allowedOrigins[0], ORIGIN);
    assert.equal(passkeyOptions.userVerification, 'required');
    assert.equal(passkeyOptions.rpId, 'localhost');
    assert.deepEqual(
      passkeyOptions.allowCredentials.map(({ id }: { id: string }) => id),
      [passkey.credentialId],
    );
    assert.equal(Buffer.from(passkeyOptions.challenge, 'base64url').length, 32);
    await expectStatus(200, complete(sca, assertionOf(passkey, passkeyOptions.challenge)));
  });

  test('400 ASSERTION_INVALID: another challenge, customer, page, signature or a counter that does not grow', async () => {
    const sca = await newSca();
    const other = await newSca();
    const [passkey, foreign] = [await sca.withPasskey(), await other.withPasskey()];
    const earlier = await begin(sca);
    const replayed = assertionOf(passkey, earlier);
    await expectStatus(200, complete(sca, replayed));
    const challenge = await begin(sca);
    const right = assertionOf(passkey, challenge);
    const attempts = [
      () => complete(sca, replayed),
      () => complete(sca, assertionOf(passkey, earlier)),
      () => complete(sca, assertionOf(foreign, challenge)),
      () => complete(sca, right, 'http://localhost:5173'),
    ];
    for (const attempt of attempts) assertWrong(await attempt(), 'ASSERTION_INVALID');
    await expectStatus(200, sca.report('RESET_PASSWORD_COMPLETED'));

    const again = await begin(sca);
    const late = assertionOf(passkey, again);
    await expectStatus(200, complete(sca, assertionOf(passkey, again)));
    const last = await begin(sca);
    // Signed before the accepted one: its counter is lower.
    assertWrong(await complete(sca, late), 'ASSERTION_INVALID');
    const { clientDataJSON, signature } = assertionOf(passkey, last).response;
    const { authenticatorData } = late.response;
    const mixed = { ...late, response: { clientDataJSON, authenticatorData, signature } };
    assertWrong(await complete(sca, mixed), 'ASSERTION_INVALID');
    assertWrong(await complete(sca, {}), 'ASSERTION_INVALID');
  });

  test('400 ASSERTION_INVALID: the user was not verified', async () => {
    const sca = await newSca();
    const passkey = await sca.withPasskey();
    const challenge = await begin(sca);
    assertWrong(await complete(sca, assertionOf(passkey, challenge, false)), 'ASSERTION_INVALID');
    await expectStatus(200, complete(sca, assertionOf(passkey, challenge)));
  });

  test('a passkey that was deleted since the start does not log in', async () => {
    const sca = await newSca();
    const passkey = await sca.withPasskey();
    const challenge = await begin(sca);
    await expectStatus(204, sca.remove(passkey.credentialId));
    assertWrong(await complete(sca, assertionOf(passkey, challenge)), 'CHALLENGE_EXPIRED');
  });
});

describe('400 INVALID_INPUT', () => {
  test('a factor that is not enrolled cannot start a login', async () => {
    const sca = scaOf(service.platform, await unverifiedCustomer(service.platform));
    for (const factor of ['SMS_OTP', 'TOTP', 'PASSKEY', 'EMAIL_OTP']) assertInvalid(await sca.start(factor), 'factor');
  });

  test('exactly one proof that fits the factor; null counts as absent', async () => {
    const sca = await newSca();
    const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
    const sms = { factor: 'SMS_OTP', challengeId };
    assertInvalid(await sca.complete(sms), 'code');
    assertInvalid(await sca.complete({ ...sms, code: null, passkeyAssertion: null }), 'code');
    assertInvalid(await sca.complete({ ...sms, code: CODE, passkeyAssertion: {}, origin: ORIGIN }), 'passkeyAssertion');
    assertInvalid(await sca.complete({ factor: 'SMS_OTP', code: CODE }), 'challengeId');
    assertInvalid(await sca.complete({ factor: 'PASSKEY', code: CODE }), 'code');
    assertInvalid(await sca.complete({ factor: 'PASSKEY', passkeyAssertion: {} }), 'origin');
    assertInvalid(await sca.complete({ ...sms, code: CODE, endUserIpAddress: 'here' }), 'endUserIpAddress');
    await expectStatus(200, sca.complete({ ...sms, code: CODE, passkeyAssertion: null, origin: null, endUserIpAddress: '2001:db8::1' }));
  });

  test('no start, or a start of another factor, is CHALLENGE_EXPIRED and counts nothing', async () => {
    const sca = await newSca();
    await sca.withTotp();
    assertWrong(await sca.complete({ factor: 'TOTP', code: CODE }), 'CHALLENGE_EXPIRED');
    await expectStatus(200, sca.start('SMS_OTP'));
    assertWrong(await sca.complete({ factor: 'TOTP', code: CODE }), 'CHALLENGE_EXPIRED');
    const { failedAttempts } = await expectStatus(200, sca.report('FAILED_LOGIN_ATTEMPT'));
    assert.equal(failedAttempts, 1);
  });
});

describe('the lock', () => {
  const locked = (answer: Answer) => {
    assertRefused(answer, 423, 'ACCOUNT_LOCKED');
    return answer.body.details;
  };

  test('5 failed logins lock 15 minutes, 6 30 minutes, 7 one hour, 8 24 hours, 9 without end; a success does not reset the count', async () => {
    const sca = await newSca();
    await sca.withTotp();
    for (let i = 1; i <= 4; i += 1) assertWrong(await sca.fail(), 'CODE_INVALID');
    await sca.login();
    for (const [failedAttempts, lockMs] of [
      [5, 15 * MINUTE],
      [6, 30 * MINUTE],
      [7, HOUR],
      [8, DAY],
    ] as const) {
      assertWrong(await sca.fail(), 'CODE_INVALID');
      const until = new Date((await now()).getTime() + lockMs).toISOString();
      await expectStatus(200, sca.start('TOTP'));
      const right = () => sca.complete({ factor: 'TOTP', code: CODE });
      assert.deepEqual(locked(await right()), { suspended: false, lockedUntil: until, failedAttempts });
      assert.deepEqual(locked(await sca.report('FAILED_LOGIN_ATTEMPT')), { suspended: false, lockedUntil: until, failedAttempts });
      await service.platform.clock.advance(lockMs - 1);
      await expectStatus(200, sca.start('TOTP'));
      locked(await right());
      await service.platform.clock.advance(1);
      await expectStatus(200, right());
    }
    assertWrong(await sca.fail(), 'CODE_INVALID');
    await service.platform.clock.advance(400 * DAY);
    await expectStatus(200, sca.start('TOTP'));
    const suspended = { suspended: true, lockedUntil: null, failedAttempts: 9 };
    assert.deepEqual(locked(await sca.complete({ factor: 'TOTP', code: CODE })), suspended);
    assert.deepEqual(locked(await sca.report('FAILED_LOGIN_ATTEMPT')), suspended);

    const cleared = await expectStatus(200, sca.report('RESET_PASSWORD_COMPLETED'));
    assert.deepEqual(cleared, { eventType: 'RESET_PASSWORD_COMPLETED', suspended: false, lockedUntil: null, failedAttempts: 0 });
    await expectStatus(200, sca.complete({ factor: 'TOTP', code: CODE }));
  });

  test('a reported failed login counts like one here, and tells the lock it led to', async () => {
    const sca = await newSca();
    for (let failedAttempts = 1; failedAttempts <= 4; failedAttempts += 1) {
      const state = await expectStatus(200, sca.report('FAILED_LOGIN_ATTEMPT'));
      assert.deepEqual(state, { eventType: 'FAILED_LOGIN_ATTEMPT', suspended: false, lockedUntil: null, failedAttempts });
    }
    const fifth = await expectStatus(200, sca.report('FAILED_LOGIN_ATTEMPT'));
    assert.deepEqual(fifth.lockedUntil, new Date((await now()).getTime() + 15 * MINUTE).toISOString());
    const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
    locked(await sca.complete({ factor: 'SMS_OTP', challengeId, code: CODE }));
  });

  test('a lock of one customer leaves others alone', async () => {
    const sca = await newSca();
    for (let i = 0; i < 5; i += 1) await expectStatus(200, sca.report('FAILED_LOGIN_ATTEMPT'));
    await (await newSca()).login();
  });

  test('400 INVALID_INPUT: another event, an address that is none', async () => {
    const { customer } = await newSca();
    const report = (body: unknown) => service.platform.post(`/sca/record-event?customerId=${customer.id}`, body);
    assertInvalid(await report({ eventType: 'LOGIN', endUserIpAddress: IP }), 'eventType');
    assertInvalid(await report({ eventType: 'FAILED_LOGIN_ATTEMPT', endUserIpAddress: '300.1.1.1' }), 'endUserIpAddress');
    assertInvalid(await report({ eventType: 'FAILED_LOGIN_ATTEMPT' }), 'endUserIpAddress');
  });
});
