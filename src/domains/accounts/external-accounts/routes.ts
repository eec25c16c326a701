// Operations on external accounts of customers and of the platform, the list of ownership proofs, and the sandbox's liveness check.
import Type, { type Static } from 'typebox';
import type { Db } from '../../../db/pool.js';
import {
  type Answer,
  commitThenRefuse,
  created,
  createdSealed,
  noContent,
  type Operation,
  ok,
  operation,
  type Request,
} from '../../../http/operation.js';
import { Closed, pageQuery } from '../../../http/schemas.js';
import { ApiError, assert } from '../../../kernel/errors.js';
import { type PlatformId, parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import {
  type AttemptOutcome,
  attemptOwnerships,
  challengeOwnership,
  concludeLiveness,
  createExternalAccount,
  createOwnershipVerifier,
  type OwnershipAttempt,
  removeExternalAccount,
} from './actions.js';
import type { OwnerScope } from './external-account.js';
import type { LivenessPass } from './liveness-pass.js';
import {
  answerCreated,
  CustomerExternalAccountCreateRequest,
  ExternalAccountListResponse,
  ExternalAccountSchema,
  LivenessOutcomeRequest,
  OwnershipChallengeRequest,
  OwnershipChallengeSchema,
  OwnershipProofListResponse,
  OwnershipVerifyRequest,
  PlatformExternalAccountCreateRequest,
  parseNewAccount,
  renderChallenge,
  renderExternalAccount,
  renderProof,
} from './schemas.js';
import { type AccountFilter, getExternalAccount, listExternalAccounts, listProofs } from './store.js';

const TAG = 'External Accounts';
const accountId = ({ externalAccountId }: AccountParams) => parseId('ExternalAccount', externalAccountId);

type AccountParams = { readonly externalAccountId: string };
type Verify = ReturnType<typeof createOwnershipVerifier>;

type LivenessLink = (pass: LivenessPass) => string;

export const externalAccountRoutes = (db: Db, livenessLink: LivenessLink): Operation[] =>
  operationsOf({ db, verify: createOwnershipVerifier(db), livenessLink });

type RouteDeps = { readonly db: Db; readonly verify: Verify; readonly livenessLink: LivenessLink };

const operationsOf = ({ db, ...deps }: RouteDeps): Operation[] => [
  // ---- accounts of customers
  operation({
    id: 'listCustomerExternalAccounts',
    method: 'GET',
    path: '/customers/external-accounts',
    tag: TAG,
    summary: "List customers' external accounts",
    permission: 'VIEW',
    query: Closed({ currency: Type.Optional(Type.String()), customerId: Type.Optional(Type.String()), ...pageQuery }),
    success: { 200: ExternalAccountListResponse },
    handle: async ({ platformId, query }) => {
      const customerId = query.customerId === undefined ? undefined : (parseId('Customer', query.customerId) ?? null);
      return ok(await accountPage(db, platformId, 'CUSTOMER', { currency: query.currency, customerId }, query));
    },
  }),
  operation({
    id: 'createCustomerExternalAccount',
    method: 'POST',
    path: '/customers/external-accounts',
    tag: TAG,
    summary: 'Add an external account of a customer, or of the platform when no customer is named',
    permission: 'MANAGE',
    body: CustomerExternalAccountCreateRequest,
    success: { 201: ExternalAccountSchema },
    errors: ['DUPLICATE_EXTERNAL_ACCOUNT', 'INVALID_BANK_ACCOUNT'],
    idempotency: 'optional',
    write: async (tx, { platformId, now, body }) => {
      const customerId = body.customerId === null ? undefined : parseId('Customer', body.customerId);
      const ownerScope = body.customerId === null ? 'PLATFORM' : 'CUSTOMER';
      return answerCreated(await createExternalAccount(tx, platformId, now, ownerScope, parseNewAccount(body, customerId)));
    },
  }),
  ...sharedOperations({ db, ...deps }, 'CUSTOMER', '/customers/external-accounts', {
    get: 'getCustomerExternalAccountById',
    remove: 'deleteCustomerExternalAccountById',
    challenge: 'createExternalAccountOwnershipChallenge',
    verify: 'verifyExternalAccountOwnership',
  }),

  // ---- accounts of the platform itself
  operation({
    id: 'listPlatformExternalAccounts',
    method: 'GET',
    path: '/platform/external-accounts',
    tag: TAG,
    summary: "List the platform's own external accounts",
    permission: 'VIEW',
    query: Closed({ currency: Type.Optional(Type.String()), ...pageQuery }),
    success: { 200: ExternalAccountListResponse },
    handle: async ({ platformId, query }) =>
      ok(await accountPage(db, platformId, 'PLATFORM', { currency: query.currency, customerId: undefined }, query)),
  }),
  operation({
    id: 'createPlatformExternalAccount',
    method: 'POST',
    path: '/platform/external-accounts',
    tag: TAG,
    summary: 'Add an external account of the platform',
    permission: 'MANAGE',
    body: PlatformExternalAccountCreateRequest,
    success: { 201: ExternalAccountSchema },
    errors: ['DUPLICATE_EXTERNAL_ACCOUNT', 'INVALID_BANK_ACCOUNT'],
    idempotency: 'optional',
    write: async (tx, { platformId, now, body }) =>
      answerCreated(await createExternalAccount(tx, platformId, now, 'PLATFORM', parseNewAccount(body, undefined))),
  }),
  ...sharedOperations({ db, ...deps }, 'PLATFORM', '/platform/external-accounts', {
    get: 'getPlatformExternalAccountById',
    remove: 'deletePlatformExternalAccountById',
    challenge: 'createPlatformExternalAccountOwnershipChallenge',
    verify: 'verifyPlatformExternalAccountOwnership',
  }),

  // ---- beyond the contract
  operation({
    id: 'listOwnershipProofs',
    method: 'GET',
    path: '/external-accounts/{externalAccountId}/ownership-proofs',
    tag: TAG,
    summary: 'List the ownership proofs of an account, also of a deleted one',
    permission: 'VIEW',
    query: Closed(pageQuery),
    success: { 200: OwnershipProofListResponse },
    errors: ['ACCOUNT_NOT_FOUND'],
    handle: async ({ platformId, params, query: { limit = 20, cursor } }) => {
      const id = accountId(params);
      const scope = ['listOwnershipProofs', platformId, id];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      return ok(renderPage(await listProofs(db, platformId, id, { limit, after }, scope), renderProof));
    },
  }),
  operation({
    id: 'sandboxConcludeLiveness',
    method: 'POST',
    path: '/sandbox/external-accounts/{externalAccountId}/liveness',
    tag: 'Sandbox',
    summary: 'Simulate the result of the open LIVENESS challenge: PASS or FAIL',
    permission: 'TRANSACT',
    sandbox: true,
    body: LivenessOutcomeRequest,
    success: { 200: ExternalAccountSchema },
    errors: ['ACCOUNT_NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, now, params, body }) =>
      ok(renderExternalAccount(await concludeLiveness(tx, platformId, now, accountId(params), body.outcome))),
  }),
];

type VerifyRequest = Request<AccountParams, unknown, Static<typeof OwnershipVerifyRequest>>;

function answerOf(outcome: AttemptOutcome | ApiError | undefined): Answer {
  assert(outcome, 'every attempt has an outcome');
  if (outcome instanceof ApiError) throw outcome;
  return outcome.refusal ? commitThenRefuse(outcome.refusal) : ok(renderExternalAccount(outcome.account));
}

type SharedIds = { readonly get: string; readonly remove: string; readonly challenge: string; readonly verify: string };

type BasePath = '/customers/external-accounts' | '/platform/external-accounts';

/**
 * The operations on one account, the same for both kinds of owner. An account of the other kind is not found, with one exception:
 * `POST /platform/external-accounts/{externalAccountId}/verify` is the path that the specification gives for every account.
 */
function sharedOperations({ db, verify, livenessLink }: RouteDeps, ownerScope: OwnerScope, base: BasePath, ids: SharedIds): Operation[] {
  const path = `${base}/{externalAccountId}` as const;
  const attemptOf = ({
    platformId,
    requestId,
    now,
    params,
    body: { signature, signatureScheme = 'bip137' },
  }: VerifyRequest): OwnershipAttempt => ({
    platformId,
    now,
    ownerScope: ownerScope === 'PLATFORM' ? 'ANY' : ownerScope,
    id: accountId(params),
    submission: { signature, signatureScheme },
    requestId,
  });
  return [
    operation({
      id: ids.get,
      method: 'GET',
      path,
      tag: TAG,
      summary: 'Get an external account',
      permission: 'VIEW',
      success: { 200: ExternalAccountSchema },
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: async ({ platformId, params }) =>
        ok(renderExternalAccount(await getExternalAccount(db, platformId, ownerScope, accountId(params)))),
    }),
    operation({
      id: ids.remove,
      method: 'DELETE',
      path,
      tag: TAG,
      summary: 'Delete an external account',
      permission: 'MANAGE',
      success: { 204: null },
      errors: ['ACCOUNT_NOT_FOUND', ...(ownerScope === 'CUSTOMER' ? (['BENEFICIARY_TRUSTED'] as const) : [])],
      write: async (tx, { platformId, now, params }) => {
        await removeExternalAccount(tx, platformId, now, ownerScope, accountId(params));
        return noContent();
      },
    }),
    operation({
      id: ids.challenge,
      method: 'POST',
      path: `${path}/challenge`,
      tag: TAG,
      summary: 'Start an ownership challenge, which replaces an open one',
      permission: 'MANAGE',
      body: OwnershipChallengeRequest,
      success: { 201: OwnershipChallengeSchema },
      errors: ['ACCOUNT_NOT_FOUND', 'CONFLICT', 'NOT_IMPLEMENTED'],
      idempotency: 'optional',
      write: async (tx, { platformId, now, params, body }) => {
        const { id, challenge } = await challengeOwnership(tx, platformId, now, ownerScope, accountId(params), body.method);
        const rendered = renderChallenge(challenge, (checkId) => livenessLink({ platformId, accountId: id, checkId }));
        return challenge.method === 'LIVENESS' ? createdSealed(rendered) : created(rendered);
      },
    }),
    operation({
      id: ids.verify,
      ungated: 'SHARES_STATEMENTS',
      method: 'POST',
      path: `${path}/verify`,
      tag: TAG,
      summary:
        ownerScope === 'PLATFORM'
          ? "Verify ownership of the platform's or a customer's account with a wallet signature"
          : 'Verify ownership with a wallet signature',
      permission: 'MANAGE',
      body: OwnershipVerifyRequest,
      success: { 200: ExternalAccountSchema },
      errors: ['ACCOUNT_NOT_FOUND', 'CONFLICT'],
      idempotency: 'optional',
      handle: async (request) => answerOf(await verify(attemptOf(request))),
      write: async (tx, request) => answerOf((await attemptOwnerships(tx, [attemptOf(request)]))[0]),
    }),
  ];
}

type PageQuery = { readonly limit?: number; readonly cursor?: string };

async function accountPage(
  db: Db,
  platformId: PlatformId,
  ownerScope: OwnerScope,
  filter: AccountFilter,
  { limit = 20, cursor }: PageQuery,
) {
  const scope = ['externalAccounts', platformId, ownerScope, filter.currency, filter.customerId];
  const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
  return renderPage(await listExternalAccounts(db, platformId, ownerScope, filter, { limit, after }, scope), renderExternalAccount);
}
