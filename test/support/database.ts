// Databases for tests. Each test file has its own, copied from a migrated template in a few dozen milliseconds. On a cluster the template is
// distributed, and is copied on every node.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { distribute, readDistribution } from '../../src/db/distribution.js';
import { migrate, readMigrations } from '../../src/db/migrate.js';
import { openDb, type Session } from '../../src/db/pool.js';
import { type Sql, sql } from '../../src/db/sql.js';

const TEMPLATE = 'switchyard_template';
/** Fewer parts than an installation has: every part is a table on a node, and a copy of the template copies all of them. */
const SHARDS = 4;

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

/** The server; or the coordinator and the workers of a cluster. */
export async function prepareTemplate(coordinator: string, ...workers: readonly string[]): Promise<void> {
  const nodes = [coordinator, ...workers];
  const isCluster = workers.length > 0;
  for (const node of nodes)
    await admin(node, async (client) => {
      await client.query(`drop database if exists ${TEMPLATE} with (force)`);
      await client.query(`create database ${TEMPLATE}`);
    });
  if (isCluster) for (const node of nodes) await inDatabase(named(node, TEMPLATE), (session) => session.query('create extension citus'));
  await inDatabase(named(coordinator, TEMPLATE), async (session) => {
    if (isCluster) await addNodes(session, nodes);
    await migrate(session, await readMigrations());
    if (isCluster) await distribute(session, await readDistribution(session));
  });
  if (isCluster) for (const node of nodes) await admin(node, closeTemplate);
}

async function inDatabase(url: string, work: (session: Session) => Promise<unknown>): Promise<void> {
  const db = openDb({ url, poolSize: 1 });
  const session = await db.connect();
  try {
    await work(session);
  } finally {
    await session.end();
    await db.close();
  }
}

async function addNodes(session: Session, nodes: readonly string[]): Promise<void> {
  const [coordinator, ...workers] = nodes.map((node) => new URL(node));
  const placeOf = ({ hostname, port }: URL) => [hostname, Number(port)];
  await session.query(`set citus.shard_count = ${SHARDS}`);
  if (coordinator) await session.query('select citus_set_coordinator_host($1, $2)', placeOf(coordinator));
  for (const worker of workers) await session.query('select citus_add_node($1, $2)', placeOf(worker));
}

/** A database that anybody is connected to cannot be copied, and the extension has a process of its own in each. */
async function closeTemplate(client: pg.Client): Promise<void> {
  await client.query(`alter database ${TEMPLATE} with allow_connections false`);
  await client.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [TEMPLATE]);
}

export type TestDatabase = { readonly url: string; drop(): Promise<void> };

/** A new database with the schema. `npm test` provides the server and sets TEST_DATABASE_URL. */
export const createDatabase = (): Promise<TestDatabase> => copyOf(TEMPLATE);

/** A database without a schema. */
export const createEmptyDatabase = (): Promise<TestDatabase> => copyOf('template0');

/** Whether the tests run on a cluster. */
export const isCluster = (): boolean => (process.env['TEST_DATABASE_URL'] ?? '').includes(',');

/** For `skip` of a test about query plans: the plan of a coordinator only says which node it asks. */
export const plansOfOneServer = (): string | false => isCluster() && 'it reads the query plans of one server';

/** How many transactions wait for a lock of another, on any node. */
export const lockWaits = (): Sql =>
  isCluster()
    ? sql`select count(*)::integer as count from citus_lock_waits`
    : sql`select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

async function copyOf(template: string): Promise<TestDatabase> {
  const nodes = process.env['TEST_DATABASE_URL']?.split(',');
  const [coordinator] = nodes ?? [];
  if (!nodes || !coordinator) throw new Error('run tests with `npm test -- <path>`: it starts the PostgreSQL they use');
  const name = `t_${randomBytes(8).toString('hex')}`;
  const onEach = (work: (client: pg.Client) => Promise<unknown>) => Promise.all(nodes.map((node) => admin(node, work)));
  await onEach(async (client) => {
    // Two copies of the template cannot be made at once.
    await client.query('select pg_advisory_lock(1)');
    // A tenth of the time of the default strategy, which writes every page to the log.
    await client.query(`create database ${name} template ${template} strategy file_copy`);
    // Settings of a database are not copied.
    if (nodes.length > 1 && template === TEMPLATE)
      await client.query(`
        do $$ declare setting text; begin
          for setting in select unnest(setconfig) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
            where d.datname = '${TEMPLATE}' and s.setrole = 0
          loop execute format('alter database ${name} set %s = %L', split_part(setting, '=', 1), split_part(setting, '=', 2)); end loop;
        end $$`);
  });
  return {
    url: named(coordinator, name),
    drop: async () => void (await onEach((client) => client.query(`drop database if exists ${name} with (force)`))),
  };
}
