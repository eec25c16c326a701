// All SQL of credentials, sessions, signed requests and delegated keys.
import { type Tx, violatedConstraint } from '../../../db/pool.js';
import { allOf, type Sql, sql } from '../../../db/sql.js';
import { ApiError, assert, type ErrorCode } from '../../../kernel/errors.js';
import {
  type CardFundingSourceId,
  type CardId,
  type CustomerId,
  type DelegatedKeyId,
  type InternalAccountId,
  idOf,
  type PlatformId,
  uuidOf,
} from '../../../kernel/ids.js';
import type {
  AuthMethodId,
  Credential,
  CredentialType,
  DelegatedKey,
  DelegatedKeyStatus,
  OtpChallenge,
  OtpType,
  Proof,
  Session,
  SessionId,
  SessionView,
  SignedRequest,
  SignedRequestId,
} from './keys.js';

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

/** The columns of a proof are there exactly when its type says so: a check of the table. */
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

const liveCredentials = (platformId: PlatformId, condition: Sql): Sql => sql`
  select * from auth_credentials where platform_id = ${uuidOf(platformId)} and revoked_at is null and ${condition}`;

const found = (row: CredentialRow | undefined): Credential => {
  if (!row) throw new ApiError('AUTH_METHOD_NOT_FOUND');
  return toCredential(row);
};

export async function getCredential(tx: Reader, platformId: PlatformId, id: AuthMethodId | undefined): Promise<Credential> {
  return found(id && (await tx.one<CredentialRow>(liveCredentials(platformId, sql`id = ${uuidOf(id)}`))));
}

export async function lockCredential(tx: Tx, platformId: PlatformId, id: AuthMethodId | undefined): Promise<Credential> {
  return found(id && (await tx.one<CredentialRow>(sql`${liveCredentials(platformId, sql`id = ${uuidOf(id)}`)} for update`)));
}

export async function listCredentials(tx: Reader, platformId: PlatformId, accountId: InternalAccountId): Promise<Credential[]> {
  const rows = await tx.many<CredentialRow>(sql`${liveCredentials(platformId, sql`account_id = ${uuidOf(accountId)}`)} order by id`);
  return rows.map(toCredential);
}

/** All live credentials of the account: whoever decides which one goes decides alone. */
export async function lockCredentials(tx: Tx, platformId: PlatformId, accountId: InternalAccountId): Promise<Credential[]> {
  const rows = await tx.many<CredentialRow>(
    sql`${liveCredentials(platformId, sql`account_id = ${uuidOf(accountId)}`)} order by id for update`,
  );
  return rows.map(toCredential);
}

/**
 * Whether a credential has the contact or passkey. Customers may share a contact, so no index keeps a named one single: whoever asks
 * about one asks alone until the transaction ends.
 */
export async function isTaken(tx: Tx, platformId: PlatformId, proof: Proof): Promise<boolean> {
  if (proof.type === 'OAUTH') return false;
  if (proof.type !== 'PASSKEY')
    tx.send(sql`select pg_advisory_xact_lock(hashtextextended(${`${platformId} ${proof.type} `} || lower(${proof.contact}), 0))`);
  const condition =
    proof.type === 'PASSKEY'
      ? sql`passkey_id = ${proof.passkey.credentialId}`
      : sql`type = ${proof.type} and lower(contact) = lower(${proof.contact}) and contact is not null`;
  return (await tx.one(sql`${liveCredentials(platformId, condition)} limit 1`)) !== undefined;
}

/** How far the sends over this kind of credential have used up the account's allowance, revoked ones included. */
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

/** What a concurrent creation won. */
const TAKEN_MEANWHILE: Readonly<Record<string, (type: CredentialType) => ErrorCode>> = {
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
    const code = TAKEN_MEANWHILE[violatedConstraint(error) ?? ''];
    throw code ? new ApiError(code(proof.type)) : error;
  }
}

