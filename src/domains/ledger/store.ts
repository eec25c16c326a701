// All SQL of the ledger. Accounts are always locked in ascending order of id, so that transfers do not deadlock.

import { platformTime } from '../../db/platform-time.js';
import type { Tx } from '../../db/pool.js';
import { records, valueById } from '../../db/records.js';
import { type Sql, sql } from '../../db/sql.js';
import { assert } from '../../kernel/errors.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { CurrencyCode } from '../../kernel/money.js';
import { type AccountUuid, type Balance, type Hold, type Posting, SERVICE_PURPOSES, type ServicePurpose } from './ledger.js';
import { isKnownServiceAccount, partsByDate, serviceAccountId } from './rules.js';

type BalanceRow = {
  id: string;
  currency: string;
  available: bigint;
  total: bigint;
  last_entry: bigint;
  owed: bigint;
  under_holder_key: boolean;
  not_before: Date | null;
};

/** Locks the accounts among `ids` that keep a balance. Service-side accounts keep none, so that payments do not contend for them. */
export async function lockBalances(tx: Tx, platformId: PlatformId, ids: readonly AccountUuid[]): Promise<Map<AccountUuid, Balance>> {
  const keeping = ids.filter((id) => !isKnownServiceAccount(id));
  const locked = (id: Sql): Sql => sql`
    select id, currency, available, total, last_entry, owed, under_holder_key, nullif(not_before, '-infinity') as not_before
    from ledger_accounts where platform_id = ${uuidOf(platformId)} and id = ${id} and kind <> 'SERVICE' for update`;
  if (keeping.length === 0) return new Map();
  const [only, ...more] = keeping;
  // One account is the most frequent case. PostgreSQL would plan a list of unknown length anew each time.
  const rows = await tx.many<BalanceRow>(
    more.length === 0
      ? locked(sql`${only}`)
      : sql`select a.* from (select id from unnest(${keeping}::uuid[]) k (id) order by id) k, lateral (${locked(sql`k.id`)}) a`,
  );
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
        notBefore: row.not_before,
      },
    ]),
  );
}

/** The platform's time, to be read after the accounts are locked. */
export async function findTime(tx: Tx, platformId: PlatformId): Promise<Date> {
  const row = await tx.one<{ now: Date }>(sql`select ${platformTime} as now from platforms p where p.id = ${uuidOf(platformId)}`);
  assert(row, 'the platform exists');
  return row.now;
}

/**
 * Writes a posting: one statement per table, all sent together, empty parts left out. An authorization only holds, so it writes a hold
 * and a balance. Transfers of several dates are written date by date.
 */
export function writePosting(tx: Tx, platformId: PlatformId, posting: Posting, now: Date): void {
  const platform = uuidOf(platformId);
  const { opened, ended } = posting;
  if (ended.length > 0) tx.send(deleteHolds(platform, ended));
  if (opened.length > 0) tx.send(insertHolds(platform, opened));
  for (const { at, transfers, entries, balances } of partsByDate(posting, now)) {
    if (transfers.length > 0) tx.send(insertTransfers(platform, transfers, at));
    if (entries.length > 0) tx.send(insertEntries(platform, entries, at));
    if (balances.size > 0) tx.send(updateBalances(platform, [...balances.values()], at));
  }
}

function updateBalances(platform: string, balances: readonly Balance[], at: Date): Sql {
  const [only, ...more] = balances;
  return only && more.length === 0 ? updateOne(platform, only, at) : updateSeveral(platform, balances, at);
}

const updateOne = (platform: string, { accountId, available, total, owed, lastEntry }: Balance, at: Date): Sql => sql`
  update ledger_accounts set available = ${available}, total = ${total}, owed = ${owed}, last_entry = ${lastEntry},
    not_before = case when ${lastEntry} > last_entry then ${at} else not_before end
  where platform_id = ${platform} and id = ${accountId}`;

