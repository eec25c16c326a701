// Operations on quotes.
import type { Db } from '../../../db/pool.js';
import { type Answer, accepted, commitThenRefuse, type Operation, ok, operation } from '../../../http/operation.js';
import { signatureIn } from '../../../http/signed-call.js';
import { parseId } from '../../../kernel/ids.js';
import { TransactionSchema } from '../payments/payment-schemas.js';
import { renderPayment } from '../payments/schemas.js';
import { agreeBefore, createQuote, executeQuote, fundQuote, type Outcome, type QuoteDeps, readQuote } from './actions.js';
import {
  CREATE_QUOTE_ERRORS,
  EXECUTE_QUOTE_ERRORS,
  ExecuteQuoteRequest,
  OWNER_STAMP,
  parseQuoteRequest,
  paysOverUma,
  QuoteRequestSchema,
  QuoteSchema,
  refuseUnkeyedDocuments,
  renderQuote,
  SandboxSendRequest,
} from './schemas.js';

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
    errors: CREATE_QUOTE_ERRORS,
    write: async (tx, { platformId, body, headers, now }) => {
      refuseUnkeyedDocuments(body, headers);
      return answerOf(await createQuote(deps, tx, { platformId, request: parseQuoteRequest(body), factor: body.scaFactor, now }), accepted);
    },
    callsOut: ({ body }) => paysOverUma(body),
    begin: async ({ platformId, body, headers, now }) => {
      refuseUnkeyedDocuments(body, headers);
      const creation = { platformId, request: parseQuoteRequest(body), factor: body.scaFactor, now };
      const agreed = await agreeBefore(deps, creation);
      return async (tx) => answerOf(await createQuote(deps, tx, { ...creation, agreed }), accepted);
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
    errors: EXECUTE_QUOTE_ERRORS,
    headerParameters: [OWNER_STAMP],
    write: async (tx, { platformId, params, body, headers, now }) => {
      const execution = {
        platformId,
        id: parseId('Quote', params.quoteId),
        signature: signatureIn(headers, deps.signatureHeaders),
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
