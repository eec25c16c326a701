import { inFile, notHeld, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const config = inFile('operations/core/platform/getPlatformConfig.test.ts');
const installations = inFile('operations/payments/uma/installations.test.ts');
const retry = inFile('invariants/access/signed-retry.test.ts');
const delegate = inFile('operations/access/delegated-keys/createDelegatedKey.test.ts');
const transactions = inFile('operations/payments/transactions/listTransactions.test.ts');
const invite = inFile('operations/identity/invitations/createInvitation.test.ts');
const execute = inFile('operations/payments/quotes/executeQuote.test.ts');
const umaQuote = inFile('operations/payments/quotes/uma.test.ts');
const tokens = inFile('operations/core/platform/tokens.test.ts');
const imports = inFile('operations/identity/imports/uploadCustomersCsv.test.ts');
const lookup = inFile('operations/payments/receivers/lookupUma.test.ts');
const changes = inFile('operations/accounts/statements/listInternalAccountBalanceChanges.test.ts');
const challenge = inFile('operations/access/credentials/challengeAuthCredential.test.ts');
const update = inFile('operations/identity/customers/updateCustomerById.test.ts');
const documents = inFile('operations/identity/documents/uploadDocument.test.ts');
const card = inFile('operations/cards/cards/updateCardById.test.ts');
const session = inFile('operations/access/sessions/revokeAuthSession.test.ts');
const verifications = inFile('operations/identity/verifications/createVerification.test.ts');
const paymentDocuments = inFile('operations/payments/payment-documents/uploadPaymentDocument.test.ts');
const otp = inFile('operations/access/credentials/live-otp.test.ts');

export const errorsOther = section('errors-other', 'Errors: 401, 404 and 500', [
  [
    1,
    'The 401, 404 and 500 codes are exactly those listed.',
    spec('${status}: every code of the specification has this status, and no other code of this status exists'),
  ],
  [
    2,
    '`UNAUTHORIZED`: 401, the API credentials.',
    config('"issue with API credentials": unknown id and wrong secret answer byte for byte alike'),
  ],
  [
    3,
    '`INVALID_SIGNATURE`: 401, an invalid signature of a message of the UMA protocol.',
    installations('an unsigned look-up, one of an unknown domain, and one with the signature of somebody else'),
  ],
  [
    4,
    '`WALLET_SIGNATURE_MISSING`: 401.',
    retry('a retry with any one manipulation is refused; the correct one succeeds, once'),
    delegate('incomplete or malformed signature headers are refused by name, and nothing happens'),
  ],
  [
    5,
    '`WALLET_SIGNATURE_MALFORMED`: 401, a stamp that cannot be read.',
    retry('a retry with any one manipulation is refused; the correct one succeeds, once'),
  ],
  [
    6,
    '`WALLET_SIGNATURE_BODY_MISMATCH`: 401, a signature over another body.',
    retry('a retry with any one manipulation is refused; the correct one succeeds, once'),
  ],
  [
    7,
    '`WALLET_SIGNATURE_INVALID`: 401, a signature that does not verify with the credential.',
    retry('a retry with any one manipulation is refused; the correct one succeeds, once'),
  ],
  [8, '`REQUEST_ID_MISSING`: 401.', retry('a retry with any one manipulation is refused; the correct one succeeds, once')],
  [
    9,
    '`TRANSACTION_NOT_FOUND`: 404.',
    transactions('404: a transaction id that is unknown, malformed or of another platform; the answers are identical'),
  ],
  [10, '`INVITATION_NOT_FOUND`: 404.', invite('404 INVITATION_NOT_FOUND for a code that is unknown or malformed')],
  [
    11,
    '`USER_NOT_FOUND`: 404, an answer to a message of the UMA protocol.',
    installations('a genuine look-up of nobody, and genuine notices about payments that were not agreed'),
  ],
  [12, '`QUOTE_NOT_FOUND`: 404.', execute('404 QUOTE_NOT_FOUND: unknown, malformed and foreign ids answer the same bytes')],
  [
    13,
    '`LOOKUP_REQUEST_NOT_FOUND`: 404.',
    umaQuote('an unknown look-up, one of another receiver, and one of another platform, with the same bytes'),
  ],
  [14, '`TOKEN_NOT_FOUND`: 404.', tokens("another platform's token answers byte for byte like an unknown one")],
  [15, '`BULK_UPLOAD_JOB_NOT_FOUND`: 404.', imports('404 BULK_UPLOAD_JOB_NOT_FOUND: unknown, malformed and foreign jobs')],
  [
    16,
    '`REFERENCE_NOT_FOUND`: 404.',
    notHeld(
      'No operation of the specification reads one record by a reference. References filter lists, and a list that nothing matches is empty.',
    ),
  ],
  [
    17,
    '`UMA_NOT_FOUND`: 404, a good address without a receiver.',
    lookup('UMA_NOT_FOUND: nobody there, at the sandbox domain and at the own one; an unknown sender'),
  ],
  [18, '`ACCOUNT_NOT_FOUND`: 404.', changes("ACCOUNT_NOT_FOUND: unknown, malformed and another platform's id get the same answer")],
  [19, '`AUTH_METHOD_NOT_FOUND`: 404.', challenge('404 AUTH_METHOD_NOT_FOUND: unknown, malformed, and of another platform answer alike')],
  [20, '`CUSTOMER_NOT_FOUND`: 404.', update('404 CUSTOMER_NOT_FOUND: foreign, unknown, malformed and deleted alike')],
  [
    21,
    '`DOCUMENT_HOLDER_NOT_FOUND`: 404.',
    documents('404 DOCUMENT_HOLDER_NOT_FOUND: unknown, malformed, deleted and foreign holders answer the same'),
  ],
  [22, '`NOT_FOUND`: 404.', card('404: a card id that is unknown, malformed or of another platform; the answers are identical')],
  [23, '`PAYMENT_URL_NOT_FOUND`: 404.', notHeld('No operation of the specification takes or returns a payment URL.')],
  [
    24,
    '`PLATFORM_NOT_FOUND`: 404.',
    notHeld(
      'No operation of the specification names a platform. The platform of a call is that of its credentials, and unknown credentials are 401.',
    ),
  ],
  [
    25,
    '`REQUEST_NOT_FOUND`: 404.',
    notHeld(
      'No operation of the specification reads a request. A message of the UMA protocol about a payment that was not agreed is refused with 409, so that its sender gives up: providers repeat what is answered with 404.',
    ),
  ],
  [26, '`SESSION_NOT_FOUND`: 404.', session('404 SESSION_NOT_FOUND: unknown, of another platform, already revoked, expired')],
  [
    27,
    '`VERIFICATION_NOT_FOUND`: 404.',
    verifications('404 VERIFICATION_NOT_FOUND: unknown, foreign, malformed, and of a deleted customer'),
  ],
  [
    28,
    '`PAYMENT_DOCUMENT_NOT_FOUND`: 404.',
    paymentDocuments('PAYMENT_DOCUMENT_NOT_FOUND: an unknown document, and one of another platform, with the same bytes'),
  ],
  [
    29,
    '`SERVICE_SWITCH_ERROR`: 500.',
    notHeld(
      'There is no switch behind the service. A party behind it that fails is answered as 502, 503 or 504, and an unexpected failure as INTERNAL_ERROR.',
    ),
  ],
  [30, '`INTERNAL_ERROR`: 500.', changes('a page that does not add up is not issued'), otp('500 when the mail cannot be sent')],
]);
