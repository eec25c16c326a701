import { createHash, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { BaseLogger } from 'pino';
import { type Binaries, moveIntoPlace, prepareBinaries, run, stagingPath, sweepStaging } from './embedded-binaries.js';
import { choosePlace, codeOf, EmbeddedPostgresError, findPlace, messageOf, type Place } from './embedded-place.js';
import {
  type Address,
  type Child,
  forgetStale,
  isPostmaster,
  readPidFile,
  type Server,
  signal,
  spawnPostmaster,
} from './embedded-postmaster.js';

export { EmbeddedPostgresError, ensureDataDir } from './embedded-place.js';

export type EmbeddedOptions = {
  readonly dataDir: string;
  readonly log: Pick<BaseLogger, 'info' | 'warn' | 'error'>;
  /** Server settings beside or instead of ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A service (true, the default) uses the database exclusively; a tool shares it with other processes. */
  readonly exclusive?: boolean;
};

export type EmbeddedPostgres = {
  readonly url: string;
  /** Where the cluster really is. */
  readonly dataDir: string;
  /** A message for the operator about unusual locations. */
  readonly notice?: string;
  /** Of the postmaster; another one after PostgreSQL was restarted. */
  readonly pid: number;
  /** Shuts PostgreSQL down and waits, unless another process still uses it: the last one does. */
  stop(): Promise<void>;
};

const USER = 'switchyard';
const DATABASE = 'switchyard';
const PASSWORD_FILE = 'switchyard-password';
const POLL_MS = 15;
const SILENCE_LIMIT_MS = 60_000;
const FAST_STOP_LIMIT_MS = 60_000;

/** Advisory locks in the database `postgres`, which nothing else uses. Everybody shares USE; one service holds SERVICE. */
const LOCKS = { use: '1937337465, 1', service: '1937337465, 2' } as const;

/** Durability is stated though it is the default: no later default or file may weaken it. */
const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  jit: 'off',
  random_page_cost: '1.1',
  // Rows and parameters may hold customers' data, so statements stay out of the server log.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  // A killed service must not leave statements behind that hold locks.
  ...(process.platform === 'linux' ? { client_connection_check_interval: '2s' } : {}),
};

type Session = { readonly client: pg.Client; readonly pid: number; readonly address: Address };

export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, exclusive = true } = options;
  const place = choosePlace(dataDir);
  sweepStaging(place.base);
  const binaries = await prepareBinaries(place);
  const cluster = join(place.base, 'cluster');
  await ensureCluster(place, binaries, cluster);

  const settings = { ...SERVER_SETTINGS, ...options.settings };
  const fingerprint = `switchyard-${createHash('sha256')
    .update(JSON.stringify([binaries.version, settings]))
    .digest('hex')
    .slice(0, 12)}`;
  const server = { place, binaries, cluster, socketDir: join(place.base, 'socket'), settings, fingerprint };
  let session = await openSession(server, dataDir, exclusive, log);
  const { address } = session;

  const ending = new AbortController();
  let recovery: Promise<void> | undefined;
  const recover = async () => {
    log.error({ pid: session.pid }, 'the embedded PostgreSQL went away; bringing it back');
    for (let delayMs = 100; !ending.signal.aborted; delayMs = Math.min(delayMs * 2, 10_000)) {
      try {
        session = await openSession(server, dataDir, exclusive, log, address.port);
        log.warn({ pid: session.pid }, 'the embedded PostgreSQL is back');
        watch();
        return;
      } catch (error) {
        log.error({ err: error }, 'the embedded PostgreSQL could not be brought back; trying again');
        await sleep(delayMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
  };
  const watch = () => {
    holdProcess(session.client, false);
    session.client.once('end', () => {
      if (!ending.signal.aborted) recovery = recover();
    });
  };
  watch();

  // A process that ends without stop() still takes PostgreSQL along; a killed one leaves it to the next start.
  const stopAtExit = () => exclusive && signal(server, session.pid, 'SIGINT');
  process.once('exit', stopAtExit);

  const stop = async () => {
    ending.abort();
    await recovery;
    holdProcess(session.client, true);
    await closeSession(server, session, log);
    process.off('exit', stopAtExit);
  };
  let stopped: Promise<void> | undefined;
  const notice = [place.notice, binaries.notice].filter((part) => part !== undefined).join(' ');
  return {
    url: urlOf(address, DATABASE, cluster),
    dataDir: cluster,
    ...(notice ? { notice } : {}),
    get pid() {
      return session.pid;
    },
    stop: () => (stopped ??= stop()),
  };
}

/** URL of the database if the PostgreSQL of this DATA_DIR is running. Starts nothing and writes nothing. */
export function findRunningPostgres(dataDir: string): string | undefined {
  const place = findPlace(dataDir);
  if (!place) return undefined;
  const cluster = join(place.base, 'cluster');
  const running = readPidFile(cluster);
  return running?.address && isPostmaster(running.pid, cluster) ? urlOf(running.address, DATABASE, cluster) : undefined;
}

/** initdb works in a directory of its own and the result is renamed: a cluster exists whole or not at all. */
async function ensureCluster(place: Place, binaries: Binaries, cluster: string): Promise<void> {
  if (!existsSync(cluster)) {
    const staging = stagingPath(place.base);
    const made = join(staging, 'cluster');
    const password = join(staging, PASSWORD_FILE);
    mkdirSync(staging, { mode: 0o700 });
    writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true });
    if (place.runAs) for (const path of [staging, password]) chownSync(path, place.runAs.uid, place.runAs.gid);

    const { code, output } = await run(place, binaries.initdb, [
      ...['-D', made, '-U', USER, '-E', 'UTF8', '--locale=C', '--data-checksums', '--no-instructions'],
      ...['--auth-local=trust', '--auth-host=scram-sha-256', `--pwfile=${password}`],
    ]);
    if (code === 0) {
      renameSync(password, join(made, PASSWORD_FILE));
      moveIntoPlace(made, cluster);
    }
    rmSync(staging, { recursive: true, force: true });
    // Another process may have swept the staging directory away after it had finished a cluster itself.
    if (code !== 0 && !existsSync(cluster))
      throw new EmbeddedPostgresError(`The database could not be created: ${output}${hintFor(output)}`);
  }

  const versionFile = join(cluster, 'PG_VERSION');
  if (!existsSync(versionFile))
    throw new EmbeddedPostgresError(
      `${cluster} holds no PostgreSQL cluster (PG_VERSION is missing). Restore it, or move it away to begin anew.`,
    );
  const found = readFileSync(versionFile, 'utf8').trim();
  const major = binaries.version.split('.')[0];
  if (found !== major) {
    throw new EmbeddedPostgresError(
      `${cluster} was made by PostgreSQL ${found}, and this release brings PostgreSQL ${major}. Dump it with the release that made it and restore it here, or run PostgreSQL ${found} on it and set DATABASE_URL.`,
    );
  }
}

