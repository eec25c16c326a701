// A database that Citus distributes over several servers by platform. One server without the extension is left as it is.
import { afterTheirReferences } from './foreign-keys.js';
import type { Session } from './pool.js';

/** Tables that every node has a copy of: they belong to the installation, or are read before a platform is known. */
export const REFERENCE_TABLES: readonly string[] = ['schema_migrations', 'service_secrets', 'platform_keys'];

/** The column that a table is distributed by; undefined for a reference table. */
export type TablePlan = { readonly table: string; readonly column: string | undefined };

export type Distribution = {
  readonly extension: string | undefined;
  /** Whether the tables are distributed: the table of platforms is. */
  readonly isDistributed: boolean;
  /** Tables that are not distributed yet, each after the tables it refers to. */
  readonly tables: readonly TablePlan[];
  /** Tables that cannot be: they have no platform and are no reference tables. */
  readonly homeless: readonly string[];
  /** Functions that statements and triggers call on the nodes, with their argument types. */
  readonly functions: readonly string[];
  /** Distributed tables whose former rows are still on the disk of the coordinator, where nobody sees them. */
  readonly leftovers: readonly string[];
  readonly nodes: readonly string[];
};

/** These work on the whole database and run where clients connect to. */
const COORDINATOR_FUNCTIONS: ReadonlySet<string> = new Set([
  'platform_now',
  'platform_groups',
  'webhook_weeks',
  'extend_webhook_log',
  'drop_webhook_week',
  'drop_webhook_attempts',
  'make_webhook_partition',
]);

type Rows = Record<string, unknown>[];
const textsOf = (rows: Rows, column: string): string[] => rows.map((row) => String(row[column]));

/** Reads what is distributed and what is missing. Changes nothing. */
export async function readDistribution(session: Session): Promise<Distribution> {
  const { rows: extensions } = await session.query(`select extversion from pg_extension where extname = 'citus'`);
  if (!extensions[0])
    return { extension: undefined, isDistributed: false, tables: [], homeless: [], functions: [], leftovers: [], nodes: [] };
  const { rows: known } = await session.query(`select logicalrelid::text as name from pg_dist_partition where partmethod in ('h', 'n')`);
  const { rows: left } = await session.query(
    `select distinct coalesce(pg_partition_root(logicalrelid), logicalrelid)::text as name from pg_dist_partition
     where pg_relation_size(logicalrelid) > 0 order by 1`,
  );
  const { rows: nodes } = await session.query(
    `select format('%s:%s', nodename, nodeport) as node from pg_dist_node where isactive and shouldhaveshards order by 1`,
  );
  const distributed = new Set(textsOf(known, 'name'));
  const { tables, homeless } = await planTables(session);
  return {
    extension: String(extensions[0]['extversion']),
    isDistributed: distributed.has('platforms'),
    tables: tables.filter(({ table }) => !distributed.has(table)),
    homeless,
    functions: await missingFunctions(session),
    leftovers: textsOf(left, 'name'),
    nodes: textsOf(nodes, 'node'),
  };
}

/** Connections between nodes of a cluster that cannot be made, a line for each. */
export async function findUnreachable(session: Session): Promise<string[]> {
  const { rows } = await session.query(`
    select format('%s:%s does not reach %s:%s', from_nodename, from_nodeport, to_nodename, to_nodeport) as found
    from citus_check_cluster_node_health() where result is distinct from true order by 1`);
  return textsOf(rows, 'found');
}

/** How every table of the schema is distributed. The list comes from the catalogue, so that no table is forgotten. */
export async function planTables(session: Session): Promise<Pick<Distribution, 'tables' | 'homeless'>> {
  const { rows } = await session.query(`
    select t.relname as name,
      exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = 'platform_id' and not a.attisdropped) as has_platform,
      array(select c.confrelid::regclass::text from pg_constraint c where c.conrelid = t.oid and c.contype = 'f'
        union
        -- Rows that are copied to the nodes meet the triggers of inserts there, which read these.
        select r.relname from pg_trigger g join pg_proc f on f.oid = g.tgfoid
        join pg_class r on r.relnamespace = t.relnamespace and r.relkind in ('r', 'p') and f.prosrc ~ ('\\m' || r.relname || '\\M')
        where g.tgrelid = t.oid and not g.tgisinternal and g.tgtype::integer & 4 > 0) as "references"
    from pg_class t
    where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
      and not exists (select from pg_depend d where d.objid = t.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
    order by t.relname <> 'platforms', t.relname`);
  const withPlatform = new Set(rows.filter((row) => row['has_platform'] === true).map((row) => String(row['name'])));
  const tables = rows.map((row) => ({ name: String(row['name']), references: row['references'] as string[] }));
  const names = afterTheirReferences(tables).map(({ name }) => name);
  const isHomeless = (name: string) => name !== 'platforms' && !REFERENCE_TABLES.includes(name) && !withPlatform.has(name);
  return {
    tables: names.filter((name) => !isHomeless(name)).map((table) => ({ table, column: columnOf(table) })),
    homeless: names.filter(isHomeless),
  };
}

