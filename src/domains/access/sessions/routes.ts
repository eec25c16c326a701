// Sessions of embedded wallets.
import type { Db } from '../../../db/pool.js';
import { created, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { SignedRequestChallenge } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import type { WalletSigner } from '../../../providers/wallet-signer/signer.js';
import { AuthSignedRequestChallenge, parseCall, renderOutcome, WalletOperationProcessing } from '../signed-requests/schemas.js';
import { endSession, refreshSession } from './actions.js';
import { AccountQuery, AuthSession, AuthSessionRefreshRequest, parseAccountQuery, renderSession, SessionListResponse } from './schemas.js';
import { listSessions } from './store.js';

const tag = 'Embedded Wallet Auth';
const sessionId = ({ id }: { readonly id: string }) => parseId('Session', id);

export const sessionRoutes = ({ db, signer }: { readonly db: Db; readonly signer: WalletSigner }): Operation[] => [
  operation({
    id: 'listAuthSessions',
    method: 'GET',
    path: '/auth/sessions',
    tag,
    summary: 'List the active sessions of an account',
    permission: 'VIEW',
    query: AccountQuery,
    success: { 200: SessionListResponse },
    handle: async ({ platformId, now, query }) => {
      const sessions = await listSessions(db, platformId, parseAccountQuery(query), now);
      return ok({ data: sessions.map((session) => renderSession({ session, encryptedSessionSigningKey: undefined })) });
    },
  }),
  operation({
    id: 'revokeAuthSession',
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    tag,
    summary: 'End a session',
    permission: 'MANAGE',
    signedRetry: true,
    success: { 200: WalletOperationProcessing, 202: AuthSignedRequestChallenge, 204: null },
    errors: ['SESSION_NOT_FOUND'],
    write: async (tx, request) =>
      renderOutcome(await endSession(signer, tx, parseCall('revokeAuthSession', request), sessionId(request.params)), noContent),
  }),
  operation({
    id: 'refreshAuthSession',
    method: 'POST',
    path: '/auth/sessions/{id}/refresh',
    tag,
    summary: 'Open a new session with the current one',
    permission: 'MANAGE',
    signedRetry: true,
    body: AuthSessionRefreshRequest,
    success: { 200: WalletOperationProcessing, 201: AuthSession, 202: SignedRequestChallenge },
    errors: ['SESSION_NOT_FOUND'],
    write: async (tx, request) => {
      const call = parseCall('refreshAuthSession', request);
      const outcome = await refreshSession(signer, tx, call, sessionId(request.params), request.body.clientPublicKey);
      return renderOutcome(outcome, (opened) => created(renderSession(opened)));
    },
  }),
];
