// All SQL of the ledger. Accounts are always locked in ascending order of id, so that transfers do not deadlock.
import type { Tx } from '../../db/pool.js';
import { empty, sql } from '../../db/sql.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { CurrencyCode } from '../../kernel/money.js';
import { type AccountUuid, type Balance, type Hold, type Posting, SERVICE_PURPOSES, type ServicePurpose } from './ledger.js';
import { serviceAccountId } from './rules.js';

type BalanceRow = {
  id: string;
  currency: string;
  available: bigint;
  total: bigint;
  last_entry: bigint;
  owed: bigint;
  under_holder_key: boolean;
};

/** Locks the accounts among `ids` that keep a balance. Service-side accounts keep none, so that payments do not contend for them. */
export async function lockBalances(tx: Tx, platformId: PlatformId, ids: readonly AccountUuid[]): Promise<Map<AccountUuid, Balance>> {
  const rows = await tx.many<BalanceRow>(sql`
    select id, currency, available, total, last_entry, owed, under_holder_key from ledger_accounts
    where platform_id = ${uuidOf(platformId)} and id = any(${ids}::uuid[]) and kind <> 'SERVICE'
    order by id for update`);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        accountId: row.id,
        currency: row.currency,
        available: row.available,
        total: row.total,
        lastEntry: row.last_entry,
        owed: row.owed,
        underHolderKey: row.under_holder_key,
      },
    ]),
  );
}

/**
 * Writes a posting in one statement. The time of the entries is read here, under the locks, and never decreases within an account.
 * Empty parts are left out of the statement: an authorization only holds, and neither resolves nor posts.
 */
export function writePosting(tx: Tx, platformId: PlatformId, posting: Posting): void {
  const platform = uuidOf(platformId);
  const { transfers, resolutions, entries } = posting;
  const balances = [...posting.balances.values()];
  const ids = balances.map((b) => b.accountId);
  tx.send(sql`
    with clock as materialized (
      select greatest(platform_now(${platform}), max(not_before)) as now
      from ledger_accounts where platform_id = ${platform} and id = any(${ids}::uuid[])
    )${transfers.length === 0 ? empty : sql`, moved as (${insertTransfers(platform, transfers)})`}
    ${resolutions.length === 0 ? empty : sql`, resolved as (${resolveTransfers(platform, resolutions)})`}
    ${entries.length === 0 ? empty : sql`, entered as (${insertEntries(platform, entries)})`}
    update ledger_accounts a set available = b.available, total = b.total, last_entry = b.last_entry, owed = b.owed,
      not_before = case when b.last_entry > a.last_entry then (select now from clock) else a.not_before end
    from unnest(${ids}::uuid[], ${balances.map((b) => b.available)}::bigint[],
                ${balances.map((b) => b.total)}::bigint[], ${balances.map((b) => b.lastEntry)}::bigint[],
                ${balances.map((b) => b.owed)}::bigint[]) as b (id, available, total, last_entry, owed)
    where a.platform_id = ${platform} and a.id = b.id and a.id = any(${ids}::uuid[])`);
}

const insertTransfers = (platform: string, transfers: Posting['transfers']) => sql`
  insert into transfers (platform_id, id, debit_account_id, credit_account_id, amount, currency, state, cause, transaction_id, debtor_account_id, created_at, resolved_at)
  select ${platform}, t.id, t.debit, t.credit, t.amount, t.currency, t.state, t.cause, t.transaction_id, t.debtor,
         (select now from clock), case t.state when 'POSTED' then (select now from clock) end
  from unnest(${transfers.map((t) => t.id)}::uuid[], ${transfers.map((t) => t.from)}::uuid[], ${transfers.map((t) => t.to)}::uuid[],
              ${transfers.map((t) => t.amount)}::bigint[], ${transfers.map((t) => t.currency)}::text[], ${transfers.map((t) => t.state)}::text[],
              ${transfers.map((t) => t.cause)}::text[], ${transfers.map((t) => t.transactionId ?? null)}::uuid[],
              ${transfers.map((t) => t.debtor ?? null)}::uuid[])
       as t (id, debit, credit, amount, currency, state, cause, transaction_id, debtor)`;

const resolveTransfers = (platform: string, resolutions: Posting['resolutions']) => sql`
  update transfers t set state = r.outcome, resolved_at = (select now from clock)
  from unnest(${resolutions.map((r) => r.id)}::uuid[], ${resolutions.map((r) => r.outcome)}::text[]) as r (id, outcome)
  where t.platform_id = ${platform} and t.id = r.id and t.id = any(${resolutions.map((r) => r.id)}::uuid[])`;

