import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const verify = inFile('support/external-accounts/verify-suite.ts');
const ofCustomer = inFile('operations/accounts/external-accounts/verifyPlatformExternalAccountOwnership.test.ts');
const liveness = inFile('operations/accounts/external-accounts/sandboxConcludeLiveness.test.ts');
const bitcoin = inFile('rules/accounts/external-accounts/signatures-bitcoin.test.ts');
const evm = inFile('rules/accounts/external-accounts/signatures-evm.test.ts');
const solana = inFile('rules/accounts/external-accounts/signatures-solana.test.ts');
const rules = inFile('rules/accounts/external-accounts/rules.test.ts');

const OPERATION = 'post /platform/external-accounts/{externalAccountId}/verify';

export const verifyStatements = section('verify', 'Verification of ownership by wallet signature', [
  [1, 'The request has a required `signature` and an optional `signatureScheme`.', spec('OwnershipVerifyRequest'), verify('no signature')],
  [
    2,
    'The signature is over the exact text of `messageToSign`.',
    verify('another message'),
    verify('an upper-case message'),
    verify('the message of a challenge that was replaced'),
  ],
  [
    3,
    'EVM chains: EIP-191 in hex.',
    evm('65 bytes, v 27 or 28, low s, made by viem'),
    evm('a signature over the bare hash, over typed data, over the hex text, over the message as bytes'),
    evm('encoding: only 0x and whole bytes, digits of either case'),
  ],
  [4, 'Bitcoin: base64.', bitcoin('only padded standard base64 of 65 bytes'), bitcoin('published by Bitcoin Core, Electrum and Trezor')],
  [
    5,
    'Solana: Ed25519 in base58.',
    solana('a signature over the raw message bytes, made by tweetnacl'),
    solana('another length or another text form'),
  ],
  [6, 'The schemes are `bip137` and `electrum`.', spec('signatureScheme'), verify('an unknown scheme')],
  [
    7,
    'The default scheme is `bip137`.',
    spec('defaults and lengths: bip137, 1 to 256 characters of a label, at least 1 of a reason'),
    verify('a header-31 signature for a segwit address under the default scheme'),
  ],
  [
    8,
    '`electrum` accepts the signatures of wallets with that format.',
    verify('electrum on P2WPKH'),
    bitcoin('every header on every kind of address'),
  ],
  [
    9,
    'The scheme is ignored on other chains.',
    verify('signatureScheme is "ignored for non-Bitcoin chains"'),
    evm('all EVM account types share the rule, and signatureScheme is ignored'),
  ],
  [10, 'The operation completes a `WALLET_SIGNATURE` challenge.', verify('200 "ExternalAccount with status: ACTIVE"'), spec(OPERATION)],
  [
    11,
    'A `LIVENESS` challenge never uses this operation.',
    verify('"LIVENESS challenges never use this endpoint"'),
    rules('a signature does not answer a liveness check, and a liveness result no signature challenge'),
  ],
  [12, 'The path names the external account.', verify("unknown, malformed and another platform's ids get the same answer")],
  [13, 'The body is required.', verify('no signature')],
  [14, 'The operation takes the credentials of an API token.', spec(OPERATION), verify('unknown credentials')],
  [
    15,
    '200 with the account, now `ACTIVE`, for a valid signature.',
    verify('200 "ExternalAccount with status: ACTIVE"'),
    ofCustomer('200: a valid signature moves it to ACTIVE'),
  ],
  [
    16,
    '400 for an invalid signature.',
    verify('400 "Signature invalid or expired; account moves to UNVERIFIED"'),
    ofCustomer('400: an invalid signature moves it to UNVERIFIED'),
  ],
  [17, '400 for an expired challenge.', verify('expiresAt + ${offsetMs} ms: too late')],
  [
    18,
    'A refused signature makes the account `UNVERIFIED`.',
    verify('400 "Signature invalid or expired; account moves to UNVERIFIED"'),
    rules('valid: ACTIVE; invalid or expired: UNVERIFIED; the challenge is closed in every case'),
  ],
  [19, '401 for unknown credentials.', verify('unknown credentials')],
  [
    20,
    '404 for an unknown account.',
    verify("unknown, malformed and another platform's ids get the same answer"),
    verify('a deleted account'),
  ],
  [
    21,
    '409 where no `WALLET_SIGNATURE` challenge is outstanding.',
    verify('none was started'),
    verify('it was answered already'),
    verify('a LIVENESS challenge replaced it'),
    ofCustomer('409: no outstanding WALLET_SIGNATURE challenge'),
  ],
  [22, '500 is documented for an internal error.', spec(OPERATION)],
  [
    23,
    'The signature must arrive before `expiresAt`.',
    verify('expiresAt − 1 ms: in time'),
    verify('expiresAt + ${offsetMs} ms: too late'),
  ],
  [
    24,
    'After a failure a new challenge is started to retry.',
    verify('after a failure a new challenge can be answered'),
    verify('one attempt per challenge: after a failure a valid signature is refused'),
  ],
  [
    25,
    'A `LIVENESS` challenge completes asynchronously.',
    liveness('${outcome}: the account is ${status}, polling shows it, the webhook goes out'),
  ],
  [
    26,
    'Its outcome is told by `EXTERNAL_ACCOUNT.STATUS_UPDATED`.',
    liveness('${outcome}: the account is ${status}, polling shows it, the webhook goes out'),
    liveness('expiresAt − 1 ms: still open; expiresAt: UNVERIFIED, with one event'),
  ],
  [
    27,
    'Its outcome is visible by reading the account.',
    liveness('${outcome}: the account is ${status}, polling shows it, the webhook goes out'),
  ],
  [
    28,
    'A challenge has `messageToSign`, `expiresAt` and a type of `WALLET_SIGNATURE` or `LIVENESS`.',
    spec('OwnershipVerificationMethod'),
    inFile('support/external-accounts/challenge-suite.ts')('a message and when it expires: fifteen minutes from now'),
    inFile('support/external-accounts/challenge-suite.ts')('a link and when it expires'),
  ],
]);
