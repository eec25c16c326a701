// Card authorizations as a user gets them: an installation started as the README says, cards issued through the API, signed requests of an
// issuer's processor with random tokens, webhooks delivered to a local receiver. Beside them, in the same run, the smallest SQL of an
// authorization: one balance update and one inserted row per statement, sent by plain `pg` at the same concurrency.
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { newUuid } from '../src/kernel/ids.js';
import { fundedCard, walletCard } from '../test/support/card-transactions.js';
import { type Client, clientOf, expectStatus } from '../test/support/client.js';
import { LeanClient } from './http-client.js';
import { type Installation, startInstallation } from './installation.js';
import { type IssuerClient, issuerClient } from './issuer-client.js';
import { type Load, load, median, ms, openLoad, progress, type Row } from './measure.js';
import { pgbench, wrk } from './outside-tools.js';

const CALLERS = 64;
const CARDS = 300;
const WALLETS = 16;
const RICH = 100_000_000_000;
const ROUNDS = 5;
const OPTIONS = { callers: CALLERS, seconds: 1.2, warmupSeconds: 0.2 };
const HISTORY = 10_000_000;
const LIVES = 1_500;

/** Everything a measurement needs. */
type Ground = {
  readonly installation: Installation;
  readonly issuer: IssuerClient;
  readonly cards: readonly string[];
  readonly walletCards: readonly string[];
  readonly plain: pg.Pool;
  readonly accounts: readonly string[];
  readonly receiver: { readonly process: ChildProcess; readonly url: string };
};

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;

export async function authorizations(): Promise<Row[]> {
  const installation = await startInstallation();
  const receiver = fork(fileURLToPath(new URL('./bare-receiver.js', import.meta.url)));
  const plain = installation.plainPool(CALLERS);
  try {
    const [url] = (await once(receiver, 'message')) as [string];
    const ground = await prepare(installation, plain, { process: receiver, url });
    try {
      return await measure(ground);
    } finally {
      ground.issuer.close();
    }
  } finally {
    await plain.end();
    receiver.kill();
    await installation.stop();
  }
}

async function prepare(installation: Installation, plain: pg.Pool, receiver: Ground['receiver']): Promise<Ground> {
  const { tokenId, secret } = installation.credentials;
  const platform = clientOf(installation.baseUrl, { check() {} }, tokenId, secret);
  progress(`${CARDS} cards and ${WALLETS} wallets`);
  const key = await expectStatus(201, platform.post('/sandbox/issuer-credentials', { program: 'service_full' }));
  const cards = await several(CARDS, async () => (await fundedCard(platform, RICH)).card.id);
  await expectStatus(200, platform.patch('/config', { webhookEndpoint: receiver.url }));
  return {
    installation,
    issuer: issuerClient(installation.baseUrl, key),
    cards,
    walletCards: await walletCards(platform),
    plain,
    accounts: await seedBaseline(plain, CARDS),
    receiver,
  };
}

const walletCards = (platform: Client): Promise<string[]> => several(WALLETS, async () => (await walletCard(platform, RICH)).card.id);

/** Makes several, eight at a time. */
async function several<Made>(count: number, make: () => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  let begun = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (begun < count) {
        begun += 1;
        made.push(await make());
      }
    }),
  );
  return made;
}

