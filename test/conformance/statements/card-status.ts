import { inFile, section } from '../statement.js';

const update = inFile('operations/cards/cards/updateCardById.test.ts');
const matrix = inFile('invariants/cards/cards/matrix.test.ts');
const linearizable = inFile('invariants/cards/cards/linearizable.test.ts');
const transitions = inFile('contract/transitions.test.ts');
const authorize = inFile('operations/cards/authorizations/sandboxSimulateCardAuthorization.test.ts');
const clearing = inFile('operations/cards/network-messages/sandboxSimulateCardClearing.test.ts');
const simulators = inFile('operations/cards/network-messages/simulators.test.ts');
const caps = inFile('invariants/cards/authorizations/caps.test.ts');
const delegate = inFile('operations/access/delegated-keys/createDelegatedKey.test.ts');

const EVERY_CELL = '${status}: ${cells.length} combinations';
const WEBHOOK = '"The card.status_change webhook fires on every successful status transition", with the card of the response';
const CLOSED_ERRORS = '409 CARD_ALREADY_CLOSED: "closing an already closed card"; 409 CARD_NOT_MUTABLE: "any mutation of a CLOSED card"';
const NO_KEY = '409 INVALID_STATE_TRANSITION: "Activating a card whose USDB funding source lacks a usable delegated key"';

export const cardStatus = section('card-status', 'Cards: status', [
  [1, '`ACTIVE` → `FROZEN` on request.', matrix(EVERY_CELL), update(WEBHOOK)],
  [
    2,
    'A frozen card declines new authorizations with `CARD_NOT_ACTIVE`.',
    authorize('"New authorizations declined with cardDeclinedReason: CARD_NOT_ACTIVE" while frozen; "Normal authorization resumes" after'),
  ],
  [
    3,
    'Pulls and reconciliation that are under way continue on a frozen card.',
    clearing('frozen: "existing pulls and in-flight reconciliation continue"'),
    simulators('${status}: returns, return reversals and disputes are processed; new purchases and credits are declined'),
  ],
  [4, 'Freezing sends `card.status_change`.', update(WEBHOOK), matrix(EVERY_CELL)],
  [5, '`FROZEN` → `ACTIVE` on request.', matrix(EVERY_CELL), update(WEBHOOK)],
  [6, 'A frozen card funded in USDB needs a usable key to become `ACTIVE`.', update(NO_KEY), matrix(EVERY_CELL)],
  [
    7,
    'Authorizations resume after activation.',
    authorize('"New authorizations declined with cardDeclinedReason: CARD_NOT_ACTIVE" while frozen; "Normal authorization resumes" after'),
  ],
  [8, 'Activation sends the webhook.', update(WEBHOOK), matrix(EVERY_CELL)],
  [9, '`PENDING` → `ACTIVE` on request with a usable key, with the webhook.', matrix(EVERY_CELL)],
  [10, '`PENDING` → `FROZEN` on request, with the webhook.', matrix(EVERY_CELL)],
  [11, '`ACTIVE`, `PENDING` and `FROZEN` → `CLOSED` on request.', matrix(EVERY_CELL)],
  [
    12,
    'A closing request has neither `fundingSource` nor a limit.',
    update('4. and 7. neither fundingSource nor a limit with status CLOSED'),
  ],
  [13, '`CLOSED` is terminal.', matrix(EVERY_CELL), update(CLOSED_ERRORS)],
  [
    14,
    'Closing sets `statusReason` to `CLOSED_BY_PLATFORM`.',
    update('closing is terminal: CLOSED_BY_PLATFORM, "funding source detached", "card stays for audit"'),
  ],
  [
    15,
    'A closed card can still be read.',
    update('closing is terminal: CLOSED_BY_PLATFORM, "funding source detached", "card stays for audit"'),
  ],
  [
    16,
    'Pending authorizations of a closed card end.',
    clearing('closed: "pending authorizations reconcile to a terminal state", "refunds already in flight still complete"'),
  ],
  [
    17,
    'Closing detaches the funding source.',
    update('closing is terminal: CLOSED_BY_PLATFORM, "funding source detached", "card stays for audit"'),
    inFile('operations/cards/cards/listCards.test.ts')('a closed card has no funding source any more, so accountId does not find it'),
  ],
  [
    18,
    'Later clearings of a closed card are late presentments.',
    clearing('closed: "later clearings follow the late-presentment path": the account pays what it has, and its holder owes the rest'),
  ],
  [
    19,
    'Refunds that are under way when the card closes complete.',
    clearing('closed: "pending authorizations reconcile to a terminal state", "refunds already in flight still complete"'),
    simulators(
      'CLOSED: "refunds already in flight still complete": a credit without a clearing, a partially cleared credit, and a later credit advice',
    ),
  ],
  [
    20,
    'Closing sends the webhook.',
    update(WEBHOOK),
    linearizable('64 concurrent closings: one succeeds with one webhook and one row of history; the others answer CARD_ALREADY_CLOSED'),
  ],
  [
    21,
    '`ACTIVE` → `PENDING` when the funding source changes to USDB without a key; no webhook.',
    update('9. "returns the updated card with the new binding and fires no webhook"; currency and limits do not change'),
    matrix(EVERY_CELL),
  ],
  [
    22,
    '`PENDING` → `ACTIVE` when the funding source changes back to USD; no webhook.',
    update('9. "returns the updated card with the new binding and fires no webhook"; currency and limits do not change'),
    matrix(EVERY_CELL),
  ],
  [
    23,
    '`PENDING` → `ACTIVE` when an `ACTIVE` key is made for the funding source of a provisioned card.',
    delegate('${status} becomes ${after.status}, without a webhook'),
    update(
      'a delegated key makes the card ACTIVE and is kept while another account funds the card; its revocation makes the card PENDING; no webhook',
    ),
  ],
  [24, '`PENDING` cannot be requested.', update('"PENDING is managed by the service and cannot be requested"')],
  [
    25,
    'A delegated key neither unfreezes nor reopens a card.',
    update('"Completing delegation does not unfreeze or reopen a card"; with the key the card can be activated'),
  ],
  [
    26,
    '409 `INVALID_STATE_TRANSITION` for the activation of a card funded in USDB without a usable key.',
    update(NO_KEY),
    matrix(EVERY_CELL),
  ],
  [
    27,
    'The requested moves are exactly those listed.',
    matrix(EVERY_CELL),
    transitions('of a card are those that its rules make, by request and by themselves'),
  ],
  [
    28,
    '409 `INVALID_STATE_TRANSITION` for every other requested move.',
    matrix(EVERY_CELL),
    update('409 INVALID_STATE_TRANSITION: the card already has the requested status'),
  ],
  [29, '409 `CARD_ALREADY_CLOSED` for closing a closed card.', update(CLOSED_ERRORS), matrix(EVERY_CELL)],
  [30, '409 `CARD_NOT_MUTABLE` for any other change of a closed card.', update(CLOSED_ERRORS), matrix(EVERY_CELL)],
  [
    31,
    'A status counts at once: no authorization that starts after the answer to a freeze is approved.',
    caps('a card is changed while it is charged: authorizations sent after the 200 are declined'),
    inFile('invariants/cards/authorizations/linearizable.test.ts')(
      '${HISTORIES} histories of ${CALLERS * CALLS_EACH} calls by ${CALLERS} concurrent callers are linearizable',
    ),
  ],
]);
