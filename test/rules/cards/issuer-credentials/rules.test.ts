// When a request of an issuer's processor is proven.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { isProven, keyIdOf, parseFingerprint, parseKeyId } from '../../../../src/domains/cards/issuer-credentials/rules.js';

const secret = Buffer.from('isk_secret');
const body = Buffer.from('{"amount":1}');
const at = new Date('2030-01-01T00:00:00.000Z');
const seconds = at.getTime() / 1000;
const sign = (timestamp: string) => createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
const offered = (timestamp: string, signature = sign(timestamp)) => ({ timestamp, signature, certificate: '', body });
const proven = (timestamp: string, signature?: string) => isProven({ secret, certificateSha256: null }, offered(timestamp, signature), at);

describe('the replay window is 5 minutes', () => {
  for (const [shift, accepted] of [
    [-301, false],
    [-300, true],
    [0, true],
    [300, true],
    [301, false],
  ] as const)
    test(`${shift} s: ${accepted ? 'accepted' : 'refused'}`, () => assert.equal(proven(String(seconds + shift)), accepted));

  for (const timestamp of ['', '-1', '1e9', `${seconds}.0`, ` ${seconds}`, '9'.repeat(13), 'now'])
    test(`${JSON.stringify(timestamp)} is no timestamp, however it is signed`, () => assert.equal(proven(timestamp), false));
});

test('the signature is 64 lower-case hex digits', () => {
  const right = sign(String(seconds));
  for (const signature of ['', right.slice(1), `${right}0`, right.toUpperCase(), `sha256=${right}`, right.replace(/.$/, 'g')])
    if (signature !== right) assert.equal(proven(String(seconds), signature), false, signature);
  assert.equal(proven(String(seconds), right), true);
});

test('a certificate and a secret do not stand in for each other', () => {
  const fingerprint = 'ab'.repeat(32);
  const presented = { ...offered(String(seconds)), certificate: fingerprint };
  const certificateSha256 = Buffer.from(fingerprint, 'hex');
  assert.equal(isProven({ secret: null, certificateSha256 }, presented, at), true);
  assert.equal(isProven({ secret: null, certificateSha256 }, offered(String(seconds)), at), false);
  assert.equal(isProven({ secret, certificateSha256: null }, { ...presented, signature: '' }, at), false);
  assert.equal(isProven({ secret: null, certificateSha256: null }, presented, at), false);
});

test('a key id names its platform and credential', () => {
  const names = {
    platformId: 'Platform:019542f5-b3e7-7d02-8000-000000000001',
    id: 'IssuerCredential:019542f5-b3e7-7d02-8000-000000000002',
  } as const;
  assert.deepEqual(parseKeyId(keyIdOf(names)), names);
  for (const wrong of [
    '',
    'issuer',
    'issuer_x_y',
    `${keyIdOf(names)}_`,
    keyIdOf(names).replace('issuer', 'tok'),
    keyIdOf(names).toUpperCase(),
  ])
    assert.equal(parseKeyId(wrong), undefined, wrong);
});

test('a fingerprint is read in either case, with or without colons', () => {
  const plain = parseFingerprint('ab'.repeat(32));
  assert.deepEqual(parseFingerprint(Array(32).fill('AB').join(':')), plain);
  assert.equal(parseFingerprint('ab'.repeat(31)), undefined);
});
