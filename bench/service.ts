// The measured service: a separate process with its own database on the PostgreSQL server of the run.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { projectRoot } from '../src/root.js';
import { createDatabase } from '../test/support/database.js';
import { LeanClient } from './http-client.js';
import { secondsOf } from './processor-time.js';

export type BenchService = {
  readonly client: LeanClient;
  readonly credentials: { readonly tokenId: string; readonly secret: string };
  readonly url: string;
  readonly baseUrl: string;
  readonly databaseUrl: string;
  /** Resident memory of the API process, in MiB. */
  memory(): number;
  /** Processor time the API process has used, in seconds. */
  cpuSeconds(): number;
  /** Plain driver connections to the same database. */
  plainPool(size: number): pg.Pool;
  stop(): Promise<void>;
};

/** Starts the service as an operator does. With `DATABASE_URL` it uses the database of another process. */
export async function startBenchService(env: Readonly<Record<string, string>> = {}, entry = 'dist/src/main.js'): Promise<BenchService> {
  const database = env['DATABASE_URL'] ? undefined : await createDatabase();
  const databaseUrl = database?.url ?? (env['DATABASE_URL'] as string);
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const credentials = { tokenId: 'bench', secret: randomBytes(24).toString('base64url') };
  const child = spawnService(
    {
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_TOKEN: `${credentials.tokenId}:${credentials.secret}`,
      ...env,
    },
    entry,
  );
  const baseUrl = await whenReady(child);
  return {
    client: new LeanClient(baseUrl, credentials),
    credentials,
    url: new URL(baseUrl).origin,
    baseUrl,
    databaseUrl,
    memory: () => residentMiB(child.pid as number),
    cpuSeconds: () => secondsOf(child.pid as number),
    // Dropping the database ends connections that are still closing; that error is expected.
    plainPool: (size) => new pg.Pool({ connectionString: databaseUrl, max: size }).on('error', () => {}),
    async stop() {
      await stopChild(child);
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const spawnService = (env: Readonly<Record<string, string>>, entry = 'dist/src/main.js'): ChildProcess =>
  spawn(process.execPath, [join(projectRoot, entry)], {
    env: { ...process.env, PORT: '0', METRICS_PORT: 'off', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** Resolves with the base URL once the service has printed it. */
export function whenReady(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const match = /Base URL\s+(\S+)/.exec(out);
      if (match) resolve(match[1] as string);
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it was ready`)));
  });
}

export async function stopChild(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

export const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
