import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { signed, signInWithOtp, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

describe('200: active sessions only', () => {
  test('shown until they expire, and not at expiresAt', async () => {
    const platform = await service.newPlatform();
    const owner = await wallet(platform);
    const list = async () => (await expectStatus(200, platform.get(`/auth/sessions?accountId=${owner.account.id}`))).data;
    assert.deepEqual(await list(), [owner.session]);
    const expiry = new Date(owner.session.expiresAt);
    await platform.clock.freeze(new Date(expiry.getTime() - 1));
    assert.equal((await list()).length, 1);
    await platform.clock.advance(1);
    assert.deepEqual(await list(), []);
  });

  test('not once revoked; the others stay', async () => {
    const owner = await wallet(service.platform);
    const { answer, keys } = await signInWithOtp(owner.platform, owner.credential);
    assert.equal((await signed({ platform: owner.platform, keys }, 'DELETE', `/auth/sessions/${owner.session.id}`)).status, 204);
    const { data } = await expectStatus(200, owner.platform.get(`/auth/sessions?accountId=${owner.account.id}`));
    assert.deepEqual(data, [answer.body]);
  });

  test('none for an account of another platform', async () => {
    const { account } = await wallet(service.platform);
    const other = await service.newPlatform();
    assert.deepEqual(await expectStatus(200, other.get(`/auth/sessions?accountId=${account.id}`)), { data: [] });
  });
});

test('400 INVALID_INPUT: accountId is missing or bad', async () => {
  assertInvalid(await service.platform.get('/auth/sessions'), 'accountId');
  assertInvalid(await service.platform.get('/auth/sessions?accountId=1'), 'accountId');
});
