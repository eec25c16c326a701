// Words and flags of `npm run bench`, `npm run plan` and `npm run prove`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../src/root.js';

type Ended = { readonly code: unknown; readonly out: string; readonly err: string };

const run = (file: string, word: string): Promise<Ended> =>
  new Promise((resolve) => {
    const done = (error: { readonly code?: unknown } | null, out: string, err: string) => resolve({ code: error?.code ?? 0, out, err });
    execFile(process.execPath, [join(projectRoot, 'dist', file), word], { timeout: 30_000 }, done);
  });

for (const [command, file, word, message] of [
  ['bench', 'bench/main.js', 'crads', /^no part is named crads; the parts are foundation, .*cards, .*\n$/],
  ['plan', 'bench/plan.js', '--help', /^not expected: --help\nusage: npm run plan \[-- --measure\] \[--write\]\n$/],
  ['prove', 'test/prove/main.js', '--help', /^Unknown option '--help'\. The options are --short, --record, .*\n$/],
] as const)
  test(`npm run ${command} -- ${word}: what it does not know is told in a line, and nothing is run`, async () => {
    const { code, out, err } = await run(file, word);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, message);
  });
