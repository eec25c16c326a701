// Puts the parts together and runs them: database, schema, API, worker. `main.ts` and the test helpers start the same service.
import { randomBytes } from 'node:crypto';
import { constants, copyFileSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { bootstrapSandbox, rememberedToken, type SandboxCredentials, writeEnvFile } from './bootstrap.js';
import type { App } from './compose.js';
import { type Config, ConfigError } from './config.js';
import { parseEncryptionKeys, WrongValue } from './config-values.js';
import type { ReplaceProviders } from './context.js';
import { ensureDataDir, startEmbeddedPostgres } from './db/embedded.js';
import type { Job } from './db/job.js';
import { checkServer, MigrationError, migrate, readMigrations } from './db/migrate.js';
import { type Db, openDb } from './db/pool.js';
import { isRefused, isUnavailable } from './db/unavailable.js';
import type { Upkeep } from './db/upkeep.js';
import { newConsoleCode } from './domains/core/console/actions.js';
import { type InstallationSecrets, lateSecrets, realNow } from './domains/core/platform/actions.js';
import { findTokenHolder, type TokenHolder } from './domains/core/platform/store.js';
import { createCallOperation } from './http/call-operation.js';
import type { SandboxToken } from './http/console.js';
import { errorBody } from './http/error-boundary.js';
import type { Metrics } from './http/metrics.js';
import { startMetricsServer } from './http/metrics-server.js';
import { type Operation, PERMISSIONS } from './http/operation.js';
import { BASE_PATH } from './http/server.js';
import { ApiError, describeError, messageForLog } from './kernel/errors.js';
import type { Hooks } from './kernel/hook.js';
import { parseJson } from './kernel/json.js';
import { yamlToJson } from './kernel/yaml.js';
import { createKeyCustody, type KeyCustody, UnknownKeyError } from './providers/key-custody.js';
import { startWorker, type Worker } from './worker.js';

export type Service = {
  readonly url: string;
  readonly baseUrl: string;
  /** Where metrics are served; absent if they are not. */
  readonly metricsUrl: string | undefined;
  /** A link that signs in to the console once; absent in live mode and where there is no console. */
  readonly consoleLink: string | undefined;
  /** The sandbox platform's token; absent in live mode. */
  readonly credentials: SandboxCredentials | undefined;
  readonly notices: readonly string[];
  /** It has no URL. */
  readonly isWorker: boolean;
  readonly operations: readonly Operation[];
  readonly metrics: Metrics;
  readonly jobs: readonly Job[];
  readonly upkeep: readonly Upkeep[];
  readonly db: Db;
  readonly hooks: Hooks;
  stop(): Promise<void>;
};

/** `replaceProviders` is for tests and measurements: other parties than those of the mode. */
export async function startService(config: Config, log: Logger, replaceProviders?: ReplaceProviders): Promise<Service> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse())
      await step().catch((error: Error) => log.error({ errorMessage: messageForLog(error) }, 'stopping'));
  };
  try {
    return await start(config, log, undo, stop, replaceProviders);
  } catch (error) {
    await stop();
    throw explainFailure(error);
  }
}