function updateSeveral(platform: string, balances: readonly Balance[], at: Date): Sql {
  const ids = balances.map(({ accountId }) => accountId);
  const value = (of: (balance: Balance) => bigint) => valueById(ids, balances.map(of), 'bigint');
  const lastEntry = value((balance) => balance.lastEntry);
  return sql`
    update ledger_accounts set available = ${value(({ available }) => available)}, total = ${value(({ total }) => total)},
      owed = ${value(({ owed }) => owed)}, last_entry = ${lastEntry},
      not_before = case when ${lastEntry} > last_entry then ${at} else not_before end
    where platform_id = ${platform} and id = any(${ids}::uuid[])`;
}

const insertTransfers = (platform: string, transfers: Posting['transfers'], at: Date) => sql`
  insert into transfers (platform_id, id, debit_account_id, credit_account_id, amount, currency, cause, transaction_id, debtor_account_id, created_at)
  select p.id, t.*, ${at} from platforms p, ${records(
    TRANSFER_COLUMNS,
    transfers.map((t) => ({
      id: t.id,
      debit: t.from,
      credit: t.to,
      amount: t.amount,
      currency: t.currency,
      cause: t.cause,
      transaction: t.transactionId ?? null,
      debtor: t.debtor ?? null,
    })),
  )} where p.id = ${platform}`;

const TRANSFER_COLUMNS = {
  id: 'uuid',
  debit: 'uuid',
  credit: 'uuid',
  amount: 'bigint',
  currency: 'text',
  cause: 'text',
  transaction: 'uuid',
  debtor: 'uuid',
} as const;

const insertEntries = (platform: string, entries: Posting['entries'], at: Date) => sql`
  insert into entries (platform_id, transfer_id, account_id, currency, amount, number, balance_after, transaction_id, effective_at)
  select p.id, t.*, ${at} from platforms p, ${records(
    ENTRY_COLUMNS,
    entries.map((e) => ({
      transfer: e.transferId,
      account: e.accountId,
      currency: e.currency,
      amount: e.amount,
      number: e.number,
      balance: e.balanceAfter,
      transaction: e.transactionId,
    })),
  )} where p.id = ${platform}`;

const ENTRY_COLUMNS = {
  transfer: 'uuid',
  account: 'uuid',
  currency: 'text',
  amount: 'bigint',
  number: 'bigint',
  balance: 'bigint',
  transaction: 'uuid',
} as const;

// ---- holds

const ownerOf = ({ ownerId, transactionId, id }: Hold): string => ownerId ?? transactionId ?? id;
const transactionOf = ({ transactionId, id }: Hold): string => transactionId ?? id;

const insertHolds = (platform: string, holds: readonly Hold[]) => sql`
  insert into holds (platform_id, owner_id, transaction_id, id, debit_account_id, credit_account_id, amount, currency, cause, expires_at)
  select p.id, t.* from platforms p, ${records(
    HOLD_COLUMNS,
    holds.map((h) => ({
      owner: ownerOf(h),
      transaction: transactionOf(h),
      id: h.id,
      debit: h.from,
      credit: h.to,
      amount: h.amount,
      currency: h.currency,
      cause: h.cause,
      expires: h.expiresAt ?? null,
    })),
  )} where p.id = ${platform}`;

const HOLD_COLUMNS = {
  owner: 'uuid',
  transaction: 'uuid',
  id: 'uuid',
  debit: 'uuid',
  credit: 'uuid',
  amount: 'bigint',
  currency: 'text',
  cause: 'text',
  expires: 'timestamptz',
} as const;

/** A hold ends once: the statement fails unless it finds every one of them. By lists, so that the plan goes by the primary key. */
const deleteHolds = (platform: string, holds: readonly Hold[]) => sql`
  with ended as (
    delete from holds where platform_id = ${platform} and owner_id = any(${[...new Set(holds.map(ownerOf))]}::uuid[])
      and transaction_id = any(${holds.map(transactionOf)}::uuid[]) and id = any(${holds.map(({ id }) => id)}::uuid[]) returning id
  )
  select require_rows(count(*), ${holds.length}) from ended`;

type HoldRow = {
  id: string;
  owner_id: string;
  debit_account_id: string;
  credit_account_id: string;
  amount: bigint;
  currency: string;
  cause: string;
  transaction_id: string;
  expires_at: Date | null;
};

