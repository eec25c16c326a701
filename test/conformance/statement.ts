// Statements of the specification, each with the tests that hold it. `docs/conformance.md` is made from them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/root.js';

/** A test by its file below test/ and its title as the source has it: of `test`, of `describe`, or of a row in a table of tests. */
export type TestName = { readonly file: string; readonly title: string };

/** Why no test holds a statement. */
export type NotHeld = { readonly reason: string };

export type Statement = {
  /** Stable: a number is never given to another statement. */
  readonly id: string;
  /** In our own words. */
  readonly says: string;
  readonly tests: readonly TestName[];
  readonly notHeld?: NotHeld;
};

export type Section = { readonly title: string; readonly statements: readonly Statement[] };

type Row = readonly [number: number, says: string, ...by: (TestName | NotHeld)[]];

export const section = (name: string, title: string, rows: readonly Row[]): Section => ({
  title,
  statements: rows.map(([number, says, ...by]) => {
    const notHeld = by.find((each) => 'reason' in each);
    return { id: `${name}-${number}`, says, tests: by.filter((each) => 'file' in each), ...(notHeld ? { notHeld } : {}) };
  }),
});

export const inFile =
  (file: string) =>
  (title: string): TestName => ({ file, title });

export const notHeld = (reason: string): NotHeld => ({ reason });

const sources = new Map<string, string | undefined>();

function sourceOf(file: string): string | undefined {
  if (!sources.has(file)) {
    const path = join(projectRoot, 'test', file);
    sources.set(file, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  }
  return sources.get(file);
}

/** The title of a test, of a group of tests, or of the first cell of a row. */
const TITLE = /(?:\b(?:test|race|describe)\(|\[)\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

const titlesIn = (source: string): Set<string> =>
  new Set([...source.matchAll(TITLE)].map(([, a, b, c]) => (a ?? b ?? c ?? '').replaceAll(/\\(['"`\\])/g, '$1')));

/** What is wrong with a name; undefined where the test exists. */
export function problemOf({ file, title }: TestName, read = sourceOf): string | undefined {
  const source = read(file);
  if (source === undefined) return `test/${file} does not exist`;
  return titlesIn(source).has(title) ? undefined : `test/${file} has no test ${JSON.stringify(title)}`;
}
