// All SQL of look-ups.
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { FoundReceiver } from '../uma/uma.js';
import type { Lookup, LookupId } from './lookup.js';

type Reader = Pick<Tx, 'one' | 'many'>;

/** JSON has no bigint: amounts are stored as text. */
type StoredReceiver = Omit<FoundReceiver, 'currencies'> & { currencies: { code: string; min: string; max: string }[] };

const toFound = (stored: StoredReceiver): FoundReceiver => ({
  ...stored,
  currencies: stored.currencies.map(({ code, min, max }) => ({ code, min: BigInt(min), max: BigInt(max) })),
});

const toStored = (found: FoundReceiver): StoredReceiver => ({
  ...found,
  currencies: found.currencies.map(({ code, min, max }) => ({ code, min: min.toString(), max: max.toString() })),
});

export async function findLookup(tx: Reader, platformId: PlatformId, id: LookupId): Promise<Lookup | undefined> {
  const row = await tx.one<{ receiver: string; found: StoredReceiver | null; expires_at: Date }>(sql`
    select receiver, found, expires_at from lookups where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
  return row && { id, receiver: row.receiver, found: row.found && toFound(row.found), expiresAt: row.expires_at };
}

export async function insertLookup(tx: Pick<Tx, 'run'>, platformId: PlatformId, { id, receiver, found, expiresAt }: Lookup): Promise<void> {
  await tx.run(sql`
    insert into lookups (platform_id, id, receiver, found, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(id)}, ${receiver}, ${found && JSON.stringify(toStored(found))}, ${expiresAt})`);
}

export const firstEnded = (condition: PlatformCondition): Sql => sql`
  select l.platform_id, l.expires_at as at from lookups l
  where ${condition(sql`l.platform_id`)} order by l.platform_id, l.expires_at limit 1`;

/** Deletes some look-ups that ended before; returns how many. */
export const deleteEnded = (tx: Pick<Tx, 'run'>, platformId: PlatformId, before: Date, limit: number): Promise<number> =>
  tx.run(sql`
    delete from lookups where platform_id = ${uuidOf(platformId)} and id = any(array(
      select id from lookups where platform_id = ${uuidOf(platformId)} and expires_at <= ${before}
      order by expires_at limit ${limit}))`);
