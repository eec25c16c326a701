// Long runs of the invariants of wallets and delegated keys.
import { type Extent, roundsOf, runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const ROUNDS = { KEY_ROUNDS: 20, REPLAYS: 10_000 };
/** Six races of 64 requests, one of them twice, and four sign-ins. */
const REQUESTS_PER_ROUND = 6 * 64 + 4;

export function keys({ until, share }: Extent): Promise<Outcome[]> {
  const rounds = roundsOf(ROUNDS, share);
  return runInvariants(
    [
      {
        file: 'access/key-races',
        goal: 'concurrent requests use a signature, a code and a key once',
        trials: rounds.KEY_ROUNDS * REQUESTS_PER_ROUND,
      },
      {
        file: 'access/signed-retry',
        goal: 'a signed retry executes the signed text once, for the account that signed',
        trials: rounds.REPLAYS,
      },
    ],
    rounds,
    until,
  );
}
