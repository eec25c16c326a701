// Tests of concurrent requests. `npm run prove -- races` finds them by this function.
import { test } from 'node:test';

const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 1);

/** A test in which concurrent requests compete. Each round begins with objects of its own. */
export function race(title: string, body: () => Promise<void>): void {
  test(title, async () => {
    for (let round = 0; round < ROUNDS; round += 1) await body();
  });
}
