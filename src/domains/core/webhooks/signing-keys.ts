// The signing keys of a platform: made on first use, rotated with an overlap.
import type { Tx } from '../../../db/pool.js';
import { newId, type PlatformId } from '../../../kernel/ids.js';
import { plusMs } from '../../../kernel/time.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import type { SigningKey, WebhookSigningKeyId } from './event.js';
import { refuseSecondOverlap } from './rules.js';
import { generateSigningKeys, openSigningKeys, renderSecret, sealSigningKeys } from './signing.js';
import { deleteRetiredKeys, insertSigningKey, listSigningKeys, lockSigningKeys, retireSigningKeys } from './store-signing-keys.js';

/** The context that the sealed key material is bound to. */
export const contextOf = (platformId: PlatformId, id: WebhookSigningKeyId): string => `webhook signing key ${platformId} ${id}`;

/** The shared secret of a key, as a receiver configures it. */
export const openSecret = (custody: KeyCustody, platformId: PlatformId, { id, sealed }: SigningKey): string =>
  renderSecret(openSigningKeys(custody, sealed, contextOf(platformId, id)));

async function makeSigningKey(tx: Tx, custody: KeyCustody, platformId: PlatformId, now: Date): Promise<void> {
  const id = newId('WebhookSigningKey');
  const { publicKeys, ...keys } = await generateSigningKeys();
  const sealed = sealSigningKeys(custody, keys, contextOf(platformId, id));
  insertSigningKey(tx, platformId, { id, ...publicKeys, sealed, createdAt: now, retiresAt: null });
}

/** The keys that sign at `now`, oldest first. Makes the platform's first key. */
export async function ensureSigningKeys(tx: Tx, custody: KeyCustody, platformId: PlatformId, now: Date): Promise<SigningKey[]> {
  const keys = await listSigningKeys(tx, platformId, now);
  if (keys.some(({ retiresAt }) => retiresAt === null)) return keys;
  await makeSigningKey(tx, custody, platformId, now);
  return listSigningKeys(tx, platformId, now);
}

/**
 * Makes a new key. The old key also signs until the overlap ends. Keys that have retired are deleted, or they would sign again once the clock of
 * a sandbox is set back: one that was compromised, and more than a delivery has room for.
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

  refuseSecondOverlap(keys, overlapMs);

  retireSigningKeys(tx, platformId, plusMs(now, overlapMs));
  deleteRetiredKeys(tx, platformId, now);
  await makeSigningKey(tx, custody, platformId, now);
  return listSigningKeys(tx, platformId, now);
}