/** The first credential of the customer's wallet account, if it has one that never had any. */
export function insertFirstCredential(
  tx: Tx,
  platformId: PlatformId,
  { id, customerId, email, now }: { id: AuthMethodId; customerId: CustomerId; email: string; now: Date },
): void {
  tx.send(sql`
    insert into auth_credentials (platform_id, id, account_id, type, nickname, contact, created_at, updated_at)
    select a.platform_id, ${uuidOf(id)}, a.id, 'EMAIL_OTP', ${email}, ${email}, ${now}, ${now}
    from internal_accounts a
    where a.platform_id = ${uuidOf(platformId)} and a.customer_id = ${uuidOf(customerId)} and a.type = 'EMBEDDED_WALLET'
      and not exists (select from auth_credentials c where c.platform_id = a.platform_id and c.account_id = a.id)
    limit 1`);
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

export function revokeCredential(tx: Tx, platformId: PlatformId, id: AuthMethodId, now: Date): void {
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

// ---- sessions

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

const activeSessions = (platformId: PlatformId, now: Date, condition: Sql): Sql => sql`
  select s.*, c.type, c.nickname from auth_sessions s
  join auth_credentials c on c.platform_id = s.platform_id and c.id = s.credential_id
  where s.platform_id = ${uuidOf(platformId)} and s.revoked_at is null and s.expires_at > ${now} and ${condition}`;

export function insertSession(tx: Tx, platformId: PlatformId, session: Session): void {
  tx.send(sql`
    insert into auth_sessions (platform_id, id, account_id, credential_id, public_key, created_at, updated_at, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(session.id)}, ${uuidOf(session.accountId)}, ${uuidOf(session.credentialId)}, ${session.publicKey},
            ${session.createdAt}, ${session.updatedAt}, ${session.expiresAt})`);
}

/** Whether a live session of the account was opened with this key and another credential: a device may sign in with several. */
export async function hasSessionOfAnother(
  tx: Reader,
  platformId: PlatformId,
  { id, accountId }: Credential,
  publicKey: string,
  now: Date,
): Promise<boolean> {
  const condition = sql`s.account_id = ${uuidOf(accountId)} and s.public_key = ${publicKey} and s.credential_id <> ${uuidOf(id)}`;
  return (await tx.one(sql`${activeSessions(platformId, now, condition)} limit 1`)) !== undefined;
}

/** "404 for unknown, revoked or expired." */
export async function lockSession(tx: Tx, platformId: PlatformId, id: SessionId | undefined, now: Date): Promise<SessionView> {
  const row = id && (await tx.one<SessionRow>(sql`${activeSessions(platformId, now, sql`s.id = ${uuidOf(id)}`)} for update of s`));
  if (!row) throw new ApiError('SESSION_NOT_FOUND');
  return toSession(row);
}

export async function listSessions(tx: Reader, platformId: PlatformId, accountId: InternalAccountId, now: Date): Promise<SessionView[]> {
  const rows = await tx.many<SessionRow>(sql`${activeSessions(platformId, now, sql`s.account_id = ${uuidOf(accountId)}`)} order by s.id`);
  return rows.map(toSession);
}

export function revokeSession(tx: Tx, platformId: PlatformId, id: SessionId, now: Date): void {
  tx.send(sql`
    update auth_sessions set revoked_at = ${now}, updated_at = ${now} where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** Ends the sessions opened with a credential; answers which they were. */
export async function revokeSessionsOf(tx: Tx, platformId: PlatformId, credentialId: AuthMethodId, now: Date): Promise<SessionId[]> {
  const rows = await tx.many<{ id: string }>(sql`
    update auth_sessions set revoked_at = ${now}, updated_at = ${now}
    where platform_id = ${uuidOf(platformId)} and credential_id = ${uuidOf(credentialId)} and revoked_at is null and expires_at > ${now}
    returning id`);
  return rows.map((row) => idOf('Session', row.id));
}

// ---- signed requests

type SignedRequestRow = {
  id: string;
  operation: string;
  target: string;
  body_hash: Buffer | null;
  account_id: string;
  leg: number;
  payload: string;
  expected_key: string | null;
  facts: unknown;
  secret_sealed: Buffer | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
};

export function insertSignedRequest(tx: Tx, platformId: PlatformId, request: SignedRequest): void {
  tx.send(sql`
    insert into signed_requests (platform_id, id, operation, target, body_hash, account_id, leg, payload, expected_key, facts, secret_sealed, created_at, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(request.id)}, ${request.operation}, ${request.target}, ${request.bodyHash ?? null}, ${uuidOf(request.accountId)},
            ${request.leg}, ${request.payload}, ${request.expectedKey ?? null}, ${JSON.stringify(request.facts)}, ${request.secretSealed ?? null},
            ${request.createdAt}, ${request.expiresAt})`);
}

export async function lockSignedRequest(tx: Tx, platformId: PlatformId, id: SignedRequestId): Promise<SignedRequest | undefined> {
  const row = await tx.one<SignedRequestRow>(sql`
    select * from signed_requests where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} for update`);
  return (
    row && {
      id: idOf('Request', row.id),
      operation: row.operation,
      target: row.target,
      bodyHash: row.body_hash ?? undefined,
      accountId: idOf('InternalAccount', row.account_id),
      leg: row.leg,
      payload: row.payload,
      expectedKey: row.expected_key ?? undefined,
      facts: row.facts,
      secretSealed: row.secret_sealed ?? undefined,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      usedAt: row.used_at ?? undefined,
    }
  );
}

export function useSignedRequest(tx: Tx, platformId: PlatformId, id: SignedRequestId, now: Date): void {
  tx.send(sql`
    update signed_requests set used_at = ${now}, secret_sealed = null where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

/** The texts the account was lately asked to sign, newest first. */
export async function recentPayloads(tx: Reader, platformId: PlatformId, accountId: InternalAccountId, limit: number): Promise<string[]> {
  const rows = await tx.many<{ payload: string }>(sql`
    select payload from signed_requests where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)}
    order by created_at desc limit ${limit}`);
  return rows.map((row) => row.payload);
}

// ---- delegated keys

type DelegatedKeyRow = {
  id: string;
  card_id: string;
  funding_source_id: string;
  account_id: string;
  public_key: string;
  private_key_sealed: Buffer | null;
  nickname: string;
  status: DelegatedKeyStatus;
  created_at: Date;
  updated_at: Date;
};

const toDelegatedKey = (row: DelegatedKeyRow): DelegatedKey => ({
  id: idOf('DelegatedKey', row.id),
  cardId: idOf('Card', row.card_id),
  fundingSourceId: idOf('CardFundingSource', row.funding_source_id),
  accountId: idOf('InternalAccount', row.account_id),
  publicKey: row.public_key,
  privateKeySealed: row.private_key_sealed ?? undefined,
  nickname: row.nickname,
  status: row.status,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export function insertDelegatedKey(tx: Tx, platformId: PlatformId, key: DelegatedKey): void {
  tx.send(sql`
    insert into delegated_keys (platform_id, id, card_id, funding_source_id, account_id, public_key, private_key_sealed, nickname, status, created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(key.id)}, ${uuidOf(key.cardId)}, ${uuidOf(key.fundingSourceId)}, ${uuidOf(key.accountId)}, ${key.publicKey},
            ${key.privateKeySealed ?? null}, ${key.nickname}, ${key.status}, ${key.createdAt}, ${key.updatedAt})`);
}

export async function getDelegatedKey(tx: Reader, platformId: PlatformId, id: DelegatedKeyId | undefined): Promise<DelegatedKey> {
  const row =
    id &&
    (await tx.one<DelegatedKeyRow>(sql`select * from delegated_keys where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`));
  if (!row) throw new ApiError('NOT_FOUND');
  return toDelegatedKey(row);
}

export async function lockDelegatedKey(tx: Tx, platformId: PlatformId, id: DelegatedKeyId): Promise<DelegatedKey> {
  const row = await tx.one<DelegatedKeyRow>(sql`
    select * from delegated_keys where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} for update`);
  if (!row) throw new ApiError('NOT_FOUND');
  return toDelegatedKey(row);
}

export type DelegatedKeyFilter = {
  readonly accountId?: InternalAccountId | undefined;
  readonly fundingSourceId?: CardFundingSourceId | undefined;
};

export async function listDelegatedKeys(
  tx: Reader,
  platformId: PlatformId,
  { accountId, fundingSourceId }: DelegatedKeyFilter,
): Promise<DelegatedKey[]> {
  const where = allOf(
    sql`platform_id = ${uuidOf(platformId)}`,
    accountId && sql`account_id = ${uuidOf(accountId)}`,
    fundingSourceId && sql`funding_source_id = ${uuidOf(fundingSourceId)}`,
  );
  const rows = await tx.many<DelegatedKeyRow>(sql`select * from delegated_keys where ${where} order by id`);
  return rows.map(toDelegatedKey);
}

export async function hasActiveKey(tx: Reader, platformId: PlatformId, fundingSourceId: CardFundingSourceId): Promise<boolean> {
  const row = await tx.one(sql`
    select 1 from delegated_keys where platform_id = ${uuidOf(platformId)} and funding_source_id = ${uuidOf(fundingSourceId)} and status = 'ACTIVE'`);
  return row !== undefined;
}

type Pair = { readonly cardId: CardId; readonly accountId: InternalAccountId };

const activeKeysOf = (platformId: PlatformId, pairs: readonly Pair[]): Sql => sql`
  select k.* from delegated_keys k
  join (select distinct p.card_id, p.account_id
        from unnest(${pairs.map((p) => uuidOf(p.cardId))}::uuid[], ${pairs.map((p) => uuidOf(p.accountId))}::uuid[]) as p (card_id, account_id)) p
    on k.card_id = p.card_id and k.account_id = p.account_id
  where k.platform_id = ${uuidOf(platformId)} and k.status = 'ACTIVE' order by k.id`;

/** The ACTIVE keys of pairs of card and account, at most one each. */
export const findActiveKeys = async (tx: Reader, platformId: PlatformId, pairs: readonly Pair[]): Promise<DelegatedKey[]> =>
  (await tx.many<DelegatedKeyRow>(activeKeysOf(platformId, pairs))).map(toDelegatedKey);

/** The same, and none of them is revoked before this transaction ends. */
export const holdActiveKeys = async (tx: Tx, platformId: PlatformId, pairs: readonly Pair[]): Promise<DelegatedKey[]> =>
  (await tx.many<DelegatedKeyRow>(sql`${activeKeysOf(platformId, pairs)} for share of k`)).map(toDelegatedKey);

/** The ACTIVE keys of an account. */
export async function listActiveKeysOf(tx: Reader, platformId: PlatformId, accountId: InternalAccountId): Promise<DelegatedKey[]> {
  const rows = await tx.many<DelegatedKeyRow>(sql`
    select * from delegated_keys where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)} and status = 'ACTIVE' order by id`);
  return rows.map(toDelegatedKey);
}

export async function activateDelegatedKey(tx: Tx, platformId: PlatformId, id: DelegatedKeyId, now: Date): Promise<DelegatedKey> {
  try {
    const row = await tx.one<DelegatedKeyRow>(sql`
      update delegated_keys set status = 'ACTIVE', updated_at = ${now}
      where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)} and status = 'PENDING' returning *`);
    assert(row, 'a key whose third leg is signed is PENDING');
    return toDelegatedKey(row);
  } catch (error) {
    throw violatedConstraint(error) === 'delegated_keys_one_active' ? new ApiError('CONFLICT', { cause: 'ACTIVE_KEY_EXISTS' }) : error;
  }
}

/** Ends a locked key: nothing of its private half stays. */
export function destroyDelegatedKey(tx: Tx, platformId: PlatformId, id: DelegatedKeyId, now: Date): void {
  tx.send(sql`
    update delegated_keys set status = 'REVOKED', private_key_sealed = null, updated_at = ${now}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

// ---- what falls due

/** A request is remembered for a while, so that a late or repeated retry is told what it is. */
const REMEMBERED = sql`interval '1 hour'`;

type DueRow = { platform_id: string; at: Date };

/** When the next one-time password or signed request expires, per platform. */
export async function nextExpiry(tx: Reader, platformId: PlatformId | undefined): Promise<{ platformId: PlatformId; at: Date }[]> {
  const of = platformId ? sql`where platform_id = ${uuidOf(platformId)}` : sql`where true`;
  const rows = await tx.many<DueRow>(sql`
    select platform_id, min(at) as at from (
      select platform_id, min(expires_at) as at from otp_challenges ${of} group by platform_id
      union all
      select platform_id, min(expires_at) + ${REMEMBERED} as at from signed_requests ${of} group by platform_id
    ) due group by platform_id`);
  return rows.map((row) => ({ platformId: idOf('Platform', row.platform_id), at: row.at }));
}

/** Forgets what can no longer be used; answers how many rows went. */
export async function deleteExpired(tx: Tx, platformId: PlatformId, now: Date): Promise<number> {
  const otps = await tx.run(sql`delete from otp_challenges where platform_id = ${uuidOf(platformId)} and expires_at <= ${now}`);
  return (
    otps +
    (await tx.run(sql`delete from signed_requests where platform_id = ${uuidOf(platformId)} and expires_at + ${REMEMBERED} <= ${now}`))
  );
}
