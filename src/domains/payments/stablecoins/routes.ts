// Provider accounts, stablecoins, and the operations that mint and burn them.
import Type from 'typebox';
import { created, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, Described, pageQuery } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { type IssuerDeps, linkAccount, revokeLink, verifyAccount } from './links.js';
import { getLink, listLinks } from './links-store.js';
import {
  OperationTypeSchema,
  parseBurn,
  parseMint,
  renderOperation,
  StablecoinBurnRequest,
  StablecoinMintRequest,
  StablecoinOperationListResponse,
  StablecoinOperationSchema,
} from './operation-schemas.js';
import { getOperation, listOperations } from './operations-store.js';
import { beginOrder, type OrderDeps } from './orders.js';
import { findToken, registerStablecoin, requestEnablement } from './register.js';
import {
  GridStatusSchema,
  IssuanceStatusSchema,
  LinkStatusSchema,
  ProviderSchema,
  renderLink,
  renderStablecoin,
  StablecoinListResponse,
  StablecoinProviderAccount,
  StablecoinProviderAccountLinkRequest,
  StablecoinProviderAccountListResponse,
  StablecoinRegisterRequest,
  StablecoinSchema,
} from './schemas.js';
import type { Stablecoin, StablecoinOperation } from './stablecoin.js';
import { getStablecoin, listStablecoins } from './store.js';

const tag = 'Stablecoins';
const linkId = (params: { readonly stablecoinProviderAccountId: string }) =>
  parseId('StablecoinProviderAccount', params.stablecoinProviderAccountId);
const stablecoinId = (params: { readonly stablecoinId: string }) => parseId('Stablecoin', params.stablecoinId);

const ACCOUNT_CODES = [
  'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND',
  'STABLECOIN_PROVIDER_ACCOUNT_REVOKED',
  'STABLECOIN_PROVIDER_ACCOUNT_INVALID',
  'STABLECOIN_PROVIDER_ERROR',
] as const;

const ORDER_CODES = [
  ...ACCOUNT_CODES,
  'STABLECOIN_NOT_FOUND',
  'STABLECOIN_NOT_PROVISIONED',
  'STABLECOIN_EXTERNAL_ACCOUNT_NOT_FOUND',
  'STABLECOIN_EXTERNAL_ACCOUNT_NOT_SUPPORTED',
  'STABLECOIN_EXTERNAL_ACCOUNT_NOT_LINKED',
  'STABLECOIN_EXTERNAL_ACCOUNT_PROVIDER_LINK_FAILED',
  'STABLECOIN_AMOUNT_NOT_REPRESENTABLE',
  'AMOUNT_OUT_OF_RANGE',
] as const;

export const stablecoinRoutes = (deps: OrderDeps): Operation[] => [...linkRoutes(deps), ...coinRoutes(deps), ...orderRoutes(deps)];

const linkRoutes = (deps: IssuerDeps): Operation[] => [
  operation({
    id: 'linkStablecoinProviderAccount',
    method: 'POST',
    path: '/stablecoin-provider-accounts',
    command: 'stablecoin-provider-accounts link',
    tag,
    summary: 'Link your account at the stablecoin issuer',
    description:
      'The provider verifies the credentials first. They are stored encrypted and shown in no answer. Linking a revoked or invalid account again makes it active under the same id; linking an active one is a conflict.',
    permission: 'MANAGE',
    body: StablecoinProviderAccountLinkRequest,
    success: { 201: StablecoinProviderAccount },
    errors: ['STABLECOIN_VERIFICATION_FAILED', 'STABLECOIN_PROVIDER_ERROR'],
    idempotency: 'required',
    begin: async ({ platformId, now, body }) => {
      const accountId = await verifyAccount(deps, body);
      return async (tx) => created(renderLink(await linkAccount(tx, deps, platformId, body, accountId, now)));
    },
  }),
  operation({
    id: 'listStablecoinProviderAccounts',
    method: 'GET',
    path: '/stablecoin-provider-accounts',
    tag,
    summary: 'List linked provider accounts, the newest first',
    description: 'Revoked links stay in the list.',
    permission: 'VIEW',
    query: Closed({
      provider: Type.Optional(Described(ProviderSchema, 'Only links to this provider.')),
      status: Type.Optional(Described(LinkStatusSchema, 'Only links with this status.')),
      ...pageQuery,
    }),
    success: { 200: StablecoinProviderAccountListResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, ...filter } }) => {
      const scope = ['listStablecoinProviderAccounts', platformId, filter];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      return ok(renderPage(await listLinks(deps.db, platformId, filter, { limit, after }, scope), renderLink));
    },
  }),
  operation({
    id: 'getStablecoinProviderAccount',
    method: 'GET',
    path: '/stablecoin-provider-accounts/{stablecoinProviderAccountId}',
    tag,
    summary: 'Get a linked provider account',
    description: '`INVALID`: the provider rejected the stored credentials. Link the account again with new ones.',
    permission: 'VIEW',
    success: { 200: StablecoinProviderAccount },
    errors: ['STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND'],
    handle: async ({ platformId, params }) => ok(renderLink(await getLink(deps.db, platformId, linkId(params)))),
  }),
  operation({
    id: 'revokeStablecoinProviderAccount',
    method: 'DELETE',
    path: '/stablecoin-provider-accounts/{stablecoinProviderAccountId}',
    command: 'stablecoin-provider-accounts revoke',
    tag,
    summary: 'Revoke a linked provider account',
    description:
      'New orders with the account are refused. Open ones run to their end, and the credentials are destroyed with the last of them. Revoking again changes nothing.',
    permission: 'MANAGE',
    success: { 204: null },
    errors: ['STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND'],
    write: async (tx, { platformId, now, params }) => {
      await revokeLink(tx, platformId, linkId(params), now);
      return noContent();
    },
  }),
];

