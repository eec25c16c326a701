// The words after a command: ids, flags of every command, and flags that become the query and the body.
import { readFileSync } from 'node:fs';
import { usage } from './exit.js';
import type { Upload } from './form.js';
import type { CommandOperation, Schema } from './operations.js';
import { type Flag, flagsOf, pathParameters, suggest, type Table } from './table.js';

/** Flags of every command; those with a value name it. */
export const GLOBAL: Readonly<Record<string, { readonly value?: string; readonly help: string; readonly repeats?: true }>> = {
  help: { help: 'show this' },
  json: { help: 'print JSON, also on a terminal' },
  'no-json': { help: 'print text, also into a pipe' },
  'jq-path': { value: 'a.b.0', help: 'print only this member of the answer' },
  all: { help: 'every page of a list' },
  columns: { value: 'a,b', help: 'columns of a table' },
  url: { value: 'URL', help: 'base URL of the service' },
  token: { value: 'ID:SECRET', help: 'API token; better in the environment' },
  profile: { value: 'NAME', help: 'stored URL and token' },
  spec: { value: 'URL', help: 'read the commands from the document of a service of another version' },
  'idempotency-key': { value: 'KEY', help: 'repeats with the same key are executed once' },
  session: { value: 'FILE', help: 'session of `switchyard sign in` that signs what the operation asks for' },
  header: { value: 'NAME: VALUE', help: 'a further header', repeats: true },
  'dry-run': { help: 'print the request as curl, send nothing' },
  yes: { help: 'do not ask before something is deleted' },
  verbose: { help: 'print the exchange on standard error' },
  version: { help: 'print the version' },
};

export type Parsed = {
  readonly words: readonly string[];
  /** Flags as typed, in order. A flag without a value has `true`. */
  readonly flags: readonly { readonly name: string; readonly value: string | true }[];
};

/** Splits words from flags. `takesValue` says of a flag whether the next word belongs to it. */
export function split(args: readonly string[], takesValue: (name: string, next: string | undefined) => boolean): Parsed {
  const words: string[] = [];
  const flags: { name: string; value: string | true }[] = [];
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] as string;
    if (arg === '--') {
      words.push(...args.slice(i + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-' || /^-\d/.test(arg)) words.push(arg);
    else {
      const [, short, long, inline] = /^(?:-(\w)|--([^=]+))(?:=([\s\S]*))?$/.exec(arg) ?? [];
      const name =
        long ?? ({ d: 'data', h: 'help', q: 'jq-path', y: 'yes', v: 'verbose' } as Record<string, string>)[short ?? ''] ?? short ?? '';
      if (name === '') throw usage(`cannot read ${arg}`);
      if (inline !== undefined) flags.push({ name, value: inline });
      else if (i + 1 < args.length && takesValue(name, args[i + 1])) {
        i += 1;
        flags.push({ name, value: args[i] as string });
      } else flags.push({ name, value: true });
    }
  }
  return { words, flags };
}

/** Before the command is known: only flags that never take a value leave the next word alone. */
export const takesGlobalValue = (name: string): boolean => GLOBAL[name] === undefined || GLOBAL[name].value !== undefined;

export type Globals = { readonly [name: string]: string | true | readonly string[] | undefined };

export function globalsOf({ flags }: Parsed): Globals {
  const found: Record<string, string | true | string[]> = {};
  for (const { name, value } of flags) {
    const known = GLOBAL[name];
    if (!known) continue;
    if (known.value === undefined && value !== true && value !== 'true') throw usage(`--${name} takes no value`);
    if (known.value !== undefined && value === true) throw usage(`--${name} needs a value`);
    if (known.repeats) found[name] = [...((found[name] as string[] | undefined) ?? []), String(value)];
    else found[name] = value;
  }
  return found;
}

export type Request = {
  readonly ids: readonly string[];
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown> | undefined;
  /** Flags of this operation that were given, for messages. */
  readonly given: readonly string[];
};

type Given = { readonly flag: Flag; readonly value: string | true };

/** Reads ids, query and body of an operation. `at` resolves a time that is given as a duration ago. */
export function requestOf(
  table: Table,
  operation: CommandOperation,
  parsed: Parsed,
  ids: readonly string[],
  ago: (text: string) => string,
): Request {
  const names = pathParameters(operation.path);
  if (ids.length !== names.length) {
    const missing = names.slice(ids.length).map((name) => name.toUpperCase());
    throw usage(missing.length > 0 ? `missing: ${missing.join(' ')}` : `not expected: ${ids.slice(names.length).join(' ')}`);
  }
  const queryFlags = flagsOf(table, operation.query);
  const bodyFlags = flagsOf(table, operation.body);
  const query: Record<string, unknown> = {};
  let body = dataOf(parsed, operation);
  for (const { name, value } of parsed.flags) {
    if (GLOBAL[name] || name === 'data') continue;
    const inQuery = queryFlags.find((flag) => flag.name === name);
    const inBody = bodyFlags.find((flag) => flag.name === name) ?? openFlag(table, operation, name);
    if (inQuery) assign(query, { flag: inQuery, value }, ago, inQuery.schema);
    else if (inBody) {
      body ??= {};
      assign(body, { flag: inBody, value }, ago, inBody.schema, operation.multipart);
    } else throw unknownFlag(name, [...queryFlags, ...bodyFlags]);
  }
  return { ids, query, body: body ?? (operation.bodyRequired ? {} : undefined), given: parsed.flags.map(({ name }) => name) };
}

function unknownFlag(name: string, flags: readonly Flag[]) {
  const near = suggest(name, [...flags.map((flag) => flag.name), ...Object.keys(GLOBAL)]);
  return usage(`unknown flag --${name}.${near ? ` Did you mean --${near}?` : ''}`);
}

/** A member that is an object of any shape, given whole as JSON or by members: `--details.note x`. */
function openFlag(table: Table, operation: CommandOperation, name: string): Flag | undefined {
  const path = name.split('.').map(camel);
  const nested = flagsOf(table, operation.body).filter((flag) => flag.name.startsWith(`${name}.`));
  if (nested.length > 0) return { name, path, schema: { type: 'object' }, required: false };
  const parent = flagsOf(table, operation.body).find((flag) => name.startsWith(`${flag.name}.`) && typeIncludes(flag.schema, 'object'));
  return parent ? { name, path, schema: {}, required: false } : undefined;
}

const camel = (part: string): string => part.replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());

