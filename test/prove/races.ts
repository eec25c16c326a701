// The long form of the invariants of cards, statements, external accounts, payments and webhooks: the same test files, more rounds.
import { runInvariants } from './long-run.js';
import type { Outcome } from './report.js';

const CARD_HISTORIES = 40;
const WINDOWS = 2_000;
const CUT_HISTORIES = 40;
const RECEIPT_ROUNDS = 20;
const OWNERSHIP_ROUNDS = 5;
const WEBHOOK_EVENTS = 1_000;
const KILLS = 10;
const PAYMENT_ROUNDS = 20;
const PAYMENT_HISTORIES = 100;
const PAYMENT_KILLS = 40;

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
      {
        file: 'payments/histories',
        goal: 'payments follow their model, and money is conserved in each currency',
        trials: PAYMENT_HISTORIES,
      },
      { file: 'payments/crash', goal: 'a killed service loses and doubles no payment', trials: PAYMENT_KILLS },
      { file: 'core/webhooks/kill', goal: 'a killed worker loses no delivery', trials: KILLS },
    ],
    {
      CARD_HISTORIES,
      WINDOWS,
      CUT_HISTORIES,
      RECEIPT_ROUNDS,
      OWNERSHIP_ROUNDS,
      WEBHOOK_EVENTS,
      KILLS,
      PAYMENT_ROUNDS,
      PAYMENT_HISTORIES,
      PAYMENT_KILLS,
    },
    until,
  );
