// All SQL of statements. Entries belong to the ledger and never change. They are read by number, never by offset.
import type { Tx } from '../../../db/pool.js';
import { empty, type Sql, sql } from '../../../db/sql.js';
import { type InternalAccountId, idOf, type PlatformId, uuidOf } from '../../../kernel/ids.js';
import type { BalanceChange, Period, Span, StatementReceipt, Totals, Window, WindowReading } from './statement.js';

type Reader = Pick<Tx, 'one' | 'many'>;

type WindowRow = {
  customer_id: string | null;
  type: string;
  currency: string;
  has_funded_card: boolean;
  is_final: boolean;
  opening_number: bigint | null;
  opening_balance: bigint | null;
  closing_number: bigint | null;
  closing_balance: bigint | null;
};

/**
 * The account with the last entry before each boundary. One SQL statement reads one snapshot: if it sees `statements_final_before` at or after
 * the end, it sees every entry before the end, because entries are written under the same row lock.
 */
export async function findWindow(
  tx: Pick<Tx, 'one'>,
  platformId: PlatformId,
  id: InternalAccountId,
  { start, end }: Window,
): Promise<WindowReading | undefined> {
  const lastBefore = (at: Date) => sql`
    select number, balance_after from entries
    where platform_id = ${uuidOf(platformId)} and account_id = a.id and number is not null and effective_at < ${at}
    order by effective_at desc, number desc limit 1`;
  const row = await tx.one<WindowRow>(sql`
    select a.customer_id, a.type, a.currency, l.statements_final_before >= ${end} as is_final,
           exists (select from card_funding_sources f where f.platform_id = ${uuidOf(platformId)} and f.account_id = a.id) as has_funded_card,
           o.number as opening_number, o.balance_after as opening_balance,
           c.number as closing_number, c.balance_after as closing_balance
    from internal_accounts a
    join ledger_accounts l on l.platform_id = a.platform_id and l.id = a.id
    left join lateral (${lastBefore(start)}) o on true
    left join lateral (${lastBefore(end)}) c on true
    where a.platform_id = ${uuidOf(platformId)} and a.id = ${uuidOf(id)}`);
  return (
    row && {
      account: {
        id,
        customerId: row.customer_id === null ? undefined : idOf('Customer', row.customer_id),
        type: row.type,
        currency: row.currency,
        hasFundedCard: row.has_funded_card,
      },
      isFinal: row.is_final,
      span: {
        opening: { number: row.opening_number ?? 0n, balance: row.opening_balance ?? 0n },
        closing: { number: row.closing_number ?? 0n, balance: row.closing_balance ?? 0n },
      },
    }
  );
}

type ChangeRow = {
  number: bigint;
  amount: bigint;
  balance_after: bigint;
  transaction_id: string | null;
  effective_at: Date;
  cause?: string;
};

const causeOf = (platformId: PlatformId): Sql =>
  sql`, (select cause from transfers t where t.platform_id = ${uuidOf(platformId)} and t.id = e.transfer_id) as cause`;

/** The entries numbered `first` to `last`, on request with their causes. */
export async function listChanges(
  tx: Reader,
  platformId: PlatformId,
  id: InternalAccountId,
  { first, last, withCause = false }: { first: bigint; last: bigint; withCause?: boolean },
): Promise<BalanceChange[]> {
  const rows = await tx.many<ChangeRow>(sql`
    select number, amount, balance_after, transaction_id, effective_at${withCause ? causeOf(platformId) : empty} from entries e
    where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(id)} and number between ${first} and ${last}
    order by number`);
  return rows.map((row) => ({
    number: row.number,
    amount: row.amount,
    balance: row.balance_after,
    transactionId: row.transaction_id ?? undefined,
    effectiveAt: row.effective_at,
    cause: row.cause,
  }));
}

export async function sumChanges(tx: Reader, platformId: PlatformId, id: InternalAccountId, { opening, closing }: Span): Promise<Totals> {
  const row = await tx.one<{ count: bigint; money_in: bigint; money_out: bigint }>(sql`
    select count(*), coalesce(sum(amount) filter (where amount > 0), 0)::bigint as money_in,
           coalesce(-sum(amount) filter (where amount < 0), 0)::bigint as money_out
    from entries
    where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(id)} and number > ${opening.number} and number <= ${closing.number}`);
  return { count: row?.count ?? 0n, moneyIn: row?.money_in ?? 0n, moneyOut: row?.money_out ?? 0n };
}

/** Records the first time that the period's statement was read to its end. */
export async function saveFetched(
  tx: Pick<Tx, 'run'>,
  platformId: PlatformId,
  id: InternalAccountId,
  period: Period,
  now: Date,
): Promise<void> {
  await tx.run(sql`
    insert into statement_receipts as r (platform_id, account_id, period_start, fetched_at)
    values (${uuidOf(platformId)}, ${uuidOf(id)}, ${period}, ${now})
    on conflict (platform_id, account_id, period_start) do update set fetched_at = excluded.fetched_at where r.fetched_at is null`);
}

/** Records the first receipt. A repetition writes nothing. */
export async function saveDelivered(
  tx: Tx,
  platformId: PlatformId,
  id: InternalAccountId,
  period: Period,
  { deliveredAt, now }: { deliveredAt: Date; now: Date },
): Promise<StatementReceipt> {
  await tx.run(sql`
    insert into statement_receipts as r (platform_id, account_id, period_start, delivered_at, confirmed_at)
    values (${uuidOf(platformId)}, ${uuidOf(id)}, ${period}, ${deliveredAt}, ${now})
    on conflict (platform_id, account_id, period_start) do update
      set delivered_at = excluded.delivered_at, confirmed_at = excluded.confirmed_at where r.confirmed_at is null`);
  const row = await tx.one<{ fetched_at: Date | null; delivered_at: Date | null }>(sql`
    select fetched_at, delivered_at from statement_receipts
    where platform_id = ${uuidOf(platformId)} and account_id = ${uuidOf(id)} and period_start = ${period}`);
  return { accountId: id, period, fetchedAt: row?.fetched_at ?? undefined, deliveredAt: row?.delivered_at ?? undefined };
}
