// The `sql` tag: text with numbered parameters. Fragments nest; every value is a parameter, never text.
import { timestamp } from '../kernel/time.js';

export class Sql {
  readonly text: string;
  readonly values: readonly unknown[];

  constructor(text: string, values: readonly unknown[]) {
    this.text = text;
    this.values = values;
  }
}

const plainTexts = new WeakMap<TemplateStringsArray, string>();

export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  if (!parts.some((part) => part instanceof Sql)) {
    let text = plainTexts.get(strings);
    if (text === undefined) {
      text = strings.reduce((out, piece, i) => `${out}$${i}${piece}`);
      plainTexts.set(strings, text);
    }
    return new Sql(text, parts);
  }
  const values: unknown[] = [];
  let text = strings[0] ?? '';
  for (const [i, part] of parts.entries()) {
    if (part instanceof Sql) {
      const places = part.values.map((value) => placeOf(values, value));
      text += part.text.replace(/\$(\d+)/g, (_, n: string) => `$${places[Number(n) - 1]}`);
    } else {
      text += `$${placeOf(values, part)}`;
    }
    text += strings[i + 1] ?? '';
  }
  return new Sql(text, values);
}

/** Adds a value and answers its number. A list that several fragments name travels once. */
function placeOf(values: unknown[], value: unknown): number {
  const known = Array.isArray(value) ? values.indexOf(value) : -1;
  return known === -1 ? values.push(value) : known + 1;
}

export const empty = new Sql('', []);

/** A set of JSON texts, one per value. They travel in one text: JSON holds no raw control character, so none has to be escaped in a list. */
export const jsonTexts = (values: readonly unknown[]): Sql =>
  sql`string_to_table(${values.map((value) => JSON.stringify(value)).join('\u0001')}, E'\\x01')`;

/** Joins conditions with `and`; the absent ones (undefined, false) fall out. */
export function allOf(...conditions: (Sql | undefined | false)[]): Sql {
  return conditions.filter((c): c is Sql => c instanceof Sql).reduce((all, next) => sql`${all} and ${next}`);
}

/**
 * That a time is not set, beside a key. No partial index has this condition: with `is null` the planner takes such an index on a table
 * without statistics, and reads every row that the platform has in it.
 */
export const isUnset = (column: Sql): Sql => sql`coalesce(${column}, 'infinity') = 'infinity'`;

/** That a column holds the text, beside a key. Two bounds serve an index as well as `=` does, and imply no condition of a partial index. */
export const isExactly = (column: Sql, text: string): Sql => sql`${column} >= ${text} and ${column} <= ${text}`;

/** The four time filters that lists share; the bounds belong to the range. */
export type TimeFilter = { createdAfter?: string; createdBefore?: string; updatedAfter?: string; updatedBefore?: string };

export const changedBetween = (filter: TimeFilter): (Sql | false)[] => [
  filter.createdAfter !== undefined && sql`created_at >= ${timestamp(filter.createdAfter)}`,
  filter.createdBefore !== undefined && sql`created_at <= ${timestamp(filter.createdBefore)}`,
  filter.updatedAfter !== undefined && sql`updated_at >= ${timestamp(filter.updatedAfter)}`,
  filter.updatedBefore !== undefined && sql`updated_at <= ${timestamp(filter.updatedBefore)}`,
];
