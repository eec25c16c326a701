import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const authorize = inFile('operations/cards/authorizations/sandboxSimulateCardAuthorization.test.ts');
const rules = inFile('rules/cards/authorizations/authorization.test.ts');
const create = inFile('operations/cards/cards/createCard.test.ts');
const update = inFile('operations/cards/cards/updateCardById.test.ts');
const caps = inFile('invariants/cards/authorizations/caps.test.ts');

const PER_TRANSACTION =
  'maxSpendPerTransaction: "authorization of exactly the limit is allowed"; "a later clearing may settle above it (for example a tip)"';
const PER_DAY =
  'maxSpendPerDay: "spend exactly equal to the limit is allowed"; "refunds, reversals, and authorization expiries do not restore capacity"';
const COUNT =
  'maxTransactionsPerDay: "a transaction bringing the count exactly to the limit is allowed"; refunds, reversals and expiries do not restore the count';
const LOWER = '"effective value is the lower of card and cardConfigs", for each of the three limits';
const MIDNIGHT = '"window resets 00:00 UTC": declined in the last millisecond of the day, approved in the first of the next day';
const ONCE =
  '"each approved authorization counts once for the day authorized": later clearings, also above the authorized amount, count for no day';
const EXACTLY = '${CALLERS} concurrent authorizations: exactly as many are approved as the limit allows, ${ROUNDS} round(s)';

export const cardLimits = section('card-limits', 'Cards: limits', [
  [
    1,
    '`maxSpendPerTransaction` is an integer of at least 1 in the smallest unit.',
    spec('Card'),
    update('limits are integers from 1 to their maximum'),
  ],
  [
    2,
    'An authorization of exactly `maxSpendPerTransaction` is approved.',
    authorize(PER_TRANSACTION),
    rules('maxSpendPerTransaction: "authorization of exactly the limit is allowed", one cent more is declined'),
  ],
  [3, 'A later clearing may be above `maxSpendPerTransaction`.', authorize(PER_TRANSACTION)],
  [
    4,
    'The lower of card and platform applies to `maxSpendPerTransaction`.',
    authorize(LOWER),
    rules('"effective value is the lower of" card and platform; a missing limit is ignored'),
  ],
  [5, '`maxSpendPerDay` is an integer of at least 1.', spec('Card'), update('limits are integers from 1 to their maximum')],
  [
    6,
    '`maxSpendPerDay` counts new spend of a UTC calendar day.',
    authorize(MIDNIGHT),
    rules('the spending day is the UTC calendar day: it begins at 00:00 UTC'),
    rules('each of the 366 days of a leap year begins at 00:00 UTC'),
  ],
  [7, 'The window of `maxSpendPerDay` begins at 00:00 UTC.', authorize(MIDNIGHT)],
  [8, 'The lower of card and platform applies to `maxSpendPerDay`.', authorize(LOWER)],
  [
    9,
    'Spend of exactly `maxSpendPerDay` is approved.',
    authorize(PER_DAY),
    rules('maxSpendPerDay: "spend exactly equal to the limit is allowed", one cent more is declined'),
  ],
  [10, 'Refunds give no spend of the day back.', authorize(PER_DAY)],
  [11, 'Reversals give no spend of the day back.', authorize(PER_DAY)],
  [12, 'Expiries give no spend of the day back.', authorize(PER_DAY)],
  [13, '`maxTransactionsPerDay` is an integer of at least 1.', spec('Card'), update('limits are integers from 1 to their maximum')],
  [14, '`maxTransactionsPerDay` counts authorizations of a UTC calendar day.', authorize(MIDNIGHT)],
  [15, 'The lower of card and platform applies to `maxTransactionsPerDay`.', authorize(LOWER)],
  [
    16,
    'The transaction that reaches `maxTransactionsPerDay` is approved.',
    authorize(COUNT),
    rules('maxTransactionsPerDay: "a transaction bringing the count exactly to the limit is allowed", one more is declined'),
  ],
  [17, 'An approved authorization counts once, for the day on which it was authorized.', authorize(ONCE)],
  [18, 'Refunds, reversals and expiries give no count back.', authorize(COUNT)],
  [
    19,
    'The limits hold under concurrent authorizations.',
    caps(EXACTLY),
    caps(
      'concurrent authorizations of mixed amounts: approved amounts stay within maxSpendPerDay, and every declined amount would exceed it',
    ),
  ],
  [
    20,
    'A platform may have a maximum of live cards.',
    create('the platform has its maximum of live cards; closing a card permits another'),
  ],
  [
    21,
    'A platform may be limited to one card per cardholder.',
    create(
      '"the cardholder already holds a card and the platform is limited to one per cardholder": of 16 concurrent requests one succeeds',
    ),
  ],
  [22, 'More cards than that: 409 `CARD_LIMIT_REACHED`.', create('409 CARD_LIMIT_REACHED')],
  [
    23,
    'The maximum is configured per platform.',
    inFile('boot/platform-cli.test.ts')('create, list, rotate-token and limits'),
    create('the platform has its maximum of live cards; closing a card permits another'),
  ],
]);
