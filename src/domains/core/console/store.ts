// All SQL of console sessions.
import { platformTime } from '../../../db/platform-time.js';
import type { Tx } from '../../../db/pool.js';
import { sql } from '../../../db/sql.js';
import type { Permission } from '../../../http/operation.js';
import { idOf, type PlatformId, type TokenId, uuidOf } from '../../../kernel/ids.js';
import type { ConsoleSession } from './session.js';

type SessionRow = {
  platform_name: string;
  token_id: string;
  token_name: string;
  permissions: readonly Permission[];
  created_at: Date;
  seen_at: Date;
  now: Date;
  real_now: Date;
};

/** The session of a token that is still valid. */
export async function findSession(
  tx: Pick<Tx, 'one'>,
  platformId: PlatformId,
  secretHash: Buffer,
  mode: 'sandbox' | 'live',
): Promise<ConsoleSession | undefined> {
  const row = await tx.one<SessionRow>(sql`
    select p.name as platform_name, t.id as token_id, t.name as token_name, t.permissions, s.created_at, s.seen_at, ${platformTime} as now,
      date_trunc('milliseconds', clock_timestamp()) as real_now
    from console_sessions s
    join api_tokens t on t.platform_id = ${uuidOf(platformId)} and t.id = s.token_id and t.deleted_at is null
    join platforms p on p.id = ${uuidOf(platformId)} and p.mode = ${mode}
    where s.platform_id = ${uuidOf(platformId)} and s.secret_hash = ${secretHash}
      and (t.expires_at is null or t.expires_at > ${platformTime})`);
  return (
    row && {
      platformId,
      platformName: row.platform_name,
      tokenId: idOf('Token', row.token_id),
      tokenName: row.token_name,
      permissions: row.permissions,
      createdAt: row.created_at,
      seenAt: row.seen_at,
      now: row.now,
      realNow: row.real_now,
    }
  );
}

type NewSession = { readonly platformId: PlatformId; readonly tokenId: TokenId; readonly secretHash: Buffer };

export const insertSession = (tx: Pick<Tx, 'run'>, { platformId, tokenId, secretHash }: NewSession, at: Date): Promise<number> =>
  tx.run(sql`
    insert into console_sessions (platform_id, secret_hash, token_id, created_at, seen_at)
    values (${uuidOf(platformId)}, ${secretHash}, ${uuidOf(tokenId)}, ${at}, ${at})`);

export const noteSession = (tx: Pick<Tx, 'run'>, platformId: PlatformId, secretHash: Buffer, at: Date): Promise<number> =>
  tx.run(sql`update console_sessions set seen_at = ${at} where platform_id = ${uuidOf(platformId)} and secret_hash = ${secretHash}`);

export const deleteSession = (tx: Pick<Tx, 'run'>, platformId: PlatformId, secretHash: Buffer): Promise<number> =>
  tx.run(sql`delete from console_sessions where platform_id = ${uuidOf(platformId)} and secret_hash = ${secretHash}`);

export const deleteSessionsBefore = (tx: Pick<Tx, 'run'>, platformId: PlatformId, seenBefore: Date): Promise<number> =>
  tx.run(sql`delete from console_sessions where platform_id = ${uuidOf(platformId)} and seen_at < ${seenBefore}`);

// ---- single-use codes

export const insertCode = (tx: Pick<Tx, 'run'>, { platformId, tokenId, secretHash }: NewSession, expiresAt: Date): Promise<number> =>
  tx.run(sql`
    insert into console_codes (platform_id, secret_hash, token_id, expires_at)
    values (${uuidOf(platformId)}, ${secretHash}, ${uuidOf(tokenId)}, ${expiresAt})`);

/** Uses the code up; undefined if it is unknown, used or expired. */
export async function takeCode(tx: Pick<Tx, 'one'>, platformId: PlatformId, secretHash: Buffer, now: Date): Promise<TokenId | undefined> {
  const row = await tx.one<{ token_id: string; expires_at: Date }>(sql`
    delete from console_codes where platform_id = ${uuidOf(platformId)} and secret_hash = ${secretHash} returning token_id, expires_at`);
  return row && row.expires_at > now ? idOf('Token', row.token_id) : undefined;
}

export const deleteCodesBefore = (tx: Pick<Tx, 'run'>, platformId: PlatformId, before: Date): Promise<number> =>
  tx.run(sql`delete from console_codes where platform_id = ${uuidOf(platformId)} and expires_at < ${before}`);
