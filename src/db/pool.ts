// Connections and transactions. The only folder that names the driver.
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { ApiError, BrokenInvariant, describeError } from '../kernel/errors.js';
import { addressOf } from './address.js';
import { encode } from './encode.js';
import { openServers, type Servers } from './hosts.js';
import { holdingPlatforms, isDistributed } from './moves.js';
import { SETTINGS } from './plan-settings.js';
import type { Sql } from './sql.js';
import { type ParserOf, runPrepared } from './statement.js';
import { isReadOnly, isUnavailable, orUnavailable } from './unavailable.js';

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
  /**
   * A pooler that hands a connection of the server to each transaction stands between. Nothing may be left on a connection: statements are
   * not named, and settings go with every transaction. `directUrl`: past the pooler, for what needs a session.
   */
  pooler?: { readonly directUrl: string } | undefined;
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

type Runner = {
  query(query: Sql): Promise<pg.QueryResult>;
  /** A statement without parameters that controls the transaction. */
  control(text: string): Promise<pg.QueryResult>;
};

const parserOf: ParserOf = (typeId) => types.getTypeParser(typeId, 'text') as unknown as ReturnType<ParserOf>;

type Send = (client: pg.PoolClient, query: Sql) => Promise<pg.QueryResult>;

const sendPrepared: Send = (client, query) => runPrepared(client, query, parserOf);
const sendPlain: Send = (client, { text, values }) => client.query({ text, values: values.map(encode) });

function statements({ query: send }: Pick<Runner, 'query'>): Pick<Tx, 'many' | 'one' | 'run'> {
  return {
    many: async <Row>(query: Sql) => (await send(query)).rows as Row[],
    one: async <Row>(query: Sql) => (await send(query)).rows[0] as Row | undefined,
    run: async (query: Sql) => (await send(query)).rowCount ?? 0,
  };
}

export function openDb({
  url,
  poolSize,
  statementTimeoutMs = 30_000,
  lockTimeoutMs = 10_000,
  plans = 'custom',
  pooler,
  onIdleError = () => {},
}: DbOptions): Db {
  const address = addressOf(url);
  const servers = openServers(address);
  const direct = pooler && addressOf(pooler.directUrl);
  const directServers = direct ? openServers(direct) : servers;
  const settings = {
    connectionString: address.url,
    types,
    application_name: 'switchyard',
    connectionTimeoutMillis: 10_000,
    // A network that drops idle connections, or a machine that is gone, is noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
  };
  const pool = new pg.Pool({
    ...settings,
    Client: servers.Client,
    max: poolSize,
    // Statements that do not wait for each other's answers share a round trip: BEGIN travels with the first one.
    pipeline: true,
    idleTimeoutMillis: 30_000,
    ...(pooler ? {} : timeouts),
  } as pg.PoolConfig);
  pool.on('error', onIdleError);
  // A connection lost during a statement fails that statement and also emits an error event. Unhandled, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => servers.doubt()).on('notice', (notice) => noteWarning(client, notice)));
  // A lost connection fails this statement too; the caller's own statement then reports it.
  if (!pooler) pool.on('connect', (client) => void client.query(SETTINGS[plans]).catch(() => {}));

  const transaction = <Result>(work: (tx: Tx) => Promise<Result>, cause?: Cause): Promise<Result> =>
    repeated(() => attemptTransaction(connections, work, cause));

  const connections: Connections = {
    servers,
    take: async () => {
      const client = await take(pool, servers);
      if (connections.holdsPlatforms === undefined) await learnNodes(connections, client);
      return client;
    },
    holdsPlatforms: undefined,
    answerMs: statementTimeoutMs,
    send: pooler ? sendPlain : sendPrepared,
    begin: [pooler ? `begin; ${localSettings(timeouts, plans)}` : 'begin'],
    // Citus passes the text of a setting on as it was sent, and a node warns of a `begin` in it.
    beginOnNodes: ['begin', `${PASSED_ON}; ${pooler ? localSettings(timeouts, plans) : `set local lock_timeout = ${lockTimeoutMs}`}`],
  };
  const db: Db = {
    ...statements({ query: (query) => (pooler ? runInTransaction(connections, query) : runAlone(connections, query)) }),
    transaction,
    causedBy: (cause) => ({ ...db, cause, transaction: (work, own) => transaction(work, own ?? cause) }),
    async connect() {
      const client = new directServers.Client({ ...settings, connectionString: direct?.url ?? address.url });
      // The failing query reports the error.
      client.on('error', () => {});
      await client.connect();
      return { query: (text, values) => client.query(text, values), end: () => client.end() };
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      servers.close();
      directServers.close();
      await pool.end();
    },
  };
  return db;
}