function columnOf(table: string): string | undefined {
  if (REFERENCE_TABLES.includes(table)) return undefined;
  return table === 'platforms' ? 'id' : 'platform_id';
}

async function missingFunctions(session: Session): Promise<string[]> {
  const { rows } = await session.query(`
    select p.proname as name, p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.classid = 'pg_proc'::regclass and d.deptype = 'e')
      and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)
    order by 1`);
  return rows.filter((row) => !COORDINATOR_FUNCTIONS.has(String(row['name']))).map((row) => String(row['signature']));
}

/** Of every connection of the service to any node. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Our triggers read rows of the platform that they are about, and no others.
  'citus.enable_unsafe_triggers': 'on',
  'citus.allow_nested_distributed_execution': 'on',
};

/** What `distribute` would do, a line for each step. */
export function describeDistribution({ tables, functions, homeless, leftovers }: Distribution): string[] {
  return [
    ...functions.map((signature) => `function ${signature}: on every node`),
    ...tables.map(({ table, column }) => (column ? `table ${table}: distributed by ${column}` : `table ${table}: a copy on every node`)),
    ...homeless.map((table) => `table ${table}: has no platform_id and cannot be distributed`),
    ...leftovers.map((table) => `table ${table}: its former rows are removed from the coordinator`),
  ];
}

export class DistributionError extends Error {
  override readonly name = 'DistributionError';
}

/**
 * Distributes what is not distributed yet. Each table is moved in a transaction of its own, so an interrupted run is continued by the next.
 * Writes to a table wait while it is moved.
 */
export async function distribute(session: Session, plan: Distribution, report: (line: string) => void = () => {}): Promise<void> {
  if (!plan.extension) throw new DistributionError('the database has no extension citus: create extension citus');
  if (plan.nodes.length === 0) throw new DistributionError('no node takes data: select citus_add_node(host, port)');
  if (plan.homeless.length > 0) throw new DistributionError(`tables without platform_id: ${plan.homeless.join(', ')}`);
  await setEverywhere(session);
  for (const signature of plan.functions) {
    await session.query('select create_distributed_function($1::regprocedure)', [signature]);
    report(`function ${signature}`);
  }
  for (const { table, column } of plan.tables) {
    if (column === undefined) await session.query('select create_reference_table($1::regclass)', [table]);
    else if (table === 'platforms') await session.query('select create_distributed_table($1::regclass, $2)', [table, column]);
    else await session.query(`select create_distributed_table($1::regclass, $2, colocate_with => 'platforms')`, [table, column]);
    report(`table ${table}`);
  }
  const { leftovers } = await readDistribution(session);
  if (leftovers.length > 0) await removeLocalRows(session, leftovers, report);
}

/** The rows are on the nodes. Emptying a table empties those that refer to it, and the triggers of append-only tables refuse that. */
async function removeLocalRows(session: Session, tables: readonly string[], report: (line: string) => void): Promise<void> {
  const { rows } = await session.query(`
    select format('alter table %s %%s trigger %I', g.tgrelid::regclass, g.tgname) as change
    from pg_trigger g join pg_class t on t.oid = g.tgrelid
    where t.relnamespace = current_schema()::regnamespace and not g.tgisinternal and g.tgtype::integer & 32 > 0`);
  const setTriggers = async (state: string): Promise<void> => {
    for (const change of textsOf(rows, 'change')) await session.query(change.replace('%s', state));
  };
  await session.query('begin');
  try {
    await setTriggers('disable');
    for (const table of tables) await session.query('select truncate_local_data_after_distributing_table($1::regclass)', [table]);
    await setTriggers('enable');
    await session.query('commit');
  } catch (error) {
    await session.query('rollback').catch(() => {});
    throw error;
  }
  for (const table of tables) report(`former rows of ${table}`);
}

async function setEverywhere(session: Session): Promise<void> {
  const { rows } = await session.query('select current_database() as name');
  const database = `"${String(rows[0]?.['name']).replaceAll('"', '""')}"`;
  for (const [name, value] of Object.entries(SETTINGS)) {
    await session.query(`set ${name} = '${value}'`);
    // The coordinator passes it on to the other nodes.
    await session.query(`alter database ${database} set ${name} = '${value}'`);
  }
}
