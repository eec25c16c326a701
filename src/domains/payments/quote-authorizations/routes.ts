// Operations with which the payer authorizes a payment.
import { commitThenRefuse, noContent, type Operation, ok, operation } from '../../../http/operation.js';
import { parseId } from '../../../kernel/ids.js';
import type { ScaDeps } from '../../access/sca/actions.js';
import { parseAuthorization, ScaAuthorization } from '../../access/sca/schemas.js';
import type { QuoteDeps } from '../quotes/actions.js';
import { QuoteSchema, renderQuote } from '../quotes/schemas.js';
import { authorizeQuote, resendCode } from './actions.js';

const tag = 'Strong Customer Authentication';
const quoteId = ({ quoteId: id }: { readonly quoteId: string }) => parseId('Quote', id);

export const quoteAuthorizationRoutes = (deps: QuoteDeps & ScaDeps): Operation[] => [
  operation({
    id: 'authorizeQuote',
    method: 'POST',
    path: '/quotes/{quoteId}/authorize',
    tag,
    summary: 'Authorize a payment with the code or the passkey of its payer, once per challenge',
    permission: 'TRANSACT',
    body: ScaAuthorization,
    success: { 200: QuoteSchema },
    errors: [
      'QUOTE_NOT_FOUND',
      'ACCOUNT_NOT_FOUND',
      'CUSTOMER_NOT_FOUND',
      'CONFLICT',
      'BANK_ACCOUNT_VALIDATION_PENDING',
      'SCA_SESSION_REQUIRED',
      'ACCOUNT_LOCKED',
      'CUSTOMER_NOT_VERIFIED',
      'END_USER_TERMS_NOT_ACCEPTED',
      'INVALID_RECEIVER',
      'INVALID_BANK_ACCOUNT',
      'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED',
      'QUOTE_RATE_UNAVAILABLE',
      'INSUFFICIENT_FUNDS',
      'AMOUNT_OUT_OF_RANGE',
      'DAILY_VOLUME_LIMIT_EXCEEDED',
      'NOT_IMPLEMENTED',
    ],
    write: async (tx, { platformId, now, params, body }) => {
      const authorized = await authorizeQuote(deps, tx, { platformId, id: quoteId(params), proof: parseAuthorization(body), now });
      if ('refusal' in authorized) return commitThenRefuse(authorized.refusal);
      return ok(renderQuote(authorized.quote, authorized.challenge));
    },
  }),
  operation({
    id: 'resendQuoteScaCode',
    method: 'POST',
    path: '/quotes/{quoteId}/authorize/resend',
    tag,
    summary: 'Send the code of the open challenge again; the challenge does not live longer',
    command: 'quotes resend-code',
    permission: 'TRANSACT',
    success: { 204: null },
    errors: ['QUOTE_NOT_FOUND', 'CUSTOMER_NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, now, params }) => {
      await resendCode(deps, tx, platformId, quoteId(params), now);
      return noContent();
    },
  }),
];
