// Credentials of embedded wallets, and the sandbox's OpenID Connect issuer.
import Type from 'typebox';
import { created, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed } from '../../../http/schemas.js';
import { ApiError } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { mintSandboxToken, SANDBOX_ISSUER, sandboxJwk } from '../../../providers/sandbox-oidc-issuer.js';
import type { P256KeyPair } from '../../../providers/wallet-signer/p256.js';
import { AccountQuery, parseAccountQuery, renderSession } from '../sessions/schemas.js';
import { AuthSignedRequestChallenge, parseCall, renderOutcome, WalletOperationProcessing } from '../signed-requests/schemas.js';
import { challengeCredential, createCredential, revokeCredential, verifyCredential } from './actions.js';
import type { CredentialDeps } from './deps.js';
import {
  AuthCredentialChallengeRequest,
  AuthCredentialChallengeResponse,
  AuthCredentialCreateRequest,
  AuthCredentialListResponse,
  AuthCredentialVerifyRequest,
  AuthCredentialVerifyResponse,
  AuthMethodResponse,
  parseNewCredential,
  renderChallenge,
  renderChallengedCredential,
  renderCredential,
} from './schemas.js';
import { listCredentials } from './store.js';

const tag = 'Embedded Wallet Auth';
const credentialId = ({ id }: { readonly id: string }) => parseId('AuthMethod', id);

export const credentialRoutes = (deps: CredentialDeps): Operation[] => [
  operation({
    id: 'listAuthCredentials',
    method: 'GET',
    path: '/auth/credentials',
    tag,
    summary: 'List the credentials of an account',
    permission: 'VIEW',
    query: AccountQuery,
    success: { 200: AuthCredentialListResponse },
    handle: async ({ platformId, query }) =>
      ok({ data: (await listCredentials(deps.db, platformId, parseAccountQuery(query))).map(renderCredential) }),
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
    handle: async (request) => {
      const outcome = await createCredential(deps, parseCall('createAuthCredential', request), parseNewCredential(request.body));
      return renderOutcome(outcome, (challenged) => created(renderChallengedCredential(challenged)));
    },
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
    write: async (tx, request) => {
      const call = parseCall('revokeAuthCredential', request);
      return renderOutcome(await revokeCredential(deps.signer, tx, call, credentialId(request.params)), noContent);
    },
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
    handle: async (request) => {
      const call = parseCall('challengeAuthCredential', request);
      return ok(renderChallenge(await challengeCredential(deps, call, credentialId(request.params), request.body.clientPublicKey)));
    },
  }),
  operation({
    id: 'verifyAuthCredential',
    method: 'POST',
    path: '/auth/credentials/{id}/verify',
    tag,
    summary: 'Verify a credential and open a session',
    permission: 'MANAGE',
    // A passkey's proof is the assertion in the body, so the call has a Request-Id and no signature header.
    signedRetry: 'or-named',
    body: AuthCredentialVerifyRequest,
    success: { 200: AuthCredentialVerifyResponse, 202: AuthSignedRequestChallenge, 204: null },
    errors: ['AUTH_METHOD_NOT_FOUND'],
    handle: async (request) => {
      const { signed, body } = request;
      if (signed.kind === 'named' && body.type !== 'PASSKEY') throw new ApiError('WALLET_SIGNATURE_MISSING');
      const requestId = signed.kind === 'initial' ? undefined : signed.requestId;
      const call = parseCall('verifyAuthCredential', request);
      const outcome = await verifyCredential(deps, call, credentialId(request.params), body, requestId);
      return renderOutcome(outcome, (opened) => (opened ? ok(renderSession(opened)) : noContent()));
    },
  }),
];

export const sandboxIssuerRoutes = (sandboxIssuerKey: () => P256KeyPair): Operation[] => [
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
    command: 'sandbox oidc keys',
    permission: 'PUBLIC',
    sandbox: true,
    success: {
      200: Type.Object({ keys: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' })) }, { title: 'JsonWebKeySet' }),
    },
    handle: async () => ok({ keys: [sandboxJwk(sandboxIssuerKey())] }),
  }),
];
