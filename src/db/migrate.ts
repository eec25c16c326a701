// Plain SQL migrations, forward only. Each one commits together with its row in schema_migrations, so it is applied whole or not at all.
// One session-level advisory lock covers the whole run.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../root.js';
import { describeDistribution, distribute, readDistribution } from './distribution.js';
import type { Session } from './pool.js';
import { splitStatements } from './statements.js';

const LOCK = 7_226_411;
const LOCK_POLL_MS = 50;

/** First line of a migration that runs outside a transaction. Such a migration must be re-runnable. */
const DIRECTIVE = /^-- transaction:\s*(\S*)/;

export type Migration = { readonly name: string; readonly text: string; readonly checksum: string; readonly inTransaction: boolean };

/** Names of migrations, by what this build and the database know about each. */
export type MigrationStatus = {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Applied by a newer build. */
  readonly unknown: readonly string[];
  /** Applied, and edited since. */
  readonly changed: readonly string[];
};

/** A schema that cannot be brought up to date. The message is for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export function migrationOf(name: string, text: string): Migration {
  const mode = DIRECTIVE.exec(text)?.[1];
  if (mode !== undefined && mode !== 'none') throw new Error(`${name}: the only transaction mode is "none", not "${mode}"`);
  return { name, text, checksum: createHash('sha256').update(text).digest('hex'), inTransaction: mode === undefined };
}

export async function readMigrations(folder = join(projectRoot, 'migrations')): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(names.map(async (name) => migrationOf(name, await readFile(join(folder, name), 'utf8'))));
}

/** Compares the database with the migrations of this build. Reads only. */
export async function migrationStatus(session: Session, migrations: readonly Migration[]): Promise<MigrationStatus> {
  const { rows: tables } = await session.query(`select to_regclass('schema_migrations') is not null as exists`);
  const { rows } = tables[0]?.['exists'] ? await session.query('select name, checksum from schema_migrations order by name') : { rows: [] };
  const recorded = new Map(rows.map((row) => [String(row['name']), String(row['checksum'])]));
  const known = new Set(migrations.map(({ name }) => name));
  const namesWhere = (fits: (migration: Migration) => boolean) => migrations.filter(fits).map(({ name }) => name);
  return {
    applied: namesWhere(({ name, checksum }) => recorded.get(name) === checksum),
    pending: namesWhere(({ name }) => !recorded.has(name)),
    unknown: [...recorded.keys()].filter((name) => !known.has(name)),
    changed: namesWhere(({ name, checksum }) => recorded.has(name) && recorded.get(name) !== checksum),
  };
}

/**
 * Applies the pending migrations in order and returns their names. Several processes may call it at once: one migrates, the others wait.
 * After a failure or a kill the finished migrations stay applied, and the next call continues with the rest.
 */
export async function migrate(session: Session, migrations: readonly Migration[]): Promise<string[]> {
  await acquireLock(session);
  try {
    await session.query(
      'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    );
    const { pending, unknown, changed } = await migrationStatus(session, migrations);
    if (unknown.length > 0)
      throw new MigrationError(
        `the database has migrations that this build does not know: ${unknown.join(', ')}. Run the build that applied them, or a newer one.`,
      );
    if (changed.length > 0) throw new MigrationError(`migrations were changed after they were applied: ${changed.join(', ')}`);
    const waiting = new Set(pending);
    for (const migration of migrations) if (waiting.has(migration.name)) await apply(session, migration);
    // Also after a run that was interrupted behind its last migration.
    const distribution = await readDistribution(session);
    if (distribution.isDistributed && (pending.length > 0 || describeDistribution(distribution).length > 0))
      await distribute(session, distribution);
    return [...pending];
  } finally {
    // If the connection is lost, the server releases the lock when it ends the session.
    await session.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => {});
  }
}

/**
 * Polls, because a session that waits inside `pg_advisory_lock` holds a snapshot. `create index concurrently` in the migrating session
 * waits for all older snapshots, so the two would wait for each other.
 */
async function acquireLock(session: Session): Promise<void> {
  for (;;) {
    const { rows } = await session.query('select pg_try_advisory_lock($1) as acquired', [LOCK]);
    if (rows[0]?.['acquired']) return;
    await sleep(LOCK_POLL_MS);
  }
}

async function apply(session: Session, migration: Migration): Promise<void> {
  try {
    await (migration.inTransaction ? applyInTransaction : applyOutsideTransaction)(session, migration);
  } catch (error) {
    throw new MigrationError(`migration ${migration.name} failed: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

async function applyInTransaction(session: Session, migration: Migration): Promise<void> {
  await session.query('begin');
  try {
    await session.query(migration.text);
    await record(session, migration);
    await session.query('commit');
  } catch (error) {
    await session.query('rollback').catch(() => {});
    throw error;
  }
}

async function applyOutsideTransaction(session: Session, migration: Migration): Promise<void> {
  await dropInvalidIndexes(session, migration.text);
  for (const statement of splitStatements(migration.text)) await session.query(statement);
  await record(session, migration);
}

/**
 * An interrupted `create index concurrently` leaves an invalid index, which `if not exists` would accept.
 * Drops the invalid indexes that the migration names, so that it builds them again.
 */
async function dropInvalidIndexes(session: Session, text: string): Promise<void> {
  const { rows } = await session.query(
    `select c.relname as name, format('%I.%I', n.nspname, c.relname) as qualified
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
     where not i.indisvalid and n.nspname = any (current_schemas(false))`,
  );
  const words = new Set(text.match(/\w+/g));
  for (const { name, qualified } of rows)
    if (words.has(String(name))) await session.query(`drop index concurrently if exists ${String(qualified)}`);
}

async function record(session: Session, { name, checksum }: Migration): Promise<void> {
  await session.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
}

const OLDEST_SERVER = 150_000;

/** Refuses a server that is too old or that could lose a commit it acknowledged. */
export async function checkServer(session: Session): Promise<void> {
  const { rows } = await session.query(
    `select name, setting from pg_settings where name in ('server_version_num', 'fsync', 'full_page_writes', 'synchronous_commit')`,
  );
  const settings = Object.fromEntries(rows.map((row) => [row['name'], row['setting']])) as Record<string, string>;
  if (Number(settings['server_version_num']) < OLDEST_SERVER) throw new Error('PostgreSQL 15 or newer is required');
  const unsafe = ['fsync', 'full_page_writes', 'synchronous_commit'].filter((name) => settings[name] === 'off');
  if (unsafe.length > 0) throw new Error(`the database could lose acknowledged commits: ${unsafe.join(', ')} is off`);
}
