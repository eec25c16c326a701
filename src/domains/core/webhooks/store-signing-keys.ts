// SQL of signing keys. Decides nothing.
import type { Tx } from '../../../db/pool.js';
import { sql } from '../../../db/sql.js';
import { idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { SigningKey } from './event.js';

type Reader = Pick<Tx, 'many' | 'one'>;

type KeyRow = { id: string; p256_pem: string; ed25519: string; sealed: Buffer; created_at: Date; retires_at: Date | null };

/** The keys that sign at `now`, oldest first. */
export async function listSigningKeys(tx: Reader, platformId: PlatformId, now: Date): Promise<SigningKey[]> {
  const rows = await tx.many<KeyRow>(sql`
    select id, p256_pem, ed25519, sealed, created_at, retires_at from webhook_signing_keys
    where platform_id = ${uuidOf(platformId)} and (retires_at is null or retires_at > ${now}) order by id`);
  return rows.map((row) => ({
    id: idOf('WebhookSigningKey', row.id),
    p256Pem: row.p256_pem,
    ed25519: row.ed25519,
    sealed: row.sealed,
    createdAt: row.created_at,
    retiresAt: row.retires_at,
  }));
}

/** Writes the platform's current key, unless another process has written one. */
export function insertSigningKey(tx: Tx, platformId: PlatformId, key: SigningKey): void {
  tx.send(sql`
    insert into webhook_signing_keys (platform_id, id, p256_pem, ed25519, sealed, created_at)
    values (${uuidOf(platformId)}, ${uuidOf(key.id)}, ${key.p256Pem}, ${key.ed25519}, ${key.sealed}, ${key.createdAt})
    on conflict (platform_id) where retires_at is null do nothing`);
}

/** Locks the current key, so that rotations run one after the other. */
export async function lockSigningKeys(tx: Tx, platformId: PlatformId): Promise<void> {
  await tx.many(sql`select 1 from webhook_signing_keys where platform_id = ${uuidOf(platformId)} and retires_at is null for update`);
}

/** Retires every existing key at `at`. */
export function retireSigningKeys(tx: Tx, platformId: PlatformId, at: Date): void {
  tx.send(sql`
    update webhook_signing_keys set retires_at = ${at}
    where platform_id = ${uuidOf(platformId)} and (retires_at is null or retires_at > ${at})`);
}

/** Deletes the keys that have retired. */
export function deleteRetiredKeys(tx: Tx, platformId: PlatformId, now: Date): void {
  tx.send(sql`delete from webhook_signing_keys where platform_id = ${uuidOf(platformId)} and retires_at <= ${now}`);
}