async function measure(ground: Ground): Promise<Row[]> {
  const { installation, issuer, cards, walletCards: wallets, plain, accounts } = ground;
  const began = performance.now();
  const spread = async (caller: number) => void (await issuer.authorize(caller, pick(cards)));
  progress('the first 10 s');
  const cold = await load(spread, { callers: CALLERS, seconds: 10, warmupSeconds: 0 });
  // What needs no warm service is measured in its first minute.
  progress('whole lives');
  const lives = await wholeLives(ground);
  progress('until a minute has passed');
  while (performance.now() - began < 60_000) await load(spread, { callers: CALLERS, seconds: 2, warmupSeconds: 0 });

  progress(`${ROUNDS} rounds`);
  /** The service rests meanwhile. */
  const baseline = async () => {
    await skipBacklog(ground);
    return load(() => pay(plain, pick(accounts)), OPTIONS);
  };
  const rates = await rounds({
    spread: () => load(spread, OPTIONS),
    sql: baseline,
    single: () => load(async (caller) => void (await issuer.authorize(caller, cards[0] as string)), OPTIONS),
    wallet: () => load(async (caller) => void (await issuer.authorize(caller, pick(wallets))), OPTIONS),
  });
  const { spread: warm, sql } = rates;
  const rows: Row[] = [
    ratioRow(`authorizations, ${CALLERS} callers, ${CARDS} cards`, warm, sql, 'one-row SQL by plain pg', 0.8),
    ratioRow('the first 10 s', cold, warm, 'after a minute', 0.9),
    ratioRow('all on one card', rates.single, warm, 'spread over the cards', 0.8),
    ratioRow(`wallet-funded, ${WALLETS} wallets`, rates.wallet, warm, 'spread over the cards', 0.5),
    {
      name: 'whole life: authorized, cleared, delivered',
      measured: `${Math.round(lives.ours)}/s`,
      beside: `its smallest SQL and bare posts ${Math.round(lives.sql)}/s`,
      ratio: lives.ours / lives.sql,
      limit: '≥ 0.6',
      holds: lives.ours / lives.sql >= 0.6,
    },
    ...(await outsideTools(ground)),
    ...(await latencies(ground, spread, warm)),
    ...(await costs(ground, spread)),
  ];
  progress('10⁷ earlier transactions');
  await skipBacklog(ground);
  await fillHistory(plain, HISTORY);
  progress(`${ROUNDS} rounds beside them`);
  // The service has stood idle meanwhile.
  await load(spread, { callers: CALLERS, seconds: 6, warmupSeconds: 0 });
  const late = await rounds({ spread: () => load(spread, OPTIONS), sql: baseline });
  const flat = warm.perSecond / sql.perSecond / (late.spread.perSecond / late.sql.perSecond);
  rows.push({
    name: 'with 10⁷ earlier transactions',
    measured: `${rate(late.spread)} beside SQL ${rate(late.sql)}`,
    beside: `before ${rate(warm)} beside SQL ${rate(sql)}`,
    ratio: flat,
    limit: '≤ 1.1',
    holds: flat <= 1.1,
  });
  rows.push({ name: 'resident memory of the service', measured: `${installation.memory().toFixed(0)} MiB` });
  return rows;
}

/** Measures the contenders alternately. Returns the round of each with the median rate. */
async function rounds<Name extends string>(contenders: Record<Name, () => Promise<Load>>): Promise<Record<Name, Load>> {
  const names = Object.keys(contenders) as Name[];
  const figures = new Map<Name, Load[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) figures.get(name)?.push(await contenders[name]());
    progress(names.map((name) => `${name} ${rate(figures.get(name)?.at(-1) as Load)}`).join(', '));
  }
  const middle = (loads: readonly Load[]) => loads.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(ROUNDS / 2)] as Load;
  return Object.fromEntries([...figures].map(([name, loads]) => [name, middle(loads)])) as Record<Name, Load>;
}

const rate = ({ perSecond }: Load): string => `${Math.round(perSecond).toLocaleString('en-US')}/s`;

function ratioRow(name: string, ours: Load, theirs: Load, beside: string, least: number): Row {
  const ratio = ours.perSecond / theirs.perSecond;
  const measured = `${rate(ours)}  p50 ${ms(ours.p50)}  p99 ${ms(ours.p99)}${ours.errors ? `  ${ours.errors} errors` : ''}`;
  return { name, measured, beside: `${beside} ${rate(theirs)}`, ratio, limit: `≥ ${least}`, holds: ratio >= least && ours.errors === 0 };
}

// ---- latency

