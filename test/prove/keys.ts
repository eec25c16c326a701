// Long runs of the invariants of wallets and delegated keys.
import { runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const KEY_ROUNDS = Number(process.env['KEY_ROUNDS'] ?? 20);
const REPLAYS = Number(process.env['REPLAYS'] ?? 10_000);
/** Six races of 64 requests, one of them twice, and four sign-ins. */
const REQUESTS_PER_ROUND = 6 * 64 + 4;

export const keys = (until: number): Promise<Outcome[]> =>
  runInvariants(
    [
      {
        file: 'access/key-races',
        goal: 'concurrent requests use a signature, a code and a key once',
        trials: KEY_ROUNDS * REQUESTS_PER_ROUND,
      },
      { file: 'access/signed-retry', goal: 'a signed retry executes the signed text once, for the account that signed', trials: REPLAYS },
    ],
    { KEY_ROUNDS, REPLAYS },
    until,
  );
