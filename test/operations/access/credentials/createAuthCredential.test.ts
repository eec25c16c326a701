import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { softwareAuthenticator } from '../../../support/authenticator.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import {
  addCredential,
  encryptOtp,
  newKeys,
  oidcToken,
  passkeyBody,
  retry,
  signed,
  signInWithOtp,
  unprovisionedWallet,
  wallet,
} from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

const email = () => `${randomUUID()}@example.com`;

async function bareAccount() {
  const customer = await given(service.platform).customer({ email: undefined });
  return given(service.platform).account(customer, 'USDB');
}

describe('201: the first credential of an account is added by the platform', () => {
  test('an EMAIL_OTP credential on a named email; its bundle comes with the challenge', async () => {
    const account = await bareAccount();
    const answer = await service.platform.post('/auth/credentials', { type: 'EMAIL_OTP', accountId: account.id, email: 'ada@example.com' });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.nickname, 'ada@example.com');
    assert.equal(answer.body.otpEncryptionTargetBundle, undefined);
    assert.equal((await signInWithOtp(service.platform, answer.body)).answer.status, 200);
  });

  test('a PASSKEY, with its WebAuthn credential id and nickname', async () => {
    const account = await bareAccount();
    const authenticator = softwareAuthenticator();
    const answer = await service.platform.post('/auth/credentials', {
      accountId: account.id,
      ...passkeyBody(authenticator, 'Ada (laptop)'),
    });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.credentialId, authenticator.credentialId);
    assert.equal(answer.body.nickname, 'Ada (laptop)');
  });

  test('an OAUTH identity, named by its email', async () => {
    const account = await bareAccount();
    const token = await oidcToken(service.platform, { subject: 'ada', email: 'ada@example.com' });
    const answer = await service.platform.post('/auth/credentials', { type: 'OAUTH', accountId: account.id, oidcToken: token });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.nickname, 'ada@example.com');
  });
});

describe('202, then 201: every further credential is signed by the owner', () => {
  test('the challenge says what is added and for which account', async () => {
    const owner = await wallet(service.platform);
    const authenticator = softwareAuthenticator();
    const challenge = await expectStatus(
      202,
      owner.platform.post('/auth/credentials', { accountId: owner.account.id, ...passkeyBody(authenticator, 'Key') }),
    );
    assert.equal(challenge.type, 'PASSKEY');
    assert.match(challenge.requestId, /^Request:[0-9a-f-]{36}$/);
    const stated = JSON.parse(challenge.payloadToSign);
    assert.deepEqual(
      [stated.organizationId, stated.type, stated.parameters.credentialId, stated.parameters.authenticator],
      [owner.account.id, 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2', authenticator.credentialId, 'Key'],
    );
    assert.equal(stated.parameters.requestId, challenge.requestId);
    assert.match(stated.timestampMs, /^\d+$/);
    assert.equal(new Date(challenge.expiresAt).getTime() - Number(stated.timestampMs), 5 * 60_000);
  });

  test('many passkeys, one OAUTH credential per identity', async () => {
    const owner = await wallet(service.platform);
    await addCredential(owner, passkeyBody(softwareAuthenticator(), 'One'));
    await addCredential(owner, passkeyBody(softwareAuthenticator(), 'Two'));
    await addCredential(owner, { type: 'OAUTH', oidcToken: await oidcToken(owner.platform, { subject: 'one' }) });
    await addCredential(owner, { type: 'OAUTH', oidcToken: await oidcToken(owner.platform, { subject: 'two' }) });
    const again = { type: 'OAUTH', accountId: owner.account.id, oidcToken: await oidcToken(owner.platform, { subject: 'one' }) };
    assertRefused(await changesNothing(service.db, () => owner.platform.post('/auth/credentials', again)), 400, 'INVALID_INPUT');
  });

  test("an SMS_OTP credential on the customer's phone comes with a bundle at once, and signs in", async () => {
    const owner = await wallet(service.platform, { phoneNumber: '+15550100001' });
    const credential = await addCredential(owner, { type: 'SMS_OTP' });
    assert.equal(credential.nickname, '+15550100001');
    const keys = newKeys();
    const body = { type: 'SMS_OTP', encryptedOtpBundle: await encryptOtp(credential.otpEncryptionTargetBundle, keys) };
    const answer = await signed({ platform: owner.platform, keys }, 'POST', `/auth/credentials/${credential.id}/verify`, body);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.type, 'SMS_OTP');
  });

  test('an OAUTH token may be older than a minute when the signature arrives: it was verified at the initial call', async () => {
    const platform = await service.newPlatform();
    const owner = await wallet(platform);
    await platform.clock.freeze();
    const body = { type: 'OAUTH', accountId: owner.account.id, oidcToken: await oidcToken(platform, { subject: 'slow' }) };
    const challenge = await expectStatus(202, platform.post('/auth/credentials', body));
    await platform.clock.advance(4 * 60_000);
    assert.equal((await retry(platform, 'POST', '/auth/credentials', body, challenge, owner.keys)).status, 201);
  });
});

