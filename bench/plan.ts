// `npm run plan`: what an installation of a given size needs, from the measured cost of one purchase in `plan-costs.json`.
// `-- --measure` measures the cost again; `-- --write` renews the figures of docs/plan-past-one-machine.md.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { projectRoot } from '../src/root.js';
import { fundedCard } from '../test/support/card-transactions.js';
import { clientOf, expectStatus } from '../test/support/client.js';
import { type Installation, startInstallation } from './installation.js';
import { issuerClient } from './issuer-client.js';
import { type Costs, MACHINE, type Plan, planFor, type Scenario } from './plan-model.js';

const COSTS_FILE = join(projectRoot, 'bench/plan-costs.json');
const PAGE = join(projectRoot, 'docs/plan-past-one-machine.md');
const CALLERS = 64;
const CARDS = 300;
const PURCHASES = 10_000;
const RICH = 100_000_000_000;

const usual = { averageShare: 0.25, skew: 1, eventRetentionDays: 90 };

/** The last three ask what changes the answer most. */
export const SCENARIOS: readonly Scenario[] = [
  { ...usual, name: 'one machine', platforms: 100, peakPerSecond: 500, history: 1e8 },
  { ...usual, name: 'ten times', platforms: 1_000, peakPerSecond: 2_000, history: 3e8 },
  { ...usual, name: 'the goal', platforms: 10_000, peakPerSecond: 20_000, history: 1e9 },
  { ...usual, name: 'the goal, events for 14 days', platforms: 10_000, peakPerSecond: 20_000, history: 1e9, eventRetentionDays: 14 },
  { ...usual, name: 'the goal, a year of history', platforms: 10_000, peakPerSecond: 20_000, history: 1.6e11, eventRetentionDays: 14 },
  {
    ...usual,
    name: 'the goal, one platform has half',
    platforms: 10_000,
    peakPerSecond: 20_000,
    history: 1e9,
    eventRetentionDays: 14,
    skew: 1.75,
  },
];

// ---- measuring

type Meter = { readonly service: number; readonly database: number; readonly wal: number; readonly ids: number; readonly events: number };

async function measure(): Promise<Costs> {
  const installation = await startInstallation();
  const receiver = fork(fileURLToPath(new URL('./bare-receiver.js', import.meta.url)));
  const plain = installation.plainPool(2);
  let close = (): void => {};
  try {
    const [url] = (await once(receiver, 'message')) as [string];
    const { tokenId, secret } = installation.credentials;
    const platform = clientOf(installation.baseUrl, { check() {} }, tokenId, secret);
    const key = await expectStatus(201, platform.post('/sandbox/issuer-credentials', { program: 'service_full' }));
    const issuer = issuerClient(installation.baseUrl, key);
    close = issuer.close;
    const cards: string[] = [];
    await times(CARDS, async () => void cards.push((await fundedCard(platform, RICH)).card.id));
    await expectStatus(200, platform.patch('/config', { webhookEndpoint: url }));
    const authorize = (i: number, caller: number) => issuer.authorize(caller, cards[i % CARDS] as string);
    // Code is compiled and statements are planned before anything counts.
    await times(5_000, authorize);
    await quiet(plain);
    const sizes = await sizesOf(plain);
    const before = await read(installation, plain);
    const tokens: string[] = [];
    await times(PURCHASES, async (i, caller) => void tokens.push(await authorize(i, caller)));
    await quiet(plain);
    const between = await read(installation, plain);
    await times(PURCHASES, (i, caller) => issuer.clear(caller, tokens[i] as string));
    await quiet(plain);
    const after = await read(installation, plain);
    const grown = await sizesOf(plain);
    const growth = (isPassing: boolean) =>
      [...grown].reduce((sum, [table, bytes]) => sum + (PASSING.test(table) === isPassing ? bytes - (sizes.get(table) ?? 0) : 0), 0) /
      PURCHASES;
    const per = (from: Meter, to: Meter) => ({
      serviceMicros: Math.round(((to.service - from.service) * 1e6) / PURCHASES),
      databaseMicros: Math.round(((to.database - from.database) * 1e6) / PURCHASES),
      walBytes: Math.round((to.wal - from.wal) / PURCHASES),
    });
    return {
      measuredAt: new Date().toISOString().slice(0, 10),
      versions: `Node ${process.versions.node}, PostgreSQL ${await versionOf(plain)}, ${process.arch}`,
      purchases: PURCHASES,
      authorization: per(before, between),
      purchase: {
        ...per(before, after),
        transactionIds: Number(((after.ids - before.ids) / PURCHASES).toFixed(2)),
        keptBytes: Math.round(growth(false)),
        passingBytes: Math.round(growth(true)),
        events: Number(((after.events - before.events) / PURCHASES).toFixed(2)),
      },
    };
  } finally {
    close();
    await plain.end();
    receiver.kill();
    await installation.stop();
  }
}

/** Tables whose rows are dropped or swept after their time. */
const PASSING = /^(webhook_|idempotency_keys|api_requests|request_log|requests)/;

async function times(count: number, work: (i: number, caller: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      while (next < count) await work(next++, caller);
    }),
  );
}

async function read(installation: Installation, plain: pg.Pool): Promise<Meter> {
  const { rows } = await plain.query<{ wal: string; ids: string; events: string }>(
    `select pg_current_wal_lsn() - '0/0' as wal, pg_snapshot_xmax(pg_current_snapshot())::text as ids, (select count(*) from webhook_events) as events`,
  );
  const [row] = rows;
  return { ...installation.processorTime(), wal: Number(row?.wal), ids: Number(row?.ids), events: Number(row?.events) };
}

