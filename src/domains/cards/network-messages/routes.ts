// Operations of network messages: the simulators that follow an authorization, and the endpoint of an issuer's processor.
import type { Static } from 'typebox';
import { accepted, type Operation, ok, operation } from '../../../http/operation.js';
import { ApiError } from '../../../kernel/errors.js';
import { newUuid, parseId } from '../../../kernel/ids.js';
import { parseCents, parseMerchant, SandboxCardSimulationResponse, simulator } from '../authorizations/simulator-schemas.js';
import { parseCardId } from '../cards/schemas.js';
import { inquireBalance, type MessageDeps, type Recorded, recordMessage, simulateMessage } from './actions.js';
import type { RecordMessage } from './batch.js';
import type { FollowUpKind, IssuerMessage } from './network-message.js';
import {
  IssuerMessageRequest,
  IssuerMessageResponse,
  SandboxCardAuthorizationAdviceRequest,
  SandboxCardBalanceInquiryRequest,
  SandboxCardClearingRequest,
  SandboxCardReturnRequest,
  SandboxCardReversalRequest,
  SandboxCardTransactionRefRequest,
} from './schemas.js';

const success = { 202: SandboxCardSimulationResponse };

/** The body of a follow-up: the transaction, and for most kinds an amount. */
type FollowUpRequest = typeof SandboxCardClearingRequest | typeof SandboxCardReversalRequest | typeof SandboxCardTransactionRefRequest;

/** A message about a transaction of the card. */
const followUp = (deps: MessageDeps, kind: FollowUpKind, id: string, name: string, summary: string, body: FollowUpRequest): Operation =>
  operation({
    ...simulator(name),
    id,
    summary,
    body,
    success,
    errors: ['NOT_FOUND', 'TRANSACTION_NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'],
    write: async (tx, { platformId, params, body: sent }) => {
      const issuerTransactionToken = await simulateMessage(deps, tx, platformId, {
        kind,
        token: newUuid(),
        amount: 'amount' in sent ? parseCents(sent.amount) : undefined,
        cardId: parseCardId(params),
        transactionId: parseId('Transaction', sent.cardTransactionId),
      });
      return accepted({ issuerTransactionToken });
    },
  });

type SentMessage = Static<typeof IssuerMessageRequest>;

function parseMessage(
  program: string,
  { kind, messageToken, issuerTransactionToken, amount, merchant, ...body }: SentMessage,
): IssuerMessage {
  const cardId = body.cardId === undefined ? undefined : parseId('Card', body.cardId);
  if (body.cardId !== undefined && !cardId) throw new ApiError('NOT_FOUND');
  return {
    kind,
    token: messageToken,
    issuerToken: issuerTransactionToken,
    amount: parseCents(amount),
    cardId,
    program,
    merchant: merchant && parseMerchant(merchant),
  };
}

const renderRecorded = ({ transaction, duplicate }: Recorded) => ({
  issuerTransactionToken: transaction.issuerToken,
  transactionId: transaction.id,
  duplicate,
});

/** `record`: for messages without an Idempotency-Key, which need not commit with a record of it. */
export const networkMessageRoutes = (deps: MessageDeps, record: RecordMessage): Operation[] => [
  operation({
    ...simulator('balance_inquiry'),
    id: 'sandboxSimulateCardBalanceInquiry',
    summary: 'Simulate a balance inquiry',
    body: SandboxCardBalanceInquiryRequest,
    success,
    errors: ['NOT_FOUND', 'CONFLICT'],
    write: async (tx, { platformId, params }) => {
      await inquireBalance(tx, platformId, parseCardId(params));
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
  operation({
    id: 'recordCardMessage',
    method: 'POST',
    path: '/issuer/messages',
    tag: 'Card Issuer',
    summary: 'Record a network message about a transaction; repeated messages count once',
    permission: 'ISSUER',
    idempotency: 'optional',
    body: IssuerMessageRequest,
    success: { 200: IssuerMessageResponse },
    errors: ['NOT_FOUND', 'TRANSACTION_NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'],
    handle: async ({ platformId, caller: { program }, body, requestId }) =>
      ok(renderRecorded(await record(platformId, { message: parseMessage(program, body), requestId }))),
    write: async (tx, { platformId, caller: { program }, body }) =>
      ok(renderRecorded(await recordMessage(deps, tx, platformId, parseMessage(program, body)))),
  }),
];
