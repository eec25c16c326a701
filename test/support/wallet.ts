// An end user with an embedded wallet, simulated with the client libraries of wallet apps.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { encryptOtpCodeToBundle, generateP256KeyPair, hpkeDecrypt } from '@turnkey/crypto';
import type { Db } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import type { Card, CardStatus } from '../../src/domains/cards/cards/card.js';
import { insertCard } from '../../src/domains/cards/cards/store.js';
import { idOf, newId, uuidOf } from '../../src/kernel/ids.js';
import { type SoftwareAuthenticator, softwareAuthenticator } from './authenticator.js';
import { type Answer, type Client, expectStatus } from './client.js';
import { given } from './given.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

export type Keys = { readonly publicKey: string; readonly publicKeyUncompressed: string; readonly privateKey: string };
export type Wallet = {
  readonly platform: Client;
  readonly customer: Resource;
  readonly account: Resource;
  readonly credential: Resource;
  readonly session: Resource;
  /** The key pair of the session, kept by the end user. */
  readonly keys: Keys;
};

export const newKeys = (): Keys => generateP256KeyPair();
export const SANDBOX_OTP = '000000';

/** A stamp as @turnkey/api-key-stamper makes it. */
export async function stamp(keys: Keys, payload: string): Promise<string> {
  const stamper = new ApiKeyStamper({ apiPublicKey: keys.publicKey, apiPrivateKey: keys.privateKey });
  return (await stamper.stamp(payload)).stampHeaderValue;
}

export const signatureHeaders = (stampText: string, requestId: string): Record<string, string> => ({
  'Service-Wallet-Signature': stampText,
  'Request-Id': requestId,
});

export type Challenged = { readonly payloadToSign: string; readonly requestId: string };

/** The signed retry of a call that answered 202: the same body, with a stamp over `payloadToSign`. */
export async function retry(
  platform: Client,
  method: string,
  path: string,
  body: unknown,
  challenge: Challenged,
  keys: Keys,
): Promise<Answer> {
  const headers = signatureHeaders(await stamp(keys, challenge.payloadToSign), challenge.requestId);
  return platform.request(method, path, body, { headers });
}

/** The initial call and the signed retry. */
export async function signed(
  { platform, keys }: Pick<Wallet, 'platform' | 'keys'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const challenge = await expectStatus(202, platform.request(method, path, body));
  return retry(platform, method, path, body, challenge, keys);
}

/** Encrypts an OTP for a target bundle. A real client pins the service's quorum key; this one reads it from the bundle. */
export function encryptOtp(bundle: string, keys: Keys, code = SANDBOX_OTP): Promise<string> {
  const { enclaveQuorumPublic } = JSON.parse(bundle) as { enclaveQuorumPublic: string };
  return encryptOtpCodeToBundle(code, bundle, keys.publicKey, enclaveQuorumPublic);
}

/** What is in `encryptedWalletCredentials`. Nothing is checked: the envelope of the sandbox is not signed. */
export function openExport(bundle: string, { privateKey }: Keys): { readonly recoveryPhrase: string; readonly organizationId: string } {
  const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
  const { data } = JSON.parse(bundle) as { data: string };
  const { encappedPublic, ciphertext, organizationId } = JSON.parse(Buffer.from(data, 'hex').toString('utf8')) as Record<string, string>;
  assert.ok(encappedPublic && ciphertext && organizationId, data);
  const sealed = { ciphertextBuf: bytes(ciphertext), encappedKeyBuf: bytes(encappedPublic), receiverPriv: privateKey };
  return { recoveryPhrase: Buffer.from(hpkeDecrypt(sealed)).toString('utf8'), organizationId };
}

/** Requests a code and returns the body of its verification. */
export async function otpBody(platform: Client, credential: Resource, keys: Keys, code = SANDBOX_OTP) {
  const { otpEncryptionTargetBundle } = await expectStatus(200, platform.post(`/auth/credentials/${credential.id}/challenge`));
  return { type: credential.type, encryptedOtpBundle: await encryptOtp(otpEncryptionTargetBundle, keys, code) };
}

/** Signs in with a one-time password: challenge, initial call, signed retry. */
export async function signInWithOtp(platform: Client, credential: Resource, keys = newKeys()): Promise<{ answer: Answer; keys: Keys }> {
  const body = await otpBody(platform, credential, keys);
  return { answer: await signed({ platform, keys }, 'POST', `/auth/credentials/${credential.id}/verify`, body), keys };
}

/** A customer with a USDB account whose EMAIL_OTP credential waits to be verified. */
export async function unprovisionedWallet(
  platform: Client,
  fields: Record<string, unknown> = {},
): Promise<Omit<Wallet, 'session' | 'keys'>> {
  const customer = await given(platform).customer(fields);
  const account = await given(platform).account(customer, 'USDB');
  assert.equal(account.type, 'EMBEDDED_WALLET');
  const { data } = await expectStatus(200, platform.get(`/auth/credentials?accountId=${account.id}`));
  return { platform, customer, account, credential: data[0] };
}

