// All SQL of credentials and one-time passwords.
import type { Job } from '../../../db/job.js';
import { lockName } from '../../../db/named-locks.js';
import { type Tx, violatedConstraint } from '../../../db/pool.js';
import { records } from '../../../db/records.js';
import { isUnset, type Sql, sql } from '../../../db/sql.js';
import { ApiError, type ErrorCode } from '../../../kernel/errors.js';
import { type CustomerId, type InternalAccountId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { CredentialType } from '../signed-requests/signed-request.js';
import type { AuthMethodId, Credential, OtpChallenge, OtpType, Proof } from './credential.js';

type Reader = Pick<Tx, 'one' | 'many'>;

// ---- credentials

type CredentialRow = {
  id: string;
  account_id: string;
  type: CredentialType;
  nickname: string;
  contact: string;
  passkey_id: string;
  passkey_public_key: Buffer;
  passkey_counter: bigint;
  passkey_rp_id: string;
  oidc_issuer: string;
  oidc_audience: string;
  oidc_subject: string;
  replacement: boolean;
  verified_at: Date | null;
  sends_spent_until: Date | null;
  failures_spent_until: Date | null;
  created_at: Date;
  updated_at: Date;
};

/** A check of the table guarantees that the columns of a proof are set exactly for its type. */
function toProof(row: CredentialRow): Proof {
  switch (row.type) {
    case 'EMAIL_OTP':
    case 'SMS_OTP':
      return { type: row.type, contact: row.contact };
    case 'PASSKEY':
      return {
        type: row.type,
        passkey: {
          credentialId: row.passkey_id,
          publicKey: row.passkey_public_key,
          counter: Number(row.passkey_counter),
          rpId: row.passkey_rp_id,
        },
      };
    case 'OAUTH':
      return { type: row.type, identity: { issuer: row.oidc_issuer, audience: row.oidc_audience, subject: row.oidc_subject } };
  }
}

const toCredential = (row: CredentialRow): Credential => ({
  id: idOf('AuthMethod', row.id),
  accountId: idOf('InternalAccount', row.account_id),
  nickname: row.nickname,
  proof: toProof(row),
  replacement: row.replacement,
  verifiedAt: row.verified_at ?? undefined,
  sendsSpentUntil: row.sends_spent_until ?? undefined,
  failuresSpentUntil: row.failures_spent_until ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const activeCredentials = (platformId: PlatformId, key: Sql): Sql => sql`
  select * from auth_credentials where platform_id = ${uuidOf(platformId)} and ${key} and ${isUnset(sql`revoked_at`)}`;

const found = (row: CredentialRow | undefined): Credential => {
  if (!row) throw new ApiError('AUTH_METHOD_NOT_FOUND');
  return toCredential(row);
};

export async function getCredential(tx: Reader, platformId: PlatformId, id: AuthMethodId | undefined): Promise<Credential> {
  return found(id && (await tx.one<CredentialRow>(activeCredentials(platformId, sql`id = ${uuidOf(id)}`))));
}

export async function lockCredential(tx: Tx, platformId: PlatformId, id: AuthMethodId | undefined): Promise<Credential> {
  return found(id && (await tx.one<CredentialRow>(sql`${activeCredentials(platformId, sql`id = ${uuidOf(id)}`)} for update`)));
}

export async function listCredentials(tx: Reader, platformId: PlatformId, accountId: InternalAccountId): Promise<Credential[]> {
  const rows = await tx.many<CredentialRow>(sql`${activeCredentials(platformId, sql`account_id = ${uuidOf(accountId)}`)} order by id`);
  return rows.map(toCredential);
}

/** All credentials of the account, locked: concurrent decisions about them are made one after the other. */
export async function lockCredentials(tx: Tx, platformId: PlatformId, accountId: InternalAccountId): Promise<Credential[]> {
  const rows = await tx.many<CredentialRow>(
    sql`${activeCredentials(platformId, sql`account_id = ${uuidOf(accountId)}`)} order by id for update`,
  );
  return rows.map(toCredential);
}

/**
 * Whether a credential has the contact or passkey. Customers may share a contact, so no index makes a named one unique: the contact is
 * locked until the transaction ends.
 */
export async function isTaken(tx: Tx, platformId: PlatformId, proof: Proof): Promise<boolean> {
  if (proof.type === 'OAUTH') return false;
  if (proof.type !== 'PASSKEY') lockName(tx, platformId, `${proof.type} ${proof.contact.toLowerCase()}`);
  const condition =
    proof.type === 'PASSKEY'
      ? sql`passkey_id = ${proof.passkey.credentialId} and passkey_id is not null`
      : sql`type = ${proof.type} and lower(contact) = lower(${proof.contact}) and contact is not null`;
  const row = await tx.one(sql`
    select from auth_credentials where platform_id = ${uuidOf(platformId)} and revoked_at is null and ${condition} limit 1`);
  return row !== undefined;
}

/** Until when the sends of this type have used up the account's allowance, revoked credentials included. */
export async function sendsSpentUntil(
  tx: Reader,
  platformId: PlatformId,
  accountId: InternalAccountId,
  type: OtpType,
): Promise<Date | undefined> {
  const row = await tx.one<{ latest: Date | null }>(sql`
    select max(sends_spent_until) as latest from auth_credentials
    where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)} and type = ${type}`);
  return row?.latest ?? undefined;
}

/** The refusals when a concurrent creation was first, by violated constraint. */
const CONFLICTS: Readonly<Record<string, (type: CredentialType) => ErrorCode>> = {
  auth_credentials_one_otp: (type) => (type === 'EMAIL_OTP' ? 'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS' : 'SMS_OTP_CREDENTIAL_ALREADY_EXISTS'),
  auth_credentials_one_replacement: (type) =>
    type === 'EMAIL_OTP' ? 'EMAIL_OTP_CREDENTIAL_SET_CHANGED' : 'SMS_OTP_CREDENTIAL_SET_CHANGED',
  auth_credentials_passkey: () => 'PASSKEY_CREDENTIAL_ALREADY_EXISTS',
  auth_credentials_oidc: () => 'INVALID_INPUT',
};

export async function insertCredential(tx: Tx, platformId: PlatformId, credential: Credential): Promise<void> {
  const { proof } = credential;
  const passkey = proof.type === 'PASSKEY' ? proof.passkey : undefined;
  const identity = proof.type === 'OAUTH' ? proof.identity : undefined;
  try {
    await tx.run(sql`
      insert into auth_credentials (platform_id, id, account_id, type, nickname, contact, passkey_id, passkey_public_key, passkey_counter, passkey_rp_id,
        oidc_issuer, oidc_audience, oidc_subject, replacement, verified_at, sends_spent_until, failures_spent_until, created_at, updated_at)
      values (${uuidOf(platformId)}, ${uuidOf(credential.id)}, ${uuidOf(credential.accountId)}, ${proof.type}, ${credential.nickname},
        ${'contact' in proof ? proof.contact : null}, ${passkey?.credentialId ?? null}, ${passkey?.publicKey ?? null}, ${passkey?.counter ?? null},
        ${passkey?.rpId ?? null}, ${identity?.issuer ?? null}, ${identity?.audience ?? null}, ${identity?.subject ?? null}, ${credential.replacement},
        ${credential.verifiedAt ?? null}, ${credential.sendsSpentUntil ?? null}, ${credential.failuresSpentUntil ?? null},
        ${credential.createdAt}, ${credential.updatedAt})`);
  } catch (error) {
    const code = CONFLICTS[violatedConstraint(error) ?? ''];
    throw code ? new ApiError(code(proof.type)) : error;
  }
}

type FirstCredential = { readonly id: AuthMethodId; readonly customerId: CustomerId; readonly email: string };

const FIRST_CREDENTIAL = { id: 'uuid', customer_id: 'uuid', email: 'text' } as const;

/** Adds the first credential of each customer's wallet account, unless the account ever had one. */
export function insertFirstCredentials(tx: Tx, platformId: PlatformId, credentials: readonly FirstCredential[], now: Date): void {
  const rows = credentials.map(({ id, customerId, email }) => ({ id: uuidOf(id), customer_id: uuidOf(customerId), email }));
  tx.send(sql`
    insert into auth_credentials (platform_id, id, account_id, type, nickname, contact, created_at, updated_at)
    select a.platform_id, t.id, a.id, 'EMAIL_OTP', t.email, t.email, ${now}, ${now}
    from ${records(FIRST_CREDENTIAL, rows)}, lateral (
      select a.platform_id, a.id from internal_accounts a
      where a.platform_id = ${uuidOf(platformId)} and a.customer_id = t.customer_id and a.type = 'EMBEDDED_WALLET'
        and not exists (select from auth_credentials c where c.platform_id = ${uuidOf(platformId)} and c.account_id = a.id)
      limit 1) a`);
}

export function saveCredential(tx: Tx, platformId: PlatformId, credential: Credential): void {
  const { proof } = credential;
  tx.send(sql`
    update auth_credentials set nickname = ${credential.nickname}, replacement = ${credential.replacement},
      contact = ${'contact' in proof ? proof.contact : null},
      passkey_counter = ${proof.type === 'PASSKEY' ? proof.passkey.counter : null}, verified_at = ${credential.verifiedAt ?? null},
      sends_spent_until = ${credential.sendsSpentUntil ?? null}, failures_spent_until = ${credential.failuresSpentUntil ?? null},
      updated_at = ${credential.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(credential.id)}`);
}

export function markCredentialRevoked(tx: Tx, platformId: PlatformId, id: AuthMethodId, now: Date): void {
  tx.send(sql`
    update auth_credentials set revoked_at = ${now}, updated_at = ${now} where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

// ---- one-time passwords

type OtpRow = {
  credential_id: string;
  code_hash: Buffer;
  target_public_key: string;
  target_sealed: Buffer;
  tries_left: number;
  expires_at: Date;
};

/** The open challenge of a credential whose row the caller has locked. */
export async function findOtp(tx: Reader, platformId: PlatformId, credentialId: AuthMethodId): Promise<OtpChallenge | undefined> {
  const row = await tx.one<OtpRow>(sql`
    select * from otp_challenges where platform_id = ${uuidOf(platformId)} and credential_id = ${uuidOf(credentialId)}`);
  return (
    row && {
      credentialId: idOf('AuthMethod', row.credential_id),
      codeHash: row.code_hash,
      targetPublicKey: row.target_public_key,
      targetSealed: row.target_sealed,
      triesLeft: row.tries_left,
      expiresAt: row.expires_at,
    }
  );
}

/** A new challenge replaces the open one. */
export function saveOtp(tx: Tx, platformId: PlatformId, otp: OtpChallenge): void {
  tx.send(sql`
    insert into otp_challenges (platform_id, credential_id, code_hash, target_public_key, target_sealed, tries_left, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(otp.credentialId)}, ${otp.codeHash}, ${otp.targetPublicKey}, ${otp.targetSealed}, ${otp.triesLeft}, ${otp.expiresAt})
    on conflict (platform_id, credential_id) do update set code_hash = excluded.code_hash, target_public_key = excluded.target_public_key,
      target_sealed = excluded.target_sealed, tries_left = excluded.tries_left, expires_at = excluded.expires_at`);
}

export function deleteOtp(tx: Tx, platformId: PlatformId, credentialId: AuthMethodId): void {
  tx.send(sql`delete from otp_challenges where platform_id = ${uuidOf(platformId)} and credential_id = ${uuidOf(credentialId)}`);
}

/** The next one-time password that is to be deleted. The condition on the time names the partial index of expiries. */
export const firstOtpRemoval =
  (retentionMs: number): Job['firstDue'] =>
  (condition) =>
    sql`
    select platform_id, expires_at + ${retentionMs}::float8 * interval '1 millisecond' as at from otp_challenges
    where ${condition(sql`platform_id`)} and expires_at > '-infinity'
    order by platform_id, expires_at limit 1`;

/** Deletes some of the one-time passwords that expired at `before` or earlier; returns how many. */
export const deleteExpiredOtps = (tx: Pick<Tx, 'run'>, platformId: PlatformId, before: Date, limit: number): Promise<number> =>
  tx.run(sql`
    delete from otp_challenges where platform_id = ${uuidOf(platformId)} and credential_id = any(array(
      select credential_id from otp_challenges
      where platform_id = ${uuidOf(platformId)} and expires_at > '-infinity' and expires_at <= ${before}
      order by expires_at limit ${limit} for update skip locked))`);
