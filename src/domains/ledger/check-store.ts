// Whether the ledger of a platform holds together, read from its rows alone. For data that did not come from this service.
import type { Tx } from '../../db/pool.js';
import { type Sql, sql } from '../../db/sql.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';

/** Each rule with the rows that violate it. */
const violationsOf = (platform: string): readonly (readonly [rule: string, rows: Sql])[] => [
  [
    'the entries of each currency sum to zero',
    sql`select from entries where platform_id = ${platform} group by currency having sum(amount) <> 0`,
  ],
  [
    'an entry is one side of a transfer, in the currency of its account',
    sql`select from entries e
      left join transfers t on t.platform_id = e.platform_id and t.id = e.transfer_id
      left join ledger_accounts a on a.platform_id = e.platform_id and a.id = e.account_id
      where e.platform_id = ${platform} and (e.currency = t.currency and e.currency = a.currency and (a.kind = 'SERVICE') = (e.number is null)
        and e.amount = case e.account_id when t.debit_account_id then -t.amount when t.credit_account_id then t.amount end) is not true`,
  ],
  [
    'a transfer has two entries',
    sql`select where 2 * (select count(*) from transfers where platform_id = ${platform})
      <> (select count(*) from entries where platform_id = ${platform})`,
  ],
  [
    'a balance is the sum of the entries, and what is not available is held',
    sql`select from ledger_accounts a
      left join (select account_id, sum(amount) as total, count(*) as entries from entries where platform_id = ${platform} group by account_id) e
        on e.account_id = a.id
      left join (select debit_account_id, sum(amount) as held from holds where platform_id = ${platform} group by debit_account_id) h
        on h.debit_account_id = a.id
      where a.platform_id = ${platform} and a.kind <> 'SERVICE'
        and (a.total <> coalesce(e.total, 0) or a.last_entry <> coalesce(e.entries, 0) or a.total - a.available <> coalesce(h.held, 0))`,
  ],
  [
    'a hold names two accounts of its currency',
    sql`select from holds h
      left join ledger_accounts d on d.platform_id = h.platform_id and d.id = h.debit_account_id
      left join ledger_accounts c on c.platform_id = h.platform_id and c.id = h.credit_account_id
      where h.platform_id = ${platform} and (d.currency = h.currency and c.currency = h.currency) is not true`,
  ],
  [
    'entries are numbered without gaps, contain the running total, and their times never decrease',
    sql`select from (
        select number, balance_after, effective_at, row_number() over of_account as expected_number,
          sum(amount) over of_account as expected_balance, lag(effective_at) over of_account as earlier
        from entries where platform_id = ${platform} and number is not null
        window of_account as (partition by account_id order by number)) e
      where number <> expected_number or balance_after is distinct from expected_balance or effective_at < earlier`,
  ],
  [
    'what a holder owes is what was booked as receivable minus what was recovered',
    sql`select from ledger_accounts a
      left join (
        select t.debtor_account_id, sum(case r.id when t.debit_account_id then t.amount else -t.amount end) as owed
        from transfers t join ledger_accounts r
          on r.platform_id = t.platform_id and r.id in (t.debit_account_id, t.credit_account_id) and r.purpose = 'RECEIVABLE'
        where t.platform_id = ${platform} group by t.debtor_account_id) d on d.debtor_account_id = a.id
      where a.platform_id = ${platform} and a.kind <> 'SERVICE' and a.owed <> coalesce(d.owed, 0)`,
  ],
];

/** The first rule that the ledger of the platform violates. */
export async function findLedgerProblem(tx: Pick<Tx, 'one'>, platformId: PlatformId): Promise<string | undefined> {
  for (const [rule, rows] of violationsOf(uuidOf(platformId))) {
    const found = await tx.one<{ violated: boolean }>(sql`select exists (${rows}) as violated`);
    if (found?.violated) return rule;
  }
  return undefined;
}
