import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const create = inFile('support/external-accounts/create-suite.ts');
const ofCustomer = inFile('operations/accounts/external-accounts/createCustomerExternalAccount.test.ts');
const challenge = inFile('support/external-accounts/challenge-suite.ts');
const info = inFile('rules/accounts/external-accounts/account-info.test.ts');
const rules = inFile('rules/accounts/external-accounts/rules.test.ts');
const readOnly = inFile('contract/read-only.test.ts');
const uma = inFile('operations/payments/uma/sandboxReceive.test.ts');
const quote = inFile('operations/payments/quotes/createQuote.test.ts');

export const externalAccounts = section('external-accounts', 'External accounts', [
  [
    1,
    '`id` is required and made by the service.',
    spec('ExternalAccount'),
    readOnly('id, status, paymentRails and countries are ignored, of any type'),
  ],
  [2, '`customerId` is optional.', spec('ExternalAccount'), create('201')],
  [3, '`customerId` is null for an account on behalf of the platform.', ofCustomer('"null when the account is on behalf of the platform"')],
  [4, '`status` is required.', spec('ExternalAccount')],
  [5, '`platformAccountId` is optional and kept.', spec('ExternalAccount'), create('platformAccountId and ownershipType are kept')],
  [6, '`ownershipType` is optional and kept.', spec('ExternalAccount'), create('platformAccountId and ownershipType are kept')],
  [7, '`currency` is required and a currency code.', spec('ExternalAccount'), create('no currency'), create('a currency nobody knows')],
  [
    8,
    '`defaultUmaDepositAccount` is a boolean, false by default.',
    spec('defaults and lengths: bip137, 1 to 256 characters of a label, at least 1 of a reason'),
    create('201'),
  ],
  [
    9,
    'Incoming UMA payments go to the default account instead of the primary internal account.',
    uma('an external account marked for UMA deposits in the currency is credited instead'),
  ],
  [
    10,
    'At most one account of a customer is the default.',
    ofCustomer('a new default replaces the old one'),
    ofCustomer('every customer has its own'),
    inFile('invariants/accounts/external-accounts/races.test.ts')(
      'new default accounts of one customer: all are created, one is the default',
    ),
  ],
  [
    11,
    'Without a default, deposits go to the primary internal account.',
    uma('PENDING, then as the platform answers: credited once, from FUNDING'),
  ],
  [
    12,
    '`beneficiaryVerificationStatus` is optional: the result of comparing the beneficiary with the holder.',
    spec('ExternalAccount'),
    create('${suffix}: ${status}'),
    rules('is checked on bank accounts only, and not supported in live mode'),
  ],
  [13, '`beneficiaryVerifiedData` is optional: what the rail returned.', spec('ExternalAccount'), create('${suffix}: ${status}')],
  [
    14,
    '`accountInfo` is required and chosen by `accountType`.',
    spec('ExternalAccount'),
    create('no accountInfo'),
    create('an unknown account type'),
    info('an error is reported for the chosen variant only'),
  ],
  [15, 'A status is one of six values.', spec('ExternalAccountStatus')],
  [
    16,
    '`PENDING_OWNERSHIP_VERIFICATION`: ownership must be verified before unrestricted use.',
    create('a self-custody first-party wallet starts PENDING_OWNERSHIP_VERIFICATION'),
    quote('EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED: an unproved wallet takes the equivalent of 1000.00 EUR and no more'),
  ],
  [
    17,
    'Transfers below the threshold are allowed while ownership is not verified.',
    quote('EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED: an unproved wallet takes the equivalent of 1000.00 EUR and no more'),
  ],
  [
    18,
    '`UNVERIFIED`: the last attempt failed, and a new challenge starts the next.',
    challenge('UNVERIFIED goes back to PENDING_OWNERSHIP_VERIFICATION, with an event'),
  ],
  [
    19,
    'A successful verification makes the account `ACTIVE`.',
    inFile('support/external-accounts/verify-suite.ts')('200 "ExternalAccount with status: ACTIVE"'),
  ],
  [20, '`OwnershipType` is `FIRST_PARTY` or `THIRD_PARTY`.', spec('OwnershipType')],
  [
    21,
    '`ownershipType` is required for self-custody wallets on platforms with counterparty rules.',
    create('a self-custody wallet that does not say whose it is'),
  ],
  [
    22,
    '`ownershipType` is optional for all other accounts.',
    create('elsewhere ownershipType may be left out and wallets start ACTIVE'),
    create('201'),
  ],
  [23, 'A beneficiary verification has one of six results.', spec('BeneficiaryVerificationStatus')],
  [24, '`MATCHED`: the names are equal.', create('${suffix}: ${status}')],
  [
    25,
    '`PARTIAL_MATCH`: the names are similar.',
    create('${suffix}: ${status}'),
    rules('a partial match shortens the name by whole characters'),
  ],
  [26, '`NOT_MATCHED`: the names differ.', create('${suffix}: ${status}')],
  [27, '`UNSUPPORTED`: the rail cannot verify names.', create('${suffix}: ${status}')],
  [28, '`CHECKED_BY_RECEIVING_FI`: the receiving institution verifies.', create('${suffix}: ${status}')],
  [
    29,
    '`PENDING`: the verification is in progress.',
    create('104: PENDING, then MATCHED and ACTIVE after the answer of the rail, with an event'),
  ],
  [
    30,
    '`beneficiaryVerifiedData.fullName` is optional.',
    spec('BeneficiaryVerifiedData'),
    create('a business is checked by its legal name'),
  ],
  [
    31,
    'The 50 account types are accepted, and no others.',
    info('the table has them all and no others'),
    info('${type}: accepted, and shown with its payment rails'),
    create('an unknown account type'),
  ],
  [32, '`LIGHTNING_ACCOUNT` is the variant `LIGHTNING`.', spec('LIGHTNING_ACCOUNT is the same variant as LIGHTNING')],
  [33, 'Every fiat variant requires a beneficiary.', info('every fiat currency variant requires a beneficiary'), create('no beneficiary')],
  [
    34,
    'A beneficiary is `INDIVIDUAL` or `BUSINESS`.',
    create('an unknown kind of beneficiary'),
    create('a business is checked by its legal name'),
  ],
]);
