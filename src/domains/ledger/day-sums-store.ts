// All SQL of the day sums of service-side accounts.
import type { Tx } from '../../db/pool.js';
import { type Sql, sql } from '../../db/sql.js';
import { type PlatformId, uuidOf } from '../../kernel/ids.js';
import type { CurrencyCode } from '../../kernel/money.js';
import type { ServicePurpose } from './ledger.js';

type Reader = Pick<Tx, 'one' | 'many'>;

/** The balance of service-side accounts of one purpose and currency: of a platform, or of all together. */
export type ServiceBalance = { readonly purpose: ServicePurpose; readonly currency: CurrencyCode; readonly balance: bigint };

type BalanceRow = { purpose: ServicePurpose; currency: string; balance: string };

const toBalance = ({ purpose, currency, balance }: BalanceRow): ServiceBalance => ({ purpose, currency, balance: BigInt(balance) });

/** Of the service-side account `a`: the balance of the latest day that was added up, and the entries since. */
const summed = (platform: Sql): Sql => sql`
  left join service_sums_progress p on p.platform_id = ${platform}
  left join lateral (
    select d.balance from service_day_sums d where d.platform_id = ${platform} and d.account_id = a.id order by d.day desc limit 1) d on true
  left join lateral (
    select sum(e.amount) as amount from entries e
    where e.platform_id = ${platform} and e.account_id = a.id and e.number is null and e.recorded_at >= coalesce(p.summed_until, 'epoch')) t on true`;

/** Balances of all service-side accounts of a platform, as of one moment. */
export async function readServiceBalances(tx: Reader, platformId: PlatformId): Promise<ServiceBalance[]> {
  const rows = await tx.many<BalanceRow>(sql`
    select a.purpose, a.currency, (coalesce(d.balance, 0) + coalesce(t.amount, 0))::text as balance
    from ledger_accounts a ${summed(sql`${uuidOf(platformId)}`)}
    where a.platform_id = ${uuidOf(platformId)} and a.kind = 'SERVICE' order by a.purpose, a.currency`);
  return rows.map(toBalance);
}

/** The same over all platforms, for the operator. */
export async function readTotalServiceBalances(tx: Reader): Promise<ServiceBalance[]> {
  const rows = await tx.many<BalanceRow>(sql`
    select a.purpose, a.currency, sum(coalesce(d.balance, 0) + coalesce(t.amount, 0))::text as balance
    from ledger_accounts a ${summed(sql`a.platform_id`)}
    where a.kind = 'SERVICE' group by a.purpose, a.currency order by a.purpose, a.currency`);
  return rows.map(toBalance);
}

/**
 * The time before which no further entry can be recorded: entries carry the time at which their transaction began, so it is not after the
 * begin of the oldest open transaction. The minutes are for transactions on other servers of the database, which are not seen here.
 */
export async function readFinalTime(tx: Reader): Promise<Date | undefined> {
  const row = await tx.one<{ at: Date }>(sql`
    select least(now() - interval '5 minutes',
      (select min(xact_start) from pg_stat_activity where backend_type = 'client backend')) as at`);
  return row?.at;
}

/** When the earliest entry that is not in the sums was recorded. */
export async function findFirstUnsummed(tx: Reader, platformId: PlatformId): Promise<Date | undefined> {
  const row = await tx.one<{ at: Date | null }>(sql`
    select min(e.recorded_at) as at
    from ledger_accounts a
    left join service_sums_progress p on p.platform_id = ${uuidOf(platformId)}
    cross join lateral (
      select e.recorded_at from entries e
      where e.platform_id = ${uuidOf(platformId)} and e.account_id = a.id and e.number is null and e.recorded_at >= coalesce(p.summed_until, 'epoch')
      order by e.recorded_at limit 1) e
    where a.platform_id = ${uuidOf(platformId)} and a.kind = 'SERVICE'`);
  return row?.at ?? undefined;
}

/** Locks the progress of the platform, so that one process at a time adds up. */
export async function lockProgress(tx: Tx, platformId: PlatformId): Promise<void> {
  tx.send(sql`
    insert into service_sums_progress (platform_id, summed_until) values (${uuidOf(platformId)}, 'epoch') on conflict (platform_id) do nothing`);
  await tx.one(sql`select summed_until from service_sums_progress where platform_id = ${uuidOf(platformId)} for update`);
}

/** Adds the entries that were recorded before `until`, and are not in the sums yet, to the sums of `day`. */
export function addToDay(tx: Tx, platformId: PlatformId, day: string, until: Date): void {
  const platform = uuidOf(platformId);
  tx.send(sql`
    insert into service_day_sums as s (platform_id, account_id, day, amount, entries, balance)
    select a.platform_id, a.id, ${day}::date, t.amount, t.entries, coalesce(d.balance, 0) + t.amount
    from ledger_accounts a
    join service_sums_progress p on p.platform_id = ${platform}
    cross join lateral (
      select sum(e.amount) as amount, count(*) as entries from entries e
      where e.platform_id = ${platform} and e.account_id = a.id and e.number is null
        and e.recorded_at >= p.summed_until and e.recorded_at < ${until}) t
    left join lateral (
      select d.balance from service_day_sums d
      where d.platform_id = ${platform} and d.account_id = a.id and d.day < ${day}::date order by d.day desc limit 1) d on true
    where a.platform_id = ${platform} and a.kind = 'SERVICE' and t.entries > 0
    on conflict (platform_id, account_id, day) do update
      set amount = s.amount + excluded.amount, entries = s.entries + excluded.entries, balance = s.balance + excluded.amount`);
  tx.send(sql`update service_sums_progress set summed_until = ${until} where platform_id = ${platform}`);
}
