// Mixed writes while the service, PostgreSQL or both are killed with SIGKILL and connections are cut at random bytes.
// Acknowledged changes exist once. Other changes are complete or absent. A repeat with the same key gives one effect.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnService, stopChild, whenReady } from '../../bench/service.js';
import { startEmbeddedPostgres } from '../../src/db/embedded.js';
import type { Findings } from './crash-verify.js';
import { Load } from './load.js';
import { type Random, randomOf } from './random.js';
import { type Outcome, progressOf } from './report.js';

export type CrashOptions = {
  readonly seed: string;
  readonly kills: number;
  readonly workers?: number;
  readonly until?: number;
  readonly onProgress?: (text: string) => void;
};

const RECOVERY_TIMEOUT_MS = 30_000;
/** Share of the requests whose connection is cut. */
const CUT_SHARE = 0.12;
const PROGRESS_EVERY = 10;
const KILLS = ['service', 'postgres', 'both'] as const;
type Kill = (typeof KILLS)[number];

export async function crash({
  seed,
  kills,
  workers = 6,
  until = Number.POSITIVE_INFINITY,
  onProgress = () => {},
}: CrashOptions): Promise<Outcome[]> {
  const random = randomOf(`${seed}/crash`);
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-crash-'));
  chmodSync(dataDir, 0o711); // As root, PostgreSQL runs under another account, which must be able to reach its directory.
  const run = await Run.begin(dataDir, random);
  try {
    return await run.prove(kills, workers, until, onProgress);
  } finally {
    await run.end();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class Run {
  private readonly random: Random;
  private readonly host: Host;
  private readonly load: Load;
  private readonly counts = { service: 0, postgres: 0, both: 0 };
  private readonly failures: string[] = [];

  private constructor(random: Random, host: Host, load: Load) {
    this.random = random;
    this.host = host;
    this.load = load;
  }

  static async begin(dataDir: string, random: Random): Promise<Run> {
    const host = await Host.start(dataDir);
    return new Run(random, host, await Load.open(random, host, join(dataDir, 'acknowledged.log'), CUT_SHARE));
  }

  async end(): Promise<void> {
    await this.load.close();
    await this.host.stop();
  }

  async prove(kills: number, workers: number, until: number, onProgress: (text: string) => void): Promise<Outcome[]> {
    const found: Findings[] = [];
    await this.load.start(workers);
    try {
      for (let i = 0; i < kills && Date.now() < until; i += 1) {
        await this.load.run(this.random.int(40, 400));
        const kind = KILLS[i % KILLS.length] as Kill;
        await this.kill(kind);
        this.load.paused = true;
        found.push(await this.load.verify());
        this.load.paused = false;
        if ((i + 1) % PROGRESS_EVERY > 0) continue;
        const broken = this.outcomes(found).flatMap(({ failures }) => failures);
        onProgress(progressOf(`${i + 1} kills`, broken));
      }
    } finally {
      await this.load.stop();
    }
    await this.load.settle();
    found.push(await this.load.verify(true));
    return this.outcomes(found);
  }

  private async kill(kind: Kill): Promise<void> {
    this.counts[kind] += 1;
    if (kind !== 'service') this.host.killPostgres(this.random);
    if (kind !== 'postgres') {
      await this.host.killService();
      // Sometimes it is killed again during its start.
      if (this.random.chance(0.15)) await this.host.killWhileStarting(this.random.int(1, 600));
      await this.host.startService();
    }
    const started = Date.now();
    while (!(await this.host.isReady())) {
      if (!this.host.isRunning) {
        this.failures.push(`the service ended after the kill of ${kind} (seed ${this.random.seed})`);
        await this.host.startService();
      }
      if (Date.now() - started > RECOVERY_TIMEOUT_MS) {
        this.failures.push(`not ready ${RECOVERY_TIMEOUT_MS} ms after the kill of ${kind} (seed ${this.random.seed})`);
        return;
      }
      await sleep(20);
    }
  }

  private outcomes(found: readonly Findings[]): Outcome[] {
    const { service, postgres, both } = this.counts;
    const { cuts } = this.load.counts;
    const note = `${service} × service, ${postgres} × PostgreSQL, ${both} × both, ${cuts} cut connections, ${this.load.intents.length} requests, seed ${this.random.seed}`;
    return [
      { goal: 'crash: the service recovers without intervention', trials: service + postgres + both, failures: this.failures },
      ...this.load.outcomes('crash', found, note),
    ];
  }
}

/** The service with its embedded PostgreSQL, on a fixed port. */
class Host {
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

  static async start(dataDir: string): Promise<Host> {
    const credentials = `crash:${randomBytes(24).toString('base64url')}`;
    const port = await freePort();
    const env = {
      DATA_DIR: dataDir,
      PORT: String(port),
      METRICS_PORT: 'off',
      BOOTSTRAP_TOKEN: credentials,
      DATABASE_URL: '',
      LOG_LEVEL: 'silent',
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

  async startService(): Promise<void> {
    this.child = spawnService(this.env);
    await whenReady(this.child);
  }

  /** False if the service exited because PostgreSQL was killed; it must recover instead. */
  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async killService(): Promise<void> {
    await killed(this.child);
  }

  async killWhileStarting(afterMs: number): Promise<void> {
    this.child = spawnService(this.env);
    await sleep(afterMs);
    await this.killService();
  }

  /** Kills the postmaster, or one of its backends, which makes the postmaster restart all of them. */
  killPostgres(random: Random): void {
    const postmaster = Number(readFileSync(join(this.cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const victim = random.chance(0.6) ? postmaster : (childOf(postmaster, random) ?? postmaster);
    try {
      process.kill(victim, 'SIGKILL');
    } catch (error) {
      if ((error as { code?: string }).code !== 'ESRCH') throw error; // it has already exited
    }
  }

  async isReady(): Promise<boolean> {
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
