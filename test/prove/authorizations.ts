// The long form of the invariants of card authorizations.
import { longer } from './longer.js';
import type { Outcome } from './report.js';

const AUTHORIZATION_ROUNDS = Number(process.env['AUTHORIZATION_ROUNDS'] ?? 20);
const HISTORIES = Number(process.env['HISTORIES'] ?? 300);
const AUTHORIZATION_CALLERS = 500;
/** Four caps by one process and by two, and the 100 of a wallet. */
const ASKED_PER_ROUND = 8 * AUTHORIZATION_CALLERS + 100;

export const authorizations = (until: number): Promise<Outcome[]> =>
  longer(
    [
      {
        file: 'cards/authorizations/caps',
        goal: 'authorizations never pass a cap, nor a change of the card',
        trials: AUTHORIZATION_ROUNDS * ASKED_PER_ROUND,
      },
      { file: 'cards/network-messages/histories', goal: 'card histories agree with the model, in any order', trials: 2 * HISTORIES },
      { file: 'cards/authorizations/linearizable', goal: 'authorizations and changes of a card are linearizable', trials: HISTORIES },
      { file: 'cards/authorizations/too-late', goal: 'held is exactly what someone was told in time', trials: AUTHORIZATION_ROUNDS * 200 },
    ],
    { AUTHORIZATION_ROUNDS, AUTHORIZATION_CALLERS, HISTORIES },
    until,
  );
