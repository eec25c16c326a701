// All SQL of the wallet signer. No other code reads or writes these tables.
import type { Tx } from '../../db/pool.js';
import { sql } from '../../db/sql.js';
import { type InternalAccountId, idOf, newUuid, type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { ActivityType, SignerId, WalletTransfer } from './activity.js';

export type WalletRef = { readonly platformId: PlatformId; readonly accountId: InternalAccountId };
export type Policy = 'SIGN' | 'SELF_REVOKE';
export type Signer = {
  readonly id: SignerId;
  readonly accountId: InternalAccountId;
  readonly kind: 'SESSION' | 'DELEGATED';
  readonly publicKey: string;
  readonly policies: readonly Policy[];
  readonly expiresAt: Date | undefined;
};

type SignerRow = { id: string; account_id: string; kind: Signer['kind']; public_key: string; policies: Policy[]; expires_at: Date | null };

const toSigner = (row: SignerRow): Signer => ({
  id: idOf(row.kind === 'SESSION' ? 'Session' : 'DelegatedKey', row.id),
  accountId: idOf('InternalAccount', row.account_id),
  kind: row.kind,
  publicKey: row.public_key,
  policies: row.policies,
  expiresAt: row.expires_at ?? undefined,
});

export function insertWallet(tx: Tx, { platformId, accountId }: WalletRef, recoveryPhraseSealed: Buffer, now: Date): void {
  tx.send(sql`
    insert into wallets (platform_id, account_id, recovery_phrase_sealed, created_at)
    values (${uuidOf(platformId)}, ${uuidOf(accountId)}, ${recoveryPhraseSealed}, ${now})
    on conflict (platform_id, account_id) do nothing`);
}

export async function hasWallet(tx: Tx, { platformId, accountId }: WalletRef): Promise<boolean> {
  const row = await tx.one(sql`select 1 from wallets where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)}`);
  return row !== undefined;
}

export async function findRecoveryPhrase(tx: Tx, { platformId, accountId }: WalletRef): Promise<Buffer | undefined> {
  const row = await tx.one<{ recovery_phrase_sealed: Buffer }>(sql`
    select recovery_phrase_sealed from wallets where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)}`);
  return row?.recovery_phrase_sealed;
}

/** The signers of (account, key) pairs, with share locks: none is deleted before this transaction ends. */
export async function lockSignersForShare(
  tx: Tx,
  platformId: PlatformId,
  keys: readonly { accountId: InternalAccountId; publicKey: string }[],
): Promise<Signer[]> {
  const rows = await tx.many<SignerRow>(sql`
    select s.* from (
      select distinct k.account_id, k.public_key
      from unnest(${keys.map((k) => uuidOf(k.accountId))}::uuid[], ${keys.map((k) => k.publicKey)}::text[]) as k (account_id, public_key)
      order by k.account_id, k.public_key) k
    cross join lateral (
      select id, account_id, kind, public_key, policies, expires_at from wallet_signers
      where platform_id = ${uuidOf(platformId)} and account_id = k.account_id and public_key = k.public_key and deleted_at is null
      order by id for share) s`);
  return rows.map(toSigner);
}

/** The newest active session of a wallet, of the given key if one is given, with a share lock. */
export async function lockNewestSession(
  tx: Tx,
  { platformId, accountId }: WalletRef,
  publicKey: string | undefined,
  now: Date,
): Promise<Signer | undefined> {
  const row = await tx.one<SignerRow>(sql`
    select id, account_id, kind, public_key, policies, expires_at from wallet_signers
    where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)} and kind = 'SESSION' and deleted_at is null
      and expires_at > ${now} and public_key = coalesce(${publicKey ?? null}, public_key)
    order by id desc limit 1 for share`);
  return row && toSigner(row);
}

export function insertSigner(tx: Tx, platformId: PlatformId, signer: Signer, now: Date): void {
  tx.send(sql`
    insert into wallet_signers (platform_id, id, account_id, kind, public_key, policies, created_at, expires_at)
    values (${uuidOf(platformId)}, ${uuidOf(signer.id)}, ${uuidOf(signer.accountId)}, ${signer.kind}, ${signer.publicKey},
            ${signer.policies}, ${now}, ${signer.expiresAt ?? null})`);
}

/** Returns whether the account has that delegated signer with that key. */
export async function grantPolicies(
  tx: Tx,
  { platformId, accountId }: WalletRef,
  signer: { id: SignerId; publicKey: string },
  policies: readonly Policy[],
): Promise<boolean> {
  const touched = await tx.run(sql`
    update wallet_signers set policies = ${policies}
    where platform_id = ${uuidOf(platformId)} and id = ${uuidOf(signer.id)} and account_id = ${uuidOf(accountId)}
      and public_key = ${signer.publicKey} and kind = 'DELEGATED' and deleted_at is null`);
  return touched === 1;
}

/** Returns how many of the signers existed. */
export async function deleteSigners(tx: Tx, { platformId, accountId }: WalletRef, ids: readonly SignerId[], now: Date): Promise<number> {
  return tx.run(sql`
    update wallet_signers set deleted_at = ${now}, policies = '{}'
    where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(accountId)} and id = any(${ids.map(uuidOf)}::uuid[]) and deleted_at is null`);
}

export type ActivityRecord = {
  readonly accountId: InternalAccountId;
  readonly signer: Signer;
  readonly type: ActivityType;
  readonly payload: string;
  readonly payloadHash: Buffer;
  readonly signature: Buffer;
  readonly transfer?: WalletTransfer;
};

/** Records the payloads that were not executed before; returns their hashes. */
export async function insertActivities(
  tx: Tx,
  platformId: PlatformId,
  records: readonly ActivityRecord[],
  now: Date,
): Promise<Set<string>> {
  const rows = await tx.many<{ payload_hash: Buffer }>(sql`
    insert into wallet_activities (platform_id, id, account_id, signer_id, public_key, type, payload, payload_hash, signature,
                                   transfer_id, credit_account_id, amount, currency, created_at)
    select p.id, r.id, r.account_id, r.signer_id, r.public_key, r.type, r.payload, r.payload_hash, r.signature,
           r.transfer_id, r.credit_account_id, r.amount, r.currency, ${now}
    from platforms p,
         unnest(${records.map(() => newUuid())}::uuid[], ${records.map((r) => uuidOf(r.accountId))}::uuid[],
                ${records.map((r) => uuidOf(r.signer.id))}::uuid[], ${records.map((r) => r.signer.publicKey)}::text[],
                ${records.map((r) => r.type)}::text[], ${records.map((r) => r.payload)}::text[], ${records.map((r) => r.payloadHash)}::bytea[],
                ${records.map((r) => r.signature)}::bytea[], ${records.map((r) => r.transfer?.transferId ?? null)}::uuid[],
                ${records.map((r) => r.transfer?.to ?? null)}::uuid[], ${records.map((r) => r.transfer?.amount ?? null)}::bigint[],
                ${records.map((r) => r.transfer?.currency ?? null)}::text[])
         as r (id, account_id, signer_id, public_key, type, payload, payload_hash, signature, transfer_id, credit_account_id, amount, currency)
    where p.id = ${uuidOf(platformId)}
    on conflict do nothing
    returning payload_hash`);
  return new Set(rows.map((row) => row.payload_hash.toString('hex')));
}
