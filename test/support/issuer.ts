// The processor of a card issuer: its credentials, and requests signed with them.
import { createHmac } from 'node:crypto';
import { type Answer, type Client, expectStatus } from './client.js';

export type IssuerKey = { readonly id: string; readonly keyId: string; readonly secret: string };

/** The headers of a request that is signed now, or at another time. */
export function issuerHeaders(
  { keyId, secret }: Pick<IssuerKey, 'keyId' | 'secret'>,
  body: string | Buffer,
  atMs: number = Date.now(),
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return { 'issuer-key-id': keyId, 'issuer-timestamp': timestamp, 'issuer-signature': signature };
}

export const newIssuerKey = (platform: Client, program = 'service_full'): Promise<IssuerKey> =>
  expectStatus(201, platform.post('/sandbox/issuer-credentials', { program }));

const made = new WeakMap<Client, Map<string, Promise<IssuerKey>>>();

/** A credential for a program of the platform, made at its first use. */
export function issuerKeyOf(platform: Client, program = 'service_full'): Promise<IssuerKey> {
  const keys = made.get(platform) ?? new Map<string, Promise<IssuerKey>>();
  made.set(platform, keys);
  const key = keys.get(program) ?? newIssuerKey(platform, program);
  keys.set(program, key);
  return key;
}

/** Sends a request of the processor, signed. */
export async function issuerPost(
  platform: Client,
  path: string,
  body: unknown,
  { program = 'service_full', headers = {} }: { readonly program?: string; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const text = JSON.stringify(body);
  return platform.post(path, text, { headers: { ...issuerHeaders(await issuerKeyOf(platform, program), text), ...headers } });
}