/** A session in a transaction that sends nothing for so long is ended by the server. */
const IDLE_TIMEOUT_MS = 60_000;

type Connections = {
  readonly servers: Servers;
  take(): Promise<pg.PoolClient>;
  /** How long an answer to COMMIT may take. No timeout of the server ends the wait for a synchronous standby. */
  readonly answerMs: number;
  readonly send: Send;
  /** Begins a transaction; `beginOnNodes` where the platforms are on several nodes. */
  readonly begin: readonly string[];
  readonly beginOnNodes: readonly string[];
  /** Whether the platforms are on several nodes and may be moved. Undefined until a connection has asked. */
  holdsPlatforms: boolean | undefined;
};

/** Asked once: a database is distributed while no service runs on it. */
async function learnNodes(connections: Connections, client: pg.PoolClient): Promise<void> {
  const timer = setTimeout(cut, silenceMs(connections.answerMs), client);
  try {
    connections.holdsPlatforms = await isDistributed(client);
  } catch (error) {
    client.release(error as Error);
    throw orUnavailable(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The settings of a session stay on the node it is connected to. Those of a transaction travel with its first statement to another node. */
const PASSED_ON = `set local citus.propagate_set_commands = 'local'`;

/** What a session would have, for one transaction. */
const localSettings = (timeouts: Readonly<Record<string, number>>, plans: keyof typeof SETTINGS): string =>
  [
    ...Object.entries(timeouts).map(([name, value]) => `set local ${name} = ${value}`),
    SETTINGS[plans].trim().replaceAll(/\bset /g, 'set local '),
  ].join('; ');

/** The server ends a statement by itself, earlier than this. */
const silenceMs = (answerMs: number): number => Math.max(IDLE_TIMEOUT_MS, answerMs + 5_000);

/**
 * Ends a connection whose server did not answer in time: its machine is gone, or it waits for a standby that is gone. A commit may have
 * happened.
 */
const cut = (client: pg.PoolClient): void =>
  void streamOf(client).destroy(Object.assign(new Error('the database did not answer in time'), { code: 'ETIMEDOUT' }));

const streamOf = (client: pg.PoolClient): Duplex => (client as unknown as { connection: { stream: Duplex } }).connection.stream;

/** A connection of the pool. If none can be made to the server in use, the others are asked at once. */
async function take(pool: pg.Pool, { hasOthers }: Servers): Promise<pg.PoolClient> {
  try {
    return await pool.connect().catch((error: unknown) => {
      if (!hasOthers || !isUnavailable(error)) throw error;
      return pool.connect();
    });
  } catch (error) {
    throw orUnavailable(error);
  }
}

/** Connections whose server has warned since the last look. */
const warned = new WeakSet<object>();

/**
 * A server that gives up waiting for its synchronous standby, because a statement took too long or an administrator said so, warns and
 * then reports success. The commit may be lost with the server.
 */
function noteWarning(client: pg.PoolClient, { code }: { code?: string | undefined }): void {
  if (code === '01000' || code === '57P01') warned.add(client);
}

function assertReplicated(client: pg.PoolClient): void {
  if (warned.delete(client)) throw orUnavailable(Object.assign(new Error('the commit did not reach the standby'), { code: '40003' }));
}

/** One statement, which commits by itself. */
async function runAlone({ servers, take, answerMs, send }: Connections, query: Sql): Promise<pg.QueryResult> {
  const client = await take();
  const timer = setTimeout(cut, answerMs + 5_000, client);
  let broken: Error | undefined;
  try {
    const result = await send(client, query);
    assertReplicated(client);
    return result;
  } catch (error) {
    broken = error as Error;
    if (isReadOnly(error)) servers.doubt();
    throw orUnavailable(error);
  } finally {
    clearTimeout(timer);
    client.release(broken);
  }
}

/** One statement with its settings. */
const runInTransaction = (connections: Connections, query: Sql): Promise<pg.QueryResult> =>
  attemptTransaction(connections, (_, runner) => runner.query(query), undefined);

/** Statements sent in one turn of the loop leave in one write: BEGIN with the first ones, COMMIT with the last. */
function joinWrites(client: pg.PoolClient, send: Send, onWrite: () => void): Runner {
  const stream = streamOf(client);
  let isCorked = false;
  const cork = (): void => {
    if (isCorked) return;
    isCorked = true;
    onWrite();
    stream.cork();
    process.nextTick(() => {
      isCorked = false;
      stream.uncork();
    });
  };
  return {
    query(query) {
      cork();
      return send(client, query);
    },
    control(text) {
      cork();
      return client.query(text);
    },
  };
}

async function attemptTransaction<Result>(
  connections: Connections,
  work: (tx: Tx, runner: Runner) => Promise<Result>,
  cause: Cause | undefined,
): Promise<Result> {
  const { servers, answerMs, send } = connections;
  const client = await connections.take();
  const begin = connections.holdsPlatforms ? connections.beginOnNodes : connections.begin;
  let timer = setTimeout(cut, silenceMs(answerMs), client);
  const onCommit: (() => void)[] = [];
  let broken: Error | undefined;
  let failure: Error | undefined;
  // Statements without a waiting caller. The first failure is the cause of the failures after it.
  const unattended = (answer: Promise<unknown>, explain?: (error: unknown) => Error | undefined) =>
    void answer.catch((error: Error) => {
      failure ??= explain?.(error) ?? error;
    });
  const joined = joinWrites(client, send, () => timer.refresh());
  const together = connections.holdsPlatforms ? holdingPlatforms(joined, unattended) : joined;
  /** A server that takes no writes is not asked again, though it answers. */
  const refusalOf = (error: unknown): unknown => {
    if (isReadOnly(error)) {
      broken = error as Error;
      servers.doubt();
    }
    return orUnavailable(error);
  };
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result | ApiError> => {
    const hooksBefore = onCommit.length;
    unattended(together.control('savepoint attempt'));
    try {
      const result = await work();
      // Also fails if a statement that nobody waited for has failed.
      await together.control('release savepoint attempt');
      return result;
    } catch (error) {
      const cause = failure && describeError(error).code === ABORTED ? failure : error;
      if (!(cause instanceof ApiError) || cause.code === 'SERVICE_UNAVAILABLE') throw cause;
      await together.control('rollback to savepoint attempt');
      failure = undefined;
      onCommit.splice(hooksBefore);
      return cause;
    }
  };
  try {
    for (const text of begin) unattended(together.control(text));
    let result: Result;
    try {
      const tx: Tx = {
        ...statements(together),
        cause,
        send: (query, explain) => unattended(together.query(query), explain),
        attempt,
        afterCommit: (hook) => onCommit.push(hook),
      };
      result = await work(tx, together);
    } catch (error) {
      await together.control('rollback').catch((lost: Error) => {
        broken = lost;
      });
      throw refusalOf(failure && describeError(error).code === ABORTED ? failure : error);
    }
    clearTimeout(timer);
    timer = setTimeout(cut, answerMs, client);
    const ended = await together.control('commit').catch((lost: Error) => {
      broken = lost;
      // The answer to COMMIT is lost, so the commit may have happened. A retry with the same Idempotency-Key shows the outcome.
      throw orUnavailable(lost);
    });
    // A transaction in which a statement failed answers COMMIT with ROLLBACK: certainly nothing happened.
    if (ended.command === 'ROLLBACK') throw refusalOf(failure ?? new Error('the transaction had failed and was rolled back'));
    assertReplicated(client);
    for (const hook of onCommit) hook();
    return result;
  } finally {
    clearTimeout(timer);
    client.release(broken);
  }
}

/** A node of a distributed database names its part of a table, such as `cards_pkey_102045`, and through another node only in the text. */
const PART = /_\d{6,}$/;
const NAMED_IN_TEXT = /constraint "([^"]+)"/;

/** The constraint that a unique, check or foreign-key violation names; undefined for any other error. */
export const violatedConstraint = (error: unknown): string | undefined => {
  const { code, constraint, message } = describeError(error);
  if (code !== '23505' && code !== '23514' && code !== '23503') return undefined;
  return (constraint ?? NAMED_IN_TEXT.exec(message ?? '')?.[1])?.replace(PART, '');
};
