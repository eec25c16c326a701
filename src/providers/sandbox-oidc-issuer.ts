// The OpenID Connect issuer of the sandbox: signs tokens on request, with a key that the service publishes.
import { createPublicKey, sign } from 'node:crypto';
import { ANY_SIGNATURE, type Jwk, type OidcIssuers } from './oidc.js';
import { type P256KeyPair, privateKeyObject, publicKeyObject, sha256Hex } from './wallet-signer/p256.js';

export const SANDBOX_ISSUER = 'https://issuer.sandbox.switchyard.test';
const LIFE_S = 300;

export type SandboxClaims = {
  readonly audience: string;
  readonly subject: string;
  readonly nonce?: string;
  readonly email?: string;
};

export const sandboxJwk = ({ publicKey }: P256KeyPair): Jwk => ({
  ...createPublicKey(publicKeyObject(publicKey).export({ type: 'spki', format: 'pem' })).export({ format: 'jwk' }),
  kid: sha256Hex(publicKey).slice(0, 16),
  use: 'sig',
  alg: 'ES256',
});

/** A test cannot have these sign for its users, so the sandbox plays them: their tokens are checked except for the signature. */
const PLAYED_ISSUERS = new Set(['https://accounts.google.com', 'accounts.google.com', 'https://appleid.apple.com']);

/** The sandbox trusts its own issuer and plays the well-known ones, for any audience. */
export const sandboxIssuers = (key: () => P256KeyPair): OidcIssuers => ({
  keysOf: async ({ issuer }) => (issuer === SANDBOX_ISSUER ? [sandboxJwk(key())] : PLAYED_ISSUERS.has(issuer) ? ANY_SIGNATURE : undefined),
});

export function mintSandboxToken(key: P256KeyPair, { audience, subject, nonce, email }: SandboxClaims, now: Date): string {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const encode = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const header = encode({ alg: 'ES256', kid: sandboxJwk(key).kid, typ: 'JWT' });
  const claims = encode({ iss: SANDBOX_ISSUER, aud: audience, sub: subject, iat: issuedAt, exp: issuedAt + LIFE_S, nonce, email });
  const signature = sign('sha256', Buffer.from(`${header}.${claims}`), {
    key: privateKeyObject(key.privateKey),
    dsaEncoding: 'ieee-p1363',
  });
  return `${header}.${claims}.${signature.toString('base64url')}`;
}
