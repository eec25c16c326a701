// Actions of agents as the API shows them.
import Type from 'typebox';
import { Enum, OneOf, Timestamp } from '../../../http/schemas.js';
import { CardTransactionSchema } from '../../cards/authorizations/schemas.js';
import { IncomingTransaction, OutgoingTransaction } from '../../payments/payments/payment-schemas.js';
import { QuoteSchema } from '../../payments/quotes/schemas.js';

const text = Type.String();
const maybeText = Type.Optional(Type.String());

export const AgentAction = Type.Object(
  {
    id: text,
    agentId: text,
    customerId: text,
    platformCustomerId: text,
    status: Enum(['PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'FAILED'], { title: 'AgentActionStatus' }),
    type: Enum(['EXECUTE_QUOTE'], { title: 'AgentActionType' }),
    quote: Type.Optional(QuoteSchema),
    transaction: Type.Optional(OneOf('type', [IncomingTransaction, OutgoingTransaction, CardTransactionSchema])),
    rejectionReason: maybeText,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'AgentAction' },
);
