// Many rows in one parameter: half the work of a list per column for this process, and the same for PostgreSQL.
import { momentText } from './moment.js';
import { Sql } from './sql.js';

/** Whole numbers travel as text, so that no digit is lost. */
type Value = string | number | boolean | null | bigint | Date | Readonly<Record<string, unknown>> | readonly unknown[];

/** Columns with their PostgreSQL types, in the order in which `t.*` shows them. */
export type Columns = Readonly<Record<string, string>>;

const heads = new WeakMap<Columns, string>();

/**
 * The rows as a table `t` of the given columns, for `from`. A column of type `json` or `jsonb` takes any value that JSON can hold; every
 * other column takes a text, number, boolean, time or null.
 */
export function records<Shape extends Columns>(columns: Shape, rows: readonly Readonly<Record<keyof Shape, Value>>[]): Sql {
  let head = heads.get(columns);
  if (head === undefined) {
    head = `json_to_recordset($1::json) as t(${Object.entries(columns)
      .map(([name, type]) => `${name} ${type}`)
      .join(', ')})`;
    heads.set(columns, head);
  }
  return new Sql(head, [JSON.stringify(rows.map(plainRow))]);
}

/** Most rows hold only what JSON can hold, and are taken as they are. */
function plainRow(row: Readonly<Record<string, Value>>): Readonly<Record<string, unknown>> {
  let plain: Record<string, unknown> | undefined;
  for (const name in row) {
    const value = row[name];
    if (typeof value !== 'bigint' && !(value instanceof Date)) continue;
    plain ??= { ...row };
    plain[name] = typeof value === 'bigint' ? value.toString() : momentText(value);
  }
  return plain ?? row;
}
