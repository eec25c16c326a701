import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const get = inFile('operations/cards/cards/getCardById.test.ts');
const create = inFile('operations/cards/cards/createCard.test.ts');
const update = inFile('operations/cards/cards/updateCardById.test.ts');
const pin = inFile('operations/cards/cards/setCardPin.test.ts');
const programs = inFile('operations/cards/cards/selectSandboxCardProgram.test.ts');
const wallets = inFile('operations/cards/authorizations/wallet-funded-cards.test.ts');
const limits = inFile('rules/cards/authorizations/authorization.test.ts');
const config = inFile('operations/core/platform/updatePlatformConfig.test.ts');

const EVERY_FIELD = '200: every field of the card; fields that do not apply are absent';
const NEW_CARD = 'a new card is PROCESSING until the issuer has made it';
const IGNORED = 'fields that only answers hold are ignored, and change nothing by themselves';

export const cards = section('cards', 'Cards: members', [
  [1, 'The id is `Card:<uuid>`.', spec('every id in the recorded answers is a resource type and a uuid'), spec('Card')],
  [2, 'A card names the customer who holds it.', get(EVERY_FIELD)],
  [3, 'A status is one of six values.', spec('CardStatus')],
  [4, 'Only the form factor `VIRTUAL` is supported.', spec('CardForm'), create('only VIRTUAL cards exist; unknown fields are named')],
  [5, 'A card names the internal account that funds it.', get(EVERY_FIELD), create(NEW_CARD)],
  [
    6,
    '`maxSpendPerTransaction` is an integer of at least 1, or null.',
    spec('Card'),
    update('limits are integers from 1 to their maximum'),
  ],
  [7, '`maxSpendPerDay` is an integer of at least 1, or null.', spec('Card'), update('limits are integers from 1 to their maximum')],
  [8, '`maxTransactionsPerDay` is an integer of at least 1, or null.', spec('Card'), update('limits are integers from 1 to their maximum')],
  [
    9,
    'A limit of null is no limit of the card.',
    limits('"effective value is the lower of" card and platform; a missing limit is ignored'),
    create(NEW_CARD),
  ],
  [
    10,
    'Amounts are in the smallest unit of the currency of the card.',
    limits('maxSpendPerTransaction: "authorization of exactly the limit is allowed", one cent more is declined'),
  ],
  [11, 'A card has the times of its creation and last change.', spec('Card'), get(EVERY_FIELD)],
  [12, 'The service makes the platform card identifier.', create(NEW_CARD)],
  [13, '`statusReason` is one of four values.', spec('CardStatusReason')],
  [
    14,
    '`DELEGATION_REQUIRED` on a `PENDING` card.',
    create('a card funded in USDB without a delegated key becomes PENDING with DELEGATION_REQUIRED; its currency is USD'),
  ],
  [
    15,
    '`ISSUER_REJECTED` on a card that was not provisioned.',
    create('a card that the issuer rejects is CLOSED with ISSUER_REJECTED, its funding source is detached, one webhook is sent'),
  ],
  [
    16,
    '`CLOSED_BY_PLATFORM` on a card that the platform closed.',
    update('closing is terminal: CLOSED_BY_PLATFORM, "funding source detached", "card stays for audit"'),
  ],
  [
    17,
    '`CLOSED_BY_GRID` on a card that the service closed.',
    create('deletion of the cardholder closes the cards with CLOSED_BY_GRID and a webhook'),
  ],
  [
    18,
    '`statusReason` is absent on every other card.',
    create(NEW_CARD),
    update('9. "returns the updated card with the new binding and fires no webhook"; currency and limits do not change'),
    get(EVERY_FIELD),
  ],
  [19, 'The brand is `VISA` or `MASTERCARD`.', spec('CardBrand'), create('pinStatus is absent on a program without PIN management')],
  [20, 'The brand is set at provisioning and read-only.', create(NEW_CARD), update(IGNORED)],
  [
    21,
    '`pinStatus` is `NOT_SET`, `OK` or `BLOCKED`.',
    spec('CardPinStatus'),
    pin('CARD.PIN_STATUS_CHANGE is sent for each change of pinStatus (NOT_SET, OK, BLOCKED, OK), with the card'),
  ],
  [
    22,
    '`pinStatus` is the last known one, and present where PINs can be managed.',
    pin('CARD.PIN_STATUS_CHANGE is sent for each change of pinStatus (NOT_SET, OK, BLOCKED, OK), with the card'),
    create(NEW_CARD),
  ],
  [
    23,
    'An absent `pinStatus` means that PINs cannot be managed.',
    get('pinStatus: "absent means PIN management is unavailable for the card (not NOT_SET)"'),
    create('pinStatus is absent on a program without PIN management'),
  ],
  [
    24,
    '`GET /cards/{id}` shows `pinStatus`.',
    get('pinStatus: "absent means PIN management is unavailable for the card (not NOT_SET)"'),
    spec('get /cards/{id}'),
  ],
  [25, 'A card has its last four digits.', create(NEW_CARD)],
  [26, 'The expiry month is 1 to 12.', spec('Card'), create(NEW_CARD)],
  [27, 'The expiry year has four digits.', create(NEW_CARD)],
  [
    28,
    '`cardCapabilities` says what the issuer supports.',
    programs('a card can be issued under each program and has the listed capabilities'),
    create('a card has the capabilities that its account shows, and keeps them when the platform changes its program'),
  ],
  [
    29,
    'Capabilities do not change during the life of a card.',
    create('a card has the capabilities that its account shows, and keeps them when the platform changes its program'),
  ],
  [
    30,
    'Capabilities are present once the program is known.',
    get(EVERY_FIELD),
    create('a card has the capabilities that its account shows, and keeps them when the platform changes its program'),
  ],
  [
    31,
    '`supportsSpendLimits`, `supportsTransactionCountLimit` and `supports3dSecurePassword` are booleans.',
    spec('Card'),
    programs('the programs cover every capability, supported and unsupported, and both parties that decide authorizations'),
  ],
  [
    32,
    'The currency is fixed at issuance by the program.',
    create(NEW_CARD),
    update('9. "returns the updated card with the new binding and fires no webhook"; currency and limits do not change'),
  ],
  [
    33,
    'A card funded in USDB transacts in USD at 1 USDB = 1 USD.',
    wallets('an authorization pulls the full amount, 1 USDB = 1 USD; the transaction is in USD'),
  ],
  [
    34,
    'Limits of a card funded in USDB are in US cents.',
    wallets('the whole balance is approved; one cent more is declined'),
    update('9. "returns the updated card with the new binding and fires no webhook"; currency and limits do not change'),
  ],
  [35, 'A card has opaque references of the processor and the issuer.', get(EVERY_FIELD), spec('Card')],
  [36, 'The references are not used for routing.', get('"not used for routing": the references of processor and issuer find no card')],
  [
    37,
    'The configuration of the platform has the three limits in `cardConfigs`.',
    spec('Card'),
    config('cardConfigs: absent leaves, a value sets, null clears'),
  ],
]);
