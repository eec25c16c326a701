// Compiles if a source has changed since the last build, so that a start without changes does not wait for the compiler.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'dist/.built');
const watched = [
  'tsconfig.json',
  'package-lock.json',
  'console',
  'recipes',
  'scripts/build-console.mjs',
  'scripts/draw-page.mjs',
  'scripts/build-cli.mjs',
  'src',
  'client',
  'cli',
  'test',
  'bench',
  'tour',
]
  .map((name) => join(root, name))
  .filter(existsSync);
/** What the compiled code reads and the compiler does not copy. */
const COPIED = ['client/package.json', 'client/generated/operations.json'];

/** Includes folders: their modification time changes when a file is added or removed. */
function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const names = readdirSync(path).filter((name) => name !== 'node_modules');
  return Math.max(stats.mtimeMs, ...names.map((name) => newest(join(path, name))));
}

/** `isTolerant`: errors are not printed and do not end the process; the next build compiles again. */
export function compile({ isTolerant = false } = {}) {
  const started = new Date();
  if (existsSync(stamp) && Math.max(...watched.map(newest)) <= statSync(stamp).mtimeMs) return;
  if (process.stderr.isTTY) process.stderr.write('Compiling …\n');
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.json')], {
    stdio: isTolerant ? 'ignore' : 'inherit',
  });
  if (status !== 0) {
    if (isTolerant) return;
    process.exit(status ?? 1);
  }
  for (const name of COPIED) copyFileSync(join(root, name), join(root, 'dist', name));
  spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], { stdio: 'inherit' });
  writeFileSync(stamp, '');
  // A source that changes while the compiler runs must be compiled by the next build.
  utimesSync(stamp, started, started);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) compile();
