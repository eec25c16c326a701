import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Passkey } from '../../../../src/domains/access/credentials/credential.js';
import { verifyAssertion, verifyAttestation } from '../../../../src/domains/access/credentials/passkey.js';
import { type AuthenticatorOptions, softwareAuthenticator } from '../../../support/authenticator.js';

const challenge = randomBytes(32);
const text = challenge.toString('base64url');
const signIn = 'a0b1c2d3';
const signInBytes = Buffer.from(signIn, 'utf8');

async function registered(options: AuthenticatorOptions = {}) {
  const authenticator = softwareAuthenticator(options);
  const passkey = await verifyAttestation(text, authenticator.create(challenge));
  assert.ok(passkey);
  return { authenticator, passkey };
}

const changed = (clientDataJson: string, members: Record<string, unknown>): string =>
  Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()), ...members })).toString('base64url');

describe('registration', () => {
  test('the passkey of a browser is read, with its RP ID', async () => {
    const { authenticator, passkey } = await registered();
    assert.equal(passkey.credentialId, authenticator.credentialId);
    assert.equal(passkey.rpId, 'example.com');
  });

  test('the page itself as RP ID, and localhost during development', async () => {
    assert.equal((await registered({ origin: 'https://example.com' })).passkey.rpId, 'example.com');
    assert.equal((await registered({ origin: 'http://localhost:3000', rpId: 'localhost' })).passkey.rpId, 'localhost');
  });

  test('refused: another challenge, another id, a foreign RP ID, an insecure page, the other ceremony', async () => {
    const { create } = softwareAuthenticator();
    const attestation = create(challenge);
    assert.equal(await verifyAttestation(randomBytes(32).toString('base64url'), attestation), undefined);
    assert.equal(await verifyAttestation(text, { ...attestation, credentialId: 'AAAA' }), undefined);
    assert.equal(await verifyAttestation(text, softwareAuthenticator({ rpId: 'example.org' }).create(challenge)), undefined);
    assert.equal(
      await verifyAttestation(text, softwareAuthenticator({ origin: 'http://wallet.example.com' }).create(challenge)),
      undefined,
    );
    const asSignIn = changed(attestation.clientDataJson, { type: 'webauthn.get' });
    assert.equal(await verifyAttestation(text, { ...attestation, clientDataJson: asSignIn }), undefined);
  });

  test('a host name has at most 253 characters: a longer one would be tried with each of its thousands of parents', async () => {
    const under = (labels: number) => softwareAuthenticator({ origin: `https://${'a.'.repeat(labels)}example.com` });
    assert.equal((await verifyAttestation(text, under(121).create(challenge)))?.rpId, 'example.com');
    assert.equal(await verifyAttestation(text, under(122).create(challenge)), undefined);
  });

  test('refused: anything that is not an attestation', async () => {
    const attestation = softwareAuthenticator().create(challenge);
    for (const broken of ['', 'AAAA', '!', Buffer.from('{}').toString('base64url'), Buffer.from('null').toString('base64url')]) {
      assert.equal(await verifyAttestation(text, { ...attestation, attestationObject: broken }), undefined);
      assert.equal(await verifyAttestation(text, { ...attestation, clientDataJson: broken }), undefined);
    }
  });

  test('refused: an attestation with certificates, because checking them would call addresses inside them', async () => {
    const attestation = softwareAuthenticator().create(challenge);
    const bytes = Buffer.from(attestation.attestationObject, 'base64url').toString('latin1');
    const fidoU2f = Buffer.from(bytes.replace('dnone', 'hfido-u2f'), 'latin1').toString('base64url');
    assert.equal(await verifyAttestation(text, { ...attestation, attestationObject: fidoU2f }), undefined);
  });
});

describe('sign-in', () => {
  test('the challenge is used as UTF-8 bytes; the counter increases', async () => {
    const { authenticator, passkey } = await registered();
    assert.equal(await verifyAssertion(passkey, signIn, authenticator.get(signInBytes)), 1);
    assert.equal(await verifyAssertion({ ...passkey, counter: 1 }, signIn, authenticator.get(signInBytes)), 2);
  });

  test('an assertion without user verification is accepted: presence is what is required', async () => {
    const { authenticator, passkey } = await registered({ userVerified: false });
    assert.equal(await verifyAssertion(passkey, signIn, authenticator.get(signInBytes)), 1);
  });

  test('a counter that does not grow is a copy of the authenticator', async () => {
    const { authenticator, passkey } = await registered();
    assert.equal(await verifyAssertion({ ...passkey, counter: 1 }, signIn, authenticator.get(signInBytes)), undefined);
  });

  test('another page of the same site may request a sign-in', async () => {
    const { authenticator, passkey } = await registered({ origin: 'https://other.example.com' });
    assert.equal(await verifyAssertion(passkey, signIn, authenticator.get(signInBytes)), 1);
  });

  test('refused: another challenge, another passkey, another RP ID, another page, a changed signature', async () => {
    const { authenticator, passkey } = await registered();
    const { passkey: foreign } = await registered();
    const assertion = authenticator.get(signInBytes);
    const cases: [string, Passkey, typeof assertion][] = [
      ['a0b1c2d4', passkey, assertion],
      [signIn, foreign, assertion],
      [signIn, { ...foreign, credentialId: passkey.credentialId }, assertion],
      [signIn, { ...passkey, rpId: 'wallet.example.com' }, assertion],
      [signIn, passkey, { ...assertion, clientDataJson: changed(assertion.clientDataJson, { origin: 'https://example.org' }) }],
      [signIn, passkey, { ...assertion, clientDataJson: changed(assertion.clientDataJson, { extra: 1 }) }],
      [signIn, passkey, { ...assertion, signature: 'AAAA' }],
      [signIn, passkey, { ...assertion, authenticatorData: 'AAAA' }],
    ];
    for (const [given, key, each] of cases) assert.equal(await verifyAssertion(key, given, each), undefined);
  });
});
