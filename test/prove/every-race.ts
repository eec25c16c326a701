// The tests of concurrent requests of every domain, many rounds of each.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import type { Outcome } from './report.js';

const TESTS = join(import.meta.dirname, '..');
const CALL = /\brace\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g;

type RaceFile = { readonly file: string; readonly domain: string; readonly titles: readonly RegExp[] };

export async function everyRace(rounds: number, until: number): Promise<Outcome[]> {
  const files = raceFiles();
  const found = new Map(files.map(({ domain }) => [domain, { trials: 0, failures: [] as string[] }]));
  process.env['RACE_ROUNDS'] = String(rounds);
  const waiting = [...files];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { trials, failures } = await runRaces(next, until);
      const sums = found.get(next.domain);
      if (sums) sums.trials += trials * rounds;
      sums?.failures.push(...failures);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  delete process.env['RACE_ROUNDS'];
  return [...found].map(([domain, { trials, failures }]) => ({
    goal: `races of ${domain}: concurrent requests end as if one came after the other`,
    trials,
    failures,
    note: `${rounds} rounds of each`,
  }));
}

async function runRaces({ file, titles }: RaceFile, until: number): Promise<{ trials: number; failures: string[] }> {
  const failures: string[] = [];
  let trials = 0;
  const isRace = (title: string): boolean => titles.some((pattern) => pattern.test(title));
  for await (const { type, data } of run({
    files: [join(TESTS, file)],
    testNamePatterns: [...titles],
    timeout: Math.max(1, until - Date.now()),
  })) {
    if (type === 'test:fail') failures.push(`${file}: ${data.name}: ${data.details.error.cause ?? data.details.error.message}`);
    if ((type === 'test:pass' || type === 'test:fail') && isRace(data.name) && data.skip === undefined) trials += 1;
  }
  if (trials < titles.length) failures.push(`${file}: ${trials} races ran, and it has ${titles.length}`);
  return { trials, failures };
}

/** Read from the tests, so that a race that is added is among them. */
function raceFiles(): RaceFile[] {
  return readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .sort()
    .flatMap((file): RaceFile[] => {
      const text = readFileSync(join(TESTS, file), 'utf8');
      if (!text.includes('support/race.js')) return [];
      const titles = [...text.matchAll(CALL)].map(([, , title = '']) => patternOf(title));
      return [{ file, domain: file.split('/').at(file.startsWith('contract/') ? 0 : 1) ?? '', titles }];
    });
}

/** A title as it stands in the source; what it takes from a variable may be anything. */
const patternOf = (title: string): RegExp =>
  new RegExp(
    `^${title
      .replaceAll(/\\(.)/g, '$1')
      .split(/\$\{[^}]*\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
