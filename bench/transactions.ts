// The latency of a page of transactions must not depend on how many there are: 10^7 payments on the platform, compared with 10^4.
// Common filters match a share of all rows, rare ones a fixed number. `npm run bench -- transactions --rows=1000000 --requests=100` takes fewer.
import { availableParallelism } from 'node:os';
import type pg from 'pg';
import { alternately, ms, type Row } from './measure.js';
import { type BenchService, startBenchService } from './service.js';

const LIMIT = 1.2;
/** `--name=123` of the command line. */
const given = (name: string): number | undefined => {
  const word = process.argv.find((each) => each.startsWith(`--${name}=`));
  return word === undefined ? undefined : Number(word.slice(name.length + 3).replaceAll('_', ''));
};
const SMALL = 10_000;
const LARGE = given('rows') ?? 10_000_000;
const BEGAN_MS = 1_700_000_000_000;
/** Payments of one customer. */
const PER_CUSTOMER = 100;

type History = { readonly service: BenchService; readonly rows: number; readonly platformId: string };

/** By name: the query of the i-th request. Customers and accounts are spread over the history. */
const LISTS: Readonly<Record<string, (history: History, i: number) => string>> = {
  'all transactions': () => '',
  'all transactions, oldest first': () => 'sortOrder=asc',
  'by type': () => 'type=OUTGOING',
  'by a common status': () => 'status=COMPLETED',
  'by a rare status': () => 'status=REJECTED',
  'by status and type': () => 'status=FAILED&type=OUTGOING',
  'by customer': (history, i) => `customerId=Customer:${uuid('c', customerOf(history, i))}`,
  'by id of the platform': (history, i) => `platformCustomerId=customer-${customerOf(history, i)}`,
  'by account at either end': (history, i) => `accountIdentifier=InternalAccount:${uuid('a', customerOf(history, i))}`,
  'by sender and status': (history, i) => `senderAccountIdentifier=InternalAccount:${uuid('a', customerOf(history, i))}&status=COMPLETED`,
  "the platform's own": ({ platformId }) => `customerId=${platformId}`,
  'of an hour': (history) => hourOf(history),
  'of an hour, oldest first': (history) => `${hourOf(history)}&sortOrder=asc`,
  'of an hour, by type': (history) => `${hourOf(history)}&type=OUTGOING`,
  'of an hour, by a rare status': (history) => `${hourOf(history)}&status=FAILED`,
};

const customerOf = ({ rows }: History, i: number): number => (i * 7_919) % Math.floor(rows / PER_CUSTOMER);
const uuid = (kind: 'a' | 'c', k: number): string => `00000000-0000-7000-8000-${kind}${k.toString(16).padStart(11, '0')}`;

/** Payments are a second apart. */
const timeOf = (n: number): string => new Date(BEGAN_MS + n * 1_000).toISOString();
/** The hour in the middle of the history. */
const hourOf = ({ rows }: History): string => `startDate=${timeOf(rows / 2 - 1_800)}&endDate=${timeOf(rows / 2 + 1_800)}`;

export async function transactions(): Promise<Row[]> {
  const histories: History[] = [];
  try {
    histories.push(await historyOf(SMALL), await historyOf(LARGE));
    const [small, large] = histories as [History, History];
    const rows: Row[] = [];
    for (const [name, query] of Object.entries(LISTS)) rows.push(await compare(name, small, large, query));
    rows.push(await compare('second page', small, large, () => 'limit=20', secondPage));
    return rows;
  } finally {
    for (const { service } of histories) {
      service.client.close();
      await service.stop();
    }
  }
}

type Query = (history: History, i: number) => string;
const pathOf = (query: string): string => `/transactions?${query}`;

const secondPage = async ({ service }: History, query: string): Promise<string> => {
  const { nextCursor } = JSON.parse(await service.client.expect(200, 0, 'GET', pathOf(query))) as { nextCursor: string };
  return `${query}&cursor=${nextCursor}`;
};

async function compare(
  name: string,
  small: History,
  large: History,
  query: Query,
  prepare: (history: History, query: string) => Promise<string> = async (_, text) => text,
): Promise<Row> {
  const reader = async (history: History) => {
    const paths: string[] = [];
    for (let i = 0; i < 20; i += 1) paths.push(pathOf(await prepare(history, query(history, i))));
    return (i: number) => history.service.client.expect(200, 0, 'GET', paths[i % paths.length] as string);
  };
  const [readSmall, readLarge] = [await reader(small), await reader(large)];
  const { p50, ratio } = await alternately(readSmall, readLarge, given('requests'));
  return {
    name: `transactions ${name}`,
    measured: `p50 ${ms(p50.large)} at ${large.rows.toExponential(0)} rows`,
    beside: `${ms(p50.small)} at ${small.rows.toExponential(0)}`,
    ratio,
    limit: `≤ ${LIMIT}`,
    holds: ratio <= LIMIT,
  };
}

