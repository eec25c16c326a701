// Look-ups of receivers.
import { type Operation, ok, operation } from '../../../http/operation.js';
import type { ErrorCode } from '../../../kernel/errors.js';
import type { UmaDeps } from '../uma/actions.js';
import { lookUpAccount, lookUpUma } from './actions.js';
import { LookupQuery, ReceiverExternalAccountLookupResponse, ReceiverUmaLookupResponse, renderFound } from './schemas.js';

const TAG = 'Cross-Currency Transfers';

/** Both look-ups document the failures of a counterparty, as the public contract does. */
const LOOKUP_ERRORS = [
  'INVALID_UMA_ADDRESS',
  'INVALID_CURRENCY',
  'PARSE_LNURLP_RESPONSE_ERROR',
  'INVALID_PUBKEY_FORMAT',
  'CERT_CHAIN_INVALID',
  'CERT_CHAIN_EXPIRED',
  'UMA_NOT_FOUND',
  'CUSTOMER_NOT_FOUND',
  'UNSUPPORTED_UMA_VERSION',
  'LNURLP_REQUEST_FAILED',
  'COUNTERPARTY_PUBKEY_FETCH_ERROR',
  'NO_COMPATIBLE_UMA_VERSION',
  'COUNTERPARTY_SERVER_ERROR',
  'LOOKUP_REQUEST_FAILED',
  'NOT_IMPLEMENTED',
] as const satisfies readonly ErrorCode[];

export const receiverRoutes = (deps: UmaDeps): Operation[] => [
  operation({
    id: 'lookupUma',
    method: 'GET',
    path: '/receiver/uma/{receiverUmaAddress}',
    tag: TAG,
    summary: 'Look up the receiver at a UMA address',
    description:
      "Asks the receiver's provider which currencies the receiver can get and what it must know about the sender. The answer names a `lookupId`, " +
      'which quotes to the address need; it is good for an hour. In the sandbox, addresses exist at the domain `sandbox.uma.money` ' +
      "(`$success.usd`, `$success.eur`, `$success.mxn`, `$pending.long.usd`, `$fail.compliance.usd`) and at the platform's own `umaDomain`.",
    permission: 'VIEW',
    query: LookupQuery,
    success: { 200: ReceiverUmaLookupResponse },
    errors: LOOKUP_ERRORS,
    // It mostly waits for another provider.
    ungated: 'WAITS',
    handle: async ({ platformId, params, query, now }) => {
      const found = await lookUpUma(deps, { platformId, address: params.receiverUmaAddress, query, now });
      return ok({ receiverUmaAddress: found.lookup.receiver, ...renderFound(found) });
    },
  }),
  operation({
    id: 'lookupExternalAccount',
    method: 'GET',
    path: '/receiver/external-account/{accountId}',
    tag: TAG,
    summary: 'Look up the receiver behind an external account',
    description:
      'Shows the currency of the account with its rate and bounds, as `GET /receiver/uma/{receiverUmaAddress}` does for an address. A quote to the ' +
      'account may name the `lookupId`, and does not have to.',
    permission: 'VIEW',
    query: LookupQuery,
    success: { 200: ReceiverExternalAccountLookupResponse },
    errors: ['ACCOUNT_NOT_FOUND', ...LOOKUP_ERRORS],
    handle: async ({ platformId, params, query, now }) => {
      const found = await lookUpAccount(deps, { platformId, accountId: params.accountId, query, now });
      return ok({ accountId: found.lookup.receiver, ...renderFound(found) });
    },
  }),
];
