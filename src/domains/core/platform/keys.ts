// Finds the platform that a key belongs to.
import { type Db, type Tx, violatedConstraint } from '../../../db/pool.js';
import { batched } from '../../../kernel/batch.js';
import { ApiError } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { findPlatformsOfKeys, insertKey, type KeyKind } from './keys-store.js';

export { findPlatformOfKey, insertKey } from './keys-store.js';

/** Keys whose platform a process remembers. */
const MAX_REMEMBERED = 10_000;

export type FindPlatform = (key: string) => Promise<PlatformId | undefined>;

/**
 * Finds platforms by keys that never change hands, and remembers them. An unknown key is asked for each time, because it may appear.
 * Concurrent calls share a look-up.
 */
export function createFindPlatform(db: Pick<Db, 'many'>, kind: Exclude<KeyKind, 'UMA_DOMAIN'>): FindPlatform {
  const remembered = new Map<string, PlatformId>();
  const find = batched(
    async (keys: readonly string[]) => {
      const found = await findPlatformsOfKeys(db, kind, [...new Set(keys)]);
      return keys.map((key) => found.get(key));
    },
    { lanes: 2 },
  );
  return async (key) => {
    const known = remembered.get(key);
    if (known) return known;
    const found = await find(key);
    if (!found) return undefined;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(key, found);
    return found;
  };
}

/** For data that came back or from elsewhere: keys that are new here become the platform's. Those of another platform are refused. */
export async function claimKeys(tx: Tx, platformId: PlatformId, kind: KeyKind, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const refusal = () => new ApiError('CONFLICT', {}, { reason: 'A code in the data is used by another platform.' });
  const known = await findPlatformsOfKeys(tx, kind, keys);
  for (const key of keys) {
    const holder = known.get(key);
    // Another platform may claim the key at the same moment.
    if (holder === undefined)
      insertKey(tx, platformId, kind, key, (error) => (violatedConstraint(error) === 'platform_keys_pkey' ? refusal() : undefined));
    else if (holder !== platformId) throw refusal();
  }
}
