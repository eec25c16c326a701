// What a command prints: JSON for programs, tables and records for people.
import { styleText } from 'node:util';

export type Output = {
  /** Text for people; false: JSON. */
  readonly isText: boolean;
  readonly colour: boolean;
  /** Columns of the terminal; unbounded into a pipe. */
  readonly width: number;
  write(text: string): void;
};

// biome-ignore lint/suspicious/noExplicitAny: answers are read by name.
type Loose = any;

export const shortId = (text: string): string =>
  text.replaceAll(/([A-Z]\w+:)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{6}([0-9a-f]{6})/g, '$1…$2');

const isMoney = (value: Loose): boolean => typeof value?.amount === 'number' && typeof value?.currency?.code === 'string';

/** Minor units with the decimals of the currency, by digits and not by division. */
export function money({
  amount,
  currency: { code, decimals = 2 },
}: {
  amount: number;
  currency: { code: string; decimals?: number };
}): string {
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const whole = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return `${amount < 0 ? '-' : ''}${whole} ${code}`;
}

/** What a terminal would obey: a name that somebody chose must not move the cursor or change what was printed before. */
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
export const harmless = (text: string): string =>
  text.replaceAll(CONTROL, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const cell = (value: Loose): string => harmless(cellText(value));

const cellText = (value: Loose): string => {
  if (value === null || value === undefined) return '';
  if (isMoney(value)) return money(value);
  if (Array.isArray(value)) return value.every((item) => typeof item !== 'object') ? value.join(' ') : `${value.length} items`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const isScalar = (value: Loose): boolean => value !== null && (typeof value !== 'object' || isMoney(value));

/** What people look for first. Each takes the first members that fit. */
const WANTED: readonly { readonly fits: RegExp; readonly most: number }[] = [
  { fits: /^(id|job|key)$/, most: 1 },
  { fits: /(^|[a-z])(fullName|nickname|legalName|name|descriptor)$/i, most: 1 },
  { fits: /^(type|customerType|documentType|accountType)$/, most: 1 },
  { fits: /status$/i, most: 2 },
  { fits: /^(balance|amount|authorizedAmount|sentAmount|receivedAmount|availableBalance)$/, most: 2 },
  { fits: /^(createdAt|timestamp|expiresAt)$/, most: 1 },
];
const MOST_COLUMNS = 6;

export function columnsOf(rows: readonly Loose[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => isScalar(row[name]))))];
  const chosen = WANTED.flatMap(({ fits, most }) => names.filter((name) => fits.test(name)).slice(0, most));
  const others = names.filter((name) => !chosen.includes(name));
  const times = chosen.filter((name) => /At$|^timestamp$/.test(name));
  const rest = chosen.filter((name) => !times.includes(name));
  return [...rest, ...(rest.length < 3 ? others.slice(0, 3 - rest.length) : []), ...times].slice(0, MOST_COLUMNS);
}

export const valueAt = (value: Loose, path: string): Loose => path.split('.').reduce((node, part) => node?.[part], value);

/** Columns two spaces apart. The last one is cut at the edge of a terminal. */
export function grid(rows: readonly (readonly string[])[], width = Number.POSITIVE_INFINITY): string {
  // Not spread: a list may have more rows than a function takes arguments.
  const widths = (rows[0] ?? []).map((_, column) => rows.reduce((most, row) => Math.max(most, [...(row[column] ?? '')].length), 0));
  return rows
    .map((row) => {
      const line = row
        .map((text, column) => (column === row.length - 1 ? text : text + ' '.repeat((widths[column] as number) - [...text].length)))
        .join('  ')
        .trimEnd();
      return [...line].length > width ? `${[...line].slice(0, Math.max(1, width - 1)).join('')}…` : line;
    })
    .join('\n');
}

export function table(rows: readonly Loose[], { columns, width }: { columns?: readonly string[] | undefined; width: number }): string {
  const names = columns ?? columnsOf(rows);
  // A row is one line.
  const text = (row: Loose, name: string) => cell(valueAt(row, name)).replaceAll('\n', ' ');
  const body = rows.map((row) => names.map((name) => (name === 'id' ? text(row, name) : shortId(text(row, name)))));
  return grid([names.map((name) => name), ...body], width);
}

/** A record's members, those of members with a dot. */
export function entriesOf(value: Loose, path = ''): [string, string][] {
  return Object.entries<Loose>(value).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    if (Array.isArray(member) && member.length > 0 && member.every((item) => item && typeof item === 'object' && !isMoney(item)))
      return member.flatMap((item, i) => entriesOf(item, `${at}.${i}`));
    if (member && typeof member === 'object' && !Array.isArray(member) && !isMoney(member)) return entriesOf(member, at);
    const text = cell(member);
    return text === '' ? [] : [[at, text]];
  });
}

/** Long texts, such as keys and bundles, would hide the rest. */
const LONGEST = 160;
export const record = (value: Loose, width: number): string =>
  grid(
    entriesOf(value).map(([name, text]) => [
      name,
      text.length > LONGEST && width !== Number.POSITIVE_INFINITY ? `${text.slice(0, LONGEST)}…` : text.replaceAll('\n', '\n    '),
    ]),
    width === Number.POSITIVE_INFINITY ? width : Math.max(width, LONGEST + 40),
  );

/** What a change changed: `status  ACTIVE → FROZEN`. */
export function changes(before: Loose, after: Loose): string {
  const [old, now] = [new Map(entriesOf(before)), new Map(entriesOf(after))];
  const names = [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => !/^(updatedAt|version)$/.test(name) && old.get(name) !== now.get(name),
  );
  return grid(names.map((name) => [name, `${old.get(name) ?? 'none'} → ${now.get(name) ?? 'none'}`]));
}

/** An answer as the caller wants it. */
export function show(
  output: Output,
  answer: Loose,
  { path, columns }: { path?: string | undefined; columns?: string | undefined } = {},
): void {
  if (answer === undefined) return;
  const value = path === undefined ? answer : valueAt(answer, path);
  output.write(
    path !== undefined && (typeof value !== 'object' || value === null) ? String(value ?? '') : rendered(output, value, columns),
  );
}

function rendered(output: Output, value: Loose, columns: string | undefined): string {
  if (typeof value === 'string') return value;
  if (!output.isText) return JSON.stringify(value);
  const rows = Array.isArray(value) ? value : Array.isArray(value?.data) ? value.data : undefined;
  if (!rows) return record(value, output.width);
  if (rows.length === 0) return 'none';
  if (rows.some((row: Loose) => typeof row !== 'object')) return rows.map(cell).join('\n');
  return paintHead(output, table(rows, { columns: columns?.split(','), width: output.width }));
}

function paintHead({ colour }: Output, text: string): string {
  if (!colour) return text;
  const [head = '', ...rows] = text.split('\n');
  return [styleText('dim', head), ...rows].join('\n');
}

export const paint = ({ colour }: Output, style: Parameters<typeof styleText>[0], text: string): string =>
  colour ? styleText(style, text) : text;
