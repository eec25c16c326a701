// Reset of a lost factor: states, windows, limits, and what is left afterwards.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { CODE, IP, regulatedCustomer, type Sca, scaOf, unverifiedCustomer } from '../../../support/sca.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
  await service.platform.clock.freeze('2026-03-01T12:00:00Z');
});
after(() => service.stop());

const newSca = async () => scaOf(service.platform, await regulatedCustomer(service.platform));
const withTotp = async () => {
  const sca = await newSca();
  return Object.assign(sca, await sca.withTotp());
};
const iso = async (ms: number) => new Date((await service.platform.clock.now()).getTime() + ms).toISOString();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const start = async (sca: Sca, factor: string): Promise<string> => (await expectStatus(201, sca.startReset(factor))).resetId;
const stateOf = async (sca: Sca, id: string): Promise<string> => (await expectStatus(200, sca.reset(id))).status;

/** A reset whose liveness check has passed. */
async function passed(sca: Sca, factor: string): Promise<string> {
  const id = await start(sca, factor);
  await expectStatus(200, sca.liveness(id, 'PASS'));
  return id;
}

describe('states', () => {
  test('a start is INITIATED for 30 minutes', async () => {
    const sca = await withTotp();
    const started = await expectStatus(201, sca.startReset('TOTP'));
    assert.match(started.resetId, /^TwoFactorReset:/);
    assert.equal(started.expiresAt, await iso(30 * MINUTE));
    assert.equal(started.verificationLink, `${service.baseUrl}/sandbox/sca/liveness?token=${started.livenessAccessToken}`);
    assert.deepEqual(await expectStatus(200, sca.reset(started.resetId)), {
      status: 'INITIATED',
      factor: 'TOTP',
      enrollmentStatus: 'PENDING',
      expiresAt: started.expiresAt,
      completedAt: null,
    });
  });

  test('every state and liveness outcome: what is not listed is 409 CONFLICT and changes nothing', async () => {
    const outcomes = ['PASS', 'FAIL', 'REVIEW'] as const;
    const reach: Record<string, (sca: Sca, id: string) => Promise<unknown>> = {
      INITIATED: async () => {},
      PENDING_REVIEW: (sca, id) => expectStatus(200, sca.liveness(id, 'REVIEW')),
      LIVENESS_PASSED: (sca, id) => expectStatus(200, sca.liveness(id, 'PASS')),
      REJECTED: (sca, id) => expectStatus(200, sca.liveness(id, 'FAIL')),
      COMPLETED: async (sca, id) => {
        await expectStatus(200, sca.liveness(id, 'PASS'));
        await expectStatus(204, sca.completeReset(id));
      },
      EXPIRED: () => service.platform.clock.advance(30 * MINUTE),
    };
    const allowed: Record<string, Partial<Record<string, string>>> = {
      INITIATED: { PASS: 'LIVENESS_PASSED', FAIL: 'REJECTED', REVIEW: 'PENDING_REVIEW' },
      PENDING_REVIEW: { PASS: 'LIVENESS_PASSED', FAIL: 'REJECTED' },
    };
    for (const [state, arrive] of Object.entries(reach)) {
      for (const outcome of outcomes) {
        const sca = await withTotp();
        const id = await start(sca, 'TOTP');
        await arrive(sca, id);
        assert.equal(await stateOf(sca, id), state);
        const answer = await sca.liveness(id, outcome);
        const next = allowed[state]?.[outcome];
        if (next) assert.equal((await expectStatus(200, Promise.resolve(answer))).status, next);
        else assertRefused(answer, 409, 'CONFLICT');
        assert.equal(await stateOf(sca, id), next ?? state);
      }
    }
  });

  test('400 INVALID_INPUT: completing anything that has not passed the liveness check, or twice', async () => {
    const refused = async (prepare: (sca: Sca, id: string) => Promise<unknown>, status: string) => {
      const sca = await withTotp();
      const id = await start(sca, 'TOTP');
      await prepare(sca, id);
      const answer = await sca.completeReset(id);
      assertRefused(answer, 400, 'INVALID_INPUT');
      assert.equal(answer.body.details.status, status);
      return sca;
    };
    await refused(async () => {}, 'INITIATED');
    await refused((sca, id) => sca.liveness(id, 'REVIEW'), 'PENDING_REVIEW');
    const rejected = await refused((sca, id) => sca.liveness(id, 'FAIL'), 'REJECTED');
    assert.equal((await expectStatus(200, rejected.factors())).factors.length, 2);
    await refused(async (sca, id) => {
      await sca.liveness(id, 'PASS');
      await service.platform.clock.advance(30 * MINUTE);
    }, 'EXPIRED');
    await refused(async (sca, id) => {
      await sca.liveness(id, 'PASS');
      await expectStatus(204, sca.completeReset(id));
    }, 'COMPLETED');
  });

  test('just before 30 minutes a reset can be completed', async () => {
    const sca = await withTotp();
    const id = await passed(sca, 'TOTP');
    await service.platform.clock.advance(30 * MINUTE - 1);
    await expectStatus(204, sca.completeReset(id));
  });

  test('a new start turns the open one EXPIRED; a completed one stays', async () => {
    const sca = await withTotp();
    await sca.withPasskey();
    const done = await passed(sca, 'TOTP');
    await expectStatus(204, sca.completeReset(done));
    const first = await start(sca, 'PASSKEY');
    const second = await start(sca, 'SMS_OTP');
    assert.deepEqual(
      [await stateOf(sca, done), await stateOf(sca, first), await stateOf(sca, second)],
      ['COMPLETED', 'EXPIRED', 'INITIATED'],
    );
    assertRefused(await sca.liveness(first, 'PASS'), 409, 'CONFLICT');
  });
});

