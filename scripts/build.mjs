// Compiles when something changed since the last time; a start with nothing new to compile should not wait for the compiler.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'dist/.built');
const watched = ['tsconfig.json', 'package-lock.json', 'src', 'test', 'bench', 'tour'].map((name) => join(root, name)).filter(existsSync);

/** Folders count too: their time moves when a file is added or removed. */
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
  // What is written while the compiler runs must be compiled next time.
  utimesSync(stamp, started, started);
}
