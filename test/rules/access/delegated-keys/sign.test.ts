// Signing with a delegated key: opened keys are kept for a while, and never instead of what is stored.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { DelegatedKey } from '../../../../src/domains/access/delegated-keys/delegated-key.js';
import { privateKeyContext, stampWith } from '../../../../src/domains/access/delegated-keys/sign.js';
import { newId } from '../../../../src/kernel/ids.js';
import { createKeyCustody } from '../../../../src/providers/key-custody.js';
import { generateP256KeyPair, type P256KeyPair } from '../../../../src/providers/wallet-signer/p256.js';
import { stampSigns } from '../../../../src/providers/wallet-signer/stamp.js';

const platformId = newId('Platform');
const custody = createKeyCustody([randomBytes(32)]);

function keyOf(pair: P256KeyPair): DelegatedKey {
  const ids = { id: newId('DelegatedKey'), accountId: newId('InternalAccount') };
  return {
    ...ids,
    cardId: newId('Card'),
    fundingSourceId: newId('CardFundingSource'),
    publicKey: pair.publicKey,
    privateKeySealed: custody.seal(pair.privateKey, privateKeyContext(platformId, ids)),
    nickname: 'till',
    status: 'ACTIVE',
    createdAt: new Date(),
    updatedAt: new Date(),
  };
}

test('a key that was just used signs again, and each stamp signs its own payload only', () => {
  const key = keyOf(generateP256KeyPair());
  for (const payload of ['first', 'second']) {
    const stamp = stampWith(custody, platformId, key, payload);
    assert.equal(stamp.publicKey, key.publicKey);
    assert.ok(stampSigns(stamp, payload));
    assert.ok(!stampSigns(stamp, 'another'));
  }
});

test('a key whose row holds the sealed value of another key does not sign, also if it signed a moment ago', () => {
  const key = keyOf(generateP256KeyPair());
  const other = keyOf(generateP256KeyPair());
  stampWith(custody, platformId, key, 'payload');
  assert.throws(() => stampWith(custody, platformId, { ...key, privateKeySealed: other.privateKeySealed }, 'payload'));
  assert.throws(() => stampWith(custody, platformId, { ...key, privateKeySealed: undefined }, 'payload'));
});

test('a row that was sealed anew signs with the same key', () => {
  const pair = generateP256KeyPair();
  const key = keyOf(pair);
  stampWith(custody, platformId, key, 'payload');
  const resealed = { ...key, privateKeySealed: custody.seal(pair.privateKey, privateKeyContext(platformId, key)) };
  assert.ok(stampSigns(stampWith(custody, platformId, resealed, 'payload'), 'payload'));
});

test('more keys than are kept can sign, one after the other and again', () => {
  const pair = generateP256KeyPair();
  const keys = Array.from({ length: 1_100 }, () => keyOf(pair));
  for (const key of keys) stampWith(custody, platformId, key, key.id);
  for (const key of [keys[0], keys.at(-1)]) assert.ok(key && stampSigns(stampWith(custody, platformId, key, key.id), key.id));
});
