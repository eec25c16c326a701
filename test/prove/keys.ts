// Long runs of the invariants of signed requests.
import { type Extent, roundsOf, runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const ROUNDS = { REPLAYS: 10_000 };

export function keys({ until, share }: Extent): Promise<Outcome[]> {
  const rounds = roundsOf(ROUNDS, share);
  return runInvariants(
    [
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
