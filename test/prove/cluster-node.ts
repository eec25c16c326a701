// A server of a cluster that runs on this machine: it is killed with all its processes and started again as it was.
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isRunning, killServer } from './replicas.js';

const START_TIMEOUT_MS = 60_000;

export class ClusterNode {
  /** Host and port. */
  readonly place: string;
  pid: number;
  private readonly url: string;
  private readonly dataDir: string;
  private readonly command: readonly string[];
  private readonly env: Readonly<Record<string, string>>;

  private constructor(url: string, dataDir: string, pid: number) {
    const listed = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0').filter(Boolean);
    this.place = new URL(url).host;
    this.url = url;
    this.dataDir = dataDir;
    this.pid = pid;
    this.command = listed('cmdline');
    this.env = Object.fromEntries(listed('environ').map((entry) => [entry.split('=')[0] ?? '', entry.slice(entry.indexOf('=') + 1)]));
  }

  /** The server; or why it cannot be killed from here. */
  static async find(url: string): Promise<ClusterNode | string> {
    const dataDir = await asked(url, 'show data_directory');
    try {
      const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
      return new ClusterNode(url, dataDir, pid);
    } catch (error) {
      return `the server ${new URL(url).host} is not on this machine, or belongs to somebody else: ${(error as Error).message}`;
    }
  }

  kill(): void {
    killServer(this);
  }

  /** Under the account that owns the data. Resolves when it answers. */
  async start(): Promise<void> {
    while (isRunning(this.pid)) await sleep(10);
    const { uid, gid } = statSync(this.dataDir);
    const [program = '', ...args] = this.command;
    const child = spawn(program, args, { env: this.env, uid, gid, cwd: this.dataDir, detached: true, stdio: 'ignore' });
    child.unref();
    this.pid = child.pid ?? 0;
    for (const deadline = Date.now() + START_TIMEOUT_MS; ; await sleep(50)) {
      if (await asked(this.url, 'select 1').catch(() => undefined)) return;
      if (Date.now() > deadline) throw new Error(`${this.place} did not start again`);
    }
  }
}

async function asked(url: string, question: string): Promise<string> {
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