/** A service with this number of payments, of customers in turn: 1 in 100 FAILED, 50 REJECTED at all, 50 of the platform itself. */
async function historyOf(rows: number): Promise<History> {
  const service = await startBenchService();
  const pool = service.plainPool(availableParallelism());
  try {
    const began = performance.now();
    // Fewer checkpoints: each page is written once, not once after every checkpoint.
    for (const setting of SEEDING) await pool.query(`alter system set ${setting}`);
    await pool.query('select pg_reload_conf()');
    // The indexes are built after the rows, which is several times as fast. The table then has all of them again.
    const indexes = await pool.query(
      `select indexname, indexdef from pg_indexes where tablename = 'payments' and indexname <> 'payments_pkey'`,
    );
    for (const { indexname } of indexes.rows) await pool.query(`drop index ${indexname}`);
    await inParallel(pool, partsOf(rows), ({ first, last }) => [
      PAYMENTS,
      [first, last, Math.floor(rows / 50), Math.floor(rows / PER_CUSTOMER)],
    ]);
    await inParallel(pool, indexes.rows, ({ indexdef }) => [indexdef as string, []]);
    await pool.query('vacuum analyze payments');
    await pool.query('checkpoint');
    process.stderr.write(`${rows.toLocaleString('en-US')} payments seeded in ${Math.round((performance.now() - began) / 1000)} s\n`);
    const { rows: platforms } = await pool.query('select id from platforms');
    return { service, rows, platformId: `Platform:${platforms[0].id}` };
  } finally {
    await pool.end();
  }
}

const SEEDING = [
  `max_wal_size = '32GB'`,
  'synchronous_commit = off',
  `maintenance_work_mem = '1GB'`,
  'max_parallel_maintenance_workers = 0',
];

/** Rows `first` to `last`. */
const PAYMENTS = `
  insert into payments (platform_id, id, type, state, status, customer_id, platform_customer_id, source_type, source_identifier,
    destination_type, destination_identifier, sent_amount, sent_currency, received_amount, received_currency, fees, platform_fees,
    exchange_rate, failure_reason, settled_at, created_at, updated_at)
  select p.id, (lpad(to_hex(${BEGAN_MS} + n * 1000), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid,
    case when n % 3 = 0 or s.status = 'REJECTED' then 'INCOMING' else 'OUTGOING' end,
    s.status, s.status,
    case when n % $3::bigint = 7 then null else ('00000000-0000-7000-8000-c' || k.hex)::uuid end,
    case when n % $3::bigint = 7 then 'Platform:' || p.id else 'customer-' || n % $4::bigint end,
    'ACCOUNT', 'InternalAccount:00000000-0000-7000-8000-a' || k.hex, 'ACCOUNT', 'ExternalAccount:00000000-0000-7000-8000-a' || k.hex,
    1000, 'USD', 1000, 'USD', 0, 0, 1, case when s.status = 'FAILED' then 'ACCOUNT_CANNOT_RECEIVE' end, t.at, t.at, t.at
  from platforms p, generate_series($1::bigint, $2::bigint) n
  cross join lateral (select to_timestamp(${BEGAN_MS / 1000} + n) as at) t
  cross join lateral (select lpad(to_hex(n % $4::bigint), 11, '0') as hex) k
  cross join lateral (select case when n % $3::bigint = 3 then 'REJECTED' when n % 100 = 1 then 'FAILED' else 'COMPLETED' end as status) s`;

const PART = 250_000;

const partsOf = (rows: number): { first: number; last: number }[] =>
  Array.from({ length: Math.ceil(rows / PART) }, (_, i) => ({ first: i * PART, last: Math.min(rows, (i + 1) * PART) - 1 }));

/** As many statements at a time as there are processors, in order. */
async function inParallel<Item>(pool: pg.Pool, items: readonly Item[], statementOf: (item: Item) => [string, unknown[]]): Promise<void> {
  const rest = [...items];
  const work = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await pool.query(...statementOf(item));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}
