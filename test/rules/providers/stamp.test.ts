import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import fc from 'fast-check';
import { generateP256KeyPair, uncompressedPoint } from '../../../src/providers/wallet-signer/p256.js';
import { parseStamp, stampSigns } from '../../../src/providers/wallet-signer/stamp.js';
import { makeStamp } from '../../support/stamps.js';

const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const pair = generateP256KeyPair();
const payload = '{"type":"ACTIVITY_TYPE_CREATE_USERS_V3","note":"ünïcode ✓"}';

const encode = (text: string | Buffer): string => Buffer.from(text).toString('base64url');
const good = JSON.parse(Buffer.from(makeStamp(pair, payload), 'base64url').toString()) as Record<string, string>;
const { publicKey, scheme, signature } = good as { publicKey: string; scheme: string; signature: string };
const stampWith = (changes: Record<string, unknown>): string => encode(JSON.stringify({ ...good, ...changes }));

/** INTEGER in its shortest form. */
const integer = (value: bigint): string => {
  const hex = value.toString(16);
  const even = hex.length % 2 ? `0${hex}` : hex;
  const body = Number.parseInt(even.slice(0, 2), 16) > 0x7f ? `00${even}` : even;
  return `02${(body.length / 2).toString(16).padStart(2, '0')}${body}`;
};
const sequence = (...parts: string[]): string => `30${(parts.join('').length / 2).toString(16).padStart(2, '0')}${parts.join('')}`;
const [r, s] = (() => {
  const der = Buffer.from(signature, 'hex');
  const rLength = der.readUInt8(3);
  const number = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);
  return [number(der.subarray(4, 4 + rLength)), number(der.subarray(6 + rLength))];
})();

describe('valid stamp', () => {
  test('a stamp of @turnkey/api-key-stamper is valid, for each of its runtimes', async () => {
    for (const runtimeOverride of ['node', 'browser', 'purejs'] as const) {
      const stamper = new ApiKeyStamper({ apiPublicKey: pair.publicKey, apiPrivateKey: pair.privateKey.toString('hex'), runtimeOverride });
      const { stampHeaderValue } = await stamper.stamp(payload);
      const stamp = parseStamp(stampHeaderValue);
      assert.ok(stamp, runtimeOverride);
      assert.equal(stamp.publicKey, pair.publicKey);
      assert.equal(stampSigns(stamp, payload), true, runtimeOverride);
    }
  });

  test('a stamp of our own signer is valid, also for private keys with leading zeros', () => {
    for (let i = 0; i < 600; i += 1) {
      const each = generateP256KeyPair();
      assert.equal(each.privateKey.length, 32);
      const stamp = parseStamp(makeStamp(each, `payload ${i}`));
      assert.ok(stamp && stampSigns(stamp, `payload ${i}`));
    }
  });

  test('a public key in upper-case hex or uncompressed is the same key', () => {
    const forms = [
      publicKey.toUpperCase(),
      uncompressedPoint(publicKey).toString('hex'),
      uncompressedPoint(publicKey).toString('hex').toUpperCase(),
    ];
    for (const form of forms) assert.equal(parseStamp(stampWith({ publicKey: form }))?.publicKey, publicKey);
  });

  test('the signature may be upper-case hex, and the JSON may have another order and white space', () => {
    for (const text of [
      stampWith({ signature: signature.toUpperCase() }),
      encode(JSON.stringify({ signature, scheme, publicKey })),
      encode(JSON.stringify(good, null, 2)),
    ]) {
      const stamp = parseStamp(text);
      assert.ok(stamp && stampSigns(stamp, payload));
    }
  });

  test('the other s (n − s) is valid ECDSA', () => {
    const stamp = parseStamp(stampWith({ signature: sequence(integer(r), integer(N - s)) }));
    assert.ok(stamp && stampSigns(stamp, payload));
  });
});

describe('well-formed stamp with an invalid signature', () => {
  const invalid: Record<string, string> = {
    'r = 0': sequence(integer(0n), integer(s)),
    's = 0': sequence(integer(r), integer(0n)),
    'r = n': sequence(integer(N), integer(s)),
    's = n': sequence(integer(r), integer(N)),
    's + n': sequence(integer(r), integer(s + N)),
    'r and s exchanged': sequence(integer(s), integer(r)),
    'r of 40 bytes': sequence(integer(r << 64n), integer(s)),
  };
  for (const [name, der] of Object.entries(invalid)) {
    test(name, () => {
      const stamp = parseStamp(stampWith({ signature: der }));
      assert.ok(stamp, 'the stamp is well formed');
      assert.equal(stampSigns(stamp, payload), false);
    });
  }

  test('signature of another payload or by another key', () => {
    const stamp = parseStamp(makeStamp(pair, payload));
    assert.ok(stamp);
    assert.equal(stampSigns(stamp, `${payload} `), false);
    assert.equal(stampSigns({ ...stamp, publicKey: generateP256KeyPair().publicKey }, payload), false);
  });

  test('signature with a changed bit', () => {
    const der = Buffer.from(signature, 'hex');
    for (let bit = 0; bit < der.length * 8; bit += 1) {
      const changed = Buffer.from(der);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const stamp = parseStamp(stampWith({ signature: changed.toString('hex') }));
      assert.equal(stamp !== undefined && stampSigns(stamp, payload), false, `bit ${bit}`);
    }
  });
});

