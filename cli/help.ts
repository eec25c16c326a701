// Help, from the table: the groups, the commands of a group, and one command with its flags.
import { GLOBAL } from './arguments.js';
import type { CommandOperation, Schema } from './operations.js';
import { grid } from './show.js';
import { flagsOf, pathParameters, type Table } from './table.js';

/** A command that is written by hand. */
export type OwnCommand = { readonly command: string; readonly summary: string; readonly usage: string };

const FIRST = `Switchyard on the command line: every operation of the API is a command.

  switchyard <noun…> <verb> [id…] [--field value…]
`;

export function overview(table: Table, own: readonly OwnCommand[]): string {
  const nouns = new Map<string, Set<string>>();
  for (const command of table.commands) {
    const [noun = '', ...rest] = command.split(' ');
    nouns.set(noun, (nouns.get(noun) ?? new Set()).add(rest[0] ?? ''));
  }
  const rows = [...nouns].map(([noun, words]) => [`  ${noun}`, [...words].join(' ')]);
  return [
    FIRST,
    'Operations:',
    grid(rows, 140),
    '',
    'Tools:',
    grid(own.map(({ command, summary }) => [`  ${command}`, summary])),
    '',
    'Short forms: events = webhooks events, clock = sandbox clock, keys = auth delegated-keys, simulate = sandbox cards simulate.',
    'More: `switchyard <noun> --help`, `switchyard <command> --help`. `switchyard --help --all` shows the flags of every command.',
  ].join('\n');
}

export const globalFlags = (): string =>
  grid(Object.entries(GLOBAL).map(([name, { value, help }]) => [`  --${name}${value ? ` ${value}` : ''}`, help]));

export const groupHelp = (operations: readonly CommandOperation[]): string =>
  grid(operations.map((operation) => [`  switchyard ${operation.command}${idsOf(operation)}`, operation.summary]));

const idsOf = ({ path }: CommandOperation): string =>
  pathParameters(path)
    .map((name) => ` ${name.toUpperCase()}`)
    .join('');

/** More choices are named in the document. */
const MOST_CHOICES = 12;

function valueText(schema: Schema): string {
  if (schema.enum) return schema.enum.length > MOST_CHOICES ? `${schema.enum.slice(0, MOST_CHOICES).join('|')}|…` : schema.enum.join('|');
  if (schema.const !== undefined) return String(schema.const);
  const types = [schema.type].flat();
  const nullable = types.includes('null') ? '|null' : '';
  if (schema.format === 'binary') return 'FILE';
  if (schema.format === 'date-time') return `TIME|2h${nullable}`;
  if (types.includes('array')) return `${valueText(schema.items ?? {})} (repeats)`;
  if (types.includes('integer') || types.includes('number')) return `NUMBER${nullable}`;
  if (types.includes('boolean')) return 'true|false';
  if (types.includes('object')) return 'JSON';
  return `TEXT${nullable}`;
}

/** As the pages of the reference are named. */
const slugOf = (tag: string): string =>
  tag
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

export function operationHelp(table: Table, operation: CommandOperation, docsUrl: string | undefined): string {
  const flags = [...flagsOf(table, operation.query), ...flagsOf(table, operation.body)];
  const sorted = [...flags.filter(({ required }) => required), ...flags.filter(({ required }) => !required)];
  const rows = sorted.map(({ name, schema, required }) => [
    `  --${name} ${valueText(schema)}`,
    `${required ? 'required. ' : ''}${(schema.description ?? '').split('\n')[0]}${schema.default === undefined ? '' : ` Default ${schema.default}.`}`,
  ]);
  const facts = [
    operation.signed ? 'The end user signs: --session FILE signs every leg.' : '',
    operation.key ? `Takes an idempotency key${operation.key === 'required' ? '' : ' (optional)'}; one is made for each call.` : '',
  ].filter((fact) => fact !== '');
  return [
    operation.summary,
    ...(operation.description ? ['', operation.description] : []),
    '',
    `  switchyard ${operation.command}${idsOf(operation)}${flags.length > 0 ? ' [--field value…]' : ''}`,
    ...(rows.length > 0 ? ['', widthOf(rows)] : []),
    ...(operation.body && !operation.multipart ? ['', '  -d JSON|@FILE|-   the whole body'] : []),
    ...(facts.length > 0 ? ['', ...facts] : []),
    '',
    `${operation.method} ${operation.path}  needs ${operation.permission}${docsUrl ? `  docs: ${docsUrl}/${slugOf(operation.tag)}#${operation.id}` : ''}`,
  ].join('\n');
}

/** A long flag stands on a line of its own, so that the texts begin at one column. It makes that column no wider. */
function widthOf(rows: readonly (readonly string[])[]): string {
  const LIMIT = 52;
  const width = Math.max(0, ...rows.map(([flag = '']) => flag.length).filter((length) => length <= LIMIT)) + 2;
  return rows
    .map(([flag = '', text = '']) => {
      if (text === '') return flag;
      return flag.length > LIMIT ? `${flag}\n${' '.repeat(width)}${text}` : flag.padEnd(width) + text;
    })
    .join('\n');
}