async function start(
  config: Config,
  log: Logger,
  undo: (() => Promise<void>)[],
  stop: () => Promise<void>,
  replaceProviders: ReplaceProviders | undefined,
): Promise<Service> {
  const notices: string[] = [];
  await blaming('DATA_DIR', () => ensureDataDir(config.dataDir));
  // PostgreSQL starts in other processes; this one loads the program at the same time.
  const [databaseUrl, { createApp }] = await Promise.all([
    config.databaseUrl ?? startEmbedded(config, log, undo, notices),
    import('./compose.js'),
  ]);
  const open = (poolSize: number, plans: 'generic' | 'custom'): Db => {
    const pool = openDb({
      url: databaseUrl,
      poolSize,
      plans,
      pooler: config.databasePooler,
      lockTimeoutMs: config.databaseLockTimeoutMs,
      onIdleError: (error) => log.warn({ errorMessage: messageForLog(error) }, 'a database connection was lost'),
    });
    undo.push(() => pool.close());
    return pool;
  };
  const db = open(config.databasePoolSize, 'custom');
  const decisionDb = open(config.databaseDecisionPoolSize, 'generic');

  const custody = createKeyCustody(encryptionKeys(config));
  const secrets = lateSecrets();
  let isOpen = false;
  let url = config.publicUrl ?? '';
  let sandboxToken: SandboxToken | undefined;
  const app = await createApp({
    config,
    db,
    decisionDb,
    custody,
    secrets,
    log,
    isOpen: () => isOpen,
    url: () => url,
    sandboxToken: () => sandboxToken,
    replaceProviders,
  });
  for (const { stop } of app.background) undo.push(stop);
  undo.push(() => app.server.close());
  // The server listens before the schema is migrated, so that a supervisor sees a live process that is not ready.
  const { host, port } = config;
  const address = config.role === 'worker' ? undefined : await blaming('HOST and PORT', () => app.server.listen({ host, port }));
  url ||= (address ?? '').replace('[::]', 'localhost').replace('0.0.0.0', 'localhost');

  const metricsUrl = await serveMetrics(config, app, undo, notices);

  await prepareSchema(db);
  await secrets.load(db, custody);
  const credentials =
    config.mode === 'sandbox' && config.role !== 'worker' ? await seed(db, secrets, app, config, url + BASE_PATH) : undefined;
  if (credentials) await applyFixtures({ config, db, custody, secrets, app, tokenId: credentials.tokenId });
  const holder = credentials && (await findTokenHolder(db, credentials.tokenId));
  if (credentials && holder)
    sandboxToken = { tokenId: holder.id, clientId: credentials.tokenId, secret: credentials.secret, baseUrl: url + BASE_PATH };
  const consoleLink = holder && config.console !== 'off' ? await newConsoleLink(db, url, holder) : undefined;
  let worker: Worker | undefined;
  if (config.role !== 'api') {
    worker = startWorker(db, config.mode, app.jobs, log, { upkeep: app.upkeep });
    for (const { start } of app.background) start();
  }
  // The first step of a stop: whoever asks for readiness is told before anything closes. Meanwhile jobs in progress end.
  undo.push(async () => {
    app.drain();
    const delayMs = address ? config.shutdownDelayMs : 0;
    await Promise.all([worker?.stop(), delayMs > 0 && sleep(delayMs)]);
  });
  isOpen = true;
  return {
    url,
    baseUrl: url + BASE_PATH,
    metricsUrl,
    consoleLink,
    credentials,
    notices,
    isWorker: config.role === 'worker',
    operations: app.operations,
    metrics: app.metrics,
    jobs: app.jobs,
    upkeep: app.upkeep,
    db,
    hooks: app.hooks,
    stop,
  };
}

async function startEmbedded(config: Config, log: Logger, undo: (() => Promise<void>)[], notices: string[]): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  undo.push(() => postgres.stop());
  if (postgres.notice) notices.push(postgres.notice);
  return postgres.url;
}

/** A default port that is in use is no reason not to start: another service of this machine may have it. */
async function serveMetrics(
  { metrics: wanted }: Config,
  app: App,
  undo: (() => Promise<void>)[],
  notices: string[],
): Promise<string | undefined> {
  if (!wanted) return undefined;
  try {
    const { url, stop } = await startMetricsServer(wanted, app);
    undo.push(stop);
    return url;
  } catch (error) {
    const { message, code } = describeError(error);
    if (code !== 'EADDRINUSE' || !wanted.isDefaultPort) throw new ConfigError([`METRICS_HOST and METRICS_PORT: ${message || code}`]);
    notices.push(`port ${wanted.port} on ${wanted.host} is in use, so no metrics are served; set METRICS_PORT to another port, or to off.`);
    return undefined;
  }
}

/** Reports a failure under the name of the setting that caused it. */
async function blaming<Result>(setting: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    throw new ConfigError([`${setting}: ${messageForLog(error)}`]);
  }
}

export async function prepareSchema(db: Db): Promise<void> {
  const session = await blaming('DATABASE_URL', () => db.connect());
  try {
    await blaming('DATABASE_URL', () => checkServer(session));
    await blaming('DATABASE_URL', async () => migrate(session, await readMigrations()));
  } finally {
    await session.end();
  }
}

async function seed(
  db: Db,
  secrets: Parameters<typeof bootstrapSandbox>[1],
  app: App,
  config: Config,
  baseUrl: string,
): Promise<SandboxCredentials> {
  const remembered = await blaming('DATA_DIR', () => rememberedToken(config.dataDir));
  const credentials = await bootstrapSandbox(db, secrets, app.hooks, { wanted: config.bootstrapTokens, remembered });
  await blaming('DATA_DIR', () => writeEnvFile(config.dataDir, baseUrl, credentials));
  return credentials;
}

