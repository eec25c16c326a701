// The embedded PostgreSQL: first start, restart, kill -9, concurrent starts, root.
import '../support/own-process.js';
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { type EmbeddedOptions, type EmbeddedPostgres, EmbeddedPostgresError, startEmbeddedPostgres } from '../../src/db/embedded.js';
import { findPackage, prepareBinaries } from '../../src/db/embedded-binaries.js';

const log = pino({ level: 'silent' });
const isRoot = process.getuid?.() === 0;
const root = mkdtempSync(join(tmpdir(), 'embedded-test-'));
// mkdtemp makes the directory private; the account of PostgreSQL must be able to traverse it.
chmodSync(root, 0o711);

let directories = 0;
const newDataDir = () => join(root, `d${++directories}`);

const running: EmbeddedPostgres[] = [];
async function start(dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log, ...options });
  running.push(postgres);
  return postgres;
}

async function query<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 30_000; !(await holds()); ) {
    assert.ok(performance.now() < deadline, `not reached within 30 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const isAlive = (pid: number) => {
  try {
    // A zombie process has no command line.
    return process.platform === 'linux' ? readFileSync(`/proc/${pid}/cmdline`).length > 0 : process.kill(pid, 0);
  } catch {
    return false;
  }
};

const children: ChildProcess[] = [];
/** A separate process that starts the database, prints its pid, and runs `then`. */
function spawnService(dataDir: string, then = 'setInterval(() => {}, 60_000);'): ChildProcess {
  const module = fileURLToPath(new URL('../../src/db/embedded.js', import.meta.url));
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(module)};
    const log = { info() {}, warn() {}, error() {} };
    const postgres = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log });
    process.stdout.write(postgres.pid + '\\n');
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

async function printedPid(child: ChildProcess): Promise<number> {
  assert.ok(child.stdout);
  const [printed] = await once(child.stdout, 'data');
  return Number(String(printed));
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

// initdb takes a second, so most tests start with a copy of a cluster.
const template = newDataDir();
function copyOfTemplate(): string {
  const dataDir = newDataDir();
  execFileSync('cp', ['-a', template, dataDir]);
  return dataDir;
}

before(async () => {
  const first = await startEmbeddedPostgres({ dataDir: template, log });
  await query(first.url, 'create table kept as select 42 as answer');
  await first.stop();
});

afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop();
  for (const child of children.splice(0)) if (child.exitCode === null && child.signalCode === null) await kill(child);
});

after(() => rmSync(root, { recursive: true, force: true }));

async function assertKept(url: string): Promise<void> {
  assert.deepEqual(await query(url, 'select answer from kept'), [{ answer: 42 }]);
}

/** Kills PostgreSQL while the service runs, and waits for its restart. */
async function assertRestarts(postgres: EmbeddedPostgres): Promise<void> {
  const { pid, url } = postgres;
  process.kill(pid, 'SIGKILL');
  await until('another PostgreSQL', () => postgres.pid !== pid);
  assert.equal(postgres.url, url);
  assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }]);
}

describe('the first start', () => {
  test('creates a durable database in UTC and UTF-8 with a private socket', async () => {
    const dataDir = newDataDir();
    const postgres = await start(dataDir);

    const names = [
      'fsync',
      'full_page_writes',
      'synchronous_commit',
      'data_checksums',
      'TimeZone',
      'server_encoding',
      'listen_addresses',
      'jit',
    ];
    const settings = await query<{ name: string; setting: string }>(postgres.url, 'select name, setting from pg_settings');
    const found = Object.fromEntries(settings.filter(({ name }) => names.includes(name)).map(({ name, setting }) => [name, setting]));
    assert.deepEqual(found, {
      ...{ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', data_checksums: 'on' },
      ...{ TimeZone: 'UTC', server_encoding: 'UTF8', listen_addresses: '', jit: 'off' },
    });
    assert.deepEqual(
      await query(postgres.url, 'select current_database() as name, datcollate from pg_database where datname = current_database()'),
      [{ name: 'switchyard', datcollate: 'C' }],
    );
    const socketDir = new URL(postgres.url).searchParams.get('host');
    assert.ok(socketDir);
    assert.equal(statSync(socketDir).mode & 0o777, 0o700);
    assert.equal(postgres.notice, undefined);
    assert.ok(postgres.dataDir.startsWith(dataDir));
  });

  test('does not pass secrets of the environment to PostgreSQL', { skip: process.platform !== 'linux' }, async () => {
    process.env['KEY_ENCRYPTION_KEY'] = 'not for PostgreSQL';
    try {
      const { pid } = await start(copyOfTemplate());
      assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'utf8'), /KEY_ENCRYPTION_KEY/);
    } finally {
      delete process.env['KEY_ENCRYPTION_KEY'];
    }
  });

  test('a kill during initdb is repaired by the next start', async () => {
    const dataDir = newDataDir();
    const base = join(dataDir, 'postgres');
    const child = spawnService(dataDir);
    await until(
      'initdb is running',
      () => existsSync(base) && readdirSync(base).some((name) => existsSync(join(base, name, 'cluster', 'PG_VERSION'))),
    );
    await kill(child);
    assert.ok(!existsSync(join(base, 'cluster')), 'no incomplete cluster under the final name');

    const postgres = await start(dataDir);
    assert.deepEqual(await query(postgres.url, 'select 1 as one'), [{ one: 1 }]);
  });

  test('of two concurrent starts one runs and the other is refused', async () => {
    const dataDir = newDataDir();
    const outcomes = await Promise.allSettled([start(dataDir), start(dataDir)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const postgres = running[0];
    assert.ok(postgres);
    assert.deepEqual(await query(postgres.url, 'select 1 as one'), [{ one: 1 }]);
  });
});

describe('a later start', () => {
  test('finds the existing data', async () => {
    const dataDir = copyOfTemplate();
    await assertKept((await start(dataDir)).url);
  });

  test('is refused while another service runs, which is not affected', async () => {
    const dataDir = copyOfTemplate();
    const first = await start(dataDir);
    await assert.rejects(start(dataDir), (error: Error) => {
      assert.ok(error instanceof EmbeddedPostgresError);
      assert.match(error.message, new RegExp(`${dataDir} is in use by switchyard, process ${process.pid} on `));
      return true;
    });
    await assertKept(first.url);
    await first.stop();
    await assertKept((await start(dataDir)).url);
  });

  test('with an invalid PostgreSQL setting is refused with the reason, and a valid setting works afterwards', async () => {
    const dataDir = copyOfTemplate();
    await assert.rejects(
      start(dataDir, { settings: { shared_buffers: 'lots' } }),
      /PostgreSQL did not start: .*invalid value for parameter "shared_buffers"/,
    );
    const { url } = await start(dataDir, { settings: { shared_buffers: '16MB' } });
    assert.deepEqual(await query(url, 'show shared_buffers'), [{ shared_buffers: '16MB' }]);
  });

  test('on a cluster of another PostgreSQL version is refused and names both versions', async () => {
    const dataDir = copyOfTemplate();
    const file = join(dataDir, 'postgres', 'cluster', 'PG_VERSION');
    const made = readFileSync(file, 'utf8').trim();
    writeFileSync(file, '12\n');
    await assert.rejects(start(dataDir), new RegExp(`made by PostgreSQL 12, and this release brings PostgreSQL ${made}`));
  });

  test('on a directory without a valid cluster is refused and writes nothing', async () => {
    const dataDir = copyOfTemplate();
    const cluster = join(dataDir, 'postgres', 'cluster');
    rmSync(join(cluster, 'PG_VERSION'));
    const before = readdirSync(cluster);
    await assert.rejects(start(dataDir), /PG_VERSION is missing/);
    assert.deepEqual(readdirSync(cluster), before);
  });

  test('works in a directory with special characters of PostgreSQL and of URLs', async () => {
    const dataDir = join(newDataDir(), 'a, "b" %20 = ü?#');
    const { url } = await start(dataDir);
    assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }]);
  });

  test('with a path too long for a socket listens on loopback and requires a password', async () => {
    const dataDir = join(copyOfTemplate(), ...Array.from({ length: 4 }, () => 'long'.repeat(10)));
    const postgres = await start(dataDir);
    const { url, dataDir: cluster } = postgres;
    const address = new URL(url);
    assert.equal(address.hostname, '127.0.0.1');
    assert.equal(statSync(join(cluster, 'switchyard-password')).mode & 0o777, 0o600);
    assert.deepEqual(await query(url, 'show listen_addresses'), [{ listen_addresses: '127.0.0.1' }]);
    address.password = 'wrong';
    await assert.rejects(query(address.href, 'select 1'), /password authentication failed/);
    await assertRestarts(postgres);
  });
});

describe('kill -9', () => {
  test('of the service: the next start adopts the orphaned PostgreSQL', async () => {
    const dataDir = copyOfTemplate();
    const child = spawnService(dataDir);
    const pid = await printedPid(child);
    await kill(child);
    assert.ok(isAlive(pid));

    const postgres = await start(dataDir);
    assert.equal(postgres.pid, pid);
    await assertKept(postgres.url);
    await postgres.stop();
    assert.ok(!isAlive(pid));
  });

  test('of the service: the next start with other settings restarts the orphaned PostgreSQL', async () => {
    const dataDir = copyOfTemplate();
    const child = spawnService(dataDir);
    const pid = await printedPid(child);
    await kill(child);

    const postgres = await start(dataDir, { settings: { shared_buffers: '16MB' } });
    assert.notEqual(postgres.pid, pid);
    assert.deepEqual(await query(postgres.url, 'show shared_buffers'), [{ shared_buffers: '16MB' }]);
    await assertKept(postgres.url);
  });

  test('of the service and PostgreSQL: the next start recovers', async () => {
    const dataDir = copyOfTemplate();
    const child = spawnService(dataDir);
    const pid = await printedPid(child);
    await kill(child);
    process.kill(pid, 'SIGKILL');
    await assertKept((await start(dataDir)).url);
  });

  test('of PostgreSQL while the service runs: it is restarted at the same address', async () => {
    const postgres = await start(copyOfTemplate());
    await assertRestarts(postgres);
    await assertKept(postgres.url);
  });

  test('a stale pid file with the pid of another process does not prevent the next start', async () => {
    const dataDir = copyOfTemplate();
    const base = join(dataDir, 'postgres');
    const { uid, gid } = statSync(base);
    // Of the same user: otherwise PostgreSQL itself would detect that it is not a postmaster.
    const otherProcess = spawn('sleep', ['600'], { uid, gid, stdio: 'ignore', cwd: '/' });
    children.push(otherProcess);
    await once(otherProcess, 'spawn');
    const lines = [otherProcess.pid, join(base, 'cluster'), 1, 5432, join(base, 'socket'), '', ' 1 1', 'ready', ''];
    writeFileSync(join(base, 'cluster', 'postmaster.pid'), lines.join('\n'));
    writeFileSync(join(base, 'socket', '.s.PGSQL.5432.lock'), lines.join('\n'));

    await assertKept((await start(dataDir)).url);
    assert.equal(otherProcess.exitCode ?? otherProcess.signalCode, null, 'the other process still runs');
  });
});

describe('the end of the process', () => {
  test('process.exit() without stop() also stops PostgreSQL', async () => {
    const child = spawnService(copyOfTemplate(), 'process.exit(0);');
    const pid = await printedPid(child);
    await until('PostgreSQL ended', () => !isAlive(pid));
  });

  test('PostgreSQL does not keep an idle process alive', async () => {
    const child = spawnService(copyOfTemplate(), '');
    const pid = await printedPid(child);
    await until('PostgreSQL ended', () => !isAlive(pid));
  });

  test('stop() stops PostgreSQL and can be called twice', async () => {
    const postgres = await start(copyOfTemplate());
    await Promise.all([postgres.stop(), postgres.stop()]);
    assert.ok(!isAlive(postgres.pid));
    assert.ok(!existsSync(join(postgres.dataDir, 'postmaster.pid')), 'a clean shutdown');
  });
});

describe('a second program on the same data directory', () => {
  test('uses the PostgreSQL of the service and leaves it running', async () => {
    const dataDir = copyOfTemplate();
    const service = await start(dataDir);
    const tool = await start(dataDir, { exclusive: false });
    assert.equal(tool.pid, service.pid);
    await tool.stop();
    await assertKept(service.url);
  });

  test('that started first with other settings is not interrupted, and the service can stop last', async () => {
    const dataDir = copyOfTemplate();
    const tool = await start(dataDir, { exclusive: false, settings: { shared_buffers: '16MB' } });
    const service = await start(dataDir);
    assert.equal(service.pid, tool.pid);
    await tool.stop();
    await assertKept(service.url);
  });

  test('that runs longer than the service stops PostgreSQL', async () => {
    const dataDir = copyOfTemplate();
    const service = await start(dataDir);
    const tool = await start(dataDir, { exclusive: false });
    await service.stop();
    await assertKept(tool.url);
    await tool.stop();
    assert.ok(!isAlive(tool.pid));
  });
});

describe('the PostgreSQL binaries of the npm package', () => {
  /** The package as npm leaves it when install scripts are off. */
  function packageWithoutLinks(): string {
    const home = newDataDir();
    cpSync(findPackage(), home, { recursive: true, filter: (path) => !path.endsWith('.a'), verbatimSymlinks: true });
    for (const { target } of JSON.parse(readFileSync(join(home, 'native', 'pg-symlinks.json'), 'utf8')) as { target: string }[]) {
      rmSync(join(home, target), { force: true });
    }
    return home;
  }
  const place = () => {
    const base = newDataDir();
    mkdirSync(base);
    const runAs = isRoot ? { uid: 65534, gid: 65534 } : undefined;
    return { base, runAs, notice: undefined };
  };

  test('work without the install script, also if several processes prepare them at once', async () => {
    const home = packageWithoutLinks();
    const found = await Promise.all([prepareBinaries(place(), home), prepareBinaries(place(), home)]);
    for (const binaries of found) {
      assert.match(binaries.version, /^\d+\.\d+/);
      assert.equal(binaries.notice, undefined);
    }
  });

  test('are copied, with a notice, if they cannot be used in place', async (t) => {
    const home = packageWithoutLinks();
    // Root can write everywhere, so as root the account of PostgreSQL is locked out instead.
    const [shut, mode] = isRoot ? [home, 0o700] : [join(home, 'native', 'lib'), 0o500];
    chmodSync(shut, mode);
    t.after(() => chmodSync(shut, 0o755));
    const { base, ...rest } = place();
    const binaries = await prepareBinaries({ base, ...rest }, home);
    assert.ok(binaries.postgres.startsWith(base));
    assert.match(binaries.notice ?? '', isRoot ? /cannot be read by the account/ : /node_modules is read-only/);
  });
});

describe('as root', { skip: !isRoot }, () => {
  /** A DATA_DIR in a directory that only root can read, such as root's home. */
  function closedDataDir(): string {
    const home = newDataDir();
    mkdirSync(home, { mode: 0o700 });
    return join(home, '.data');
  }
  const moved: string[] = [];
  async function startClosed(dataDir: string): Promise<EmbeddedPostgres> {
    const postgres = await start(dataDir);
    moved.push(join(postgres.dataDir, '..'));
    return postgres;
  }
  after(() => {
    for (const base of moved) rmSync(base, { recursive: true, force: true });
  });

  test('PostgreSQL runs under another account, which owns the cluster', async () => {
    const { pid, dataDir } = await start(copyOfTemplate());
    const { uid } = statSync(dataDir);
    assert.notEqual(uid, 0);
    assert.equal(statSync(`/proc/${pid}`).uid, uid);
  });

  test('if that account cannot reach DATA_DIR, the database is stored elsewhere, and every start reports it', async () => {
    const dataDir = closedDataDir();
    const first = await startClosed(dataDir);
    assert.ok(!first.dataDir.startsWith(dataDir));
    assert.match(first.notice ?? '', new RegExp(`cannot reach ${dataDir}: the database is kept in ${join(first.dataDir, '..')}`));
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();

    const second = await start(dataDir);
    assert.equal(second.dataDir, first.dataDir);
    assert.equal(second.notice, first.notice);
    await assertKept(second.url);
    await second.stop();

    rmSync(join(second.dataDir, '..'), { recursive: true });
    await assert.rejects(start(dataDir), /that directory is gone/);
    rmSync(dataDir, { recursive: true });
    const anew = await startClosed(dataDir);
    await assert.rejects(assertKept(anew.url), /relation "kept" does not exist/);
  });

  test('a cluster that belongs to root is refused, and the error names the chown command', async () => {
    const dataDir = copyOfTemplate();
    execFileSync('chown', ['-R', '0:0', dataDir]);
    await assert.rejects(start(dataDir), /belongs to root.*chown -R/);
  });
});
