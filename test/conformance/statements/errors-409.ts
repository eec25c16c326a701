import { inFile, notHeld, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const incoming = inFile('operations/payments/payments/incoming.test.ts');
const change = inFile('operations/payments/transactions/changeTransaction.test.ts');
const customers = inFile('operations/identity/customers/createCustomer.test.ts');
const credentials = inFile('operations/access/credentials/createAuthCredential.test.ts');
const contact = inFile('operations/access/credentials/contact-change.test.ts');
const factors = inFile('operations/access/sca/scaFactors.test.ts');
const reveal = inFile('operations/cards/cards/revealCard.test.ts');
const trust = inFile('operations/access/sca/beneficiaryTrust.test.ts');
const read = inFile('support/external-accounts/read-suite.ts');
const quote = inFile('operations/payments/quotes/createQuote.test.ts');
const card = inFile('operations/cards/cards/updateCardById.test.ts');
const issue = inFile('operations/cards/cards/createCard.test.ts');
const changes = inFile('operations/accounts/statements/listInternalAccountBalanceChanges.test.ts');
const documents = inFile('operations/identity/documents/uploadDocument.test.ts');
const external = inFile('support/external-accounts/create-suite.ts');
const delegate = inFile('operations/access/delegated-keys/createDelegatedKey.test.ts');
const quoteDocuments = inFile('operations/payments/quotes/documents.test.ts');

export const errors409 = section('errors-409', 'Errors: 409', [
  [
    1,
    'The 409 codes are exactly those listed.',
    spec('${status}: every code of the specification has this status, and no other code of this status exists'),
  ],
  [2, '`TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL`', incoming('409: a payment that waits for nobody, a quote and a card transaction')],
  [
    3,
    '`TRANSACTION_NOT_CANCELLABLE`',
    change('409: completed, failed, expired, cancelled, not yet executed; 400: a kind that is never cancelled'),
  ],
  [4, '`UMA_ADDRESS_EXISTS`', customers('UMA_ADDRESS_EXISTS, whatever the case of its letters')],
  [5, '`EMAIL_OTP_EMAIL_ALREADY_EXISTS`', credentials('EMAIL_OTP_EMAIL_ALREADY_EXISTS: email already tied to an EMAIL_OTP credential')],
  [
    6,
    '`EMAIL_OTP_CREDENTIAL_SET_CHANGED`: the credentials changed after the challenge.',
    contact('EMAIL_OTP_CREDENTIAL_SET_CHANGED: tied credential set changed after the signed-retry challenge was issued'),
  ],
  [7, '`PASSKEY_ALREADY_ENROLLED`', factors('409 PASSKEY_ALREADY_ENROLLED: one exists, also when it was enrolled after the start')],
  [
    8,
    'After the passkey is deleted another can be enrolled.',
    factors('is confirmed with what the browser returned, and deleted by its id'),
  ],
  [9, '`SCA_SESSION_REQUIRED`', reveal('409 SCA_SESSION_REQUIRED: the cardholder is in a regulated region and has no session')],
  [
    10,
    '`BENEFICIARY_TRUSTED`: a trusted account cannot be deleted.',
    trust('a text message of 5 minutes confirms each; a trusted account cannot be deleted, an untrusted one can'),
    read('409 BENEFICIARY_TRUSTED: "cannot be deleted until untrusted"'),
  ],
  [
    11,
    '`BANK_ACCOUNT_VALIDATION_PENDING`',
    quote('409 BANK_ACCOUNT_VALIDATION_PENDING comes before the customer: ending 104 is checked for 30 s'),
  ],
  [12, '`INVALID_STATE_TRANSITION`', card('409 INVALID_STATE_TRANSITION: the card already has the requested status')],
  [
    13,
    '`CARD_ALREADY_CLOSED`',
    card('409 CARD_ALREADY_CLOSED: "closing an already closed card"; 409 CARD_NOT_MUTABLE: "any mutation of a CLOSED card"'),
  ],
  [
    14,
    '`CARD_NOT_MUTABLE`',
    card('409 CARD_ALREADY_CLOSED: "closing an already closed card"; 409 CARD_NOT_MUTABLE: "any mutation of a CLOSED card"'),
  ],
  [15, '`CARD_LIMIT_REACHED`: of the platform or of the cardholder.', issue('409 CARD_LIMIT_REACHED')],
  [16, 'A closed card makes room for another.', issue('the platform has its maximum of live cards; closing a card permits another')],
  [
    17,
    '`NOT_YET_AVAILABLE`: data could still change.',
    changes('"A window whose card settlement has not closed is refused; retry after settlement"'),
  ],
  [
    18,
    '`CONFLICT`: such as a `platformCustomerId` in use by an active customer.',
    customers('CONFLICT: platformCustomerId colliding with an existing active customer on the platform'),
  ],
  [
    19,
    '`DOCUMENT_ALREADY_EXISTS`: a holder has one document of a type, replaced with PUT.',
    documents('409 DOCUMENT_ALREADY_EXISTS: the holder has a document of this type and side'),
  ],
  [
    20,
    '`DUPLICATE_EXTERNAL_ACCOUNT`: an equivalent account exists.',
    external('409 DUPLICATE_EXTERNAL_ACCOUNT "Equivalent external account exists"'),
  ],
  [
    21,
    'Its details name the account and its `platformAccountId` where they belong to the platform.',
    external('the same wallet of the same owner, in any letter case'),
    external('the same platformAccountId'),
  ],
  [22, 'Otherwise its details are left out.', external("not: another platform's account, which the answer does not reveal")],
  [
    23,
    '`DUPLICATE_PAY_REQUEST`',
    notHeld(
      'A repeated `Idempotency-Key` gets the first answer, and `CONFLICT` with another body, on every operation that takes a key; the specification asks for both. A second code for one kind of request would contradict the first.',
    ),
  ],
  [
    24,
    '`OPERATION_IN_PROGRESS`',
    notHeld(
      'Operations of a wallet are done one after the other under the lock of its row: the second finds what the first has left, and never one in progress.',
    ),
  ],
  [25, '`SMS_OTP_CREDENTIAL_SET_CHANGED`', contact('SMS_OTP_CREDENTIAL_SET_CHANGED: "SMS_OTP credential set changed in flight"')],
  [
    26,
    '`SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS`',
    credentials('SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS: phone number already tied to an SMS_OTP credential'),
  ],
  [27, '`WALLET_NOT_PROVISIONED`', delegate('409 WALLET_NOT_PROVISIONED: nobody could sign')],
  [28, '`PAYMENT_DOCUMENT_ALREADY_USED`: a document is used for one quote.', quoteDocuments('PAYMENT_DOCUMENT_ALREADY_USED')],
]);
