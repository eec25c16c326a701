// The shell blocks of every guide run as written, in order, in one shell, against a new service.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
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

/** Blocks marked `sh` are run. A block that another page tests, or that needs another machine, is marked `sh no-run`. */
const blocksOf = (text: string): string[] => [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1] as string);

describe('guides', () => {
  // A folder with the contents of the checkout, so that the commands run unchanged and leave no files in the checkout.
  const checkout = temporaryDirectory({ after });
  let database: TestDatabase;
  let service: Service;

  before(async () => {
    for (const name of [
      'package.json',
      'dist',
      'scripts',
      'src',
      'test',
      'bench',
      'tour',
      'migrations',
      'node_modules',
      'tsconfig.json',
      'package-lock.json',
    ]) {
      symlinkSync(join(projectRoot, name), join(checkout, name));
    }
    mkdirSync(join(checkout, '.data'), { mode: 0o711 });
    database = await createDatabase();
    service = await startService(
      readConfig({ PORT: '0', DATA_DIR: join(checkout, '.data'), DATABASE_URL: database.url }),
      pino({ level: 'silent' }),
    );
  });
  after(async () => {
    await service.stop();
    await database.drop();
  });

  for (const { name, text } of pages) {
    const blocks = blocksOf(text);
    if (blocks.length === 0) continue;
    test(name, { timeout: 120_000 }, async () => {
      const { code, output } = await shell(blocks.join('\n'), checkout, { DATABASE_URL: database.url });
      assert.equal(code, 0, output.slice(-3_000));
    });
  }
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
