// Operations on quotes.
import type { Db } from '../../../db/pool.js';
import { type Answer, accepted, commitThenRefuse, type Operation, ok, operation } from '../../../http/operation.js';
import { invalidField } from '../../../kernel/errors.js';
import { parseId } from '../../../kernel/ids.js';
import { TransactionSchema } from '../payments/payment-schemas.js';
import { renderPayment } from '../payments/schemas.js';
import { createQuote, executeQuote, fundQuote, type Outcome, type QuoteDeps, readQuote } from './actions.js';
import { ExecuteQuoteRequest, parseQuoteRequest, QuoteRequestSchema, QuoteSchema, renderQuote, SandboxSendRequest } from './schemas.js';

export type QuoteRouteDeps = QuoteDeps & {
  readonly db: Db;
  /** Names of the header with the owner's stamp, in lower case. */
  readonly signatureHeaders: readonly string[];
};

const TAG = 'Cross-Currency Transfers';

const answerOf = ({ quote, challenge, refusal }: Outcome, whenChallenged: (body: unknown) => Answer = ok): Answer => {
  if (refusal) return commitThenRefuse(refusal);
  return challenge ? whenChallenged(renderQuote(quote, challenge)) : ok(renderQuote(quote));
};

export const quoteRoutes = (deps: QuoteRouteDeps): Operation[] => [
  operation({
    id: 'createQuote',
    method: 'POST',
    path: '/quotes',
    tag: TAG,
    summary: 'Price a payment',
    permission: 'TRANSACT',
    idempotency: 'optional',
    body: QuoteRequestSchema,
    success: { 200: QuoteSchema, 202: QuoteSchema },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'CUSTOMER_NOT_FOUND',
      'LOOKUP_REQUEST_NOT_FOUND',
      'PAYMENT_DOCUMENT_NOT_FOUND',
      'BANK_ACCOUNT_VALIDATION_PENDING',
      'PAYMENT_DOCUMENT_ALREADY_USED',
      'SCA_SESSION_REQUIRED',
      'PAYMENT_DOCUMENT_EXPIRED',
      'CUSTOMER_NOT_VERIFIED',
      'END_USER_TERMS_NOT_ACCEPTED',
      'INVALID_CURRENCY',
      'AMOUNT_OUT_OF_RANGE',
      'TRANSACTION_SIZE_LIMIT_EXCEEDED',
      'SELF_PAYMENT',
      'INVALID_RECEIVER',
      'INVALID_BANK_ACCOUNT',
      'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED',
      'SENDER_NOT_ACCEPTED',
      'MISSING_MANDATORY_USER_INFO',
      'DOCUMENTS_REQUIRED',
      'INVALID_UMA_ADDRESS',
      'INSUFFICIENT_FUNDS',
      'DAILY_VOLUME_LIMIT_EXCEEDED',
      'UNSUPPORTED_UMA_VERSION',
      'PAYREQ_REQUEST_FAILED',
      'PAYMENT_DOCUMENT_ATTACHMENT_FAILED',
      'NOT_IMPLEMENTED',
      'COUNTERPARTY_SERVER_ERROR',
      'QUOTE_REQUEST_FAILED',
    ],
    write: async (tx, { platformId, body, headers, now }) => {
      if (body.documentIds !== undefined && headers['idempotency-key'] === undefined)
        throw invalidField('Idempotency-Key', 'is required with documentIds');
      return answerOf(await createQuote(deps, tx, { platformId, request: parseQuoteRequest(body), factor: body.scaFactor, now }), accepted);
    },
  }),
  operation({
    id: 'getQuoteById',
    method: 'GET',
    path: '/quotes/{quoteId}',
    tag: TAG,
    summary: 'Get a quote',
    permission: 'VIEW',
    success: { 200: QuoteSchema },
    errors: ['QUOTE_NOT_FOUND'],
    handle: async ({ platformId, params, now }) => {
      const { quote, challenge } = await readQuote(deps, deps.db, platformId, parseId('Quote', params.quoteId), now);
      return ok(renderQuote(quote, challenge));
    },
  }),
  operation({
    id: 'executeQuote',
    method: 'POST',
    path: '/quotes/{quoteId}/execute',
    tag: TAG,
    summary: 'Execute a quote',
    permission: 'TRANSACT',
    idempotency: 'optional',
    body: ExecuteQuoteRequest,
    bodyOptional: true,
    success: { 200: QuoteSchema },
    errors: [
      'QUOTE_NOT_FOUND',
      'ACCOUNT_NOT_FOUND',
      'CUSTOMER_NOT_FOUND',
      'QUOTE_EXPIRED',
      'CONFLICT',
      'BANK_ACCOUNT_VALIDATION_PENDING',
      'SCA_SESSION_REQUIRED',
      'WALLET_SIGNATURE_MISSING',
      'WALLET_SIGNATURE_MALFORMED',
      'WALLET_SIGNATURE_INVALID',
      'CUSTOMER_NOT_VERIFIED',
      'END_USER_TERMS_NOT_ACCEPTED',
      'QUOTE_RATE_UNAVAILABLE',
      'INVALID_RECEIVER',
      'INVALID_BANK_ACCOUNT',
      'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED',
      'INSUFFICIENT_FUNDS',
      'AMOUNT_OUT_OF_RANGE',
      'DAILY_VOLUME_LIMIT_EXCEEDED',
    ],
    headerParameters: [
      {
        name: 'Service-Wallet-Signature',
        description: "For a source that is an embedded wallet: the stamp of a session of its owner over the quote's `payloadToSign`.",
      },
    ],
    write: async (tx, { platformId, params, body, headers, now }) => {
      const signature = deps.signatureHeaders.map((name) => headers[name]).find((value) => value !== undefined);
      const execution = {
        platformId,
        id: parseId('Quote', params.quoteId),
        signature: typeof signature === 'string' ? signature : signature?.join(','),
        factor: body?.scaFactor,
        now,
      };
      return answerOf(await executeQuote(deps, tx, execution));
    },
  }),
  operation({
    id: 'sandboxSend',
    method: 'POST',
    path: '/sandbox/send',
    tag: 'Sandbox',
    summary: 'Simulate the payer of a realtime quote',
    description:
      'Sends money for a quote with realtime funding, as its payer would by the payment instructions. Exactly the amount of the quote lets it run; any other amount makes the payment fail and is refunded.',
    permission: 'TRANSACT',
    sandbox: true,
    body: SandboxSendRequest,
    success: { 200: TransactionSchema },
    errors: ['QUOTE_NOT_FOUND', 'QUOTE_EXPIRED', 'AMOUNT_OUT_OF_RANGE'],
    write: async (tx, { platformId, body, now }) => {
      const amount = body.currencyAmount === undefined ? undefined : BigInt(body.currencyAmount);
      const funds = { platformId, id: parseId('Quote', body.quoteId), currency: body.currencyCode, amount, now };
      return ok(renderPayment(platformId, await fundQuote(deps, tx, funds)));
    },
  }),
];
