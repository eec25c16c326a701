import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { decryptCredentialBundle, getPublicKey } from '@turnkey/crypto';
import { sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { softwareAuthenticator } from '../../../support/authenticator.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import {
  addCredential,
  encryptOtp,
  newKeys,
  nonceOf,
  oidcToken,
  otpBody,
  passkeyAssertion,
  passkeyBody,
  retry,
  signatureHeaders,
  signed,
  signInWithOtp,
  signInWithPasskey,
  stamp,
  unprovisionedWallet,
  wallet,
} from '../../../support/wallet.js';

const KEY_ENCRYPTION_KEY = randomBytes(32).toString('base64');
let service: TestService;
before(async () => {
  service = await startOwnService({ KEY_ENCRYPTION_KEY });
});
after(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: resources are read freely.
const verifyPath = (credential: any) => `/auth/credentials/${credential.id}/verify`;

describe('EMAIL_OTP and SMS_OTP: 202, then 200', () => {
  test('the login names the fresh key; the signed retry opens a session of 15 minutes with it and provisions the wallet', async () => {
    const { platform, account, credential } = await unprovisionedWallet(service.platform);
    const keys = newKeys();
    const body = await otpBody(platform, credential, keys);
    const challenge = await expectStatus(202, platform.post(verifyPath(credential), body));
    assert.equal(challenge.type, 'EMAIL_OTP');
    const login = JSON.parse(challenge.payloadToSign);
    assert.deepEqual([login.type, login.login], ['USAGE_TYPE_LOGIN', { publicKey: keys.publicKey }]);
    const wallets = () => service.db.many(sql`select 1 from wallets where account_id = ${uuidOf(account.id)}`);
    assert.equal((await wallets()).length, 0);

    const session = await expectStatus(200, retry(platform, 'POST', verifyPath(credential), body, challenge, keys));
    assert.match(session.id, /^Session:/);
    assert.deepEqual([session.accountId, session.type, session.nickname], [account.id, 'EMAIL_OTP', credential.nickname]);
    assert.equal(session.encryptedSessionSigningKey, undefined);
    assert.equal(new Date(session.expiresAt).getTime() - new Date(session.createdAt).getTime(), 15 * 60_000);
    assert.equal((await wallets()).length, 1);
  });

  test('a second sign-in keeps the wallet and opens a further session', async () => {
    const owner = await wallet(service.platform);
    const recoveryPhrase = () =>
      service.db.many(sql`select recovery_phrase_sealed from wallets where account_id = ${uuidOf(owner.account.id)}`);
    const before = await recoveryPhrase();
    assert.equal((await signInWithOtp(owner.platform, owner.credential)).answer.status, 200);
    assert.deepEqual(await recoveryPhrase(), before);
    const { data } = await expectStatus(200, owner.platform.get(`/auth/sessions?accountId=${owner.account.id}`));
    assert.equal(data.length, 2);
  });
});

describe('401 UNAUTHORIZED: the code', () => {
  /** One code, and attempts at it. */
  async function attempts() {
    const { platform, credential } = await unprovisionedWallet(service.platform);
    const keys = newKeys();
    const { otpEncryptionTargetBundle: bundle } = await expectStatus(200, platform.post(`/auth/credentials/${credential.id}/challenge`));
    return async (code: string) =>
      platform.post(verifyPath(credential), { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(bundle, keys, code) });
  }

  test('a wrong code is refused and counted; after five tries the code is invalid', async () => {
    const attempt = await attempts();
    for (const code of ['000001', '00000', '0000000', 'OOOOOO', '999999']) {
      const answer = await attempt(code);
      assertRefused(answer, 401, 'UNAUTHORIZED');
      assert.equal(answer.body.reason, 'Invalid OTP code');
      assert.deepEqual(answer.body.details, { cause: 'INVALID_ONE_TIME_CODE' }, "not the platform's credentials");
    }
    const late = await changesNothing(service.db, () => attempt('000000'));
    assertRefused(late, 401, 'UNAUTHORIZED');
    assert.equal(late.body.reason, 'The OTP code has expired.');
    assert.deepEqual(late.body.details, { cause: 'INVALID_ONE_TIME_CODE' });
  });

  test('the right code after four wrong ones', async () => {
    const attempt = await attempts();
    for (const code of ['1', '2', '3', '4']) assertRefused(await attempt(code), 401, 'UNAUTHORIZED');
    assert.equal((await attempt('000000')).status, 202);
  });

  test('a code can be used once', async () => {
    const { platform, credential } = await unprovisionedWallet(service.platform);
    const body = await otpBody(platform, credential, newKeys());
    await expectStatus(202, platform.post(verifyPath(credential), body));
    assertRefused(await changesNothing(service.db, () => platform.post(verifyPath(credential), body)), 401, 'UNAUTHORIZED');
  });

  test('accepted before its expiry, refused at its expiry and without a code', async () => {
    const platform = await service.newPlatform();
    const { credential } = await unprovisionedWallet(platform);
    await platform.clock.freeze();
    const keys = newKeys();
    const late = await otpBody(platform, credential, keys);
    await platform.clock.advance(300_000);
    assertRefused(await platform.post(verifyPath(credential), late), 401, 'UNAUTHORIZED');
    const inTime = await otpBody(platform, credential, keys);
    await platform.clock.advance(299_999);
    assert.equal((await platform.post(verifyPath(credential), inTime)).status, 202);
    assertRefused(await platform.post(verifyPath(credential), inTime), 401, 'UNAUTHORIZED');
  });
});

describe('400 INVALID_INPUT: the bundle', () => {
  test('not a bundle, for another target, or with an uncompressed key: no attempt is counted', async () => {
    const { platform, credential } = await unprovisionedWallet(service.platform);
    const keys = newKeys();
    const other = await unprovisionedWallet(service.platform);
    const foreign = await otpBody(platform, other.credential, keys);
    const { otpEncryptionTargetBundle } = await expectStatus(200, platform.post(`/auth/credentials/${credential.id}/challenge`));
    const uncompressed = await encryptOtp(otpEncryptionTargetBundle, { ...keys, publicKey: keys.publicKeyUncompressed });
    for (const encryptedOtpBundle of ['{}', 'bundle', foreign.encryptedOtpBundle, uncompressed]) {
      const body = { type: 'EMAIL_OTP', encryptedOtpBundle };
      assertInvalid(await changesNothing(service.db, () => platform.post(verifyPath(credential), body)), 'encryptedOtpBundle');
    }
  });

  test('the type of another credential', async () => {
    const { platform, credential } = await unprovisionedWallet(service.platform);
    assertInvalid(await platform.post(verifyPath(credential), { type: 'SMS_OTP', encryptedOtpBundle: '{}' }), 'type');
    assertInvalid(
      await platform.post(verifyPath(credential), { type: 'OAUTH', oidcToken: 'x', clientPublicKey: newKeys().publicKey }),
      'type',
    );
  });
});

describe('429 RATE_LIMITED', () => {
  test('ten wrong codes, whatever the code sent, then one every ten minutes', async () => {
    const platform = await service.newPlatform();
    const { credential } = await unprovisionedWallet(platform);
    await platform.clock.freeze();
    const wrong = async () => platform.post(verifyPath(credential), await otpBody(platform, credential, newKeys(), '123456'));
    for (let i = 0; i < 5; i += 1) assertRefused(await wrong(), 401, 'UNAUTHORIZED');
    await platform.clock.advance(5 * 60_000);
    // Five minutes restore half of one attempt.
    for (let i = 0; i < 5; i += 1) assertRefused(await wrong(), 401, 'UNAUTHORIZED');
    await platform.clock.advance(60_000);
    const body = await otpBody(platform, credential, newKeys());
    const refused = await changesNothing(service.db, () => platform.post(verifyPath(credential), body));
    assertRefused(refused, 429, 'RATE_LIMITED');
    assert.equal(refused.headers.get('retry-after'), '240');
    await platform.clock.advance(240_000);
    assert.equal((await platform.post(verifyPath(credential), body)).status, 202);
  });
});

describe('OAUTH: 200 in one call', () => {
  async function oauthWallet() {
    const owner = await wallet(service.platform);
    const credential = await addCredential(owner, { type: 'OAUTH', oidcToken: await oidcToken(owner.platform, { subject: 'ada' }) });
    const keys = newKeys();
    const claims = { subject: 'ada', nonce: nonceOf(keys.publicKey) };
    const body = (oidc: string) => ({ type: 'OAUTH', oidcToken: oidc, clientPublicKey: keys.publicKey });
    return { owner, credential, keys, claims, body };
  }

  test('a fresh token with the nonce of the client key opens a session with that key', async () => {
    const { owner, credential, keys, claims, body } = await oauthWallet();
    const session = await expectStatus(200, owner.platform.post(verifyPath(credential), body(await oidcToken(owner.platform, claims))));
    assert.equal(session.type, 'OAUTH');
    assert.equal((await signed({ platform: owner.platform, keys }, 'DELETE', `/auth/sessions/${session.id}`)).status, 204);
  });

  test('401 UNAUTHORIZED: another subject, audience or nonce, none, or a changed token', async () => {
    const { owner, credential, claims, body } = await oauthWallet();
    const good = await oidcToken(owner.platform, claims);
    const tokens = [
      await oidcToken(owner.platform, { ...claims, subject: 'bob' }),
      await oidcToken(owner.platform, { ...claims, audience: 'other-app' }),
      await oidcToken(owner.platform, { ...claims, nonce: nonceOf(newKeys().publicKey) }),
      await oidcToken(owner.platform, { subject: 'ada' }),
      `${good.slice(0, -4)}AAAA`,
    ];
    for (const token of tokens) {
      assertRefused(await changesNothing(service.db, () => owner.platform.post(verifyPath(credential), body(token))), 401, 'UNAUTHORIZED');
    }
  });

  describe('a token of Google or Apple with a dummy signature, which the sandbox does not check', () => {
    for (const issuer of ['https://accounts.google.com', 'accounts.google.com', 'https://appleid.apple.com'])
      test(issuer, async () => {
        const owner = await wallet(service.platform);
        const keys = newKeys();
        const iat = Math.floor(Date.now() / 1000);
        const encode = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
        const token = (changes: Record<string, unknown> = {}) =>
          `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iss: issuer, aud: 'app', sub: 'ada', iat, exp: iat + 300, ...changes })}.dummy`;
        const credential = await addCredential(owner, { type: 'OAUTH', oidcToken: token() });
        const nonce = nonceOf(keys.publicKey);
        const send = (changes: Record<string, unknown>) =>
          owner.platform.post(verifyPath(credential), { type: 'OAUTH', oidcToken: token(changes), clientPublicKey: keys.publicKey });
        for (const wrong of [
          { nonce: 'x' },
          { nonce, sub: 'bob' },
          { nonce, iat: iat - 120 },
          { nonce, exp: iat - 1 },
          { nonce, iss: 'https://evil.example' },
        ])
          assertRefused(await changesNothing(service.db, () => send(wrong)), 401, 'UNAUTHORIZED');
        const session = await expectStatus(200, send({ nonce }));
        assert.equal((await signed({ platform: owner.platform, keys }, 'DELETE', `/auth/sessions/${session.id}`)).status, 204);
      });
  });

  test('iat exactly 60 s old is accepted, one second more is not', async () => {
    const platform = await service.newPlatform();
    const owner = await wallet(platform);
    const credential = await addCredential(owner, { type: 'OAUTH', oidcToken: await oidcToken(platform, { subject: 'ada' }) });
    const { publicKey } = newKeys();
    await platform.clock.freeze('2030-01-01T00:00:00Z');
    const body = {
      type: 'OAUTH',
      clientPublicKey: publicKey,
      oidcToken: await oidcToken(platform, { subject: 'ada', nonce: nonceOf(publicKey) }),
    };
    await platform.clock.advance(60_000);
    assert.equal((await platform.post(verifyPath(credential), body)).status, 200);
    await platform.clock.advance(1_000);
    assertRefused(await platform.post(verifyPath(credential), body), 401, 'UNAUTHORIZED');
  });
});

describe('PASSKEY: 200 in one call', () => {
  async function passkeyWallet() {
    const owner = await wallet(service.platform);
    const authenticator = softwareAuthenticator();
    return { owner, authenticator, credential: await addCredential(owner, passkeyBody(authenticator)) };
  }

  test('the assertion and its Request-Id open a session with the client key that was challenged', async () => {
    const { owner, authenticator, credential } = await passkeyWallet();
    const { answer, keys } = await signInWithPasskey(owner.platform, credential, authenticator);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.type, 'PASSKEY');
    assert.equal((await signed({ platform: owner.platform, keys }, 'DELETE', `/auth/sessions/${answer.body.id}`)).status, 204);
  });

  test('an uncompressed client key gets a session key made for it, sealed to it', async () => {
    const { owner, authenticator, credential } = await passkeyWallet();
    const client = newKeys();
    const { body, headers } = await passkeyAssertion(owner.platform, credential, authenticator, client.publicKeyUncompressed);
    const session = await expectStatus(200, owner.platform.post(verifyPath(credential), body, { headers }));
    const privateKey = decryptCredentialBundle(session.encryptedSessionSigningKey, client.privateKey);
    const keys = { privateKey, publicKey: Buffer.from(getPublicKey(privateKey)).toString('hex'), publicKeyUncompressed: '' };
    assert.notEqual(keys.publicKey, client.publicKey);
    assert.equal((await signed({ platform: owner.platform, keys }, 'DELETE', `/auth/sessions/${session.id}`)).status, 204);
  });

  test('401 REQUEST_ID_MISSING', async () => {
    const { owner, authenticator, credential } = await passkeyWallet();
    const { body } = await passkeyAssertion(owner.platform, credential, authenticator, newKeys().publicKey);
    assertRefused(await changesNothing(service.db, () => owner.platform.post(verifyPath(credential), body)), 401, 'REQUEST_ID_MISSING');
  });

  test('401 WALLET_SIGNATURE_INVALID: used, for another challenge, by another passkey, of another credential', async () => {
    const { owner, authenticator, credential } = await passkeyWallet();
    const { platform } = owner;
    const post = (to: unknown, body: unknown, headers: Record<string, string>) =>
      changesNothing(service.db, () => platform.post(verifyPath(to), body, { headers }));
    const first = await passkeyAssertion(platform, credential, authenticator, newKeys().publicKey);
    const second = await passkeyAssertion(platform, credential, authenticator, newKeys().publicKey);
    assertRefused(await post(credential, first.body, second.headers), 401, 'WALLET_SIGNATURE_INVALID');
    const foreign = { ...first.body, assertion: softwareAuthenticator().get(Buffer.from('x')) };
    assertRefused(await post(credential, foreign, first.headers), 401, 'WALLET_SIGNATURE_INVALID');
    const otherAuthenticator = softwareAuthenticator();
    const other = await addCredential(owner, passkeyBody(otherAuthenticator));
    assertRefused(await post(other, first.body, first.headers), 401, 'WALLET_SIGNATURE_INVALID');

    await expectStatus(200, platform.post(verifyPath(credential), second.body, { headers: second.headers }));
    assertRefused(await post(credential, second.body, second.headers), 401, 'WALLET_SIGNATURE_INVALID');
    // The counter has increased, so an older assertion is a copy.
    assertRefused(await post(credential, first.body, first.headers), 401, 'WALLET_SIGNATURE_INVALID');
  });

  /** An assertion of the passkey with the fixed signature of older sandbox clients. */
  const fixedSignature = ({ assertion }: { assertion: { credentialId: string } }) => ({
    type: 'PASSKEY',
    assertion: { ...assertion, clientDataJson: 'e30', authenticatorData: 'AA', signature: 'sandbox-valid-passkey-signature' },
  });

  test('sandbox: the fixed signature of older clients is accepted for the passkey of the challenge, once', async () => {
    const { owner, authenticator, credential } = await passkeyWallet();
    const { platform } = owner;
    const { body, headers } = await passkeyAssertion(platform, credential, authenticator, newKeys().publicKey);
    const foreign = fixedSignature({ assertion: { ...body.assertion, credentialId: 'AAAA' } });
    const post = (sent: unknown) => platform.post(verifyPath(credential), sent, { headers });
    assertRefused(await changesNothing(service.db, () => post(foreign)), 401, 'WALLET_SIGNATURE_INVALID');
    await expectStatus(200, post(fixedSignature(body)));
    assertRefused(await changesNothing(service.db, () => post(fixedSignature(body))), 401, 'WALLET_SIGNATURE_INVALID');
  });

  test('live: the fixed signature is refused', async () => {
    const platform = await service.newPlatform();
    const owner = await wallet(platform);
    const authenticator = softwareAuthenticator();
    const credential = await addCredential(owner, passkeyBody(authenticator));
    const { body, headers } = await passkeyAssertion(platform, credential, authenticator, newKeys().publicKey);
    const { id } = await expectStatus(200, platform.get('/config'));
    await service.db.run(sql`update platforms set mode = 'live' where id = ${uuidOf(id)}`);
    const live = await startOwnService({ KEY_ENCRYPTION_KEY, DATABASE_URL: service.databaseUrl, MODE: 'live' });
    try {
      const caller = live.as(platform.tokenId, platform.secret);
      const post = () => caller.post(verifyPath(credential), fixedSignature(body), { headers });
      assertRefused(await changesNothing(service.db, post), 401, 'WALLET_SIGNATURE_INVALID');
    } finally {
      await live.stop();
    }
  });

  test('401 WALLET_SIGNATURE_INVALID: at expiresAt; accepted a millisecond before', async () => {
    const platform = await service.newPlatform();
    const owner = await wallet(platform);
    const authenticator = softwareAuthenticator();
    const credential = await addCredential(owner, passkeyBody(authenticator));
    await platform.clock.freeze();
    const late = await passkeyAssertion(platform, credential, authenticator, newKeys().publicKey);
    const { body, headers } = await passkeyAssertion(platform, credential, authenticator, newKeys().publicKey);
    await platform.clock.advance(299_999);
    await expectStatus(200, platform.post(verifyPath(credential), body, { headers }));
    await platform.clock.advance(1);
    assertRefused(await platform.post(verifyPath(credential), late.body, { headers: late.headers }), 401, 'WALLET_SIGNATURE_INVALID');
  });
});

