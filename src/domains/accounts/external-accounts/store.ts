// All SQL of external accounts, challenges and proofs. The row of a deleted account is kept for its proofs and never returned.

import { countMatches } from '../../../db/count.js';
import type { PlatformCondition } from '../../../db/job.js';
import type { Tx } from '../../../db/pool.js';
import { records, valueById } from '../../../db/records.js';
import { allOf, isUnset, type Sql, sql } from '../../../db/sql.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CustomerId, type ExternalAccountId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { type Page, type PageRequest, pageOf } from '../../../kernel/page.js';
import type {
  AccountInfo,
  BeneficiaryVerificationStatus,
  ExternalAccount,
  ExternalAccountStatus,
  OwnerScope,
  OwnershipChallenge,
  OwnershipMethod,
  OwnershipProof,
  OwnershipType,
} from './external-account.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type AccountRow = {
  id: string;
  customer_id: string | null;
  status: ExternalAccountStatus;
  platform_account_id: string | null;
  ownership_type: OwnershipType | null;
  currency: string;
  default_uma_deposit_account: boolean;
  beneficiary_verification_status: BeneficiaryVerificationStatus | null;
  beneficiary_verified_name: string | null;
  beneficiary_check_due_at: Date | null;
  account_info: AccountInfo;
  trusted_at: Date | null;
  challenge_method: OwnershipMethod | null;
  challenge_content: string | null;
  challenge_created_at: Date | null;
  challenge_expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const toAccount = (row: AccountRow): ExternalAccount => ({
  id: idOf('ExternalAccount', row.id),
  customerId: row.customer_id === null ? undefined : idOf('Customer', row.customer_id),
  status: row.status,
  platformAccountId: row.platform_account_id ?? undefined,
  ownershipType: row.ownership_type ?? undefined,
  currency: row.currency,
  defaultUmaDepositAccount: row.default_uma_deposit_account,
  beneficiaryCheck:
    row.beneficiary_verification_status === null
      ? undefined
      : {
          status: row.beneficiary_verification_status,
          ...(row.beneficiary_verified_name !== null && { verifiedName: row.beneficiary_verified_name }),
          ...(row.beneficiary_check_due_at !== null && { dueAt: row.beneficiary_check_due_at }),
        },
  accountInfo: row.account_info,
  isTrusted: row.trusted_at !== null,
  challenge: toChallenge(row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

function toChallenge(row: AccountRow): OwnershipChallenge | undefined {
  const { challenge_method: method, challenge_content: content, challenge_created_at: createdAt, challenge_expires_at: expiresAt } = row;
  if (method === null || content === null || createdAt === null || expiresAt === null) return undefined;
  const times = { createdAt, expiresAt };
  return method === 'LIVENESS' ? { method, checkId: content, ...times } : { method, messageToSign: content, ...times };
}

const isOwnedBy = (ownerScope: OwnerScope): Sql =>
  ownerScope === 'PLATFORM' ? sql`a.customer_id is null` : sql`a.customer_id is not null`;
const isLeft = isUnset(sql`a.deleted_at`);
const isNotDeleted = (platformId: PlatformId): Sql => sql`a.platform_id = ${uuidOf(platformId)} and ${isLeft}`;
const hasId = (platformId: PlatformId, id: ExternalAccountId): Sql =>
  allOf(sql`a.platform_id = ${uuidOf(platformId)} and a.id = ${uuidOf(id)}`, isLeft);

function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new ApiError('ACCOUNT_NOT_FOUND');
  return row;
}

// ---- accounts

/** A malformed id (undefined) answers like an unknown one. */
export async function getExternalAccount(
  tx: Reader,
  platformId: PlatformId,
  ownerScope: OwnerScope,
  id: ExternalAccountId | undefined,
): Promise<ExternalAccount> {
  const row =
    id && (await tx.one<AccountRow>(sql`select a.* from external_accounts a where ${allOf(hasId(platformId, id), isOwnedBy(ownerScope))}`));
  return toAccount(found(row));
}

/** The account of any owner, deleted or not: a payment that is under way reaches it all the same. */
export async function findExternalAccount(
  tx: Reader,
  platformId: PlatformId,
  id: ExternalAccountId,
): Promise<{ readonly account: ExternalAccount; readonly isDeleted: boolean } | undefined> {
  const row = await tx.one<AccountRow & { deleted_at: Date | null }>(sql`
    select a.* from external_accounts a where a.platform_id = ${uuidOf(platformId)} and a.id = ${uuidOf(id)}`);
  return row && { account: toAccount(row), isDeleted: row.deleted_at !== null };
}

export type AccountFilter = {
  readonly currency: CurrencyCode | undefined;
  /** Null for a malformed customer id, which owns no account. */
  readonly customerId: CustomerId | null | undefined;
};

export async function listExternalAccounts(
  tx: Reader,
  platformId: PlatformId,
  ownerScope: OwnerScope,
  filter: AccountFilter,
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<ExternalAccount>> {
  const where = allOf(
    isNotDeleted(platformId),
    isOwnedBy(ownerScope),
    filter.currency !== undefined && sql`a.currency = ${filter.currency}`,
    filter.customerId !== undefined && sql`a.customer_id = ${filter.customerId && uuidOf(filter.customerId)}`,
  );
  const [rows, totalCount] = await Promise.all([
    tx.many<AccountRow>(sql`
      select a.* from external_accounts a where ${allOf(where, after !== undefined && sql`a.id < ${after}`)}
      order by a.id desc limit ${limit + 1}`),
    countMatches(tx, sql`external_accounts a where ${where}`),
  ]);
  return pageOf(rows.map(toAccount), limit, totalCount, ({ id }) => [uuidOf(id)], scope);
}

/** Returns false if an equivalent account, or one with this `platformAccountId`, exists, also if it was inserted concurrently. */
export async function insertExternalAccount(tx: Tx, platformId: PlatformId, account: ExternalAccount, identity: Buffer): Promise<boolean> {
  const { customerId, beneficiaryCheck: check } = account;
  const inserted = await tx.run(sql`
    insert into external_accounts (platform_id, id, customer_id, status, platform_account_id, ownership_type, currency,
      default_uma_deposit_account, beneficiary_verification_status, beneficiary_verified_name, beneficiary_check_due_at, account_info, identity,
      created_at, updated_at)
    values (${uuidOf(platformId)}, ${uuidOf(account.id)}, ${customerId === undefined ? null : uuidOf(customerId)}, ${account.status},
      ${account.platformAccountId ?? null}, ${account.ownershipType ?? null}, ${account.currency}, ${account.defaultUmaDepositAccount},
      ${check?.status ?? null}, ${check?.verifiedName ?? null}, ${check?.dueAt ?? null}, ${JSON.stringify(account.accountInfo)}, ${identity},
      ${account.createdAt}, ${account.updatedAt})
    on conflict do nothing`);
  return inserted === 1;
}

/** The account that an insert conflicts with. */
export async function findEquivalent(
  tx: Reader,
  platformId: PlatformId,
  account: ExternalAccount,
  identity: Buffer,
): Promise<ExternalAccount | undefined> {
  const owner = account.customerId === undefined ? sql`a.customer_id is null` : sql`a.customer_id = ${uuidOf(account.customerId)}`;
  const live = sql`select a.* from external_accounts a where a.platform_id = ${uuidOf(platformId)} and a.deleted_at is null`;
  const row = await tx.one<AccountRow>(sql`
    (${live} and ${owner} and a.identity = ${identity} limit 1)
    union all (${live} and a.platform_account_id = ${account.platformAccountId ?? null} limit 1)
    order by id limit 1`);
  return row && toAccount(row);
}

/** The account that a customer has chosen for incoming UMA payments. */
export async function findDefaultDepositAccount(
  tx: Reader,
  platformId: PlatformId,
  customerId: CustomerId,
): Promise<ExternalAccount | undefined> {
  const row = await tx.one<AccountRow>(sql`
    select a.* from external_accounts a
    where ${isNotDeleted(platformId)} and a.customer_id = ${uuidOf(customerId)} and a.default_uma_deposit_account`);
  return row && toAccount(row);
}

/** The caller has locked the customer's row, so there is never more than one default. */
export function clearDefaultAccount(tx: Tx, platformId: PlatformId, customerId: CustomerId, now: Date): void {
  tx.send(sql`
    update external_accounts a set default_uma_deposit_account = false, updated_at = ${now}
    where ${isNotDeleted(platformId)} and a.customer_id = ${uuidOf(customerId)} and a.default_uma_deposit_account`);
}

export async function lockExternalAccount(
  tx: Tx,
  platformId: PlatformId,
  ownerScope: OwnerScope | 'ANY',
  id: ExternalAccountId | undefined,
): Promise<ExternalAccount> {
  const row =
    id &&
    (await tx.one<AccountRow>(sql`
      select a.* from external_accounts a where ${allOf(hasId(platformId, id), ownerScope !== 'ANY' && isOwnedBy(ownerScope))} for update`));
  return toAccount(found(row));
}

export type AccountKey = { readonly platformId: PlatformId; readonly id: ExternalAccountId };

/** Includes the platform: a batch holds attempts of several platforms, and an account belongs to one. */
export const accountKey = ({ platformId, id }: { readonly platformId: PlatformId; readonly id: ExternalAccountId | undefined }): string =>
  `${platformId} ${id}`;

/** Locks accounts of several platforms, always in the same order. Unknown ones are left out. */
export async function lockExternalAccounts(tx: Tx, keys: readonly AccountKey[]): Promise<Map<string, ExternalAccount>> {
  const found = new Map<string, ExternalAccount>();
  for (const [platformId, ids] of byPlatform(keys)) {
    const rows = await tx.many<AccountRow>(sql`
      select a.* from unnest(${[...new Set(ids.map(({ id }) => uuidOf(id)))].sort()}::uuid[]) k (id), lateral (
        select * from external_accounts a where platform_id = ${uuidOf(platformId)} and id = k.id and ${isLeft} for update) a`);
    for (const account of rows.map(toAccount)) found.set(accountKey({ platformId, id: account.id }), account);
  }
  return found;
}

/** By platform, in the order of the platforms' ids. */
function byPlatform<Item extends { readonly platformId: PlatformId }>(items: readonly Item[]): [PlatformId, Item[]][] {
  const groups = new Map<PlatformId, Item[]>();
  for (const item of items) groups.set(item.platformId, [...(groups.get(item.platformId) ?? []), item]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

export function saveExternalAccount(tx: Tx, platformId: PlatformId, account: ExternalAccount): void {
  const { beneficiaryCheck: check, challenge } = account;
  tx.send(sql`
    update external_accounts set status = ${account.status}, beneficiary_verification_status = ${check?.status ?? null},
      beneficiary_verified_name = ${check?.verifiedName ?? null}, beneficiary_check_due_at = ${check?.dueAt ?? null},
      challenge_method = ${challenge?.method ?? null}, challenge_content = ${challenge ? contentOf(challenge) : null},
      challenge_created_at = ${challenge?.createdAt ?? null}, challenge_expires_at = ${challenge?.expiresAt ?? null},
      updated_at = ${account.updatedAt}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(account.id)}`);
}

/** Whether payments to the account need no challenge of their own. */
export function saveTrust(tx: Tx, platformId: PlatformId, id: ExternalAccountId, trustedAt: Date | null, now: Date): void {
  tx.send(sql`
    update external_accounts set trusted_at = ${trustedAt}, updated_at = ${now}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}

const contentOf = (challenge: OwnershipChallenge): string =>
  challenge.method === 'LIVENESS' ? challenge.checkId : challenge.messageToSign;

export const deleteExternalAccount = (tx: Tx, platformId: PlatformId, id: ExternalAccountId, now: Date): void =>
  markDeleted(tx, now, hasId(platformId, id));

export const deleteAccountsOf = (tx: Tx, platformId: PlatformId, customerId: CustomerId, now: Date): void =>
  markDeleted(tx, now, allOf(isNotDeleted(platformId), sql`a.customer_id = ${uuidOf(customerId)}`));

/** The row stays for its proofs; an open challenge goes with the account. */
function markDeleted(tx: Tx, now: Date, which: Sql): void {
  tx.send(sql`
    update external_accounts a set deleted_at = ${now}, updated_at = ${now}, challenge_method = null, challenge_content = null,
      challenge_created_at = null, challenge_expires_at = null
    where ${which}`);
}

// ---- due work

export type DueWork = 'NAME_CHECK' | 'LIVENESS';

const DUE: { readonly [work in DueWork]: { readonly at: Sql; readonly pending: Sql } } = {
  NAME_CHECK: { at: sql`a.beneficiary_check_due_at`, pending: sql`a.beneficiary_check_due_at is not null and a.deleted_at is null` },
  LIVENESS: { at: sql`a.liveness_due_at`, pending: sql`a.liveness_due_at is not null and a.deleted_at is null` },
};

export const firstDue = (condition: PlatformCondition, work: DueWork): Sql => {
  const { at, pending } = DUE[work];
  return sql`
    select a.platform_id, ${at} as at from external_accounts a where ${condition(sql`a.platform_id`)} and ${pending}
    order by a.platform_id, ${at} limit 1`;
};

/** Locks accounts whose work is due. Skips those that another process has locked. */
export async function lockDue(tx: Tx, work: DueWork, platformId: PlatformId, now: Date, limit: number): Promise<ExternalAccount[]> {
  const { at, pending } = DUE[work];
  const rows = await tx.many<AccountRow>(sql`
    select a.* from external_accounts a where ${pending} and a.platform_id = ${uuidOf(platformId)} and ${at} <= ${now}
    order by ${at}, a.id limit ${limit} for update skip locked`);
  return rows.map(toAccount);
}

// ---- proofs

type ProofRow = {
  id: string;
  account_id: string;
  method: OwnershipMethod;
  chain: string;
  address: string;
  message: string | null;
  signature: string | null;
  scheme: string | null;
  verdict: OwnershipProof['verdict'];
  cause: string | null;
  challenged_at: Date;
  expires_at: Date;
  decided_at: Date;
  software: string;
};

const toProof = (row: ProofRow): OwnershipProof => ({
  id: idOf('OwnershipProof', row.id),
  accountId: idOf('ExternalAccount', row.account_id),
  method: row.method,
  chain: row.chain,
  address: row.address,
  message: row.message ?? undefined,
  signature: row.signature ?? undefined,
  scheme: row.scheme ?? undefined,
  verdict: row.verdict,
  cause: row.cause ?? undefined,
  challengedAt: row.challenged_at,
  expiresAt: row.expires_at,
  decidedAt: row.decided_at,
  software: row.software,
});

export type Answered = { readonly platformId: PlatformId; readonly account: ExternalAccount; readonly proof: OwnershipProof };

const ANSWER_COLUMNS = {
  account_id: 'uuid',
  status: 'text',
  id: 'uuid',
  method: 'text',
  chain: 'text',
  address: 'text',
  message: 'text',
  signature: 'text',
  scheme: 'text',
  verdict: 'text',
  cause: 'text',
  challenged_at: 'timestamptz',
  expires_at: 'timestamptz',
  decided_at: 'timestamptz',
  software: 'text',
} as const;

const toAnswerRow = ({ account, proof }: Answered) => ({
  account_id: uuidOf(account.id),
  status: account.status,
  id: uuidOf(proof.id),
  method: proof.method,
  chain: proof.chain,
  address: proof.address,
  message: proof.message ?? null,
  signature: proof.signature ?? null,
  scheme: proof.scheme ?? null,
  verdict: proof.verdict,
  cause: proof.cause ?? null,
  challenged_at: proof.challengedAt,
  expires_at: proof.expiresAt,
  decided_at: proof.decidedAt,
  software: proof.software,
});

/** Writes the accounts of answered challenges and their proofs: two statements per platform. */
export function saveAnswers(tx: Tx, answers: readonly Answered[]): void {
  for (const [platformId, group] of byPlatform(answers)) {
    const rows = group.map(toAnswerRow);
    const answered = records(ANSWER_COLUMNS, rows);
    const ids = rows.map(({ account_id }) => account_id);
    const statuses = rows.map(({ status }) => status);
    const times = rows.map(({ decided_at }) => decided_at);
    tx.send(sql`
      update external_accounts set status = ${valueById(ids, statuses, 'text')}, updated_at = ${valueById(ids, times, 'timestamptz')},
        challenge_method = null, challenge_content = null, challenge_created_at = null, challenge_expires_at = null
      where platform_id = ${uuidOf(platformId)} and id = any(${ids}::uuid[])`);
    tx.send(sql`
      insert into ownership_proofs (platform_id, id, account_id, method, chain, address, message, signature, scheme, verdict, cause,
        challenged_at, expires_at, decided_at, software)
      select p.id, t.id, t.account_id, t.method, t.chain, t.address, t.message, t.signature, t.scheme, t.verdict, t.cause,
        t.challenged_at, t.expires_at, t.decided_at, t.software
      from platforms p, ${answered} where p.id = ${uuidOf(platformId)}`);
  }
}

/** The proofs of an account, newest first, also of a deleted account. */
export async function listProofs(
  tx: Reader,
  platformId: PlatformId,
  id: ExternalAccountId | undefined,
  { limit, after }: PageRequest<string>,
  scope: unknown,
): Promise<Page<OwnershipProof>> {
  const account = id && sql`platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(id)}`;
  const known =
    id && (await tx.one<object>(sql`select from external_accounts where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`));
  found(known);
  const [rows, totalCount] = await Promise.all([
    tx.many<ProofRow>(sql`
      select * from ownership_proofs where ${allOf(account, after !== undefined && sql`id < ${after}`)}
      order by id desc limit ${limit + 1}`),
    countMatches(tx, sql`ownership_proofs where ${allOf(account)}`),
  ]);
  return pageOf(rows.map(toProof), limit, totalCount, (proof) => [uuidOf(proof.id)], scope);
}
