// Trusted beneficiaries: trust and untrust, each with a confirmation.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { assertionOf, CODE, euroAccount, givenBeneficiary, ORIGIN, trustOf, unverifiedCustomer } from '../../../support/sca.js';
import { startTestService, type TestService } from '../../../support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

let service: TestService;
before(async () => {
  service = await startTestService();
  await service.platform.clock.freeze('2026-03-01T12:00:00Z');
});
after(() => service.stop());

const MINUTE = 60_000;
const addAccount = (customer: Resource, fields: Record<string, unknown> = {}): Promise<Resource> =>
  expectStatus(201, service.platform.post('/customers/external-accounts', { customerId: customer.id, ...euroAccount(), ...fields }));

const newBeneficiary = (make?: (platform: Client) => Promise<Resource>) => givenBeneficiary(service.platform, make);
const callsOf = (account: Resource, platform = service.platform) => trustOf(platform, account);

const challengeOf = async (answer: Promise<Answer>): Promise<Resource> => (await expectStatus(200, answer)).scaChallenge;

function assertCause(answer: Answer, status: number, code: 'INVALID_INPUT' | 'CONFLICT', cause: string): void {
  assertRefused(answer, status, code);
  assert.equal(answer.body.details.cause, cause, answer.text);
}

describe('trust and untrust', () => {
  test('a text message of 5 minutes confirms each; a trusted account cannot be deleted, an untrusted one can', async () => {
    const { trust, confirmTrust, untrust, confirmUntrust, remove } = await newBeneficiary();
    const challenge = await challengeOf(trust());
    assert.match(challenge.id, /^ScaChallenge:/);
    assert.deepEqual(challenge, {
      id: challenge.id,
      expiresAt: new Date((await service.platform.clock.now()).getTime() + 5 * MINUTE).toISOString(),
      factor: 'SMS_OTP',
      availableFactors: ['SMS_OTP'],
    });
    assert.deepEqual(await expectStatus(200, confirmTrust({ challengeId: challenge.id, code: CODE })), { trusted: true });
    assertRefused(await remove(), 409, 'BENEFICIARY_TRUSTED');
    const { id } = await challengeOf(untrust());
    assert.deepEqual(await expectStatus(200, confirmUntrust({ challengeId: id, code: CODE })), { trusted: false });
    await expectStatus(204, remove());
  });

  test('needs no session, and a code of the authenticator app serves as well, each step once', async () => {
    const { sca, trust, confirmTrust, untrust, confirmUntrust } = await newBeneficiary();
    const app = new TOTP({ secret: Secret.fromHex((await sca.withTotp()).secret) });
    const code = app.generate({ timestamp: (await service.platform.clock.now()).getTime() });
    const challenge = await challengeOf(trust());
    assert.deepEqual([challenge.factor, challenge.availableFactors], ['SMS_OTP', ['SMS_OTP', 'TOTP']]);
    await expectStatus(200, confirmTrust({ challengeId: challenge.id, code }));
    const { id } = await challengeOf(untrust());
    assertCause(await confirmUntrust({ challengeId: id, code }), 400, 'INVALID_INPUT', 'CODE_INVALID');
    await expectStatus(200, confirmUntrust({ challengeId: id, code: CODE }));
  });

  test('without a verified phone the passkey confirms, within 10 minutes', async () => {
    const { sca, trust, confirmTrust } = await newBeneficiary(unverifiedCustomer);
    const passkey = await sca.withPasskey();
    const challenge = await challengeOf(trust());
    assert.deepEqual([challenge.factor, challenge.availableFactors], ['PASSKEY', ['PASSKEY']]);
    assert.equal(challenge.expiresAt, new Date((await service.platform.clock.now()).getTime() + 10 * MINUTE).toISOString());
    assert.equal(challenge.passkeyAllowedOrigins[0], ORIGIN);
    const passkeyAssertion = assertionOf(passkey, challenge.passkeyAssertionOptions.challenge);
    assertInvalid(await confirmTrust({ challengeId: challenge.id, passkeyAssertion }), 'origin');
    await expectStatus(200, confirmTrust({ challengeId: challenge.id, passkeyAssertion, origin: ORIGIN }));
  });

  test('without a verified phone and passkey the authenticator app confirms; a recovery code does not', async () => {
    const { sca, trust, confirmTrust } = await newBeneficiary(unverifiedCustomer);
    const { recoveryCodes } = await sca.withTotp();
    const challenge = await challengeOf(trust());
    assert.deepEqual([challenge.factor, challenge.availableFactors], ['TOTP', ['TOTP']]);
    assertCause(await confirmTrust({ challengeId: challenge.id, code: recoveryCodes[0] }), 400, 'INVALID_INPUT', 'CODE_INVALID');
    await expectStatus(200, confirmTrust({ challengeId: challenge.id, code: CODE }));
  });
});

test('429 RATE_LIMITED: five starts in ten minutes where codes of the app serve, also if no message is sent', async () => {
  for (const hasPasskey of [false, true]) {
    const { sca, trust, confirmTrust } = await newBeneficiary(unverifiedCustomer);
    if (hasPasskey) await sca.withPasskey();
    // Nothing can be guessed against a passkey alone.
    if (hasPasskey) for (let i = 0; i < 6; i += 1) await expectStatus(200, trust());
    await sca.withTotp();
    for (let i = 0; i < 5; i += 1) {
      const { id: challengeId } = await challengeOf(trust());
      assertCause(await confirmTrust({ challengeId, code: '000000' }), 400, 'INVALID_INPUT', 'CODE_INVALID');
    }
    const refused = await trust();
    assertRefused(refused, 429, 'RATE_LIMITED');
    assert.equal(refused.headers.get('retry-after'), '600');
    await service.platform.clock.advance(10 * MINUTE);
    await expectStatus(200, trust());
  }
});

