// The long form of the invariants of card authorizations: the same test files, more rounds.
import { join } from 'node:path';
import { run } from 'node:test';
import type { Outcome } from './report.js';

const ROUNDS = Number(process.env['AUTHORIZATION_ROUNDS'] ?? 20);
const HISTORIES = Number(process.env['HISTORIES'] ?? 300);
/** Four caps alone, three over two processes, 500 callers each, and the 100 of a wallet. */
const ASKED_PER_ROUND = 7 * 500 + 100;

const PARTS = [
  { file: 'caps', goal: 'authorizations never pass a cap, nor a change of the card', trials: ROUNDS * ASKED_PER_ROUND },
  { file: 'histories', goal: 'card histories agree with the model, in any order', trials: 2 * HISTORIES },
] as const;

export async function authorizations(until: number): Promise<Outcome[]> {
  Object.assign(process.env, { AUTHORIZATION_ROUNDS: String(ROUNDS), HISTORIES: String(HISTORIES) });
  const outcomes: Outcome[] = [];
  for (const { file, goal, trials } of PARTS) {
    const failures: string[] = [];
    const path = join(import.meta.dirname, `../invariants/card-transactions/${file}.test.js`);
    const events = run({ files: [path], timeout: Math.max(1, until - Date.now()) });
    for await (const { type, data } of events)
      if (type === 'test:fail') failures.push(`${data.name}: ${data.details.error.cause ?? data.details.error.message}`);
    outcomes.push({ goal, trials, failures });
  }
  return outcomes;
}