describe('400', () => {
  test('EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS: one email OTP credential per internal account', async () => {
    const owner = await wallet(service.platform);
    const body = { type: 'EMAIL_OTP', accountId: owner.account.id };
    assertRefused(
      await changesNothing(service.db, () => owner.platform.post('/auth/credentials', body)),
      400,
      'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS',
    );
  });

  test('SMS_OTP_CREDENTIAL_ALREADY_EXISTS: one SMS OTP credential per internal account', async () => {
    const owner = await wallet(service.platform, { phoneNumber: '+15550100002' });
    await addCredential(owner, { type: 'SMS_OTP' });
    const body = { type: 'SMS_OTP', accountId: owner.account.id };
    assertRefused(
      await changesNothing(service.db, () => owner.platform.post('/auth/credentials', body)),
      400,
      'SMS_OTP_CREDENTIAL_ALREADY_EXISTS',
    );
  });

  test('PASSKEY_CREDENTIAL_ALREADY_EXISTS: same WebAuthn credential id already registered, on this account or another', async () => {
    const owner = await wallet(service.platform);
    const authenticator = softwareAuthenticator();
    await addCredential(owner, passkeyBody(authenticator));
    const second = await wallet(service.platform);
    for (const { account } of [owner, second]) {
      const body = { accountId: account.id, ...passkeyBody(authenticator) };
      assertRefused(
        await changesNothing(service.db, () => owner.platform.post('/auth/credentials', body)),
        400,
        'PASSKEY_CREDENTIAL_ALREADY_EXISTS',
      );
    }
  });

  test('INVALID_INPUT: a passkey with an invalid attestation, or a nickname with other characters', async () => {
    const owner = await wallet(service.platform);
    const good = { accountId: owner.account.id, ...passkeyBody(softwareAuthenticator()) };
    const post = (changes: Record<string, unknown>) =>
      changesNothing(service.db, () => owner.platform.post('/auth/credentials', { ...good, ...changes }));
    assertInvalid(await post({ challenge: 'AAAA' }), 'attestation');
    assertInvalid(await post({ attestation: { ...good.attestation, attestationObject: 'AAAA' } }), 'attestation');
    for (const nickname of ['', 'x'.repeat(101), '<b>', 'a\nb']) assertInvalid(await post({ nickname }), 'nickname');
    const exactly = await owner.platform.post('/auth/credentials', { ...good, nickname: 'x'.repeat(100) });
    assert.equal(exactly.status, 202, 'exactly 100 characters');
  });

  test('INVALID_INPUT: a token that is not signed by a known issuer, or is older than a minute', async () => {
    const platform = await service.newPlatform();
    const owner = await wallet(platform);
    const good = await oidcToken(platform, { subject: 'ada' });
    const post = (token: string) =>
      changesNothing(service.db, () =>
        platform.post('/auth/credentials', { type: 'OAUTH', accountId: owner.account.id, oidcToken: token }),
      );
    assertInvalid(await post(`${good.slice(0, -4)}AAAA`), 'oidcToken');
    assertInvalid(await post('sandbox-valid-oidc-token'), 'oidcToken');
    await platform.clock.freeze();
    const old = await oidcToken(platform, { subject: 'ada' });
    await platform.clock.advance(61_000);
    assertInvalid(await post(old), 'oidcToken');
  });

  test('INVALID_INPUT: an account that is not an embedded wallet; a contact that the customer does not have', async () => {
    const { platform } = service;
    const customer = await given(platform).customer({ email: undefined });
    const usd = await given(platform).account(customer, 'USD');
    const usdb = await given(platform).account(customer, 'USDB');
    assertInvalid(await platform.post('/auth/credentials', { type: 'EMAIL_OTP', accountId: usd.id, email: email() }), 'accountId');
    assertInvalid(await platform.post('/auth/credentials', { type: 'EMAIL_OTP', accountId: usdb.id }), 'email');
    assertInvalid(await platform.post('/auth/credentials', { type: 'SMS_OTP', accountId: usdb.id }), 'phoneNumber');
  });

  test('INVALID_INPUT: shape', async () => {
    const { platform } = service;
    assertInvalid(await platform.post('/auth/credentials', { type: 'PASSWORD', accountId: 'x' }), 'type');
    assertInvalid(await platform.post('/auth/credentials', { type: 'EMAIL_OTP' }), 'accountId');
    assertInvalid(
      await platform.post('/auth/credentials', { type: 'EMAIL_OTP', accountId: 'x', phoneNumber: '+15550100003' }),
      'phoneNumber',
    );
    assertInvalid(await platform.post('/auth/credentials', { type: 'SMS_OTP', accountId: 'x', phoneNumber: '5550100' }), 'phoneNumber');
  });
});

