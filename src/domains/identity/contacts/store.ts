// All SQL of contact codes.
import type { Tx } from '../../../db/pool.js';
import { sql } from '../../../db/sql.js';
import { type CustomerId, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { ContactChannel } from '../customers/actions.js';
import type { ContactCode } from './contact-code.js';

type CodeRow = { channel: ContactChannel; code_hash: Buffer | null; tries_left: number; expires_at: Date; sent_at: Date[] };

/** The caller has locked the customer, so nobody else reads or changes its codes. */
export async function findCode(
  tx: Tx,
  platformId: PlatformId,
  customerId: CustomerId,
  channel: ContactChannel,
): Promise<ContactCode | undefined> {
  const row = await tx.one<CodeRow>(sql`
    select channel, code_hash, tries_left, expires_at, sent_at from contact_codes
    where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)} and channel = ${channel}`);
  return (
    row && { channel: row.channel, codeHash: row.code_hash, triesLeft: row.tries_left, expiresAt: row.expires_at, sentAt: row.sent_at }
  );
}

export function saveCode(tx: Tx, platformId: PlatformId, customerId: CustomerId, code: ContactCode): void {
  tx.send(sql`
    insert into contact_codes (platform_id, customer_id, channel, code_hash, tries_left, expires_at, sent_at)
    values (${uuidOf(platformId)}, ${uuidOf(customerId)}, ${code.channel}, ${code.codeHash}, ${code.triesLeft}, ${code.expiresAt}, ${code.sentAt}::timestamptz[])
    on conflict (platform_id, customer_id, channel) do update
      set code_hash = excluded.code_hash, tries_left = excluded.tries_left, expires_at = excluded.expires_at, sent_at = excluded.sent_at`);
}

/** The codes that were sent to these channels confirm nothing any more. The sends still count. */
export function voidCodes(tx: Tx, platformId: PlatformId, customerId: CustomerId, channels: readonly ContactChannel[]): void {
  tx.send(sql`
    update contact_codes set code_hash = null
    where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)} and channel = any(${channels}::text[])`);
}

export function deleteCodes(tx: Tx, platformId: PlatformId, customerId: CustomerId): void {
  tx.send(sql`delete from contact_codes where platform_id = ${uuidOf(platformId)} and customer_id = ${uuidOf(customerId)}`);
}
