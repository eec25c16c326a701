// Which keys a platform's webhooks are signed with: made on first use, replaced with an overlap.
import type { Tx } from '../../../db/pool.js';
import { ApiError } from '../../../kernel/errors.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { SigningKey, WebhookSigningKeyId } from './event.js';
import { generateSigningKeys, sealSigningKeys } from './signing.js';
import { insertSigningKey, listSigningKeys, lockSigningKeys, retireSigningKeys } from './store.js';

/** What the sealed key material is bound to. */
export const contextOf = (platformId: PlatformId, id: WebhookSigningKeyId): string => `webhook signing key ${platformId} ${id}`;

async function makeSigningKey(tx: Tx, custody: KeyCustody, platformId: PlatformId, now: Date): Promise<void> {
  const id = newId('WebhookSigningKey');
  const { publicKeys, ...keys } = await generateSigningKeys();
  const sealed = sealSigningKeys(custody, keys, contextOf(platformId, id));
  insertSigningKey(tx, platformId, { id, ...publicKeys, sealed, createdAt: now, retiresAt: null });
}

/** The keys that sign at `now`, oldest first; the first ones are made when they are first needed. */
export async function ensureSigningKeys(tx: Tx, custody: KeyCustody, platformId: PlatformId, now: Date): Promise<SigningKey[]> {
  const keys = await listSigningKeys(tx, platformId, now);
  if (keys.some(({ retiresAt }) => retiresAt === null)) return keys;
  await makeSigningKey(tx, custody, platformId, now);
  return listSigningKeys(tx, platformId, now);
}

/**
 * Puts a new key beside the old one, which signs on until the overlap ends. One overlap at a time, because a delivery has room for
 * two signatures; no overlap at all is always possible, for a key that must not be trusted a moment longer.
 */
export async function rotateSigningKeys(
  tx: Tx,
  custody: KeyCustody,
  platformId: PlatformId,
  now: Date,
  overlapMs: number,
): Promise<SigningKey[]> {
  await ensureSigningKeys(tx, custody, platformId, now);
  await lockSigningKeys(tx, platformId);
  const keys = await listSigningKeys(tx, platformId, now);

  const overlapping = keys.find(({ retiresAt }) => retiresAt !== null);
  if (overlapping && overlapMs > 0) throw new ApiError('CONFLICT', { retiresAt: overlapping.retiresAt });

  retireSigningKeys(tx, platformId, plusMs(now, overlapMs));
  await makeSigningKey(tx, custody, platformId, now);
  return listSigningKeys(tx, platformId, now);
}
