import { inFile, section } from '../statement.js';

const test = inFile('operations/core/webhooks/sendTestWebhook.test.ts');
const document = inFile('operations/core/webhooks/document.test.ts');
const verify = inFile('support/external-accounts/verify-suite.ts');
const create = inFile('support/external-accounts/create-suite.ts');
const liveness = inFile('operations/accounts/external-accounts/sandboxConcludeLiveness.test.ts');
const update = inFile('operations/cards/cards/updateCardById.test.ts');
const matrix = inFile('invariants/cards/cards/matrix.test.ts');
const delegate = inFile('operations/access/delegated-keys/createDelegatedKey.test.ts');
const outbox = inFile('invariants/core/webhooks/outbox.test.ts');
const delivery = inFile('invariants/core/webhooks/delivery.test.ts');

export const events = section('events', 'Events', [
  [
    1,
    'Webhooks go to the endpoint that the platform configured.',
    delivery('arrives once, with the data of the event'),
    test('the envelope: "id" (`Webhook:<uuid>`), "type", "timestamp", "data" `{}` for TEST'),
  ],
  [
    2,
    'Without an endpoint: `WEBHOOK_ENDPOINT_NOT_SET`.',
    test('"if none is set the error WEBHOOK_ENDPOINT_NOT_SET applies", and no event is written'),
  ],
  [
    3,
    'A failed delivery is `WEBHOOK_DELIVERY_ERROR`.',
    test('the receiver answers 500'),
    test('the receiver hangs up'),
    test('the connection is refused, or the address is not allowed'),
  ],
  [
    4,
    '`EXTERNAL_ACCOUNT.STATUS_UPDATED` when the status of an external account changes.',
    verify('200 "ExternalAccount with status: ACTIVE"'),
    verify('after a failure a new challenge can be answered'),
    create('104: PENDING, then MATCHED and ACTIVE after the answer of the rail, with an event'),
  ],
  [
    5,
    '`EXTERNAL_ACCOUNT.STATUS_UPDATED` for the outcome of a liveness check.',
    liveness('${outcome}: the account is ${status}, polling shows it, the webhook goes out'),
  ],
  [
    6,
    '`card.status_change` on every status transition by `PATCH /cards/{id}`.',
    update('"The card.status_change webhook fires on every successful status transition", with the card of the response'),
    matrix('${status}: ${cells.length} combinations'),
  ],
  [
    7,
    'A change of the funding source sends no webhook.',
    update('9. "returns the updated card with the new binding and fires no webhook"; currency and limits do not change'),
    matrix('${status}: ${cells.length} combinations'),
  ],
  [8, 'The creation of a delegated key sends no event.', delegate('${status} becomes ${after.status}, without a webhook')],
  [
    9,
    'An event exists if and only if its change was committed.',
    outbox('a committed change has its event, a rolled-back one has none'),
    document('every event that is sent matches its schema, with no extra member'),
  ],
]);
