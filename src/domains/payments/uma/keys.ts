// The UMA keys of a platform, made at first need.
import type { Db, Tx } from '../../../db/pool.js';
import { assert } from '../../../kernel/errors.js';
import type { PlatformId } from '../../../kernel/ids.js';
import type { KeyCustody } from '../../../providers/key-custody.js';
import { newUmaKeys, umaPublicKeys } from '../../../providers/uma/signatures.js';
import type { Platform } from '../../core/platform/platform.js';
import { umaDomainOf } from './rules.js';
import { findKeys, insertKeys } from './store.js';
import type { UmaPrivateKeys, UmaPublicKeys } from './uma.js';

export async function keysOf(
  tx: Pick<Tx, 'one' | 'many' | 'run'> | Db,
  custody: KeyCustody,
  platformId: PlatformId,
  now: Date,
): Promise<UmaPrivateKeys> {
  const known = await findKeys(tx, custody, platformId);
  if (known) return known;
  await insertKeys(tx, custody, platformId, newUmaKeys(), now);
  const made = await findKeys(tx, custody, platformId);
  assert(made, 'keys that were inserted are found');
  return made;
}

/** Who signs: the domain that others read the public keys of. */
export type Signer = { readonly domain: string; readonly privateKeys: UmaPrivateKeys; readonly keys: UmaPublicKeys };

export const signerOf = (platform: Platform, privateKeys: UmaPrivateKeys): Signer => ({
  domain: umaDomainOf(platform),
  privateKeys,
  keys: umaPublicKeys(privateKeys),
});
