// Operations of disputes: simulators that play the network.
import { accepted, type Operation, operation, type Request } from '../../../http/operation.js';
import { parseId } from '../../../kernel/ids.js';
import type { WalletDeps } from '../authorizations/actions.js';
import { parseCents, simulator } from '../authorizations/simulator-schemas.js';
import { parseCardId } from '../cards/schemas.js';
import { creditDispute, type DisputeRef, endDispute, reverseDisputeCredit, startDispute } from './actions.js';
import {
  renderDispute,
  SandboxCardDisputeCloseRequest,
  SandboxCardDisputeCreditRequest,
  SandboxCardDisputeOpenRequest,
  SandboxCardDisputeResponse,
} from './schemas.js';

const success = { 202: SandboxCardDisputeResponse };
const errors = ['NOT_FOUND', 'TRANSACTION_NOT_FOUND', 'CONFLICT', 'AMOUNT_OUT_OF_RANGE'] as const;

const refOf = ({ params, body }: Request<Record<string, string>, unknown, { readonly cardTransactionId: string }>): DisputeRef => ({
  cardId: parseCardId(params),
  transactionId: parseId('Transaction', body.cardTransactionId),
});

export const disputeRoutes = (deps: WalletDeps): Operation[] => [
  operation({
    ...simulator('dispute_open'),
    id: 'sandboxSimulateCardDisputeOpen',
    summary: 'Simulate the opening of a dispute',
    body: SandboxCardDisputeOpenRequest,
    success,
    errors,
    write: async (tx, request) => {
      const { amount, reason } = request.body;
      return accepted(renderDispute(await startDispute(tx, request.platformId, refOf(request), { amount: parseCents(amount), reason })));
    },
  }),
  operation({
    ...simulator('dispute_provisional_credit'),
    id: 'sandboxSimulateCardDisputeProvisionalCredit',
    summary: 'Simulate a provisional credit of a dispute',
    body: SandboxCardDisputeCreditRequest,
    success,
    errors,
    write: async (tx, request) =>
      accepted(renderDispute(await creditDispute(deps, tx, request.platformId, refOf(request), BigInt(request.body.amount)))),
  }),
  operation({
    ...simulator('dispute_provisional_credit_reversal'),
    id: 'sandboxSimulateCardDisputeProvisionalCreditReversal',
    summary: 'Simulate the reversal of a provisional credit',
    body: SandboxCardDisputeCreditRequest,
    success,
    errors,
    write: async (tx, request) =>
      accepted(renderDispute(await reverseDisputeCredit(deps, tx, request.platformId, refOf(request), BigInt(request.body.amount)))),
  }),
  operation({
    ...simulator('dispute_close'),
    id: 'sandboxSimulateCardDisputeClose',
    summary: 'Simulate the end of a dispute',
    body: SandboxCardDisputeCloseRequest,
    success,
    errors,
    write: async (tx, request) => {
      const { disposition, recoveredAmount } = request.body;
      const end = { disposition, recoveredAmount: parseCents(recoveredAmount) };
      return accepted(renderDispute(await endDispute(deps, tx, request.platformId, refOf(request), end)));
    },
  }),
];
