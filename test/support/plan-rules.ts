// Whether a plan reads few rows, judged by its form alone: the planner's estimates play no part.
import type pg from 'pg';

export type ScanNode = {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly ScanNode[];
};

/** The columns or expressions of each index of the schema, in order. */
export type Indexes = ReadonlyMap<string, readonly string[]>;

export async function readIndexes(client: pg.Client): Promise<Indexes> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    select c.relname as name, array_agg(pg_get_indexdef(i.indexrelid, k, true) order by k) as columns
    from pg_index i join pg_class c on c.oid = i.indexrelid cross join generate_series(1, i.indnkeyatts) k
    where c.relnamespace = 'public'::regnamespace group by c.relname`);
  return new Map(rows.map(({ name, columns }) => [name, columns.map(plain)]));
}

/** Columns that many rows of a platform share: to name one of them finds no few rows. */
const COARSE =
  /^(platform_id|\w*status|\w*type|kind|purpose|currency|region|channel|direction|factor|state|failures|\w+_environment|provider|is_\w+|currencies|document_type|name)$/;

/** A text of SQL without casts, quotes and brackets, which PostgreSQL sets as it likes. */
const plain = (text: string): string => text.replaceAll(/::\w+(\[\])?|[()"]|COLLATE \w+|collate \w+|\s/g, '');

/** A row that is not deleted. Few rows of a platform are. */
const NOT_ENDED = /COALESCE\(\w+, 'infinity'::[\w ]+\) = 'infinity'::[\w ]+/g;

/** What a condition compares by `=`. */
const comparedBy = (condition: string): Set<string> => {
  const parts = condition.replaceAll(NOT_ENDED, '').split(/ AND | OR /);
  return new Set(parts.flatMap((part) => (/ = /.test(part) ? [plain(part.split(' = ')[0] ?? '')] : [])));
};

/** The index condition names all columns up to one that few rows share. The columns behind a gap narrow nothing down. */
function isByKey(columns: readonly string[], condition: string): boolean {
  const compared = comparedBy(condition);
  for (const column of columns) {
    if (!compared.has(column)) return false;
    if (!COARSE.test(column)) return true;
  }
  return false;
}

/** Nodes that read all that is below them before they answer. */
const GATHERS = new Set(['Sort', 'Aggregate', 'Hash', 'Materialize', 'WindowAgg', 'SetOp', 'Unique', 'Group']);

/**
 * The scans of a plan that may read all rows of a platform, of those tables that `isChecked`. A scan reads few rows if its index condition
 * holds a key; or if it goes along an index, a limit ends it, and its filter compares nothing that few rows share.
 */
export function wideScans(node: ScanNode, indexes: Indexes, isChecked: (table: string) => boolean, limited = false): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, Filter: filter = '', Plans: below = [] } = node;
  if (table !== undefined && type !== 'ModifyTable') {
    if (!isChecked(table)) return [];
    const scans = type === 'Bitmap Heap Scan' ? bitmapScans(node) : [node];
    const isKeyed = scans.every((scan) => isByKey(indexes.get(scan['Index Name'] ?? '') ?? [], scan['Index Cond'] ?? ''));
    const isPaged =
      limited && index !== undefined && [...comparedBy(filter)].every((column) => COARSE.test(column) || column.startsWith('$'));
    if (isKeyed || isPaged) return [];
    return [`${type} of ${table} by ${index ?? 'no index'}, condition ${node['Index Cond'] ?? 'none'}, filter ${filter || 'none'}`];
  }
  return below.flatMap((child) => {
    const relation = child['Parent Relationship'];
    const startsAnew = relation === 'InitPlan' || relation === 'SubPlan' || relation === 'Inner' || GATHERS.has(type);
    return wideScans(child, indexes, isChecked, type === 'Limit' || (limited && !startsAnew));
  });
}

const bitmapScans = (node: ScanNode): ScanNode[] =>
  (node.Plans ?? []).flatMap((child) => (child['Node Type'] === 'Bitmap Index Scan' ? [child] : bitmapScans(child)));
