// SQL of platform keys: what a caller shows before its platform is known.
import type { Tx } from '../../../db/pool.js';
import { sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';

/** Secrets are kept as hashes, so their keys are the hashes in hex. */
export type KeyKind = 'API_CLIENT' | 'AGENT_TOKEN' | 'DEVICE_CODE' | 'INVITATION' | 'UMA_DOMAIN';

/** The platforms of the keys that are known. */
export async function findPlatformsOfKeys(
  tx: Pick<Tx, 'many'>,
  kind: KeyKind,
  keys: readonly string[],
): Promise<ReadonlyMap<string, PlatformId>> {
  const rows = await tx.many<{ key: string; platform_id: string }>(sql`
    select key, platform_id from platform_keys where kind = ${kind} and key = any(${keys}::text[])`);
  return new Map(rows.map((row) => [row.key, idOf('Platform', row.platform_id)]));
}

export const findPlatformOfKey = async (tx: Pick<Tx, 'many'>, kind: KeyKind, key: string): Promise<PlatformId | undefined> =>
  (await findPlatformsOfKeys(tx, kind, [key])).get(key);

/** Each key belongs to one platform. `explain` sees a violation of `platform_keys_pkey`. */
export function insertKey(
  tx: Pick<Tx, 'send'>,
  platformId: PlatformId,
  kind: KeyKind,
  key: string,
  explain?: (error: unknown) => Error | undefined,
): void {
  tx.send(sql`insert into platform_keys (kind, key, platform_id) values (${kind}, ${key}, ${uuidOf(platformId)})`, explain);
}

export function deleteKey(tx: Pick<Tx, 'send'>, platformId: PlatformId, kind: KeyKind, key: string): void {
  tx.send(sql`delete from platform_keys where kind = ${kind} and key = ${key} and platform_id = ${uuidOf(platformId)}`);
}
