// Connections and transactions. The only folder that names the driver.
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { ApiError, BrokenInvariant, describeError } from '../kernel/errors.js';
import { momentText } from './moment.js';
import { type Sql, sql } from './sql.js';

/** What the service acts for: a request, a job that is due, or a job that a request runs. */
export type Cause = { readonly requestId?: string | undefined; readonly job?: string | undefined };

/** What a store function needs: always its first parameter. */
export type Tx = {
  /** Undefined for a tool that an operator runs. */
  readonly cause?: Cause | undefined;
  many<Row>(query: Sql): Promise<Row[]>;
  one<Row>(query: Sql): Promise<Row | undefined>;
  /** Runs a statement and answers how many rows it touched. */
  run(query: Sql): Promise<number>;
  /**
   * Sends a statement without waiting: it travels with what follows, COMMIT at the latest. Should it fail, the transaction fails, with the
   * refusal that `explain` finds in the error or with the error itself. `changedMeanwhile()` repeats the transaction.
   */
  send(query: Sql, explain?: (error: unknown) => Error | undefined): void;
  /**
   * Does the work, and undoes all of it if it is refused: then the refusal is the answer and the transaction goes on. Every other failure
   * fails the transaction. Not to be nested.
   */
  attempt<Result>(work: () => Promise<Result>): Promise<Result | ApiError>;
  /** Called once, after this transaction has committed; never when it rolls back. */
  afterCommit(work: () => void): void;
};

export type Db = Omit<Tx, 'send' | 'attempt' | 'afterCommit'> & {
  /** One transaction; repeated whole on deadlock or serialization failure, never once it may have committed. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>, cause?: Cause): Promise<Result>;
  /** The same connections; every transaction has the cause, unless it is given another. */
  causedBy(cause: Cause | undefined): Db;
  /** A connection outside the pool, for migrations and other exclusive work. */
  connect(): Promise<Session>;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};

export type Session = {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
};

export type DbOptions = {
  url: string;
  poolSize: number;
  statementTimeoutMs?: number;
  lockTimeoutMs?: number;
  /**
   * `generic`: every statement is planned once per connection, for any parameters. `custom`: PostgreSQL decides, and may plan again for
   * each execution. Generic plans save the planning of hot statements; they need statements whose best plan never depends on parameters.
   */
  plans?: 'generic' | 'custom';
  onIdleError?: (error: Error) => void;
};

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, (text: string) => BigInt(text));
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);

/** Serialization failures and deadlocks; and a row that was removed between a look and a reference to it: the repeat does not find it. */
const RETRYABLE = new Set(['40001', '40P01', '23503']);
const MAX_TRIES = 8;
/** A sandbox reset replaces rows that a transaction has read and not locked yet. Its repeat does not find them; a defect breaks it again. */
const triesOf = (error: unknown): number => {
  if (error instanceof BrokenInvariant) return 2;
  return RETRYABLE.has(describeError(error).code ?? '') ? MAX_TRIES : 1;
};

/** Repeats work that others got in the way of. */
export async function repeated<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= triesOf(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
    }
  }
}

/** What a transaction read has changed before it was written: the transaction is repeated. */
export const changedMeanwhile = (): Error => Object.assign(new Error('What the transaction read has changed.'), { code: '40001' });
/** The error code of a statement after an earlier statement of its transaction failed. */
const ABORTED = '25P02';

const names = new Map<string, string>();
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    names.set(text, name);
  }
  return name;
}

type Runner = { query(config: pg.QueryConfig): Promise<pg.QueryResult> };

const configOf = ({ text, values }: Sql): pg.QueryConfig => ({ name: nameOf(text), text, values: values.map(encode) });

function statements(runner: Runner): Pick<Tx, 'many' | 'one' | 'run'> {
  const send = (query: Sql) => runner.query(configOf(query));
  return {
    many: async <Row>(query: Sql) => (await send(query)).rows as Row[],
    one: async <Row>(query: Sql) => (await send(query)).rows[0] as Row | undefined,
    run: async (query: Sql) => (await send(query)).rowCount ?? 0,
  };
}

