// Runs the command line as a user does: a process, its arguments, what it prints, how it ends.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../src/root.js';
import type { TestService } from '../support/service.js';

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

export const MAIN = join(projectRoot, 'dist/cli/main.cjs');

/** A home of its own, so that no profile or state of the machine is read or written. */
export const emptyHome = (): string => mkdtempSync(join(tmpdir(), 'switchyard-home-'));

export const environmentOf = ({ baseUrl, platform }: Pick<TestService, 'baseUrl' | 'platform'>, home: string): Record<string, string> => ({
  SWITCHYARD_URL: baseUrl,
  SWITCHYARD_TOKEN_ID: platform.tokenId,
  SWITCHYARD_TOKEN_SECRET: platform.secret,
  ...homeOf(home),
});

export const homeOf = (home: string): Record<string, string> => ({ HOME: home, PATH: process.env['PATH'] ?? '' });

/** No terminal on any side. */
export function run(
  args: readonly string[],
  env: Record<string, string>,
  { input = '', cwd }: { input?: string; cwd?: string } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env, cwd: cwd ?? env['HOME'], stdio: ['pipe', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** Ids and times differ between runs. */
export const stable = (text: string): string =>
  text
    .replaceAll(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, 'ID')
    .replaceAll(/…[0-9a-f]{6}/g, '…ID')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
    .replaceAll(/ +$/gm, '');
