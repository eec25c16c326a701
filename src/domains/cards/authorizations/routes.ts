// Operations of card authorizations: the simulators that open a transaction, and the endpoint of an issuer's processor.
import type { Logger } from 'pino';
import type { Static } from 'typebox';
import type { Db } from '../../../db/pool.js';
import { accepted, type Operation, ok, operation, type Request } from '../../../http/operation.js';
import { ApiError } from '../../../kernel/errors.js';
import { type CardId, newUuid, type PlatformId, parseId } from '../../../kernel/ids.js';
import { parseCardId } from '../cards/schemas.js';
import {
  type AuthorizationDeps,
  type AuthorizationRequest,
  type Authorize,
  authorizeInTime,
  authorizeWithin,
  reverseUntilDone,
} from './actions.js';
import { effectiveLimits, spendingDay, spendOn } from './authorization.js';
import type { OpeningKind } from './card-transaction.js';
import { simulatedOutcome } from './rules.js';
import {
  CardSpending,
  IssuerAuthorizationRequest,
  IssuerAuthorizationResponse,
  parseIssuerAmount,
  parseSimulatedCurrency,
  renderSpending,
  SandboxCardAuthorizationRequest,
} from './schemas.js';
import { parseMerchant, SandboxCardSimulationResponse, simulator } from './simulator-schemas.js';
import { findMoment, findSpendingCard } from './spending-store.js';

export type AuthorizationRouteDeps = AuthorizationDeps & {
  readonly authorize: Authorize;
  /** An issuer waits two seconds for an answer; the deadline leaves time for the answer to travel. */
  readonly issuerDeadlineMs: number;
  readonly log: Pick<Logger, 'error'>;
};

async function getSpending(db: Db, platformId: PlatformId, id: CardId | undefined, now: Date) {
  const card = id && (await findSpendingCard(db, platformId, id));
  if (!card) throw new ApiError('NOT_FOUND');
  const { limits } = await findMoment(db, platformId);
  const day = spendingDay(now);
  return renderSpending(card.currency, day, spendOn(card.days, day), effectiveLimits(card, limits));
}

type OpeningRequest = Request<Record<string, string>, unknown, Static<typeof SandboxCardAuthorizationRequest>>;

/** A message that opens a transaction. The merchant's descriptor can choose its outcome. */
const opening = (deps: AuthorizationRouteDeps, kind: OpeningKind, id: string, name: string, summary: string): Operation => {
  const requestOf = ({ requestId, params, body: { amount, currency, merchant } }: OpeningRequest): AuthorizationRequest => {
    const cardId = parseCardId(params);
    const code = parseSimulatedCurrency(currency);
    if (!cardId) throw new ApiError('NOT_FOUND');
    return {
      kind,
      cardId,
      issuerToken: newUuid(),
      amount: BigInt(amount),
      currency: code,
      merchant: parseMerchant(merchant),
      requestId,
      ...simulatedOutcome(merchant.descriptor),
    };
  };
  return operation({
    ...simulator(name),
    id,
    summary,
    ungated: 'SHARES_STATEMENTS',
    body: SandboxCardAuthorizationRequest,
    success: { 202: SandboxCardSimulationResponse },
    errors: ['NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'],
    // With an Idempotency-Key the decision has its own transaction; without one it joins the next batch.
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

export const authorizationRoutes = (deps: AuthorizationRouteDeps): Operation[] => [
  operation({
    id: 'getCardSpending',
    method: 'GET',
    path: '/cards/{id}/spending',
    tag: 'Cards',
    summary: 'Get what a card has spent today',
    description:
      'What counts towards the daily limits of the card on this UTC day, and the limits that hold: the lower of those of the card and of the platform. ' +
      'Declined authorizations do not count; an authorization that ends without being cleared has counted.',
    permission: 'VIEW',
    success: { 200: CardSpending },
    errors: ['NOT_FOUND'],
    handle: async ({ platformId, now, params }) => ok(await getSpending(deps.db, platformId, parseCardId(params), now)),
  }),
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
    id: 'decideCardAuthorization',
    method: 'POST',
    path: '/issuer/authorizations',
    tag: 'Card Issuer',
    summary: "Decide an authorization for an issuer's processor, in time",
    permission: 'ISSUER',
    body: IssuerAuthorizationRequest,
    success: { 200: IssuerAuthorizationResponse },
    errors: ['NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'],
    handle: async ({
      platformId,
      requestId,
      caller: { program },
      body: { kind = 'AUTHORIZATION', issuerTransactionToken, amount, currency, network, merchant, ...body },
    }) => {
      const cardId = parseId('Card', body.cardId);
      if (!cardId) throw new ApiError('NOT_FOUND');
      const request = {
        kind,
        cardId,
        program,
        issuerToken: issuerTransactionToken,
        amount: parseIssuerAmount(kind, amount),
        currency,
        network,
        merchant: parseMerchant(merchant),
        requestId,
      };
      const decision = await authorizeInTime(
        deps.authorize,
        (platform, late) => reverseUntilDone({ ...deps, db: deps.db.causedBy({ requestId }) }, platform, late),
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
];