function dataOf({ flags }: Parsed, operation: CommandOperation): Record<string, unknown> | undefined {
  const data = flags.findLast(({ name }) => name === 'data')?.value;
  if (data === undefined) return undefined;
  if (data === true) throw usage('-d needs JSON, @file or -');
  if (!operation.body) throw usage(`${operation.command} takes no body`);
  const text = data === '-' ? readFileSync(0, 'utf8') : data.startsWith('@') ? readText(data.slice(1)) : data;
  return json(text, '-d');
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usage(`cannot read ${file}: ${(error as Error).message}`);
  }
}

function json(text: string, flag: string) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`${flag} is no JSON: ${(error as Error).message}`);
  }
}

const typeIncludes = (schema: Schema, type: string): boolean => [schema.type].flat().includes(type);

function assign(
  target: Record<string, unknown>,
  { flag, value }: Given,
  ago: (text: string) => string,
  schema: Schema,
  isForm = false,
): void {
  let place = target;
  for (const part of flag.path.slice(0, -1)) {
    place[part] ??= {};
    place = place[part] as Record<string, unknown>;
  }
  const name = flag.path.at(-1) as string;
  if (typeIncludes(schema, 'array') && !(typeof value === 'string' && value.startsWith('['))) {
    const items = (place[name] as unknown[] | undefined) ?? [];
    items.push(convert(flag.name, value, schema.items ?? {}, ago));
    place[name] = items;
  } else if (isForm && schema.format === 'binary') place[name] = readFile(String(value));
  else place[name] = convert(flag.name, value, schema, ago);
}

/** A file of a form, with its name. */
function readFile(text: string): Upload {
  const path = text.replace(/^@/, '');
  const type = TYPES[path.replace(/^.*\./, '').toLowerCase()] ?? 'application/octet-stream';
  try {
    return { name: path.replace(/^.*\//, ''), path, type, bytes: readFileSync(path) };
  } catch (error) {
    throw usage(`cannot read ${path}: ${(error as Error).message}`);
  }
}

const TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  csv: 'text/csv',
};

const isAgo = (text: string): boolean => /^\d+(?:ms|s|m|h|d|w)$/.test(text);

function convert(flag: string, value: string | true, schema: Schema, ago: (text: string) => string): unknown {
  if (value === true) {
    if (typeIncludes(schema, 'boolean')) return true;
    throw usage(`--${flag} needs a value`);
  }
  if (value === 'null' && (typeIncludes(schema, 'null') || schema.enum?.includes(null))) return null;
  if (typeIncludes(schema, 'boolean') && (value === 'true' || value === 'false')) return value === 'true';
  if (typeIncludes(schema, 'integer') || typeIncludes(schema, 'number')) {
    const number = Number(value);
    if (value.trim() === '' || Number.isNaN(number)) throw usage(`--${flag} must be a number, not ${value}`);
    return number;
  }
  if (typeIncludes(schema, 'object') || typeIncludes(schema, 'array')) return json(value, `--${flag}`);
  if (schema.format === 'date-time' && isAgo(value)) return ago(value);
  return value;
}

/** Whether a flag takes the next word, once the operation is known. */
export function takesValueOf(table: Table, operation: CommandOperation): (name: string, next: string | undefined) => boolean {
  const booleans = new Set(
    [...flagsOf(table, operation.query), ...flagsOf(table, operation.body)]
      .filter(({ schema }) => typeIncludes(schema, 'boolean'))
      .map(({ name }) => name),
  );
  return (name, next) => (booleans.has(name) ? next === 'true' || next === 'false' : takesGlobalValue(name));
}
