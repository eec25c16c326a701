// The postmaster process of the embedded PostgreSQL: its pid file, its start, its signals.
import { type ChildProcess, execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Binaries, isAlive, spawned } from './embedded-binaries.js';
import { codeOf, type Place } from './embedded-place.js';

export type Address = { readonly host: string; readonly port: number };
export type Server = {
  readonly place: Place;
  readonly binaries: Binaries;
  readonly cluster: string;
  readonly socketDir: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly fingerprint: string;
};
const SOCKET_PORT = 5432;
/** Longest path of a unix socket, without the closing zero. */
const SOCKET_PATH_LIMIT = process.platform === 'linux' ? 107 : 103;
const LOG_LIMIT_BYTES = 10_000_000;

export type PidFile = { readonly pid: number; readonly text: string; readonly address: Address | undefined };

/** Lines of postmaster.pid: pid, directory, start time, port, socket directory, listen address, … */
export function readPidFile(cluster: string): PidFile | undefined {
  const file = join(cluster, 'postmaster.pid');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const [pid, , , port, socketDir, listen] = text.split('\n').map((line) => line.trim());
  const host = socketDir || listen;
  return { pid: Number(pid), text, address: host && port && listen !== undefined ? { host, port: Number(port) } : undefined };
}

/** Whether the process is a postmaster of this very cluster: after a crash or a restart another process may have its number. */
export function isPostmaster(pid: number, cluster: string): boolean {
  return isAlive(pid) && (process.platform === 'win32' || commandOf(pid).includes(`-D ${cluster} `));
}

/** The command line of a process; empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('/bin/ps', ['-ww', '-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/**
 * PostgreSQL clears stale lock files itself, unless another process of the same user now has their process number: then it would never
 * start. The files are removed only if they are unchanged since they were read.
 */
export function forgetStale(server: Server, found: PidFile): void {
  if (!isAlive(found.pid) || readPidFile(server.cluster)?.text !== found.text) return;
  rmSync(join(server.socketDir, `.s.PGSQL.${SOCKET_PORT}.lock`), { force: true });
  rmSync(join(server.cluster, 'postmaster.pid'), { force: true });
}

export type Child = { ended(): boolean; logText(): string };

export async function spawnPostmaster(server: Server, wantedPort?: number): Promise<Child> {
  const { place, binaries, cluster, socketDir, settings, fingerprint } = server;
  const overSocket = process.platform !== 'win32' && Buffer.byteLength(join(socketDir, `.s.PGSQL.${SOCKET_PORT}`)) <= SOCKET_PATH_LIMIT;
  if (overSocket) {
    mkdirSync(socketDir, { recursive: true, mode: 0o700 });
    chmodSync(socketDir, 0o700);
    if (place.runAs) chownSync(socketDir, place.runAs.uid, place.runAs.gid);
  }
  const where = overSocket
    ? { listen_addresses: '', unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`, port: String(SOCKET_PORT) }
    : { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(wantedPort ?? (await freePort())) };
  const all = { ...settings, ...where, cluster_name: fingerprint };

  const log = openLog(join(place.base, 'postgres.log'));
  const args = ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  // Detached: Ctrl-C in the terminal must reach the service alone, which first drains and then stops PostgreSQL.
  const child = await spawned(place, binaries.postgres, args, ['ignore', log.fd, log.fd], true).finally(() => closeSync(log.fd));
  child.unref();
  return { ended: () => hasEnded(child), logText: () => readFileSync(log.path).subarray(log.start).toString('utf8').trim() };
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

function openLog(path: string): { path: string; fd: number; start: number } {
  if (existsSync(path) && statSync(path).size > LOG_LIMIT_BYTES) renameSync(path, `${path}.1`);
  // The directory does not belong to root: a link in it must not be followed.
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
  return { path, fd, start: statSync(path).size };
}

/** Signals the postmaster, never another process that has its number by now. */
export function signal(server: Server, pid: number, name: NodeJS.Signals): void {
  if (isPostmaster(pid, server.cluster)) process.kill(pid, name);
}

function freePort(): Promise<number> {
  return new Promise((settle, fail) => {
    const probe = createServer().once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      probe.close(() => settle(port));
    });
  });
}
