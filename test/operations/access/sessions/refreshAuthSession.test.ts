import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decryptCredentialBundle } from '@turnkey/crypto';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { newKeys, retry, signed, signInWithOtp, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

describe('202, then 201', () => {
  test('a new session with the new key, 15 minutes from now; the current one stays active', async () => {
    const owner = await wallet(service.platform);
    const keys = newKeys();
    const answer = await signed(owner, 'POST', `/auth/sessions/${owner.session.id}/refresh`, { clientPublicKey: keys.publicKey });
    assert.equal(answer.status, 201, answer.text);
    assert.notEqual(answer.body.id, owner.session.id);
    assert.equal(new Date(answer.body.expiresAt).getTime() - new Date(answer.body.createdAt).getTime(), 15 * 60_000);
    const { data } = await expectStatus(200, owner.platform.get(`/auth/sessions?accountId=${owner.account.id}`));
    assert.deepEqual(
      data.map((each: { id: string }) => each.id),
      [owner.session.id, answer.body.id],
    );
    const renewed = await signed({ platform: owner.platform, keys }, 'DELETE', `/auth/sessions/${answer.body.id}`);
    assert.equal(renewed.status, 204);
  });

  test('an uncompressed key gets a sealed session key', async () => {
    const owner = await wallet(service.platform);
    const client = newKeys();
    const answer = await signed(owner, 'POST', `/auth/sessions/${owner.session.id}/refresh`, {
      clientPublicKey: client.publicKeyUncompressed,
    });
    assert.equal(decryptCredentialBundle(answer.body.encryptedSessionSigningKey, client.privateKey).length, 64);
  });
});

test('401 WALLET_SIGNATURE_INVALID: another session of the account may not refresh this one', async () => {
  const owner = await wallet(service.platform);
  const { keys: other } = await signInWithOtp(owner.platform, owner.credential);
  const path = `/auth/sessions/${owner.session.id}/refresh`;
  const body = { clientPublicKey: newKeys().publicKey };
  const challenge = await expectStatus(202, owner.platform.post(path, body));
  assertRefused(
    await changesNothing(service.db, () => retry(owner.platform, 'POST', path, body, challenge, other)),
    401,
    'WALLET_SIGNATURE_INVALID',
  );
});

test('400 INVALID_INPUT: clientPublicKey', async () => {
  const owner = await wallet(service.platform);
  for (const body of [{}, { clientPublicKey: 'x' }, { clientPublicKey: `02${'0'.repeat(63)}1` }]) {
    assertInvalid(await owner.platform.post(`/auth/sessions/${owner.session.id}/refresh`, body), 'clientPublicKey');
  }
});

test('404 SESSION_NOT_FOUND: unknown, of another platform, revoked, expired', async () => {
  const platform = await service.newPlatform();
  const owner = await wallet(platform);
  const body = { clientPublicKey: newKeys().publicKey };
  const path = `/auth/sessions/${owner.session.id}/refresh`;
  assertRefused(await platform.post('/auth/sessions/Session:x/refresh', body), 404, 'SESSION_NOT_FOUND');
  assertRefused(await service.platform.post(path, body), 404, 'SESSION_NOT_FOUND');
  await platform.clock.freeze(owner.session.expiresAt);
  assertRefused(await platform.post(path, body), 404, 'SESSION_NOT_FOUND');
});
