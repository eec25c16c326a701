// The shell blocks of every guide run as written, in order, in one shell, against a new service.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { projectRoot } from '../../src/root.js';
import { type Service, startService } from '../../src/service.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { temporaryDirectory } from '../support/temporary.js';

const folder = join(projectRoot, 'docs/guides');
const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
pages.push({
  name: 'README.md, first three requests',
  text: readme.slice(readme.indexOf('## First three requests'), readme.indexOf('## Guides')),
});

/**
 * Blocks marked `sh` are run. Where a page shows a step with the command line (`sh cli`) and with curl (`sh curl`), the page is run once
 * with each. A block that another page tests, or that needs another machine, is marked `sh no-run`.
 */
const blocksOf = (text: string, variant: string): string[] =>
  [...text.matchAll(/^```sh(?: (cli|curl))?\n([\s\S]*?)^```/gm)].flatMap(([, marked, block]) =>
    marked === undefined || marked === variant ? [block as string] : [],
  );
const VARIANTS = ['cli', 'curl'] as const;
const isShownTwice = (text: string): boolean => VARIANTS.some((variant) => text.includes(`\n\`\`\`sh ${variant}\n`));

/** What the commands of the guides find in a checkout. */
const CHECKOUT = [
  'package.json',
  'bin',
  'dist',
  'scripts',
  'src',
  'client',
  'cli',
  'recipes',
  'fixtures',
  'test',
  'bench',
  'tour',
  'migrations',
  'node_modules',
  'tsconfig.json',
  'package-lock.json',
];

/**
 * What is run: the pages, those with two forms once in each. Each has a platform of its own: what another page left, such as an endpoint
 * that nobody listens to any more, costs it nothing. A page with one form runs on the platform of the service's own data directory.
 */
const runs = pages.flatMap(({ name, text }) =>
  (isShownTwice(text) ? VARIANTS : [undefined]).map((variant) => ({
    name: variant === undefined ? name : `${name}, ${variant}`,
    blocks: blocksOf(text, variant ?? ''),
    token: variant && { id: `${variant}-${name.replaceAll(/\W+/g, '-')}`, secret: randomBytes(24).toString('hex') },
  })),
);

describe('guides', () => {
  const dataDir = temporaryDirectory({ after });
  let database: TestDatabase;
  let service: Service;

  before(async () => {
    chmodSync(dataDir, 0o711);
    database = await createDatabase();
    const tokens = [
      'guides:'.concat(randomBytes(24).toString('hex')),
      ...runs.flatMap(({ token }) => (token ? `${token.id}:${token.secret}` : [])),
    ].join();
    const env = { PORT: '0', DATA_DIR: dataDir, DATABASE_URL: database.url, BOOTSTRAP_TOKEN: tokens };
    service = await startService(readConfig(env), pino({ level: 'silent' }));
  });
  after(async () => {
    await service.stop();
    await database.drop();
  });

  for (const { name, blocks, token } of runs)
    if (blocks.length > 0)
      test(name, { timeout: 120_000 }, async (t) => {
        // A folder with the contents of the checkout, so that the commands run unchanged and leave no files in the checkout.
        const checkout = temporaryDirectory({ after: (work) => t.after(work) });
        for (const part of CHECKOUT) symlinkSync(join(projectRoot, part), join(checkout, part));
        if (token) {
          mkdirSync(join(checkout, '.data'));
          writeFileSync(
            join(checkout, '.data/sandbox.env'),
            `SWITCHYARD_URL='${service.baseUrl}'\nSWITCHYARD_TOKEN_ID='${token.id}'\nSWITCHYARD_TOKEN_SECRET='${token.secret}'\n`,
          );
        } else symlinkSync(dataDir, join(checkout, '.data'));
        // Before a live service is started, its database is empty.
        const own = name === 'going-live.md' ? await createDatabase() : database;
        if (own !== database) t.after(() => own.drop());
        const { code, output } = await shell(blocks.join('\n'), checkout, { DATABASE_URL: own.url, HOME: checkout });
        assert.equal(code, 0, output.slice(-3_000));
      });
});

function shell(script: string, cwd: string, env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd, env: { ...process.env, ...env } });
    let output = '';
    const keep = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('close', (code) => resolve({ code, output }));
  });
}
