// Platforms and their tokens: creating, configuring, authenticating.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Db, Tx } from '../../../db/pool.js';
import type { FindCaller } from '../../../http/authenticate.js';
import { PERMISSIONS, type Permission } from '../../../http/operation.js';
import { batchedBy } from '../../../kernel/batch.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Hooks } from '../../../kernel/hook.js';
import { idOf, newId, type PlatformId, type TokenId } from '../../../kernel/ids.js';
import type { JsonObject } from '../../../kernel/json.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { generateP256KeyPair } from '../../../providers/wallet-signer/p256.js';
import { openServiceAccounts } from '../../ledger/actions.js';
import { endpointSaved, findEndpointProblem } from '../webhooks/actions.js';
import { currenciesChanged } from './hooks.js';
import { createFindPlatform } from './keys.js';
import type { ApiToken, Mode, Platform } from './platform.js';
import { type ConfigPatch, changePlatform, findDeletableToken, type NewPlatform, newPlatform } from './rules.js';
import { parseConfigUpdate } from './schemas.js';
import {
  deleteToken,
  expireToken,
  findCredentials,
  findOrInsertSecret,
  findToken,
  insertPlatform,
  insertToken,
  lockPlatform,
  lockTokens,
  savePlatform,
  saveRestoredToken,
  type TokenHolder,
} from './store.js';

export { withClockLock } from '../../../db/named-locks.js';
export { type Clock, type ClockBounds, platformNow, readClock, readClockBounds, realNow, restartClockBounds, setClock } from './clock.js';
export { findDueJobs, findDueTimes } from './due-jobs-store.js';
export { claimKeys, createFindPlatform, findPlatformOfKey, insertKey } from './keys.js';
export {
  findPlatformByDomain,
  getPlatform,
  isTokenUsable,
  listPlatformIds,
  listPlatforms,
  lockPlatform,
  restorePlatformRow,
  savePlatform,
} from './store.js';

// ---- secrets of the installation

export type InstallationSecrets = {
  /** The key of the HMAC over token secrets: a stolen table reveals no secret. */
  readonly tokenPepper: Buffer;
  /** The key of the HMACs over request bodies and over codes that people type. */
  readonly requestHashKey: Buffer;
  /** P-256: signs the bundles that wallet clients encrypt to. */
  readonly walletQuorumKey: Buffer;
  /** P-256: signs the tokens of the sandbox's OpenID Connect issuer. */
  readonly sandboxIssuerKey: Buffer;
};

export type LateSecrets = InstallationSecrets & { load(db: Db, custody: KeyCustody): Promise<void> };

/** Secrets that are loaded after the migrations. The server is built before that, to answer that it is not ready. */
export function lateSecrets(): LateSecrets {
  const secrets = {
    tokenPepper: Buffer.alloc(0),
    requestHashKey: Buffer.alloc(0),
    walletQuorumKey: Buffer.alloc(0),
    sandboxIssuerKey: Buffer.alloc(0),
    load: async (db: Db, custody: KeyCustody) => void Object.assign(secrets, await installationSecrets(db, custody)),
  };
  return secrets;
}

export const secretContext = (name: string): string => `service ${name}`;

/** Reads the secrets of the installation and makes them on the first start. They stay the same when the key-encryption key is rotated. */
export async function installationSecrets(db: Db, custody: KeyCustody): Promise<InstallationSecrets> {
  const secret = (name: string, fresh: Buffer) =>
    db.transaction(async (tx) =>
      custody.open(await findOrInsertSecret(tx, name, custody.seal(fresh, secretContext(name))), secretContext(name)),
    );
  return {
    tokenPepper: await secret('token_pepper', randomBytes(32)),
    requestHashKey: await secret('request_hash_key', randomBytes(32)),
    walletQuorumKey: await secret('wallet_quorum_key', generateP256KeyPair().privateKey),
    sandboxIssuerKey: await secret('sandbox_issuer_key', generateP256KeyPair().privateKey),
  };
}

// ---- authentication

const hashSecret = (pepper: Buffer, secret: string): Buffer => createHmac('sha256', pepper).update(secret).digest();

/** Of no platform: an unknown client id is looked up in the same way as a known one. */
const NO_PLATFORM = idOf('Platform', '00000000-0000-0000-0000-000000000000');

/**
 * Checks credentials. Concurrent requests of a platform share one look-up. An id that is unknown, expired, deleted or of the other mode
 * takes as long as a wrong secret for an id that this process sees for the first time.
 */
