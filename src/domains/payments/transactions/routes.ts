// Transactions of every kind: reading, deciding, cancelling and confirming them.
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { ApiError, invalidField } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, type Page, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { timestamp } from '../../../kernel/time.js';
import { findTransaction, listTransactions, type TransactionFilter } from '../../cards/authorizations/actions.js';
import type { CardTransaction } from '../../cards/authorizations/card-transaction.js';
import { renderCardTransaction } from '../../cards/authorizations/schemas.js';
import { asOf, findPayment, type IncomingDeps } from '../payments/actions.js';
import { IncomingTransaction } from '../payments/payment-schemas.js';
import { renderPayment } from '../payments/schemas.js';
import { approvePayment, cancelTransaction, confirmReceipt, playBank, rejectPayment } from './actions.js';
import {
  ApprovePaymentRequest,
  CancelTransactionRequest,
  ConfirmReceiptDeliveryRequest,
  RejectPaymentRequest,
  SandboxRailEvent,
  TransactionListResponse,
  TransactionQuery,
  TransactionSchema,
} from './schemas.js';

const TAG = 'Transactions';

const transactionId = ({ transactionId: id }: { readonly transactionId: string }) => parseId('Transaction', id);

export const transactionRoutes = (deps: IncomingDeps & { readonly db: Db }): Operation[] => [...readRoutes(deps), ...changeRoutes(deps)];

const readRoutes = ({ db }: { readonly db: Db }): Operation[] => [
  operation({
    id: 'listTransactions',
    method: 'GET',
    path: '/transactions',
    tag: TAG,
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
    tag: TAG,
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

const changeRoutes = (deps: IncomingDeps): Operation[] => [
  operation({
    id: 'approvePendingPayment',
    method: 'POST',
    path: '/transactions/{transactionId}/approve',
    tag: TAG,
    summary: 'Approve an incoming payment',
    description:
      'Takes an incoming payment that waits for the decision of the platform. The first decision counts, whether it comes from this call, from the answer to the webhook or from `reject`. A mandatory field of the receiver that is missing leaves the payment waiting.',
    permission: 'TRANSACT',
    body: ApprovePaymentRequest,
    bodyOptional: true,
    success: { 200: IncomingTransaction },
    errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL', 'MISSING_MANDATORY_USER_INFO'],
    write: async (tx, { platformId, params, body, now }) =>
      ok(
        renderPayment(
          platformId,
          await approvePayment(deps, tx, { platformId, id: transactionId(params), now }, body?.receiverCustomerInfo ?? {}),
        ),
      ),
  }),
  operation({
    id: 'rejectPendingPayment',
    method: 'POST',
    path: '/transactions/{transactionId}/reject',
    tag: TAG,
    summary: 'Reject an incoming payment',
    description: 'Refuses an incoming payment that waits for the decision of the platform. No money moves, and the sender is told.',
    permission: 'TRANSACT',
    body: RejectPaymentRequest,
    bodyOptional: true,
    success: { 200: IncomingTransaction },
    errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL'],
    write: async (tx, { platformId, params, now }) =>
      ok(renderPayment(platformId, await rejectPayment(deps, tx, { platformId, id: transactionId(params), now }))),
  }),
  operation({
    id: 'cancelTransaction',
    method: 'POST',
    path: '/transactions/{transactionId}/cancel',
    tag: TAG,
    summary: 'Cancel a bank transfer',
    description:
      'Stops a transfer over ACH, ACH_SAME_DAY or WIRE that has not settled. A payout keeps its status until the refund is paid and then ends COMPLETED with `refund.reason` USER_CANCELLATION; a debit ends FAILED and credits nothing.',
    permission: 'TRANSACT',
    body: CancelTransactionRequest,
    bodyOptional: true,
    success: { 200: TransactionSchema },
    errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_NOT_CANCELLABLE'],
    write: async (tx, { platformId, params, now }) =>
      ok(renderPayment(platformId, await cancelTransaction(deps, tx, { platformId, id: transactionId(params), now }))),
  }),
  operation({
    id: 'confirmReceiptDelivery',
    method: 'POST',
    path: '/transactions/{transactionId}/confirm',
    tag: TAG,
    summary: 'Confirm that the receipt was delivered',
    description: 'Stores when the receipt of a completed payment reached its receiver. A further call replaces the time.',
    permission: 'TRANSACT',
    body: ConfirmReceiptDeliveryRequest,
    bodyOptional: true,
    success: { 200: TransactionSchema },
    errors: ['TRANSACTION_NOT_FOUND'],
    write: async (tx, { platformId, params, body, now }) => {
      const at = body?.receiptDeliveryConfirmedAt;
      const confirmedAt = at === undefined ? now : timestamp(at);
      return ok(renderPayment(platformId, await confirmReceipt(tx, { platformId, id: transactionId(params), now }, confirmedAt)));
    },
  }),
  operation({
    id: 'sandboxRailEvent',
    method: 'POST',
    path: '/sandbox/transactions/{transactionId}/rail-event',
    tag: 'Sandbox',
    summary: 'Simulate what a bank does after settlement',
    description:
      'Plays a return, the dishonor of a return, its contest, or a reversal on an ACH payment. An extension of this service. An event that cannot follow the present status of the rail is refused.',
    permission: 'TRANSACT',
    sandbox: true,
    body: SandboxRailEvent,
    success: { 200: TransactionSchema },
    errors: ['TRANSACTION_NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, params, body, now }) =>
      ok(renderPayment(platformId, await playBank(deps, tx, { platformId, id: transactionId(params), now }, body.event))),
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
