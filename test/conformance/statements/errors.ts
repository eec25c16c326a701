import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const hostile = inFile('contract/hostile-http.test.ts');
const customers = inFile('operations/identity/customers/createCustomer.test.ts');
const update = inFile('operations/identity/customers/updateCustomerById.test.ts');
const quoteDocuments = inFile('operations/payments/quotes/documents.test.ts');
const doc = inFile('contract/document.test.ts');
const verify = inFile('support/external-accounts/verify-suite.ts');
const card = inFile('operations/cards/cards/updateCardById.test.ts');
const changes = inFile('operations/accounts/statements/listInternalAccountBalanceChanges.test.ts');
const delegate = inFile('operations/access/delegated-keys/createDelegatedKey.test.ts');

export const errors = section('errors', 'Errors: bodies and mapping', [
  [
    1,
    'An error body has `code` and `reason`, and may have `details`.',
    spec('error bodies: code and reason are required, details is an optional object'),
    hostile('404 in the common error format for unknown paths'),
  ],
  [2, '`details` is free-form.', spec('error bodies: code and reason are required, details is an optional object')],
  [
    3,
    '`details.errors` lists one entry per invalid field of customer creation and change.',
    customers('400: details.errors has one entry per invalid field'),
    update('every bad field at once'),
  ],
  [
    4,
    'An entry has a required `field`, and may have `constraint` and `message`.',
    spec('FieldError'),
    hostile('every invalid field is listed with its path and constraint'),
  ],
  [5, '`field` is a path in dot notation.', customers('every bad field at once, in dot notation, with its constraint')],
  [
    6,
    '`details.missingRequirements` lists what `DOCUMENTS_REQUIRED` misses.',
    quoteDocuments('DOCUMENTS_REQUIRED names the requirements that no document fills'),
  ],
  [
    7,
    'A requirement identifier means the same across quotes.',
    quoteDocuments('DOCUMENTS_REQUIRED names the requirements that no document fills'),
  ],
  [
    8,
    'The bodies are `Error400`, `Error401`, `Error404`, `Error409` and `Error500` by status.',
    doc('every operation lists its codes by status, and answers them with the shared refusal of the status'),
  ],
  [
    9,
    'Verification: invalid or expired signature is 400, and the account becomes `UNVERIFIED`.',
    verify('400 "Signature invalid or expired; account moves to UNVERIFIED"'),
  ],
  [10, 'Verification: an unknown account is 404.', verify("unknown, malformed and another platform's ids get the same answer")],
  [11, 'Verification: no outstanding challenge is 409.', verify('none was started')],
  [
    12,
    'Change of a card: an illegal move, or activation without a usable key, is 409 `INVALID_STATE_TRANSITION`.',
    card('409 INVALID_STATE_TRANSITION: the card already has the requested status'),
    card('409 INVALID_STATE_TRANSITION: "Activating a card whose USDB funding source lacks a usable delegated key"'),
  ],
  [
    13,
    'Change of a card: closing a closed card is 409 `CARD_ALREADY_CLOSED`.',
    card('409 CARD_ALREADY_CLOSED: "closing an already closed card"; 409 CARD_NOT_MUTABLE: "any mutation of a CLOSED card"'),
  ],
  [
    14,
    'Change of a card: a closed card is 409 `CARD_NOT_MUTABLE`.',
    card('409 CARD_ALREADY_CLOSED: "closing an already closed card"; 409 CARD_NOT_MUTABLE: "any mutation of a CLOSED card"'),
  ],
  [
    15,
    'Balance changes: an open settlement is 409 `NOT_YET_AVAILABLE`.',
    changes('"A window whose card settlement has not closed is refused; retry after settlement"'),
  ],
  [
    16,
    'Delegated keys: a missing or bad header of a signed retry is 401 with its code.',
    delegate('incomplete or malformed signature headers are refused by name, and nothing happens'),
  ],
]);
