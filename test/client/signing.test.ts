// Keys, stamps and test wallets, compared with the libraries that wallet apps use.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { base58 } from '@scure/base';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import nacl from 'tweetnacl';
import { verifyMessage } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { derOfRaw, rawOfDer } from '../../client/bytes.js';
import { encryptOtp, exportSessionKey, importSessionKey, newSessionKey, stamp } from '../../client/signing.js';
import { CHAINS, importWallet, newWallet } from '../../client/wallets.js';
import { otpTargetBundle } from '../../src/providers/wallet-signer/envelope.js';
import { publicKeyOf } from '../../src/providers/wallet-signer/p256.js';
import { parseStamp, stampSigns } from '../../src/providers/wallet-signer/stamp.js';

const MESSAGE = 'Switchyard: prove that you own this wallet. Ünïcode, 100 %.';

describe('wallets', () => {
  test('ethereum: the address and the signature are those of viem', async () => {
    for (let i = 0; i < 20; i += 1) {
      const wallet = newWallet('ethereum');
      const theirs = privateKeyToAccount(wallet.toJSON().privateKey as `0x${string}`);
      assert.equal(wallet.address, theirs.address);
      const signature = (await wallet.sign(MESSAGE)) as `0x${string}`;
      assert.equal(signature, await theirs.signMessage({ message: MESSAGE }));
      assert.ok(await verifyMessage({ address: theirs.address, message: MESSAGE, signature }));
    }
  });

  test('solana: the address and the signature are those of tweetnacl', async () => {
    for (let i = 0; i < 20; i += 1) {
      const wallet = newWallet('solana');
      const pair = nacl.sign.keyPair.fromSeed(Buffer.from(wallet.toJSON().privateKey.slice(2), 'hex'));
      assert.equal(wallet.address, base58.encode(pair.publicKey));
      assert.equal(await wallet.sign(MESSAGE), base58.encode(nacl.sign.detached(Buffer.from(MESSAGE), pair.secretKey)));
    }
  });

  test('a wallet of a file is the same wallet', async () => {
    for (const chain of CHAINS) {
      const wallet = newWallet(chain);
      const again = importWallet(JSON.parse(JSON.stringify(wallet)));
      assert.deepEqual([again.address, await again.sign(MESSAGE)], [wallet.address, await wallet.sign(MESSAGE)]);
    }
  });
});

describe('session keys', () => {
  test('a stamp is one that the service reads, over exactly its text', async () => {
    for (let i = 0; i < 20; i += 1) {
      const key = await newSessionKey();
      const parsed = parseStamp(await stamp(key, MESSAGE));
      assert.ok(parsed);
      assert.equal(parsed.publicKey, key.publicKey);
      assert.ok(stampSigns(parsed, MESSAGE));
      assert.ok(!stampSigns(parsed, `${MESSAGE} `));
    }
  });

  test('an exported key signs the same, also in the public stamper; another key cannot be exported', async () => {
    const key = await newSessionKey({ extractable: true });
    const stored = await exportSessionKey(key);
    const again = parseStamp(await stamp(await importSessionKey(stored), MESSAGE));
    assert.ok(again && stampSigns(again, MESSAGE));
    const { stampHeaderValue } = await new ApiKeyStamper({ apiPublicKey: stored.publicKey, apiPrivateKey: stored.privateKey }).stamp(
      MESSAGE,
    );
    const theirs = parseStamp(stampHeaderValue);
    assert.equal(theirs?.publicKey, again.publicKey);
    await assert.rejects(newSessionKey().then(exportSessionKey));
  });

  test('a code is encrypted only for a bundle that the expected key signed', async () => {
    const pair = (byte: number) => {
      const privateKey = Buffer.alloc(32, byte);
      return { privateKey, publicKey: publicKeyOf(privateKey) };
    };
    const bundle = otpTargetBundle(pair(1), pair(2).publicKey);
    const session = await newSessionKey();
    const { enclaveQuorumPublic, data } = JSON.parse(bundle) as { enclaveQuorumPublic: string; data: string };
    assert.ok(await encryptOtp(bundle, session, '000000', { quorumKey: enclaveQuorumPublic }));
    await assert.rejects(encryptOtp(bundle, session, '000000', { quorumKey: `04${'00'.repeat(64)}` }), /another key/);
    const other = JSON.stringify({ ...JSON.parse(bundle), data: data.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')) });
    await assert.rejects(encryptOtp(other, session, '000000'), /signature of the bundle is not valid/);
  });
});

test('signatures change between their two forms and back', () => {
  for (const raw of [
    new Uint8Array(64).fill(255),
    new Uint8Array(64).fill(1),
    Uint8Array.from({ length: 64 }, (_, i) => (i % 32 === 0 ? 0 : i)),
  ])
    assert.deepEqual(rawOfDer(derOfRaw(raw)), raw);
  for (const bad of ['', '30', '3000', '300602010002010000', '30060201010301ff'].map((text) => Buffer.from(text, 'hex')))
    assert.equal(rawOfDer(bad), undefined);
});