describe('204: a replacement', () => {
  test('is verified without opening a session', async () => {
    const owner = await wallet(service.platform);
    const credential = await addCredential(owner, { type: 'EMAIL_OTP', email: `new-${owner.customer.email}` });
    const keys = newKeys();
    const body = { type: 'EMAIL_OTP', encryptedOtpBundle: await encryptOtp(credential.otpEncryptionTargetBundle, keys) };
    assert.equal((await signed({ platform: owner.platform, keys }, 'POST', verifyPath(credential), body)).status, 204);
    const { data } = await expectStatus(200, owner.platform.get(`/auth/sessions?accountId=${owner.account.id}`));
    assert.equal(data.length, 1);
  });
});

describe('401: the signed retry of a one-time password', () => {
  test('only the key that came with the code may sign', async () => {
    const owner = await wallet(service.platform);
    const keys = newKeys();
    const body = await otpBody(owner.platform, owner.credential, keys);
    const challenge = await expectStatus(202, owner.platform.post(verifyPath(owner.credential), body));
    const send = (headers: Record<string, string>) =>
      changesNothing(service.db, () => owner.platform.post(verifyPath(owner.credential), body, { headers }));
    for (const other of [owner.keys, newKeys()]) {
      const headers = signatureHeaders(await stamp(other, challenge.payloadToSign), challenge.requestId);
      assertRefused(await send(headers), 401, 'WALLET_SIGNATURE_INVALID');
    }
    assertRefused(
      await send(signatureHeaders(await stamp(keys, `${challenge.payloadToSign} `), challenge.requestId)),
      401,
      'WALLET_SIGNATURE_INVALID',
    );
    assertRefused(await send({ 'Request-Id': challenge.requestId }), 401, 'WALLET_SIGNATURE_MISSING');
    assert.equal((await retry(owner.platform, 'POST', verifyPath(owner.credential), body, challenge, keys)).status, 200);
  });
});

test('404 AUTH_METHOD_NOT_FOUND: unknown, and of another platform', async () => {
  const { credential } = await unprovisionedWallet(service.platform);
  const other = await service.newPlatform();
  const body = { type: 'EMAIL_OTP', encryptedOtpBundle: '{}' };
  assertRefused(await other.post(verifyPath(credential), body), 404, 'AUTH_METHOD_NOT_FOUND');
  assertRefused(await other.post('/auth/credentials/x/verify', body), 404, 'AUTH_METHOD_NOT_FOUND');
});
