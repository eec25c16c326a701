import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { softwareAuthenticator } from '../../../support/authenticator.js';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import {
  addCredential,
  passkeyBody,
  retry,
  secondSession,
  signed,
  signInWithOtp,
  signInWithPasskey,
  unprovisionedWallet,
  wallet,
} from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

describe('202, then 204', () => {
  test('signed by a session of another credential; the sessions of the revoked credential end', async () => {
    const owner = await wallet(service.platform);
    const second = await secondSession(owner);
    const { platform } = owner;
    const answer = await signed({ platform, keys: second.keys }, 'DELETE', `/auth/credentials/${owner.credential.id}`);
    assert.equal(answer.status, 204, answer.text);
    const credentials = await expectStatus(200, platform.get(`/auth/credentials?accountId=${owner.account.id}`));
    assert.deepEqual(credentials.data, [second.credential]);
    const sessions = await expectStatus(200, platform.get(`/auth/sessions?accountId=${owner.account.id}`));
    assert.deepEqual(sessions.data, [second.session]);
    assertRefused(await platform.post(`/auth/credentials/${owner.credential.id}/challenge`), 404, 'AUTH_METHOD_NOT_FOUND');
    assertRefused(await signed(owner, 'DELETE', `/auth/sessions/${second.session.id}`), 401, 'WALLET_SIGNATURE_INVALID');
  });

  test('signed by a key with sessions of both credentials: the session of the other credential stays', async () => {
    const owner = await wallet(service.platform);
    const authenticator = softwareAuthenticator();
    const passkey = await addCredential(owner, passkeyBody(authenticator));
    const { answer: signedIn } = await signInWithPasskey(owner.platform, passkey, authenticator, owner.keys);
    assert.equal(signedIn.status, 200, signedIn.text);
    const answer = await signed(owner, 'DELETE', `/auth/credentials/${owner.credential.id}`);
    assert.equal(answer.status, 204, answer.text);
    const { data } = await expectStatus(200, owner.platform.get(`/auth/sessions?accountId=${owner.account.id}`));
    assert.deepEqual(data, [signedIn.body]);
  });

  test('a session that had expired stays ended when the sandbox clock is set back', async () => {
    const owner = await wallet(await service.newPlatform());
    const { platform } = owner;
    const authenticator = softwareAuthenticator();
    const passkey = await addCredential(owner, passkeyBody(authenticator));
    const { now: start } = await expectStatus(200, platform.get('/sandbox/clock'));
    const minutesLater = (minutes: number) => new Date(Date.parse(start) + minutes * 60_000).toISOString();
    await expectStatus(200, platform.put('/sandbox/clock', { now: minutesLater(20) }));
    const { answer: signedIn, keys } = await signInWithPasskey(platform, passkey, authenticator);
    assert.equal(signedIn.status, 200, signedIn.text);
    const answer = await signed({ platform, keys }, 'DELETE', `/auth/credentials/${owner.credential.id}`);
    assert.equal(answer.status, 204, answer.text);

    await expectStatus(200, platform.put('/sandbox/clock', { now: minutesLater(5) }));
    const { data } = await expectStatus(200, platform.get(`/auth/sessions?accountId=${owner.account.id}`));
    assert.deepEqual(data, [signedIn.body]);
    assertRefused(await signed(owner, 'DELETE', `/auth/sessions/${signedIn.body.id}`), 401, 'WALLET_SIGNATURE_INVALID');
  });
});

