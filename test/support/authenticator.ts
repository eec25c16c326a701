// A software passkey authenticator with the interface of a browser: P-256, attestation 'none', results in base64url.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export type AuthenticatorOptions = { origin?: string; rpId?: string; userVerified?: boolean };

export function softwareAuthenticator({
  origin = 'https://wallet.example.com',
  rpId = 'example.com',
  userVerified = true,
}: AuthenticatorOptions = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const credentialId = randomBytes(32);
  const flagsOf = (isVerified: boolean) => 0x01 | (isVerified ? 0x04 : 0);
  let counter = 0;

  const clientData = (type: string, challenge: Buffer): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge: challenge.toString('base64url'), origin, crossOrigin: false }));
  const authenticatorData = (flags: number, attested = Buffer.alloc(0)): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.of(flags), count, attested]);
  };

  return {
    credentialId: credentialId.toString('base64url'),

    /** `navigator.credentials.create` with this challenge. */
    create(challenge: Buffer) {
      const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string };
      const coseKey = cborMap([
        [cborInt(1), cborInt(2)],
        [cborInt(3), cborInt(-7)],
        [cborInt(-1), cborInt(1)],
        [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
        [cborInt(-3), cborBytes(Buffer.from(y, 'base64url'))],
      ]);
      const idLength = Buffer.alloc(2);
      idLength.writeUInt16BE(credentialId.length);
      const attested = Buffer.concat([Buffer.alloc(16), idLength, credentialId, coseKey]);
      const attestationObject = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(authenticatorData(flagsOf(userVerified) | 0x40, attested))],
      ]);
      return {
        credentialId: credentialId.toString('base64url'),
        clientDataJson: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal' as const],
      };
    },

    /** `navigator.credentials.get` with this challenge. */
    get(challenge: Buffer, isVerified = userVerified) {
      counter += 1;
      const client = clientData('webauthn.get', challenge);
      const data = authenticatorData(flagsOf(isVerified));
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return {
        credentialId: credentialId.toString('base64url'),
        clientDataJson: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      };
    },
  };
}

export type SoftwareAuthenticator = ReturnType<typeof softwareAuthenticator>;

// The subset of CBOR that an authenticator writes.
const cborHead = (major: number, value: number): Buffer => {
  if (value < 24) return Buffer.of((major << 5) | value);
  return value < 256 ? Buffer.of((major << 5) | 24, value) : Buffer.of((major << 5) | 25, value >> 8, value & 0xff);
};
const cborInt = (value: number): Buffer => (value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value));
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string): Buffer => Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)]);
const cborMap = (entries: [Buffer, Buffer][]): Buffer => Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);
