// The sandbox routes that play the network, and the door for an issuer's processor.
import type { Logger } from 'pino';
import type { Static, TObject } from 'typebox';
import { accepted, type Operation, ok, operation, type Request } from '../../../http/operation.js';
import { ApiError } from '../../../kernel/errors.js';
import { newUuid, parseId } from '../../../kernel/ids.js';
import {
  type AuthorizationRequest,
  type Authorize,
  authorizeInTime,
  authorizeWithin,
  type CardTransactionDeps,
  creditDispute,
  endDispute,
  inquireBalance,
  recordMessage,
  reverseDisputeCredit,
  simulateMessage,
  startDispute,
  undoUntilDone,
} from './actions.js';
import type { FollowUpKind, OpeningKind } from './card-transaction.js';
import { simulatedOutcome } from './rules.js';
import {
  IssuerAuthorizationRequest,
  IssuerAuthorizationResponse,
  IssuerMessageRequest,
  IssuerMessageResponse,
  parseMerchant,
  parseSimulatedCurrency,
  renderDispute,
  SandboxCardAuthorizationAdviceRequest,
  SandboxCardAuthorizationRequest,
  SandboxCardBalanceInquiryRequest,
  SandboxCardClearingRequest,
  SandboxCardDisputeCloseRequest,
  SandboxCardDisputeCreditRequest,
  SandboxCardDisputeOpenRequest,
  SandboxCardDisputeResponse,
  SandboxCardReturnRequest,
  SandboxCardReversalRequest,
  SandboxCardSimulationResponse,
  SandboxCardTransactionRefRequest,
} from './schemas.js';

export type CardTransactionRouteDeps = CardTransactionDeps & {
  readonly authorize: Authorize;
  /** An issuer waits two seconds for an answer; the rest of them is for the way back. */
  readonly issuerDeadlineMs: number;
  readonly log: Pick<Logger, 'error'>;
};

export const cardTransactionRoutes = (deps: CardTransactionRouteDeps): Operation[] => [
  ...networkRoutes(deps),
  ...disputeRoutes(deps),
  ...issuerRoutes(deps),
];

// ---- the simulated network

const simulation = { method: 'POST', tag: 'Sandbox', permission: 'TRANSACT', sandbox: true, idempotency: 'optional' } as const;

const path = (name: string) => `/sandbox/cards/{id}/simulate/${name}` as const;

const simulated = { 202: SandboxCardSimulationResponse };

type OpeningRequest = Request<Record<string, string>, unknown, Static<typeof SandboxCardAuthorizationRequest>>;

/** A message that opens a transaction; its outcome can be chosen by the merchant's descriptor. */
const opening = (deps: CardTransactionRouteDeps, kind: OpeningKind, id: string, name: string, summary: string): Operation => {
  const requestOf = ({ params, body: { amount, currency, merchant } }: OpeningRequest): AuthorizationRequest => {
    const cardId = parseId('Card', params['id'] as string);
    const code = parseSimulatedCurrency(currency);
    if (!cardId) throw new ApiError('NOT_FOUND');
    return {
      kind,
      cardId,
      issuerToken: newUuid(),
      amount: BigInt(amount),
      currency: code,
      merchant: parseMerchant(merchant),
      ...simulatedOutcome(merchant.descriptor),
    };
  };
  return operation({
    ...simulation,
    id,
    path: path(name),
    summary,
    body: SandboxCardAuthorizationRequest,
    success: simulated,
    errors: ['NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'],
    // With an Idempotency-Key: a transaction of its own; without one: decided together with whoever asks meanwhile.
    write: async (tx, request) => {
      const { transaction } = await authorizeWithin(deps, tx, request.platformId, requestOf(request));
      return accepted({ issuerTransactionToken: transaction.issuerToken });
    },
    handle: async (request) => {
      const { transaction } = await deps.authorize(request.platformId, requestOf(request));
      return accepted({ issuerTransactionToken: transaction.issuerToken });
    },
  });
};

