// Embedded Wallet Auth, and the wallet operations of Internal Accounts that need the owner.
import Type, { type Static, type TSchema } from 'typebox';
import type { Db, Tx } from '../../../db/pool.js';
import { type Answer, accepted, created, noContent, type Operation, ok, operation, type Request } from '../../../http/operation.js';
import { Closed, SignedRequestChallenge } from '../../../http/schemas.js';
import { ApiError, invalid, invalidField } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { mintSandboxToken, SANDBOX_ISSUER, sandboxJwk } from '../../../providers/sandbox-oidc-issuer.js';
import type { P256KeyPair } from '../../../providers/wallet-signer/p256.js';
import type { CardCapabilitiesFor } from '../../accounts/internal-accounts/internal-account.js';
import { InternalAccountSchema, renderInternalAccount } from '../../accounts/internal-accounts/schemas.js';
import { type CredentialDeps, challengeCredential, createCredential, removeCredential, verifyCredential } from './credentials.js';
import { createDelegatedKey, type DelegationDeps, revokeDelegatedKey } from './delegated-keys.js';
import type { Consented } from './keys.js';
import {
  AuthCredentialChallengeRequest,
  AuthCredentialChallengeResponse,
  AuthCredentialCreateRequest,
  AuthCredentialListResponse,
  AuthCredentialVerifyRequest,
  AuthCredentialVerifyResponse,
  AuthMethodResponse,
  AuthSession,
  AuthSessionRefreshRequest,
  AuthSignedRequestChallenge,
  DelegatedKeyCreateRequest,
  DelegatedKeyListResponse,
  DelegatedKeySchema,
  DelegatedKeySignedRequestChallenge,
  InternalAccountExportRequest,
  InternalAccountExportResult,
  InternalAccountUpdateRequest,
  parseNewCredential,
  renderChallenged,
  renderCredential,
  renderDelegatedKey,
  renderSession,
  renderShownCredential,
  renderSigningChallenge,
  SessionListResponse,
  WalletOperationProcessing,
} from './schemas.js';
import { endSession, refreshSession } from './sessions.js';
import type { Call } from './signed-retry.js';
import { getDelegatedKey, listCredentials, listDelegatedKeys, listSessions } from './store.js';
import { exportWallet, updateWallet } from './wallet.js';

export type KeyDeps = CredentialDeps &
  DelegationDeps & {
    readonly db: Db;
    readonly cardCapabilitiesFor: CardCapabilitiesFor;
    readonly sandboxIssuerKey: () => P256KeyPair;
  };

/** What a signed request is bound to: the operation, the resource in its path, the body. */
const callOf = (
  operationId: string,
  { platformId, now, params, body, signed }: Request<Record<string, string>, unknown, unknown>,
): Call => ({
  platformId,
  now,
  operation: operationId,
  target: params['id'] ?? '',
  body,
  signed,
});

const answerConsented = <Result>(outcome: Consented<Result>, done: (result: Result) => Answer): Answer =>
  'challenge' in outcome ? accepted(renderSigningChallenge(outcome.challenge)) : done(outcome.done);

type Sent<Schema extends TSchema> = Request<Record<string, string>, unknown, Static<Schema>>;

/** A write that may answer 202 first. */
const signedWrite =
  <Body, Result>(
    operationId: string,
    work: (tx: Tx, call: Call, request: Request<Record<string, string>, unknown, Body>) => Promise<Consented<Result>>,
    done: (result: Result) => Answer,
  ) =>
  async (tx: Tx, request: Request<Record<string, string>, unknown, Body>): Promise<Answer> =>
    answerConsented(await work(tx, callOf(operationId, request), request), done);

/** "Missing or bad → 400; unknown → empty." An id that cannot name an account is bad. */
function accountIdOf(accountId: string) {
  const id = parseId('InternalAccount', accountId);
  if (!id) throw invalidField('accountId', 'must be the id of an internal account');
  return id;
}

const tag = 'Embedded Wallet Auth';