describe('what a completed reset changes', () => {
  test('TOTP: secret and recovery codes are erased; enrolling again completes it', async () => {
    const sca = await withTotp();
    const id = await passed(sca, 'TOTP');
    await expectStatus(204, sca.completeReset(id));
    assert.deepEqual(await expectStatus(200, sca.factors()), { factors: [{ factor: 'SMS_OTP' }] });
    const completed = await expectStatus(200, sca.reset(id));
    assert.deepEqual([completed.status, completed.enrollmentStatus, completed.completedAt], ['COMPLETED', 'PENDING', await iso(0)]);
    const { recoveryCodes } = await sca.withTotp();
    assert.equal((await expectStatus(200, sca.reset(id))).enrollmentStatus, 'COMPLETED');
    await expectStatus(200, sca.start('TOTP'));
    assertRefused(await sca.complete({ factor: 'TOTP', code: sca.recoveryCodes[0] }), 400, 'INVALID_INPUT');
    await expectStatus(200, sca.complete({ factor: 'TOTP', code: recoveryCodes[0] }));
  });

  test('PASSKEY: the passkey is removed, and another can be enrolled', async () => {
    const sca = await newSca();
    const { credentialId } = await sca.withPasskey();
    const id = await passed(sca, 'PASSKEY');
    await expectStatus(204, sca.completeReset(id, { endUserIpAddress: IP }));
    assertRefused(await sca.remove(credentialId), 404, 'NOT_FOUND');
    await sca.withPasskey();
    assert.equal((await expectStatus(200, sca.reset(id))).enrollmentStatus, 'COMPLETED');
  });

  test('SMS_OTP: the new mobile number becomes the phone number, verified; enrollmentStatus is null', async () => {
    const sca = await newSca();
    const id = await passed(sca, 'SMS_OTP');
    const mobile = { countryCode: '+49', number: '15112345678' };
    await expectStatus(204, sca.completeReset(id, { endUserIpAddress: IP, mobile }));
    const customer = await expectStatus(200, service.platform.get(`/customers/${sca.customer.id}`));
    assert.equal(customer.phoneNumber, '+4915112345678');
    assert.equal(customer.contactVerification.phone, 'VERIFIED');
    assert.equal((await expectStatus(200, sca.reset(id))).enrollmentStatus, null);
    await sca.login();
    const { data } = await expectStatus(200, service.platform.get(`/sandbox/messages?to=${encodeURIComponent('+4915112345678')}`));
    assert.equal(data.length, 1);
  });

  test('400 INVALID_INPUT: SMS_OTP without a mobile number, or with one that is none; the reset stays open', async () => {
    const sca = await newSca();
    const id = await passed(sca, 'SMS_OTP');
    assertInvalid(await sca.completeReset(id), 'mobile');
    assertInvalid(await sca.completeReset(id, {}), 'endUserIpAddress');
    assertInvalid(await sca.completeReset(id, { endUserIpAddress: IP }), 'mobile');
    const attempt = (countryCode: string, number: string) =>
      sca.completeReset(id, { endUserIpAddress: IP, mobile: { countryCode, number } });
    assertInvalid(await attempt('49', '15112345678'), 'mobile.countryCode');
    assertInvalid(await attempt('+49', '151 12345678'), 'mobile.number');
    assertInvalid(await attempt('+499', '15112345678901'), 'mobile.number');
    assert.equal(await stateOf(sca, id), 'LIVENESS_PASSED');
  });

  test('an open login of the factor ends; the lock and the count stay', async () => {
    const sca = await withTotp();
    for (let i = 0; i < 5; i += 1) await expectStatus(200, sca.report('FAILED_LOGIN_ATTEMPT'));
    const id = await passed(sca, 'TOTP');
    await expectStatus(204, sca.completeReset(id));
    const { challengeId } = await expectStatus(200, sca.start('SMS_OTP'));
    const answer = await sca.complete({ factor: 'SMS_OTP', challengeId, code: CODE });
    assertRefused(answer, 423, 'ACCOUNT_LOCKED');
    assert.equal(answer.body.details.failedAttempts, 5);
  });
});