const insertEntries = (platform: string, entries: Posting['entries']) => sql`
  insert into entries (platform_id, transfer_id, account_id, currency, amount, number, balance_after, transaction_id, effective_at)
  select ${platform}, e.transfer_id, e.account_id, e.currency, e.amount, e.number, e.balance_after, e.transaction_id, (select now from clock)
  from unnest(${entries.map((e) => e.transferId)}::uuid[], ${entries.map((e) => e.accountId)}::uuid[], ${entries.map((e) => e.currency)}::text[],
              ${entries.map((e) => e.amount)}::bigint[], ${entries.map((e) => e.number)}::bigint[], ${entries.map((e) => e.balanceAfter)}::bigint[],
              ${entries.map((e) => e.transactionId)}::uuid[])
       as e (transfer_id, account_id, currency, amount, number, balance_after, transaction_id)`;

type TransferRow = {
  id: string;
  debit_account_id: string;
  credit_account_id: string;
  amount: bigint;
  currency: string;
  cause: string;
  transaction_id: string | null;
};

/** Locks the open holds of the given transactions. */
export async function lockHolds(tx: Tx, platformId: PlatformId, transactionIds: readonly string[]): Promise<Hold[]> {
  const rows = await tx.many<TransferRow>(sql`
    select id, debit_account_id, credit_account_id, amount, currency, cause, transaction_id from transfers
    where platform_id = ${uuidOf(platformId)} and transaction_id = any(${transactionIds}::uuid[]) and state = 'PENDING'
    order by id for update`);
  return rows.map((row) => ({
    id: row.id,
    from: row.debit_account_id,
    to: row.credit_account_id,
    amount: row.amount,
    currency: row.currency,
    cause: row.cause,
    transactionId: row.transaction_id ?? undefined,
  }));
}

/** Opens the service-side accounts of the currencies. Repeating it is harmless. */
export function openServiceAccounts(tx: Tx, platformId: PlatformId, currencies: readonly CurrencyCode[]): void {
  const wanted = currencies.flatMap((currency) =>
    SERVICE_PURPOSES.map((purpose) => ({ purpose, currency, id: serviceAccountId(platformId, purpose, currency) })),
  );
  tx.send(sql`
    insert into ledger_accounts (platform_id, id, kind, purpose, currency)
    select ${uuidOf(platformId)}, s.id, 'SERVICE', s.purpose, s.currency
    from unnest(${wanted.map((w) => w.id)}::uuid[], ${wanted.map((w) => w.purpose)}::text[], ${wanted.map((w) => w.currency)}::text[]) as s (id, purpose, currency)
    on conflict do nothing`);
}

export function insertAccount(
  tx: Tx,
  platformId: PlatformId,
  account: { id: AccountUuid; kind: 'CUSTOMER' | 'PLATFORM'; currency: CurrencyCode; underHolderKey?: boolean },
): void {
  tx.send(sql`
    insert into ledger_accounts (platform_id, id, kind, currency, under_holder_key, available, total)
    values (${uuidOf(platformId)}, ${account.id}, ${account.kind}, ${account.currency}, ${account.underHolderKey ?? false}, 0, 0)`);
}

/** The balance of a service-side account: the sum of its entries. */
export async function serviceBalance(tx: Tx, platformId: PlatformId, purpose: ServicePurpose, currency: CurrencyCode): Promise<bigint> {
  const row = await tx.one<{ sum: bigint }>(sql`
    select coalesce(sum(amount), 0)::bigint as sum from entries
    where platform_id = ${uuidOf(platformId)} and account_id = ${serviceAccountId(platformId, purpose, currency)}`);
  return row?.sum ?? 0n;
}

/**
 * Makes entries before `end` final: no later entry of the account is dated before it. Also records that windows up to `end` were answered.
 * Waits for writers in progress. A later writer reads its time under the same row lock and not before this value, so the answer stays
 * final even when the sandbox clock is set back.
 */
export async function closeEntriesBefore(tx: Pick<Tx, 'run'>, platformId: PlatformId, id: AccountUuid, end: Date): Promise<void> {
  await tx.run(sql`
    update ledger_accounts set not_before = greatest(not_before, ${end}), statements_final_before = ${end}
    where platform_id = ${uuidOf(platformId)} and id = ${id} and statements_final_before < ${end}`);
}