/** Locks the open holds of the given transactions. `ownerIds`: the owner of each, if not the transaction itself. */
export async function lockHolds(
  tx: Tx,
  platformId: PlatformId,
  transactionIds: readonly string[],
  ownerIds: readonly string[] = transactionIds,
): Promise<Hold[]> {
  const rows = await tx.many<HoldRow>(sql`
    select h.* from unnest(${ownerIds}::uuid[], ${transactionIds}::uuid[]) k (owner_id, transaction_id), lateral (
      select id, owner_id, debit_account_id, credit_account_id, amount, currency, cause, transaction_id, expires_at from holds
      where platform_id = ${uuidOf(platformId)} and owner_id = k.owner_id and transaction_id = k.transaction_id for update
    ) h`);
  return rows.map((row) => ({
    id: row.id,
    ownerId: row.owner_id,
    from: row.debit_account_id,
    to: row.credit_account_id,
    amount: row.amount,
    currency: row.currency,
    cause: row.cause,
    transactionId: row.transaction_id,
    expiresAt: row.expires_at,
  }));
}

const SERVICE_ACCOUNT_COLUMNS = { id: 'uuid', purpose: 'text', currency: 'text' } as const;

/** Opens the service-side accounts of the currencies. Repeating it is harmless, and cheap: accounts that exist are only looked up. */
export function openServiceAccounts(tx: Tx, platformId: PlatformId, currencies: readonly CurrencyCode[]): void {
  const wanted = currencies.flatMap((currency) =>
    SERVICE_PURPOSES.map((purpose) => ({ purpose, currency, id: serviceAccountId(platformId, purpose, currency) })),
  );
  tx.send(sql`
    insert into ledger_accounts (platform_id, id, kind, purpose, currency)
    select p.id, t.id, 'SERVICE', t.purpose, t.currency
    from platforms p, ${records(SERVICE_ACCOUNT_COLUMNS, wanted)}
    where p.id = ${uuidOf(platformId)} and (
      select count(*) from ledger_accounts a where a.platform_id = ${uuidOf(platformId)} and a.id = any(${wanted.map(({ id }) => id)}::uuid[])
    ) < ${wanted.length}
    on conflict do nothing`);
}

export type NewAccount = {
  readonly id: AccountUuid;
  readonly kind: 'CUSTOMER' | 'PLATFORM';
  readonly currency: CurrencyCode;
  readonly underHolderKey: boolean;
};

const NEW_ACCOUNT = { id: 'uuid', kind: 'text', currency: 'text', under_holder_key: 'boolean' } as const;

export function insertAccounts(tx: Tx, platformId: PlatformId, accounts: readonly NewAccount[]): void {
  const rows = accounts.map(({ id, kind, currency, underHolderKey }) => ({ id, kind, currency, under_holder_key: underHolderKey }));
  tx.send(sql`
    insert into ledger_accounts (platform_id, id, kind, currency, under_holder_key, available, total)
    select p.id, t.*, 0, 0 from platforms p, ${records(NEW_ACCOUNT, rows)} where p.id = ${uuidOf(platformId)}`);
}

/** The balance of a service-side account: the sum of its entries. */
export async function serviceBalance(tx: Tx, platformId: PlatformId, purpose: ServicePurpose, currency: CurrencyCode): Promise<bigint> {
  const row = await tx.one<{ sum: bigint }>(sql`
    select coalesce(sum(amount), 0)::bigint as sum from entries
    where platform_id = ${uuidOf(platformId)} and account_id = ${serviceAccountId(platformId, purpose, currency)}`);
  return row?.sum ?? 0n;
}

/** How much transfers with these ids, as far as there are any, have brought to an account. */
export async function broughtTo(tx: Tx, platformId: PlatformId, accountId: AccountUuid, transferIds: readonly string[]): Promise<bigint> {
  const row = await tx.one<{ sum: bigint }>(sql`
    select coalesce(sum(amount), 0)::bigint as sum from transfers
    where platform_id = ${uuidOf(platformId)} and id = any(${transferIds}::uuid[]) and credit_account_id = ${accountId}`);
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
