import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { signed, unprovisionedWallet, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

test('202, then 200: privateEnabled on and off', async () => {
  const owner = await wallet(service.platform);
  assert.equal(owner.account.privateEnabled, false);
  for (const privateEnabled of [true, false]) {
    const answer = await signed(owner, 'PATCH', `/internal-accounts/${owner.account.id}`, { privateEnabled });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual({ ...answer.body, updatedAt: '' }, { ...owner.account, privateEnabled, updatedAt: '' });
    assert.deepEqual(await given(owner.platform).account(owner.customer, 'USDB'), answer.body);
  }
});

test('the challenge states the change', async () => {
  const owner = await wallet(service.platform);
  const { payloadToSign } = await expectStatus(
    202,
    owner.platform.patch(`/internal-accounts/${owner.account.id}`, { privateEnabled: true }),
  );
  const { organizationId, parameters } = JSON.parse(payloadToSign);
  assert.deepEqual([organizationId, parameters.privateEnabled], [owner.account.id, true]);
});

test('400 INVALID_INPUT: nothing to change, a wrong type, an account that is not a wallet', async () => {
  const owner = await wallet(service.platform);
  const path = `/internal-accounts/${owner.account.id}`;
  assertInvalid(await owner.platform.patch(path, {}), 'privateEnabled');
  assertInvalid(await owner.platform.patch(path, { privateEnabled: 'yes' }), 'privateEnabled');
  assertInvalid(await owner.platform.patch(path, { privateEnabled: true, label: 'x' }), 'label');
  const usd = await given(owner.platform).account(owner.customer, 'USD');
  const answer = await changesNothing(service.db, () => owner.platform.patch(`/internal-accounts/${usd.id}`, { privateEnabled: true }));
  assertRefused(answer, 400, 'INVALID_INPUT');
});

test('404 ACCOUNT_NOT_FOUND: unknown, and of another platform', async () => {
  const { account } = await unprovisionedWallet(service.platform);
  const other = await service.newPlatform();
  for (const id of [account.id, 'x'])
    assertRefused(await other.patch(`/internal-accounts/${id}`, { privateEnabled: true }), 404, 'ACCOUNT_NOT_FOUND');
});

test('404 ACCOUNT_NOT_FOUND: the closed account of a deleted customer', async () => {
  const { platform, account, customer } = await wallet(service.platform);
  await expectStatus(200, platform.delete(`/customers/${customer.id}`));
  const patch = () => platform.patch(`/internal-accounts/${account.id}`, { privateEnabled: true });
  assertRefused(await changesNothing(service.db, patch), 404, 'ACCOUNT_NOT_FOUND');
});

test('409 WALLET_NOT_PROVISIONED', async () => {
  const { platform, account } = await unprovisionedWallet(service.platform);
  assertRefused(await platform.patch(`/internal-accounts/${account.id}`, { privateEnabled: true }), 409, 'WALLET_NOT_PROVISIONED');
});
