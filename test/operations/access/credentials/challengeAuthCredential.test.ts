import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { softwareAuthenticator } from '../../../support/authenticator.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { addCredential, encryptOtp, newKeys, oidcToken, passkeyBody, unprovisionedWallet, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

describe('200: a one-time password', () => {
  test('is sent again with a new encryption key, signed by the quorum key', async () => {
    const { platform, credential } = await unprovisionedWallet(service.platform);
    const [first, second] = [
      await expectStatus(200, platform.post(`/auth/credentials/${credential.id}/challenge`)),
      await expectStatus(200, platform.post(`/auth/credentials/${credential.id}/challenge`, {})),
    ];
    assert.deepEqual({ ...first, otpEncryptionTargetBundle: undefined }, { ...credential, otpEncryptionTargetBundle: undefined });
    const [one, two] = [first, second].map((each) => JSON.parse(each.otpEncryptionTargetBundle));
    assert.equal(one.version, 'v1.0.0');
    assert.equal(one.enclaveQuorumPublic, two.enclaveQuorumPublic);
    const target = (bundle: { data: string }) => JSON.parse(Buffer.from(bundle.data, 'hex').toString()).targetPublic;
    assert.notEqual(target(one), target(two));
  });

  test('a new code replaces the open one', async () => {
    const { platform, credential } = await unprovisionedWallet(service.platform);
    const path = `/auth/credentials/${credential.id}`;
    const { otpEncryptionTargetBundle: replaced } = await expectStatus(200, platform.post(`${path}/challenge`));
    await expectStatus(200, platform.post(`${path}/challenge`));
    const body = { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(replaced, newKeys()) };
    assertInvalid(await platform.post(`${path}/verify`, body), 'encryptedOtpBundle');
  });
});

describe('200: a passkey', () => {
  test('the challenge is the lower-case hex SHA-256 of the session that would be opened', async () => {
    const owner = await wallet(service.platform);
    const authenticator = softwareAuthenticator();
    const credential = await addCredential(owner, passkeyBody(authenticator));
    const { publicKey } = newKeys();
    const challenged = await expectStatus(
      200,
      owner.platform.post(`/auth/credentials/${credential.id}/challenge`, { clientPublicKey: publicKey }),
    );
    assert.equal(challenged.credentialId, authenticator.credentialId);
    assert.match(challenged.challenge, /^[0-9a-f]{64}$/);
    const [stored] = await service.db.many<{ payload: string }>({
      text: 'select payload from signed_requests where id = $1',
      values: [challenged.requestId.slice('Request:'.length)],
    });
    assert.equal(
      createHash('sha256')
        .update(stored?.payload ?? '')
        .digest('hex'),
      challenged.challenge,
    );
    assert.equal(JSON.parse(stored?.payload ?? '').parameters.targetPublicKey, publicKey);
  });

  test('400 INVALID_INPUT: clientPublicKey is missing, malformed, or off the curve', async () => {
    const owner = await wallet(service.platform);
    const credential = await addCredential(owner, passkeyBody(softwareAuthenticator()));
    const post = (body?: unknown) =>
      changesNothing(service.db, () => owner.platform.post(`/auth/credentials/${credential.id}/challenge`, body));
    assertInvalid(await post(), 'clientPublicKey');
    assertInvalid(await post({ clientPublicKey: '02' }), 'clientPublicKey');
    assertInvalid(await post({ clientPublicKey: `02${'0'.repeat(63)}1` }), 'clientPublicKey');
  });
});

test('400 INVALID_INPUT: an OAUTH credential has no challenge', async () => {
  const owner = await wallet(service.platform);
  const credential = await addCredential(owner, { type: 'OAUTH', oidcToken: await oidcToken(owner.platform, { subject: 'ada' }) });
  assertRefused(await owner.platform.post(`/auth/credentials/${credential.id}/challenge`), 400, 'INVALID_INPUT');
});

test('404 AUTH_METHOD_NOT_FOUND: unknown, malformed, and of another platform answer alike', async () => {
  const { credential } = await unprovisionedWallet(service.platform);
  const other = await service.newPlatform();
  const answers = [
    await changesNothing(service.db, () => other.post(`/auth/credentials/${credential.id}/challenge`)),
    await other.post('/auth/credentials/AuthMethod:none/challenge'),
  ];
  for (const answer of answers) assertRefused(answer, 404, 'AUTH_METHOD_NOT_FOUND');
  assert.equal(answers[0]?.text, answers[1]?.text);
});

describe('429 RATE_LIMITED', () => {
  test('five codes at once, then one a minute; Retry-After says when', async () => {
    const platform = await service.newPlatform();
    const { credential } = await unprovisionedWallet(platform);
    const send = () => platform.post(`/auth/credentials/${credential.id}/challenge`);
    await platform.clock.freeze();
    for (let i = 0; i < 5; i += 1) await expectStatus(200, send());
    const refused = await changesNothing(service.db, send);
    assertRefused(refused, 429, 'RATE_LIMITED');
    assert.equal(refused.headers.get('retry-after'), '60');

    await platform.clock.advance(59_999);
    assert.equal((await send()).headers.get('retry-after'), '1');
    await platform.clock.advance(1);
    await expectStatus(200, send());
    assertRefused(await send(), 429, 'RATE_LIMITED');
  });

  test('codes that were sent before the sandbox clock was set back do not block', async () => {
    const platform = await service.newPlatform();
    const { credential } = await unprovisionedWallet(platform);
    const send = () => platform.post(`/auth/credentials/${credential.id}/challenge`);
    await platform.clock.freeze('2027-03-01T12:00:00Z');
    await expectStatus(200, send());
    await platform.clock.freeze('2026-03-01T12:00:00Z');
    await expectStatus(200, send());
  });
});
