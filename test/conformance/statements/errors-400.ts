import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const hostile = inFile('contract/hostile-http.test.ts');
const customers = inFile('operations/identity/customers/createCustomer.test.ts');
const incoming = inFile('operations/payments/payments/incoming.test.ts');
const umaQuote = inFile('operations/payments/quotes/uma.test.ts');
const claim = inFile('operations/identity/invitations/claimInvitation.test.ts');
const invite = inFile('operations/identity/invitations/createInvitation.test.ts');
const lookup = inFile('operations/payments/receivers/lookupUma.test.ts');
const quote = inFile('operations/payments/quotes/createQuote.test.ts');
const installations = inFile('operations/payments/uma/installations.test.ts');
const counterparty = inFile('operations/payments/uma/counterparty.test.ts');
const umaMessages = inFile('rules/providers/uma-messages.test.ts');
const quoteDocuments = inFile('operations/payments/quotes/documents.test.ts');
const balance = inFile('operations/accounts/internal-accounts/sandboxFundInternalAccount.test.ts');
const rates = inFile('operations/payments/rates/getExchangeRates.test.ts');
const changes = inFile('operations/accounts/statements/listInternalAccountBalanceChanges.test.ts');
const requests = inFile('contract/requests.test.ts');
const external = inFile('support/external-accounts/create-suite.ts');
const transferOut = inFile('operations/payments/transfers/createTransferOut.test.ts');
const webhooks = inFile('operations/core/webhooks/sendTestWebhook.test.ts');
const documents = inFile('operations/identity/documents/uploadDocument.test.ts');
const credentials = inFile('operations/access/credentials/createAuthCredential.test.ts');
const contact = inFile('operations/access/credentials/contact-change.test.ts');
const issue = inFile('operations/cards/cards/createCard.test.ts');
const execute = inFile('operations/payments/quotes/executeQuote.test.ts');

