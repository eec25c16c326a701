// Runs invariant test files with more rounds than the suite.
import { join } from 'node:path';
import { run } from 'node:test';
import type { Outcome } from './report.js';

export type LongRun = { readonly file: string; readonly goal: string; readonly trials: number };

/** How long a part may take, and its share of the rounds of the long form. */
export type Extent = { readonly until: number; readonly share: number };

/** The rounds of this extent, at least one. */
export const roundsOf = <Name extends string>(rounds: Readonly<Record<Name, number>>, share: number): Readonly<Record<Name, number>> =>
  Object.fromEntries(Object.entries<number>(rounds).map(([name, count]) => [name, Math.max(1, Math.ceil(count * share))])) as Record<
    Name,
    number
  >;

/** Runs invariant test files with these settings. Each file is one guarantee. */
export async function runInvariants(
  parts: readonly LongRun[],
  settings: Readonly<Record<string, number>>,
  until: number,
): Promise<Outcome[]> {
  for (const [name, value] of Object.entries(settings)) process.env[name] = String(value);
  const outcomes: Outcome[] = [];
  for (const { file, goal, trials } of parts) {
    const failures: string[] = [];
    const path = join(import.meta.dirname, `../invariants/${file}.test.js`);
    const events = run({ files: [path], timeout: Math.max(1, until - Date.now()) });
    let passed = 0;
    for await (const { type, data } of events) {
      // A file without tests passes under its own name.
      if (type === 'test:pass' && data.skip === undefined && data.todo === undefined && data.name !== path) passed += 1;
      if (type === 'test:fail') failures.push(`${data.name}: ${data.details.error.cause ?? data.details.error.message}`);
    }
    if (passed === 0 && failures.length === 0) failures.push(`${file}: no test ran`);
    outcomes.push({ goal, trials, failures });
  }
  return outcomes;
}
