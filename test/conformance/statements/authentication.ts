import { inFile, section } from '../statement.js';

const spec = inFile('contract/specification.test.ts');
const config = inFile('operations/core/platform/getPlatformConfig.test.ts');
const tokens = inFile('operations/core/platform/tokens.test.ts');
const tenancy = inFile('invariants/tenancy.test.ts');
const unimplemented = inFile('contract/unimplemented.test.ts');
const codes = inFile('operations/agents/agents/deviceCodes.test.ts');
const accounts = inFile('operations/agents/agent-actions/agentAccounts.test.ts');
const execute = inFile('operations/agents/agent-actions/agentExecuteQuote.test.ts');
const approve = inFile('operations/agents/agent-actions/approveAgentAction.test.ts');
const retry = inFile('invariants/access/signed-retry.test.ts');
const reveal = inFile('operations/cards/cards/revealCard.test.ts');

const EVERY_OPERATION = 'every operation refuses missing and revoked credentials, missing permissions and other platforms';
const SCHEMES = 'the document declares AgentAuth beside BasicAuth; every operation below /agents/me takes it, and no other';
const ONE_MANIPULATION = 'a retry with any one manipulation is refused; the correct one succeeds, once';

export const authentication = section('authentication', 'Authentication', [
  [
    1,
    'A platform sends `<token id>:<secret>` in the scheme `BasicAuth`.',
    unimplemented(SCHEMES),
    tokens('the secret is shown once and works'),
    config('a header of "${authorization}": ${cause}'),
  ],
  [
    2,
    'Verification, delegated keys and the change of a card use `BasicAuth`.',
    spec('post /platform/external-accounts/{externalAccountId}/verify'),
    spec('post /auth/delegated-keys'),
    spec('patch /cards/{id}'),
  ],
  [
    3,
    'The service accepts `BasicAuth` or `AgentAuth`.',
    spec('the default security is either BasicAuth or AgentAuth'),
    unimplemented(SCHEMES),
  ],
  [
    4,
    'An agent gets its credentials by redeeming a device code.',
    codes('200 without credentials: the token is shown once, the agent is connected, and only a keyed hash is stored'),
  ],
  [
    5,
    'An agent acts for its customer only.',
    accounts("created for the agent's customer, listed, read and deleted; others' are 404"),
    accounts("all of the customer's, also those the agent did not start; not those of others"),
    tenancy(EVERY_OPERATION),
  ],
  [
    6,
    'An agent is bound by its policy.',
    execute('accounts come before limits, and limits in their order'),
    execute('exactly the limit is allowed, one unit more is not; fees are part of the amount'),
    inFile('invariants/agents/limits.test.ts')('${CALLERS} concurrent executions over two processes never exceed ${name}'),
  ],
  [
    7,
    'An action that needs approval leaves the transaction pending until the platform approves it.',
    execute('the action waits, nothing moves and nothing is counted, and the platform is told once'),
    approve('200 APPROVED: the quote is executed, counted, and the action shows its transaction'),
  ],
  [
    8,
    "Actions on the end user's credentials are signed retries: the first call answers 202 with a challenge.",
    spec('SignedRequestChallenge'),
    retry(ONE_MANIPULATION),
  ],
  [
    9,
    'The retry has `Service-Wallet-Signature` and `Request-Id`.',
    retry(ONE_MANIPULATION),
    spec('the signature headers belong to the creation of a delegated key and not to the change of a card'),
  ],
  [
    10,
    '401 `UNAUTHORIZED`: the credentials of the platform were refused.',
    config('"issue with API credentials": unknown id and wrong secret answer byte for byte alike'),
    config('no header'),
    tenancy(EVERY_OPERATION),
  ],
  [
    11,
    '409 `SCA_SESSION_REQUIRED`: the session of the customer is missing.',
    reveal('409 SCA_SESSION_REQUIRED: the cardholder is in a regulated region and has no session'),
    inFile('operations/payments/quote-authorizations/authorizeQuote.test.ts')(
      '409 SCA_SESSION_REQUIRED: the payer has no open session; the quote stays PENDING',
    ),
  ],
  [
    12,
    '409 `SCA_SESSION_REQUIRED`: the session of the customer has expired.',
    reveal('the session lasts 180 days, and not at exactly 180 days'),
    inFile('operations/payments/quote-authorizations/authorizeQuote.test.ts')(
      '409 SCA_SESSION_REQUIRED: the session ended while the payment waited',
    ),
  ],
  [
    13,
    'The change of a card is authenticated by the platform alone.',
    spec('the signature headers belong to the creation of a delegated key and not to the change of a card'),
  ],
]);
