// Operations on the platform configuration and on API tokens.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { authorize } from '../../../http/authenticate.js';
import { createdSecret, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, pageQuery, timeFilters } from '../../../http/schemas.js';
import type { Hooks } from '../../../kernel/hook.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { createToken, getPlatform, getToken, type InstallationSecrets, removeToken, updatePlatformConfig } from './actions.js';
import { tokenExists } from './rules.js';
import {
  ApiTokenCreateRequest,
  ApiTokenSchema,
  PlatformConfig,
  PlatformConfigUpdateRequest,
  renderPlatformConfig,
  renderToken,
  TokenListResponse,
} from './schemas.js';
import { listTokens } from './store.js';

export type PlatformDeps = { readonly db: Db; readonly secrets: InstallationSecrets; readonly hooks: Hooks };

export const platformRoutes = ({ db, secrets, hooks }: PlatformDeps): Operation[] => [
  operation({
    id: 'getPlatformConfig',
    method: 'GET',
    path: '/config',
    tag: 'Platform Configuration',
    summary: 'Get the platform configuration',
    permission: 'VIEW',
    success: { 200: PlatformConfig },
    handle: async ({ platformId }) => ok(renderPlatformConfig(await getPlatform(db, platformId))),
  }),
  operation({
    id: 'updatePlatformConfig',
    method: 'PATCH',
    path: '/config',
    tag: 'Platform Configuration',
    summary: 'Change the platform configuration',
    permission: 'MANAGE',
    body: PlatformConfigUpdateRequest,
    success: { 200: PlatformConfig },
    errors: ['NOT_IMPLEMENTED'],
    write: async (tx, { platformId, now, body }) => ok(renderPlatformConfig(await updatePlatformConfig(tx, platformId, now, body, hooks))),
  }),
  operation({
    id: 'listTokens',
    method: 'GET',
    path: '/tokens',
    tag: 'API Tokens',
    summary: 'List API tokens',
    permission: 'VIEW',
    query: Closed({
      name: Type.Optional(Type.String()),
      ...timeFilters,
      ...pageQuery,
    }),
    success: { 200: TokenListResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, ...filter } }) => {
      const scope = ['listTokens', platformId, filter];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      return ok(renderPage(await listTokens(db, platformId, filter, { limit, after }, scope), (token) => renderToken(token)));
    },
  }),
  operation({
    id: 'createToken',
    method: 'POST',
    path: '/tokens',
    tag: 'API Tokens',
    summary: 'Create an API token with permissions that the caller holds; its secret is shown once, and never to a repeat of the request',
    permission: 'MANAGE',
    body: ApiTokenCreateRequest,
    success: { 201: ApiTokenSchema },
    idempotency: 'optional',
    write: async (tx, { platformId, caller, now, body }) => {
      for (const permission of body.permissions) authorize(caller, permission);
      const { token, secret } = await createToken(tx, secrets.tokenPepper, platformId, { ...body, now });
      return createdSecret(renderToken(token, secret), tokenExists(token));
    },
  }),
  operation({
    id: 'getTokenById',
    method: 'GET',
    path: '/tokens/{tokenId}',
    tag: 'API Tokens',
    summary: 'Get an API token',
    permission: 'VIEW',
    success: { 200: ApiTokenSchema },
    errors: ['TOKEN_NOT_FOUND'],
    handle: async ({ platformId, params }) => ok(renderToken(await getToken(db, platformId, parseId('Token', params.tokenId)))),
  }),
  operation({
    id: 'deleteTokenById',
    method: 'DELETE',
    path: '/tokens/{tokenId}',
    tag: 'API Tokens',
    summary: 'Delete an API token',
    permission: 'MANAGE',
    success: { 204: null },
    errors: ['TOKEN_NOT_FOUND'],
    write: async (tx, { platformId, now, params }) => {
      await removeToken(tx, platformId, now, parseId('Token', params.tokenId));
      return noContent();
    },
  }),
];
