// All SQL of links to the hosted page. A link is found by its platform and the hash of its token.
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { type Sql, sql } from '../../../db/sql.js';
import { type CustomerId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { KycLink } from './verification.js';

type LinkRow = { customer_id: string; redirect_uri: string | null; expires_at: Date; used_at: Date | null };

export function insertLink(tx: Tx, platformId: PlatformId, tokenHash: Buffer, link: KycLink, now: Date): void {
  tx.send(sql`
    insert into kyc_links (platform_id, token_hash, customer_id, redirect_uri, expires_at, created_at)
    values (${uuidOf(platformId)}, ${tokenHash}, ${uuidOf(link.customerId)}, ${link.redirectUri}, ${link.expiresAt}, ${now})`);
}

export async function findLink(tx: Pick<Tx, 'one'>, platformId: PlatformId, tokenHash: Buffer): Promise<KycLink | undefined> {
  const row = await tx.one<LinkRow>(sql`
    select customer_id, redirect_uri, expires_at, used_at from kyc_links
    where platform_id = ${uuidOf(platformId)} and token_hash = ${tokenHash}`);
  return (
    row && {
      customerId: idOf('Customer', row.customer_id),
      redirectUri: row.redirect_uri,
      expiresAt: row.expires_at,
      usedAt: row.used_at,
    }
  );
}

/** True for the first of several submissions. The caller has locked the customer. */
export async function useLink(tx: Tx, platformId: PlatformId, tokenHash: Buffer, now: Date): Promise<boolean> {
  const used = await tx.run(sql`
    update kyc_links set used_at = ${now}
    where platform_id = ${uuidOf(platformId)} and token_hash = ${tokenHash} and used_at is null and expires_at > ${now}`);
  return used === 1;
}

export function deleteLinksOf(tx: Tx, platformId: PlatformId, customerId: CustomerId): void {
  tx.send(sql`delete from kyc_links where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)}`);
}

// ---- sweeping

export const firstExpired = (condition: PlatformCondition): Sql => sql`
  select platform_id, expires_at as at from kyc_links where ${condition(sql`platform_id`)} order by platform_id, expires_at limit 1`;

/** Deletes links that expired, some at a time; returns how many. */
export const deleteExpiredLinks = (tx: Tx, platformId: PlatformId, now: Date, limit: number): Promise<number> =>
  tx.run(sql`
    delete from kyc_links where platform_id = ${uuidOf(platformId)} and token_hash in (
      select token_hash from kyc_links where platform_id = ${uuidOf(platformId)} and expires_at <= ${now} order by expires_at limit ${limit})`);
