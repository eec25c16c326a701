// `npm run prove`: the long reliability tests. Prints each guarantee with its trials, its failures and the upper bound of the failure rate.
// `npm run prove -- fuzz tenancy --minutes 5 --seed abc --requests 100000` runs those parts within those limits.
// `npm run prove -- mutation --only cards/authorizations --deep` mutates the rules of that folder, and tries what test/rules does not notice with the
// tests of the operations.
// `--record` writes the figures to docs/reliability.md; `--record --add` adds them to those of the same commit there, so that a long part may be
// run piece by piece: `npm run prove -- money --steps 200000 --record --add`, five times.
// `npm run prove -- --short` runs every part with small counts, in about a quarter of an hour.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../src/db/embedded.js';
import { projectRoot } from '../../src/root.js';
import type { Client } from '../support/client.js';
import { prepareTemplate } from '../support/database.js';
import { agreement } from './agreement.js';
import { authorizations } from './authorizations.js';
import { cluster } from './cluster.js';
import { crash } from './crash.js';
import { crashOperations } from './crash-operations.js';
import { endurance } from './endurance.js';
import { type Environment, startEnvironment } from './environment.js';
import { failover } from './failover.js';
import { withFigures } from './figures.js';
import { FIXED_SEED, fuzz } from './fuzz.js';
import { keys } from './keys.js';
import type { Extent } from './long-run.js';
import { migrating } from './migrating.js';
import { model } from './model/model.js';
import { withOutside } from './model/outside.js';
import { mutation } from './mutation/mutation.js';
import { poolOfOne } from './pool-of-one.js';
import { onEveryCore } from './processes.js';
import { races } from './races.js';
import { newSeed } from './random.js';
import { type Outcome, tableOf } from './report.js';
import { rolling } from './rolling.js';
import { secrets } from './secrets.js';
import { statements } from './statements.js';
import { tenancy } from './tenancy.js';

// The counts limit a part. `minutes` only ends a part that makes no progress.
const LONG = {
  minutes: '600',
  share: '1',
  requests: '1000000',
  kills: '300',
  promotions: '50',
  windows: '100000',
  histories: '2000',
  steps: '1000000',
  load: '60',
};
const SHORT = {
  minutes: '15',
  share: '0.1',
  requests: '30000',
  kills: '10',
  promotions: '3',
  windows: '2000',
  histories: '50',
  steps: '3000',
  load: '2',
};

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const OPTIONS = {
  short: { type: 'boolean' },
  record: { type: 'boolean' },
  add: { type: 'boolean' },
  only: { type: 'string' },
  deep: { type: 'boolean' },
  seed: { type: 'string' },
  minutes: { type: 'string' },
  share: { type: 'string' },
  requests: { type: 'string' },
  kills: { type: 'string' },
  promotions: { type: 'string' },
  windows: { type: 'string' },
  histories: { type: 'string' },
  steps: { type: 'string' },
  load: { type: 'string' },
} as const;

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: OPTIONS });
  } catch (error) {
    return fail(
      `${(error as Error).message.split('. ')[0]}. The options are ${Object.keys(OPTIONS)
        .map((name) => `--${name}`)
        .join(', ')}`,
    );
  }
}
const { values: given, positionals } = readArguments();
if (given.add && !given.record) fail('--add says what --record does with the figures');
if (given.add && given.seed !== undefined) fail('--add needs another seed each time, or the same cases would be counted twice');
const values = { ...(given.short ? SHORT : LONG), ...given };
const seed = values.seed ?? newSeed();
process.env['PROVE_SEED'] = seed;
const minutes = Number(values.minutes);

/** Each part starts and stops its own services. */
const PARTS: Readonly<Record<string, (extent: Extent) => Promise<Outcome[]>>> = {
  authorizations,
  keys,
  races,
  crash: ({ until }) => crash({ seed, kills: Number(values.kills), until, onProgress }),
  'crash, operations': ({ until }) =>
    crashOperations({ seed, perKind: Math.ceil(Number(values.kills) / 100), only: values.only, until, onProgress }),
  failover: ({ until }) => failover({ seed, kills: Number(values.promotions), until, onProgress }),
  cluster: () => cluster({ seed, onProgress }),
  rolling: ({ until }) => rolling({ seed, rounds: Math.max(2, Math.ceil(Number(values.kills) / 10)), until, onProgress }),
  processes: ({ until, share }) => agreement({ rounds: Math.ceil(20 * share), until }),
  migration: ({ until }) => migrating({ seed, kills: Math.ceil(Number(values.kills) / 10), until }),
  'pool of one': () => poolOfOne(),
  secrets: () => secrets(),
  tenancy: () => on(startEnvironment(2, { ROLE: 'api' }), (environment) => tenancy(environment)),
  'fuzz, fixed seed': ({ until }) =>
    on(startEnvironment(4, { LOG_LEVEL: 'error' }), (environment) =>
      fuzz(environment, { seed: FIXED_SEED, requests: 20_000, until, onProgress }),
    ),
  fuzz: ({ until }) => onEveryCore('fuzz', { seed, count: Number(values.requests), until, onProgress }),
  model: ({ until }) =>
    withOutside((settings) =>
      on(startEnvironment(1, { LOG_LEVEL: 'error', ...settings }), ({ service }) =>
        model(service, { seed, histories: Number(values.histories), commands: 50, only: values.only, until, onProgress }),
      ),
    ),
  money: ({ until }) => onEveryCore('money', { seed, count: Number(values.steps), until, onProgress }),
  load: () => endurance({ seed, minutes: Number(values.load), onProgress }),
  mutation: ({ until }) => mutation({ only: values.only ?? '', deep: values.deep ?? false, until, onProgress }),
  statements: ({ until }) =>
    on(startEnvironment(1, { LOG_LEVEL: 'error', DATABASE_POOL_SIZE: '20' }), ({ service, platforms: [platform] }) =>
      statements(service, platform as Client, { seed, windows: Number(values.windows), until }),
    ),
};