describe('400 INVALID_INPUT', () => {
  test('the customer has no usable factor', async () => {
    const { trust } = await newBeneficiary(unverifiedCustomer);
    assertCause(await trust(), 400, 'INVALID_INPUT', 'NO_USABLE_FACTOR');
  });

  test('another challenge, none, an expired one, or one with five wrong codes; these are no failed logins', async () => {
    const { sca, trust, confirmTrust } = await newBeneficiary();
    const first = await challengeOf(trust());
    const { id: challengeId } = await challengeOf(trust());
    assertCause(await confirmTrust({ code: CODE }), 400, 'INVALID_INPUT', 'CHALLENGE_EXPIRED');
    assertCause(await confirmTrust({ challengeId: first.id, code: CODE }), 400, 'INVALID_INPUT', 'CHALLENGE_EXPIRED');
    for (let i = 0; i < 5; i += 1) assertCause(await confirmTrust({ challengeId, code: '000000' }), 400, 'INVALID_INPUT', 'CODE_INVALID');
    assertCause(await confirmTrust({ challengeId, code: CODE }), 400, 'INVALID_INPUT', 'CHALLENGE_EXPIRED');
    assert.equal((await expectStatus(200, sca.report('FAILED_LOGIN_ATTEMPT'))).failedAttempts, 1);

    const { id: late } = await challengeOf(trust());
    await service.platform.clock.advance(5 * MINUTE);
    assertCause(await confirmTrust({ challengeId: late, code: CODE }), 400, 'INVALID_INPUT', 'CHALLENGE_EXPIRED');
  });

  test('exactly one proof', async () => {
    const { trust, confirmTrust } = await newBeneficiary();
    const { id: challengeId } = await challengeOf(trust());
    assertInvalid(await confirmTrust({ challengeId }), 'code');
    assertInvalid(await confirmTrust({ challengeId, code: CODE, passkeyAssertion: {}, origin: ORIGIN }), 'code');
  });
});

describe('409 CONFLICT', () => {
  test('already trusted, not trusted, not started', async () => {
    const { trust, confirmTrust, untrust, confirmUntrust } = await newBeneficiary();
    assertCause(await untrust(), 409, 'CONFLICT', 'NOT_TRUSTED');
    assertCause(await confirmUntrust({ challengeId: 'x', code: CODE }), 409, 'CONFLICT', 'NOT_TRUSTED');
    assertCause(await confirmTrust({ challengeId: 'x', code: CODE }), 409, 'CONFLICT', 'NOT_STARTED');
    const { id: challengeId } = await challengeOf(trust());
    await expectStatus(200, confirmTrust({ challengeId, code: CODE }));
    assertCause(await trust(), 409, 'CONFLICT', 'ALREADY_TRUSTED');
    assertCause(await confirmTrust({ challengeId, code: CODE }), 409, 'CONFLICT', 'ALREADY_TRUSTED');
    assertCause(await confirmUntrust({ challengeId, code: CODE }), 409, 'CONFLICT', 'NOT_STARTED');
  });

  test('the customer is not in a regulated region', async () => {
    const account = await addAccount(await given(service.platform).customer());
    const { trust, confirmTrust, untrust, confirmUntrust } = callsOf(account);
    const confirmation = { challengeId: 'x', code: CODE };
    for (const answer of [await trust(), await untrust(), await confirmTrust(confirmation), await confirmUntrust(confirmation)])
      assertCause(answer, 409, 'CONFLICT', 'NOT_IN_REGULATED_REGION');
  });

  test('the account is not ACTIVE', async () => {
    const { customer } = await newBeneficiary();
    const account = await addAccount(customer, {
      currency: 'USDC',
      ownershipType: 'FIRST_PARTY',
      accountInfo: { accountType: 'SOLANA_WALLET', address: 'HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH' },
    });
    assert.notEqual(account.status, 'ACTIVE');
    assertCause(await callsOf(account).trust(), 409, 'CONFLICT', 'ACCOUNT_NOT_ACTIVE');
  });
});

test('404 ACCOUNT_NOT_FOUND: unknown, malformed, of another platform, of the platform itself, deleted', async () => {
  const { account, remove } = await newBeneficiary();
  const other = await service.newPlatform();
  assertRefused(await callsOf(account, other).trust(), 404, 'ACCOUNT_NOT_FOUND');
  await expectStatus(204, remove());
  const own = await expectStatus(201, service.platform.post('/platform/external-accounts', euroAccount()));
  for (const id of [account.id, own.id, 'nonsense', 'ExternalAccount:0199a000-0000-7000-8000-000000000000']) {
    const { trust, confirmTrust, untrust, confirmUntrust } = callsOf({ id });
    const confirmation = { challengeId: 'x', code: CODE };
    for (const answer of [await trust(), await untrust(), await confirmTrust(confirmation), await confirmUntrust(confirmation)])
      assertRefused(answer, 404, 'ACCOUNT_NOT_FOUND');
  }
});

test('deleting the customer removes trusted accounts too', async () => {
  const { customer, trust, confirmTrust } = await newBeneficiary();
  const { id: challengeId } = await challengeOf(trust());
  await expectStatus(200, confirmTrust({ challengeId, code: CODE }));
  await expectStatus(200, service.platform.delete(`/customers/${customer.id}`));
  assertRefused(await trust(), 404, 'ACCOUNT_NOT_FOUND');
});