async function latencies(ground: Ground, spread: (caller: number) => Promise<void>, full: Load): Promise<Row[]> {
  progress('latency');
  await skipBacklog(ground);
  await deliverTo(ground.plain, null);
  const alone = await load(spread, { callers: 1, seconds: 3 });
  await deliverTo(ground.plain, ground.receiver.url);
  const delivered = await load(spread, { callers: 1, seconds: 2 });
  const busy = await openLoad(spread, { callers: CALLERS, perSecond: 0.7 * full.perSecond, seconds: 5 });
  return [
    {
      name: 'one decision without load',
      measured: `p50 ${ms(alone.p50)}  p99 ${ms(alone.p99)}`,
      beside: `beside its delivery p50 ${ms(delivered.p50)}  p99 ${ms(delivered.p99)}`,
      limit: 'p99 < 10 ms',
      holds: alone.p99 < 10 && alone.errors === 0,
    },
    {
      name: 'at 70 % load',
      measured: `${rate(busy)}  p50 ${ms(busy.p50)}  p99 ${ms(busy.p99)}${busy.errors ? `  ${busy.errors} errors` : ''}`,
    },
  ];
}

// ---- what one authorization costs

/** Processor time of service and database, log bytes and index entries per authorization: without deliveries, then with them. */
async function costs(ground: Ground, spread: (caller: number) => Promise<void>): Promise<Row[]> {
  const { installation, plain, receiver } = ground;
  progress('processor time');
  await skipBacklog(ground);
  await deliverTo(plain, null);
  const decided = await costOf(installation, plain, spread, async () => {});
  await deliverTo(plain, receiver.url);
  const delivered = await costOf(installation, plain, spread, () => drained(plain));
  return [
    {
      name: 'processor time per authorization',
      measured: `service ${micros(decided.service)}, database ${micros(decided.database)}`,
      beside: `${micros(decided.service + decided.database)} in all; both cores busy ${percent(decided.busy)}, with the callers ${percent(decided.busyWithCallers)}`,
      limit: 'service ≤ 200 µs, database ≤ 120 µs',
      holds: decided.service <= 200e-6 && decided.database <= 120e-6,
    },
    {
      name: 'processor time per authorization with its delivery',
      measured: `service ${micros(delivered.service)}, database ${micros(delivered.database)}`,
    },
    {
      name: 'written per authorization',
      measured: `${decided.wal.toFixed(0)} bytes of log, ${decided.rows.toFixed(2)} rows, ${decided.updates.toFixed(2)} updates, ${decided.indexEntries.toFixed(2)} index entries at most`,
      beside: `with its delivery ${delivered.wal.toFixed(0)} bytes, ${delivered.rows.toFixed(2)} rows, ${delivered.updates.toFixed(2)} updates, ${delivered.indexEntries.toFixed(2)} index entries`,
    },
  ];
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const micros = (seconds: number): string => `${(seconds * 1e6).toFixed(0)} µs`;

async function costOf(installation: Installation, plain: pg.Pool, spread: (caller: number) => Promise<void>, settled: () => Promise<void>) {
  const before = { ...installation.processorTime(), ...(await written(plain)) };
  const began = performance.now();
  const callersBefore = process.cpuUsage();
  const { count } = await load(spread, { callers: CALLERS, seconds: 5, warmupSeconds: 0 });
  const loaded = installation.processorTime();
  const { user, system } = process.cpuUsage(callersBefore);
  const seconds = (performance.now() - began) / 1_000;
  const used = loaded.service - before.service + loaded.database - before.database;
  await settled();
  const after = { ...installation.processorTime(), ...(await written(plain)) };
  const per = (name: keyof typeof before) => (after[name] - before[name]) / count;
  return {
    service: per('service'),
    database: per('database'),
    wal: per('wal'),
    rows: per('rows'),
    updates: per('updates'),
    indexEntries: per('indexEntries'),
    busy: used / seconds / 2,
    busyWithCallers: (used + (user + system) / 1e6) / seconds / 2,
  };
}

/** An inserted row enters every index of its table, an update that is not HOT likewise. Partial indexes are counted as if they were whole. */
async function written(plain: pg.Pool): Promise<{ wal: number; rows: number; updates: number; indexEntries: number }> {
  await plain.query('select pg_stat_force_next_flush()');
  const { rows } = await plain.query<{ wal: string; rows: string; updates: string; entries: string }>(`
    select pg_current_wal_lsn() - '0/0' as wal, sum(n_tup_ins) as rows, sum(n_tup_upd) as updates,
           sum((n_tup_ins + n_tup_upd - n_tup_hot_upd) * (select count(*) from pg_index i where i.indrelid = t.relid)) as entries
    from pg_stat_user_tables t`);
  const [row] = rows;
  return { wal: Number(row?.wal), rows: Number(row?.rows), updates: Number(row?.updates), indexEntries: Number(row?.entries) };
}

/** The API replaces an endpoint and never removes it, so the platform's row is changed directly. Events are recorded all the same. */
const deliverTo = (plain: pg.Pool, url: string | null) => plain.query('update platforms set webhook_endpoint = $1', [url]);

/** Passes over what is still to be delivered: at full load more is authorized than delivered, and the next measurement would pay for it. */
async function skipBacklog({ plain, receiver }: Ground): Promise<void> {
  await deliverTo(plain, null);
  await plain.query('delete from webhook_inbox');
  // The worker that has claimed them keeps its lease as long as any is left, so the lease is taken from it.
  await plain.query('update webhook_cursors set settled = last_position, claimed = last_position, leased_by = null, leased_until = null');
  await deliverTo(plain, receiver.url);
}

/** Waits until the database is quiet: everything queued has been delivered. */
async function drained(plain: pg.Pool): Promise<void> {
  const position = async () => (await plain.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn')).rows[0]?.lsn;
  for (let last = await position(), same = 0; same < 4; ) {
    await pause(250);
    const now = await position();
    same = now === last ? same + 1 : 0;
    last = now;
  }
}

// ---- the whole life of a purchase

/** Measures from the first authorization to the last delivered event, in purchases per second. */
async function wholeLives(ground: Ground): Promise<{ ours: number; sql: number }> {
  const figures = { ours: [] as number[], sql: [] as number[] };
  await skipBacklog(ground);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { seconds, events } = await ourLives(ground);
    figures.ours.push(LIVES / seconds);
    figures.sql.push(LIVES / (await sqlLives(ground, events)));
  }
  return { ours: median(figures.ours), sql: median(figures.sql) };
}

async function ourLives({ issuer, cards, receiver, plain }: Ground): Promise<{ seconds: number; events: number }> {
  const before = await seen(receiver.process);
  const events = await countEvents(plain);
  const began = performance.now();
  await times(LIVES, async (caller) => issuer.clear(caller, await issuer.authorize(caller, pick(cards))));
  const made = (await countEvents(plain)) - events;
  await seen(receiver.process, before + made);
  return { seconds: (performance.now() - began) / 1_000, events: made };
}

/** The same number of balance updates, rows, settlements and posts of events, by plain `pg` and bare sockets. */
async function sqlLives({ plain, accounts, receiver }: Ground, events: number): Promise<number> {
  const post = new LeanClient(receiver.url);
  const body = 'x'.repeat(800);
  const began = performance.now();
  await times(LIVES, async (caller) => {
    const id = newUuid();
    await pay(plain, pick(accounts), id);
    await plain.query({ name: 'settle', text: SETTLE, values: [id] });
    for (let sent = 0; sent < events / LIVES; sent += 1) await post.expect(200, caller, 'POST', '', body, { 'webhook-id': randomUUID() });
  });
  post.close();
  return (performance.now() - began) / 1_000;
}

async function times(count: number, work: (caller: number) => Promise<void>): Promise<void> {
  let begun = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      while (begun < count) {
        begun += 1;
        await work(caller);
      }
    }),
  );
}