/** Containers are often run under a number that no user has. */
function hintFor(initdbOutput: string): string {
  const nameless = /could not look up effective user ID/.test(initdbOutput);
  return nameless ? '. PostgreSQL needs its user in /etc/passwd: run as a user that is listed there, or set DATABASE_URL.' : '';
}

/** Connects to the cluster's PostgreSQL, starting it if need be, and takes the locks. */
async function openSession(
  server: Server,
  dataDir: string,
  exclusive: boolean,
  log: EmbeddedOptions['log'],
  port?: number,
): Promise<Session> {
  for (;;) {
    const session = await connectOrStart(server, log, port);
    try {
      await shareUse(session.client);
      if (exclusive) await takeServiceLock(session.client, dataDir);
      if (await needsRestart(server, session.client)) {
        if (await isLastUser(session.client)) {
          log.info('the running PostgreSQL has other settings; restarting it');
          await shutDown(server, session);
          continue;
        }
        await shareUse(session.client);
      }
      await ensureDatabase(session.client);
      return session;
    } catch (error) {
      session.client.end().catch(() => undefined);
      // Shut down by its last user at this very moment: start it again.
      if (!isGoingAway(error)) throw error;
    }
  }
}

async function closeSession(server: Server, session: Session, log: EmbeddedOptions['log']): Promise<void> {
  try {
    if (await isLastUser(session.client)) return await shutDown(server, session);
    log.info('another process uses the embedded PostgreSQL; it keeps running');
    await session.client.end();
  } catch (error) {
    log.warn({ err: error }, 'the connection to the embedded PostgreSQL was lost while stopping');
    await shutDown(server, session);
  }
}

async function shareUse(client: pg.Client): Promise<void> {
  await client.query(`select pg_advisory_lock_shared(${LOCKS.use})`);
}

/** Trades the shared lock for the exclusive one, which fails while others share it. */
async function isLastUser(client: pg.Client): Promise<boolean> {
  await client.query(`select pg_advisory_unlock_shared(${LOCKS.use})`);
  const { rows } = await client.query<{ alone: boolean }>(`select pg_try_advisory_lock(${LOCKS.use}) as alone`);
  return rows[0]?.alone === true;
}