export function createFindCaller(db: Db, secrets: InstallationSecrets, mode: Mode): FindCaller {
  const dummyHash = randomBytes(32);
  const findPlatform = createFindPlatform(db, 'API_CLIENT');
  const find = batchedBy(
    async (platformId: PlatformId, clientIds: readonly string[]) => {
      const known = new Map(
        (await findCredentials(db, mode, platformId, [...new Set(clientIds)])).map((credential) => [credential.client_id, credential]),
      );
      return clientIds.map((id) => known.get(id));
    },
    { lanes: 2 },
  );
  return async (clientId, secret) => {
    const isText = !clientId.includes('\u0000');
    const platformId = (isText ? await findPlatform(clientId) : undefined) ?? NO_PLATFORM;
    const credential = isText ? await find(platformId, clientId) : undefined;
    const matches = timingSafeEqual(hashSecret(secrets.tokenPepper, secret), credential?.secret_hash ?? dummyHash);
    if (!credential || !matches) return undefined;
    return { platformId, tokenId: idOf('Token', credential.id), permissions: credential.permissions, now: credential.now };
  };
}

// ---- platforms

export async function createPlatform(tx: Tx, request: NewPlatform, hooks: Hooks): Promise<Platform> {
  const platform = newPlatform(newId('Platform'), request);
  insertPlatform(tx, platform);
  await openAccounts(tx, hooks, platform, request.now);
  return platform;
}

export async function updatePlatformConfig(tx: Tx, platformId: PlatformId, now: Date, patch: ConfigPatch, hooks: Hooks): Promise<Platform> {
  const platform = await lockPlatform(tx, platformId);
  const endpointProblem = patch.webhookEndpoint === undefined ? undefined : findEndpointProblem(patch.webhookEndpoint, platform.mode);

  const changed = changePlatform(platform, patch, { endpointProblem, now });

  savePlatform(tx, platform, changed);
  if (patch.supportedCurrencies) await openAccounts(tx, hooks, changed, now);
  if (patch.webhookEndpoint !== undefined)
    endpointSaved(tx, platformId, now, { changed: changed.webhookEndpoint !== platform.webhookEndpoint });
  return changed;
}

/** The platform with the configuration of another one, apart from what belongs to that one alone: its endpoint and its domain. */
export function adoptConfig(platform: Platform, given: unknown, now: Date): Platform {
  const { umaDomain: _domain, webhookEndpoint: _endpoint, isRegulatedFinancialInstitution: _regulated, ...rest } = given as JsonObject;
  const patch = parseConfigUpdate(rest);
  const { umaDomain, supportedCurrencies, isRegulatedFinancialInstitution } = platform.config;
  const plain: Platform = { ...platform, config: { umaDomain, supportedCurrencies, isRegulatedFinancialInstitution } };
  return changePlatform(plain, patch, { endpointProblem: undefined, now });
}

/** The service-side accounts of every currency of the platform, then the platform's own accounts. */
export async function openAccounts(tx: Tx, hooks: Hooks, platform: Platform, now: Date): Promise<void> {
  const currencies = platform.config.supportedCurrencies.map(({ currencyCode }) => currencyCode);
  openServiceAccounts(tx, platform.id, currencies);
  for (const open of hooks.all(currenciesChanged)) await open(tx, platform, now);
}

// ---- tokens

export type NewToken = {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly now: Date;
  readonly credentials?: { clientId: string; secret: string };
};

/** A token and its secret, which is shown only now. */
export async function createToken(
  tx: Tx,
  pepper: Buffer,
  platformId: PlatformId,
  { name, permissions, now, credentials }: NewToken,
): Promise<{ token: ApiToken; secret: string }> {
  const clientId = credentials?.clientId ?? `tok_${randomBytes(12).toString('hex')}`;
  const secret = credentials?.secret ?? `sk_${randomBytes(32).toString('base64url')}`;
  const token: ApiToken = { id: newId('Token'), name, clientId, permissions, expiresAt: null, createdAt: now, updatedAt: now };
  insertToken(tx, platformId, token, hashSecret(pepper, secret));
  return { token, secret };
}

/** Makes a token usable again with the given secret, also if it was deleted or has expired. */
export function restoreToken(tx: Tx, pepper: Buffer, { platformId, id }: TokenHolder, secret: string): void {
  saveRestoredToken(tx, platformId, id, hashSecret(pepper, secret));
}

export async function getToken(tx: Pick<Tx, 'one' | 'many'>, platformId: PlatformId, id: TokenId | undefined): Promise<ApiToken> {
  const token = id && (await findToken(tx, platformId, id));
  if (!token) throw new ApiError('TOKEN_NOT_FOUND');
  return token;
}

export async function removeToken(tx: Tx, platformId: PlatformId, now: Date, id: TokenId | undefined): Promise<void> {
  const tokens = await lockTokens(tx, platformId);

  const token = findDeletableToken(tokens, id, now);

  deleteToken(tx, platformId, token.id, now);
}

/** A new token with every permission. The earlier ones expire at `until`. */
export async function rotateTokens(
  tx: Tx,
  pepper: Buffer,
  platformId: PlatformId,
  now: Date,
  until: Date,
): Promise<{ token: ApiToken; secret: string }> {
  const old = await lockTokens(tx, platformId);
  for (const token of old) expireToken(tx, platformId, token.id, until, now);
  return createToken(tx, pepper, platformId, { name: 'rotated', permissions: PERMISSIONS, now });
}
