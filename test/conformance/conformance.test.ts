import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { projectRoot } from '../../src/root.js';
import { conformancePage } from './page.js';
import { problemOf } from './statement.js';
import { SECTIONS } from './statements/index.js';

const all = SECTIONS.flatMap(({ statements }) => statements);

describe('the statements of the specification', () => {
  test('each has its own id and words', () => {
    const twice = (values: readonly string[]) => values.filter((value, place) => values.indexOf(value) !== place);
    assert.ok(all.length > 300, `${all.length} statements`);
    assert.deepEqual(twice(all.map(({ id }) => id)), []);
    for (const { id, says } of all) assert.match(says, /\.$|\.\)$|`$/, id);
  });

  test('each is held by tests, or says why it is not', () => {
    assert.deepEqual(
      all.filter(({ tests, notHeld }) => tests.length > 0 === (notHeld !== undefined)).map(({ id }) => id),
      [],
    );
  });

  test('every named test exists', () => {
    assert.deepEqual(
      all.flatMap(({ id, tests }) => tests.flatMap((each) => problemOf(each) ?? []).map((problem) => `${id}: ${problem}`)),
      [],
    );
  });

  test('docs/conformance.md is current (npm run draw)', () => {
    assert.equal(readFileSync(join(projectRoot, 'docs/conformance.md'), 'utf8'), conformancePage());
  });
});

describe('the search for a test', () => {
  const source = `
    test('a plain one', () => {});
    describe("the owner's", () => {});
    test(
      \`\${status}: a pattern\`, () => {});
    const rows = [
      ['a row', () => {}],
    ];
    const other = 'no test';`;
  const problem = (title: string) => problemOf({ file: 'a.test.ts', title }, () => source);

  test('finds tests, groups, patterns and rows by their whole title', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the title is a pattern.
    for (const title of ['a plain one', "the owner's", '${status}: a pattern', 'a row']) assert.equal(problem(title), undefined, title);
  });

  test('reports titles that are part of another, other texts, and missing files', () => {
    for (const title of ['a plain', 'no test', 'row']) assert.match(problem(title) ?? '', /has no test/, title);
    assert.match(problemOf({ file: 'b.test.ts', title: 'x' }, () => undefined) ?? '', /does not exist/);
  });
});
