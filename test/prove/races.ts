// The long form of the invariants of every domain: the same test files, more rounds. Every test that calls `race` is among them.
import { everyRace } from './every-race.js';
import { type Extent, roundsOf, runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const RACE_ROUNDS = 20;

const ROUNDS = {
  CARD_HISTORIES: 40,
  WINDOWS: 2_000,
  CUT_HISTORIES: 40,
  WEBHOOK_EVENTS: 1_000,
  KILLS: 10,
  DAY_SUM_RUNS: 300,
  JSON_RUNS: 100_000,
  IMPORT_ROWS: 100_000,
  IMPORT_KILLS: 3,
  IMPORT_WORKERS: 2,
  IMPORT_BAD_ROWS: 1_000_000,
  FILE_ROUNDS: 200,
  UPLOAD_ROUNDS: 5_000,
  PAYMENT_HISTORIES: 100,
  PAYMENT_KILLS: 40,
  STABLECOIN_HISTORIES: 60,
  STABLECOIN_KILLS: 20,
  AGENT_KILLS: 20,
  SNAPSHOT_HISTORIES: 30,
};

export async function races({ until, share }: Extent): Promise<Outcome[]> {
  const rounds = roundsOf(ROUNDS, share);
  const invariants = await runInvariants(
    [
      { file: 'cards/cards/linearizable', goal: 'changes of a card are linearizable', trials: rounds.CARD_HISTORIES },
      {
        file: 'accounts/statements/add-up',
        goal: 'a statement adds up, wherever a history is cut',
        trials: rounds.WINDOWS + rounds.WINDOWS / 4 + rounds.CUT_HISTORIES,
      },
      {
        file: 'core/webhooks/thousand',
        goal: 'every event is delivered through a receiver in trouble, in order',
        trials: rounds.WEBHOOK_EVENTS,
      },
      { file: 'snapshots', goal: 'a restored snapshot has every row as it was', trials: rounds.SNAPSHOT_HISTORIES },
      { file: 'agents/crash', goal: 'the counters of an agent are what was executed, through kills', trials: rounds.AGENT_KILLS },
      {
        file: 'payments/histories',
        goal: 'payments follow their model, and money is conserved in each currency',
        trials: rounds.PAYMENT_HISTORIES,
      },
      { file: 'payments/incoming-histories', goal: 'payments that arrive follow their model', trials: rounds.PAYMENT_HISTORIES },
      { file: 'payments/crash', goal: 'a killed service loses and doubles no payment', trials: rounds.PAYMENT_KILLS },
      {
        file: 'payments/stablecoin-histories',
        goal: 'mints and burns follow their model, and money is conserved',
        trials: rounds.STABLECOIN_HISTORIES,
      },
      { file: 'payments/stablecoin-crash', goal: 'a killed service loses and doubles no mint or burn', trials: rounds.STABLECOIN_KILLS },
      { file: 'core/webhooks/kill', goal: 'a killed worker loses no delivery', trials: rounds.KILLS },
      { file: 'ledger/day-sums', goal: 'day sums equal the sums over all entries', trials: rounds.DAY_SUM_RUNS },
      { file: 'json', goal: 'both readers of JSON give the same value or the same error', trials: 3 * rounds.JSON_RUNS },
      {
        file: 'identity/import-kill',
        goal: 'an import whose workers are killed does every row exactly once',
        trials: rounds.IMPORT_ROWS + rounds.IMPORT_BAD_ROWS,
      },
      { file: 'identity/stored-files', goal: 'a stored file is read as it was written', trials: rounds.FILE_ROUNDS },
      { file: 'identity/upload-fuzz', goal: 'a broken upload is refused and leaves nothing', trials: rounds.UPLOAD_ROUNDS },
    ],
    rounds,
    until,
  );
  return [...invariants, ...(await everyRace(Math.ceil(RACE_ROUNDS * share), until))];
}
