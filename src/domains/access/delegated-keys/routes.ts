// Delegated keys of embedded wallets.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { created, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed } from '../../../http/schemas.js';
import { invalid } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { parseCall, renderOutcome } from '../signed-requests/schemas.js';
import { createDelegatedKey, revokeDelegatedKey, SIGNATURES_OF_DELEGATION } from './actions.js';
import type { DelegatedKeyDeps } from './deps.js';
import {
  DelegatedKeyCreateRequest,
  DelegatedKeyListResponse,
  DelegatedKeySchema,
  DelegatedKeySignedRequestChallenge,
  renderDelegatedKey,
} from './schemas.js';
import { getDelegatedKey, listDelegatedKeys } from './store.js';

const tag = 'Embedded Wallet Auth';
const keyId = ({ id }: { readonly id: string }) => parseId('DelegatedKey', id);

export const delegatedKeyRoutes = (deps: DelegatedKeyDeps & { readonly db: Db }): Operation[] => [
  operation({
    id: 'listDelegatedKeys',
    method: 'GET',
    path: '/auth/delegated-keys',
    tag,
    summary: 'List delegated keys by account or funding source',
    permission: 'VIEW',
    query: Closed({ accountId: Type.Optional(Type.String()), fundingSourceId: Type.Optional(Type.String()) }),
    success: { 200: DelegatedKeyListResponse },
    handle: async ({ platformId, query: { accountId, fundingSourceId } }) => {
      if (accountId === undefined && fundingSourceId === undefined) {
        const message = 'accountId or fundingSourceId is required';
        throw invalid({ field: 'accountId', message }, { field: 'fundingSourceId', message });
      }
      const filter = {
        accountId: accountId === undefined ? undefined : parseId('InternalAccount', accountId),
        fundingSourceId: fundingSourceId === undefined ? undefined : parseId('CardFundingSource', fundingSourceId),
      };
      // An id that could never name a record matches nothing, like an unknown one.
      const impossible = (accountId !== undefined && !filter.accountId) || (fundingSourceId !== undefined && !filter.fundingSourceId);
      return ok({ data: impossible ? [] : (await listDelegatedKeys(deps.db, platformId, filter)).map(renderDelegatedKey) });
    },
  }),
  operation({
    id: 'createDelegatedKey',
    method: 'POST',
    path: '/auth/delegated-keys',
    tag,
    summary: "Create a delegated key for a card's embedded-wallet funding source",
    permission: 'MANAGE',
    signedRetry: true,
    signatures: SIGNATURES_OF_DELEGATION,
    body: DelegatedKeyCreateRequest,
    success: { 201: DelegatedKeySchema, 202: DelegatedKeySignedRequestChallenge },
    errors: ['NOT_FOUND', 'CONFLICT', 'WALLET_NOT_PROVISIONED'],
    write: async (tx, request) => {
      const { cardId, internalAccountId, nickname } = request.body;
      const key = { cardId: parseId('Card', cardId), accountId: parseId('InternalAccount', internalAccountId), nickname };
      const outcome = await createDelegatedKey(deps, tx, parseCall('createDelegatedKey', request), key);
      return renderOutcome(outcome, (made) => created(renderDelegatedKey(made)));
    },
  }),
  operation({
    id: 'getDelegatedKeyById',
    method: 'GET',
    path: '/auth/delegated-keys/{id}',
    tag,
    summary: 'Get a delegated key',
    permission: 'VIEW',
    success: { 200: DelegatedKeySchema },
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, params }) => ok(renderDelegatedKey(await getDelegatedKey(deps.db, platformId, keyId(params)))),
  }),
  operation({
    id: 'revokeDelegatedKey',
    method: 'DELETE',
    path: '/auth/delegated-keys/{id}',
    tag,
    summary: 'Revoke a delegated key',
    permission: 'MANAGE',
    success: { 204: null },
    errors: ['NOT_FOUND'],
    write: async (tx, { platformId, now, params }) => {
      await revokeDelegatedKey(deps, tx, platformId, keyId(params), now);
      return noContent();
    },
  }),
];
