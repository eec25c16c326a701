// Accounts as agents see them: those of their customer, and of these the ones that the policy allows.
import type { Db } from '../../../db/pool.js';
import { noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { type CustomerId, type ExternalAccountId, type PlatformId, parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import {
  createExternalAccount,
  getExternalAccount,
  listExternalAccounts,
  removeExternalAccount,
} from '../../accounts/external-accounts/actions.js';
import type { ExternalAccount } from '../../accounts/external-accounts/external-account.js';
import {
  answerCreated,
  ExternalAccountCreateRequest,
  ExternalAccountListResponse,
  ExternalAccountSchema,
  parseNewAccount,
  renderExternalAccount,
} from '../../accounts/external-accounts/schemas.js';
import { listCustomerAccounts } from '../../accounts/internal-accounts/actions.js';
import type { CardCapabilitiesFor } from '../../accounts/internal-accounts/internal-account.js';
import { InternalAccountListResponse, renderInternalAccount } from '../../accounts/internal-accounts/schemas.js';
import { getCaller } from '../agents/actions.js';
import { ExternalAccountQuery, InternalAccountQuery } from './schemas.js';

const TAG = 'Agent Operations';

export type AccountRouteDeps = { readonly db: Db; readonly cardCapabilitiesFor: CardCapabilitiesFor };

const accountId = (params: { readonly externalAccountId: string }) => parseId('ExternalAccount', params.externalAccountId);

/** Accounts of the platform and of other customers are not found. */
async function getOwn(
  tx: Parameters<typeof getExternalAccount>[0],
  platformId: PlatformId,
  customerId: CustomerId,
  id: ExternalAccountId | undefined,
): Promise<ExternalAccount> {
  const account = await getExternalAccount(tx, platformId, 'CUSTOMER', id);
  if (account.customerId !== customerId) throw new ApiError('ACCOUNT_NOT_FOUND');
  return account;
}

export const accountRoutes = ({ db, cardCapabilitiesFor }: AccountRouteDeps): Operation[] => [
  operation({
    id: 'agentListInternalAccounts',
    method: 'GET',
    path: '/agents/me/internal-accounts',
    tag: TAG,
    summary: "List the customer's internal accounts",
    description:
      "Lists the internal accounts of the agent's customer with their balances. Accounts that the policy does not allow are left out.",
    permission: 'AGENT',
    agentPermission: 'VIEW_TRANSACTIONS',
    query: InternalAccountQuery,
    success: { 200: InternalAccountListResponse },
    handle: async ({ platformId, caller: { agentId, customerId }, query: { limit = 20, cursor, ...filter } }) => {
      const { policy } = await getCaller(db, platformId, agentId);
      const allowed = policy.accountRestrictions?.allowedAccountIds ?? undefined;
      const ids = allowed?.flatMap((id) => parseId('InternalAccount', id) ?? []);
      const scope = ['agentListInternalAccounts', platformId, agentId, filter];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const page = await listCustomerAccounts(db, platformId, { ...filter, customerId, ...(ids && { ids }) }, { limit, after }, scope);
      return ok(renderPage(page, (account) => renderInternalAccount(account, cardCapabilitiesFor)));
    },
  }),
  operation({
    id: 'agentListExternalAccounts',
    method: 'GET',
    path: '/agents/me/external-accounts',
    tag: TAG,
    summary: "List the customer's external accounts",
    description: "Lists the external accounts of the agent's customer, newest first.",
    permission: 'AGENT',
    agentPermission: 'MANAGE_EXTERNAL_ACCOUNTS',
    query: ExternalAccountQuery,
    success: { 200: ExternalAccountListResponse },
    handle: async ({ platformId, caller: { agentId, customerId }, query: { limit = 20, cursor, currency } }) => {
      const scope = ['agentListExternalAccounts', platformId, agentId, currency];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const page = await listExternalAccounts(db, platformId, 'CUSTOMER', { currency, customerId }, { limit, after }, scope);
      return ok(renderPage(page, renderExternalAccount));
    },
  }),
  operation({
    id: 'agentCreateExternalAccount',
    method: 'POST',
    path: '/agents/me/external-accounts',
    tag: TAG,
    summary: 'Add an external account of the customer',
    description:
      "Adds an external account of the agent's customer, with the checks of `POST /customers/external-accounts`. `customerId` may be left out.",
    permission: 'AGENT',
    agentPermission: 'MANAGE_EXTERNAL_ACCOUNTS',
    body: ExternalAccountCreateRequest,
    success: { 201: ExternalAccountSchema },
    errors: ['DUPLICATE_EXTERNAL_ACCOUNT', 'INVALID_BANK_ACCOUNT'],
    write: async (tx, { platformId, caller: { customerId }, body, now }) => {
      if (body.customerId !== undefined && body.customerId !== customerId) throw invalidField('customerId', "must be the agent's customer");
      const request = parseNewAccount(body, customerId);
      // An account of another customer may have the platformAccountId: the refusal does not name it.
      return answerCreated(await createExternalAccount(tx, platformId, now, 'CUSTOMER', request, 'OWNER'));
    },
  }),
  operation({
    id: 'agentGetExternalAccount',
    method: 'GET',
    path: '/agents/me/external-accounts/{externalAccountId}',
    tag: TAG,
    summary: 'Get an external account',
    description: "Shows an external account of the agent's customer.",
    permission: 'AGENT',
    agentPermission: 'MANAGE_EXTERNAL_ACCOUNTS',
    success: { 200: ExternalAccountSchema },
    errors: ['ACCOUNT_NOT_FOUND'],
    handle: async ({ platformId, caller: { customerId }, params }) =>
      ok(renderExternalAccount(await getOwn(db, platformId, customerId, accountId(params)))),
  }),
  operation({
    id: 'agentDeleteExternalAccount',
    method: 'DELETE',
    path: '/agents/me/external-accounts/{externalAccountId}',
    tag: TAG,
    summary: 'Delete an external account',
    description: "Deletes an external account of the agent's customer. A trusted beneficiary cannot be deleted.",
    permission: 'AGENT',
    agentPermission: 'MANAGE_EXTERNAL_ACCOUNTS',
    success: { 204: null },
    errors: ['ACCOUNT_NOT_FOUND', 'BENEFICIARY_TRUSTED'],
    write: async (tx, { platformId, caller: { customerId }, params, now }) => {
      const { id } = await getOwn(tx, platformId, customerId, accountId(params));
      await removeExternalAccount(tx, platformId, now, 'CUSTOMER', id);
      return noContent();
    },
  }),
];