describe('429 RATE_LIMITED', () => {
  test('the sixth start in 24 hours, with Retry-After; refused starts do not count', async () => {
    const sca = await withTotp();
    for (let i = 0; i < 5; i += 1) {
      assertInvalid(await sca.startReset('PASSKEY'), 'factor');
      await start(sca, 'TOTP');
      await service.platform.clock.advance(HOUR);
    }
    const refused = await sca.startReset('TOTP');
    assertRefused(refused, 429, 'RATE_LIMITED');
    assert.equal(refused.headers.get('retry-after'), String(19 * 3600));
    await service.platform.clock.advance(19 * HOUR - 1);
    assertRefused(await sca.startReset('TOTP'), 429, 'RATE_LIMITED');
    await service.platform.clock.advance(1);
    await start(sca, 'TOTP');
  });
});

describe('refusals', () => {
  test('400 INVALID_INPUT: a factor that is not enrolled, an address that is none', async () => {
    const sca = scaOf(service.platform, await unverifiedCustomer(service.platform));
    for (const factor of ['SMS_OTP', 'TOTP', 'PASSKEY']) assertInvalid(await sca.startReset(factor), 'factor');
    const path = `/sca/factors/reset?customerId=${sca.customer.id}`;
    assertInvalid(await service.platform.post(path, { factor: 'TOTP', endUserIpAddress: 'x' }), 'endUserIpAddress');
  });

  test('404 NOT_FOUND: unknown, malformed, of another customer, of another platform', async () => {
    const [sca, other] = [await withTotp(), await withTotp()];
    const foreign = await service.newPlatform();
    const id = await start(other, 'TOTP');
    for (const each of [id, 'TwoFactorReset:0199a000-0000-7000-8000-000000000000', 'nonsense']) {
      assertRefused(await sca.reset(each), 404, 'NOT_FOUND');
      assertRefused(await sca.completeReset(each), 404, 'NOT_FOUND');
    }
    assertRefused(await foreign.post(`/sandbox/sca/factors/reset/${id}/liveness`, { outcome: 'PASS' }), 404, 'NOT_FOUND');
    assertRefused(await sca.liveness('TwoFactorReset:0199a000-0000-7000-8000-000000000000', 'PASS'), 404, 'NOT_FOUND');
  });
});

describe('the liveness page of the sandbox', () => {
  const post = (path: string, body: unknown) =>
    fetch(service.baseUrl + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

  test('opens without a token of the platform, loads nothing from elsewhere, and decides the reset', async () => {
    const sca = await withTotp();
    const { resetId, livenessAccessToken, verificationLink } = await expectStatus(201, sca.startReset('TOTP'));
    const page = await fetch(verificationLink);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /text\/html/);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(await page.text(), /https?:\/\//);
    assert.equal((await post('/sandbox/sca/liveness', { token: livenessAccessToken, outcome: 'PASS' })).status, 204);
    assert.equal(await stateOf(sca, resetId), 'LIVENESS_PASSED');
    assert.equal((await post('/sandbox/sca/liveness', { token: livenessAccessToken, outcome: 'FAIL' })).status, 409);
  });

  test('404 NOT_FOUND: a token that the service did not make', async () => {
    assert.equal((await fetch(`${service.baseUrl}/sandbox/sca/liveness?token=AAAA`)).status, 404);
    assert.equal((await post('/sandbox/sca/liveness', { token: 'AAAA', outcome: 'PASS' })).status, 404);
  });
});

test('deleting the customer removes everything of strong authentication', async () => {
  const sca = await withTotp();
  await sca.withPasskey();
  await sca.login();
  await expectStatus(200, sca.start('SMS_OTP'));
  await start(sca, 'TOTP');
  await expectStatus(200, service.platform.delete(`/customers/${sca.customer.id}`));
  const answer: Answer = await sca.factors();
  assertRefused(answer, 404, 'CUSTOMER_NOT_FOUND');
  const id = sca.customer.id.slice('Customer:'.length);
  for (const table of ['sca_customers', 'sca_factors', 'sca_enrollments', 'sca_challenges', 'sca_limits', 'sca_resets']) {
    const rows = await service.db.many({ text: `select 1 from ${table} where customer_id = $1`, values: [id] });
    assert.equal(rows.length, 0, table);
  }
});
