// Transactions of every kind: reading, deciding, cancelling and confirming them.
import type { Db } from '../../../db/pool.js';
import { type Operation, ok, operation } from '../../../http/operation.js';
import { invalidField } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { decodeCursor, renderPage, UUID_KEY } from '../../../kernel/page.js';
import { timestamp } from '../../../kernel/time.js';
import { TransactionSchema } from '../payments/payment-schemas.js';
import { renderPayment } from '../payments/schemas.js';
import {
  approvePayment,
  cancelTransaction,
  confirmReceipt,
  type DecisionDeps,
  getTransaction,
  listTransactions,
  playBank,
  rejectPayment,
  renderListed,
} from './actions.js';
import {
  ApprovePaymentRequest,
  CancelTransactionRequest,
  ConfirmReceiptDeliveryRequest,
  RejectPaymentRequest,
  SandboxRailEvent,
  TransactionListResponse,
  TransactionQuery,
} from './schemas.js';

const TAG = 'Transactions';

const transactionId = ({ transactionId: id }: { readonly transactionId: string }) => parseId('Transaction', id);

type ReadDeps = { readonly db: Db; readonly isSandbox: boolean };

export const transactionRoutes = (deps: DecisionDeps & ReadDeps): Operation[] => [...readRoutes(deps), ...changeRoutes(deps)];

const momentOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : timestamp(text));

const readRoutes = ({ db, isSandbox }: ReadDeps): Operation[] => [
  operation({
    id: 'listTransactions',
    method: 'GET',
    path: '/transactions',
    tag: TAG,
    summary: 'List transactions',
    description:
      'Lists payments and card transactions in one order, newest first unless `sortOrder` says otherwise. All filters combine. `status` leaves card transactions out.',
    permission: 'VIEW',
    query: TransactionQuery,
    success: { 200: TransactionListResponse },
    handle: async ({ platformId, now, query: { limit = 20, cursor, sortOrder = 'desc', startDate, endDate, ...query } }) => {
      if (query.status !== undefined && (query.type === 'CARD' || query.cardId !== undefined))
        throw invalidField('status', 'does not filter card transactions');
      const scope = ['listTransactions', platformId, sortOrder, query, startDate, endDate];
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, scope, [UUID_KEY]);
      const period = { from: momentOf(startDate), to: momentOf(endDate) };
      const request = { platformId, isSandbox, now, filter: { ...query, ...period }, page: { limit, after }, sortOrder, scope };
      return ok(renderPage(await listTransactions(db, request), (listed) => renderListed(platformId, listed, now)));
    },
  }),
  operation({
    id: 'getTransactionById',
    method: 'GET',
    path: '/transactions/{transactionId}',
    tag: TAG,
    summary: 'Get a transaction',
    description: 'Answers a payment or a card transaction by its id.',
    permission: 'VIEW',
    success: { 200: TransactionSchema },
    errors: ['TRANSACTION_NOT_FOUND'],
    handle: async ({ platformId, params, now }) =>
      ok(renderListed(platformId, await getTransaction(db, platformId, transactionId(params)), now)),
  }),
];

const changeRoutes = (deps: DecisionDeps): Operation[] => [
  operation({
    id: 'approvePendingPayment',
    method: 'POST',
    path: '/transactions/{transactionId}/approve',
    tag: TAG,
    summary: 'Approve an incoming payment',
    description:
      'Takes an incoming payment that waits for the decision of the platform. The first decision counts, whether it comes from this call, from the answer to the webhook or from `reject`. A mandatory field of the receiver that is missing leaves the payment waiting. For the transaction of an agent whose action waits it approves that action.',
    permission: 'TRANSACT',
    body: ApprovePaymentRequest,
    bodyOptional: true,
    success: { 200: TransactionSchema },
    errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL', 'MISSING_MANDATORY_USER_INFO', 'NOT_IMPLEMENTED'],
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
    description:
      'Refuses an incoming payment that waits for the decision of the platform. No money moves, and the sender is told. For the transaction of an agent whose action waits it rejects that action.',
    permission: 'TRANSACT',
    body: RejectPaymentRequest,
    bodyOptional: true,
    success: { 200: TransactionSchema },
    errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL'],
    write: async (tx, { platformId, params, body, now }) =>
      ok(renderPayment(platformId, await rejectPayment(deps, tx, { platformId, id: transactionId(params), now }, body?.reason))),
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
    errors: ['TRANSACTION_NOT_FOUND', 'TRANSACTION_NOT_CANCELLABLE', 'NOT_IMPLEMENTED'],
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
