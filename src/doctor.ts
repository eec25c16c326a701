// `npm run doctor`: what a start would use, and what is wrong, without starting anything.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type Config, ConfigError, readConfig, SETTINGS, type Setting } from './config.js';
import { type Distribution, describeDistribution, findUnreachable, readDistribution } from './db/distribution.js';
import { findRunningPostgres } from './db/embedded.js';
import { checkServer, type MigrationStatus, migrationStatus, readMigrations } from './db/migrate.js';
import { type Db, openDb, type Session } from './db/pool.js';
import { sql } from './db/sql.js';
import { listPlatformIds, secretContext } from './domains/core/platform/actions.js';
import { describeBalances, readServiceBalances, readTotalServiceBalances, type ServiceBalance } from './domains/ledger/actions.js';
import { describeError } from './kernel/errors.js';
import { createKeyCustody, UnknownKeyError } from './providers/key-custody.js';
import { existingKeys, explainFailure } from './service.js';

type Finding = { readonly ok: boolean; readonly text: string };

const good = (text: string): Finding => ({ ok: true, text });
const bad = (text: string): Finding => ({ ok: false, text });

function settings(): void {
  for (const [name, setting] of Object.entries(SETTINGS) as [string, Setting][]) {
    const given = process.env[name]?.trim();
    const shown = given
      ? setting.secret
        ? '(set, not shown)'
        : given
      : setting.default === undefined
        ? '(unset)'
        : `${setting.default} (default)`;
    process.stdout.write(`  ${name.padEnd(32)} ${shown}\n`);
  }
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const text = `Node ${process.versions.node}`;
  return major > 20 || (major === 20 && minor >= 19) ? good(text) : bad(`${text}: 20.19 or newer is needed`);
}

async function port(name: string, host: string, wanted: number): Promise<Finding> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: Error & { code?: string }) =>
      resolve(bad(`${name} ${wanted} on ${host} cannot be used: ${error.code ?? error.message}`)),
    );
    probe.listen(wanted, host, () => probe.close(() => resolve(good(`${name} ${wanted} on ${host} is free`))));
  });
}

async function metricsPort({ metrics }: Config): Promise<Finding> {
  if (!metrics) return good('METRICS_PORT is off: no metrics are served');
  const { ok, text } = await port('METRICS_PORT', metrics.host, metrics.port);
  return ok || !metrics.isDefaultPort ? { ok, text } : good(`${text}. It is the default, so the service starts without metrics`);
}

function dataDir(path: string): Finding {
  const problem = problemOfDirectory(path);
  if (problem) return bad(`DATA_DIR ${path} cannot be used: ${problem}`);
  if (!existsSync(path)) return good(`DATA_DIR ${path} will be made`);
  return good(`DATA_DIR ${path}${existsSync(join(path, 'sandbox.env')) ? ' holds a sandbox' : ''}`);
}

/** What stands against files in a directory, or against making it. */
function problemOfDirectory(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return `${path} is not a directory`;
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code, message } = describeError(error);
    return code === 'ENOENT' && path !== dirname(path) ? problemOfDirectory(dirname(path)) : message;
  }
}

/** The error of a name with several addresses has a code and no text. */
const textOf = (error: unknown): string => {
  const { message, code } = describeError(error);
  return message || code || 'unknown error';
};

/** The server, how its schema compares with this build, and what the service-side accounts hold. The sessions are read-only. */
async function database(name: string, url: string, config: Config): Promise<Finding[]> {
  const db = openDb({ url, poolSize: 1, pooler: config.databasePooler, lockTimeoutMs: config.databaseLockTimeoutMs });
  try {
    const session = await db.connect();
    try {
      await session.query(`set default_transaction_read_only = on; set lock_timeout = ${config.databaseLockTimeoutMs}`);
      await checkServer(session);
      const { rows } = await session.query('show server_version');
      const status = await migrationStatus(session, await readMigrations());
      const isCurrent = status.pending.length === 0 && status.unknown.length === 0 && status.changed.length === 0;
      const spread = await readDistribution(session);
      const unreachable = spread.extension ? await findUnreachable(session) : [];
      return [
        good(`${name} answers: PostgreSQL ${rows[0]?.['server_version']}`),
        ...migrations(status),
        ...distribution(spread),
        ...unreachable.map(bad),
        ...(status.applied.length > 0 ? await keys(session, config) : []),
        // The balances are on all nodes.
        ...(isCurrent && unreachable.length === 0 ? await serviceBalances(db) : []),
      ];
    } finally {
      await session.end();
    }
  } catch (error) {
    return [bad(`${name} cannot be used: ${textOf(error)}`)];
  } finally {
    await db.close();
  }
}