/** A message about a transaction of the card. */
const followUp = (
  deps: CardTransactionRouteDeps,
  kind: FollowUpKind,
  id: string,
  name: string,
  summary: string,
  body: TObject,
): Operation =>
  operation({
    ...simulation,
    id,
    path: path(name),
    summary,
    body,
    success: simulated,
    errors: ['NOT_FOUND', 'TRANSACTION_NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'],
    write: async (tx, { platformId, params, body: sent }) => {
      const { cardTransactionId, amount } = sent as { cardTransactionId: string; amount?: number };
      const issuerTransactionToken = await simulateMessage(deps, tx, platformId, {
        kind,
        token: newUuid(),
        amount: amount === undefined ? undefined : BigInt(amount),
        cardId: parseId('Card', params['id'] as string),
        transactionId: parseId('Transaction', cardTransactionId),
      });
      return accepted({ issuerTransactionToken });
    },
  });

const networkRoutes = (deps: CardTransactionRouteDeps): Operation[] => [
  opening(deps, 'AUTHORIZATION', 'sandboxSimulateCardAuthorization', 'authorization', 'Simulate a card authorization'),
  opening(
    deps,
    'CREDIT_AUTHORIZATION',
    'sandboxSimulateCardCreditAuthorization',
    'credit_authorization',
    'Simulate a credit authorization',
  ),
  opening(
    deps,
    'FINANCIAL_AUTHORIZATION',
    'sandboxSimulateCardFinancialAuthorization',
    'financial_authorization',
    'Simulate an authorization that settles at once',
  ),
  opening(
    deps,
    'FINANCIAL_CREDIT_AUTHORIZATION',
    'sandboxSimulateCardFinancialCreditAuthorization',
    'financial_credit_authorization',
    'Simulate a credit that settles at once',
  ),
  opening(
    deps,
    'CREDIT_AUTHORIZATION_ADVICE',
    'sandboxSimulateCardCreditAuthorizationAdvice',
    'credit_authorization_advice',
    'Simulate the advice of a credit authorized elsewhere',
  ),
  operation({
    ...simulation,
    id: 'sandboxSimulateCardBalanceInquiry',
    path: path('balance_inquiry'),
    summary: 'Simulate a balance inquiry',
    body: SandboxCardBalanceInquiryRequest,
    success: simulated,
    errors: ['NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, params }) => {
      await inquireBalance(tx, platformId, parseId('Card', params['id'] as string));
      return accepted({ issuerTransactionToken: newUuid() });
    },
  }),
  followUp(deps, 'CLEARING', 'sandboxSimulateCardClearing', 'clearing', 'Simulate a clearing', SandboxCardClearingRequest),
  followUp(deps, 'RETURN', 'sandboxSimulateCardReturn', 'return', 'Simulate a return', SandboxCardReturnRequest),
  followUp(
    deps,
    'AUTHORIZATION_ADVICE',
    'sandboxSimulateCardAuthorizationAdvice',
    'authorization_advice',
    'Simulate an advice that gives an authorization a new total',
    SandboxCardAuthorizationAdviceRequest,
  ),
  followUp(
    deps,
    'RETURN_REVERSAL',
    'sandboxSimulateCardReturnReversal',
    'return_reversal',
    'Simulate the reversal of a return',
    SandboxCardTransactionRefRequest,
  ),
  followUp(
    deps,
    'AUTHORIZATION_REVERSAL',
    'sandboxSimulateCardAuthorizationReversal',
    'authorization_reversal',
    'Simulate the reversal of an authorization, in part or whole',
    SandboxCardReversalRequest,
  ),
  followUp(
    deps,
    'AUTHORIZATION_EXPIRY',
    'sandboxSimulateCardAuthorizationExpiry',
    'authorization_expiry',
    'Simulate the expiry of an authorization',
    SandboxCardTransactionRefRequest,
  ),
];

