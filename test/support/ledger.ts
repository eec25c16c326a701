// Ledger accounts without other domains, and the invariants of a ledger.
import assert from 'node:assert/strict';
import type { Db } from '../../src/db/pool.js';
import { sql } from '../../src/db/sql.js';
import { insertAccounts, moveMoney } from '../../src/domains/ledger/actions.js';
import type { AccountUuid, Move } from '../../src/domains/ledger/ledger.js';
import { idOf, newUuid, type PlatformId, uuidOf } from '../../src/kernel/ids.js';

export async function anyPlatform(db: Db): Promise<PlatformId> {
  const row = await db.one<{ id: string }>(sql`select id from platforms order by id limit 1`);
  assert.ok(row);
  return idOf('Platform', row.id);
}

export async function openAccount(db: Db, platformId: PlatformId, currency = 'USD'): Promise<AccountUuid> {
  const id = newUuid();
  await db.transaction(async (tx) => insertAccounts(tx, platformId, [{ id, kind: 'CUSTOMER', currency, underHolderKey: false }]));
  return id;
}

export const post = (from: AccountUuid, to: AccountUuid, amount: bigint, currency = 'USD'): Move => ({
  kind: 'POST',
  transfer: { id: newUuid(), from, to, amount, currency, cause: 'TEST' },
});

export const move = (db: Db, platformId: PlatformId, ...moves: Move[]) => db.transaction((tx) => moveMoney(tx, platformId, moves));

export async function balanceOf(db: Db, id: AccountUuid): Promise<{ available: bigint; total: bigint }> {
  const row = await db.one<{ available: bigint; total: bigint }>(sql`select available, total from ledger_accounts where id = ${id}`);
  assert.ok(row);
  return { available: row.available, total: row.total };
}

/** Asserts the invariants of a platform's ledger while no transaction is open. */
export async function assertLedgerHolds(db: Db, platformId: PlatformId): Promise<void> {
  const platform = uuidOf(platformId);
  const none = async (broken: string, query: ReturnType<typeof sql>) => assert.deepEqual(await db.many(query), [], broken);

  await none(
    'per currency the entries sum to zero',
    sql`select currency, sum(amount) from entries where platform_id = ${platform} group by currency having sum(amount) <> 0`,
  );
  await none(
    'a transfer has two entries',
    sql`select t.id, array_agg(e.amount) from transfers t left join entries e on e.platform_id = t.platform_id and e.transfer_id = t.id
        where t.platform_id = ${platform} group by t.id, t.amount
        having count(e.amount) <> 2 or max(e.amount) <> t.amount or min(e.amount) <> -t.amount`,
  );
  await none(
    'total is the sum of the entries, and available is total minus holds',
    sql`select a.id, a.total, a.available from ledger_accounts a
        left join (select account_id, sum(amount) as amount from entries where platform_id = ${platform} group by account_id) e
          on e.account_id = a.id
        left join (select debit_account_id, sum(amount) as amount from holds where platform_id = ${platform} group by debit_account_id) h
          on h.debit_account_id = a.id
        where a.platform_id = ${platform} and a.kind <> 'SERVICE'
          and (a.total <> coalesce(e.amount, 0) or a.total - a.available <> coalesce(h.amount, 0))`,
  );
  await none(
    'entries are numbered without gaps, contain the running total, and their times never decrease',
    sql`select * from (
          select account_id, number, balance_after, effective_at,
            row_number() over of_account as expected_number, sum(amount) over of_account as expected_balance, lag(effective_at) over of_account as earlier
          from entries where platform_id = ${platform} and number is not null
          window of_account as (partition by account_id order by number)) e
        where number <> expected_number or balance_after <> expected_balance or effective_at < earlier`,
  );
  await none(
    'every entry of an account with a stored balance is numbered',
    sql`select e.transfer_id from entries e join ledger_accounts a on a.platform_id = e.platform_id and a.id = e.account_id
        where e.platform_id = ${platform} and (a.kind = 'SERVICE') <> (e.number is null)`,
  );
  await none(
    'the receivables of a currency are what its holders owe',
    sql`select a.currency, sum(a.owed) as owed, (
          select coalesce(-sum(e.amount), 0) from entries e join ledger_accounts r on r.platform_id = e.platform_id and r.id = e.account_id
          where e.platform_id = ${platform} and r.purpose = 'RECEIVABLE' and r.currency = a.currency) as receivable
        from ledger_accounts a where a.platform_id = ${platform} group by a.currency
        having sum(a.owed) <> (
          select coalesce(-sum(e.amount), 0) from entries e join ledger_accounts r on r.platform_id = e.platform_id and r.id = e.account_id
          where e.platform_id = ${platform} and r.purpose = 'RECEIVABLE' and r.currency = a.currency)`,
  );
  await none(
    'what a holder owes is what was booked as receivable minus what was recovered',
    sql`select a.id, a.owed from ledger_accounts a
        left join (
          select t.debtor_account_id, sum(case r.id when t.debit_account_id then t.amount else -t.amount end) as amount from transfers t
          join ledger_accounts r on r.platform_id = t.platform_id and r.id in (t.debit_account_id, t.credit_account_id) and r.purpose = 'RECEIVABLE'
          where t.platform_id = ${platform} group by t.debtor_account_id) b
          on b.debtor_account_id = a.id
        where a.platform_id = ${platform} and a.kind <> 'SERVICE' and a.owed <> coalesce(b.amount, 0)`,
  );
  await none(
    'no balance is negative and every transfer has a cause',
    sql`select id::text from ledger_accounts where platform_id = ${platform} and (available < 0 or total < available)
        union all select id::text from transfers where platform_id = ${platform} and cause = ''`,
  );
}
