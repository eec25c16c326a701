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

  test('reliability.md has the guarantees G1 to G25', () => {
    assert.deepEqual(
      [...read('docs/reliability.md').matchAll(/^\| G(\d+) \|/gm)].map(([, number]) => Number(number)),
      Array.from({ length: 25 }, (_, place) => place + 1),
    );
  });

  test('both pages name parts of npm run prove', () => {
    const parts = /const PARTS[\s\S]*?\n};/.exec(read('test/prove/main.ts'))?.[0] ?? '';
    for (const [page, heading] of [
      ['docs/threat-model.md', 'Threats, controls and tests'],
      ['docs/reliability.md', 'Guarantees'],
    ] as const) {
      const table = read(page).split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
      const [head = '', ...rows] = table.split('\n').filter((line) => line.startsWith('| '));
      assert.match(head, /\| In `npm run prove` \|$/, page);
      const named = rows.flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
      assert.ok(named.length > 15, `${page}: ${named.length}`);
      for (const name of named) assert.match(parts, new RegExp(`^  '?${name}\\b`, 'm'), `${page}: ${name}`);
    }
  });
});

const EMPTY_TABLES = ['runs', 'figures', 'mutation', 'judged'].map((name) => `<!-- ${name} -->\n\n| A |\n|---|\n\n<!-- /${name} -->\n`);
const EMPTY_PAGE = `text\n${EMPTY_TABLES.join('')}end\n`;

test('a recorded run replaces its own rows and leaves the others', () => {
  const run = (commit: string, day: string) => ({ part: 'p', command: `npm run prove -- p --seed ${commit}`, seconds: 90, commit, day });
  const outcome = (goal: string, trials: number, ...failures: string[]) => ({ goal, trials, failures });
  const once = withFigures(EMPTY_PAGE, [outcome('a', 3_000), outcome('b', 10, 'x')], run('abc', '2026-01-01'));
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

test('a run that adds keeps the runs of its commit, and adds its trials and failures to theirs', () => {
  const run = (part: string, seed: string, commit: string) => ({
    part,
    command: `npm run prove -- ${part} --seed ${seed}`,
    seconds: 90,
    commit,
    day: '2026-01-01',
    adds: true,
  });
  const outcomes = (trials: number, failures: string[], missed: string[], note = '') => [
    { goal: 'steps | all', trials, failures, note },
    { goal: 'kinds', trials: 36, failures: missed, isCoverage: true as const },
  ];
  const rowsAfter = (page: string) => page.split('\n').filter((row) => /^\| (?:money|fuzz|steps|kinds) /.test(row));
  const pages = [
    [outcomes(9, ['x'], ['a'], 'old'), run('money', 's1', 'old')],
    [outcomes(1_000, [], [], 'a | b'), run('money', 's2', 'new')],
    [outcomes(2_000, ['x'], ['a', 'b'], 'c'), run('money', 's3', 'new')],
    [[], run('fuzz', 's4', 'new')],
    [[{ goal: 'requests', trials: 1, failures: [] }], run('fuzz', 's5', 'new')],
  ] as const;
  const page = pages.reduce((before, [found, by]) => withFigures(before, found, by), EMPTY_PAGE);
  const expected = [
    '| money | `npm run prove -- money --seed s2` | 1.5 | new | 2026-01-01 |',
    '| money | `npm run prove -- money --seed s3` | 1.5 | new | 2026-01-01 |',
    '| fuzz | `npm run prove -- fuzz --seed s5` | 1.5 | new | 2026-01-01 |',
    '| steps \\| all | 3,000 | 1 | 0.00033 seen | a \\| b; c | new | 2026-01-01 |',
    '| kinds | 36 | 0 | < 0.083 |  | new | 2026-01-01 |',
  ];
  assert.deepEqual(rowsAfter(page), expected, 'those of another commit are replaced');
  const alone = withFigures(page, outcomes(5, [], []), { ...run('money', 's6', 'new'), adds: false });
  assert.deepEqual(rowsAfter(alone), [
    '| money | `npm run prove -- money --seed s6` | 1.5 | new | 2026-01-01 |',
    expected[2],
    '| steps \\| all | 5 | 0 | < 0.60 |  | new | 2026-01-01 |',
    expected[4],
  ]);
});