/** Before the service is ready, on the platform of its first token. */
async function applyFixtures({
  config: { fixtures },
  db,
  custody,
  secrets,
  app,
  tokenId,
}: FixtureFiles & { readonly tokenId: string }): Promise<void> {
  const op = app.operations.find(({ id }) => id === 'applySandboxFixture');
  const holder = fixtures.length > 0 ? await findTokenHolder(db, tokenId) : undefined;
  if (!op || !holder) return;
  const call = createCallOperation({ db, idempotency: { secrets, custody }, renderError: errorBody });
  const caller = { platformId: holder.platformId, tokenId: holder.id, permissions: PERMISSIONS, now: await realNow(db) };
  for (const file of fixtures)
    await blaming(`FIXTURES: ${file}`, async () => {
      const text = readFileSync(file, 'utf8');
      const body = parseJson(/\.ya?ml$/i.test(file) ? yamlToJson(text) : text);
      await call(op, caller, { params: {}, query: {}, body, headers: {} }).catch((error: unknown) => {
        if (error instanceof ApiError) throw new Error(`${error.message} ${JSON.stringify(error.details ?? {})}`);
        throw error;
      });
    });
}

type FixtureFiles = {
  readonly config: Pick<Config, 'fixtures'>;
  readonly db: Db;
  readonly custody: KeyCustody;
  readonly secrets: InstallationSecrets;
  readonly app: App;
};

/** The code stands in the fragment, which no browser sends and no server logs. */
async function newConsoleLink(db: Db, url: string, { platformId, id }: TokenHolder): Promise<string> {
  const { code } = await newConsoleCode(db, platformId, id);
  return `${url}/console#login=${code}`;
}

/** What an operator can mend is named by its setting: a value that does not open for want of its key, a database that does not serve. */
export function explainFailure(error: unknown): unknown {
  if (error instanceof UnknownKeyError)
    return new ConfigError([
      'KEY_ENCRYPTION_KEY: is not the key this database was sealed with. In sandbox it is kept in DATA_DIR/key-encryption-key.',
    ]);
  return isUnavailable(error) || isRefused(error) ? new ConfigError([`DATABASE_URL: ${messageForLog(error)}`]) : error;
}

/** The configured keys; a sandbox without one keeps its own beside its data. */
export function encryptionKeys(config: KeySettings): readonly Buffer[] {
  const file = keyFileOf(config);
  try {
    if (config.keyEncryptionKeys.length === 0 && !existsSync(file)) makeKeyFile(file);
  } catch (error) {
    throw wrongKeyFile(error);
  }
  return existingKeys(config) ?? [];
}

/** Undefined: a sandbox that has no key yet. */
export function existingKeys(config: KeySettings): readonly Buffer[] | undefined {
  if (config.keyEncryptionKeys.length > 0) return config.keyEncryptionKeys;
  const file = keyFileOf(config);
  try {
    return existsSync(file) ? parseEncryptionKeys(readFileSync(file, 'utf8').trim()) : undefined;
  } catch (error) {
    if (error instanceof WrongValue)
      throw new ConfigError([`DATA_DIR: ${file} does not hold the key that the database was sealed with. Restore it from a backup.`]);
    throw wrongKeyFile(error);
  }
}

type KeySettings = Pick<Config, 'keyEncryptionKeys' | 'dataDir'>;

const keyFileOf = ({ dataDir }: KeySettings): string => join(dataDir, 'key-encryption-key');

const wrongKeyFile = (error: unknown): ConfigError => new ConfigError([`DATA_DIR: ${describeError(error).message}`]);

/** Some mounted file systems have no links. */
function placeWhole(made: string, file: string): void {
  try {
    linkSync(made, file);
  } catch (error) {
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(describeError(error).code ?? '')) throw error;
    copyFileSync(made, file, constants.COPYFILE_EXCL);
  }
}

/** The file is there whole or not at all: another process of the same sandbox may look at any moment, and a disk may be full. */
function makeKeyFile(file: string): void {
  const made = `${file}.${process.pid}`;
  try {
    writeFileSync(made, randomBytes(32).toString('base64'), { mode: 0o600, flush: true });
    placeWhole(made, file);
  } catch (error) {
    // Another process was first; its key is the key.
    if (describeError(error).code !== 'EEXIST') throw error;
  } finally {
    rmSync(made, { force: true });
  }
}
