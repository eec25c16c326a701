// The long form of the invariants of wallets and delegated keys.
import { runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const KEY_ROUNDS = Number(process.env['KEY_ROUNDS'] ?? 20);
const REPLAYS = Number(process.env['REPLAYS'] ?? 10_000);
/** Six races of 64, one of them twice, and four sign-ins. */
const REQUESTS_PER_ROUND = 6 * 64 + 4;

export const keys = (until: number): Promise<Outcome[]> =>
  runInvariants(
    [
      {
        file: 'key-races',
        goal: 'a signature, a code and a key are used once, whoever asks at once',
        trials: KEY_ROUNDS * REQUESTS_PER_ROUND,
      },
      { file: 'signed-retry', goal: 'a signed retry does what was signed, for whom it was signed, once', trials: REPLAYS },
    ],
    { KEY_ROUNDS, REPLAYS },
    until,
  );
