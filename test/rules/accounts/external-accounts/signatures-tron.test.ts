import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { verifyOwnership } from '../../../../src/domains/accounts/external-accounts/signatures/verify-ownership.js';
import { keyNamed, signTron, tronWallet } from '../../../support/external-accounts/wallets.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const MESSAGE = 'hello world';
const wallet = tronWallet('tron');
const good = await wallet.sign(MESSAGE);

const verdict = (signature: string, message = MESSAGE, address = wallet.address) =>
  verifyOwnership({ accountType: 'TRON_WALLET', address, message, signature, scheme: 'bip137' });
const accepted = { valid: true, scheme: 'tron-v2' } as const;
const refused = (cause: string) => ({ valid: false, scheme: 'tron-v2', cause }) as const;

describe('Tron, signed message V2', () => {
  test('65 bytes over the V2 prefix', () => assert.deepEqual(verdict(good), accepted));

  test('a published signature (tronweb test suite)', () => {
    const signature =
      '0x0dc0b53d525e0103a6013061cf18e60cf158809149f2b8994a545af65a7004cb1eeaff560e801ab51b28df5d42549aa024c2aa7e9d34de1e01294b9afb5e6c7e1c';
    assert.deepEqual(verdict(signature, 'hello world', 'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC'), accepted);
  });

  test('the Ethereum prefix, and both V1 forms, by the same key', async () => {
    const privateKey = keyNamed('tron');
    assert.deepEqual(verdict(await privateKeyToAccount(privateKey).signMessage({ message: MESSAGE })), refused('WRONG_SIGNER'));
    for (const prefix of ['\x19TRON Signed Message:\n32', '\x19Ethereum Signed Message:\n32']) {
      assert.deepEqual(verdict(await signTron(privateKey, prefix, MESSAGE)), refused('WRONG_SIGNER'));
    }
  });

  test('v 27/28 and 0/1, high s refused', () => {
    const { r, s, yParity } = parseSignature(good as `0x${string}`);
    assert.deepEqual(verdict(`${r}${s.slice(2)}0${yParity}`), accepted);
    assert.deepEqual(verdict(`${r}${s.slice(2)}02`), refused('RECOVERY_ID'));
    const twin = (ORDER - BigInt(s)).toString(16).padStart(64, '0');
    assert.deepEqual(verdict(`${r}${twin}${(28 - yParity!).toString(16)}`), refused('HIGH_S'));
  });

  test('only 65 bytes of hex with 0x; ERC-2098 is an Ethereum form', () => {
    assert.deepEqual(verdict(good.slice(2)), refused('ENCODING'));
    assert.deepEqual(verdict(good.slice(0, -2)), refused('LENGTH'));
  });

  test('another signer, and an invalid address', () => {
    assert.deepEqual(verdict(good, MESSAGE, tronWallet('other').address), refused('WRONG_SIGNER'));
    assert.deepEqual(verdict(good, MESSAGE, wallet.address.slice(0, -1)), refused('ADDRESS_UNSUPPORTED'));
  });
});
