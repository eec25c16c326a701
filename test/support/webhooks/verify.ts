// Verifies signatures with the public keys and node:crypto alone, as the guide shows.
import { createPublicKey, verify } from 'node:crypto';

type Headers = Readonly<Record<string, string | string[] | undefined>>;
const text = (headers: Headers, name: string): string => String(headers[name] ?? '');

export const verifyServiceSignature = (pem: string, headers: Headers, body: Buffer): boolean =>
  ['x-service-signature', 'x-service-signature-next'].some((name) =>
    verify('sha256', body, createPublicKey(pem), Buffer.from(text(headers, name), 'base64')),
  );

export function verifyStandardSignature(whpk: string, headers: Headers, body: Buffer): boolean {
  const x = Buffer.from(whpk.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const content = Buffer.concat([Buffer.from(`${text(headers, 'webhook-id')}.${text(headers, 'webhook-timestamp')}.`), body]);
  const signatures = text(headers, 'webhook-signature')
    .split(' ')
    .filter((one) => one.startsWith('v1a,'));
  return signatures.some((one) => verify(null, content, key, Buffer.from(one.slice('v1a,'.length), 'base64')));
}
