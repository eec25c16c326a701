// An installation as the README starts it: `npm start` on an empty directory, with its embedded PostgreSQL and all roles in one process.
import { spawn } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findRunningPostgres } from '../src/db/embedded.js';
import { projectRoot } from '../src/root.js';
import { familySeconds, postmasterOf, secondsOf } from './processor-time.js';
import { residentMiB, stopChild } from './service.js';

/** Processor time in seconds. */
export type ProcessorTime = { readonly service: number; readonly database: number };

export type Installation = {
  readonly pid: number;
  readonly baseUrl: string;
  readonly credentials: { readonly tokenId: string; readonly secret: string };
  readonly databaseUrl: string;
  processorTime(): ProcessorTime;
  /** Resident memory of the service, in MiB. */
  memory(): number;
  plainPool(size: number): pg.Pool;
  stop(): Promise<void>;
};

export async function startInstallation(env: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  chmodSync(dataDir, 0o711);
  const logFile = join(dataDir, 'service.log');
  const log = openSync(logFile, 'w');
  const child = spawn(process.execPath, ['--enable-source-maps', '--max-semi-space-size=32', join(projectRoot, 'scripts/start.mjs')], {
    cwd: projectRoot,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', METRICS_PORT: 'off', DATA_DIR: join(dataDir, 'data'), ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const { baseUrl, credentials } = await untilPrinted(logFile, () => child.exitCode === null);
  const databaseUrl = findRunningPostgres(join(dataDir, 'data'));
  if (!databaseUrl) throw new Error('the installation has no running database');
  const postmaster = await postmasterOf(databaseUrl);
  return {
    pid: child.pid as number,
    baseUrl,
    credentials,
    databaseUrl,
    processorTime: () => ({ service: secondsOf(child.pid as number), database: familySeconds(postmaster) }),
    memory: () => residentMiB(child.pid as number),
    plainPool: (size) => new pg.Pool({ connectionString: databaseUrl, max: size }).on('error', () => {}),
    async stop() {
      await stopChild(child);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function untilPrinted(logFile: string, isAlive: () => boolean): Promise<Pick<Installation, 'baseUrl' | 'credentials'>> {
  while (isAlive()) {
    const text = readFileSync(logFile, 'utf8');
    const [baseUrl, tokenId, secret] = ['Base URL', 'Token id', 'Token secret'].map(
      (label) => new RegExp(`${label}\\s+(\\S+)`).exec(text)?.[1],
    );
    if (baseUrl && tokenId && secret) return { baseUrl, credentials: { tokenId, secret } };
    await pause(50);
  }
  throw new Error('the service ended before it was ready');
}
