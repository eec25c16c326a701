// Many rows in one statement: a list for each column.
import { binaryList, type ElementOf, type ListType } from './lists.js';
import { Sql, sql } from './sql.js';

/** Columns with their PostgreSQL types, in the order in which `t.*` shows them. */
export type Columns = Readonly<Record<string, ListType>>;

type Row<Shape extends Columns> = { readonly [Name in keyof Shape]: ElementOf<Shape[Name]> | null };

type Head = { readonly text: string; readonly columns: readonly (readonly [name: string, type: ListType])[] };
const heads = new WeakMap<Columns, Head>();

/**
 * The rows as a table `t` of the given columns, for `from`. Row n takes element n of each list, which costs PostgreSQL less than `unnest`,
 * which makes a table of each list, and much less than to read JSON. A column of type `json` or `jsonb` takes any value that JSON can hold;
 * null is the null of SQL in every column.
 */
export function records<Shape extends Columns>(columns: Shape, rows: readonly Row<Shape>[]): Sql {
  const head = heads.get(columns) ?? headOf(columns);
  const values: unknown[] = head.columns.map(([name, type]) =>
    binaryList(
      type,
      rows.map((row) => row[name]),
    ),
  );
  values.push(rows.length);
  return new Sql(head.text, values);
}

function headOf(shape: Columns): Head {
  const columns = Object.entries(shape);
  const expressions = columns.map(([name, type], i) => `($${i + 1}::${type}[])[n] as ${name}`);
  const head = { text: `(select ${expressions.join(', ')} from generate_series(1, $${columns.length + 1}::int) n) t`, columns };
  heads.set(shape, head);
  return head;
}

/**
 * The values of one column for an update of the rows `id = any(ids)`. The primary key finds these rows in one scan, whatever the statistics
 * say; an update that joins a list may read all rows of the platform instead. A subscript that is the whole value of a column ends the server
 * process of a coordinator of Citus 13.2; inside `coalesce` it is not the whole.
 */
export const valueById = (ids: readonly string[], values: readonly unknown[], type: 'bigint' | 'date' | 'text' | 'timestamptz'): Sql =>
  sql`coalesce((${values}::${new Sql(type, [])}[])[array_position(${ids}::uuid[], id)], null)`;