async function takeServiceLock(client: pg.Client, dataDir: string): Promise<void> {
  // A killed service's lock goes with its connection, which takes PostgreSQL a moment to notice.
  for (const deadline = performance.now() + 1500; ; await sleep(25)) {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${LOCKS.service}) as taken`);
    if (rows[0]?.taken) return;
    if (performance.now() > deadline) break;
  }
  const [classId, objectId] = LOCKS.service.split(', ');
  const { rows } = await client.query<{ holder: string }>(
    `select application_name as holder from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and granted and classid = $1::oid and objid = $2::oid`,
    [classId, objectId],
  );
  const holder = rows[0]?.holder ?? 'another process';
  throw new EmbeddedPostgresError(
    `DATA_DIR ${dataDir} is in use by ${holder}. Stop that service first, give this one another DATA_DIR, or run both on one DATABASE_URL.`,
  );
}

async function needsRestart(server: Server, client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>(`select current_setting('cluster_name') as name`);
  return rows[0]?.name !== server.fingerprint;
}

async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
  if (rowCount) return;
  try {
    await client.query(`create database ${DATABASE}`);
  } catch (error) {
    if (!['42P04', '23505'].includes(codeOf(error) ?? '')) throw error; // another process was first
  }
}

/**
 * A PostgreSQL that answers is used, whichever process started it. Connecting comes before looking for its process, because the process may
 * run in another container that shares the directory.
 */
async function connectOrStart(server: Server, log: EmbeddedOptions['log'], port?: number): Promise<Session> {
  let child: Child | undefined;
  let silentSince = performance.now();
  let loggedAt = performance.now();
  for (; ; await sleep(POLL_MS)) {
    const running = readPidFile(server.cluster);
    const answer = running?.address ? await tryConnect(server, running.address) : 'nobody';
    if (answer instanceof pg.Client && running?.address) return { client: answer, pid: running.pid, address: running.address };
    if (answer === 'busy') silentSince = performance.now();
    if (performance.now() > loggedAt + 10_000) {
      loggedAt = performance.now();
      log.info('waiting for the embedded PostgreSQL; after a crash it replays its log first');
    }

    if (child?.ended()) {
      const why = child.logText();
      const contested = /already exists|still in use|Address already in use/.test(why);
      if (!contested || performance.now() > silentSince + 15_000)
        throw new EmbeddedPostgresError(`PostgreSQL did not start: ${why || 'it said nothing'}`);
      child = undefined; // another start was first, or the last of a killed server is still going
      await sleep(100);
      continue;
    }
    if (performance.now() > silentSince + SILENCE_LIMIT_MS) {
      throw new EmbeddedPostgresError(`PostgreSQL (process ${running?.pid}) runs on ${server.cluster} but does not answer.`);
    }
    if (child || answer === 'busy' || (running && isPostmaster(running.pid, server.cluster))) continue;
    if (running) forgetStale(server, running);
    child = await spawnPostmaster(server, port);
  }
}

async function tryConnect(server: Server, address: Address): Promise<pg.Client | 'busy' | 'nobody'> {
  const client = new pg.Client({
    connectionString: urlOf(address, 'postgres', server.cluster),
    connectionTimeoutMillis: 5000,
    application_name: holderName(),
  });
  client.on('error', () => undefined); // the 'end' event reports the end of the connection
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    const code = codeOf(error) ?? '';
    if (isGoingAway(error) || code === '57P03' || code === '53300') return 'busy';
    if (code === 'EACCES' || /^[0-9A-Z]{5}$/.test(code))
      throw new EmbeddedPostgresError(`PostgreSQL on ${server.cluster} refuses us: ${messageOf(error)}`, { cause: error });
    return 'nobody';
  }
}

/** A connection cut by a shutdown or a crash of the server. */
function isGoingAway(error: unknown): boolean {
  return ['57P01', '57P02', 'ECONNRESET', 'EPIPE'].includes(codeOf(error) ?? '') || /Connection terminated/.test(messageOf(error));
}

/** The watching connection must not keep the process alive. The driver has these methods, its types do not. */
function holdProcess(client: pg.Client & { ref?: () => void; unref?: () => void }, hold: boolean): void {
  if (hold) client.ref?.();
  else client.unref?.();
}

const holderName = () => `switchyard, process ${process.pid} on ${hostname()}`.slice(0, 63);

async function shutDown(server: Server, session: Session): Promise<void> {
  const { pid } = session;
  session.client.removeAllListeners('end');
  if (process.platform === 'win32') await run(server.place, server.binaries.pgCtl, ['stop', '-D', server.cluster, '-m', 'fast', '-w']);
  else signal(server, pid, 'SIGINT');
  for (const startedAt = performance.now(); isPostmaster(pid, server.cluster); await sleep(POLL_MS)) {
    // Not even a fast shutdown ends: the immediate one is as safe as a crash, and the next start replays the log.
    if (performance.now() > startedAt + FAST_STOP_LIMIT_MS) signal(server, pid, 'SIGQUIT');
  }
  await session.client.end().catch(() => undefined);
}

function urlOf({ host, port }: Address, database: string, cluster: string): string {
  if (host.startsWith('/')) return `postgresql://${USER}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  const password = readFileSync(join(cluster, PASSWORD_FILE), 'utf8').trim();
  return `postgresql://${USER}:${password}@${host}:${port}/${database}`;
}
