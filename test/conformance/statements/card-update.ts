import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const update = inFile('operations/cards/cards/updateCardById.test.ts');
const matrix = inFile('invariants/cards/cards/matrix.test.ts');
const instruction = inFile('rules/cards/cards/instruction.test.ts');
const secrets = inFile('invariants/cards/cards/secrets.test.ts');

const EVERY_CELL = '${status}: ${cells.length} combinations';
const OWN_FIELDS = '1. "At least one of status, fundingSource, … must be supplied"';
const STATUS_FIELDS = '2. "When status is supplied, substatus and reason are both required"';
const FUNDING = '3. fundingSource "must belong to the customer and use a currency supported by the card program"';
const CLOSING = '4. and 7. neither fundingSource nor a limit with status CLOSED';
const CAPABILITIES = '6. limits and password "are accepted only when" the capability is true; null counts as supplied';
const ALONE = '8. "threeDSecurePassword is sent alone"';
const BINDING = '9. "returns the updated card with the new binding and fires no webhook"; currency and limits do not change';
const SET = '"Set, or null to remove; omit to leave unchanged"; no webhook';

export const cardUpdate = section('card-update', 'Cards: the change of a card', [
  [
    1,
    '`PATCH /cards/{id}` answers 200 with the changed card.',
    spec('patch /cards/{id}'),
    update('"The card.status_change webhook fires on every successful status transition", with the card of the response'),
  ],
  [
    2,
    'The path names the card by its id.',
    update('404: a card id that is unknown, malformed or of another platform; the answers are identical'),
  ],
  [
    3,
    'The credential of the platform is enough; there is no signed retry.',
    spec('the signature headers belong to the creation of a delegated key and not to the change of a card'),
    update('401 before any validation; 403 without MANAGE'),
  ],
  [
    4,
    '`status` is `ACTIVE`, `FROZEN` or `CLOSED`.',
    spec('CardUpdateStatus'),
    update('"PENDING is managed by the service and cannot be requested"'),
  ],
  [
    5,
    '`substatus` is one of eleven values.',
    spec('CardUpdateSubstatus'),
    update('every substatus of the issuer is accepted, and no other'),
  ],
  [6, '`substatus` is required with `status`.', update(STATUS_FIELDS)],
  [
    7,
    '`substatus` is sent to the issuer.',
    instruction('contains the requested status with its substatus, "forwarded to the issuer", and its reason'),
  ],
  [
    8,
    '`reason` is a text of at least one character.',
    spec('defaults and lengths: bip137, 1 to 256 characters of a label, at least 1 of a reason'),
    update(STATUS_FIELDS),
  ],
  [9, '`reason` is required with `status`.', update(STATUS_FIELDS)],
  [
    10,
    '`reason` is recorded with the card.',
    update('substatus and reason are "recorded against the card", with the API token, in an append-only history'),
  ],
  [11, '`fundingSource` replaces the internal account.', update(BINDING)],
  [12, '`maxSpendPerTransaction`: a value sets, null removes, absent leaves.', update(SET)],
  [13, '`maxSpendPerDay`: a value sets, null removes, absent leaves.', update(SET)],
  [
    14,
    '`maxTransactionsPerDay`: a value sets, null removes, absent leaves.',
    update(SET),
    inFile('contract/specification.test.ts')('CardUpdateRequest'),
  ],
  [
    15,
    '`threeDSecurePassword` replaces the static password.',
    update(ALONE),
    instruction('contains the 3-D Secure password, alone or with a status'),
  ],
  [16, 'A request has at least one of the six changes.', update(OWN_FIELDS)],
  [17, '`fundingSource` belongs to the customer.', update(FUNDING)],
  [18, '`fundingSource` has a currency of the program, USDB included for cards in USD.', update(FUNDING), update(BINDING)],
  [19, '`fundingSource` changes neither the currency of the card nor the unit of its limits.', update(BINDING)],
  [20, '`fundingSource` is refused with `CLOSED`.', update(CLOSING), matrix(EVERY_CELL)],
  [
    21,
    'Where the issuer decides authorizations, `fundingSource` is refused with any `status`.',
    update(
      '5. "On card programs where the card issuer makes authorization decisions, fundingSource cannot be combined with any status change"',
    ),
    matrix(EVERY_CELL),
  ],
  [
    22,
    'Where the service decides, `fundingSource` is allowed with any `status` but `CLOSED`.',
    update('a status in the same request is validated against the new funding source; all changes are made or none'),
    matrix(EVERY_CELL),
  ],
  [23, 'The two spend limits need `supportsSpendLimits`.', update(CAPABILITIES)],
  [24, '`maxTransactionsPerDay` needs `supportsTransactionCountLimit`.', update(CAPABILITIES)],
  [25, '`threeDSecurePassword` needs `supports3dSecurePassword`.', update(CAPABILITIES)],
  [26, 'No limit is accepted with `CLOSED`.', update(CLOSING)],
  [27, '`threeDSecurePassword` is sent alone.', update(ALONE)],
  [28, 'A change of `fundingSource` sends no webhook.', update(BINDING), matrix(EVERY_CELL)],
  [
    29,
    '`card.status_change` is sent on every status transition.',
    update('"The card.status_change webhook fires on every successful status transition", with the card of the response'),
    matrix(EVERY_CELL),
  ],
  [
    30,
    'A refused request changes nothing.',
    matrix(EVERY_CELL),
    update('a status in the same request is validated against the new funding source; all changes are made or none'),
  ],
  [
    31,
    'The password is not kept.',
    secrets('no 3-D Secure password is stored, logged or answered, whether issued, changed, refused, invalid or repeated'),
  ],
]);
