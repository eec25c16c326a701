import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { given } from '../../../support/given.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { unprovisionedWallet, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

describe('200', () => {
  test('an account starts with one EMAIL_OTP credential on the customer email', async () => {
    const { platform } = service;
    const { customer, account, credential } = await unprovisionedWallet(platform);
    assert.equal(credential.type, 'EMAIL_OTP');
    assert.equal(credential.nickname, customer.email);
    assert.equal(credential.accountId, account.id);
    assert.match(credential.id, /^AuthMethod:[0-9a-f-]{36}$/);
    const { data } = await expectStatus(200, platform.get(`/auth/credentials?accountId=${account.id}`));
    assert.deepEqual(data, [credential]);
  });

  test('a customer without email has none until the platform adds one', async () => {
    const { platform } = service;
    const customer = await given(platform).customer({ email: undefined });
    const account = await given(platform).account(customer, 'USDB');
    assert.deepEqual(await expectStatus(200, platform.get(`/auth/credentials?accountId=${account.id}`)), { data: [] });
  });

  test('an account of another platform and an unknown one are empty alike', async () => {
    const { account } = await wallet(service.platform);
    const other = await service.newPlatform();
    const unknown = `InternalAccount:${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}`;
    const foreign = await other.get(`/auth/credentials?accountId=${account.id}`);
    assert.deepEqual([foreign.status, foreign.body], [200, { data: [] }]);
    assert.equal(foreign.text, (await other.get(`/auth/credentials?accountId=${unknown}`)).text);
  });
});

describe('400 INVALID_INPUT', () => {
  test('accountId is missing, or could never name an account', async () => {
    assertInvalid(await service.platform.get('/auth/credentials'), 'accountId');
    assertInvalid(await service.platform.get('/auth/credentials?accountId=Card:1'), 'accountId');
  });
});

test('401 UNAUTHORIZED', async () => {
  assertRefused(await service.as('nobody', 'nothing').get('/auth/credentials?accountId=x'), 401, 'UNAUTHORIZED');
});
