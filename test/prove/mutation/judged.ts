// Mutants that were looked at and cannot be noticed: the mutated program does the same. They are not tried.
import type { Mutant } from './mutants.js';

export type Judged = {
  readonly file: string;
  readonly what: string;
  /** Part of the line in the compiled file. */
  readonly within: string;
  /** What stands directly before the change, where the line has the same text more than once. */
  readonly after?: string;
  readonly why: string;
};

const STATEMENTS = 'domains/accounts/statements/rules.ts';
const CREDENTIALS = 'domains/access/credentials/rules.ts';
const AUTHORIZATION = 'domains/cards/authorizations/authorization.ts';
const CARD = 'domains/cards/cards/rules.ts';
const CARD_DISPUTE = 'domains/cards/disputes/rules.ts';
const CARD_LIFECYCLE = 'domains/cards/authorizations/lifecycle.ts';
const CARD_MONEY = 'domains/cards/authorizations/moves.ts';
const CARD_MESSAGES = 'domains/cards/network-messages/rules.ts';
const AT_THE_BOUND = 'both branches give the same value where the two sides are equal';

const LEDGER = 'domains/ledger/rules.ts';
const VOLUME = 'domains/payments/payments/volume-rules.ts';
const PAYMENT_DOCUMENTS = 'domains/payments/payment-documents/rules.ts';
const PAYMENT_MOVES = 'domains/payments/payments/moves.ts';
const QUOTES = 'domains/payments/quotes/rules.ts';
const RECEIVERS = 'domains/payments/receivers/rules.ts';
const STABLECOINS = 'domains/payments/stablecoins/rules.ts';
const SANDBOX_CLOCK = 'domains/sandbox/rules.ts';
const RATES = 'domains/payments/rates/rules.ts';
const ONLY_MEMORY = 'the ids are derived again, and are the same';

const AGENTS = 'domains/agents/agents/rules.ts';
const VERIFICATIONS = 'domains/identity/verifications/rules.ts';
const CONSOLE = 'domains/core/console/rules.ts';
const WEBHOOKS = 'domains/core/webhooks/rules.ts';
const LOG = 'domains/core/webhooks/log-rules.ts';
const OWNERS = 'domains/identity/verifications/owner-rules.ts';
const REQUIREMENTS = 'domains/identity/verifications/requirements.ts';

