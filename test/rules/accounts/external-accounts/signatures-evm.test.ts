import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  bytesToHex,
  concat,
  hashMessage,
  hexToBytes,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
  stringToHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { verifyOwnership } from '../../../../src/domains/accounts/external-accounts/signatures/verify-ownership.js';
import { evmWallet, keyNamed } from '../../../support/external-accounts/wallets.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const MESSAGE = 'hello world';
const wallet = evmWallet('evm');
const account = privateKeyToAccount(keyNamed('evm'));
const good = await account.signMessage({ message: MESSAGE });
const { r, s, yParity } = parseSignature(good);
const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const packed = (first: string, second: string, v: number): string => `0x${first}${second}${v.toString(16).padStart(2, '0')}`;
const rHex = r.slice(2);
const sHex = s.slice(2);

const verdict = (signature: string, message = MESSAGE, address = wallet.address) =>
  verifyOwnership({ accountType: 'ETHEREUM_WALLET', address, message, signature, scheme: 'bip137' });
const accepted = { valid: true, scheme: 'eip191' } as const;
const refused = (cause: string) => ({ valid: false, scheme: 'eip191', cause }) as const;

describe('EVM, EIP-191', () => {
  test('65 bytes, v 27 or 28, low s, made by viem', async () => {
    for (const name of ['one', 'two', 'three', 'four']) {
      const other = evmWallet(name);
      assert.deepEqual(verdict(await other.sign(MESSAGE), MESSAGE, other.address), accepted);
    }
  });

  test('published signatures (viem test suite; ERC-2098)', () => {
    const owner = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
    const helloWorld =
      '0xa461f509887bd19e312c0c58467ce8ff8e300d3c1a90b608a760c5b80318eaf15fe57c96f9175d6cd4daad4663763baa7e78836e067d0163e9a2ccf2ff753f5b1b';
    assert.deepEqual(verdict(helloWorld, 'hello world', owner), accepted);
    const compact =
      '0x9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76939c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793';
    assert.deepEqual(verdict(compact, "It's a small(er) world", '0x2e988a386a799f506693793c6a5af6b54dfaabfb'), accepted);
  });

  test('the length in the prefix counts bytes, not characters', async () => {
    const message = 'Grüße 🥵';
    assert.deepEqual(verdict(await account.signMessage({ message }), message), accepted);
  });

  test('v: 27/28 and 0/1 of the right parity, and no other of the 256', () => {
    for (let v = 0; v < 256; v += 1) {
      const isRight = v === 27 + yParity! || v === yParity;
      assert.equal(verdict(packed(rHex, sHex, v)).valid, isRight, `v = ${v}`);
    }
    for (const v of [2, 3, 26, 29, 30, 35, 37, 255]) assert.deepEqual(verdict(packed(rHex, sHex, v)), refused('RECOVERY_ID'), `v = ${v}`);
  });

  test('high s is refused', () => {
    assert.deepEqual(verdict(packed(rHex, word(ORDER - BigInt(s)), 27 + (1 - yParity!))), refused('HIGH_S'));
  });

  test('ERC-2098, 64 bytes, both parities', async () => {
    const parities = new Set<number>();
    for (const message of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      const signature = parseSignature(await account.signMessage({ message }));
      parities.add(signature.yParity);
      assert.deepEqual(verdict(serializeCompactSignature(signatureToCompactSignature(signature)), message), accepted);
    }
    assert.deepEqual([...parities].sort(), [0, 1]);
  });

  test('ERC-6492 wrapper is refused with its reason', () => {
    assert.deepEqual(verdict(`${good}${'6492'.repeat(16)}`), refused('CONTRACT_WALLET'));
    assert.deepEqual(verdict(`0x${'00'.repeat(96)}${'6492'.repeat(16)}`), refused('CONTRACT_WALLET'));
  });

  test('a signature over the bare hash, over typed data, over the hex text, over the message as bytes', async () => {
    assert.deepEqual(verdict(await account.sign({ hash: hashMessage('another') })), refused('WRONG_SIGNER'));
    const bare = await account.sign({ hash: bytesToHex(new Uint8Array(32).fill(7)) });
    assert.deepEqual(verdict(bare), refused('WRONG_SIGNER'));
    const typed = await account.signTypedData({
      domain: {},
      types: { Mail: [{ name: 'text', type: 'string' }] },
      primaryType: 'Mail',
      message: { text: MESSAGE },
    });
    assert.deepEqual(verdict(typed), refused('WRONG_SIGNER'));
    assert.deepEqual(verdict(await account.signMessage({ message: stringToHex(MESSAGE) })), refused('WRONG_SIGNER'));
    const raw = await account.signMessage({ message: { raw: '0x4243' } });
    assert.deepEqual(verdict(raw, '0x4243'), refused('WRONG_SIGNER'), 'text that looks like hex is text');
  });

  test('r or s zero or not below the order', () => {
    for (const bad of [word(0n), word(ORDER), word(ORDER + 1n), 'f'.repeat(64)]) {
      assert.deepEqual(verdict(packed(bad, sHex, 27)), refused('SCALAR_RANGE'));
      assert.deepEqual(verdict(packed(rHex, bad, 27)), refused('SCALAR_RANGE'));
    }
  });

  test('an x without a curve point recovers no key', () => {
    const offCurve = Array.from({ length: 40 }, (_, i) => verdict(packed(word(BigInt(i + 1)), sHex, 27)));
    assert.ok(offCurve.every((each) => !each.valid && each.cause === 'WRONG_SIGNER'));
  });

  test('encoding: only 0x and whole bytes, digits of either case', () => {
    assert.deepEqual(verdict(`0x${good.slice(2).toUpperCase()}`), accepted);
    for (const text of [
      good.slice(2),
      `0X${good.slice(2)}`,
      good.slice(0, -1),
      ` ${good}`,
      `${good} `,
      `${good}\n`,
      `${good.slice(0, -1)}g`,
      '',
      '0x',
    ]) {
      assert.deepEqual(verdict(text), refused('ENCODING'), JSON.stringify(text.slice(-6)));
    }
    for (const text of [`${good}00`, good.slice(0, -4), `${good}${good.slice(2)}`]) assert.deepEqual(verdict(text), refused('LENGTH'));
  });

  test('the address is compared as bytes', () => {
    assert.deepEqual(verdict(good, MESSAGE, wallet.address.toLowerCase()), accepted);
    assert.deepEqual(verdict(good, MESSAGE, evmWallet('somebody else').address), refused('WRONG_SIGNER'));
    assert.deepEqual(verdict(good, MESSAGE, `0x${'0'.repeat(40)}`), refused('WRONG_SIGNER'));
    assert.deepEqual(verdict(good, MESSAGE, wallet.address.slice(2)), refused('ADDRESS_UNSUPPORTED'));
  });

  test('all EVM account types share the rule, and signatureScheme is ignored', () => {
    for (const accountType of ['BASE_WALLET', 'ETHEREUM_WALLET', 'POLYGON_WALLET', 'PLASMA_WALLET', 'ARBITRUM_WALLET'] as const) {
      assert.deepEqual(
        verifyOwnership({ accountType, address: wallet.address, message: MESSAGE, signature: good, scheme: 'electrum' }),
        accepted,
      );
    }
  });

  test('extra bytes after a valid signature are refused', () => {
    assert.equal(verdict(bytesToHex(concat([hexToBytes(good), new Uint8Array(1)]))).valid, false);
  });
});
