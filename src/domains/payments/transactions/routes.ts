// Transactions of every kind, as platforms read them.
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, type Page, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { timestamp } from '../../../kernel/time.js';
import { findTransaction, listTransactions, type TransactionFilter } from '../../cards/authorizations/actions.js';
import type { CardTransaction } from '../../cards/authorizations/card-transaction.js';
import { renderCardTransaction } from '../../cards/authorizations/schemas.js';
import { asOf, findPayment } from '../payments/actions.js';
import { renderPayment } from '../payments/schemas.js';
import { TransactionListResponse, TransactionQuery, TransactionSchema } from './schemas.js';

export const transactionRoutes = ({ db }: { readonly db: Db }): Operation[] => [
  operation({
    id: 'listTransactions',
    method: 'GET',
    path: '/transactions',
    tag: 'Transactions',
    summary: 'List transactions',
    permission: 'VIEW',
    query: TransactionQuery,
    success: { 200: TransactionListResponse },
    handle: async ({ platformId, query: { limit = 20, cursor, sortOrder = 'desc', ...query } }) => {
      if (query.status !== undefined && (query.type === 'CARD' || query.cardId !== undefined))
        throw invalidField('status', 'does not filter card transactions');
      const scope = ['listTransactions', platformId, sortOrder, query];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const filter = filterOf(query);
      const page: Page<CardTransaction> = filter
        ? await listTransactions(db, platformId, filter, { limit, ...(after === undefined ? {} : { after }) }, sortOrder, scope)
        : { items: [], totalCount: 0 };
      return ok(renderPage(page, renderCardTransaction));
    },
  }),
  operation({
    id: 'getTransactionById',
    method: 'GET',
    path: '/transactions/{transactionId}',
    tag: 'Transactions',
    summary: 'Get a transaction',
    permission: 'VIEW',
    success: { 200: TransactionSchema },
    errors: ['TRANSACTION_NOT_FOUND'],
    handle: async ({ platformId, params, now }) => {
      const id = parseId('Transaction', params.transactionId);
      const [payment, purchase] = id ? await Promise.all([findPayment(db, platformId, id), findTransaction(db, platformId, id)]) : [];
      if (payment) return ok(renderPayment(platformId, asOf(payment, now)));
      if (!purchase) throw new ApiError('TRANSACTION_NOT_FOUND');
      return ok(renderCardTransaction(purchase));
    },
  }),
];

type Query = Record<Exclude<keyof (typeof TransactionQuery)['properties'], 'limit' | 'cursor' | 'sortOrder'>, string | undefined>;

/** Undefined when no card transaction can match: other kinds of transaction, or an id that names nothing. */
function filterOf(query: Partial<Query>): TransactionFilter | undefined {
  if (query.status !== undefined || query.type === 'INCOMING' || query.type === 'OUTGOING') return undefined;
  const cardId = query.cardId === undefined ? undefined : parseId('Card', query.cardId);
  const customerId = query.customerId === undefined ? undefined : parseId('Customer', query.customerId);
  // Money of a purchase leaves the account, money of a credit reaches it.
  const named = [query.accountIdentifier, query.senderAccountIdentifier, query.receiverAccountIdentifier].filter(
    (name) => name !== undefined,
  );
  const accountId = named.length === 0 ? undefined : parseId('InternalAccount', named[0] as string);
  if (query.cardId !== undefined && !cardId) return undefined;
  if (query.customerId !== undefined && !customerId) return undefined;
  if (named.length > 0 && !accountId) return undefined;
  if (named.some((name) => name !== named[0]) || (query.senderAccountIdentifier && query.receiverAccountIdentifier)) return undefined;
  return {
    cardId,
    customerId,
    platformCustomerId: query.platformCustomerId,
    accountId,
    direction: query.senderAccountIdentifier ? 'DEBIT' : query.receiverAccountIdentifier ? 'CREDIT' : undefined,
    reference: query.reference,
    from: query.startDate === undefined ? undefined : timestamp(query.startDate),
    to: query.endDate === undefined ? undefined : timestamp(query.endDate),
  };
}
