// A server of a cluster that runs on this machine: it is killed with all its processes and started again as it was.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isRunning, killServer } from './replicas.js';

const START_TIMEOUT_MS = 60_000;

export class ClusterNode {
  /** Host and port. */
  readonly place: string;
  pid: number;
  readonly url: string;
  readonly dataDir: string;
  private readonly command: readonly string[];
  private readonly env: Readonly<Record<string, string>>;

  private constructor(url: string, dataDir: string, pid: number, { command, env }: Program) {
    this.place = new URL(url).host;
    this.url = url;
    this.dataDir = dataDir;
    this.pid = pid;
    this.command = command;
    this.env = env;
  }

  /** The server; or why it cannot be killed from here. */
  static async find(url: string): Promise<ClusterNode | string> {
    const dataDir = await asked(url, 'show data_directory');
    try {
      const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
      return new ClusterNode(url, dataDir, pid, programOf(pid));
    } catch (error) {
      return `the server ${new URL(url).host} is not on this machine, or belongs to somebody else: ${(error as Error).message}`;
    }
  }

  /** The same server with the data of another directory, which is not started. */
  from(dataDir: string): ClusterNode {
    const command = this.command.map((word) => (word === this.dataDir ? dataDir : word));
    if (!command.includes(dataDir)) throw new Error(`${this.place} was not started with -D ${this.dataDir}`);
    return new ClusterNode(this.url, dataDir, 0, { command, env: this.env });
  }

  /** The account that the data belongs to. */
  get owner(): { readonly uid: number; readonly gid: number } {
    return statSync(this.dataDir);
  }

  kill(): void {
    killServer(this);
  }

  async ended(): Promise<void> {
    while (this.pid > 0 && isRunning(this.pid)) await sleep(10);
  }

  /** Under the account that owns the data. Resolves when it answers. */
  async start(): Promise<void> {
    await this.ended();
    const { uid, gid } = this.owner;
    const [program = '', ...args] = this.command;
    const log = join(this.dataDir, 'switchyard-start.log');
    let child: ChildProcess | undefined;
    for (const deadline = Date.now() + START_TIMEOUT_MS; ; await sleep(50)) {
      // A server ends at once as long as the process that its lock file names is listed, which the parent of that process decides.
      if (child?.exitCode !== null) {
        const output = openSync(log, 'w');
        child = spawn(program, args, { env: this.env, uid, gid, cwd: this.dataDir, detached: true, stdio: ['ignore', output, output] });
        closeSync(output);
        child.unref();
        this.pid = child.pid ?? 0;
      }
      if (await asked(this.url, 'select 1').catch(() => undefined)) return;
      if (Date.now() > deadline) throw new Error(`${this.place} did not start again: ${readFileSync(log, 'utf8').slice(-2_000)}`);
    }
  }
}

type Program = { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> };

function programOf(pid: number): Program {
  const listed = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0').filter(Boolean);
  return {
    command: listed('cmdline'),
    env: Object.fromEntries(listed('environ').map((entry) => [entry.split('=')[0] ?? '', entry.slice(entry.indexOf('=') + 1)])),
  };
}

/** The first column of the first row. */
export async function asked(url: string, question: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text: question, rowMode: 'array' });
    return String((rows[0] as unknown[] | undefined)?.[0]);
  } finally {
    await client.end();
  }
}
