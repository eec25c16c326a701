// All SQL of sessions. The type and name of a session's credential are read from auth_credentials.
import type { Job } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { isUnset, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { type Id, type InternalAccountId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { CredentialType } from '../signed-requests/signed-request.js';
import type { Session, SessionCredential, SessionId, SessionView } from './session.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type SessionRow = {
  id: string;
  account_id: string;
  credential_id: string;
  public_key: string;
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
  type: CredentialType;
  nickname: string;
};

const toSession = (row: SessionRow): SessionView => ({
  id: idOf('Session', row.id),
  accountId: idOf('InternalAccount', row.account_id),
  credentialId: idOf('AuthMethod', row.credential_id),
  publicKey: row.public_key,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  expiresAt: row.expires_at,
  type: row.type,
  nickname: row.nickname,
});

/** A credential is looked up for each session: a join may read all credentials of the platform. */
const activeSessions = (platformId: PlatformId, now: Date, key: Sql): Sql => sql`
  select s.*, c.type, c.nickname from auth_sessions s cross join lateral (
    select type, nickname from auth_credentials where platform_id = ${uuidOf(platformId)} and id = s.credential_id limit 1) c
  where s.platform_id = ${uuidOf(platformId)} and ${key} and s.expires_at > ${now}`;

const isById = (id: SessionId): Sql => sql`s.id = ${uuidOf(id)} and ${isUnset(sql`s.revoked_at`)}`;
/** The index of an account's sessions holds those that are not revoked. */
const isOfAccount = (accountId: InternalAccountId): Sql => sql`s.account_id = ${uuidOf(accountId)} and s.revoked_at is null`;

export function insertSession(tx: Tx, platformId: PlatformId, session: Session): void {
  tx.send(sql`
    insert into auth_sessions (platform_id, id, account_id, credential_id, public_key, created_at, updated_at, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(session.id)}, ${uuidOf(session.accountId)}, ${uuidOf(session.credentialId)}, ${session.publicKey},
            ${session.createdAt}, ${session.updatedAt}, ${session.expiresAt})`);
}

/** Whether the key, or any key if undefined, has an active session of the account that another credential opened: one device may sign in with several. */
export async function hasSessionOfOtherCredential(
  tx: Reader,
  platformId: PlatformId,
  { id, accountId }: Pick<SessionCredential, 'id' | 'accountId'>,
  publicKey: string | undefined,
  now: Date,
): Promise<boolean> {
  const condition = sql`${isOfAccount(accountId)} and s.public_key = coalesce(${publicKey ?? null}, s.public_key)
    and s.credential_id <> ${uuidOf(id)}`;
  return (await tx.one(sql`${activeSessions(platformId, now, condition)} limit 1`)) !== undefined;
}

/** "404 for unknown, revoked or expired." */
export async function lockSession(tx: Tx, platformId: PlatformId, id: SessionId | undefined, now: Date): Promise<SessionView> {
  const row = id && (await tx.one<SessionRow>(sql`${activeSessions(platformId, now, isById(id))} for update of s`));
  if (!row) throw new ApiError('SESSION_NOT_FOUND');
  return toSession(row);
}

export async function listSessions(tx: Reader, platformId: PlatformId, accountId: InternalAccountId, now: Date): Promise<SessionView[]> {
  const rows = await tx.many<SessionRow>(sql`${activeSessions(platformId, now, isOfAccount(accountId))} order by s.id`);
  return rows.map(toSession);
}

export function revokeSession(tx: Tx, platformId: PlatformId, id: SessionId, now: Date): void {
  tx.send(sql`
    update auth_sessions set revoked_at = ${now}, updated_at = ${now} where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** Revokes the sessions of a credential and returns their ids. Expired ones too: a sandbox clock that is set back would revive them. */
export async function revokeSessionsOf(tx: Tx, platformId: PlatformId, credentialId: Id<'AuthMethod'>, now: Date): Promise<SessionId[]> {
  const rows = await tx.many<{ id: string }>(sql`
    update auth_sessions set revoked_at = ${now}, updated_at = ${now}
    where platform_id = ${uuidOf(platformId)} and id = any(array(
      select id from auth_sessions where platform_id = ${uuidOf(platformId)} and credential_id = ${uuidOf(credentialId)} and revoked_at is null))
      and ${isUnset(sql`revoked_at`)}
    returning id`);
  return rows.map((row) => idOf('Session', row.id));
}

/** The next session that is to be deleted. The condition on the time names the partial index of expiries. */
export const firstRemoval =
  (retentionMs: number): Job['firstDue'] =>
  (condition) =>
    sql`
    select platform_id, expires_at + ${retentionMs}::float8 * interval '1 millisecond' as at from auth_sessions
    where ${condition(sql`platform_id`)} and expires_at > '-infinity'
    order by platform_id, expires_at limit 1`;

/** Deletes some of the sessions that expired at `before` or earlier; returns how many. A revoked session expires like any other. */
export const deleteExpired = (tx: Pick<Tx, 'run'>, platformId: PlatformId, before: Date, limit: number): Promise<number> =>
  tx.run(sql`
    delete from auth_sessions where platform_id = ${uuidOf(platformId)} and id = any(array(
      select id from auth_sessions
      where platform_id = ${uuidOf(platformId)} and expires_at > '-infinity' and expires_at <= ${before}
      order by expires_at limit ${limit} for update skip locked))`);