const onProgress = (text: string): void => void process.stderr.write(`  ${text}\n`);

async function on(starting: Promise<Environment>, work: (environment: Environment) => Promise<Outcome[]>): Promise<Outcome[]> {
  const environment = await starting;
  try {
    return await work(environment);
  } finally {
    await environment.stop();
  }
}

/** It judges the tests and not the service. It runs where it is named, and in the long form. */
const isLongOnly = (name: string): boolean => name === 'mutation';

/** A word that is the whole name of a part stands for that part alone: `crash` is not `crash, operations`. */
const isNamed = (name: string): boolean => positionals.some((word) => (Object.hasOwn(PARTS, word) ? name === word : name.includes(word)));
const wanted = Object.entries(PARTS).filter(([name]) => (positionals.length === 0 ? !(given.short && isLongOnly(name)) : isNamed(name)));
const unknown = positionals.filter((word) => !Object.keys(PARTS).some((name) => name.includes(word)));
if (unknown.length > 0) fail(`no part is named ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join('; ')}`);
const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-prove-'));
chmodSync(dataDir, 0o711); // As root, PostgreSQL runs under another account, which must be able to reach its directory.
const postgres = await startEmbeddedPostgres({ dataDir, log: { info() {}, warn() {}, error: console.error } });
process.env['TEST_DATABASE_URL'] = postgres.url;
// process.exit() also stops PostgreSQL; the default action of a signal would not.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const outcomes: Outcome[] = [];
try {
  await prepareTemplate(postgres.url);
  process.stdout.write(`seed ${seed}; each part takes at most ${minutes} min\n\n`);
  for (const [name, part] of wanted) {
    const started = Date.now();
    const found = await part({ until: started + minutes * 60_000, share: Number(values.share) });
    const seconds = Math.round((Date.now() - started) / 1000);
    outcomes.push(...found);
    process.stdout.write(`${name}: ${seconds} s\n`);
    if (given.record) record(name, seconds, found);
  }
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

const skipped = outcomes.filter((outcome) => outcome.skipped !== undefined);
const broken = outcomes.filter((outcome) => outcome.failures.length > 0 || (outcome.trials === 0 && !skipped.includes(outcome)));
process.stdout.write(`\n${tableOf(outcomes)}\n`);
for (const { goal, failures } of broken) process.stdout.write(`\n${goal}\n  ${failures.slice(0, 20).join('\n  ') || 'not tested'}\n`);
for (const { goal, skipped: why } of skipped) process.stdout.write(`\n${goal}\n  skipped, not tested here: ${why}\n`);
process.stdout.write(
  broken.length === 0
    ? `\nEvery guarantee ${skipped.length > 0 ? 'that was tested ' : ''}held.\n`
    : `\n${broken.length} guarantee(s) violated.\n`,
);
process.exitCode = broken.length === 0 ? 0 : 1;

/** Writes a part that ended, so that its figures are kept whatever becomes of the parts after it. */
function record(part: string, seconds: number, found: readonly Outcome[]): void {
  const page = join(projectRoot, 'docs/reliability.md');
  const day = new Date().toISOString().slice(0, 10);
  const run = { part, command: commandOf(part), seconds, commit: programCommit(), day, adds: given.add ?? false };
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), found, run));
}

/** Runs the part again as it ran. */
function commandOf(part: string): string {
  const limits = Object.entries(given).filter(([name]) => !['record', 'add', 'seed'].includes(name));
  const flags = limits.map(([name, value]) => (value === true ? ` --${name}` : ` --${name} ${value}`)).join('');
  return `npm run prove -- ${/\W/.test(part) ? `'${part}'` : part} --seed ${seed}${flags}`;
}

/** The last commit that changed the program or its tests. Figures and pages about the program make no other program. */
function programCommit(): string {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' }).trim();
  const program = ['--', '.', ':(exclude,glob)*.md', ':(exclude,glob)docs/*.md'];
  const changed = git('status', '--porcelain', '--untracked-files=no', ...program);
  return git('log', '-1', '--abbrev=8', '--format=%h', ...program) + (changed === '' ? '' : '-dirty');
}
