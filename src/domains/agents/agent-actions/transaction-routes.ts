// Transactions as agents see them: all of their customer, and of these the ones that touch an account which the policy allows.
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { timestamp } from '../../../kernel/time.js';
import { TransactionSchema } from '../../payments/payments/payment-schemas.js';
import { getTransaction, listTransactions, renderListed } from '../../payments/transactions/actions.js';
import { TransactionListResponse } from '../../payments/transactions/schemas.js';
import { getCaller } from '../agents/actions.js';
import { isTransactionSeen } from './rules.js';
import { AgentTransactionQuery } from './schemas.js';

const TAG = 'Agent Operations';

const momentOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : timestamp(text));

export const transactionRoutes = ({ db, isSandbox }: { readonly db: Db; readonly isSandbox: boolean }): Operation[] => [
  operation({
    id: 'agentListTransactions',
    method: 'GET',
    path: '/agents/me/transactions',
    tag: TAG,
    summary: "List the customer's transactions",
    description:
      "Lists the transactions of the agent's customer, also those that the agent did not start. With allowed accounts in the policy, only those " +
      'that touch one of them.',
    permission: 'AGENT',
    agentPermission: 'VIEW_TRANSACTIONS',
    query: AgentTransactionQuery,
    success: { 200: TransactionListResponse },
    handle: async ({ platformId, caller, now, query: { limit = 20, cursor, sortOrder = 'desc', startDate, endDate, ...query } }) => {
      if (query.status !== undefined && query.type === 'CARD') throw invalidField('status', 'does not filter card transactions');
      const { agentId, customerId } = caller;
      const { policy } = await getCaller(db, platformId, agentId);
      const scope = ['agentListTransactions', platformId, agentId, sortOrder, query, startDate, endDate];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const among = policy.accountRestrictions?.allowedAccountIds ?? undefined;
      const filter = { ...query, customerId, among, from: momentOf(startDate), to: momentOf(endDate) };
      const page = await listTransactions(db, { platformId, isSandbox, now, filter, page: { limit, after }, sortOrder, scope });
      return ok(renderPage(page, (listed) => renderListed(platformId, listed, now)));
    },
  }),
  operation({
    id: 'agentGetTransaction',
    method: 'GET',
    path: '/agents/me/transactions/{transactionId}',
    tag: TAG,
    summary: 'Get a transaction',
    description: "Shows a transaction of the agent's customer that touches an account which the policy allows.",
    permission: 'AGENT',
    agentPermission: 'VIEW_TRANSACTIONS',
    success: { 200: TransactionSchema },
    errors: ['TRANSACTION_NOT_FOUND'],
    handle: async ({ platformId, caller: { agentId, customerId }, params, now }) => {
      const { policy } = await getCaller(db, platformId, agentId);
      const listed = await getTransaction(db, platformId, parseId('Transaction', params.transactionId));
      if (!isTransactionSeen(listed, customerId, policy)) throw new ApiError('TRANSACTION_NOT_FOUND');
      return ok(renderListed(platformId, listed, now));
    },
  }),
];
