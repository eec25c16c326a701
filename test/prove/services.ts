// Several processes of the service on one database, and a balancer that sends each new connection to one that is ready.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnService, whenReady } from '../../bench/service.js';
import type { Target } from './load.js';

const CHECK_MS = 100;

type Running = { readonly role: string; readonly child: ChildProcess; readonly url: string; isReady: boolean };

export type ServicesOptions = {
  readonly databaseUrl: string;
  /** For the data of the processes. */
  readonly directory: string;
  /** One process for each: `all`, `api` or `worker`. */
  readonly roles: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

export class Services implements Target {
  readonly tokenId = 'prove';
  readonly secret = randomBytes(24).toString('base64url');
  readonly authorization = `Basic ${Buffer.from(`${this.tokenId}:${this.secret}`).toString('base64')}`;
  readonly databaseUrl: string;
  private readonly processes: Running[] = [];
  private readonly env: Readonly<Record<string, string>>;
  private readonly directory: string;
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();
  private turn = 0;

  private constructor({ databaseUrl, directory, env = {} }: ServicesOptions) {
    this.databaseUrl = databaseUrl;
    this.directory = directory;
    this.env = {
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_TOKEN: `${this.tokenId}:${this.secret}`,
      KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'silent',
      ...env,
    };
  }

  static async start(options: ServicesOptions): Promise<Services> {
    const services = new Services(options);
    try {
      for (const role of options.roles) services.processes.push(await services.startOne(role));
    } catch (error) {
      await services.stop();
      throw error;
    }
    services.watching = services.watch();
    return services;
  }

  /** The API process whose turn it is, of those that were ready at the last look. */
  url(): string {
    const serving = this.serving();
    const ready = serving.filter(({ isReady }) => isReady);
    const candidates = ready.length > 0 ? ready : serving;
    this.turn += 1;
    return (candidates[this.turn % candidates.length] as Running).url;
  }

  /** The addresses of the API processes. */
  urls(): string[] {
    return this.serving().map(({ url }) => url);
  }

  get count(): number {
    return this.processes.length;
  }

  get areRunning(): boolean {
    return this.processes.every(({ child }) => child.exitCode === null && child.signalCode === null);
  }

  async areReady(): Promise<boolean> {
    const answers = await Promise.all(this.serving().map(isReady));
    return answers.every(Boolean);
  }

  /** Stops a process as a supervisor does, starts another in its place, and answers the exit code of the first. */
  async restart(index: number): Promise<number | null> {
    const { child, role } = this.processes[index] as Running;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    this.processes[index] = await this.startOne(role);
    return code;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await Promise.all(
      this.processes.map(async ({ child }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }),
    );
  }

  private serving(): Running[] {
    return this.processes.filter(({ role }) => role !== 'worker');
  }

  private async startOne(role: string): Promise<Running> {
    const child = spawnService({
      ...this.env,
      ROLE: role,
      DATA_DIR: join(this.directory, `data-${role}-${randomBytes(4).toString('hex')}`),
    });
    const url = role === 'worker' ? await whenWorkerReady(child) : new URL(await whenReady(child)).origin;
    return { role, child, url, isReady: true };
  }

  private async watch(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await Promise.all(
        this.serving().map(async (running) => {
          running.isReady = await isReady(running);
        }),
      );
      await sleep(CHECK_MS, undefined, { signal: this.stopping.signal }).catch(() => {});
    }
  }
}

const isReady = ({ url }: Pick<Running, 'url'>): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** A worker has no address. */
const whenWorkerReady = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (out.includes('Switchyard is ready')) resolve('');
    });
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code} before it was ready`)));
  });
