import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decryptCredentialBundle, decryptExportBundle, encryptOtpCodeToBundle, formatHpkeBuf, hpkeEncrypt } from '@turnkey/crypto';
import { openOtpBundle, otpTargetBundle, sealSessionKey, sealWalletExport } from '../../../src/providers/wallet-signer/envelope.js';
import { generateP256KeyPair, type P256KeyPair, uncompressedPoint } from '../../../src/providers/wallet-signer/p256.js';

const quorum = generateP256KeyPair();
const target = generateP256KeyPair();
const client = generateP256KeyPair();
const quorumPublic = uncompressedPoint(quorum.publicKey).toString('hex');

/** Seals any text to the target as the client library does. */
const sealed = (plaintext: string, to: P256KeyPair = target): string =>
  formatHpkeBuf(hpkeEncrypt({ plainTextBuf: Buffer.from(plaintext), targetKeyBuf: uncompressedPoint(to.publicKey) }));

describe('encrypted bundle of a one-time password', () => {
  test('@turnkey/crypto accepts our target bundle, and we decrypt its bundle', async () => {
    const bundle = await encryptOtpCodeToBundle('000000', otpTargetBundle(quorum, target.publicKey), client.publicKey, quorumPublic);
    assert.deepEqual(await openOtpBundle(target, bundle), { otpCode: '000000', publicKey: client.publicKey });
  });

  test('a client that expects another quorum key refuses our target bundle', async () => {
    const bundle = otpTargetBundle(quorum, target.publicKey);
    const other = uncompressedPoint(generateP256KeyPair().publicKey).toString('hex');
    await assert.rejects(encryptOtpCodeToBundle('000000', bundle, client.publicKey, other), /does not match signer key/);
  });

  test('the signature covers the target key', async () => {
    const bundle = JSON.parse(otpTargetBundle(quorum, target.publicKey)) as Record<string, string>;
    const data = Buffer.from(JSON.stringify({ targetPublic: uncompressedPoint(client.publicKey).toString('hex') })).toString('hex');
    await assert.rejects(
      encryptOtpCodeToBundle('000000', JSON.stringify({ ...bundle, data }), client.publicKey, quorumPublic),
      /verification failed/,
    );
  });

  const contents = JSON.stringify({ otp_code: '000000', public_key: client.publicKey });
  const refused: Record<string, string> = {
    'sealed to another target': sealed(contents, client),
    'an uncompressed public key': sealed(
      JSON.stringify({ otp_code: '000000', public_key: uncompressedPoint(client.publicKey).toString('hex') }),
    ),
    'a public key off the curve': sealed(JSON.stringify({ otp_code: '000000', public_key: `02${'0'.repeat(63)}1` })),
    'no code': sealed(JSON.stringify({ public_key: client.publicKey })),
    'a code that is a number': sealed(JSON.stringify({ otp_code: 0, public_key: client.publicKey })),
    'contents that are not JSON': sealed('000000'),
    'not JSON': 'bundle',
    'a list': '[]',
    'no ciphertext': JSON.stringify({ encappedPublic: uncompressedPoint(client.publicKey).toString('hex') }),
    'an encapsulated key off the curve': sealed(contents).replace(/"encappedPublic":"04.{4}/, '"encappedPublic":"040000'),
    'a changed ciphertext': sealed(contents).replace(/..."}$/, '000"}'),
  };
  for (const [name, bundle] of Object.entries(refused)) {
    test(`${name} is refused`, async () => assert.equal(await openOtpBundle(target, bundle), undefined));
  }
});

test('@turnkey/crypto decrypts encryptedSessionSigningKey with its client key and with no other', async () => {
  const session = generateP256KeyPair();
  const bundle = await sealSessionKey(client.publicKey, session.privateKey);
  assert.equal(decryptCredentialBundle(bundle, client.privateKey.toString('hex')), session.privateKey.toString('hex'));
  assert.throws(() => decryptCredentialBundle(bundle, target.privateKey.toString('hex')));
});

test('@turnkey/crypto decrypts encryptedWalletCredentials to the recovery phrase and the organization', async () => {
  const recoveryPhrase = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
  const exportBundle = await sealWalletExport(quorum, client.publicKey, 'InternalAccount:1', recoveryPhrase);
  const open = (organizationId: string) =>
    decryptExportBundle({
      exportBundle,
      organizationId,
      embeddedKey: client.privateKey.toString('hex'),
      dangerouslyOverrideSignerPublicKey: quorumPublic,
      returnMnemonic: true,
    });
  assert.equal(await open('InternalAccount:1'), recoveryPhrase);
  await assert.rejects(open('InternalAccount:2'), /organization id does not match/);
});

test('without a quorum key "dataSignature and enclaveQuorumPublic are empty strings"', async () => {
  const { version, data, ...signature } = JSON.parse(await sealWalletExport(undefined, client.publicKey, 'InternalAccount:1', 'words'));
  assert.equal(version, 'v1.0.0');
  assert.match(data, /^[0-9a-f]+$/);
  assert.deepEqual(signature, { dataSignature: '', enclaveQuorumPublic: '' });
});
