import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { type AccountsApi, accountsApi, statusEvents } from '../../../support/external-accounts/accounts-api.js';
import { verifySuite } from '../../../support/external-accounts/verify-suite.js';
import { evmWallet } from '../../../support/external-accounts/wallets.js';
import { startTestService, type TestService } from '../../../support/service.js';

verifySuite('platform');

describe('an account of a customer, on the only path that the specification gives', () => {
  let service: TestService;
  let api: AccountsApi;
  const verify = (account: { id: string }, signature: string) =>
    service.platform.post(`/platform/external-accounts/${account.id}/verify`, { signature });
  before(async () => {
    service = await startTestService();
    api = accountsApi(service.platform, 'customers');
  });
  after(() => service.stop());

  test('200: a valid signature moves it to ACTIVE', async () => {
    const wallet = evmWallet(randomUUID());
    const account = await api.wallet(wallet);
    const verified = await expectStatus(200, verify(account, await wallet.sign(await api.messageFor(account))));
    assert.deepEqual(verified, { ...account, status: 'ACTIVE' });
    assert.deepEqual(await api.get(account), verified);
    assert.deepEqual(await statusEvents(service, account), [verified]);
  });

  test('400: an invalid signature moves it to UNVERIFIED', async () => {
    const account = await api.wallet();
    await api.messageFor(account);
    assertRefused(await verify(account, '0x00'), 400, 'INVALID_INPUT');
    assert.equal((await api.get(account)).status, 'UNVERIFIED');
  });

  test('409: no outstanding WALLET_SIGNATURE challenge', async () => {
    assertRefused(await verify(await api.wallet(), '0x00'), 409, 'CONFLICT');
  });

  test('404: an account of a customer of another platform', async () => {
    const foreign = await accountsApi(await service.newPlatform(), 'customers').wallet();
    assertRefused(await verify(foreign, '0x00'), 404, 'ACCOUNT_NOT_FOUND');
  });

  test('404: the other operations of the path see only accounts of the platform', async () => {
    const account = await api.wallet();
    assertRefused(await service.platform.get(`/platform/external-accounts/${account.id}`), 404, 'ACCOUNT_NOT_FOUND');
    assertRefused(await service.platform.delete(`/platform/external-accounts/${account.id}`), 404, 'ACCOUNT_NOT_FOUND');
  });
});
