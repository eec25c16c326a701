// The table of commands: loaded once, found by words, with suggestions for words that are none.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandOperation, OperationTable, Schema } from './operations.js';
import { projectRoot } from './root.js';

/** What commands, help and completion ask of the table. */
export type Table = {
  readonly version: string;
  readonly commands: readonly string[];
  operation(command: string): CommandOperation | undefined;
  schema(name: string): Schema | undefined;
};

export const tableFrom = ({ version, operations, schemas }: OperationTable): Table => ({
  version,
  commands: operations.map(({ command }) => command),
  operation: (wanted) => operations.find(({ command }) => command === wanted),
  schema: (name) => schemas[name],
});

/**
 * The table of this version, beside the compiled code. It has a line for each operation and each schema, and only the lines that a
 * command needs are parsed: parsing all of them takes a third of the time that Node takes to start.
 */
export function loadTable(): Table {
  let read: string | undefined;
  const all = (): string => {
    read ??= readFileSync(join(projectRoot, 'dist/client/generated/operations.json'), 'utf8');
    return read;
  };
  const commandAt = '","command":"';
  /** The JSON of the line that holds the mark, from `from` on. */
  const lineOf = <T>(mark: string, from: (at: number) => number): T | undefined => {
    const text = all();
    const at = text.indexOf(mark);
    if (at < 0) return undefined;
    const end = text.indexOf('\n', at + 1);
    return JSON.parse(text.slice(from(at), text[end - 1] === ',' ? end - 1 : end)) as T;
  };
  return {
    get version() {
      return /^\{"version":"([^"]*)"/.exec(all())?.[1] ?? '';
    },
    get commands() {
      return all()
        .split(commandAt)
        .slice(1)
        .map((rest) => rest.slice(0, rest.indexOf('"')));
    },
    operation: (command) => lineOf(`${commandAt}${command}"`, (at) => all().lastIndexOf('\n', at) + 1),
    schema: (name) => lineOf(`\n"${name}":`, (at) => at + name.length + 4),
  };
}

/** Short forms of the words that are typed most. */
const SHORT: readonly (readonly [short: string, whole: string])[] = [
  ['events', 'webhooks events'],
  ['clock', 'sandbox clock'],
  ['fixtures', 'sandbox fixtures'],
  ['keys', 'auth delegated-keys'],
  ['simulate', 'sandbox cards simulate'],
];

export function expand(words: readonly string[]): string[] {
  const [first, ...rest] = words;
  const whole = SHORT.find(([short]) => short === first)?.[1];
  return whole === undefined ? [...words] : [...whole.split(' '), ...rest];
}

/** The operation that the first words name, and the words after them. The longest name wins. */
export function findOperation(
  table: Table,
  words: readonly string[],
): { readonly operation: CommandOperation; readonly rest: readonly string[] } | undefined {
  for (let count = words.length; count > 0; count -= 1) {
    const operation = table.operation(words.slice(0, count).join(' '));
    if (operation) return { operation, rest: words.slice(count) };
  }
  return undefined;
}

export const childrenOf = (table: Table, words: readonly string[]): CommandOperation[] => {
  const prefix = words.length === 0 ? '' : `${words.join(' ')} `;
  return table.commands.filter((command) => command.startsWith(prefix)).map((command) => table.operation(command) as CommandOperation);
};

/** The next words that are possible after these. */
export const nextWords = (commands: readonly string[], words: readonly string[]): string[] => {
  const prefix = words.length === 0 ? '' : `${words.join(' ')} `;
  const next = commands
    .filter((command) => command.startsWith(prefix))
    .map((command) => command.slice(prefix.length).split(' ')[0] as string);
  return [...new Set(next)].sort();
};

/** The candidate that differs least, if it differs little. */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  const scored = candidates.map((candidate) => ({ candidate, cost: distance(word, candidate) })).sort((a, b) => a.cost - b.cost);
  const best = scored[0];
  return best && best.cost <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

/** Insertions, deletions, substitutions and swaps of neighbours from one word to the other. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const above = rows[i - 1] as number[];
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, (above[j - 1] as number) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, ((rows[i - 2] as number[])[j - 2] as number) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return (rows[a.length] as number[])[b.length] as number;
}

export const pathParameters = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** `maxSpendPerDay` as a flag, each part of a nested name by itself: `merchant.descriptor`. */
export const flagName = (field: string): string =>
  field
    .split('.')
    .map((part) => part.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase())
    .join('.');

export type Flag = {
  /** As typed, without dashes: `merchant.descriptor`. */
  readonly name: string;
  /** Where the value goes. */
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly required: boolean;
};

/** Follows a reference into the table. */
export const schemaAt = (table: Table, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : { ...table.schema(schema.$ref), ...(schema.description ? { description: schema.description } : {}) };

/** Deep enough for every body of the API, and an end for one that holds itself. */
const DEEPEST = 5;

/** A flag for every member of a request, members of members with a dot. The variants of a union give the flags of all of them. */
export function flagsOf(table: Table, source: Schema | undefined, path: readonly string[] = [], isNeeded = true): Flag[] {
  if (!source || path.length > DEEPEST) return [];
  const schema = schemaAt(table, source);
  const flags = new Map<string, Flag>();
  const add = (found: readonly Flag[]) => {
    for (const flag of found) {
      const known = flags.get(flag.name);
      flags.set(flag.name, known ? merged(known, flag) : flag);
    }
  };
  for (const [member, of] of Object.entries(schema.properties ?? {})) {
    const required = isNeeded && (schema.required?.includes(member) ?? false);
    const at = [...path, member];
    const inner = schemaAt(table, of);
    if (isNested(table, inner)) add(flagsOf(table, inner, at, required));
    else add([{ name: flagName(at.join('.')), path: at, schema: inner, required }]);
  }
  for (const part of schema.allOf ?? []) add(flagsOf(table, part, path, isNeeded));
  const discriminator = schema.discriminator?.propertyName;
  for (const part of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])])
    add(flagsOf(table, part, path, false).map((flag) => (flag.path.at(-1) === discriminator ? { ...flag, required: isNeeded } : flag)));
  return [...flags.values()];
}

const isNested = (table: Table, schema: Schema): boolean =>
  Object.keys(schema.properties ?? {}).length > 0 ||
  [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].some((part) => isNested(table, schemaAt(table, part)));

/** Two variants with the same member: both choices are possible. */
function merged(one: Flag, other: Flag): Flag {
  const choices = [...new Set([...(one.schema.enum ?? []), ...(other.schema.enum ?? [])])];
  const isChoice = one.schema.enum !== undefined && other.schema.enum !== undefined;
  return { ...one, schema: isChoice ? { ...one.schema, enum: choices } : one.schema, required: one.required && other.required };
}