async function seen(receiver: ChildProcess, count = 0): Promise<number> {
  receiver.send(count);
  return ((await once(receiver, 'message')) as [number])[0];
}

const countEvents = async (plain: pg.Pool): Promise<number> =>
  Number((await plain.query<{ count: string }>('select count(*) as count from webhook_events')).rows[0]?.count);

// ---- the smallest SQL

const PAY = `
  with paid as (update bench_accounts set balance = balance - $2 where id = $1 and balance >= $2 returning id)
  insert into bench_payments (id, account_id, amount, created_at) select $3, id, $2, now() from paid`;

const SETTLE = `
  with settled as (update bench_payments set settled_at = now() where id = $1 returning id, account_id, amount)
  insert into bench_entries (id, account_id, amount) select id, account_id, amount from settled`;

const pay = async (plain: pg.Pool, account: string, id: string = newUuid()): Promise<void> =>
  void (await plain.query({ name: 'pay', text: PAY, values: [account, 1_00, id] }));

/** The ids of the accounts are numbers, so that pgbench can make them. */
async function seedBaseline(plain: pg.Pool, count: number): Promise<string[]> {
  await plain.query('create table bench_accounts (id uuid primary key, balance bigint not null) with (fillfactor = 60)');
  await plain.query(
    'create table bench_payments (id uuid primary key, account_id uuid not null, amount bigint not null, created_at timestamptz not null, settled_at timestamptz)',
  );
  await plain.query('create table bench_entries (id uuid primary key, account_id uuid not null, amount bigint not null)');
  const { rows } = await plain.query<{ id: string }>(
    `insert into bench_accounts select lpad(n::text, 32, '0')::uuid, $2 from generate_series(1, $1) n returning id`,
    [count, 1_000_000_000_000],
  );
  return rows.map(({ id }) => id);
}

