// What the file of a snapshot says: one line about the platform, then lines of rows by table, each value as text. Pure, except for the keys
// that it opens and seals with.
import type { SealedColumn } from '../../db/sealed.js';
import { assert, invalidField } from '../../kernel/errors.js';
import { idOf, type PlatformId, uuidOf } from '../../kernel/ids.js';
import { isJsonObject, parseBounded } from '../../kernel/json.js';
import { isCurrency } from '../../kernel/money.js';
import { isDate, parseTimestamp } from '../../kernel/time.js';
import { moveChunk } from '../../providers/files/files.js';
import type { KeyCustody } from '../../providers/key-custody.js';
import { newCode } from '../identity/invitations/actions.js';
import { allServiceAccountIds } from '../ledger/actions.js';
import { type DataTable, isData } from './platform-data.js';
import { parsed } from './snapshot-file.js';
import { checkStoredJson } from './stored-json-schemas.js';

/** Not part of a file: codes of devices, which open an agent, and sums that are made again from the entries. */
const LEFT_OUT: ReadonlySet<string> = new Set(['agent_device_codes', 'service_day_sums', 'service_sums_progress']);

/** Values that one record of the whole installation may have. Null: a file has none. Otherwise an import makes a new one. */
export const UNIQUE_BEYOND_PLATFORM: Readonly<Record<string, Readonly<Record<string, null | (() => string)>>>> = {
  agents: { token_hash: null },
  invitations: { code: newCode },
};

export const isInFile = (table: Pick<DataTable, 'name'>): boolean => isData(table) && !LEFT_OUT.has(table.name);

/** The platform of a row is the one that it is read into, so no file names it. */
export const fileColumns = ({ columns }: DataTable): string[] => columns.filter((name) => name !== 'platform_id');

/** The values of a row as PostgreSQL writes them. */
export type Cells = (string | null)[];

export type FileHeader = {
  readonly platformId: PlatformId;
  readonly clock: { readonly now: string; readonly frozen: boolean };
  readonly config: unknown;
  /** Up to which position events were delivered. */
  readonly settled: string | null;
};

const refused = (message: string) => invalidField('file', message);

