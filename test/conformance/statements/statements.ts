import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const changes = inFile('operations/accounts/statements/listInternalAccountBalanceChanges.test.ts');
const confirm = inFile('operations/accounts/statements/confirmStatementDelivery.test.ts');
const page = inFile('operations/accounts/statements/getInternalAccountStatement.test.ts');
const rules = inFile('rules/accounts/statements/rules.test.ts');
const addUp = inFile('invariants/accounts/statements/add-up.test.ts');
const race = inFile('invariants/accounts/statements/confirm-race.test.ts');

const ROWS = '"one row per balance change in the order the money moved, with the opening and closing balances for the window"';
const REFUSED = '"A window whose card settlement has not closed is refused; retry after settlement"';
const MONTHS = '${period.slice(0, 7)} lasts ${hours} h and both its boundaries are exact to the millisecond';

export const statements = section('statements', 'Periodic statements', [
  [
    1,
    '`GET /internal-accounts/{id}/balance-changes` takes `startDate` and `endDate`.',
    spec('get /internal-accounts/{id}/balance-changes'),
    changes('INVALID_INPUT names missing and unknown parameters'),
  ],
  [2, 'The window is half-open.', changes('the window is half-open: a change at startDate is inside, one at endDate is not')],
  [3, 'Both dates are timestamps with an offset.', changes('INVALID_TIMESTAMP: a boundary that is not a timestamp with offset')],
  [
    4,
    'There is one row per balance change.',
    changes(ROWS),
    changes('a purchase cleared above its hold is one row, and so is each of two partial clearings'),
  ],
  [5, 'Rows are in the order in which the money moved.', changes(ROWS), changes('`limit` is 100 by default, and 1 to 200')],
  [
    6,
    'The answer has the opening and closing balances of the window.',
    changes(ROWS),
    changes('the closing balance of one window is the opening balance of the next'),
  ],
  [
    7,
    'Pages go on until `hasMore` is false.',
    changes('`limit` is 100 by default, and 1 to 200'),
    rules('pages of every size read the whole window once'),
  ],
  [
    8,
    'Opening balance plus all amounts is the closing balance.',
    addUp('any history, split at any time, adds up without a gap'),
    addUp('while writers run (PROVE_SEED=${seed})'),
  ],
  [
    9,
    'A statement that does not add up is not issued.',
    changes('a page that does not add up is not issued'),
    page('"if not, the statement must not be issued": a month that does not add up is not rendered'),
    rules('"if not, the statement must not be issued": a gap, a wrong balance or a wrong end is detected'),
  ],
  [
    10,
    'A statement counts as fetched only for exactly one calendar month in US Central time.',
    changes('when its last page was read; the first time is kept'),
    changes('any other window is not recorded'),
    rules(MONTHS),
  ],
  [
    11,
    'A month goes from its first instant to the first instant of the next one.',
    rules(MONTHS),
    rules('months follow each other without gap or overlap, in every year'),
  ],
  [
    12,
    '`POST /internal-accounts/{id}/confirm-statement` takes `periodStart`.',
    spec('post /internal-accounts/{id}/confirm-statement'),
    confirm('400: periodStart is "first day of a begun month"'),
  ],
  [
    13,
    'It stores the record of delivery for account and period.',
    confirm('"Stores the delivery record for the account and period"'),
    confirm('each account and each period has its own receipt'),
  ],
  [14, 'A repeat is harmless.', confirm('"repeating it is harmless and the first receipt\'s time is kept"')],
  [
    15,
    'The time of the first receipt is kept.',
    confirm('"repeating it is harmless and the first receipt\'s time is kept"'),
    race('${AT_ONCE} receipts at once: one time is kept and all callers receive it'),
  ],
  [
    16,
    'It is meant for once a month, after the statement was fetched.',
    confirm('"Intended once a month after the period\'s statement has been pulled": fetchedAt is when that was'),
  ],
  [
    17,
    "A customer's own USD account has statements.",
    rules("a customer's own USD account"),
    changes('an account without any change has a statement of zeros'),
  ],
  [
    18,
    'A statement covers the whole balance of the account.',
    changes('a card purchase is a change of its transaction when it clears, and its return another'),
    addUp('any history, split at any time, adds up without a gap'),
  ],
  [
    19,
    "Money received through a rule-based account is on its owner's statement.",
    changes('"money received through a rule-based account appears on its owner\'s statement"'),
  ],
  [20, 'Rule-based accounts have no statement.', changes('INVALID_INPUT: ${what} has no statement of its own'), rules('${what} has none')],
  [
    21,
    'Bulk settlement accounts have no statement.',
    changes('INVALID_INPUT: ${what} has no statement of its own'),
    rules('${what} has none'),
  ],
  [
    22,
    'Accounts of the platform have no statement.',
    changes("INVALID_INPUT: the platform's own account has no statement"),
    confirm('400: an account without a statement'),
  ],
  [
    23,
    'A window whose card settlement is open is refused with 409 `NOT_YET_AVAILABLE`.',
    changes(REFUSED),
    rules('both boundaries are named while both are open'),
  ],
  [
    24,
    'After settlement the same request succeeds.',
    changes(REFUSED),
    rules('refused one millisecond before settlement closes, available when it closes'),
  ],
]);
