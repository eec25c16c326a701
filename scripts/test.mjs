// Runs the tests on one PostgreSQL server, with a separate database for each file. `npm test -- cards` runs the files whose path contains "cards".
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../dist/src/db/embedded.js';
import { prepareTemplate } from '../dist/test/support/database.js';

const root = join(import.meta.dirname, '..');
const filters = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const flags = process.argv.slice(2).filter((word) => word.startsWith('-'));

const files = readdirSync(join(root, 'dist/test'), { recursive: true })
  .filter((file) => file.endsWith('.test.js') && existsSync(join(root, file.replace(/\.js$/, '.ts').replace(/^/, 'test/'))))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter.replace(/^test\//, '').replace(/\.ts$/, ''))))
  .sort()
  .map((file) => join('dist/test', file));
if (files.length === 0) {
  console.error(`no test file matches ${filters.join(' ')}`);
  process.exit(1);
}

// On Linux the data directory is in memory: the tests make many durable writes, and none needs to survive.
const dataDir = mkdtempSync(join(existsSync('/dev/shm') && process.platform === 'linux' ? '/dev/shm' : tmpdir(), 'switchyard-test-'));
chmodSync(dataDir, 0o711); // As root, PostgreSQL runs under another account, which must be able to reach its directory.
const silent = { info() {}, warn() {}, error: console.error };
const postgres = await startEmbeddedPostgres({ dataDir, log: silent });
let code = 1;
try {
  await prepareTemplate(postgres.url);
  code = await new Promise((resolve) => {
    const concurrency = Number(process.env.TEST_CONCURRENCY ?? Math.max(2, availableParallelism()));
    const runner = spawn(
      process.execPath,
      ['--enable-source-maps', '--test', `--test-concurrency=${concurrency}`, '--test-reporter=spec', ...flags, ...files],
      { cwd: root, stdio: 'inherit', env: { ...process.env, TEST_DATABASE_URL: postgres.url, NODE_ENV: 'test' } },
    );
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.kill(signal));
    runner.on('exit', (status) => resolve(status ?? 1));
  });
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(code);
