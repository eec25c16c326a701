// The long form of the invariants of every domain: the same test files, more rounds.
import { runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const CARD_HISTORIES = 40;
const WINDOWS = 2_000;
const CUT_HISTORIES = 40;
const RECEIPT_ROUNDS = 20;
const OWNERSHIP_ROUNDS = 5;
const WEBHOOK_EVENTS = 1_000;
const KILLS = 10;
const DAY_SUM_RUNS = 300;
const JSON_RUNS = 100_000;
const IMPORT_ROWS = 100_000;
const IMPORT_KILLS = 3;
const IMPORT_WORKERS = 2;
const IMPORT_BAD_ROWS = 1_000_000;
const FILE_ROUNDS = 200;
const UPLOAD_ROUNDS = 5_000;
const PAYMENT_ROUNDS = 20;
const PAYMENT_HISTORIES = 100;
const PAYMENT_KILLS = 40;
const STABLECOIN_HISTORIES = 60;
const STABLECOIN_KILLS = 20;
const AGENT_ROUNDS = 10;
const AGENT_KILLS = 20;
const SNAPSHOT_HISTORIES = 30;

export const races = (until: number): Promise<Outcome[]> =>
  runInvariants(
    [
      { file: 'cards/cards/linearizable', goal: 'changes of a card are linearizable', trials: CARD_HISTORIES },
      {
        file: 'accounts/statements/add-up',
        goal: 'a statement adds up, wherever a history is cut',
        trials: WINDOWS + WINDOWS / 4 + CUT_HISTORIES,
      },
      { file: 'accounts/statements/confirm-race', goal: 'the first receipt of a statement is kept', trials: RECEIPT_ROUNDS * 64 },
      { file: 'accounts/external-accounts/races', goal: 'ownership of an account is decided once', trials: OWNERSHIP_ROUNDS * 64 },
      { file: 'core/webhooks/thousand', goal: 'every event is delivered through a receiver in trouble, in order', trials: WEBHOOK_EVENTS },
      { file: 'payments/races', goal: 'a quote is executed at most once', trials: PAYMENT_ROUNDS * 64 },
      { file: 'agents/limits', goal: 'the limits of an agent hold under race, over two processes', trials: AGENT_ROUNDS * 4 * 64 },
      { file: 'agents/crash', goal: 'the counters of an agent are what was executed, through kills', trials: AGENT_KILLS },
      {
        file: 'payments/histories',
        goal: 'payments follow their model, and money is conserved in each currency',
        trials: PAYMENT_HISTORIES,
      },
      { file: 'payments/crash', goal: 'a killed service loses and doubles no payment', trials: PAYMENT_KILLS },
      {
        file: 'payments/stablecoin-histories',
        goal: 'mints and burns follow their model, and money is conserved',
        trials: STABLECOIN_HISTORIES,
      },
      { file: 'payments/stablecoin-crash', goal: 'a killed service loses and doubles no mint or burn', trials: STABLECOIN_KILLS },
      { file: 'core/webhooks/kill', goal: 'a killed worker loses no delivery', trials: KILLS },
      { file: 'ledger/day-sums', goal: 'day sums equal the sums over all entries', trials: DAY_SUM_RUNS },
      { file: 'json', goal: 'both readers of JSON give the same value or the same error', trials: 3 * JSON_RUNS },
      {
        file: 'identity/import-kill',
        goal: 'an import whose workers are killed does every row exactly once',
        trials: IMPORT_ROWS + IMPORT_BAD_ROWS,
      },
      { file: 'snapshots', goal: 'a restored snapshot has every row as it was', trials: SNAPSHOT_HISTORIES },
      { file: 'identity/stored-files', goal: 'a stored file is read as it was written', trials: FILE_ROUNDS },
      { file: 'identity/upload-fuzz', goal: 'a broken upload is refused and leaves nothing', trials: UPLOAD_ROUNDS },
    ],
    {
      IMPORT_ROWS,
      IMPORT_KILLS,
      IMPORT_WORKERS,
      IMPORT_BAD_ROWS,
      FILE_ROUNDS,
      UPLOAD_ROUNDS,
      CARD_HISTORIES,
      WINDOWS,
      CUT_HISTORIES,
      RECEIPT_ROUNDS,
      OWNERSHIP_ROUNDS,
      WEBHOOK_EVENTS,
      KILLS,
      DAY_SUM_RUNS,
      JSON_RUNS,
      PAYMENT_ROUNDS,
      PAYMENT_HISTORIES,
      PAYMENT_KILLS,
      STABLECOIN_HISTORIES,
      STABLECOIN_KILLS,
      AGENT_ROUNDS,
      AGENT_KILLS,
      SNAPSHOT_HISTORIES,
    },
    until,
  );
