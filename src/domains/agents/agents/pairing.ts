// Pairs an agent: a device code is issued to the platform, and redeemed by the agent for its access token.
import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Db, Tx } from '../../../db/pool.js';
import type { FindAgent } from '../../../http/authenticate.js';
import { batchedBy } from '../../../kernel/batch.js';
import { ApiError } from '../../../kernel/errors.js';
import { type AgentId, idOf, type PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import { createFindPlatform, findPlatformOfKey, type InstallationSecrets, insertKey } from '../../core/platform/actions.js';
import type { Mode } from '../../core/platform/platform.js';
import type { Agent, DeviceCode } from './agent.js';
import { CODE_ALPHABET, CODE_LENGTH, CODE_LIFE_MS, codeOf, readCode, refuseConnected, refuseSpentCode } from './rules.js';
import {
  type AgentCredential,
  findAgentCredentials,
  findCode,
  findPlatformTime,
  insertCode,
  lockAgent,
  markRedeemed,
  replaceCodes,
  saveToken,
} from './store.js';

export type PairingDeps = { readonly secrets: Pick<InstallationSecrets, 'tokenPepper'> };

/** Keyed, so that a stolen table reveals neither a token nor a code. */
const hashOf = ({ secrets }: PairingDeps, kind: 'token' | 'device code', text: string): Buffer =>
  createHmac('sha256', secrets.tokenPepper).update(`agent ${kind}\0${text}`).digest();

// ---- access tokens

const TOKEN_FORM = /^gat_[0-9a-f]{64}$/;
const newToken = (): string => `gat_${randomBytes(32).toString('hex')}`;

/** Checks access tokens. Concurrent requests of a platform share one look-up. */
export function createFindAgent(db: Db, secrets: PairingDeps['secrets'], mode: Mode): FindAgent {
  const findPlatform = createFindPlatform(db, 'AGENT_TOKEN');
  const find = batchedBy(
    async (platformId: PlatformId, hashes: readonly Buffer[]) => {
      const known = new Map<string, AgentCredential>();
      for (const credential of await findAgentCredentials(db, mode, platformId, hashes))
        known.set(credential.token_hash.toString('hex'), credential);
      return hashes.map((hash) => known.get(hash.toString('hex')));
    },
    { lanes: 2 },
  );
  return async (accessToken) => {
    const hash = hashOf({ secrets }, 'token', accessToken);
    const platformId = TOKEN_FORM.test(accessToken) ? await findPlatform(hash.toString('hex')) : undefined;
    const credential = platformId && (await find(platformId, hash));
    if (!credential || !timingSafeEqual(credential.token_hash, hash)) return undefined;
    return {
      platformId,
      agentId: idOf('Agent', credential.id),
      customerId: idOf('Customer', credential.customer_id),
      isPaused: credential.is_paused,
      permissions: credential.permissions,
      now: credential.now,
    };
  };
}

// ---- device codes

/** A code that is shown now and never again. */
export type NewCode = DeviceCode & { readonly code: string };

export function issueCode(deps: PairingDeps, tx: Tx, platformId: PlatformId, agentId: AgentId, now: Date): NewCode {
  const signs = Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
  const code = codeOf(signs);
  const issued: DeviceCode = { agentId, state: 'OPEN', expiresAt: plusMs(now, CODE_LIFE_MS) };
  const hash = hashOf(deps, 'device code', code);
  insertKey(tx, platformId, 'DEVICE_CODE', hash.toString('hex'));
  insertCode(tx, platformId, hash, issued, now);
  return { ...issued, code };
}

export async function regenerateCode(
  deps: PairingDeps,
  tx: Tx,
  platformId: PlatformId,
  id: AgentId | undefined,
  now: Date,
): Promise<NewCode> {
  const agent = await lockAgent(tx, platformId, id);
  refuseConnected(agent);
  replaceCodes(tx, platformId, agent.id);
  return issueCode(deps, tx, platformId, agent.id, now);
}

export async function readCodeStatus(
  deps: PairingDeps,
  tx: Pick<Tx, 'one' | 'many'>,
  platformId: PlatformId,
  text: string,
): Promise<DeviceCode & { readonly code: string }> {
  const code = readCode(text);
  const known = code && (await findCode(tx, platformId, hashOf(deps, 'device code', code)));
  if (!code || !known) throw new ApiError('NOT_FOUND');
  return { ...known, code };
}

export type RedeemDeps = PairingDeps & {
  readonly db: Db;
  readonly mode: Mode;
  /** Begins the look-up of a code from an address, or refuses it. The returned function takes the attempt back. */
  readonly guess: (address: string | undefined) => () => void;
};

export type Redeemed = { readonly agent: Agent; readonly accessToken: string };

/** The first of several calls gets the token. The token is shown once; only its hash is kept. */
export async function redeemCode(deps: RedeemDeps, text: string, address: string | undefined): Promise<Redeemed> {
  const takeBack = deps.guess(address);
  return redeemOnce(deps, text, takeBack).catch((error: unknown) => {
    // Without its database the service cannot tell, so the code was no guess.
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) takeBack();
    throw error;
  });
}

/** `found`: called as soon as the code is known. */
async function redeemOnce(deps: RedeemDeps, text: string, found: () => void): Promise<Redeemed> {
  const code = readCode(text);
  const codeHash = code === undefined ? undefined : hashOf(deps, 'device code', code);
  const platformId = codeHash && (await findPlatformOfKey(deps.db, 'DEVICE_CODE', codeHash.toString('hex')));
  const now = platformId && (await findPlatformTime(deps.db, deps.mode, platformId));
  if (!codeHash || !platformId || !now) throw new ApiError('NOT_FOUND');
  return deps.db.transaction(async (tx) => {
    const named = await findCode(tx, platformId, codeHash);
    if (!named) throw new ApiError('NOT_FOUND');
    found();
    const agent = await lockAgent(tx, platformId, named.agentId);
    // Read again under the lock of the agent: another call may have redeemed or replaced it.
    const known = await findCode(tx, platformId, codeHash);
    if (!known) throw new ApiError('NOT_FOUND');
    refuseSpentCode(known, now);
    const accessToken = newToken();
    const tokenHash = hashOf(deps, 'token', accessToken);
    markRedeemed(tx, platformId, codeHash);
    insertKey(tx, platformId, 'AGENT_TOKEN', tokenHash.toString('hex'));
    saveToken(tx, platformId, agent.id, tokenHash, now);
    return { agent: { ...agent, isConnected: true, updatedAt: now }, accessToken };
  });
}