/** For `plan_cache_mode`. A coordinator cannot plan a statement before it knows the platform, and so the node. */
export const GENERIC_PLANS = sql`case when current_setting('citus.version', true) is null then 'force_generic_plan' else 'auto' end`;

/**
 * A generic plan is kept while its connection lives. A plan made on a small table would scan it, and still do so when the table has
 * grown; without scans and joins of whole tables every plan goes by indexes, whatever the statistics say.
 */
export const DECISION_SETTINGS = `
  select set_config('plan_cache_mode', ${GENERIC_PLANS.text}, false); set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
  set enable_bitmapscan = off; set enable_material = off`;

export function openDb({
  url,
  poolSize,
  statementTimeoutMs = 30_000,
  lockTimeoutMs = 10_000,
  plans = 'custom',
  onIdleError = () => {},
}: DbOptions): Db {
  const settings = { connectionString: url, types, application_name: 'switchyard', connectionTimeoutMillis: 10_000 };
  const pool = new pg.Pool({
    ...settings,
    max: poolSize,
    // Statements that do not wait for each other's answers share a round trip: BEGIN travels with the first one.
    pipeline: true,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
  } as pg.PoolConfig);
  pool.on('error', onIdleError);
  // A connection lost during a statement fails that statement and also emits an error event. Unhandled, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  // A lost connection fails this statement too; the caller's own statement then reports it.
  if (plans === 'generic') pool.on('connect', (client) => void client.query(DECISION_SETTINGS).catch(() => {}));

  const transaction = <Result>(work: (tx: Tx) => Promise<Result>, cause?: Cause): Promise<Result> =>
    repeated(() => attemptTransaction(pool, work, cause));

  const db: Db = {
    ...statements({ query: (config) => pool.query(config).catch(unavailable) }),
    transaction,
    causedBy: (cause) => ({ ...db, cause, transaction: (work, own) => transaction(work, own ?? cause) }),
    async connect() {
      const client = new pg.Client(settings);
      // The failing query reports the error.
      client.on('error', () => {});
      await client.connect();
      return { query: (text, values) => client.query(text, values), end: () => client.end() };
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
  return db;
}

/** Statements sent in one turn of the loop leave in one write: BEGIN with the first ones, COMMIT with the last. */
function joinWrites(client: pg.PoolClient): Runner {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  let isCorked = false;
  return {
    query(config) {
      if (!isCorked) {
        isCorked = true;
        stream.cork();
        process.nextTick(() => {
          isCorked = false;
          stream.uncork();
        });
      }
      return client.query(config);
    },
  };
}

// The driver quotes and escapes every element of every array. Most of what we send in lists needs neither, and lists are the hot path.
const PLAIN_ELEMENT = /^[\w:.+-]+$/;

function encode(value: unknown): unknown {
  if (Array.isArray(value)) return encodeArray(value);
  return value instanceof Date ? momentText(value) : value;
}

function encodeArray(values: readonly unknown[]): string {
  let out = '{';
  for (let i = 0; i < values.length; i += 1) {
    if (i > 0) out += ',';
    out += encodeElement(values[i]);
  }
  return `${out}}`;
}

function encodeElement(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return PLAIN_ELEMENT.test(value) && value.toUpperCase() !== 'NULL' ? value : quoted(value);
    case 'bigint':
    case 'number':
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'NULL';
    default:
      if (value === null) return 'NULL';
      if (value instanceof Date) return quoted(momentText(value));
      if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
      if (Array.isArray(value)) return encodeArray(value);
      return quoted(JSON.stringify(value));
  }
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

async function attemptTransaction<Result>(pool: pg.Pool, work: (tx: Tx) => Promise<Result>, cause: Cause | undefined): Promise<Result> {
  const client = await pool.connect().catch(unavailable);
  const together = joinWrites(client);
  const onCommit: (() => void)[] = [];
  let broken: Error | undefined;
  let failure: Error | undefined;
  // Statements without a waiting caller. The first failure is the cause of the failures after it.
  const unattended = (answer: Promise<unknown>, explain?: (error: unknown) => Error | undefined) =>
    void answer.catch((error: Error) => {
      failure ??= explain?.(error) ?? error;
    });
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result | ApiError> => {
    const hooksBefore = onCommit.length;
    unattended(together.query({ text: 'savepoint attempt' }));
    try {
      const result = await work();
      // Also fails if a statement that nobody waited for has failed.
      await together.query({ text: 'release savepoint attempt' });
      return result;
    } catch (error) {
      const cause = failure && describeError(error).code === ABORTED ? failure : error;
      if (!(cause instanceof ApiError) || cause.code === 'SERVICE_UNAVAILABLE') throw cause;
      await together.query({ text: 'rollback to savepoint attempt' });
      failure = undefined;
      onCommit.splice(hooksBefore);
      return cause;
    }
  };
  try {
    unattended(together.query({ text: 'begin' }));
    let result: Result;
    try {
      result = await work({
        ...statements(together),
        cause,
        send: (query, explain) => unattended(together.query(configOf(query)), explain),
        attempt,
        afterCommit: (hook) => onCommit.push(hook),
      });
    } catch (error) {
      await together.query({ text: 'rollback' }).catch((lost: Error) => {
        broken = lost;
      });
      throw orUnavailable(failure && describeError(error).code === ABORTED ? failure : error);
    }
    const ended = await together.query({ text: 'commit' }).catch((lost: Error) => {
      broken = lost;
      // The answer to COMMIT is lost, so the commit may have happened. A retry with the same Idempotency-Key shows the outcome.
      throw orUnavailable(lost);
    });
    // A transaction in which a statement failed answers COMMIT with ROLLBACK: certainly nothing happened.
    if (ended.command === 'ROLLBACK') throw orUnavailable(failure ?? new Error('the transaction had failed and was rolled back'));
    for (const hook of onCommit) hook();
    return result;
  } finally {
    client.release(broken);
  }
}

/** A statement or a lock took too long. */
const TIMED_OUT = new Set(['57014', '55P03']);

/** Whether an error is a 503 for one statement or lock that took too long, while the database itself answers. */
export const isTimeout = (error: unknown): boolean => error instanceof ApiError && TIMED_OUT.has(describeError(error.cause).code ?? '');

/** Connections that were lost or refused, a server that is starting or stopping, statements and locks that took too long. */
const isUnavailable = (error: unknown): boolean => {
  const { code, message } = describeError(error);
  return (
    (code !== undefined &&
      (TIMED_OUT.has(code) || /^(08|57P0|53)/.test(code) || ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOENT'].includes(code))) ||
    /Connection terminated|connection timeout|Client has encountered a connection error|timeout exceeded when trying to connect|not queryable/i.test(
      message ?? '',
    )
  );
};

/** The database cannot be reached, went away, or did not answer in time: 503, retry. Everything else is passed on. */
export function unavailable(error: unknown): never {
  throw orUnavailable(error);
}

const orUnavailable = (error: unknown): unknown =>
  isUnavailable(error)
    ? Object.assign(new ApiError('SERVICE_UNAVAILABLE', undefined, { headers: { 'retry-after': '1' } }), { cause: error })
    : error;

/** A node of a distributed database names its part of a table, such as `cards_pkey_102045`, and through another node only in the text. */
const PART = /_\d{6,}$/;
const NAMED_IN_TEXT = /constraint "([^"]+)"/;

/** The constraint that a unique, check or foreign-key violation names; undefined for any other error. */
export const violatedConstraint = (error: unknown): string | undefined => {
  const { code, constraint, message } = describeError(error);
  if (code !== '23505' && code !== '23514' && code !== '23503') return undefined;
  return (constraint ?? NAMED_IN_TEXT.exec(message ?? '')?.[1])?.replace(PART, '');
};