describe('the current one-time password is revoked while a replacement of it is open', () => {
  test('the replacement takes its place: it opens a session, and the customer’s contact changes to it', async () => {
    for (const [type, field, contacts] of [
      ['EMAIL_OTP', 'email', [`${randomUUID()}@example.com`]],
      ['SMS_OTP', 'phoneNumber', ['+15550107001', '+15550107002']],
    ] as const) {
      const owner = await wallet(service.platform, type === 'SMS_OTP' ? { phoneNumber: contacts[1] } : {});
      const { platform } = owner;
      const current = type === 'SMS_OTP' ? await addCredential(owner, { type }) : owner.credential;
      const { keys } = await secondSession(owner);
      const next = await addCredential(owner, { type, [field]: contacts[0] });
      const answer = await signed({ platform, keys }, 'DELETE', `/auth/credentials/${current.id}`);
      assert.equal(answer.status, 204, answer.text);
      assert.equal((await signInWithOtp(platform, next)).answer.status, 200);
      const patch = { customerType: 'INDIVIDUAL', [field]: contacts[0] };
      const changed = await expectStatus(200, platform.patch(`/customers/${owner.customer.id}`, patch));
      assert.equal(changed[field], contacts[0]);
      const { data } = await expectStatus(200, platform.get(`/auth/credentials?accountId=${owner.account.id}`));
      assert.deepEqual(
        data.filter((each: { type: string }) => each.type === type).map((each: { id: string }) => each.id),
        [next.id],
      );
    }
  });
});

test('401 WALLET_SIGNATURE_INVALID: signed by a session of the same credential', async () => {
  const owner = await wallet(service.platform);
  await secondSession(owner);
  const path = `/auth/credentials/${owner.credential.id}`;
  const challenge = await expectStatus(202, owner.platform.delete(path));
  assert.equal(challenge.type, 'EMAIL_OTP');
  const answer = await changesNothing(service.db, () => retry(owner.platform, 'DELETE', path, undefined, challenge, owner.keys));
  assertRefused(answer, 401, 'WALLET_SIGNATURE_INVALID');
});

describe('400 INVALID_INPUT: another credential must remain', () => {
  test('the only one', async () => {
    const owner = await wallet(service.platform);
    assertRefused(
      await changesNothing(service.db, () => owner.platform.delete(`/auth/credentials/${owner.credential.id}`)),
      400,
      'INVALID_INPUT',
    );
  });

  test('a replacement that is not in use does not count', async () => {
    const owner = await wallet(service.platform);
    await addCredential(owner, { type: 'EMAIL_OTP', email: `new-${owner.customer.email}` });
    assertRefused(await owner.platform.delete(`/auth/credentials/${owner.credential.id}`), 400, 'INVALID_INPUT');
  });

  race('two credentials that revoke each other concurrently: one stays', async () => {
    const owner = await wallet(service.platform);
    const second = await secondSession(owner);
    const { platform } = owner;
    const paths = [owner.credential, second.credential].map(({ id }) => `/auth/credentials/${id}`) as [string, string];
    const challenges = [await expectStatus(202, platform.delete(paths[0])), await expectStatus(202, platform.delete(paths[1]))];
    const answers = await Promise.all([
      retry(platform, 'DELETE', paths[0], undefined, challenges[0], second.keys),
      retry(platform, 'DELETE', paths[1], undefined, challenges[1], owner.keys),
    ]);
    assert.deepEqual(answers.filter(({ status }) => status === 204).length, 1);
    const { data } = await expectStatus(200, platform.get(`/auth/credentials?accountId=${owner.account.id}`));
    assert.equal(data.length, 1);
  });
});

test('409 WALLET_NOT_PROVISIONED: nobody could sign', async () => {
  const { platform, credential } = await unprovisionedWallet(service.platform);
  assertRefused(await platform.delete(`/auth/credentials/${credential.id}`), 409, 'WALLET_NOT_PROVISIONED');
});

test('404 AUTH_METHOD_NOT_FOUND: unknown, and of another platform', async () => {
  const { credential } = await unprovisionedWallet(service.platform);
  const other = await service.newPlatform();
  assertRefused(await other.delete(`/auth/credentials/${credential.id}`), 404, 'AUTH_METHOD_NOT_FOUND');
  assertRefused(await other.delete('/auth/credentials/none'), 404, 'AUTH_METHOD_NOT_FOUND');
});
