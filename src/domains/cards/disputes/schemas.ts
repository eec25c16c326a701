// Wire schemas of card disputes.
import Type from 'typebox';
import { Closed, Enum } from '../../../http/schemas.js';
import { cardTransactionId, cents, optionalText } from '../authorizations/simulator-schemas.js';
import { DISPOSITIONS, type Dispute } from './dispute.js';

export const SandboxCardDisputeOpenRequest = Closed(
  { cardTransactionId, amount: Type.Optional(cents(1)), reason: optionalText(1024, 'Why the cardholder disputes the transaction.') },
  { title: 'SandboxCardDisputeOpenRequest' },
);
export const SandboxCardDisputeCreditRequest = Closed(
  { cardTransactionId, amount: cents(1) },
  { title: 'SandboxCardDisputeCreditRequest' },
);
export const SandboxCardDisputeCloseRequest = Closed(
  {
    cardTransactionId,
    disposition: Enum(DISPOSITIONS, { title: 'CardDisputeDisposition' }),
    recoveredAmount: Type.Optional(cents(1)),
  },
  { title: 'SandboxCardDisputeCloseRequest' },
);

export const SandboxCardDisputeResponse = Type.Object(
  {
    disputeId: Type.String(),
    disputeToken: Type.String(),
    status: Enum(['OPEN', 'CLOSED'], { title: 'SandboxCardDisputeStatus' }),
    disposition: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], enum: [...DISPOSITIONS, null] })),
  },
  { title: 'SandboxCardDisputeResponse' },
);

export const renderDispute = ({ id, token, status, disposition }: Dispute) => ({ disputeId: id, disputeToken: token, status, disposition });
