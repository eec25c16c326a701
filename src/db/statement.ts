// A statement as the driver runs it. The driver asks for the columns of every result again and builds rows as dictionaries; here a connection
// asks once per statement, and the rows of a statement have one shape, which takes half the time.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { encode } from './encode.js';
import type { Sql } from './sql.js';

type Field = { readonly name: string; readonly dataTypeID: number };
type Row = Record<string, unknown>;

/** The columns of a result. PostgreSQL refuses to change them while a prepared statement lives. */
type Shape = { readonly names: readonly string[]; readonly parsers: readonly ((text: string) => unknown)[]; readonly empty: Row };

const NO_ROWS: Shape = { names: [], parsers: [], empty: {} };

/** What the driver's connection offers to its queries. */
type Connection = {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(statement: { text: string; name: string }): void;
  bind(values: { portal: string; statement: string; values: readonly (Buffer | string | null)[] }): void;
  describe(portal: { type: 'P'; name: string }): void;
  execute(portal: { portal: string }): void;
  sync(): void;
};

/** The parts of the driver's query that are used here. */
type DriverQuery = {
  name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly _result: { rows: unknown[]; rowCount: number | null };
  handleCommandComplete(message: unknown, connection: Connection): void;
};
type Done = (error: Error | null, result: pg.QueryResult) => void;
const DriverQuery = pg.Query as unknown as new (text: string, values: readonly unknown[], done: Done) => DriverQuery;

const shapes = new WeakMap<Connection, Map<string, Shape>>();

function shapesOf(connection: Connection): Map<string, Shape> {
  const known = shapes.get(connection) ?? new Map<string, Shape>();
  shapes.set(connection, known);
  return known;
}

export type ParserOf = (typeId: number) => (text: string) => unknown;

/** A value as a parameter carries it: bytes as they are, everything else as text. */
function asSent(value: unknown): Buffer | string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  if (Buffer.isBuffer(value)) return value;
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : JSON.stringify(value);
}

class Statement extends DriverQuery {
  readonly #parserOf: ParserOf;
  #shapes: Map<string, Shape> | undefined;
  #shape: Shape | undefined;

  constructor(text: string, name: string, values: readonly unknown[], parserOf: ParserOf, done: Done) {
    super(text, values, done);
    this.name = name;
    this.#parserOf = parserOf;
  }

  /** Called by the driver when it sends the statement. */
  prepare(connection: Connection): void {
    const { name, text } = this;
    const values = this.values.map(asSent);
    this.#shapes = shapesOf(connection);
    const isPrepared = (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]) !== undefined;
    if (isPrepared) this.#shape = this.#shapes.get(name);
    else {
      this.#shapes.delete(name);
      connection.parse({ text, name });
      connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ portal: '', statement: name, values });
    if (!this.#shape) connection.describe({ type: 'P', name: '' });
    connection.execute({ portal: '' });
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const names = fields.map(({ name }) => name);
    // An object that is parsed keeps its members in order and in place, also when there are many.
    const empty = JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null])))) as Row;
    this.#shape = { names, parsers: fields.map(({ dataTypeID }) => this.#parserOf(dataTypeID)), empty };
    this.#shapes?.set(this.name, this.#shape);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers, empty } = this.#shape ?? NO_ROWS;
    const row = { ...empty };
    for (let i = 0; i < fields.length; i += 1) {
      const text = fields[i];
      if (text !== null) row[names[i] as string] = parsers[i]?.(text as string);
    }
    this._result.rows.push(row);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (!this.#shape) this.#shapes?.set(this.name, NO_ROWS);
    super.handleCommandComplete(message, connection);
  }
}

/** Sends a statement. It is prepared once per connection. */
export const runPrepared = (client: pg.PoolClient, { text, values }: Sql, parserOf: ParserOf): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    const done: Done = (error, result) => (error ? reject(traced(error)) : resolve(result));
    client.query(new Statement(text, nameOf(text), values.map(encode), parserOf, done) as unknown as pg.Submittable);
  });

/** The stack of an error of the driver begins at its socket. */
function traced(error: Error): Error {
  Error.captureStackTrace(error, traced);
  return error;
}

const names = new Map<string, string>();
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    names.set(text, name);
  }
  return name;
}
