import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const create = inFile('operations/access/delegated-keys/createDelegatedKey.test.ts');
const get = inFile('operations/access/delegated-keys/getDelegatedKeyById.test.ts');
const list = inFile('operations/access/delegated-keys/listDelegatedKeys.test.ts');
const revoke = inFile('operations/access/delegated-keys/revokeDelegatedKey.test.ts');
const signer = inFile('invariants/access/wallet-signer.test.ts');
const races = inFile('invariants/access/key-races.test.ts');
const secrets = inFile('invariants/access/key-secrets.test.ts');
const retry = inFile('invariants/access/signed-retry.test.ts');
const wallets = inFile('operations/cards/authorizations/wallet-funded-cards.test.ts');

const LEGS = 'each leg states what is authorized; PENDING after the second, ACTIVE after the third';
const ONE_MANIPULATION = 'a retry with any one manipulation is refused; the correct one succeeds, once';
const MALFORMED = 'incomplete or malformed signature headers are refused by name, and nothing happens';

export const delegatedKeys = section('delegated-keys', 'Delegated signing keys', [
  [
    1,
    'The service makes and keeps the key pair.',
    create(LEGS),
    secrets('no private key, one-time password, recovery phrase or key-encryption key is found anywhere'),
  ],
  [
    2,
    'The private key is never returned.',
    get('200: the key as it was created; "the private key is never returned"'),
    secrets('no private key, one-time password, recovery phrase or key-encryption key is found anywhere'),
  ],
  [
    3,
    'An `ACTIVE` key signs for the wallet that funds the card, in place of a session.',
    signer("the owner's session, and a delegated key with the policy; the activity log records which"),
    wallets('an authorization pulls the full amount, 1 USDB = 1 USD; the transaction is in USD'),
  ],
  [4, 'The public key is information only.', create(LEGS)],
  [5, 'The id is `DelegatedKey:<uuid>`.', spec('every id in the recorded answers is a resource type and a uuid'), spec('DelegatedKey')],
  [6, 'A key names its card.', spec('DelegatedKey'), create(LEGS)],
  [7, 'A key names its funding source, `CardFundingSource:<uuid>`.', spec('DelegatedKey'), create(LEGS)],
  [8, 'A key names the internal account, derived from the funding source.', spec('DelegatedKey'), create(LEGS)],
  [9, '`publicKey` is a compressed P-256 key in hex.', create(LEGS)],
  [10, 'A key has a label.', spec('DelegatedKey'), create(LEGS)],
  [11, 'A status is `PENDING`, `ACTIVE` or `REVOKED`.', spec('DelegatedKeyStatus')],
  [12, 'A key has the times of its creation and last change.', spec('DelegatedKey'), create(LEGS)],
  [
    13,
    '`PENDING`: the signer exists, the policies do not, and the key cannot sign.',
    signer('a PENDING key cannot sign: its signer has no policies'),
  ],
  [
    14,
    '`ACTIVE`: the policies are granted and the key may sign.',
    signer("the owner's session, and a delegated key with the policy; the activity log records which"),
  ],
  [
    15,
    '`REVOKED`: the signer is deleted and the key cannot sign.',
    signer('a REVOKED key cannot sign: its signer was deleted'),
    revoke('the key is REVOKED and still listed; its private key and its signer are deleted'),
  ],
  [
    16,
    'The second leg makes the key `PENDING` and answers 202 with a new challenge.',
    create(LEGS),
    races('leg 2: one signer, one PENDING key'),
  ],
  [17, 'The third leg makes the key `ACTIVE` and answers 201.', create(LEGS), races('leg 3: one activation')],
  [
    18,
    'A `PENDING` card of the funding source becomes `ACTIVE` with the key.',
    create('${status} becomes ${after.status}, without a webhook'),
  ],
  [19, 'A card that is still provisioned stays `PROCESSING`.', create('${status} becomes ${after.status}, without a webhook')],
  [
    20,
    'Frozen and closed cards keep their status.',
    create('${status} becomes ${after.status}, without a webhook'),
    create('a closed card has no funding source any more'),
  ],
  [
    21,
    '`DELETE` makes an `ACTIVE` key `REVOKED`.',
    revoke('the key is REVOKED and still listed; its private key and its signer are deleted'),
    races('revoke: one revocation'),
  ],
  [
    22,
    'A flow that ends after the second leg leaves the key `PENDING`.',
    create('"abandoned after the second leg leaves the key PENDING … and does not block creating another delegated key"'),
  ],
  [
    23,
    'A `PENDING` key can neither sign nor revoke itself.',
    revoke('a PENDING key "cannot sign or revoke itself"'),
    signer('a PENDING key cannot sign: its signer has no policies'),
  ],
  [
    24,
    'A `PENDING` key does not block another key.',
    create('"abandoned after the second leg leaves the key PENDING … and does not block creating another delegated key"'),
  ],
  [25, 'The funding account must be an embedded wallet.', create('an account that is not an embedded wallet')],
  [
    26,
    'The funding source is found by card and internal account.',
    create('card, account or pairing: unknown, malformed, of another platform, of another account'),
  ],
  [
    27,
    'The signer is isolated and holds the public key.',
    create(LEGS),
    signer('nobody else: an unknown key, an expired session, a removed session, the signer of another wallet'),
  ],
  [
    28,
    'The signer may sign and revoke itself.',
    create(LEGS),
    signer('a delegated signer may delete itself, not another, and may do nothing else'),
  ],
  [
    29,
    'The owner of the wallet authorizes both steps: three legs.',
    create(LEGS),
    signer('policies are granted to the signer and key that the payload names, and by the owner only'),
  ],
  [
    30,
    'All three legs have the same body.',
    retry(ONE_MANIPULATION),
    retry('the body is compared as a value: the order of members does not matter'),
  ],
  [31, '`Service-Wallet-Signature` is required on retries.', create(MALFORMED), retry(ONE_MANIPULATION)],
  [32, 'Without the headers a call is the first leg.', create(LEGS)],
  [33, 'The header is a stamp over the last `payloadToSign`.', retry(ONE_MANIPULATION), create('the legs cannot be exchanged')],
  [
    34,
    'The stamp is made with a session of a verified credential on the same account.',
    retry(ONE_MANIPULATION),
    retry('a session that ended in the meantime cannot sign'),
    create('a session opened with a passkey delegates like any other'),
  ],
  [35, '`Request-Id` is required on retries and paired with the signature.', create(MALFORMED)],
  [36, '`Request-Id` is the exact `requestId` of the last 202.', retry(ONE_MANIPULATION), create('the legs cannot be exchanged')],
  [37, '`cardId` is required.', spec('DelegatedKeyCreateRequest'), create('shape: a field missing, a field too many')],
  [38, '`internalAccountId` is required.', spec('DelegatedKeyCreateRequest'), create('shape: a field missing, a field too many')],
  [
    39,
    'The label is required and has 1 to 256 characters.',
    spec('defaults and lengths: bip137, 1 to 256 characters of a label, at least 1 of a reason'),
    create('256 characters of any kind name a key; 257 and none do not'),
    create('shape: a field missing, a field too many'),
  ],
  [40, 'Leg 1 answers 202 with `payloadToSign`, `requestId` and `expiresAt`.', spec('SignedRequestChallenge'), create(LEGS)],
  [41, 'Leg 2 answers 202 with a new payload, request id and expiry.', create(LEGS)],
  [42, 'Leg 3 is signed by the same session key.', create('another session of the same account does not')],
  [43, 'Leg 3 answers 201 with the key, `ACTIVE`.', create(LEGS), spec('post /auth/delegated-keys')],
  [
    44,
    'A funding source has at most one `ACTIVE` key.',
    create('at the first leg, the second and the third; after revocation another may be made'),
    races('leg 3 of many keys for one source: at most one ACTIVE'),
    races('the database itself refuses a second ACTIVE key for a source'),
  ],
  [
    45,
    'After the key is revoked another can be made.',
    create('at the first leg, the second and the third; after revocation another may be made'),
  ],
  [
    46,
    'The API has no amounts or recipients that limit a key.',
    spec('DelegatedKeyCreateRequest'),
    create('shape: a field missing, a field too many'),
  ],
  [
    47,
    'The platform never handles key material.',
    get('200: the key as it was created; "the private key is never returned"'),
    secrets('no private key, one-time password, recovery phrase or key-encryption key is found anywhere'),
  ],
  [48, 'A failed signature of a retry has one of the 401 codes.', retry(ONE_MANIPULATION), create(MALFORMED)],
  [49, '`GET /auth/delegated-keys` lists keys.', list('what each filter finds'), spec('get /auth/delegated-keys')],
  [
    50,
    '`GET /auth/delegated-keys/{id}` returns a key.',
    get('200: the key as it was created; "the private key is never returned"'),
    spec('get /auth/delegated-keys/{id}'),
  ],
  [
    51,
    '`DELETE /auth/delegated-keys/{id}` revokes a key.',
    revoke('the key is REVOKED and still listed; its private key and its signer are deleted'),
    spec('delete /auth/delegated-keys/{id}'),
  ],
  [52, 'The creation of a key sends no event.', create('${status} becomes ${after.status}, without a webhook')],
]);
