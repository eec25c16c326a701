// The signing desk: what waits for the signature of the owner of a wallet.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, Enum, pageQuery } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, TIME_KEY, UUID_KEY } from '../../../kernel/page.js';
import { getSignedRequest } from './actions.js';
import { renderSignedRequest, SignedRequestListResponse, SignedRequestSchema } from './schemas.js';
import { SIGNED_REQUEST_STATUSES } from './signed-request.js';
import { listSignedRequests } from './store.js';

const TAG = 'Embedded Wallet Auth';

export const signedRequestRoutes = ({ db }: { readonly db: Db }): Operation[] => [
  operation({
    id: 'listSignedRequests',
    method: 'GET',
    path: '/signed-requests',
    tag: TAG,
    summary: 'List the calls that wait for a signature, newest first',
    description:
      'Every call that was answered with a challenge, with what is to be signed and until when. Signatures are never shown. ' +
      'Used and expired requests are kept for a while after they end.',
    permission: 'VIEW',
    query: Closed({
      status: Type.Optional(Enum(SIGNED_REQUEST_STATUSES, { description: 'Only requests with this status.' })),
      ...pageQuery,
    }),
    success: { 200: SignedRequestListResponse },
    handle: async ({ platformId, now, query: { limit = 20, cursor, status } }) => {
      const scope = ['listSignedRequests', platformId, status ?? null];
      const [at = '', id = ''] = cursor === undefined ? [] : decodeCursor(cursor, scope, [TIME_KEY, UUID_KEY]);
      const page = { limit, after: cursor === undefined ? undefined : { at: new Date(at), id } };
      return ok(renderPage(await listSignedRequests(db, platformId, status, now, page, scope), renderSignedRequest(now)));
    },
  }),
  operation({
    id: 'getSignedRequest',
    method: 'GET',
    path: '/signed-requests/{id}',
    tag: TAG,
    summary: 'Get a call that waits for a signature',
    description: 'With what is to be signed, the key that must sign it, and whether it was used. The signature itself is never shown.',
    permission: 'VIEW',
    success: { 200: SignedRequestSchema },
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, now, params }) =>
      ok(renderSignedRequest(now)(await getSignedRequest(db, platformId, parseId('Request', params.id)))),
  }),
];