describe('404 ACCOUNT_NOT_FOUND', () => {
  test('an unknown account and one of another platform answer alike', async () => {
    const { account } = await wallet(service.platform);
    const other = await service.newPlatform();
    const body = { type: 'EMAIL_OTP', accountId: account.id, email: email() };
    const foreign = await changesNothing(service.db, () => other.post('/auth/credentials', body));
    assertRefused(foreign, 404, 'ACCOUNT_NOT_FOUND');
    assert.equal(foreign.text, (await other.post('/auth/credentials', { ...body, accountId: 'InternalAccount:none' })).text);
  });

  test('the closed account of a deleted customer: the platform gets no credential to a wallet that was somebody else’s', async () => {
    const { account, customer, platform } = await wallet(service.platform);
    await expectStatus(200, platform.delete(`/customers/${customer.id}`));
    for (const proof of [{ type: 'EMAIL_OTP', email: email() }, passkeyBody(softwareAuthenticator())]) {
      const add = () => platform.post('/auth/credentials', { accountId: account.id, ...proof });
      assertRefused(await changesNothing(service.db, add), 404, 'ACCOUNT_NOT_FOUND');
    }
  });
});

describe('409', () => {
  test('WALLET_NOT_PROVISIONED: nobody has verified a credential yet, so nobody can sign for another', async () => {
    const { account, platform } = await unprovisionedWallet(service.platform);
    const body = { accountId: account.id, ...passkeyBody(softwareAuthenticator()) };
    assertRefused(await changesNothing(service.db, () => platform.post('/auth/credentials', body)), 409, 'WALLET_NOT_PROVISIONED');
  });

  test('EMAIL_OTP_EMAIL_ALREADY_EXISTS: email already tied to an EMAIL_OTP credential', async () => {
    const [owner, other] = [await wallet(service.platform), await wallet(service.platform)];
    for (const taken of [other.customer.email, owner.customer.email.toUpperCase()]) {
      const body = { type: 'EMAIL_OTP', accountId: owner.account.id, email: taken };
      assertRefused(
        await changesNothing(service.db, () => owner.platform.post('/auth/credentials', body)),
        409,
        'EMAIL_OTP_EMAIL_ALREADY_EXISTS',
      );
    }
  });

  test('SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS: phone number already tied to an SMS_OTP credential', async () => {
    const owner = await wallet(service.platform, { phoneNumber: '+15550100004' });
    await addCredential(owner, { type: 'SMS_OTP' });
    const body = { type: 'SMS_OTP', accountId: owner.account.id, phoneNumber: '+15550100004' };
    assertRefused(
      await changesNothing(service.db, () => owner.platform.post('/auth/credentials', body)),
      409,
      'SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS',
    );
  });

  test('two signed retries for one passkey: the second finds it registered', async () => {
    const [owner, other] = [await wallet(service.platform), await wallet(service.platform)];
    const authenticator = softwareAuthenticator();
    const asked = [];
    for (const each of [owner, other]) {
      const body = { accountId: each.account.id, ...passkeyBody(authenticator) };
      asked.push({ each, body, challenge: await expectStatus(202, each.platform.post('/auth/credentials', body)) });
    }
    const answers = await Promise.all(
      asked.map(({ each, body, challenge }) => retry(each.platform, 'POST', '/auth/credentials', body, challenge, each.keys)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
    assertRefused(answers.find(({ status }) => status === 400) as (typeof answers)[number], 400, 'PASSKEY_CREDENTIAL_ALREADY_EXISTS');
  });
});

describe('429 RATE_LIMITED', () => {
  test('adding and revoking credentials does not avoid the limit of sent codes', async () => {
    const platform = await service.newPlatform();
    const owner = await wallet(platform, { phoneNumber: '+15550100005' });
    await platform.clock.freeze();
    for (let i = 0; i < 5; i += 1) {
      const credential = await addCredential(owner, { type: 'SMS_OTP' });
      assert.equal((await signed(owner, 'DELETE', `/auth/credentials/${credential.id}`)).status, 204);
    }
    const body = { type: 'SMS_OTP', accountId: owner.account.id };
    const challenge = await expectStatus(202, platform.post('/auth/credentials', body));
    const answer = await changesNothing(service.db, () => retry(platform, 'POST', '/auth/credentials', body, challenge, owner.keys));
    assertRefused(answer, 429, 'RATE_LIMITED');
    assert.equal(answer.headers.get('retry-after'), '60');
  });
});
