// Plain SQL migrations, forward only, in one transaction under an advisory lock: a kill in the middle leaves the old schema or the new one.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../root.js';
import type { Session } from './pool.js';

const LOCK = 7_226_411;

export type Migration = { name: string; text: string; checksum: string };

export async function readMigrations(folder = join(projectRoot, 'migrations')): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/** Brings the schema up to date; safe with several processes starting at once. Answers the names it applied. */
export async function migrate(session: Session, migrations: readonly Migration[]): Promise<string[]> {
  await session.query('begin');
  try {
    await session.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await session.query(
      'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    );
    const { rows } = await session.query('select name, checksum from schema_migrations');
    const done = new Map(rows.map((row) => [row['name'] as string, row['checksum'] as string]));
    const applied: string[] = [];
    for (const { name, text, checksum } of migrations) {
      const earlier = done.get(name);
      if (earlier === checksum) continue;
      if (earlier !== undefined) throw new Error(`migration ${name} was changed after it was applied`);
      await session.query(text);
      await session.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
      applied.push(name);
    }
    await session.query('commit');
    return applied;
  } catch (error) {
    await session.query('rollback').catch(() => {});
    throw error;
  }
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
