// Operations of transfers within one currency. Deprecated: quotes do the same, and more.
import { type Operation, ok, operation } from '../../../http/operation.js';
import { TransactionSchema } from '../payments/payment-schemas.js';
import { renderPayment } from '../payments/schemas.js';
import { type QuoteDeps, transferOut } from '../quotes/actions.js';
import { transferIn } from './actions.js';
import { amountOf } from './rules.js';
import { TransferInRequest, TransferOutRequest } from './schemas.js';

const TAG = 'Same-Currency Transfers';

export const transferRoutes = (deps: QuoteDeps): Operation[] => [
  operation({
    id: 'createTransferIn',
    method: 'POST',
    path: '/transfer-in',
    tag: TAG,
    summary: 'Pull money from an external account',
    description:
      'Debits an external account over ACH and credits an internal account of the same holder when the debit has settled. A debit that fails changes no balance. Deprecated: a quote with the external account as its source does the same.',
    permission: 'TRANSACT',
    idempotency: 'optional',
    deprecated: true,
    body: TransferInRequest,
    success: { 200: TransactionSchema },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'CUSTOMER_NOT_FOUND',
      'BANK_ACCOUNT_VALIDATION_PENDING',
      'CUSTOMER_NOT_VERIFIED',
      'END_USER_TERMS_NOT_ACCEPTED',
      'INVALID_AMOUNT',
      'INVALID_CURRENCY',
      'INVALID_RECEIVER',
      'INVALID_BANK_ACCOUNT',
      'NOT_IMPLEMENTED',
    ],
    write: async (tx, { platformId, body, now }) => {
      const accounts = { sourceId: body.source.accountId, destinationId: body.destination.accountId };
      return ok(renderPayment(platformId, await transferIn(deps, tx, { platformId, ...accounts, amount: amountOf(body.amount), now })));
    },
  }),
  operation({
    id: 'createTransferOut',
    method: 'POST',
    path: '/transfer-out',
    tag: TAG,
    summary: 'Send money to an external account in the same currency',
    description:
      'Debits an internal account at once and hands the money to the bank of the external account. The transfer is PENDING until the bank has acknowledged it. Deprecated: a quote between the two accounts does the same.',
    permission: 'TRANSACT',
    idempotency: 'optional',
    deprecated: true,
    body: TransferOutRequest,
    success: { 200: TransactionSchema },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'CUSTOMER_NOT_FOUND',
      'BANK_ACCOUNT_VALIDATION_PENDING',
      'CONFLICT',
      'CUSTOMER_NOT_VERIFIED',
      'END_USER_TERMS_NOT_ACCEPTED',
      'INVALID_AMOUNT',
      'INVALID_CURRENCY',
      'AMOUNT_OUT_OF_RANGE',
      'TRANSACTION_SIZE_LIMIT_EXCEEDED',
      'SELF_PAYMENT',
      'INVALID_RECEIVER',
      'INVALID_BANK_ACCOUNT',
      'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED',
      'SENDER_NOT_ACCEPTED',
      'DOCUMENTS_REQUIRED',
      'INSUFFICIENT_FUNDS',
      'DAILY_VOLUME_LIMIT_EXCEEDED',
      'QUOTE_REQUEST_FAILED',
      'NOT_IMPLEMENTED',
    ],
    write: async (tx, { platformId, body, now }) => {
      const transfer = {
        sourceId: body.source.accountId,
        destinationId: body.destination.accountId,
        paymentRail: body.destination.paymentRail,
        amount: amountOf(body.amount),
        remittanceInformation: body.remittanceInformation,
        purposeOfPayment: body.purposeOfPayment,
      };
      return ok(renderPayment(platformId, await transferOut(deps, tx, { platformId, transfer, now })));
    },
  }),
];
