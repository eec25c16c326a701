// The end user's part: the key of a session, its stamps, and one-time codes encrypted for the service. WebCrypto, in Node and browsers.
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core';
import { type Bytes, base64url, concat, derOfRaw, fromBase64, fromHex, hex, rawOfDer, utf8 } from './bytes.js';
import type { Sign } from './calls.js';

const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const ECDSA = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Of WebCrypto. Its name is that of a type in the types of browsers, and not in every version of those of Node. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A session's key pair. The end user keeps the private key; the service receives the public key. */
export type SessionKey = {
  /** The compressed point, in hexadecimal. */
  readonly publicKey: string;
  readonly key: Key;
};

/** A session's key pair as text, for a file. */
export type StoredSessionKey = { readonly publicKey: string; readonly privateKey: string };

/** A new pair. Its private key cannot leave the crypto library, unless `extractable` is set. */
export async function newSessionKey({ extractable = false } = {}): Promise<SessionKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(P256, extractable, ['sign', 'verify']);
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));
  return { publicKey: hex(compressed(point)), key: privateKey };
}

const compressed = (point: Bytes): Bytes => concat(Uint8Array.of(2 + ((point[64] as number) & 1)), point.slice(1, 33));

/** The pair as text. Only of a key that is `extractable`. */
export async function exportSessionKey({ publicKey, key }: SessionKey): Promise<StoredSessionKey> {
  const { d = '' } = await crypto.subtle.exportKey('jwk', key);
  return { publicKey, privateKey: hex(fromBase64(d.replaceAll('-', '+').replaceAll('_', '/'))) };
}

/** PKCS #8 of a P-256 private key, up to its 32 bytes. */
const PKCS8_HEAD = fromHex('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420');

export async function importSessionKey({ publicKey, privateKey }: StoredSessionKey): Promise<SessionKey> {
  const key = await crypto.subtle.importKey('pkcs8', concat(PKCS8_HEAD, fromHex(privateKey.padStart(64, '0'))), P256, true, ['sign']);
  return { publicKey, key };
}

/** The value of `Service-Wallet-Signature` over a `payloadToSign`. */
export async function stamp({ publicKey, key }: SessionKey, payloadToSign: string): Promise<string> {
  const raw = new Uint8Array(await crypto.subtle.sign(ECDSA, key, utf8(payloadToSign)));
  return base64url(utf8(JSON.stringify({ publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature: hex(derOfRaw(raw)) })));
}

/** `sign` of a call: every signature that the call asks for, by one session. */
export const stamper =
  (session: SessionKey): Sign =>
  (payloadToSign) =>
    stamp(session, payloadToSign);

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });

/**
 * `encryptedOtpBundle`: a one-time code and the public key of the session, encrypted for the service. The bundle's signature is checked
 * with `quorumKey`, the key of the service that the app was shipped with; without it, with the key that the bundle names.
 */
export async function encryptOtp(
  otpEncryptionTargetBundle: string,
  { publicKey }: Pick<SessionKey, 'publicKey'>,
  code: string,
  { quorumKey }: { readonly quorumKey?: string } = {},
): Promise<string> {
  const bundle = JSON.parse(otpEncryptionTargetBundle) as { data: string; dataSignature: string; enclaveQuorumPublic: string };
  if (quorumKey !== undefined && quorumKey.toLowerCase() !== bundle.enclaveQuorumPublic.toLowerCase())
    throw new Error('the bundle is signed by another key than the expected one');
  const signer = await crypto.subtle.importKey('raw', fromHex(bundle.enclaveQuorumPublic), P256, false, ['verify']);
  const signature = rawOfDer(fromHex(bundle.dataSignature));
  const data = fromHex(bundle.data);
  if (!signature || !(await crypto.subtle.verify(ECDSA, signer, signature, data)))
    throw new Error('the signature of the bundle is not valid');
  const { targetPublic } = JSON.parse(new TextDecoder().decode(data)) as { targetPublic: string };
  const recipient = fromHex(targetPublic);
  const sender = await suite.createSenderContext({
    recipientPublicKey: await suite.kem.deserializePublicKey(recipient),
    info: utf8('turnkey_hpke'),
  });
  const encapsulated = new Uint8Array(sender.enc);
  const ciphertext = await sender.seal(utf8(JSON.stringify({ otp_code: code, public_key: publicKey })), concat(encapsulated, recipient));
  return JSON.stringify({ encappedPublic: hex(encapsulated), ciphertext: hex(new Uint8Array(ciphertext)) });
}
