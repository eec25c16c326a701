// Ledger transfers, start time and memory. Also the baseline for reads, which the other parts use.
import { fork } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDb } from '../src/db/pool.js';
import { moveMoney, serviceAccountId } from '../src/domains/ledger/actions.js';
import { idOf, newUuid } from '../src/kernel/ids.js';
import { LeanClient } from './http-client.js';
import { atLeast, ms, type Row, sideBySide } from './measure.js';
import { type BenchService, residentMiB, spawnService, startBenchService, stopChild, whenReady } from './service.js';

const CALLERS = 64;

export async function foundation(): Promise<Row[]> {
  return [...(await movingMoney()), ...(await starting())];
}

/** GET of a resource, compared with a bare Fastify route that answers the same bytes. */
export async function besideBareRoute({ client }: BenchService, name: string, path: string): Promise<Row> {
  const bytes = await client.expect(200, 0, 'GET', path);
  const bare = fork(fileURLToPath(new URL('./bare-route.js', import.meta.url)), [bytes]);
  const bareUrl = await new Promise<string>((resolve) => bare.once('message', (url) => resolve(String(url))));
  const bareClient = new LeanClient(bareUrl);
  try {
    const { ours, theirs } = await sideBySide(
      {
        ours: async (caller) => void (await client.expect(200, caller, 'GET', path)),
        theirs: async (caller) => void (await bareClient.expect(200, caller, 'GET', '/resource')),
      },
      { callers: CALLERS, seconds: 3 },
    );
    return atLeast(name, ours, theirs, 'bare Fastify route', 0.4);
  } finally {
    bareClient.close();
    bare.kill();
  }
}

/** A ledger transfer, compared with the same statements sent by plain `pg`. */
async function movingMoney(): Promise<Row[]> {
  const service = await startBenchService();
  const db = openDb({ url: service.databaseUrl, poolSize: 16 });
  const plain = service.plainPool(16);
  try {
    const { rows: platforms } = await plain.query('select id from platforms limit 1');
    const platform = platforms[0].id as string;
    const platformId = idOf('Platform', platform);
    const accounts = Array.from({ length: 200 }, newUuid);
    await plain.query(
      `insert into ledger_accounts (platform_id, id, kind, currency, available, total) select $1, unnest($2::uuid[]), 'CUSTOMER', 'USD', 1000000000, 1000000000`,
      [platform, accounts],
    );
    const funding = serviceAccountId(platformId, 'FUNDING', 'USD');
    const pick = () => accounts[Math.floor(Math.random() * accounts.length)] as string;
    const { ours, theirs } = await sideBySide(
      {
        ours: () =>
          db.transaction(async (tx) => {
            await moveMoney(tx, platformId, [
              { kind: 'POST', transfer: { id: newUuid(), from: pick(), to: funding, amount: 1n, currency: 'USD', cause: 'BENCH' } },
            ]);
          }),
        theirs: async () => {
          const client = await plain.connect();
          try {
            await plainTransfer((name, text, values) => client.query({ name, text, values }), platform, pick(), funding);
          } finally {
            client.release();
          }
        },
      },
      { callers: CALLERS, seconds: 3 },
    );
    return [atLeast('ledger transfer', ours, theirs, 'the same SQL with plain pg', 0.6)];
  } finally {
    await db.close();
    await plain.end();
    await service.stop();
  }
}

type Query = (name: string, text: string, values: unknown[]) => Promise<{ rows: Record<string, string>[] }>;

/** The statements of a ledger transfer: lock, update, insert the transfer and its two entries. */
async function plainTransfer(query: Query, platform: string, from: string, to: string): Promise<void> {
  const transfer = newUuid();
  await query('begin', 'begin', []);
  const { rows } = await query(
    'lock',
    `select available, total, last_entry from ledger_accounts where platform_id = $1 and id = any($2::uuid[]) and kind <> 'SERVICE' order by id for update`,
    [platform, [from, to]],
  );
  const balance = rows[0] as Record<string, string>;
  await query(
    'write',
    `with balanced as (
       update ledger_accounts set available = $3, total = $4, last_entry = $5, not_before = platform_now($1) where platform_id = $1 and id = $2
     ), moved as (
       insert into transfers (platform_id, id, debit_account_id, credit_account_id, amount, currency, cause, created_at)
       values ($1, $6, $2, $7, 1, 'USD', 'BENCH', platform_now($1))
     )
     insert into entries (platform_id, transfer_id, account_id, currency, amount, number, balance_after, effective_at)
     values ($1, $6, $2, 'USD', -1, $5, $4, platform_now($1)), ($1, $6, $7, 'USD', 1, null, null, platform_now($1))`,
    [
      platform,
      from,
      BigInt(balance['available'] as string) - 1n,
      BigInt(balance['total'] as string) - 1n,
      BigInt(balance['last_entry'] as string) + 1n,
      transfer,
      to,
    ],
  );
  await query('commit', 'commit', []);
}

/** Time from the command until the service is ready on the embedded database: first start, and restart with data. */
async function starting(): Promise<Row[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-start-'));
  chmodSync(dataDir, 0o711);
  const start = async () => {
    const at = performance.now();
    const child = spawnService({ DATA_DIR: dataDir });
    await whenReady(child);
    const took = performance.now() - at;
    const memory = residentMiB(child.pid as number);
    await stopChild(child);
    return { took, memory };
  };
  try {
    const first = await start();
    const again = await start();
    return [
      { name: 'first start to ready', measured: ms(first.took) },
      { name: 'second start to ready', measured: ms(again.took), limit: '< 2000 ms', holds: again.took < 2000 },
      { name: 'resident memory when ready', measured: `${again.memory.toFixed(0)} MiB` },
    ];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
