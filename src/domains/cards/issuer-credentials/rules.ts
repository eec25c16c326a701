// Key ids of issuer credentials, and when a request is proven.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { idOf, type PlatformId, parseId, uuidOf } from '../../../kernel/ids.js';
import type { Expected, IssuerCredentialId, Offered } from './issuer-credential.js';

// ---- key ids

export type KeyNames = { readonly platformId: PlatformId; readonly id: IssuerCredentialId };

/** The key id names the platform, so that a credential is looked up among those of its platform only. */
export const keyIdOf = ({ platformId, id }: KeyNames): string => `issuer_${uuidOf(platformId)}_${uuidOf(id)}`;

export function parseKeyId(text: string): KeyNames | undefined {
  const [prefix, platform = '', credential = '', ...rest] = text.split('_');
  const platformId = parseId('Platform', idOf('Platform', platform));
  const id = parseId('IssuerCredential', idOf('IssuerCredential', credential));
  return prefix === 'issuer' && rest.length === 0 && platformId && id ? { platformId, id } : undefined;
}

// ---- proofs

/** A signed request is accepted this long before and after the time it names. */
export const REPLAY_WINDOW_SECONDS = 300;

export const signatureOf = (secret: Buffer | string, timestamp: string, body: Buffer): Buffer =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();

/** `at`: the real time. A platform's clock can be moved, the issuer's cannot. */
export function isProven({ secret, certificateSha256 }: Expected, offered: Offered, at: Date): boolean {
  if (secret) return isSigned(secret, offered, at);
  const presented = parseFingerprint(offered.certificate);
  return certificateSha256 !== null && presented !== undefined && timingSafeEqual(presented, certificateSha256);
}

function isSigned(secret: Buffer, { timestamp, signature, body }: Offered, at: Date): boolean {
  const sent = /^[0-9a-f]{64}$/.test(signature) ? Buffer.from(signature, 'hex') : undefined;
  const matches = sent !== undefined && timingSafeEqual(sent, signatureOf(secret, timestamp, body));
  const isCurrent = /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) - at.getTime() / 1000) <= REPLAY_WINDOW_SECONDS;
  return matches && isCurrent;
}

/** A SHA-256 fingerprint in hex, in either case, with or without colons. */
export function parseFingerprint(text: string): Buffer | undefined {
  const hex = text.replaceAll(':', '');
  return /^[0-9A-Fa-f]{64}$/.test(hex) ? Buffer.from(hex, 'hex') : undefined;
}