describe('malformed stamp', () => {
  const body = signature.slice(4);
  const x = publicKey.slice(2);
  const malformed: Record<string, string> = {
    empty: '',
    'not base64url': `${makeStamp(pair, payload)}+`,
    padded: `${makeStamp(pair, payload)}=`,
    'with a space': ` ${makeStamp(pair, payload)}`,
    'base64url with stray bits in the last character': encode('{}').replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
    'longer than 4 kB': stampWith({ signature: signature.padStart(8192, '0') }),
    'not JSON': encode('stamp'),
    'not an object': encode('"stamp"'),
    'a list': encode(JSON.stringify([publicKey, scheme, signature])),
    null: encode('null'),
    'with a byte order mark': encode(`\ufeff${JSON.stringify(good)}`),
    'with text after it': encode(`${JSON.stringify(good)}{}`),
    'bad UTF-8': encode(Buffer.concat([Buffer.from(JSON.stringify(good)), Buffer.of(0xff)])),
    'without publicKey': stampWith({ publicKey: undefined }),
    'without scheme': stampWith({ scheme: undefined }),
    'without signature': stampWith({ signature: undefined }),
    'with a fourth member': stampWith({ credentialId: 'x' }),
    'with a repeated member': encode(JSON.stringify(good).replace('{', `{"publicKey":"${publicKey}",`)),
    'with a member repeated by escape': encode(JSON.stringify(good).replace('{', `{"\\u0070ublicKey":"${publicKey}",`)),
    'with a number for a key': stampWith({ publicKey: 2 }),
    'of another scheme': stampWith({ scheme: 'SIGNATURE_SCHEME_TK_API_SECP256K1' }),
    'a WebAuthn stamp': encode(JSON.stringify({ credentialId: 'x', clientDataJson: 'x', authenticatorData: 'x', signature })),
    'key off the curve': stampWith({ publicKey: `02${'0'.repeat(63)}1` }),
    'key at infinity': stampWith({ publicKey: '00' }),
    'key of 33 bytes with 04': stampWith({ publicKey: `04${x}` }),
    'key in hybrid form': stampWith({ publicKey: uncompressedPoint(publicKey).toString('hex').replace(/^04/, '06') }),
    'key not in hex': stampWith({ publicKey: `02${'g'.repeat(64)}` }),
    'key with x above the field': stampWith({ publicKey: `02${'f'.repeat(64)}` }),
    'signature not in hex': stampWith({ signature: `${signature}zz` }),
    'signature of odd length': stampWith({ signature: signature.slice(1) }),
    'empty signature': stampWith({ signature: '' }),
    'raw r and s': stampWith({ signature: r.toString(16).padStart(64, '0') + s.toString(16).padStart(64, '0') }),
    'DER with a long-form length': stampWith({ signature: `3081${signature.slice(2)}` }),
    'DER of indefinite length': stampWith({ signature: `3080${body}0000` }),
    'DER with trailing bytes': stampWith({ signature: `${signature}00` }),
    'DER with trailing bytes inside': stampWith({ signature: sequence(integer(r), integer(s), '0500') }),
    'DER with a leading zero': stampWith({ signature: sequence(`0222${'00'}${r.toString(16).padStart(66, '0')}`, integer(s)) }),
    'DER with a negative integer': stampWith({ signature: sequence(`0220ff${r.toString(16).padStart(64, '0').slice(2)}`, integer(s)) }),
    'DER with an empty integer': stampWith({ signature: sequence('0200', integer(s)) }),
    'DER with one integer': stampWith({ signature: sequence(integer(r)) }),
    'DER cut short': stampWith({ signature: signature.slice(0, -2) }),
  };
  for (const [name, header] of Object.entries(malformed)) test(name, () => assert.equal(parseStamp(header), undefined));

  test('random input is malformed, and parsing it never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.uint8Array().map((bytes) => encode(Buffer.from(bytes))),
          fc.json().map(encode),
        ),
        (text) => {
          assert.equal(parseStamp(text), undefined);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
