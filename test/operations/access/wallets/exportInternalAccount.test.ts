import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { type Keys, newKeys, openExport, signed, unprovisionedWallet, type Wallet, wallet } from '../../../support/wallet.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

async function exported(owner: Wallet, client: Keys): Promise<string> {
  const answer = await signed(owner, 'POST', `/internal-accounts/${owner.account.id}/export`, {
    clientPublicKey: client.publicKeyUncompressed,
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.id, owner.account.id);
  const bundle = answer.body.encryptedWalletCredentials as string;
  const { dataSignature, enclaveQuorumPublic } = JSON.parse(bundle);
  assert.deepEqual({ dataSignature, enclaveQuorumPublic }, { dataSignature: '', enclaveQuorumPublic: '' });
  const { recoveryPhrase, organizationId } = openExport(bundle, client);
  assert.equal(organizationId, owner.account.id);
  return recoveryPhrase;
}

test('202, then 200: a recovery phrase of twelve BIP-39 words, sealed to the client, in sandbox without a signature; constant per wallet, different between wallets', async () => {
  const [owner, other] = [await wallet(service.platform), await wallet(service.platform)];
  const recoveryPhrase = await exported(owner, newKeys());
  assert.equal(validateMnemonic(recoveryPhrase, wordlist), true);
  assert.equal(recoveryPhrase.split(' ').length, 12);
  assert.equal(await exported(owner, newKeys()), recoveryPhrase);
  assert.notEqual(await exported(other, newKeys()), recoveryPhrase);
});

test('400 INVALID_INPUT: "export always takes the uncompressed form"', async () => {
  const owner = await wallet(service.platform);
  const path = `/internal-accounts/${owner.account.id}/export`;
  for (const clientPublicKey of [newKeys().publicKey, `04${'1'.repeat(128)}`, 'x']) {
    assertInvalid(await owner.platform.post(path, { clientPublicKey }), 'clientPublicKey');
  }
  assertInvalid(await owner.platform.post(path, {}), 'clientPublicKey');
});

test('400 for an account that is not a wallet, 404 for one of another platform, 409 WALLET_NOT_PROVISIONED', async () => {
  const { platform, customer, account } = await unprovisionedWallet(service.platform);
  const body = { clientPublicKey: newKeys().publicKeyUncompressed };
  const usd = await given(platform).account(customer, 'USD');
  assertRefused(await platform.post(`/internal-accounts/${usd.id}/export`, body), 400, 'INVALID_INPUT');
  assertRefused(await platform.post(`/internal-accounts/${account.id}/export`, body), 409, 'WALLET_NOT_PROVISIONED');
  assertRefused(await (await service.newPlatform()).post(`/internal-accounts/${account.id}/export`, body), 404, 'ACCOUNT_NOT_FOUND');
});

test('404 ACCOUNT_NOT_FOUND: the recovery phrase of a closed account is not exported', async () => {
  const { platform, account, customer } = await wallet(service.platform);
  await expectStatus(200, platform.delete(`/customers/${customer.id}`));
  const body = { clientPublicKey: newKeys().publicKeyUncompressed };
  const ask = () => platform.post(`/internal-accounts/${account.id}/export`, body);
  assertRefused(await changesNothing(service.db, ask), 404, 'ACCOUNT_NOT_FOUND');
});
