import assert from 'node:assert/strict';
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { createSigner } from '../../../../src/domains/core/webhooks/signer.js';
import {
  generateSigningKeys,
  openSigningKeys,
  renderSecret,
  sealSigningKeys,
  signatureHeaders,
} from '../../../../src/domains/core/webhooks/signing.js';
import { createKeyCustody } from '../../../../src/providers/key-custody.js';
import { verifyServiceSignature, verifyStandardSignature } from '../../../support/webhooks/verify.js';

const ID = 'Webhook:019542f5-b3e7-7d02-8000-000000000001';
const BODY = Buffer.from('{"id":"Webhook:1","data":{"name":"Zoë"}}');
const now = new Date();
const EVENT = { id: ID, timestamp: now, body: BODY };

describe('signatures', () => {
  test('X-Service-Signature: "base64 DER P-256/SHA-256 over the raw body"', async () => {
    const keys = await generateSigningKeys();
    const headers = signatureHeaders([keys], EVENT);
    const signature = Buffer.from(headers['x-service-signature'] ?? '', 'base64');
    assert.equal(signature[0], 0x30);
    assert.ok(verify('sha256', BODY, createPublicKey(keys.publicKeys.p256Pem), signature));
    assert.ok(!verify('sha256', Buffer.from(`${BODY} `), createPublicKey(keys.publicKeys.p256Pem), signature));
    assert.match(keys.publicKeys.p256Pem, /^-----BEGIN PUBLIC KEY-----\n/);
  });

  test('Standard Webhooks: the library verifies the shared-secret signature, node:crypto the asymmetric one', async () => {
    const keys = await generateSigningKeys();
    const headers = signatureHeaders([keys], EVENT);
    assert.equal(headers['webhook-id'], ID);
    assert.equal(headers['webhook-timestamp'], String(Math.floor(now.getTime() / 1000)));
    assert.deepEqual(new Webhook(renderSecret(keys)).verify(BODY, headers), JSON.parse(BODY.toString()));
    assert.throws(() => new Webhook(renderSecret(keys)).verify('{}', headers), WebhookVerificationError);
    assert.match(keys.publicKeys.ed25519, /^whpk_[A-Za-z0-9+/]{43}=$/);
    assert.ok(verifyStandardSignature(keys.publicKeys.ed25519, headers, BODY));
    for (const other of [
      { ...headers, 'webhook-id': 'Webhook:2' },
      { ...headers, 'webhook-timestamp': '1' },
    ])
      assert.ok(!verifyStandardSignature(keys.publicKeys.ed25519, other, BODY));
  });

  test('"rotation signs with both keys during an overlap"', async () => {
    const [older, newer, stranger] = await Promise.all([generateSigningKeys(), generateSigningKeys(), generateSigningKeys()]);
    const headers = signatureHeaders([older, newer], EVENT);
    for (const keys of [older, newer]) {
      assert.ok(verifyServiceSignature(keys.publicKeys.p256Pem, headers, BODY));
      assert.ok(verifyStandardSignature(keys.publicKeys.ed25519, headers, BODY));
      new Webhook(renderSecret(keys)).verify(BODY, headers);
    }
    assert.ok(!verifyServiceSignature(stranger.publicKeys.p256Pem, headers, BODY));
    assert.ok(!verifyStandardSignature(stranger.publicKeys.ed25519, headers, BODY));
    assert.equal(signatureHeaders([newer], EVENT)['x-service-signature-next'], undefined);
  });

  test('further names and the JSON form carry the same signatures, during an overlap too', async () => {
    const keys = await Promise.all([generateSigningKeys(), generateSigningKeys()]);
    const headers = signatureHeaders(keys, EVENT, { names: ['x-other-signature'], isJson: true });
    const isSignedBy = (i: number, header: string) => {
      const { v, s, ...rest } = JSON.parse(headers[header] ?? '');
      assert.deepEqual([v, rest], ['1', {}]);
      return verify('sha256', BODY, createPublicKey(keys[i]?.publicKeys.p256Pem ?? ''), Buffer.from(s, 'base64'));
    };
    for (const name of ['x-service-signature', 'x-other-signature']) {
      assert.ok(isSignedBy(0, name));
      assert.ok(isSignedBy(1, `${name}-next`));
    }
    assert.ok(verifyStandardSignature(keys[0]?.publicKeys.ed25519 ?? '', headers, BODY));
  });

  test('signatures made in place and in batches on a thread are valid alike', async () => {
    const signer = createSigner();
    try {
      const keys = await Promise.all(['a', 'b'].map(async (id) => ({ id, ...(await generateSigningKeys()) })));
      const signables = Array.from({ length: 100 }, (_, i) => ({
        id: `Webhook:${i}`,
        timestamp: now,
        body: Buffer.from(`{"n":${i},"name":"Zoë"}`),
      }));
      for (const crowd of [signables.slice(0, 1), signables]) {
        const headers = await Promise.all(crowd.map((signable) => signer.sign(keys, signable)));
        for (const [i, header] of headers.entries()) {
          const body = crowd[i]?.body as Buffer;
          assert.equal(header['webhook-id'], crowd[i]?.id);
          for (const key of keys) {
            assert.ok(verifyServiceSignature(key.publicKeys.p256Pem, header, body));
            assert.ok(verifyStandardSignature(key.publicKeys.ed25519, header, body));
            new Webhook(renderSecret(key)).verify(body, header);
          }
        }
      }
    } finally {
      await signer.close();
    }
  });

  test('keys survive being sealed, open only in their own context, and the sealed bytes hold nothing readable', async () => {
    const custody = createKeyCustody([randomBytes(32)]);
    const keys = await generateSigningKeys();
    const sealed = sealSigningKeys(custody, keys, 'platform 1');
    const opened = openSigningKeys(custody, sealed, 'platform 1');
    const headers = signatureHeaders([opened], EVENT);
    assert.ok(verifyServiceSignature(keys.publicKeys.p256Pem, headers, BODY));
    assert.ok(verifyStandardSignature(keys.publicKeys.ed25519, headers, BODY));
    assert.equal(renderSecret(opened), renderSecret(keys));
    assert.throws(() => openSigningKeys(custody, sealed, 'platform 2'));
    assert.ok(!sealed.includes(keys.secret));
  });
});