export const JUDGED: readonly Judged[] = [
  { file: LEDGER, what: '10_000 → 10001', within: 'MAX_DERIVED_IDS = 10_000', why: ONLY_MEMORY },
  { file: LEDGER, what: 'if (known !== undefined) → if (false)', within: 'known !== undefined', why: ONLY_MEMORY },
  { file: LEDGER, what: 'if (derivedIds.size >= MAX_DERIVED_IDS) → if (false)', within: 'derivedIds.size', why: ONLY_MEMORY },
  { file: LEDGER, what: '>= → >', within: 'derivedIds.size', why: ONLY_MEMORY },
  {
    file: LEDGER,
    what: 'false → true',
    within: 'isHeld = false } = {}',
    why: 'the default is used between service-side accounts, which hold nothing',
  },
  {
    file: LEDGER,
    what: '0n → 1n',
    within: 'after?.available ?? 0n',
    why: 'only a service-side account has no balance, and it owes nothing',
  },
  {
    file: LEDGER,
    what: '|| → &&',
    within: '!before || before.owed === 0n',
    why: 'every balance after the moves was there before, and the next check refuses nothing where nothing is owed',
  },
  { file: LEDGER, what: '< → <=', within: 'a < b ? a : b', why: AT_THE_BOUND },
  { file: AUTHORIZATION, what: '< → <=', within: 'spent + amount < MOST_SPENT', why: AT_THE_BOUND },
  { file: AUTHORIZATION, what: '> → >=', within: 'one.spent > spent', why: AT_THE_BOUND },
  { file: AUTHORIZATION, what: '< → <=', within: 'b === null || a < b', why: AT_THE_BOUND },
  { file: CREDENTIALS, what: '> → >=', within: 'spentUntil !== undefined && spentUntil > now', why: AT_THE_BOUND },
  { file: STATEMENTS, what: '< → <=', within: 'end < closing.number', why: AT_THE_BOUND },
  { file: CARD, what: '> → >=', within: 'a > b ? a : b', why: AT_THE_BOUND },
  { file: CARD, what: "'NOT_SET' → ''", within: "card.pinStatus ?? 'NOT_SET'", why: 'a card without PIN management was refused before' },
  { file: CARD_DISPUTE, what: '<= → <', within: 'amount <= available', why: AT_THE_BOUND },
  { file: CARD_DISPUTE, what: '0n → 1n', within: 'due >= 0n', after: 'due >= ', why: AT_THE_BOUND },
  { file: CARD_DISPUTE, what: '>= → >', within: 'due >= 0n', why: AT_THE_BOUND },
  { file: CARD_LIFECYCLE, what: '<= → <', within: 'wanted <= reserved', why: AT_THE_BOUND },
  {
    file: CARD_LIFECYCLE,
    what: 'false → true',
    within: 'NOTHING_WITHDRAWABLE, false',
    why: 'it says from where more is taken, and nothing can be taken',
  },
  { file: CARD_LIFECYCLE, what: '< → <=', within: 'a < b ? a : b', why: AT_THE_BOUND },
  { file: CARD_LIFECYCLE, what: '> → >=', within: 'a > b ? a : b', why: AT_THE_BOUND },
  { file: CARD_MONEY, what: '< → <=', within: 'short < 0n ? short : 0n', why: AT_THE_BOUND },
  { file: CARD_MONEY, what: '0n → 1n', within: 'short < 0n ? short : 0n', after: 'short < ', why: AT_THE_BOUND },
  { file: CARD_MONEY, what: '> → >=', within: 'amount > 0n ? transferOf', why: 'an amount of 0 was answered before' },
  { file: CARD_MESSAGES, what: '< → <=', within: 'amount < open', why: AT_THE_BOUND },
  {
    file: CARD_MESSAGES,
    what: '0n → 1n',
    within: 'RETURN: ({ transaction, amount = 0n, disputed })',
    why: 'at least 1 can be returned where the amount is compared',
  },
  { file: VOLUME, what: '> → >=', within: 'left > 0n ?', why: AT_THE_BOUND },
  ...['|| → &&', "'MIXED' → ''", "'OVERSIZED' → ''"].map((what) => ({
    file: PAYMENT_DOCUMENTS,
    what,
    within: "problem || sniffed === undefined || sniffed === 'MIXED'",
    why: 'the problem of such a file was found before; the comparison tells the compiler so',
  })),
  { file: PAYMENT_MOVES, what: '< → <=', within: 'a < b ? a : b', why: AT_THE_BOUND },
  {
    file: PAYMENT_MOVES,
    what: "'FEES' → ''",
    within: 'feeAccountId === null ?',
    why: 'without an account for its fees the platform takes none, and a leg of nothing is left out',
  },
  {
    file: QUOTES,
    what: "if (destination.kind !== 'UMA') → if (false)",
    within: "destination.kind !== 'UMA'",
    why: 'another destination has no currency of its own here, so no bounds are found; the comparison tells the compiler so',
  },
  { file: RATES, what: '< → <=', within: 'value < bound ? value : bound', why: AT_THE_BOUND },
  { file: RATES, what: '* → /', within: '(net - 1n) * BPS', why: 'the search begins lower and ends at the same amount' },
  ...['least', 'fixed'].flatMap((name) => [
    { file: RATES, what: '< → <=', within: `${name} < 1n ? 1n : ${name}`, why: AT_THE_BOUND },
    {
      file: RATES,
      what: '1n → 2n',
      within: `${name} < 1n ? 1n : ${name}`,
      why: 'what is below 2 becomes 1, which it is; the other 1n is noticed',
    },
  ]),
  { file: RECEIVERS, what: '> → >=', within: 'a > b ? a : b', why: AT_THE_BOUND },
  { file: RECEIVERS, what: '< → <=', within: 'a < b ? a : b', why: AT_THE_BOUND },
  {
    file: STABLECOINS,
    what: '|| → &&',
    within: "bare === '' || bare.length > MOST_DIGITS",
    why: 'both texts are read as amounts that the next line refuses; the comparison spares the reading of long ones',
  },
  { file: STABLECOINS, what: '> → >=', within: 'decimals > 2 &&', why: 'with two decimals the scale is 1, which divides every amount' },
  { file: STABLECOINS, what: '> → >=', within: 'decimals > 2 ?', why: 'with two decimals the scale is 1' },
  { file: STABLECOINS, what: '< → <=', within: 'at < first', why: AT_THE_BOUND },
  { file: SANDBOX_CLOCK, what: '> → >=', within: 'dueAt > now ? dueAt', why: AT_THE_BOUND },
  { file: SANDBOX_CLOCK, what: '< → <=', within: 'now < until ? now : until', why: AT_THE_BOUND },
  { file: AGENTS, what: '1 → 2', within: 'getUTCMonth() + 1, 1', after: '+ 1, ', why: 'the day is cut off, and the month is left' },
  { file: AGENTS, what: '< → <=', within: 'amount < most ? amount : most', why: AT_THE_BOUND },
  {
    file: VERIFICATIONS,
    what: '0 → 1',
    within: 'DECISIONS[status].length > 0',
    why: 'a status that takes a later answer takes several',
  },
  {
    file: OWNERS,
    what: '0 → 1',
    within: '?.length ?? 0',
    why: 'a text without letters and digits has nothing to mask, however many are to be masked',
  },
  {
    file: REQUIREMENTS,
    what: '<= → <',
    within: 'const isOfAge',
    after: 'birthDate ',
    why: 'who is born today is not of age, which the other comparison finds',
  },
  { file: CONSOLE, what: '|| → &&', within: 'place === undefined || request', why: 'the pattern finds all three parts or none' },
  { file: WEBHOOKS, what: '30 → 31', within: 'Math.min(failures - 1, 30)', why: 'the delay is the longest long before' },
  { file: WEBHOOKS, what: '> → >=', within: 'outcome.dueAt > latest', why: AT_THE_BOUND },
  { file: WEBHOOKS, what: '< → <=', within: 'event.createdAt < now ? event.createdAt : now', why: AT_THE_BOUND },
  { file: LOG, what: '< → <=', within: 'a.id < b.id ? -1 : 1', why: 'no two commits have the same id' },
  { file: LOG, what: '1 → 2', within: 'a.id < b.id ? -1 : 1', why: 'a sort looks at the sign alone' },
  { file: LOG, what: '0 → 1', within: 'madeAt(id.slice', why: 'every id of an event tells its time' },
  { file: LOG, what: '0 → 1', within: 'made.map((ms) => ms ?? 0)', why: 'the bound lies a day earlier, before the first uuid' },
];

/** Whether the judgement is about this mutant of the compiled file. */
export function isAbout({ what, within, after = '' }: Judged, code: string, mutant: Mutant): boolean {
  const around = code.slice(code.lastIndexOf('\n', mutant.start) + 1, code.indexOf('\n', mutant.end)).trim();
  return what === mutant.what && around.includes(within) && code.slice(0, mutant.start).endsWith(after);
}

export const isJudged = (file: string, code: string, mutant: Mutant): boolean =>
  JUDGED.some((judged) => judged.file === file && isAbout(judged, code, mutant));
