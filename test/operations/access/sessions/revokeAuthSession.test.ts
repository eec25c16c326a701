import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { retry, signed, signInWithOtp, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

describe('202, then 204', () => {
  test('a session may end itself, and can no longer sign', async () => {
    const owner = await wallet(service.platform);
    const { answer: other } = await signInWithOtp(owner.platform, owner.credential);
    const pending = await expectStatus(202, owner.platform.delete(`/auth/sessions/${other.body.id}`));
    assert.equal(pending.type, 'EMAIL_OTP');
    assert.equal((await signed(owner, 'DELETE', `/auth/sessions/${owner.session.id}`)).status, 204);
    const late = await changesNothing(service.db, () =>
      retry(owner.platform, 'DELETE', `/auth/sessions/${other.body.id}`, undefined, pending, owner.keys),
    );
    assertRefused(late, 401, 'WALLET_SIGNATURE_INVALID');
  });

  test('or another of the same account', async () => {
    const owner = await wallet(service.platform);
    const { answer } = await signInWithOtp(owner.platform, owner.credential);
    assert.equal((await signed(owner, 'DELETE', `/auth/sessions/${answer.body.id}`)).status, 204);
  });
});

test('404 SESSION_NOT_FOUND: unknown, of another platform, already revoked, expired', async () => {
  const platform = await service.newPlatform();
  const owner = await wallet(platform);
  const { answer, keys } = await signInWithOtp(platform, owner.credential);
  assertRefused(await platform.delete('/auth/sessions/Session:none'), 404, 'SESSION_NOT_FOUND');
  assertRefused(await service.platform.delete(`/auth/sessions/${owner.session.id}`), 404, 'SESSION_NOT_FOUND');
  assert.equal((await signed({ platform, keys }, 'DELETE', `/auth/sessions/${owner.session.id}`)).status, 204);
  assertRefused(await platform.delete(`/auth/sessions/${owner.session.id}`), 404, 'SESSION_NOT_FOUND');
  await platform.clock.freeze(answer.body.expiresAt);
  assertRefused(await platform.delete(`/auth/sessions/${answer.body.id}`), 404, 'SESSION_NOT_FOUND');
});
