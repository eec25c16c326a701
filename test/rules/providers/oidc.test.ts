import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { ApiError } from '../../../src/kernel/errors.js';
import { anyOfIssuers, type Jwk, remoteIssuers, verifyOidcToken } from '../../../src/providers/oidc.js';

const now = new Date('2026-03-01T12:00:00Z');
const seconds = now.getTime() / 1000;
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
const jwk = (key: KeyObject, kid: string, more: Partial<Jwk> = {}): Jwk => ({ ...(key.export({ format: 'jwk' }) as Jwk), kid, ...more });
const keys = [
  jwk(ec.publicKey, 'ec'),
  jwk(rsa.publicKey, 'rsa', { use: 'sig', alg: 'RS256' }),
  jwk(weak.publicKey, 'weak'),
  jwk(rsa.publicKey, 'enc', { use: 'enc' }),
];
const trusted = { issuer: 'https://issuer.example', audience: 'app', jwksUrl: 'https://issuer.example/keys' };
const issuers = remoteIssuers([trusted], async () => keys);

const claims = { iss: 'https://issuer.example', aud: 'app', sub: 'user-1', iat: seconds, exp: seconds + 300, nonce: 'n' };
const encode = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const signEs = (input: string): Buffer => sign('sha256', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
const signRs = (input: string, key = rsa.privateKey): Buffer => sign('sha256', Buffer.from(input), key);

function token(
  changes: Record<string, unknown> = {},
  header: unknown = { alg: 'ES256', kid: 'ec', typ: 'JWT' },
  signer: (input: string) => Buffer = signEs,
): string {
  const input = `${encode(header)}.${encode({ ...claims, ...changes })}`;
  return `${input}.${signer(input).toString('base64url')}`;
}
const check = (text: string) => verifyOidcToken(issuers, text, now);

describe('valid token', () => {
  test('signed with ES256 or RS256', async () => {
    const found = { issuer: 'https://issuer.example', audience: 'app', subject: 'user-1', nonce: 'n', email: undefined };
    assert.deepEqual(await check(token()), found);
    assert.deepEqual(await check(token({}, { alg: 'RS256', kid: 'rsa' }, signRs)), found);
    assert.deepEqual(await check(token({ aud: ['app'] })), found);
    assert.deepEqual(await check(token({}, { alg: 'ES256' })), found);
  });

  test('iat is at most 60 s old with 5 s of clock skew; exp is in the future', async () => {
    for (const times of [{ iat: seconds - 60 }, { iat: seconds + 5 }, { exp: seconds + 1 }])
      assert.equal(typeof (await check(token(times))), 'object');
    assert.equal(await check(token({ iat: seconds - 61 })), 'NOT_FRESH');
    assert.equal(await check(token({ iat: seconds + 6 })), 'NOT_FRESH');
    assert.equal(await check(token({ exp: seconds })), 'EXPIRED');
  });
});

describe('invalid token', () => {
  const cases: Record<string, [string, string]> = {
    'an issuer that is not configured': [token({ iss: 'https://evil.example' }), 'UNKNOWN_ISSUER'],
    'an audience that is not configured': [token({ aud: 'other-app' }), 'UNKNOWN_ISSUER'],
    'a key id that is not published': [token({}, { alg: 'ES256', kid: 'other' }), 'UNKNOWN_KEY'],
    'a key of another algorithm': [token({}, { alg: 'ES256', kid: 'rsa' }), 'UNKNOWN_KEY'],
    'a key meant for encryption': [token({}, { alg: 'RS256', kid: 'enc' }, signRs), 'UNKNOWN_KEY'],
    'an RSA key of 1024 bits': [token({}, { alg: 'RS256', kid: 'weak' }, (input) => signRs(input, weak.privateKey)), 'UNKNOWN_KEY'],
    'a dummy signature': [token({}, undefined, () => Buffer.alloc(64, 1)), 'SIGNATURE_INVALID'],
    'a signature by another key': [
      token({}, undefined, (input) =>
        sign('sha256', Buffer.from(input), {
          key: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey,
          dsaEncoding: 'ieee-p1363',
        }),
      ),
      'SIGNATURE_INVALID',
    ],
    'claims changed after signing': [token().replace(/\.[^.]+\./, `.${encode({ ...claims, sub: 'user-2' })}.`), 'SIGNATURE_INVALID'],
    'alg none': [token({}, { alg: 'none' }, () => Buffer.of(0)), 'MALFORMED'],
    'no signature at all': [token().replace(/[^.]+$/, ''), 'MALFORMED'],
    'HS256 with the public key as secret': [
      token({}, { alg: 'HS256', kid: 'rsa' }, (input) =>
        createHmac('sha256', rsa.publicKey.export({ type: 'spki', format: 'pem' }))
          .update(input)
          .digest(),
      ),
      'MALFORMED',
    ],
    'an ES256 signature in DER': [token({}, undefined, (input) => sign('sha256', Buffer.from(input), ec.privateKey)), 'MALFORMED'],
    'a critical extension': [token({}, { alg: 'ES256', kid: 'ec', crit: ['b64'] }), 'MALFORMED'],
    'another type': [token({}, { alg: 'ES256', kid: 'ec', typ: 'at+jwt' }), 'MALFORMED'],
    'no subject': [token({ sub: undefined }), 'MALFORMED'],
    'an empty subject': [token({ sub: '' }), 'MALFORMED'],
    'two audiences': [token({ aud: ['app', 'other'] }), 'MALFORMED'],
    'no iat': [token({ iat: undefined }), 'MALFORMED'],
    'exp as text': [token({ exp: String(seconds + 300) }), 'MALFORMED'],
    'a nonce that is a number': [token({ nonce: 1 }), 'MALFORMED'],
    'a repeated claim': [token().replace(/\.[^.]+\./, `.${encode(JSON.stringify(claims).replace('{', '{"sub":"user-1",'))}.`), 'MALFORMED'],
    padding: [`${token()}=`, 'MALFORMED'],
    'four parts': [`${token()}.AAAA`, 'MALFORMED'],
    nothing: ['', 'MALFORMED'],
    'more than 8 kB': [token({ sub: 'x'.repeat(9000) }), 'MALFORMED'],
  };
  for (const [name, [text, problem]] of Object.entries(cases))
    test(`${name}: ${problem}`, async () => assert.equal(await check(text), problem));
});

describe('keys of an issuer', () => {
  const { issuer, audience, jwksUrl } = trusted;
  const ec = { issuer, audience, kid: 'ec' };
  const unseen = { issuer, audience, kid: 'unseen' };

  test('are cached for ten minutes; an unknown key id causes another fetch after 30 s', async () => {
    const fetched: string[] = [];
    let at = 0;
    const source = remoteIssuers(
      [trusted],
      async (url) => {
        fetched.push(url);
        return keys;
      },
      () => at,
    );
    await Promise.all([source.keysOf(ec), source.keysOf(ec)]);
    assert.equal(fetched.length, 1);
    await source.keysOf(unseen);
    assert.equal(fetched.length, 1);
    at = 30_000;
    await source.keysOf(ec);
    assert.equal(fetched.length, 1);
    await source.keysOf(unseen);
    assert.equal(fetched.length, 2);
    at += 600_000;
    await source.keysOf(ec);
    assert.deepEqual(fetched, [jwksUrl, jwksUrl, jwksUrl]);
    assert.equal(await source.keysOf({ ...ec, issuer: 'https://evil.example' }), undefined);
  });

  test('that cannot be fetched say nothing about a token: 503, try again', async () => {
    const down = remoteIssuers([trusted], async () => Promise.reject(new Error('down')));
    await assert.rejects(verifyOidcToken(down, token(), now), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(
        [error.code, error.details, error.headers],
        ['SERVICE_UNAVAILABLE', { cause: 'OIDC_ISSUER_UNREACHABLE' }, { 'retry-after': '5' }],
      );
      return /down/.test(String(error.cause));
    });
    assert.equal(await verifyOidcToken(down, token({ iss: 'https://evil.example' }), now), 'UNKNOWN_ISSUER');
  });

  test('a failed fetch is not cached', async () => {
    let fails = true;
    const source = remoteIssuers([trusted], async () => (fails ? Promise.reject(new Error('down')) : keys));
    await assert.rejects(source.keysOf(ec), /down/);
    fails = false;
    assert.equal(await source.keysOf(ec), keys);
  });

  test('stay cached when the fetch for an unknown key id fails, which is repeated after 30 s at the earliest', async () => {
    let at = 0;
    let fails = false;
    let fetches = 0;
    const source = remoteIssuers(
      [trusted],
      async () => {
        fetches += 1;
        return fails ? Promise.reject(new Error('down')) : keys;
      },
      () => at,
    );
    await source.keysOf(ec);
    fails = true;
    at = 30_000;
    assert.equal(await source.keysOf(unseen), keys);
    assert.equal(await source.keysOf(ec), keys);
    at = 59_999;
    assert.equal(await source.keysOf(unseen), keys);
    assert.equal(fetches, 2);
    at = 60_000;
    assert.deepEqual(await Promise.all([source.keysOf(unseen), source.keysOf(unseen)]), [keys, keys]);
    assert.equal(fetches, 3);
    // The keys are no younger for it.
    at = 600_000;
    await assert.rejects(source.keysOf(ec), /down/);
    fails = false;
    assert.equal(await source.keysOf(ec), keys);
    assert.equal(fetches, 5);
  });

  test('of several key sources the first that knows the issuer is used', async () => {
    const both = anyOfIssuers({ keysOf: async () => undefined }, issuers);
    assert.equal(await both.keysOf(ec), keys);
    assert.equal(await both.keysOf({ ...ec, audience: 'other-app' }), undefined);
  });
});
