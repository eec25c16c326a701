// The latency of a statement page must not depend on the size of the ledger: 10^7 entries on the platform, compared with 10^4.
import { alternately, ms, type Row } from './measure.js';
import { type BenchService, startBenchService } from './service.js';

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 360;
const WINDOW_DAYS = 30;
const LIMIT = 1.2;

type Ledger = { readonly service: BenchService; readonly accounts: readonly string[]; readonly began: number };

export async function statements(): Promise<Row[]> {
  const ledgers: Ledger[] = [];
  try {
    const small = await ledgerOf({ accounts: 2, entries: 10_000 });
    ledgers.push(small);
    const large = await ledgerOf({ accounts: 500, entries: 10_000_000 });
    ledgers.push(large);
    return [
      await compare('first page of a statement', small, large, firstPage),
      await compare('last full page of a statement, by cursor', small, large, deepPage),
    ];
  } finally {
    for (const { service } of ledgers) {
      service.client.close();
      await service.stop();
    }
  }
}

async function compare(name: string, small: Ledger, large: Ledger, pageOf: (ledger: Ledger, i: number) => Promise<string>): Promise<Row> {
  const reader = async (ledger: Ledger) => {
    const pages: string[] = [];
    for (let i = 0; i < 20; i += 1) pages.push(await pageOf(ledger, i));
    return (i: number) => ledger.service.client.expect(200, 0, 'GET', pages[i % pages.length] as string);
  };
  const [readSmall, readLarge] = [await reader(small), await reader(large)];
  const { p50, ratio } = await alternately(readSmall, readLarge);
  return {
    name,
    measured: `p50 ${ms(p50.large)} at 10^7 entries`,
    beside: `${ms(p50.small)} at 10^4`,
    ratio,
    limit: `≤ ${LIMIT}`,
    holds: ratio <= LIMIT,
  };
}

/** A window of 30 days within the year; the accounts are used in turn. */
async function firstPage({ accounts, began }: Ledger, i: number): Promise<string> {
  const start = began + ((i * 37) % (HISTORY_DAYS - WINDOW_DAYS)) * DAY_MS;
  const [startDate, endDate] = [start, start + WINDOW_DAYS * DAY_MS].map((at) => new Date(at).toISOString());
  return `/internal-accounts/${accounts[(i * 7) % accounts.length]}/balance-changes?startDate=${startDate}&endDate=${endDate}&limit=100`;
}

/** The last full page of the window, reached through its cursors. */
async function deepPage(ledger: Ledger, i: number): Promise<string> {
  const first = await firstPage(ledger, i);
  for (let path = first, before = first; ; ) {
    const { nextCursor } = JSON.parse(await ledger.service.client.expect(200, 0, 'GET', path)) as { nextCursor?: string };
    if (nextCursor === undefined) return before;
    [before, path] = [path, `${first}&cursor=${nextCursor}`];
  }
}

/** A service with this number of ledger entries. Transfers credit the accounts in turn, so that the entries of one account are scattered over the table. */
async function ledgerOf({ accounts, entries }: { accounts: number; entries: number }): Promise<Ledger> {
  const service = await startBenchService();
  const pool = service.plainPool(1);
  const perAccount = entries / 2 / accounts;
  const began = Math.floor(Date.now() / DAY_MS - HISTORY_DAYS - 1) * DAY_MS;
  const stepMs = Math.floor((HISTORY_DAYS * DAY_MS) / perAccount);
  const run = (text: string, values: unknown[] = []) => pool.query(text, values);
  try {
    await run('set synchronous_commit = off');
    // The history is generated in bulk, without triggers and primary key. The indexes that reads use are built afterwards.
    await run('set session_replication_role = replica');
    await run(`set maintenance_work_mem = '512MB'`);
    const indexes = await run(`select indexdef from pg_indexes where tablename = 'entries' and indexname <> 'entries_pkey'`);
    await run('drop index entries_by_number, entries_by_time');
    await run('alter table entries drop constraint entries_pkey');
    await run(
      `create temporary table made as
       select p.id as platform_id, k, ('00000000-0000-7000-8000-' || lpad(to_hex(k), 12, '0'))::uuid as id from platforms p, generate_series(0, $1::int - 1) as k`,
      [accounts],
    );
    await run(
      `insert into customers (platform_id, id, platform_customer_id, customer_type, uma_address, verification_status, currencies, profile, created_at, updated_at)
       select platform_id, id, id, 'INDIVIDUAL', id, 'APPROVED', '{USD}', '{}', now(), now() from made`,
    );
    await run(
      `insert into ledger_accounts (platform_id, id, kind, currency, available, total, last_entry, not_before)
       select platform_id, id, 'CUSTOMER', 'USD', $1::bigint, $1::bigint, $1::bigint, now() from made`,
      [perAccount],
    );
    await run(
      `insert into internal_accounts (platform_id, id, customer_id, type, status, currency, created_at, updated_at)
       select platform_id, id, id, 'INTERNAL_FIAT', 'ACTIVE', 'USD', now(), now() from made`,
    );
    await run(
      `insert into entries (platform_id, transfer_id, account_id, currency, amount, number, balance_after, effective_at)
       select m.platform_id, m.id, case side when 1 then m.id else s.id end, 'USD', side, case side when 1 then n + 1 end, case side when 1 then n + 1 end,
              to_timestamp($1::float8 + (n * $2::bigint) / 1000)
       from generate_series(0, $3::int - 1) as n
       cross join made m
       cross join (values (1), (-1)) as both_sides (side)
       join ledger_accounts s on s.platform_id = m.platform_id and s.purpose = 'FUNDING' and s.currency = 'USD'`,
      [began / 1000, stepMs, perAccount],
    );
    for (const { indexdef } of indexes.rows) await run(indexdef as string);
    await run('vacuum analyze');
    const { rows } = await run('select id from made order by k');
    return { service, began, accounts: rows.map(({ id }) => `InternalAccount:${id}`) };
  } finally {
    await pool.end();
  }
}
