// docs/threat-model.md and docs/reliability.md name tests and runs that exist.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '../../src/root.js';
import { withFigures } from '../prove/figures.js';
import { problemOf } from './statement.js';

const read = (name: string): string => readFileSync(join(projectRoot, name), 'utf8');
const PAGES = ['docs/threat-model.md', 'docs/reliability.md'];

describe('the pages about threats and reliability', () => {
  test('every named test exists', () => {
    for (const page of PAGES) {
      const named = [...read(page).matchAll(/\[((?:[^[\]]|\[[^\]]*\])+)\]\(\.\.\/test\/([^)]+)\)/g)];
      assert.ok(named.length > 30, `${page}: ${named.length}`);
      assert.equal(named.length, read(page).split('](../test/').length - 1, `${page}: every link is read`);
      assert.deepEqual(
        named.flatMap(([, title = '', file = '']) => problemOf({ file, title }) ?? []),
        [],
        page,
      );
    }
  });

  test('every linked page exists', () => {
    for (const page of PAGES)
      for (const [, path = ''] of read(page).matchAll(/\]\(([\w/-]+\.md)\)/g)) assert.ok(existsSync(join(projectRoot, 'docs', path)), path);
  });

  test('every threat has a test, and every guarantee a test, a run, or the word that it has none', () => {
    const threats = (read('docs/threat-model.md').split('## Threats, controls and tests')[1]?.split('\n## ')[0] ?? '').split('\n');
    const rows = threats.filter((row) => /^\| (?!Threat \|)/.test(row));
    assert.ok(rows.length > 20);
    assert.deepEqual(
      rows.filter((row) => !row.includes('](../test/')),
      [],
    );
    const guarantees = read('docs/reliability.md')
      .split('\n')
      .filter((row) => /^\| G\d+ \|/.test(row));
    assert.deepEqual(
      guarantees.filter((row) => !/\]\(\.\.\/test\/|\| `|not covered/.test(row)),
      [],
    );
  });

  test('reliability.md has the guarantees G1 to G25, and names parts of npm run prove', () => {
    const page = read('docs/reliability.md');
    assert.deepEqual(
      [...page.matchAll(/^\| G(\d+) \|/gm)].map(([, number]) => Number(number)),
      Array.from({ length: 25 }, (_, place) => place + 1),
    );
    const parts = /const PARTS[\s\S]*?\n};/.exec(read('test/prove/main.ts'))?.[0] ?? '';
    for (const row of page.split('\n').filter((each) => /^\| G\d+ \|/.test(each))) {
      const named = [...(row.split(' | ').at(-1) ?? '').matchAll(/`([^`]+)`/g)];
      for (const [, name = ''] of named) assert.match(parts, new RegExp(`^  '?${name}\\b`, 'm'), name);
    }
  });
});

test('a recorded run replaces its own rows and leaves the others', () => {
  const table = (name: string) => `<!-- ${name} -->\n\n| A |\n|---|\n\n<!-- /${name} -->\n`;
  const empty = `text\n${table('runs')}${table('figures')}${table('mutation')}${table('judged')}end\n`;
  const run = (commit: string, day: string) => ({ part: 'p', command: `npm run prove -- p --seed ${commit}`, seconds: 90, commit, day });
  const outcome = (goal: string, trials: number, ...failures: string[]) => ({ goal, trials, failures });
  const once = withFigures(empty, [outcome('a', 3_000), outcome('b', 10, 'x')], run('abc', '2026-01-01'));
  const mutation = { file: 'x/rules.ts', survivors: ['7: < → <='] };
  const twice = withFigures(
    once,
    [
      { ...outcome('b', 300), note: 'seed s' },
      { ...outcome('mutation: x', 40), mutation },
    ],
    run('def', '2026-01-02'),
  );
  assert.ok(twice.startsWith('text\n<!-- runs -->\n\n| Part |') && twice.endsWith('\n\n<!-- /judged -->\nend\n'));
  assert.deepEqual(
    twice.split('\n').filter((row) => /^\| (?:[abp]|x.rules.ts) /.test(row)),
    [
      '| p | `npm run prove -- p --seed def` | 1.5 | def | 2026-01-02 |',
      '| a | 3,000 | 0 | < 0.0010 |  | abc | 2026-01-01 |',
      '| b | 300 | 0 | < 0.010 | seed s | def | 2026-01-02 |',
      '| x/rules.ts | 40 | 97.5 % | `7: < → <=` | def | 2026-01-02 |',
    ],
  );
  assert.ok(!once.includes('Why no test') && twice.includes('Why no test'), 'what was judged is listed with the scores');
});