const disputeRoutes = (deps: CardTransactionRouteDeps): Operation[] => {
  const dispute = {
    ...simulation,
    success: { 202: SandboxCardDisputeResponse },
    errors: ['NOT_FOUND', 'TRANSACTION_NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'] as const,
  };
  const refOf = (params: Record<string, string>, { cardTransactionId }: { cardTransactionId: string }) => ({
    cardId: parseId('Card', params['id'] as string),
    transactionId: parseId('Transaction', cardTransactionId),
  });
  return [
    operation({
      ...dispute,
      id: 'sandboxSimulateCardDisputeOpen',
      path: path('dispute_open'),
      summary: 'Simulate the opening of a dispute',
      body: SandboxCardDisputeOpenRequest,
      write: async (tx, { platformId, params, body }) =>
        accepted(
          renderDispute(
            await startDispute(tx, platformId, refOf(params, body), {
              amount: body.amount === undefined ? undefined : BigInt(body.amount),
              reason: body.reason,
            }),
          ),
        ),
    }),
    operation({
      ...dispute,
      id: 'sandboxSimulateCardDisputeProvisionalCredit',
      path: path('dispute_provisional_credit'),
      summary: 'Simulate a provisional credit of a dispute',
      body: SandboxCardDisputeCreditRequest,
      write: async (tx, { platformId, params, body }) =>
        accepted(renderDispute(await creditDispute(deps, tx, platformId, refOf(params, body), BigInt(body.amount)))),
    }),
    operation({
      ...dispute,
      id: 'sandboxSimulateCardDisputeProvisionalCreditReversal',
      path: path('dispute_provisional_credit_reversal'),
      summary: 'Simulate the reversal of a provisional credit',
      body: SandboxCardDisputeCreditRequest,
      errors: [...dispute.errors, 'INSUFFICIENT_FUNDS'],
      write: async (tx, { platformId, params, body }) =>
        accepted(renderDispute(await reverseDisputeCredit(deps, tx, platformId, refOf(params, body), BigInt(body.amount)))),
    }),
    operation({
      ...dispute,
      id: 'sandboxSimulateCardDisputeClose',
      path: path('dispute_close'),
      summary: 'Simulate the end of a dispute',
      body: SandboxCardDisputeCloseRequest,
      write: async (tx, { platformId, params, body }) =>
        accepted(
          renderDispute(
            await endDispute(deps, tx, platformId, refOf(params, body), {
              disposition: body.disposition,
              recoveredAmount: body.recoveredAmount === undefined ? undefined : BigInt(body.recoveredAmount),
            }),
          ),
        ),
    }),
  ];
};

// ---- the issuer's door

const issuerRoutes = (deps: CardTransactionRouteDeps): Operation[] => [
  operation({
    id: 'decideCardAuthorization',
    method: 'POST',
    path: '/issuer/authorizations',
    tag: 'Card Issuer',
    summary: "Decide an authorization for an issuer's processor, in time",
    permission: 'TRANSACT',
    body: IssuerAuthorizationRequest,
    success: { 200: IssuerAuthorizationResponse },
    errors: ['NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'],
    handle: async ({
      platformId,
      body: { kind = 'AUTHORIZATION', issuerTransactionToken, amount, currency, network, merchant, ...body },
    }) => {
      const cardId = parseId('Card', body.cardId);
      if (!cardId) throw new ApiError('NOT_FOUND');
      const request = {
        kind,
        cardId,
        issuerToken: issuerTransactionToken,
        amount: BigInt(amount),
        currency,
        network,
        merchant: parseMerchant(merchant),
      };
      const decision = await authorizeInTime(
        deps.authorize,
        (platform, late) => undoUntilDone(deps, platform, late),
        platformId,
        request,
        deps.issuerDeadlineMs,
      );
      const declinedReason = decision ? decision.transaction.declinedReason : 'OTHER';
      return ok({
        decision: declinedReason === null ? 'APPROVED' : 'DECLINED',
        ...(declinedReason === null ? {} : { declinedReason }),
        issuerTransactionToken,
        ...(decision ? { transactionId: decision.transaction.id } : {}),
      });
    },
  }),
  operation({
    id: 'recordCardMessage',
    method: 'POST',
    path: '/issuer/messages',
    tag: 'Card Issuer',
    summary: 'Record what the network says about a transaction; repeated messages count once',
    permission: 'TRANSACT',
    idempotency: 'optional',
    body: IssuerMessageRequest,
    success: { 200: IssuerMessageResponse },
    errors: ['NOT_FOUND', 'TRANSACTION_NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'],
    write: async (tx, { platformId, body: { kind, messageToken, issuerTransactionToken, amount, merchant, ...body } }) => {
      const cardId = body.cardId === undefined ? undefined : parseId('Card', body.cardId);
      if (body.cardId !== undefined && !cardId) throw new ApiError('NOT_FOUND');
      const { transaction, duplicate } = await recordMessage(deps, tx, platformId, {
        kind,
        token: messageToken,
        issuerToken: issuerTransactionToken,
        amount: amount === undefined ? undefined : BigInt(amount),
        cardId,
        merchant: merchant && parseMerchant(merchant),
      });
      return ok({ issuerTransactionToken: transaction.issuerToken, transactionId: transaction.id, duplicate });
    },
  }),
];