/** A customer with a USDB account and a session. */
export async function wallet(platform: Client, fields: Record<string, unknown> = {}): Promise<Wallet> {
  const unprovisioned = await unprovisionedWallet(platform, fields);
  const { answer, keys } = await signInWithOtp(platform, unprovisioned.credential);
  assert.equal(answer.status, 200, answer.text);
  return { ...unprovisioned, session: answer.body, keys };
}

/** Adds a credential to a wallet, signed by the owner. */
export async function addCredential(owner: Wallet, body: Record<string, unknown>): Promise<Resource> {
  const answer = await signed(owner, 'POST', '/auth/credentials', { accountId: owner.account.id, ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** The request body that registers a passkey of this authenticator. */
export function passkeyBody(authenticator: SoftwareAuthenticator, nickname = "Ada's phone") {
  const challenge = randomBytes(32);
  return { type: 'PASSKEY', nickname, challenge: challenge.toString('base64url'), attestation: authenticator.create(challenge) };
}

/** The verification request of a passkey. */
export async function passkeyAssertion(
  platform: Client,
  credential: Resource,
  authenticator: SoftwareAuthenticator,
  clientPublicKey: string,
) {
  const { challenge, requestId } = await expectStatus(
    200,
    platform.post(`/auth/credentials/${credential.id}/challenge`, { clientPublicKey }),
  );
  const assertion = authenticator.get(Buffer.from(challenge, 'utf8'));
  return { body: { type: 'PASSKEY', assertion }, headers: { 'Request-Id': requestId as string } };
}

export async function signInWithPasskey(platform: Client, credential: Resource, authenticator: SoftwareAuthenticator, keys = newKeys()) {
  const { body, headers } = await passkeyAssertion(platform, credential, authenticator, keys.publicKey);
  return { answer: await platform.post(`/auth/credentials/${credential.id}/verify`, body, { headers }), keys };
}

/** An OIDC token of the sandbox issuer. */
export async function oidcToken(
  platform: Client,
  claims: { subject: string; audience?: string; nonce?: string; email?: string },
): Promise<string> {
  return (await expectStatus(201, platform.post('/sandbox/oidc/tokens', { audience: 'wallet-app', ...claims }))).oidcToken;
}

export const nonceOf = (clientPublicKey: string): string => createHash('sha256').update(clientPublicKey).digest('hex');

/** A second credential with its own session, so that the first can be revoked. */
export async function secondSession(owner: Wallet): Promise<{ credential: Resource; session: Resource; keys: Keys }> {
  const authenticator = softwareAuthenticator();
  const credential = await addCredential(owner, passkeyBody(authenticator));
  const { answer, keys } = await signInWithPasskey(owner.platform, credential, authenticator);
  assert.equal(answer.status, 200, answer.text);
  return { credential, session: answer.body, keys };
}

/** A card funded by the wallet, in this status. */
export async function cardOf(db: Db, owner: Pick<Wallet, 'account' | 'customer'>, status: CardStatus = 'PENDING'): Promise<Resource> {
  const platformId = idOf(
    'Platform',
    (await db.one<{ id: string }>(sql`select platform_id as id from internal_accounts where id = ${uuidOf(owner.account.id)}`))?.id ?? '',
  );
  const now = new Date(owner.account.createdAt);
  const card: Card = {
    id: newId('Card'),
    customerId: owner.customer.id,
    platformCardId: newId('Card'),
    status,
    statusReason: status === 'PENDING' ? 'DELEGATION_REQUIRED' : status === 'CLOSED' ? 'CLOSED_BY_PLATFORM' : null,
    program: 'service_full',
    form: 'VIRTUAL',
    currency: 'USD',
    fundingAccountId: owner.account.id,
    fundingCurrency: owner.account.balance.currency.code,
    fundingSourceId: newId('CardFundingSource'),
    maxSpendPerTransaction: null,
    maxSpendPerDay: null,
    maxTransactionsPerDay: null,
    pinStatus: 'NOT_SET',
    details: null,
    version: 1,
    provisioningDueAt: status === 'PROCESSING' ? new Date('2100-01-01T00:00:00Z') : null,
    createdAt: now,
    updatedAt: now,
  };
  await db.transaction(async (tx) => insertCard(tx, platformId, card, { cause: 'ISSUED', tokenId: null }));
  return card;
}

export const statusOf = async (db: Db, card: Resource): Promise<{ status: string; statusReason: string | null } | undefined> =>
  db.one(sql`select status, status_reason as "statusReason" from cards where id = ${uuidOf(card.id)}`);

export const delegationBody = (owner: Pick<Wallet, 'account'>, card: Resource) => ({
  cardId: card.id,
  internalAccountId: owner.account.id,
  nickname: 'Groceries',
});

/** The first two calls. The key is PENDING; returns the challenge of the third call. */
export async function halfDelegated(owner: Wallet, card: Resource): Promise<Challenged> {
  const answer = await signed(owner, 'POST', '/auth/delegated-keys', delegationBody(owner, card));
  assert.equal(answer.status, 202, answer.text);
  return answer.body;
}

/** All three calls. Returns the ACTIVE delegated key. */
export async function delegate(owner: Wallet, card: Resource): Promise<Resource> {
  const challenge = await halfDelegated(owner, card);
  const answer = await retry(owner.platform, 'POST', '/auth/delegated-keys', delegationBody(owner, card), challenge, owner.keys);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}
