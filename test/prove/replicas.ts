// A primary and a synchronous standby, made with the PostgreSQL programs that npm brings. A standby is a copy of the files of its primary,
// so no further program is needed.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/db/embedded.js';
import { type Binaries, prepareBinaries, spawned } from '../../src/db/embedded-binaries.js';
import { choosePlace, type Place } from '../../src/db/embedded-place.js';

const USER = 'switchyard';
const REPLICATION_TIMEOUT_MS = 60_000;

/** Why no pair can be made on this machine; undefined if one can. */
export const missingForReplicas = (): string | undefined =>
  process.platform === 'linux' ? undefined : 'it needs Linux, whose /proc lists the processes of the server that is killed';

type Node = { readonly name: string; readonly cluster: string; readonly port: number; pid: number };

export class Replicas {
  /** Names both servers. */
  readonly url: string;
  readonly version: string;
  private primary: Node;
  private standby: Node;
  private readonly directory: string;
  private readonly place: Place;
  private readonly binaries: Binaries;
  private readonly password: string;

  private constructor({ directory, place, binaries, password }: Base, first: Node, second: Node) {
    this.directory = directory;
    this.place = place;
    this.binaries = binaries;
    this.password = password;
    this.version = binaries.version;
    this.primary = first;
    this.standby = second;
    this.url = `postgresql://${USER}:${password}@127.0.0.1:${first.port},127.0.0.1:${second.port}/switchyard?target_session_attrs=read-write`;
  }

  static async start(): Promise<Replicas> {
    const directory = mkdtempSync(join(tmpdir(), 'switchyard-replicas-'));
    chmodSync(directory, 0o711); // As root, PostgreSQL runs under another account, which must be able to reach its directory.
    const dataDir = join(directory, 'data');
    // Makes the cluster, its account and its database.
    const made = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {}, error() {} } });
    await made.stop();
    const place = choosePlace(dataDir);
    const binaries = await prepareBinaries(place);
    const password = readFileSync(join(made.dataDir, 'switchyard-password'), 'utf8').trim();
    const first = { name: 'node_a', cluster: made.dataDir, port: await freePort(), pid: 0 };
    const second = { name: 'node_b', cluster: join(place.base, 'second'), port: await freePort(), pid: 0 };
    const pair = new Replicas({ directory, place, binaries, password }, first, second);
    try {
      await pair.startServer(first);
      await pair.joinStandby();
      return pair;
    } catch (error) {
      await pair.stop();
      throw error;
    }
  }

  /** Kills the primary with all its processes. Nothing of it can answer any more. */
  killPrimary(): void {
    killServer(this.primary);
  }

  /** Kills the standby: commits of the primary wait for it until it is back. */
  killStandby(): void {
    killServer(this.standby);
  }

  /** The standby becomes the primary. It has no standby of its own yet, so it waits for none. */
  async promote(): Promise<void> {
    await this.on(this.standby, 'postgres', (client) => client.query('select pg_promote(true)'));
    [this.primary, this.standby] = [this.standby, this.primary];
  }

  /** Makes the other server a copy of the primary, lets it follow, and lets commits wait for it. */
  async joinStandby(): Promise<void> {
    const { primary, standby } = this;
    rmSync(standby.cluster, { recursive: true, force: true });
    await this.on(primary, 'postgres', async (client) => {
      await client.query(`select pg_backup_start('standby', true)`);
      copy(primary.cluster, standby.cluster);
      const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
      writeFileSync(join(standby.cluster, 'backup_label'), String(rows[0]?.labelfile));
    });
    // What the running primary wrote for itself.
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(standby.cluster, name), { force: true });
    const conninfo = `host=127.0.0.1 port=${primary.port} user=${USER} password=${this.password} application_name=${standby.name}`;
    appendFileSync(join(standby.cluster, 'postgresql.auto.conf'), `\nprimary_conninfo = '${conninfo}'\nsynchronous_standby_names = ''\n`);
    writeFileSync(join(standby.cluster, 'standby.signal'), '');
    this.give(['backup_label', 'standby.signal'].map((name) => join(standby.cluster, name)));
    await this.startServer(standby);
    await this.on(primary, 'postgres', async (client) => {
      await client.query(`alter system set synchronous_standby_names = '${standby.name}'`);
      await client.query('select pg_reload_conf()');
      for (const deadline = Date.now() + REPLICATION_TIMEOUT_MS; ; await sleep(20)) {
        const { rows } = await client.query(
          `select from pg_stat_replication where application_name = '${standby.name}' and sync_state = 'sync'`,
        );
        if (rows.length > 0) return;
        if (Date.now() > deadline) throw new Error('the standby does not follow the primary');
      }
    });
  }

  async stop(): Promise<void> {
    for (const node of [this.standby, this.primary]) killServer(node);
    for (const { pid } of [this.standby, this.primary]) while (pid > 0 && isRunning(pid)) await sleep(10);
    for (const path of [this.place.base, this.directory]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  }

  private async startServer(node: Node): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port: String(node.port),
      cluster_name: node.name,
      timezone: 'UTC',
      fsync: 'on',
      synchronous_commit: 'on',
      // A copy is made while the primary goes on: the log since its begin must still be there.
      wal_keep_size: '2GB',
      max_connections: '100',
      jit: 'off',
      log_min_messages: 'fatal',
    };
    const log = openSync(join(this.directory, `${node.name}.log`), 'a');
    const args = ['-D', node.cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const child = await spawned(this.place, this.binaries.postgres, args, ['ignore', log, log], true).finally(() => closeSync(log));
    node.pid = child.pid as number;
    for (const deadline = Date.now() + REPLICATION_TIMEOUT_MS; ; await sleep(20)) {
      if (await this.on(node, 'postgres', (client) => client.query('select 1')).catch(() => undefined)) return;
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`PostgreSQL did not start: ${readFileSync(join(this.directory, `${node.name}.log`), 'utf8')}`);
    }
  }

  /** Files that root makes belong to the account that runs PostgreSQL. */
  private give(paths: readonly string[]): void {
    if (this.place.runAs) for (const path of paths) chownSync(path, this.place.runAs.uid, this.place.runAs.gid);
  }

  private async on<Result>({ port }: Node, database: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ host: '127.0.0.1', port, user: USER, password: this.password, database });
    client.on('error', () => {});
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

type Base = { readonly directory: string; readonly place: Place; readonly binaries: Binaries; readonly password: string };

/** Files may vanish while a running server is copied; the log that is replayed tells what they were. */
function copy(from: string, to: string): void {
  const { stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  const problems = stderr.split('\n').filter((line) => line !== '' && !line.endsWith('No such file or directory'));
  if (problems.length > 0) throw new Error(`the cluster could not be copied: ${problems[0]}`);
  // The log is streamed: a file of it that was copied while it was written would end anywhere.
  for (const entry of readdirSync(join(to, 'pg_wal'), { withFileTypes: true })) if (entry.isFile()) rmSync(join(to, 'pg_wal', entry.name));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error; // it has already exited
  }
}

/** Kills the postmaster and its processes. */
export function killServer({ pid }: Pick<Node, 'pid'>): void {
  if (pid === 0 || !isRunning(pid)) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  for (const each of [pid, ...children]) kill(each);
}

/** A process that has ended is listed until its parent has read how. */
export const isRunning = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

/** A port for a server that is started, killed and started again. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