const credentialRoutes = (deps: KeyDeps): Operation[] => [
  operation({
    id: 'listAuthCredentials',
    method: 'GET',
    path: '/auth/credentials',
    tag,
    summary: 'List the credentials of an account',
    permission: 'VIEW',
    query: Closed({ accountId: Type.String() }),
    success: { 200: AuthCredentialListResponse },
    handle: async ({ platformId, query }) =>
      ok({ data: (await listCredentials(deps.db, platformId, accountIdOf(query.accountId))).map(renderCredential) }),
  }),
  operation({
    id: 'createAuthCredential',
    method: 'POST',
    path: '/auth/credentials',
    tag,
    summary: 'Add a credential',
    permission: 'MANAGE',
    signedRetry: true,
    body: AuthCredentialCreateRequest,
    success: { 200: WalletOperationProcessing, 201: AuthMethodResponse, 202: AuthSignedRequestChallenge },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'CUSTOMER_NOT_FOUND',
      'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS',
      'SMS_OTP_CREDENTIAL_ALREADY_EXISTS',
      'PASSKEY_CREDENTIAL_ALREADY_EXISTS',
      'EMAIL_OTP_EMAIL_ALREADY_EXISTS',
      'SMS_OTP_PHONE_NUMBER_ALREADY_EXISTS',
      'EMAIL_OTP_CREDENTIAL_SET_CHANGED',
      'SMS_OTP_CREDENTIAL_SET_CHANGED',
      'WALLET_NOT_PROVISIONED',
    ],
    handle: async (request) =>
      answerConsented(await createCredential(deps, callOf('createAuthCredential', request), parseNewCredential(request.body)), (shown) =>
        created(renderShownCredential(shown)),
      ),
  }),
  operation({
    id: 'revokeAuthCredential',
    method: 'DELETE',
    path: '/auth/credentials/{id}',
    tag,
    summary: 'Revoke a credential',
    permission: 'MANAGE',
    signedRetry: true,
    success: { 200: WalletOperationProcessing, 202: AuthSignedRequestChallenge, 204: null },
    errors: ['AUTH_METHOD_NOT_FOUND', 'WALLET_NOT_PROVISIONED'],
    write: signedWrite(
      'revokeAuthCredential',
      (tx, call, { params }) => removeCredential(deps, tx, call, parseId('AuthMethod', params['id'] ?? '')),
      noContent,
    ),
  }),
  operation({
    id: 'challengeAuthCredential',
    method: 'POST',
    path: '/auth/credentials/{id}/challenge',
    tag,
    summary: 'Send a one-time password again, or start a passkey sign-in',
    permission: 'MANAGE',
    body: AuthCredentialChallengeRequest,
    bodyOptional: true,
    success: { 200: AuthCredentialChallengeResponse },
    errors: ['AUTH_METHOD_NOT_FOUND'],
    handle: async (request) =>
      ok(
        renderChallenged(
          await challengeCredential(
            deps,
            callOf('challengeAuthCredential', request),
            parseId('AuthMethod', request.params['id'] ?? ''),
            request.body.clientPublicKey,
          ),
        ),
      ),
  }),
  operation({
    id: 'verifyAuthCredential',
    method: 'POST',
    path: '/auth/credentials/{id}/verify',
    tag,
    summary: 'Verify a credential and open a session',
    permission: 'MANAGE',
    // A passkey's proof is the assertion in the body: it brings a Request-Id and no signature header.
    signedRetry: 'or-named',
    body: AuthCredentialVerifyRequest,
    success: { 200: AuthCredentialVerifyResponse, 202: AuthSignedRequestChallenge, 204: null },
    errors: ['AUTH_METHOD_NOT_FOUND'],
    handle: async (request) => {
      const { signed, body } = request;
      if (signed.kind === 'named' && body.type !== 'PASSKEY') throw new ApiError('WALLET_SIGNATURE_MISSING');
      const requestId = signed.kind === 'initial' ? undefined : signed.requestId;
      const id = parseId('AuthMethod', request.params['id'] ?? '');
      return answerConsented(await verifyCredential(deps, callOf('verifyAuthCredential', request), id, body, requestId), (verified) =>
        verified ? ok(renderSession(verified)) : noContent(),
      );
    },
  }),
];

const sessionRoutes = (deps: KeyDeps): Operation[] => [
  operation({
    id: 'listAuthSessions',
    method: 'GET',
    path: '/auth/sessions',
    tag,
    summary: 'List the active sessions of an account',
    permission: 'VIEW',
    query: Closed({ accountId: Type.String() }),
    success: { 200: SessionListResponse },
    handle: async ({ platformId, now, query }) => {
      const sessions = await listSessions(deps.db, platformId, accountIdOf(query.accountId), now);
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
    write: signedWrite(
      'revokeAuthSession',
      (tx, call, { params }) => endSession(deps.signer, tx, call, parseId('Session', params['id'] ?? '')),
      noContent,
    ),
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
    write: signedWrite(
      'refreshAuthSession',
      (tx, call, { params, body }: Sent<typeof AuthSessionRefreshRequest>) =>
        refreshSession(deps.signer, tx, call, parseId('Session', params['id'] ?? ''), body.clientPublicKey),
      (opened) => created(renderSession(opened)),
    ),
  }),
];

const delegatedKeyRoutes = (deps: KeyDeps): Operation[] => [
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
      // An id that could never name a record has none, like an unknown one.
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
    body: DelegatedKeyCreateRequest,
    success: { 201: DelegatedKeySchema, 202: DelegatedKeySignedRequestChallenge },
    errors: ['NOT_FOUND', 'CONFLICT'],
    write: signedWrite(
      'createDelegatedKey',
      (tx, call, { body: { cardId, internalAccountId, nickname } }: Sent<typeof DelegatedKeyCreateRequest>) =>
        createDelegatedKey(deps, tx, call, {
          cardId: parseId('Card', cardId),
          accountId: parseId('InternalAccount', internalAccountId),
          nickname,
        }),
      (key) => created(renderDelegatedKey(key)),
    ),
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
    handle: async ({ platformId, params }) =>
      ok(renderDelegatedKey(await getDelegatedKey(deps.db, platformId, parseId('DelegatedKey', params['id'] ?? '')))),
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
      await revokeDelegatedKey(deps, tx, platformId, parseId('DelegatedKey', params['id'] ?? ''), now);
      return noContent();
    },
  }),
];

