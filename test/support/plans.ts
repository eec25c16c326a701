// Query plans of the statements that the service sends.
import pg from 'pg';

export type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
};

/** How a plan reads each table: by which columns of which index. The order of the joins does not matter when each is by key. */
export function accessesOf({
  'Node Type': type,
  'Relation Name': table,
  'Index Name': index,
  'Index Cond': condition = '',
  Plans = [],
}: PlanNode): string[] {
  const below = Plans.flatMap(accessesOf);
  if (table === undefined || type === 'ModifyTable') return below;
  const columns = [...new Set([...condition.matchAll(/\b(\w+) = /g)].map(([, column]) => column))].sort();
  return [...below, index === undefined ? `${type} of ${table}` : `${table} by ${columns.join(', ') || 'nothing'}`];
}

/** How the generic plan of a statement reads its tables, as the service would cache it now. */
export async function genericAccesses(client: pg.Client, text: string): Promise<string[]> {
  await client.query(`prepare planned as ${text}`);
  try {
    const { rows } = await client.query<{ parameters: number }>(
      `select cardinality(parameter_types) as parameters from pg_prepared_statements where name = 'planned'`,
    );
    const nulls = Array.from({ length: rows[0]?.parameters ?? 0 }, () => 'null').join(', ');
    const plan = await client.query(`explain (format json, costs off) execute planned${nulls ? `(${nulls})` : ''}`);
    return accessesOf(plan.rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.query('deallocate planned');
  }
}

/** Calls `note` with each named statement that any connection of this process sends. Returns the end of it. */
export function watchStatements(note: (text: string, client: pg.Client) => void, onQuery?: (query: unknown, client: pg.Client) => void) {
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [query] = given;
    onQuery?.(query, this);
    if (typeof query === 'object' && query !== null && 'name' in query && 'text' in query) note(String(query.text), this);
    return Reflect.apply(original, this, given);
  } as typeof original;
  return () => {
    pg.Client.prototype.query = original;
  };
}
