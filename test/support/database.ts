// Databases for tests. Each test file has its own, copied from a migrated template in a few dozen milliseconds.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate, readMigrations } from '../../src/db/migrate.js';
import { openDb } from '../../src/db/pool.js';

const TEMPLATE = 'switchyard_template';

const named = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.toString();
};

async function admin<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: named(url, 'postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function prepareTemplate(url: string): Promise<void> {
  await admin(url, (client) => client.query(`create database ${TEMPLATE}`));
  const db = openDb({ url: named(url, TEMPLATE), poolSize: 1 });
  const session = await db.connect();
  await migrate(session, await readMigrations());
  await session.end();
  await db.close();
}

export type TestDatabase = { readonly url: string; drop(): Promise<void> };

/** A new database with the schema. `npm test` provides the server and sets TEST_DATABASE_URL. */
export const createDatabase = (): Promise<TestDatabase> => copyOf(TEMPLATE);

/** A database without a schema. */
export const createEmptyDatabase = (): Promise<TestDatabase> => copyOf('template0');

async function copyOf(template: string): Promise<TestDatabase> {
  const url = process.env['TEST_DATABASE_URL'];
  if (!url) throw new Error('run tests with `npm test -- <path>`: it starts the PostgreSQL they use');
  const name = `t_${randomBytes(8).toString('hex')}`;
  // Two copies of the template cannot be made at once.
  await admin(url, async (client) => {
    await client.query('select pg_advisory_lock(1)');
    // A tenth of the time of the default strategy, which writes every page to the log.
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  return {
    url: named(url, name),
    drop: () => admin(url, async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  };
}
