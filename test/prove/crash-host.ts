// The service with its embedded PostgreSQL as processes that are killed with SIGKILL.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnService, stopChild, whenReady } from '../../bench/service.js';
import { startEmbeddedPostgres } from '../../src/db/embedded.js';
import type { Random } from './random.js';

const RECOVERY_TIMEOUT_MS = 30_000;
export const KILLS = ['service', 'postgres', 'both'] as const;
export type Kill = (typeof KILLS)[number];

/** Does the work with a directory for the data of a host. */
export async function onHostDirectory<Result>(work: (dataDir: string) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-crash-'));
  chmodSync(dataDir, 0o711); // As root, PostgreSQL runs under another account, which must be able to reach its directory.
  try {
    return await work(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The service with its embedded PostgreSQL, on a fixed port. */
export class Host {
  private readonly origin: string;
  readonly authorization: string;
  readonly databaseUrl: string;
  private readonly env: Readonly<Record<string, string>>;
  private readonly cluster: string;
  private child: ChildProcess;

  private constructor(
    url: string,
    credentials: string,
    env: Record<string, string>,
    child: ChildProcess,
    database: { url: string; dataDir: string },
  ) {
    this.origin = url;
    this.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    this.env = env;
    this.child = child;
    this.databaseUrl = database.url;
    this.cluster = database.dataDir;
  }

  static async start(dataDir: string, settings: Readonly<Record<string, string>> = {}): Promise<Host> {
    const credentials = `crash:${randomBytes(24).toString('base64url')}`;
    const port = await freePort();
    const env = {
      DATA_DIR: dataDir,
      PORT: String(port),
      METRICS_PORT: 'off',
      BOOTSTRAP_TOKEN: credentials,
      DATABASE_URL: '',
      LOG_LEVEL: 'silent',
      ...settings,
    };
    const child = spawnService(env);
    await whenReady(child);
    const silent = { info() {}, warn() {}, error() {} };
    const database = await startEmbeddedPostgres({ dataDir, log: silent, exclusive: false });
    await database.stop(); // started only to read its location; the service keeps it running
    return new Host(`http://127.0.0.1:${port}`, credentials, env, child, database);
  }

  url(): string {
    return this.origin;
  }

  /** Kills and waits for the recovery. Returns what prevented it. */
  async kill(kind: Kill, random: Random): Promise<string[]> {
    const failures: string[] = [];
    if (kind !== 'service') this.killPostgres(random);
    if (kind !== 'postgres') {
      await this.killService();
      // Sometimes it is killed again during its start.
      if (random.chance(0.15)) await this.killWhileStarting(random.int(1, 600));
      await this.startService();
    }
    const started = Date.now();
    while (!(await this.isReady())) {
      if (!this.isRunning) {
        failures.push(`the service ended after the kill of ${kind} (seed ${random.seed})`);
        await this.startService();
      }
      if (Date.now() - started > RECOVERY_TIMEOUT_MS) {
        failures.push(`not ready ${RECOVERY_TIMEOUT_MS} ms after the kill of ${kind} (seed ${random.seed})`);
        return failures;
      }
      await sleep(20);
    }
    return failures;
  }

  private async startService(): Promise<void> {
    this.child = spawnService(this.env);
    await whenReady(this.child);
  }

  /** False if the service exited because PostgreSQL was killed; it must recover instead. */
  private get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  private async killService(): Promise<void> {
    await killed(this.child);
  }

  private async killWhileStarting(afterMs: number): Promise<void> {
    this.child = spawnService(this.env);
    await sleep(afterMs);
    await this.killService();
  }

  /** Kills the postmaster, or one of its backends, which makes the postmaster restart all of them. */
  private killPostgres(random: Random): void {
    const postmaster = Number(readFileSync(join(this.cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const victim = random.chance(0.6) ? postmaster : (childOf(postmaster, random) ?? postmaster);
    try {
      process.kill(victim, 'SIGKILL');
    } catch (error) {
      if ((error as { code?: string }).code !== 'ESRCH') throw error; // it has already exited
    }
  }

  private async isReady(): Promise<boolean> {
    return fetch(`${this.origin}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  stop(): Promise<void> {
    return stopChild(this.child);
  }
}

/** Kills a process with SIGKILL and waits for its exit. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

function childOf(pid: number, random: Random): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return children.length > 0 ? Number(random.pick(children)) : undefined;
  } catch {
    return undefined; // not Linux, or the process has exited
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