export const errors400 = section('errors-400', 'Errors: 400', [
  [
    1,
    'The 400 codes are exactly those listed.',
    spec('${status}: every code of the specification has this status, and no other code of this status exists'),
  ],
  [2, '`INVALID_INPUT`: the request is not valid.', hostile('every invalid field is listed with its path and constraint')],
  [
    3,
    '`END_USER_TERMS_VERSION_NOT_FOUND`: an unsupported version of an agreement.',
    customers('400 END_USER_TERMS_VERSION_NOT_FOUND: submitted version unsupported for that agreement'),
  ],
  [
    4,
    '`MISSING_MANDATORY_USER_INFO`: a mandatory member about a party is missing.',
    incoming('approve without a mandatory field: 400 names it, and the payment keeps waiting'),
    umaQuote('payer data: what the caller gives, else what the record of the customer says'),
  ],
  [5, '`INVITATION_ALREADY_CLAIMED`', claim('whoever repeats a claim gets INVITATION_ALREADY_CLAIMED, too')],
  [6, '`INVITATIONS_NOT_CONFIGURED`', invite('INVITATIONS_NOT_CONFIGURED: the platform has no UMA domain')],
  [
    7,
    '`INVALID_UMA_ADDRESS`',
    lookup('INVALID_UMA_ADDRESS: anything but $name@domain of 2 to 200 characters'),
    customers('INVALID_UMA_ADDRESS: "${umaAddress}"'),
  ],
  [8, '`INVITATION_CANCELLED`', claim('${status}: claim')],
  [
    9,
    '`INVALID_RECEIVER`: an external account under review.',
    quote('INVALID_BANK_ACCOUNT: an account that failed for good; INVALID_RECEIVER: one under review'),
  ],
  [10, '`PARSE_PAYREQ_RESPONSE_ERROR`', counterparty('400 PARSE_PAYREQ_RESPONSE_ERROR: its answer cannot be read')],
  [
    11,
    '`CERT_CHAIN_INVALID`',
    counterparty('400 INVALID_PUBKEY_FORMAT, CERT_CHAIN_INVALID and CERT_CHAIN_EXPIRED: its keys cannot be trusted'),
    umaMessages('keys in certificates: each is issued by the next, none has expired, and the leaf has the key'),
  ],
  [
    12,
    '`CERT_CHAIN_EXPIRED`',
    counterparty('400 INVALID_PUBKEY_FORMAT, CERT_CHAIN_INVALID and CERT_CHAIN_EXPIRED: its keys cannot be trusted'),
    umaMessages('keys in certificates: each is issued by the next, none has expired, and the leaf has the key'),
  ],
  [
    13,
    '`INVALID_PUBKEY_FORMAT`',
    counterparty('400 INVALID_PUBKEY_FORMAT, CERT_CHAIN_INVALID and CERT_CHAIN_EXPIRED: its keys cannot be trusted'),
  ],
  [
    14,
    '`MISSING_REQUIRED_UMA_PARAMETERS`: an answer to a message of the UMA protocol.',
    installations('an unsigned look-up, one of an unknown domain, and one with the signature of somebody else'),
  ],
  [15, '`SENDER_NOT_ACCEPTED`', quoteDocuments('SENDER_NOT_ACCEPTED: a purpose that the destination does not take')],
  [
    16,
    '`AMOUNT_OUT_OF_RANGE`',
    quote('AMOUNT_OUT_OF_RANGE below the band, TRANSACTION_SIZE_LIMIT_EXCEEDED above; both bounds are allowed'),
    balance('AMOUNT_OUT_OF_RANGE: more than JSON can carry'),
  ],
  [
    17,
    '`INVALID_CURRENCY`',
    rates('INVALID_CURRENCY for an unknown code, INVALID_INPUT for an amount that is not above zero'),
    quote('INVALID_CURRENCY: a realtime currency that is not supported, or one that may not be sent'),
  ],
  [18, '`INVALID_TIMESTAMP`', changes('INVALID_TIMESTAMP: a boundary that is not a timestamp with offset')],
  [
    19,
    '`INVALID_NONCE`: an answer to a message of the UMA protocol.',
    installations('a message that comes a second time, one that is too old, and one of another version'),
  ],
  [20, '`INVALID_REQUEST_FORMAT`: a body that is not JSON.', requests('text that is not JSON is an INVALID_REQUEST_FORMAT')],
  [21, '`INVALID_BANK_ACCOUNT`: a bank account that cannot be used.', external('105: refused')],
  [
    22,
    '`INVALID_BANK_ACCOUNT`: also the permanent failure of a bank account.',
    quote('INVALID_BANK_ACCOUNT: an account that failed for good; INVALID_RECEIVER: one under review'),
  ],
  [23, '`SELF_PAYMENT`', quote('SELF_PAYMENT: source and destination are one account')],
  [24, '`PARSE_LNURLP_RESPONSE_ERROR`', counterparty('400 PARSE_LNURLP_RESPONSE_ERROR: its answer cannot be read')],
  [
    25,
    '`INVALID_AMOUNT`',
    transferOut('400: no amount, an amount that is none, another currency, too little money, too much for one transfer'),
  ],
  [26, '`WEBHOOK_ENDPOINT_NOT_SET`', webhooks('"if none is set the error WEBHOOK_ENDPOINT_NOT_SET applies", and no event is written')],
  [27, '`WEBHOOK_DELIVERY_ERROR`', webhooks('the receiver answers 500')],
  [
    28,
    '`LOW_QUALITY`: a reason to refuse a document.',
    documents('400 with the reason of the provider, which the sandbox reads from the file name; nothing is stored'),
  ],
  [
    29,
    '`DATA_MISMATCH`: a reason to refuse a document.',
    documents('400 with the reason of the provider, which the sandbox reads from the file name; nothing is stored'),
  ],
  [
    30,
    '`EXPIRED`: a reason to refuse a document.',
    documents('400 with the reason of the provider, which the sandbox reads from the file name; nothing is stored'),
  ],
  [
    31,
    '`SUSPECTED_FRAUD`: a reason to refuse a document.',
    documents('400 with the reason of the provider, which the sandbox reads from the file name; nothing is stored'),
  ],
  [
    32,
    '`UNSUITABLE_DOCUMENT`: a reason to refuse a document.',
    documents('400 with the reason of the provider, which the sandbox reads from the file name; nothing is stored'),
  ],
  [
    33,
    '`INCOMPLETE`: a reason to refuse a document.',
    documents('400 with the reason of the provider, which the sandbox reads from the file name; nothing is stored'),
  ],
  [
    34,
    '`EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS`: one email credential per internal account.',
    credentials('EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS: one email OTP credential per internal account'),
  ],
  [
    35,
    '`SMS_OTP_CREDENTIAL_ALREADY_EXISTS`: one SMS credential per internal account.',
    credentials('SMS_OTP_CREDENTIAL_ALREADY_EXISTS: one SMS OTP credential per internal account'),
  ],
  [
    36,
    '`PASSKEY_CREDENTIAL_ALREADY_EXISTS`: the passkey is registered already.',
    credentials('PASSKEY_CREDENTIAL_ALREADY_EXISTS: same WebAuthn credential id already registered, on this account or another'),
  ],
  [
    37,
    '`AUTH_CREDENTIAL_VERIFICATION_REQUIRED`: no verified replacement for a new email or phone.',
    contact('AUTH_CREDENTIAL_VERIFICATION_REQUIRED: new email or phone has no verified replacement credential'),
  ],
  [38, '`AUTH_CREDENTIAL_VERIFICATION_EXPIRED`', contact('AUTH_CREDENTIAL_VERIFICATION_EXPIRED: fifteen minutes after it was verified')],
  [
    39,
    '`CARDHOLDER_KYC_NOT_APPROVED`: no card without approval.',
    issue('400 CARDHOLDER_KYC_NOT_APPROVED: card cannot be issued unless KYC is APPROVED'),
  ],
  [
    40,
    '`TRANSACTION_SIZE_LIMIT_EXCEEDED`: more than one transaction of the corridor may have.',
    quote('AMOUNT_OUT_OF_RANGE below the band, TRANSACTION_SIZE_LIMIT_EXCEEDED above; both bounds are allowed'),
  ],
  [
    41,
    '`EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED`: ownership of the destination must be verified first.',
    quote('EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED: an unproved wallet takes the equivalent of 1000.00 EUR and no more'),
  ],
  [42, '`INSUFFICIENT_FUNDS`', execute('INSUFFICIENT_FUNDS: the quote stays PENDING and can be executed once funded')],
  [43, '`QUOTE_EXPIRED`', execute('QUOTE_EXPIRED: at expiresAt it is over, one millisecond before it is not')],
  [44, '`QUOTE_RATE_UNAVAILABLE`', execute('QUOTE_RATE_UNAVAILABLE is itself an outcome: the quote is FAILED')],
  [
    45,
    '`DOCUMENTS_REQUIRED`: the destination requires documents for the purpose.',
    quoteDocuments('DOCUMENTS_REQUIRED names the requirements that no document fills'),
  ],
]);
