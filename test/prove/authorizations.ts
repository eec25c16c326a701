// Long runs of the invariants of card authorizations.
import { type Extent, roundsOf, runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const ROUNDS = { AUTHORIZATION_ROUNDS: 20, HISTORIES: 300, ATTACKS: 300 };
const AUTHORIZATION_CALLERS = 500;
/** Four limits with one process and with two, AUTHORIZATION_CALLERS callers each, and 100 callers of a wallet. */
const REQUESTS_PER_ROUND = 8 * AUTHORIZATION_CALLERS + 100;

export function authorizations({ until, share }: Extent): Promise<Outcome[]> {
  const rounds = roundsOf(ROUNDS, share);
  return runInvariants(
    [
      {
        file: 'cards/authorizations/caps',
        goal: 'concurrent authorizations never exceed a limit and respect changes of the card',
        trials: rounds.AUTHORIZATION_ROUNDS * REQUESTS_PER_ROUND,
      },
      {
        file: 'cards/network-messages/histories',
        goal: 'card histories agree with the model in any order of messages',
        trials: 2 * rounds.HISTORIES,
      },
      {
        file: 'cards/network-messages/attacker',
        goal: 'an attacker gets no money out that did not come in and is not owed',
        trials: rounds.ATTACKS,
      },
      {
        file: 'cards/authorizations/linearizable',
        goal: 'authorizations and changes of a card are linearizable',
        trials: rounds.HISTORIES,
      },
      {
        file: 'cards/authorizations/too-late',
        goal: 'a hold remains exactly if an approval was answered in time',
        trials: rounds.AUTHORIZATION_ROUNDS * 200,
      },
    ],
    { ...rounds, AUTHORIZATION_CALLERS },
    until,
  );
}
