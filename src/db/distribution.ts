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
  if (!extensions[0]) return { extension: undefined, isDistributed: false, tables: [], homeless: [], functions: [], nodes: [] };
  const { rows: known } = await session.query(`select logicalrelid::text as name from pg_dist_partition where partmethod in ('h', 'n')`);
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
    nodes: textsOf(nodes, 'node'),
  };
}

/** How every table of the schema is distributed. The list comes from the catalogue, so that no table is forgotten. */
export async function planTables(session: Session): Promise<Pick<Distribution, 'tables' | 'homeless'>> {
  const { rows } = await session.query(`
    select t.relname as name,
      exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = 'platform_id' and not a.attisdropped) as has_platform,
      array(select distinct c.confrelid::regclass::text from pg_constraint c
        where c.conrelid = t.oid and c.contype = 'f') as "references"
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

/**
 * Functions whose bodies differ on a cluster. Groups of platforms are the parts of the tables; `offset 0` reads the ids first, because the
 * grouping needs the catalogue of this node. A trigger cannot join the rows of a statement with other tables, so it passes them as lists.
 */
const FUNCTIONS = `
  create or replace function platform_groups() returns setof uuid[] language plpgsql stable as $$
  begin
    return query select array_agg(p.id order by p.id) from (select id from platforms offset 0) p
    group by get_shard_id_for_distribution_column('platforms', p.id);
  end $$;

  create or replace function wallet_debits_are_authorized() returns trigger language plpgsql as $$
  declare
    of_platform uuid;
    ids uuid[];
    debits uuid[];
    credits uuid[];
    amounts bigint[];
    currencies text[];
    is_unproven boolean;
  begin
    for of_platform, ids, debits, credits, amounts, currencies in
      select platform_id, array_agg(id), array_agg(debit_account_id), array_agg(credit_account_id), array_agg(amount), array_agg(currency)
      from added where amount > 0 group by platform_id
    loop
      select exists (
        select from unnest(ids, debits, credits, amounts, currencies) t (id, debit, credit, amount, currency)
        cross join lateral (
          select from internal_accounts i
          where i.platform_id = of_platform and i.id = t.debit and i.type = 'EMBEDDED_WALLET' limit 1) w
        left join lateral (
          select true as known from wallet_activities a
          where a.platform_id = of_platform and a.transfer_id = t.id and a.account_id = t.debit
            and a.credit_account_id = t.credit and a.amount = t.amount and a.currency = t.currency limit 1) a on true
        where a.known is null) into is_unproven;
      if is_unproven then
        raise exception 'a transfer out of an embedded wallet needs the signer' using errcode = 'restrict_violation';
      end if;
    end loop;
    return null;
  end $$`;

/** What `distribute` would do, a line for each step. */
export function describeDistribution({ tables, functions, homeless }: Distribution): string[] {
  return [
    ...functions.map((signature) => `function ${signature}: on every node`),
    ...tables.map(({ table, column }) => (column ? `table ${table}: distributed by ${column}` : `table ${table}: a copy on every node`)),
    ...homeless.map((table) => `table ${table}: has no platform_id and cannot be distributed`),
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
  await session.query(FUNCTIONS);
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