/** A start is refused whose keys do not open what every start opens. An empty table: the first start fills it. */
async function keys(session: Session, config: Config): Promise<Finding[]> {
  const { rows } = await session.query('select name, sealed from service_secrets order by name');
  if (rows.length === 0) return [];
  try {
    const known = existingKeys(config);
    // The start would make a key.
    if (!known) throw new UnknownKeyError();
    const custody = createKeyCustody(known);
    for (const { name, sealed } of rows) custody.open(sealed as Buffer, secretContext(String(name)));
    return [good('KEY_ENCRYPTION_KEY opens what the database holds sealed')];
  } catch (error) {
    const explained = explainFailure(error);
    return explained instanceof ConfigError ? explained.problems.map(bad) : [bad(`KEY_ENCRYPTION_KEY: ${textOf(error)}`)];
  }
}

/** Platforms whose balances are listed one by one. `npm run platform -- balances` shows any. */
const PLATFORMS_LISTED = 20;

/** Of all platforms together, then of each. An account without money is left out, except RESERVE and FEES of the sum. */
async function serviceBalances(db: Db): Promise<Finding[]> {
  const [totals, ids] = await db.transaction(async (tx) => {
    await tx.run(sql`set transaction read only`);
    return [await readTotalServiceBalances(tx), await listPlatformIds(tx, undefined, PLATFORMS_LISTED + 1)] as const;
  });
  const isShown = ({ purpose, balance }: ServiceBalance) => balance !== 0n || purpose === 'RESERVE' || purpose === 'FEES';
  const findings = [good(`Service-side balances of all platforms: ${describeBalances(totals.filter(isShown))}`)];
  for (const id of ids.length > 1 ? ids.slice(0, PLATFORMS_LISTED) : []) {
    const own = (await readServiceBalances(db, id)).filter(({ balance }) => balance !== 0n);
    findings.push(good(`Service-side balances of ${id}: ${describeBalances(own)}`));
  }
  if (ids.length > PLATFORMS_LISTED) findings.push(good('Further platforms: npm run platform -- balances PLATFORM_ID'));
  return findings;
}

function migrations({ applied, pending, unknown, changed }: MigrationStatus): Finding[] {
  const listed = (names: readonly string[]) => names.join(', ') || 'none';
  const willApply = pending.length > 0 && unknown.length === 0 && changed.length === 0;
  return [
    good(`Migrations applied: ${listed(applied)}`),
    good(`Migrations pending${willApply ? ', applied at the next start' : ''}: ${listed(pending)}`),
    ...(unknown.length > 0
      ? [bad(`Migrations unknown to this build: ${listed(unknown)}. A start is refused; run the build that applied them, or a newer one`)]
      : []),
    ...(changed.length > 0 ? [bad(`Migrations changed after they were applied: ${listed(changed)}. A start is refused`)] : []),
  ];
}

/** Nothing is said of one server without the extension. */
function distribution(found: Distribution): Finding[] {
  if (!found.extension) return [];
  const named = `Citus ${found.extension}, data on ${found.nodes.join(', ') || 'no node'}`;
  const missing = describeDistribution(found);
  if (!found.isDistributed) return [bad(`${named}: the database is not distributed. npm run distribute`)];
  return missing.length === 0
    ? [good(`${named}: everything is distributed`)]
    : [bad(`${named}: npm run distribute has not finished`), ...missing.map(bad)];
}

async function embedded(config: Config): Promise<Finding[]> {
  try {
    const url = findRunningPostgres(config.dataDir);
    if (url) return await database('The embedded PostgreSQL', url, config);
    const names = (await readMigrations()).map(({ name }) => name);
    return [
      good('DATABASE_URL is not set: the service runs its own PostgreSQL'),
      good(`The embedded PostgreSQL is not running. Pending migrations are applied at start; this build has: ${names.join(', ')}`),
    ];
  } catch (error) {
    return [bad(`The embedded PostgreSQL cannot be used: ${textOf(error)}`)];
  }
}

async function findings(): Promise<Finding[]> {
  try {
    const config = readConfig(process.env);
    return [
      node(),
      dataDir(config.dataDir),
      config.role === 'worker' ? good('PORT is not used: a worker answers no requests') : await port('PORT', config.host, config.port),
      await metricsPort(config),
      ...(config.databaseUrl ? await database('DATABASE_URL', config.databaseUrl, config) : await embedded(config)),
    ];
  } catch (error) {
    if (error instanceof ConfigError) return [node(), ...error.problems.map(bad)];
    throw error;
  }
}

process.stdout.write('Settings\n');
settings();
process.stdout.write('\nChecks\n');
const found = await findings();
for (const { ok, text } of found) process.stdout.write(`  ${ok ? 'ok   ' : 'WRONG'} ${text}\n`);
process.exitCode = found.every(({ ok }) => ok) ? 0 : 1;
