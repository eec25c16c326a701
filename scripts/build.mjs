// Compiles if a source has changed since the last build, so that a start without changes does not wait for the compiler.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'dist/.built');
const watched = ['tsconfig.json', 'package-lock.json', 'src', 'test', 'bench', 'tour'].map((name) => join(root, name)).filter(existsSync);

/** Includes folders: their modification time changes when a file is added or removed. */
function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const started = new Date();
if (!existsSync(stamp) || Math.max(...watched.map(newest)) > statSync(stamp).mtimeMs) {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(stamp, '');
  // A source that changes while the compiler runs must be compiled by the next build.
  utimesSync(stamp, started, started);
}
