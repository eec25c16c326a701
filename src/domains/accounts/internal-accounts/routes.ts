// Operations on internal accounts, and sandbox deposits.
import Type from 'typebox';
import type { Db } from '../../../db/pool.js';
import { created, type Operation, ok, operation } from '../../../http/operation.js';
import { Closed, pageQuery } from '../../../http/schemas.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import type { DepositProvider } from '../../../providers/deposits.js';
import { createInternalAccount, type DepositDeps, receiveDeposit } from './actions.js';
import type { InternalAccount } from './internal-account.js';
import {
  InternalAccountCreateRequest,
  InternalAccountDetails,
  InternalAccountListResponse,
  InternalAccountSchema,
  InternalAccountTypeSchema,
  PlatformInternalAccountListResponse,
  renderInternalAccount,
  renderInternalAccountDetails,
  SandboxFundRequest,
} from './schemas.js';
import { getInternalAccount, listCustomerAccounts, listPlatformAccounts } from './store.js';

export type InternalAccountDeps = DepositDeps & { readonly db: Db; readonly deposits: DepositProvider };

const filters = { currency: Type.Optional(Type.String()), type: Type.Optional(InternalAccountTypeSchema) };

export const internalAccountRoutes = (deps: InternalAccountDeps): Operation[] => {
  const { db, cardCapabilitiesFor } = deps;
  const render = (account: InternalAccount) => renderInternalAccount(account, cardCapabilitiesFor);
  return [
    operation({
      id: 'listCustomerInternalAccounts',
      method: 'GET',
      path: '/customers/internal-accounts',
      tag: 'Internal Accounts',
      summary: "List customers' internal accounts",
      permission: 'VIEW',
      query: Closed({ ...filters, customerId: Type.Optional(Type.String()), ...pageQuery }),
      success: { 200: InternalAccountListResponse },
      handle: async ({ platformId, query: { limit = 20, cursor, ...filter } }) => {
        const scope = ['listCustomerInternalAccounts', platformId, filter];
        const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
        return ok(renderPage(await listCustomerAccounts(db, platformId, filter, { limit, after }, scope), render));
      },
    }),
    operation({
      id: 'listPlatformInternalAccounts',
      method: 'GET',
      path: '/platform/internal-accounts',
      tag: 'Internal Accounts',
      summary: "List the platform's own internal accounts",
      permission: 'VIEW',
      query: Closed(filters),
      success: { 200: PlatformInternalAccountListResponse },
      handle: async ({ platformId, query }) => ok({ data: (await listPlatformAccounts(db, platformId, query)).map(render) }),
    }),
    operation({
      id: 'getInternalAccount',
      method: 'GET',
      path: '/internal-accounts/{id}',
      tag: 'Internal Accounts',
      summary: 'Get an internal account',
      description:
        'Returns an internal account of a customer or of the platform, with its balances and with what its holder owes (`amountOwed`). An extension of this service: the lists do not show debts.',
      permission: 'VIEW',
      success: { 200: InternalAccountDetails },
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: async ({ platformId, params }) => {
        const account = await getInternalAccount(db, platformId, parseId('InternalAccount', params.id));
        return ok(renderInternalAccountDetails(account, cardCapabilitiesFor));
      },
    }),
    operation({
      id: 'createInternalAccount',
      method: 'POST',
      path: '/internal-accounts',
      tag: 'Internal Accounts',
      summary: 'Create a rule-based account',
      permission: 'MANAGE',
      body: InternalAccountCreateRequest,
      success: { 200: InternalAccountSchema, 201: InternalAccountSchema },
      errors: ['CUSTOMER_NOT_FOUND', 'ACCOUNT_NOT_FOUND'],
      idempotency: 'optional',
      write: async (tx, { platformId, now, body }) =>
        created(render(await createInternalAccount(tx, deps, { platformId, now, draft: body }))),
    }),
    operation({
      id: 'sandboxFundInternalAccount',
      method: 'POST',
      path: '/sandbox/internal-accounts/{accountId}/fund',
      tag: 'Sandbox',
      summary: 'Simulate a deposit to an internal account',
      permission: 'TRANSACT',
      sandbox: true,
      body: SandboxFundRequest,
      success: { 200: InternalAccountSchema },
      errors: ['ACCOUNT_NOT_FOUND', 'AMOUNT_OUT_OF_RANGE'],
      idempotency: 'optional',
      write: async (tx, { platformId, now, params, body }) => {
        const deposit = {
          platformId,
          accountId: parseId('InternalAccount', params.accountId),
          amount: BigInt(body.amount),
          description: body.description,
          remittanceInformation: body.remittanceInformation,
          now,
        };
        return ok(render(await receiveDeposit(tx, deps, deposit)));
      },
    }),
  ];
};