const walletRoutes = ({ signer, cardCapabilitiesFor }: KeyDeps): Operation[] => [
  operation({
    id: 'updateInternalAccount',
    method: 'PATCH',
    path: '/internal-accounts/{id}',
    tag: 'Internal Accounts',
    summary: 'Change an embedded wallet account',
    permission: 'MANAGE',
    signedRetry: true,
    body: InternalAccountUpdateRequest,
    success: { 200: InternalAccountSchema, 202: SignedRequestChallenge },
    errors: ['ACCOUNT_NOT_FOUND', 'WALLET_NOT_PROVISIONED'],
    write: signedWrite(
      'updateInternalAccount',
      (tx, call, { params, body }: Sent<typeof InternalAccountUpdateRequest>) =>
        updateWallet(signer, tx, call, parseId('InternalAccount', params['id'] ?? ''), body),
      (account) => ok(renderInternalAccount(account, cardCapabilitiesFor)),
    ),
  }),
  operation({
    id: 'exportInternalAccount',
    method: 'POST',
    path: '/internal-accounts/{id}/export',
    tag: 'Internal Accounts',
    summary: "Export an embedded wallet's words, sealed to the owner's key",
    permission: 'MANAGE',
    signedRetry: true,
    body: InternalAccountExportRequest,
    success: { 200: InternalAccountExportResult, 202: SignedRequestChallenge },
    errors: ['ACCOUNT_NOT_FOUND', 'WALLET_NOT_PROVISIONED'],
    write: signedWrite(
      'exportInternalAccount',
      (tx, call, { params, body }: Sent<typeof InternalAccountExportRequest>) =>
        exportWallet(signer, tx, call, parseId('InternalAccount', params['id'] ?? ''), body.clientPublicKey),
      (exported) => ok(exported),
    ),
  }),
];

const sandboxIssuerRoutes = ({ sandboxIssuerKey }: KeyDeps): Operation[] => [
  operation({
    id: 'createSandboxOidcToken',
    method: 'POST',
    path: '/sandbox/oidc/tokens',
    tag: 'Sandbox',
    summary: `Have the sandbox issuer ${SANDBOX_ISSUER} sign an OIDC token`,
    permission: 'MANAGE',
    sandbox: true,
    body: Closed(
      {
        audience: Type.String({ minLength: 1, maxLength: 255 }),
        subject: Type.String({ minLength: 1, maxLength: 255 }),
        nonce: Type.Optional(Type.String({ maxLength: 255, description: 'For sign-in: the hex SHA-256 of clientPublicKey.' })),
        email: Type.Optional(Type.String({ format: 'email', maxLength: 255 })),
      },
      { title: 'SandboxOidcTokenRequest' },
    ),
    success: { 201: Type.Object({ oidcToken: Type.String() }, { title: 'SandboxOidcToken' }) },
    handle: async ({ now, body }) => created({ oidcToken: mintSandboxToken(sandboxIssuerKey(), body, now) }),
  }),
  operation({
    id: 'getSandboxOidcKeys',
    method: 'GET',
    path: '/sandbox/oidc/jwks.json',
    tag: 'Sandbox',
    summary: 'The published keys of the sandbox issuer',
    permission: 'PUBLIC',
    sandbox: true,
    success: {
      200: Type.Object({ keys: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' })) }, { title: 'JsonWebKeySet' }),
    },
    handle: async () => ok({ keys: [sandboxJwk(sandboxIssuerKey())] }),
  }),
];

export const keyRoutes = (deps: KeyDeps): Operation[] => [
  ...credentialRoutes(deps),
  ...sessionRoutes(deps),
  ...delegatedKeyRoutes(deps),
  ...walletRoutes(deps),
  ...sandboxIssuerRoutes(deps),
];