const coinRoutes = (deps: IssuerDeps): Operation[] => {
  const facts = { provider: 'EXTERNAL_ISSUER', environment: deps.environment } as const;
  const render = (stablecoin: Stablecoin) => renderStablecoin(stablecoin, facts);
  return [
    operation({
      id: 'registerStablecoin',
      method: 'POST',
      path: '/stablecoins',
      command: 'stablecoins register',
      tag,
      summary: 'Register a token that exists at the issuer',
      description:
        'No token is created: the provider is asked for it and says its name, symbol, decimals and how far its issuance is. Token and symbol are registered once on a platform.',
      permission: 'MANAGE',
      body: StablecoinRegisterRequest,
      success: { 201: StablecoinSchema },
      errors: [
        ...ACCOUNT_CODES,
        'STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED',
        'STABLECOIN_VERIFICATION_FAILED',
        'STABLECOIN_TOKEN_IDENTIFIER_ALREADY_EXISTS',
        'STABLECOIN_SYMBOL_ALREADY_EXISTS',
      ],
      idempotency: 'required',
      begin: async ({ platformId, now, body }) => {
        const found = await findToken(deps, platformId, body, now);
        return async (tx) => created(render(registerStablecoin(tx, platformId, body, found, now)));
      },
    }),
    operation({
      id: 'listStablecoins',
      method: 'GET',
      path: '/stablecoins',
      tag,
      summary: 'List stablecoins, the newest first',
      description: 'All filters that are given must match.',
      permission: 'VIEW',
      query: Closed({
        issuanceStatus: Type.Optional(Described(IssuanceStatusSchema, 'Only stablecoins with this status of issuance.')),
        gridOperationsStatus: Type.Optional(Described(GridStatusSchema, 'Only stablecoins with this status of enablement.')),
        provider: Type.Optional(Described(ProviderSchema, 'Only stablecoins of this provider.')),
        ...pageQuery,
      }),
      success: { 200: StablecoinListResponse },
      handle: async ({ platformId, query: { limit = 20, cursor, ...filter } }) => {
        const scope = ['listStablecoins', platformId, filter];
        const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
        return ok(renderPage(await listStablecoins(deps.db, platformId, filter, { limit, after }, scope), render));
      },
    }),
    operation({
      id: 'getStablecoin',
      method: 'GET',
      path: '/stablecoins/{stablecoinId}',
      tag,
      summary: 'Get a stablecoin',
      description: 'It can be minted and burned once its `issuanceStatus` is `PROVISIONED`.',
      permission: 'VIEW',
      success: { 200: StablecoinSchema },
      errors: ['STABLECOIN_NOT_FOUND'],
      handle: async ({ platformId, params }) => ok(render(await getStablecoin(deps.db, platformId, stablecoinId(params)))),
    }),
    operation({
      id: 'requestStablecoinGridEnablement',
      method: 'POST',
      path: '/stablecoins/{stablecoinId}/request-grid-enablement',
      tag,
      summary: 'Request that the service handles the stablecoin as a currency',
      description:
        'The request waits for approval; repeating it meanwhile changes nothing. The sandbox approves within two minutes of its clock. Minting and burning do not need it.',
      permission: 'MANAGE',
      success: { 200: StablecoinSchema },
      errors: ['STABLECOIN_NOT_FOUND', 'STABLECOIN_GRID_ENABLEMENT_NOT_REQUESTABLE'],
      write: async (tx, { platformId, now, params }) =>
        ok(render(await requestEnablement(tx, deps, platformId, stablecoinId(params), now))),
    }),
  ];
};

