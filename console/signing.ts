// Test sessions of embedded wallets, in this tab. The keys are made by the browser, cannot be read by scripts, and end with the page.
import type { SessionKey } from '../client/signing.ts';
import { ApiFailure, call, type Item, list, send } from './api.ts';

const load = () => import('../client/signing.ts');

/** WebCrypto exists on https and loopback addresses only. */
export const canSign = (): boolean => globalThis.crypto?.subtle !== undefined;

/** The one-time code of every sandbox. */
const CODE = '000000';

const sessions = new Map<string, { readonly key: SessionKey; readonly expiresAt: string }>();

/** Signs in to a wallet with a one-time code: challenge, encrypted code, signed retry. */
async function signIn(accountId: string): Promise<SessionKey> {
  const { encryptOtp, newSessionKey, stamp } = await load();
  const credentials = await list('/auth/credentials', new URLSearchParams({ accountId }));
  const credential = credentials.data.find(({ type }) => /OTP$/.test(String(type)));
  if (!credential)
    throw new ApiFailure(409, { code: 'NO_CREDENTIAL', reason: 'This wallet has no credential with a one-time code. Add one first.' }, '');
  const path = `/auth/credentials/${encodeURIComponent(String(credential['id']))}`;
  const challenge = await call('POST', `${path}/challenge`, {});
  const key = await newSessionKey();
  const bundle = await encryptOtp(String(challenge['otpEncryptionTargetBundle']), key, CODE);
  const body = { type: credential['type'], encryptedOtpBundle: bundle };
  const asked = await call('POST', `${path}/verify`, body);
  const headers = {
    'service-wallet-signature': await stamp(key, String(asked['payloadToSign'])),
    'request-id': String(asked['requestId']),
  };
  const { body: opened } = await send('POST', `${path}/verify`, body, headers);
  sessions.set(accountId, { key, expiresAt: String(opened['expiresAt']) });
  return key;
}

/** A signature by a session of the wallet. It is opened when there is none, and again when the service has ended it. */
export async function signFor(accountId: string, payload: string): Promise<string> {
  const { stamp } = await load();
  const { data } = await list('/auth/sessions', new URLSearchParams({ accountId }));
  const known = sessions.get(accountId);
  const isOpen = known !== undefined && data.some((one: Item) => one['expiresAt'] === known.expiresAt);
  return stamp(isOpen ? known.key : await signIn(accountId), payload);
}