/** Bytes of each table with its indexes; partitions count as their table. */
async function sizesOf(plain: pg.Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await plain.query<{ name: string; bytes: string }>(`
    select coalesce(i.inhparent, c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid)) as bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1`);
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

const versionOf = async (plain: pg.Pool): Promise<string> =>
  (await plain.query<{ server_version: string }>('show server_version')).rows[0]?.server_version ?? '';

/** Waits until every event is delivered and nothing is written any more. */
async function quiet(plain: pg.Pool): Promise<void> {
  const position = async () => (await plain.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn')).rows[0]?.lsn;
  for (let last = await position(), same = 0; same < 4; ) {
    await sleep(250);
    const now = await position();
    same = now === last ? same + 1 : 0;
    last = now;
  }
}

// ---- printing

const number = (value: number): string => Math.round(value).toLocaleString('en-US');
const bytes = (value: number): string =>
  value >= 1e12 ? `${(value / 1e12).toFixed(1)} TB` : value >= 1e9 ? `${(value / 1e9).toFixed(0)} GB` : `${(value / 1e6).toFixed(0)} MB`;
const percent = (value: number): string => `${(value * 100).toFixed(0)} %`;

const COLUMNS: readonly (readonly [string, (plan: Plan) => string])[] = [
  ['Scenario', ({ scenario }) => scenario.name],
  ['Platforms', ({ scenario }) => number(scenario.platforms)],
  ['Purchases/s at peak', ({ scenario }) => number(scenario.peakPerSecond)],
  ['Kept purchases', ({ scenario }) => scenario.history.toExponential(1).replace('e+', ' × 10^')],
  ['Database nodes', ({ nodes }) => number(nodes)],
  ['Larger machines beside them', ({ largerMachines }) => number(largerMachines)],
  ['API processes', ({ apiProcesses }) => number(apiProcesses)],
  ['Database cores', ({ databaseCores }) => databaseCores.toFixed(1)],
  ['Log', ({ walBytesPerSecond }) => `${bytes(walBytesPerSecond)}/s`],
  ['Kept', ({ keptBytes }) => bytes(keptBytes)],
  ['Kept, growth a day', ({ keptBytesPerDay }) => bytes(keptBytesPerDay)],
  ['Passing', ({ passingBytes }) => bytes(passingBytes)],
  ['Events a week and node', ({ eventsPerWeekAndNode }) => number(eventsPerWeekAndNode)],
  ['Largest platform', ({ largest }) => `${number(largest.perSecond)}/s, ${bytes(largest.bytes)}`],
  ['Of one platform a node decides', ({ largest }) => `${number(largest.limitPerSecond)}/s`],
  ['Hours between freezes', ({ freezeHours }) => number(freezeHours)],
  ['Busiest node: processor', ({ use }) => percent(use.processor)],
  ['Busiest node: log', ({ use }) => percent(use.log)],
  ['Busiest node: disk', ({ use }) => percent(use.disk)],
  ['Runs out first', ({ limit }) => limit],
];

function tablesOf(costs: Costs): string {
  const plans = SCENARIOS.map((scenario) => planFor(scenario, costs));
  const { authorization, purchase } = costs;
  const rows = COLUMNS.map(([name, cell]) => `| ${name} | ${plans.map(cell).join(' | ')} |`);
  return [
    `Measured ${costs.measuredAt} (${costs.versions}, ${number(costs.purchases)} purchases):`,
    '',
    '| | Service | Database | Log |',
    '|---|---|---|---|',
    `| Authorization, event delivered | ${authorization.serviceMicros} µs | ${authorization.databaseMicros} µs | ${number(authorization.walBytes)} bytes |`,
    `| Purchase: authorized, cleared, events delivered | ${purchase.serviceMicros} µs | ${purchase.databaseMicros} µs | ${number(purchase.walBytes)} bytes |`,
    '',
    `A purchase leaves ${number(purchase.keptBytes)} bytes for ever and ${number(purchase.passingBytes)} bytes in tables that are dropped by the week or swept, makes ${purchase.events} events and uses ${purchase.transactionIds} transaction numbers.`,
    '',
    `A database node has ${MACHINE.cores} cores (${percent(MACHINE.busyShare)} usable), ${bytes(MACHINE.walBytesPerSecond)}/s of log and ${bytes(MACHINE.diskBytes)} of disk (${percent(MACHINE.diskShare)} usable); the use of the busiest node is told of what is usable. Its standby is one more machine of the same size.`,
    '',
    rows[0] as string,
    `|${'---|'.repeat(SCENARIOS.length + 1)}`,
    ...rows.slice(1),
  ].join('\n');
}

const words = process.argv.slice(2);
const extra = words.find((word) => word !== '--measure' && word !== '--write');
if (extra !== undefined) {
  process.stderr.write(`not expected: ${extra}\nusage: npm run plan [-- --measure] [--write]\n`);
  process.exit(2);
}
if (words.includes('--measure')) writeFileSync(COSTS_FILE, `${JSON.stringify(await measure(), null, 2)}\n`);
const tables = tablesOf(JSON.parse(readFileSync(COSTS_FILE, 'utf8')) as Costs);
process.stdout.write(`${tables}\n`);
if (words.includes('--write')) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(/(<!-- plan -->\n)[\s\S]*?(<!-- \/plan -->)/, (_, before, after) => `${before}\n${tables}\n\n${after}`),
  );
}
