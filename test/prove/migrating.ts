// Kills during migrations, at any table: every migration is applied completely or not at all, and the next start applies the rest.
// Several processes start at once on one database: one migrates, all serve.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { spawnService, stopChild, whenReady } from '../../bench/service.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded.js';
import { type Migration, migrate, readMigrations } from '../../src/db/migrate.js';
import { openDb } from '../../src/db/pool.js';
import { splitStatements } from '../../src/db/statements.js';
import { killed } from './crash-host.js';
import { type Random, randomOf } from './random.js';
import type { Outcome } from './report.js';

export type MigratingOptions = { readonly seed: string; readonly kills: number; readonly together?: number; readonly until?: number };

export async function migrating({ seed, kills, together = 4, until = Number.POSITIVE_INFINITY }: MigratingOptions): Promise<Outcome[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-migrating-'));
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {}, error() {} } });
  try {
    const trial = await Trial.prepare(postgres, dataDir, randomOf(`${seed}/migrating`));
    const partial: string[] = [];
    const unfinished: string[] = [];
    let done = 0;
    for (; done < kills && Date.now() < until; done += 1) {
      const { what, isWhole, finished } = await trial.killOnce();
      if (!isWhole) partial.push(what);
      if (!finished) unfinished.push(what);
    }
    const problems = await trial.startTogether(together);
    return [
      { goal: 'migration: after a kill every migration is complete or absent', trials: done, failures: partial, note: trial.note },
      { goal: 'migration: the next start applies the rest', trials: done, failures: unfinished },
      { goal: 'migration: processes that start at once make one schema and one platform', trials: together, failures: problems },
    ];
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class Trial {
  private readonly postgres: EmbeddedPostgres;
  private readonly dataDir: string;
  private readonly random: Random;
  private readonly migrations: readonly Migration[];
  /** The schema after each number of migrations, beginning with none. */
  private readonly stages: readonly Schema[];
  /** The schema after each statement of the migrations that run outside a transaction. */
  private readonly between: readonly Schema[];
  private readonly whole: Schema;
  private readonly key = randomBytes(32).toString('base64');
  private count = 0;
  private killsOfPostgres = 0;

  private constructor(
    postgres: EmbeddedPostgres,
    dataDir: string,
    random: Random,
    migrations: readonly Migration[],
    stages: readonly Schema[],
    between: readonly Schema[],
  ) {
    this.postgres = postgres;
    this.dataDir = dataDir;
    this.random = random;
    this.migrations = migrations;
    this.stages = stages;
    this.between = between;
    this.whole = stages.at(-1) as Schema;
  }

  static async prepare(postgres: EmbeddedPostgres, dataDir: string, random: Random): Promise<Trial> {
    const migrations = await readMigrations();
    const stages: Schema[] = [];
    for (let count = 0; count <= migrations.length; count += 1) stages.push(await schemaOf(await stageOf(postgres.url, count, migrations)));
    const between: Schema[] = [];
    for (const [count, { inTransaction, text }] of migrations.entries()) {
      if (inTransaction) continue;
      const url = await createDatabase(postgres.url, `between_${count}`, [], stageName(count));
      for (const statement of splitStatements(text)) {
        await query(url, statement);
        between.push(await schemaOf(url));
      }
    }
    return new Trial(postgres, dataDir, random, migrations, stages, between);
  }

  get note(): string {
    return `${this.migrations.length} migrations, ${this.whole.tables.length} tables, ${this.killsOfPostgres} kills of PostgreSQL, seed ${this.random.seed}`;
  }

  /** Starts the service on an earlier schema, blocks it at the creation of a table, and kills it or PostgreSQL. */
  async killOnce(): Promise<{ what: string; isWhole: boolean; finished: boolean }> {
    this.count += 1;
    const applied = this.random.int(
      0,
      this.migrations.findLastIndex(({ text }) => /^create table/m.test(text)),
    );
    const url = await createDatabase(this.postgres.url, `trial_${this.count}`, [], stageName(applied));
    const present = this.stages[applied]?.tables ?? [];
    const table = this.random.pick(this.whole.tables.filter((name) => !present.includes(name)));
    const way = this.random.weighted({ service: 4, 'service, a moment later': 3, postgres: 2 });

    // The migration that creates a table of this name now waits for this transaction.
    const blocker = new pg.Client({ connectionString: url });
    blocker.on('error', () => {}); // lost with PostgreSQL
    await blocker.connect();
    await blocker.query(`begin; create table ${table} ()`);
    const service = this.spawn(url);
    const waiting = await waitingBackend(blocker);
    if (way === 'postgres') {
      this.killsOfPostgres += 1;
      process.kill(waiting, 'SIGKILL');
    } else if (way === 'service, a moment later') {
      await blocker.query('rollback');
      await sleep(this.random.int(0, 60));
    }
    await killed(service);
    await blocker.end().catch(() => {});

    const after = await whenSettled(url);
    const what = `${table} with ${applied} migrations before it, ${way} killed`;
    const isWhole = [...this.stages.slice(applied), ...this.between].some(({ digest }) => digest === after.digest);
    return { what, isWhole, finished: await this.finishes(url) };
  }

  private async finishes(url: string): Promise<boolean> {
    const service = this.spawn(url);
    await whenReady(service);
    await stopChild(service);
    return (await schemaOf(url)).digest === this.whole.digest;
  }

  /** Starts several processes at once on an empty database and returns the problems. */
  async startTogether(processes: number): Promise<string[]> {
    const url = await createDatabase(this.postgres.url, 'together', []);
    const services = Array.from({ length: processes }, (_, i) => this.spawn(url, `together-${i}`));
    const problems: string[] = [];
    for (const service of services) await whenReady(service).catch((error: Error) => problems.push(error.message));
    const { digest } = await schemaOf(url);
    if (digest !== this.whole.digest) problems.push('the schema is not the whole one');
    const rows = await query(
      url,
      'select (select count(*) from schema_migrations) as migrations, (select count(*) from platforms) as platforms',
    );
    const { migrations, platforms } = rows[0] as { migrations: string; platforms: string };
    if (Number(migrations) !== this.migrations.length) problems.push(`${migrations} migrations are noted`);
    if (Number(platforms) !== 1) problems.push(`${platforms} platforms were made`);
    for (const service of services) if (service.exitCode === null) await stopChild(service);
    return problems;
  }

  private spawn(url: string, place = 'service'): ChildProcess {
    return spawnService({
      DATABASE_URL: url,
      DATA_DIR: join(this.dataDir, place),
      KEY_ENCRYPTION_KEY: this.key,
      BOOTSTRAP_TOKEN: 'prove:a-secret-of-the-migration-proof',
      LOG_LEVEL: 'silent',
    });
  }
}

const stageName = (count: number): string => `stage_${count}`;

/** The database after that many migrations: a copy of the one before it, and one more. */
const stageOf = (serverUrl: string, count: number, migrations: readonly Migration[]): Promise<string> =>
  createDatabase(serverUrl, stageName(count), migrations.slice(0, count), count === 0 ? undefined : stageName(count - 1));

/** Applies the migrations that the template lacks, none if the list is empty. */
async function createDatabase(serverUrl: string, name: string, migrations: readonly Migration[], template?: string): Promise<string> {
  const url = new URL(serverUrl);
  await query(serverUrl, `create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  url.pathname = `/${name}`;
  if (template !== undefined && migrations.length === 0) return url.toString();
  const db = openDb({ url: url.toString(), poolSize: 1 });
  const session = await db.connect();
  await migrate(session, migrations);
  await session.end();
  await db.close();
  return url.toString();
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

type Schema = { readonly digest: string; readonly tables: readonly string[] };

/**
 * Everything that migrations create: columns, storage options, constraints, indexes, triggers, functions and the record of applied migrations.
 * An index that an interrupted `create index concurrently` left invalid is absent.
 */
async function schemaOf(url: string): Promise<Schema> {
  const [row] = await query(
    url,
    `with parts as (
       select 'column ' || table_name || ' ' || column_name || ' ' || data_type || ' ' || coalesce(column_default, '') || is_nullable as part
         from information_schema.columns where table_schema = 'public'
       union all select 'options ' || relname || ' ' || reloptions::text from pg_class
         where relnamespace = 'public'::regnamespace and reloptions is not null
       union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
         where connamespace = 'public'::regnamespace
       union all select 'index ' || pg_get_indexdef(indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid
         where c.relnamespace = 'public'::regnamespace and indisvalid
       union all select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
       union all select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
       union all select 'applied ' || name || ' ' || checksum from schema_migrations)
     select md5(string_agg(part, '|' order by part)) as digest,
       (select coalesce(array_agg(tablename::text order by tablename), '{}') from pg_tables where schemaname = 'public') as tables
     from parts`,
  );
  return row as Schema;
}

/** The server process that waits for the lock of this session. */
async function waitingBackend(client: pg.Client): Promise<number> {
  for (const deadline = Date.now() + 60_000; ; await sleep(10)) {
    // Within a transaction the view is a snapshot; this discards it.
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
    );
    if (rows[0]) return rows[0].pid as number;
    if (Date.now() > deadline) throw new Error('the service did not reach the blocked table');
  }
}

/** A server with many databases that is killed reads all of them again, which takes long beside other work. */
const RECOVERY_TIMEOUT_MS = 300_000;

/** The schema after the session of the killed process has ended, and after PostgreSQL has restarted if it was killed. */
async function whenSettled(url: string): Promise<Schema> {
  for (const deadline = Date.now() + RECOVERY_TIMEOUT_MS; ; await sleep(20)) {
    try {
      const others = await query(
        url,
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
      if (others.length === 0) return await schemaOf(url);
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
