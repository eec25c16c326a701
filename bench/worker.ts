// What idle platforms cost a worker: processor time of its process and of its database sessions, with 1,000 platforms beside none.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createDatabase } from '../test/support/database.js';
import type { Row } from './measure.js';
import { secondsOf } from './processor-time.js';
import { spawnService, stopChild } from './service.js';

const PLATFORMS = 1_000;
const WARM_UP_MS = 10_000;
const SECONDS = 30;

type Cost = { readonly process: number; readonly database: number };

/** Shares of a core. */
async function costOf(platforms: number): Promise<Cost> {
  const database = await createDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into platforms (id, name, mode, config, webhook_endpoint, created_at, updated_at)
     select gen_random_uuid(), 'idle ' || n, 'sandbox', '{}', 'http://127.0.0.1:1/', now(), now() from generate_series(1, $1) n`,
    [platforms],
  );
  await client.query('analyze');
  const child = spawnService({
    ROLE: 'worker',
    DATABASE_URL: database.url,
    KEY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
  });
  const sessions = async (): Promise<Map<number, number>> => {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'switchyard'`,
    );
    return new Map(rows.map(({ pid }) => [pid, secondsOf(pid)]));
  };
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', (chunk: Buffer) => void (chunk.toString().includes('ready') && resolve()));
      child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)));
    });
    await pause(WARM_UP_MS);
    const own = secondsOf(child.pid as number);
    const before = await sessions();
    await pause(SECONDS * 1_000);
    const after = await sessions();
    const used = [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
    return { process: (secondsOf(child.pid as number) - own) / SECONDS, database: used / SECONDS };
  } finally {
    await stopChild(child);
    await client.end();
    await database.drop();
  }
}

export async function worker(): Promise<Row[]> {
  const none = await costOf(0);
  const many = await costOf(PLATFORMS);
  const cost = many.process + many.database - none.process - none.database;
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
  const shown = ({ process, database }: Cost) => `process ${percent(process)}, database ${percent(database)} of a core`;
  return [
    {
      name: `${PLATFORMS} idle platforms`,
      measured: `${percent(cost)} of a core (${shown(many)})`,
      beside: `without platforms ${shown(none)}`,
      limit: '< 1 %',
      holds: cost < 0.01,
    },
  ];
}
