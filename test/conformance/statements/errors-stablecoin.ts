import { inFile, notHeld, section } from '../statement.js';

const mint = inFile('operations/payments/stablecoins/createStablecoinMint.test.ts');
const register = inFile('operations/payments/stablecoins/registerStablecoin.test.ts');
const burn = inFile('operations/payments/stablecoins/createStablecoinBurn.test.ts');
const link = inFile('operations/payments/stablecoins/providerAccounts.test.ts');
const operations = inFile('operations/payments/stablecoins/operations.test.ts');

/** An account that is not ACTIVE here, or that the provider refuses, has codes of its own, which tests hold. */
const LINKED_BY_ITSELF =
  'The service links an external account at the provider by itself, when an order first names it. No operation of the specification makes such a link or chooses how.';

export const errorsStablecoin = section('errors-stablecoin', 'Errors: stablecoins', [
  [
    1,
    '`STABLECOIN_PROVIDER_ACCOUNT_INVALID`',
    mint('400 STABLECOIN_PROVIDER_ACCOUNT_INVALID when it rejects the stored credentials; the link stays INVALID'),
  ],
  [2, '`STABLECOIN_PROVIDER_ACCOUNT_REVOKED`', register('a named link that is unknown, of another platform, revoked or invalid')],
  [
    3,
    '`STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED`: several links are active.',
    register('which link: none 404, one is taken, several must be named'),
  ],
  [4, '`STABLECOIN_AMOUNT_NOT_REPRESENTABLE`', mint('400 STABLECOIN_AMOUNT_NOT_REPRESENTABLE: not worth whole cents')],
  [5, '`STABLECOIN_BURN_SOURCE_NOT_SUPPORTED`', burn('400 STABLECOIN_BURN_SOURCE_NOT_SUPPORTED: an internal account as source')],
  [6, '`STABLECOIN_EXTERNAL_ACCOUNT_LINK_FAILED`', notHeld(LINKED_BY_ITSELF)],
  [7, '`STABLECOIN_EXTERNAL_ACCOUNT_LINK_METHOD_REQUIRED`', notHeld(LINKED_BY_ITSELF)],
  [8, '`STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED`', mint('400 STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED: not ACTIVE')],
  [
    9,
    '`STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED`',
    mint('400 STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED: another kind, or a plain Bitcoin address'),
  ],
  [
    10,
    '`STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED`',
    mint('400 STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED: the provider refuses the bank account'),
  ],
  [11, '`STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_REQUIRED`', notHeld(LINKED_BY_ITSELF)],
  [
    12,
    '`STABLECOIN_GRID_OPERATIONS_NOT_ENABLED`',
    mint('400 STABLECOIN_GRID_OPERATIONS_NOT_ENABLED, once enabled STABLECOIN_OPERATION_NOT_SUPPORTED: internal accounts'),
  ],
  [13, '`STABLECOIN_NOT_PROVISIONED`', mint('in this order')],
  [14, '`STABLECOIN_OPERATION_NOT_SUPPORTED`', mint('400 STABLECOIN_OPERATION_NOT_SUPPORTED: a balance at the provider')],
  [15, '`STABLECOIN_PROVIDER_ERROR`', link('live mode without an issuer: link is 400 STABLECOIN_PROVIDER_ERROR')],
  [
    16,
    '`STABLECOIN_PROVIDER_SOURCE_NOT_LINKED`',
    notHeld(
      'Orders that are paid from a balance at the provider are refused before their source is looked at: STABLECOIN_OPERATION_NOT_SUPPORTED.',
    ),
  ],
  [17, '`STABLECOIN_VERIFICATION_FAILED`', link('400 STABLECOIN_VERIFICATION_FAILED: refused credentials, or an account they do not open')],
  [
    18,
    '`STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE`: enablement is requested only while `NOT_ENABLED`.',
    register('NOT_ENABLED → PENDING_APPROVAL → ENABLING → ENABLED by the clock; each status answers a request'),
  ],
  [
    19,
    'A repeated request for enablement while `PENDING_APPROVAL` succeeds.',
    register('NOT_ENABLED → PENDING_APPROVAL → ENABLING → ENABLED by the clock; each status answers a request'),
  ],
  [
    20,
    '`ENABLING`, `ENABLED` and `DISABLED` are set by the service.',
    inFile('boot/stablecoin-cli.test.ts')(
      'a requested enablement waits for the operator, who moves it step by step, and disables it again',
    ),
    register('NOT_ENABLED → PENDING_APPROVAL → ENABLING → ENABLED by the clock; each status answers a request'),
  ],
  [
    21,
    '`STABLECOIN_SYMBOL_ALREADY_EXISTS`',
    register('409: the network identifier first, then the symbol in any case; another platform may register the same token'),
  ],
  [
    22,
    '`STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS`',
    register('409: the network identifier first, then the symbol in any case; another platform may register the same token'),
  ],
  [
    23,
    '`STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND`: 404.',
    link('404 STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND: unknown, malformed, or of another platform'),
  ],
  [
    24,
    '`STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND`: 404.',
    mint('404 STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND: unknown, malformed, deleted, of another platform'),
  ],
  [25, '`STABLECOIN_NOT_FOUND`: 404.', register('404 STABLECOIN_NOT_FOUND for an unknown or foreign id')],
  [26, '`STABLECOIN_OPERATION_NOT_FOUND`: 404.', operations('404: unknown, malformed or foreign')],
]);
