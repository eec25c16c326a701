// All SQL of delegated keys.
import { type Tx, violatedConstraint } from '../../../db/pool.js';
import { allOf, empty, isExactly, type Sql, sql } from '../../../db/sql.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import {
  type CardFundingSourceId,
  type CardId,
  type DelegatedKeyId,
  type InternalAccountId,
  idOf,
  type PlatformId,
  uuidOf,
} from '../../../kernel/ids.js';
import type { DelegatedKey, DelegatedKeyStatus } from './delegated-key.js';

type Reader = Pick<Tx, 'one' | 'many'>;

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
    select 1 from delegated_keys
    where platform_id = ${uuidOf(platformId)} and funding_source_id = ${uuidOf(fundingSourceId)} and ${isExactly(sql`status`, 'ACTIVE')}`);
  return row !== undefined;
}

type Pair = { readonly cardId: CardId; readonly accountId: InternalAccountId };

/** A key is looked up for each pair: a join may read all keys of the platform. */
const activeKeysOf = (platformId: PlatformId, pairs: readonly Pair[], lock: Sql): Sql => sql`
  select k.* from (
    select distinct p.card_id, p.account_id
    from unnest(${pairs.map((p) => uuidOf(p.cardId))}::uuid[], ${pairs.map((p) => uuidOf(p.accountId))}::uuid[]) as p (card_id, account_id)
    order by p.card_id, p.account_id) p
  cross join lateral (
    select * from delegated_keys where platform_id = ${uuidOf(platformId)} and card_id = p.card_id and account_id = p.account_id
      and status = 'ACTIVE' limit 1 ${lock}) k`;

/** The ACTIVE keys of pairs of card and account, at most one for each pair. */
export const findActiveKeys = async (tx: Reader, platformId: PlatformId, pairs: readonly Pair[]): Promise<DelegatedKey[]> =>
  (await tx.many<DelegatedKeyRow>(activeKeysOf(platformId, pairs, empty))).map(toDelegatedKey);

/** As `findActiveKeys`, with share locks: none of the keys is revoked before this transaction ends. */
export const lockActiveKeysForShare = async (tx: Tx, platformId: PlatformId, pairs: readonly Pair[]): Promise<DelegatedKey[]> =>
  (await tx.many<DelegatedKeyRow>(activeKeysOf(platformId, pairs, sql`for share`))).map(toDelegatedKey);

/** The keys of an account that are not revoked: ACTIVE, or under creation. */
export async function listLiveKeysOf(tx: Reader, platformId: PlatformId, accountId: InternalAccountId): Promise<DelegatedKey[]> {
  const rows = await tx.many<DelegatedKeyRow>(sql`
    select * from delegated_keys where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)} and status <> 'REVOKED' order by id`);
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

/** Revokes a locked key and deletes its private key. */
export function markKeyRevoked(tx: Tx, platformId: PlatformId, id: DelegatedKeyId, now: Date): void {
  tx.send(sql`
    update delegated_keys set status = 'REVOKED', private_key_sealed = null, updated_at = ${now}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(id)}`);
}
