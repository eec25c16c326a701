// Encrypted messages between the signer and a client: HPKE base mode, P-256 / HKDF-SHA256 / AES-256-GCM, and bundles signed by the quorum key.
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { assert } from '../../kernel/errors.js';
import { decodeUtf8, type Json, parseJson } from '../../kernel/json.js';
import { isCompressed, type P256KeyPair, parsePublicKey, signP256, uncompressedPoint } from './p256.js';

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
const INFO = new TextEncoder().encode('turnkey_hpke');
const base58check = createBase58check(sha256);
const HEX = /^(?:[0-9a-f]{2})+$/i;

type Sealed = { readonly encappedPublic: Buffer; readonly ciphertext: Buffer };

/** Encapsulated key, then recipient key, both uncompressed. */
const associatedData = (encappedPublic: Uint8Array, recipient: Uint8Array): ArrayBuffer =>
  Uint8Array.from([...encappedPublic, ...recipient]).buffer;

async function sealTo(publicKey: string, plaintext: Buffer): Promise<Sealed> {
  const recipient = uncompressedPoint(publicKey);
  const recipientPublicKey = await suite.kem.deserializePublicKey(Uint8Array.from(recipient));
  const sender = await suite.createSenderContext({ recipientPublicKey, info: INFO });
  const encappedPublic = Buffer.from(sender.enc);
  const ciphertext = await sender.seal(Uint8Array.from(plaintext), associatedData(encappedPublic, recipient));
  return { encappedPublic, ciphertext: Buffer.from(ciphertext) };
}

async function openWith(pair: P256KeyPair, { encappedPublic, ciphertext }: Sealed): Promise<Buffer> {
  const recipientKey = await suite.kem.importKey('raw', Uint8Array.from(pair.privateKey).buffer, false);
  const recipient = await suite.createRecipientContext({ recipientKey, enc: Uint8Array.from(encappedPublic), info: INFO });
  return Buffer.from(await recipient.open(Uint8Array.from(ciphertext), associatedData(encappedPublic, uncompressedPoint(pair.publicKey))));
}

/** A JSON text signed by the quorum key, so that a client can check its origin. Without a key the members of the signature are empty. */
export function signedBundle(quorum: P256KeyPair | undefined, data: Readonly<Record<string, string>>): string {
  const bytes = Buffer.from(JSON.stringify(data), 'utf8');
  return JSON.stringify({
    version: 'v1.0.0',
    data: bytes.toString('hex'),
    dataSignature: quorum ? signP256(quorum.privateKey, bytes).toString('hex') : '',
    enclaveQuorumPublic: quorum ? uncompressedPoint(quorum.publicKey).toString('hex') : '',
  });
}

/** `otpEncryptionTargetBundle`: the key that clients encrypt an OTP to. */
export const otpTargetBundle = (quorum: P256KeyPair, targetPublicKey: string): string =>
  signedBundle(quorum, { targetPublic: uncompressedPoint(targetPublicKey).toString('hex') });

export type OtpBundle = { readonly otpCode: string; readonly publicKey: string };

/** Opens `encryptedOtpBundle`; undefined when it cannot be opened or does not hold a code and a compressed public key. */
export async function openOtpBundle(target: P256KeyPair, bundle: string): Promise<OtpBundle | undefined> {
  try {
    const { encappedPublic, ciphertext } = textMembers(parseJson(bundle));
    if (!encappedPublic || !ciphertext || !HEX.test(ciphertext)) return undefined;
    const sender = parsePublicKey(encappedPublic);
    if (!sender) return undefined;
    const plaintext = await openWith(target, { encappedPublic: uncompressedPoint(sender), ciphertext: Buffer.from(ciphertext, 'hex') });
    const { otp_code: otpCode, public_key: key } = textMembers(parseJson(decodeUtf8(plaintext)));
    const publicKey = key && isCompressed(key) ? parsePublicKey(key) : undefined;
    return otpCode && publicKey ? { otpCode, publicKey } : undefined;
  } catch {
    return undefined;
  }
}

const textMembers = (json: Json): Record<string, string | undefined> =>
  json !== null && typeof json === 'object' && !Array.isArray(json)
    ? Object.fromEntries(Object.entries(json).filter((member): member is [string, string] => typeof member[1] === 'string'))
    : {};

/** `encryptedSessionSigningKey`: the private key of a session that the service made for a client with an uncompressed key. */
export async function sealSessionKey(clientPublicKey: string, privateKey: Buffer): Promise<string> {
  const { encappedPublic, ciphertext } = await sealTo(clientPublicKey, privateKey);
  const sender = parsePublicKey(encappedPublic.toString('hex'));
  assert(sender, 'an encapsulated key is a point on the curve');
  return base58check.encode(Buffer.concat([Buffer.from(sender, 'hex'), ciphertext]));
}

/** `encryptedWalletCredentials`: the recovery phrase of a wallet, sealed to the client and signed by the quorum key, if there is one. */
export async function sealWalletExport(
  quorum: P256KeyPair | undefined,
  clientPublicKey: string,
  organizationId: string,
  recoveryPhrase: string,
): Promise<string> {
  const { encappedPublic, ciphertext } = await sealTo(clientPublicKey, Buffer.from(recoveryPhrase, 'utf8'));
  return signedBundle(quorum, { encappedPublic: encappedPublic.toString('hex'), ciphertext: ciphertext.toString('hex'), organizationId });
}