/** The same measurement by tools that are not ours, where they are installed. */
async function outsideTools({ installation, cards }: Ground): Promise<Row[]> {
  progress('pgbench and wrk');
  const sql = pgbench(installation.databaseUrl, CALLERS, CARDS);
  const http = wrk(installation, CALLERS, cards);
  if (sql === undefined && http === undefined) return [];
  return [
    {
      name: 'authorizations by wrk',
      measured: http === undefined ? 'wrk is not installed' : `${Math.round(http)}/s`,
      beside: sql === undefined ? 'pgbench is not installed' : `one-row SQL by pgbench ${Math.round(sql)}/s`,
      ...(http !== undefined && sql !== undefined ? { ratio: http / sql } : {}),
    },
  ];
}

// ---- history

/**
 * Settled transactions of earlier days, spread over the cards: a copy of one settled transaction per card, moved three days back. Both cores
 * write. As a restore does it, indexes are made afterwards and references are not checked. Ids are given in the order of time, so that the
 * primary key grows at its end.
 */
async function fillHistory(plain: pg.Pool, count: number): Promise<void> {
  const { rows: indexes } = await plain.query<{ name: string; definition: string }>(`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
    where i.indrelid = 'card_transactions'::regclass and not i.indisprimary`);
  const { rows: columns } = await plain.query<{ name: string }>(`
    select quote_ident(attname) as name from pg_attribute
    where attrelid = 'card_transactions'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`);
  const list = (changed: Readonly<Record<string, string>>) => columns.map(({ name }) => changed[name] ?? `t.${name}`).join(', ');
  const moved = list({
    created_at: `t.created_at - interval '72 hours' as created_at`,
    updated_at: `t.updated_at - interval '72 hours' as updated_at`,
  });
  await plain.query(`
    create table bench_settled as
    select ${moved} from (select distinct on (card_id) * from card_transactions where status = 'SETTLED') t`);
  const half = `
    insert into card_transactions (${columns.map(({ name }) => name).join(', ')})
    select ${list({ id: `uuidv7(interval '-72 hours')`, issuer_token: 'gen_random_uuid()::text' })}
    from generate_series(1, ${Math.ceil(count / 2)} / (select count(*)::int from bench_settled)), bench_settled t`;

  await plain.query('alter table card_transactions set (autovacuum_enabled = off)');
  for (const { name } of indexes) await plain.query(`drop index ${name}`);
  await Promise.all([half, half].map((text) => asRestore(plain, text)));
  progress('their indexes');
  await Promise.all(indexes.map(({ definition }) => asRestore(plain, definition)));
  progress('their checkpoint');
  await plain.query('analyze card_transactions');
  await plain.query('checkpoint');
}

async function asRestore(plain: pg.Pool, text: string): Promise<void> {
  const client = await plain.connect();
  try {
    await client.query(`set synchronous_commit = off; set session_replication_role = replica; set maintenance_work_mem = '1GB'`);
    await client.query(text);
  } finally {
    client.release(true);
  }
}
