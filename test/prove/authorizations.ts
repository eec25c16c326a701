// Long runs of the invariants of card authorizations.
import { runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const AUTHORIZATION_ROUNDS = Number(process.env['AUTHORIZATION_ROUNDS'] ?? 20);
const HISTORIES = Number(process.env['HISTORIES'] ?? 300);
const AUTHORIZATION_CALLERS = 500;
/** Four limits with one process and with two, AUTHORIZATION_CALLERS callers each, and 100 callers of a wallet. */
const REQUESTS_PER_ROUND = 8 * AUTHORIZATION_CALLERS + 100;

export const authorizations = (until: number): Promise<Outcome[]> =>
  runInvariants(
    [
      {
        file: 'cards/authorizations/caps',
        goal: 'concurrent authorizations never exceed a limit and respect changes of the card',
        trials: AUTHORIZATION_ROUNDS * REQUESTS_PER_ROUND,
      },
      {
        file: 'cards/network-messages/histories',
        goal: 'card histories agree with the model in any order of messages',
        trials: 2 * HISTORIES,
      },
      {
        file: 'cards/network-messages/attacker',
        goal: 'an attacker gets no money out that did not come in and is not owed',
        trials: HISTORIES,
      },
      { file: 'cards/authorizations/linearizable', goal: 'authorizations and changes of a card are linearizable', trials: HISTORIES },
      {
        file: 'cards/authorizations/too-late',
        goal: 'a hold remains exactly if an approval was answered in time',
        trials: AUTHORIZATION_ROUNDS * 200,
      },
    ],
    { AUTHORIZATION_ROUNDS, AUTHORIZATION_CALLERS, HISTORIES, ATTACKS: HISTORIES },
    until,
  );
