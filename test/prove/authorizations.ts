// The long form of the invariants of card authorizations.
import { runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const AUTHORIZATION_ROUNDS = Number(process.env['AUTHORIZATION_ROUNDS'] ?? 20);
const HISTORIES = Number(process.env['HISTORIES'] ?? 300);
/** Four caps by one process and by two, 500 callers each, and the 100 of a wallet. */
const REQUESTS_PER_ROUND = 8 * 500 + 100;

export const authorizations = (until: number): Promise<Outcome[]> =>
  runInvariants(
    [
      {
        file: 'card-transactions/caps',
        goal: 'authorizations never pass a cap, nor a change of the card',
        trials: AUTHORIZATION_ROUNDS * REQUESTS_PER_ROUND,
      },
      { file: 'card-transactions/histories', goal: 'card histories agree with the model, in any order', trials: 2 * HISTORIES },
      { file: 'card-transactions/linearizable', goal: 'authorizations and changes of a card are linearizable', trials: HISTORIES },
      { file: 'card-transactions/too-late', goal: 'held is exactly what someone was told in time', trials: AUTHORIZATION_ROUNDS * 200 },
    ],
    { AUTHORIZATION_ROUNDS, HISTORIES },
    until,
  );