const orderRoutes = (deps: OrderDeps): Operation[] => {
  const facts = { provider: 'EXTERNAL_ISSUER', environment: deps.environment } as const;
  const render = (item: StablecoinOperation) => renderOperation(item, facts);
  return [
    operation({
      id: 'createStablecoinMint',
      method: 'POST',
      path: '/stablecoins/{stablecoinId}/mints',
      command: 'stablecoins mint',
      tag,
      summary: 'Mint tokens',
      description:
        'Orders tokens for dollars that are wired or debited. A wire answers with `fundingInstructions` and must arrive before `expiresAt`. No events are sent: read the operation until it has ended. If the provider cannot be reached, the answer is 503 and nothing was ordered.',
      permission: 'TRANSACT',
      body: StablecoinMintRequest,
      success: { 201: StablecoinOperationSchema },
      errors: [...ORDER_CODES, 'STABLECOIN_OPERATION_NOT_SUPPORTED', 'STABLECOIN_GRID_OPERATIONS_NOT_ENABLED'],
      idempotency: 'required',
      begin: async ({ platformId, now, params, body }, attempt) =>
        beginOrder(deps, { platformId, stablecoinId: stablecoinId(params), draft: parseMint(body), attempt, now }, render),
    }),
    operation({
      id: 'createStablecoinBurn',
      method: 'POST',
      path: '/stablecoins/{stablecoinId}/burns',
      command: 'stablecoins burn',
      tag,
      summary: 'Burn tokens for dollars',
      description:
        'The tokens are sent to the address of the `fundingInstructions` or taken from the balance at the provider. The dollars go to a bank account, or to a USD account in the service as an incoming transaction. No events are sent about the operation itself: read it until it has ended.',
      permission: 'TRANSACT',
      body: StablecoinBurnRequest,
      success: { 201: StablecoinOperationSchema },
      errors: [...ORDER_CODES, 'STABLECOIN_BURN_SOURCE_NOT_SUPPORTED', 'ACCOUNT_NOT_FOUND'],
      idempotency: 'required',
      begin: async ({ platformId, now, params, body }, attempt) =>
        beginOrder(deps, { platformId, stablecoinId: stablecoinId(params), draft: parseBurn(body), attempt, now }, render),
    }),
    operation({
      id: 'listStablecoinOperations',
      method: 'GET',
      path: '/stablecoins/{stablecoinId}/operations',
      tag,
      summary: 'List mints and burns of a stablecoin, the newest first',
      description: 'Operations that have ended stay in the list.',
      permission: 'VIEW',
      query: Closed({ operationType: Type.Optional(Described(OperationTypeSchema, 'Only mints, or only burns.')), ...pageQuery }),
      success: { 200: StablecoinOperationListResponse },
      errors: ['STABLECOIN_NOT_FOUND'],
      handle: async ({ platformId, params, query: { limit = 20, cursor, operationType } }) => {
        const { id } = await getStablecoin(deps.db, platformId, stablecoinId(params));
        const filter = { stablecoinId: id, operationType };
        const scope = ['listStablecoinOperations', platformId, filter];
        const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
        return ok(renderPage(await listOperations(deps.db, platformId, filter, { limit, after }, scope), render));
      },
    }),
    operation({
      id: 'getStablecoinOperation',
      method: 'GET',
      path: '/stablecoin-operations/{stablecoinOperationId}',
      tag,
      summary: 'Get a mint or burn',
      description: '`COMPLETED`, `FAILED` and `EXPIRED` are final. `CREATED` is seen only while the answer of the provider is missing.',
      permission: 'VIEW',
      success: { 200: StablecoinOperationSchema },
      errors: ['STABLECOIN_OPERATION_NOT_FOUND'],
      handle: async ({ platformId, params }) =>
        ok(render(await getOperation(deps.db, platformId, parseId('StablecoinOperation', params.stablecoinOperationId)))),
    }),
  ];
};
