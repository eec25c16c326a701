import { inFile, notHeld, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const unimplemented = inFile('contract/unimplemented.test.ts');
const hostile = inFile('contract/hostile-http.test.ts');
const fuzz = inFile('invariants/fuzz.test.ts');

export const service = section('service', 'The service and its groups of operations', [
  [
    1,
    'The API serves customers, internal and external accounts, quotes and transfers, transactions, invitations, webhooks, tokens, rates, discoveries, wallet credentials, agents, cards, stablecoins, statements and verification.',
    unimplemented('holds 168 operations, each id and each method on a path once'),
    unimplemented('every served operation of the contract has the id, the method and the path of the table'),
    spec('the document has every group of operations, and each of them has operations'),
  ],
  [2, 'Each of the 23 groups has its given tag name.', spec('the document has every group of operations, and each of them has operations')],
  [
    3,
    'The group Same-Currency Transfers is deprecated, and quotes serve transfers in one currency too.',
    inFile('operations/payments/quotes/executeQuote.test.ts')('a USD payout shows its ACH rail, settled with the payment'),
    spec('the operations of Same-Currency Transfers are deprecated'),
  ],
  [
    4,
    'An id of a record is `<ResourceType>:<uuid>`.',
    spec('every id in the recorded answers is a resource type and a uuid'),
    inFile('support/external-accounts/create-suite.ts')('201'),
    hostile('malformed ids in the path answer like unknown ids'),
  ],
  [
    5,
    'Bodies are JSON of type `application/json`.',
    hostile('a body with content type ${JSON.stringify(type)} is validated'),
    hostile('415 for a content type of "${type}"'),
    fuzz('2,500 valid and invalid requests: no server error, no undocumented response, no invalid request accepted'),
  ],
  [
    6,
    'Paths are relative to the base address.',
    spec('the version is the last segment of the base address'),
    inFile('contract/requests.test.ts')('two Authorization headers: 401'),
  ],
  [
    7,
    '`POST /transactions/{transactionId}/approve` is the approval of a pending transaction by the platform.',
    inFile('operations/agents/agent-actions/approveAgentAction.test.ts')(
      'approve does what approveAgentAction does, and answers the transaction',
    ),
    inFile('operations/payments/payments/incoming.test.ts')('approve: PROCESSING, then COMPLETED; a second decision is refused'),
  ],
  [
    8,
    '`POST /cards/{id}/reveal` is protected by strong customer authentication.',
    inFile('operations/cards/cards/revealCard.test.ts')(
      '409 SCA_SESSION_REQUIRED: the cardholder is in a regulated region and has no session',
    ),
    inFile('operations/cards/cards/revealCard.test.ts')('with a session of the cardholder the card is revealed, until the session ends'),
  ],
  [
    9,
    'The 3-D Secure password is retrieved under strong customer authentication.',
    notHeld(
      'The specification names no path for it, and no operation of the API retrieves the password: the service passes it on and does not keep it.',
    ),
  ],
  [
    10,
    '`POST /customers/external-accounts/{externalAccountId}/untrust` and its `/confirm` end the trust in a beneficiary.',
    inFile('operations/access/sca/beneficiaryTrust.test.ts')(
      'a text message of 5 minutes confirms each; a trusted account cannot be deleted, an untrusted one can',
    ),
  ],
  [
    11,
    '`POST /customers` and `PATCH /customers/{id}` exist.',
    inFile('operations/identity/customers/createCustomer.test.ts')('an individual, as it was sent'),
    inFile('operations/identity/customers/updateCustomerById.test.ts')('${name}: set; everything absent stays'),
  ],
]);