export function parseHeader(line: string): FileHeader {
  const read = parsed(line);
  const { platformId, clock, config, settled } = isJsonObject(read) ? read : {};
  const { now, frozen } = isJsonObject(clock) ? clock : {};
  const isPlatform = typeof platformId === 'string' && UUID.test(platformId);
  const isTime = typeof now === 'string' && TIME.test(now) && !Number.isNaN(Date.parse(now));
  if (
    !isPlatform ||
    !isTime ||
    !isJsonObject(config) ||
    typeof frozen !== 'boolean' ||
    !(settled === null || (typeof settled === 'string' && /^\d{1,18}$/.test(settled)))
  )
    throw refused('does not say which platform, configuration and time it is of');
  return { platformId: idOf('Platform', platformId), clock: { now, frozen }, config, settled };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The years in which a clock may be. */
const TIME = /^(?:19[7-9]\d|[2-8]\d{3})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export type FileRows = { readonly table: DataTable; readonly rows: readonly Cells[] };

/** Rows of a table that this version of the service has in a file, with exactly its columns. */
export function parseRows(line: string, tables: ReadonlyMap<string, DataTable>): FileRows {
  const read = parsed(line);
  const { table: name, columns, rows } = isJsonObject(read) ? read : {};
  const table = typeof name === 'string' ? tables.get(name) : undefined;
  if (!table) throw refused(`has rows of something that is no data of a platform: ${JSON.stringify(name)?.slice(0, 80)}`);
  const expected = fileColumns(table);
  if (!Array.isArray(columns) || columns.join() !== expected.join())
    throw refused(`has other columns of ${table.name} than this version of the service`);
  if (!Array.isArray(rows) || !rows.every((row) => isRow(row, expected.length)))
    throw refused(`has rows of ${table.name} that are not rows`);
  return { table, rows };
}

const isRow = (row: unknown, length: number): row is Cells =>
  Array.isArray(row) && row.length === length && row.every((cell) => cell === null || typeof cell === 'string');

export const renderRows = ({ table, rows }: FileRows): string => JSON.stringify({ table: table.name, columns: fileColumns(table), rows });

/** Rows on their way into a file, or out of it into another platform. */
export type Carry = (rows: FileRows) => readonly Cells[];

/** What is sealed for the installation is opened: the file as a whole is encrypted. What belongs to the installation alone is left out. */
export function rowsForFile(custody: KeyCustody, sealed: readonly SealedColumn[], platformId: PlatformId): Carry {
  return ({ table, rows }) =>
    rows.map((row) => {
      const cells = new Row(table, row);
      for (const [column, replace] of Object.entries(UNIQUE_BEYOND_PLATFORM[table.name] ?? {}))
        if (replace === null) cells.set(column, null);
      for (const { column, context } of sealed.filter((one) => one.table === table.name)) {
        const value = cells.get(column);
        if (value !== null) cells.set(column, bytea(custody.open(bytesOf(value), context(cells.view(platformId)))));
      }
      return cells.cells;
    });
}

/**
 * Rows for the platform `to`: what was opened is sealed again, derived ids become those of this platform, and what one record of the
 * installation may have is new.
 */
export function rowsFromFile(custody: KeyCustody, sealed: readonly SealedColumn[], from: PlatformId, to: PlatformId): Carry {
  const own = allServiceAccountIds(to);
  const derived = new Map(allServiceAccountIds(from).map((id, i) => [id, own[i] as string]));
  const fileKeys = new Map<string, Buffer>();
  return ({ table, rows }) =>
    rows.map((row) => {
      const cells = new Row(
        table,
        row.map((cell) => (cell !== null && cell.length === UUID_LENGTH ? (derived.get(cell) ?? cell) : cell)),
      );
      for (const [column, replace] of Object.entries(UNIQUE_BEYOND_PLATFORM[table.name] ?? {})) cells.set(column, replace?.() ?? null);
      if (table.name === 'stored_files') fileKeys.set(cells.need('id'), bytesOf(cells.need('key_sealed')));
      if (table.name === 'stored_file_chunks') cells.set('bytes', bytea(movedChunk(cells, fileKeys, from, to)));
      for (const { column, context } of sealed.filter((one) => one.table === table.name)) {
        const value = cells.get(column);
        if (value !== null) cells.set(column, bytea(custody.seal(bytesOf(value), contextIn(cells, to, context))));
      }
      return cells.cells;
    });
}

const UUID_LENGTH = 36;

function contextIn(cells: Row, platformId: PlatformId, context: SealedColumn['context']): string {
  try {
    return context(cells.view(platformId));
  } catch {
    throw refused('has a sealed value that belongs to nothing');
  }
}

function movedChunk(cells: Row, keys: ReadonlyMap<string, Buffer>, from: PlatformId, to: PlatformId): Buffer {
  const id = cells.need('file_id');
  try {
    const key = keys.get(id);
    assert(key, 'a file comes before its chunks');
    return moveChunk(key, { id: idOf('File', id), sequence: Number(cells.need('sequence')) }, from, to, bytesOf(cells.need('bytes')));
  } catch {
    throw refused('has a part of a stored file that does not open');
  }
}

/** A row as the text of a JSON object that PostgreSQL reads back. Its JSON was checked. */
export function rowJson(table: DataTable, platformId: PlatformId, row: Cells): string {
  const members = fileColumns(table).map((column, i) => `${JSON.stringify(column)}:${valueJson(table, column, row[i] ?? null)}`);
  return `{"platform_id":"${uuidOf(platformId)}",${members.join(',')}}`;
}

const valueJson = ({ jsonColumns }: DataTable, column: string, cell: string | null): string =>
  cell !== null && jsonColumns.includes(column) ? cell : JSON.stringify(cell);

/** PostgreSQL takes more than the service can read and show: times without end and before Christ, what is not a number, and any text. */
const READABLE: ReadonlyMap<string, (cell: string) => boolean> = new Map([
  ['timestamp with time zone', (cell) => parseTimestamp(cell.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')) !== undefined],
  ['date', isDate],
  ['numeric', (cell) => /^-?\d{1,100}(?:\.\d{1,100})?$/.test(cell)],
  ['bigint', (cell) => /^-?\d{1,16}$/.test(cell) && Number.isSafeInteger(Number(cell))],
]);
const IS_OF_CURRENCY = /(?:^|_)currency$/;
/** The time before anything was booked, which the service compares and never shows. */
const WITHOUT_BEGINNING: ReadonlySet<string> = new Set(['ledger_accounts.not_before', 'ledger_accounts.statements_final_before']);

export function checkReadable({ table, rows }: FileRows): void {
  fileColumns(table).forEach((column, i) => {
    const isReadable = IS_OF_CURRENCY.test(column) ? isCurrency : READABLE.get(table.types[table.columns.indexOf(column)] ?? '');
    if (!isReadable) return;
    const place = `${table.name}.${column}`;
    const isOpen = (cell: string) => cell === '-infinity' && WITHOUT_BEGINNING.has(place);
    if (!rows.every((row) => row[i] === null || isReadable(row[i] ?? '') || isOpen(row[i] ?? '')))
      throw refused(`has a value of ${place} that the service would not have written`);
  });
}

/** What a request reads from a column must be what the service writes there. */
export function checkJson({ table, rows }: FileRows): void {
  for (const column of table.jsonColumns)
    for (const row of rows) {
      const cells = new Row(table, row);
      const cell = cells.get(column);
      if (cell !== null) checkStoredJson(table.name, column, jsonIn(table, column, cell), (other) => cells.get(other));
    }
}

function jsonIn({ name }: DataTable, column: string, cell: string): unknown {
  try {
    return parseBounded(cell);
  } catch {
    throw refused(`has a value of ${name}.${column} that is not JSON, is nested too deeply, or has too many values`);
  }
}

const bytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
function bytesOf(text: string): Buffer {
  if (!/^\\x(?:[0-9a-f]{2})*$/.test(text)) throw refused('has bytes that are not in hexadecimal digits');
  return Buffer.from(text.slice(2), 'hex');
}

/** One row by the names of its columns. */
class Row {
  readonly cells: Cells;
  readonly #table: DataTable;
  readonly #places: ReadonlyMap<string, number>;
  constructor(table: DataTable, cells: readonly (string | null)[]) {
    this.cells = [...cells];
    this.#table = table;
    this.#places = placesOf(table);
  }
  #place(column: string): number {
    const place = this.#places.get(column);
    assert(place !== undefined, `${this.#table.name} has the column ${column}`);
    return place;
  }
  get(column: string): string | null {
    return this.cells[this.#place(column)] ?? null;
  }
  set(column: string, value: string | null): void {
    this.cells[this.#place(column)] = value;
  }
  need(column: string): string {
    const value = this.get(column);
    if (value === null) throw refused(`has a row of ${this.#table.name} without ${column}`);
    return value;
  }
  /** As the contexts of sealed values read it. */
  view(platformId: PlatformId): Record<string, unknown> {
    const values = [...this.#places].map(([column, place]) => {
      const cell = this.cells[place] ?? null;
      return [column, cell !== null && this.#table.jsonColumns.includes(column) ? JSON.parse(cell) : cell];
    });
    return { ...Object.fromEntries(values), platform_id: uuidOf(platformId) };
  }
}

const places = new WeakMap<DataTable, ReadonlyMap<string, number>>();
function placesOf(table: DataTable): ReadonlyMap<string, number> {
  const known = places.get(table) ?? new Map(fileColumns(table).map((column, i) => [column, i]));
  places.set(table, known);
  return known;
}
