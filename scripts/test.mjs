// Runs the tests: one real PostgreSQL for all, and as many runner processes as there are processors.
// TEST_CITUS_URL runs them on a cluster instead: the URLs of its nodes with a comma between, the coordinator first.
// `npm test -- cards` runs the files whose path holds "cards"; `--times` adds how long each file took. Other flags go to Node.js.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../dist/src/db/embedded.js';
import { prepareTemplate } from '../dist/test/support/database.js';
import { failuresText, fileText, summaryOf, timesText } from './test/print.mjs';
import { runFiles } from './test/process.mjs';

const root = join(import.meta.dirname, '..');
const compiled = join(root, 'dist/test');
const sourceOf = (file) => file.replace(/\.js$/, '.ts');
const words = process.argv.slice(2);
const filters = words.filter((word) => !word.startsWith('-')).map((word) => word.replace(/^test\//, '').replace(/\.ts$/, ''));
const flags = words.filter((word) => word.startsWith('-') && word !== '--times');
const isPartial = flags.some((flag) => /^--test-(name-pattern|skip-pattern|only)/.test(flag));

const files = readdirSync(compiled, { recursive: true })
  .filter((file) => file.endsWith('.test.js') && existsSync(join(root, 'test', sourceOf(file))))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${filters.join(' ')}`);
  process.exit(1);
}

// The longest first, so that no processor is idle at the end. Of files that nobody has timed yet, those outside rules/ and operations/ are long.
const timesFile = join(compiled, '.times.json');
const knownTimes = existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, 'utf8')) : {};
const secondsOf = (file) => knownTimes[file] ?? (/(^|\/)(rules|operations)\//.test(file) ? 0 : Number.POSITIVE_INFINITY);
files.sort((a, b) => secondsOf(b) - secondsOf(a) || 0);
const needsOwnProcess = (file) => readFileSync(join(compiled, file), 'utf8').includes('support/own-process.js');
const alone = files.filter(needsOwnProcess);
const together = files.filter((file) => !alone.includes(file));

const results = [];
const failures = [];
const onFailure = (failure) => void failures.push({ ...failure, file: sourceOf(failure.file) });
const onFile = (result) => {
  if (result.tests === 0 && !isPartial && !failures.some(({ file }) => file === sourceOf(result.file))) {
    onFailure({ file: result.file, name: 'the whole file', error: 'it holds no test' });
  }
  results.push({ ...result, file: sourceOf(result.file) });
  process.stdout.write(fileText(results.at(-1)));
};

// Memory, where there is some: the tests ask for durable writes, not for a worn disk.
const dataDir = mkdtempSync(join(existsSync('/dev/shm') && process.platform === 'linux' ? '/dev/shm' : tmpdir(), 'switchyard-test-'));
chmodSync(dataDir, 0o711); // run by root, PostgreSQL is another user and must pass, or it goes to a system directory
const startedAt = performance.now();
const nodes = (process.env.TEST_CITUS_URL ?? '').split(',').filter((url) => url !== '');
const postgres =
  nodes.length > 0
    ? { url: nodes[0], stop: async () => {} }
    : await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {}, error: console.error } });
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ending.abort());
try {
  await prepareTemplate(postgres.url, ...nodes.slice(1));
  const options = {
    onFile,
    onFailure,
    flags,
    aborted: ending.signal,
    env: { TEST_DATABASE_URL: [postgres.url, ...nodes.slice(1)].join(','), NODE_ENV: 'test' },
  };
  const lane = async () => {
    for (let file = alone.shift(); file && !ending.signal.aborted; file = alone.shift()) {
      const only = [file];
      await runFiles({ ...options, next: () => only.shift() });
    }
    // A process that broke is replaced by another; one that took no file would break again.
    let taken = 1;
    while (together.length > 0 && taken > 0 && !ending.signal.aborted) {
      taken = 0;
      const next = () => {
        taken += 1;
        return together.shift();
      };
      await runFiles({ ...options, next });
    }
  };
  const lanes = Number(process.env.TEST_CONCURRENCY ?? Math.max(2, availableParallelism()));
  await Promise.all(Array.from({ length: Math.min(lanes, files.length) }, lane));
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

if (failures.length === 0 && !isPartial) {
  const times = Object.fromEntries(results.map(({ file, seconds }) => [file.replace(/\.ts$/, '.js'), Number(seconds.toFixed(2))]));
  try {
    writeFileSync(timesFile, JSON.stringify({ ...knownTimes, ...times }));
  } catch {
    // A checkout that cannot be written to runs the files in the order of the folders.
  }
}
process.stdout.write(failuresText(failures));
if (words.includes('--times')) process.stdout.write(timesText(results, (performance.now() - startedAt) / 1000));
process.stdout.write(`\n${summaryOf(results, failures)}\n`);
process.exit(failures.length === 0 ? 0 : 1);
