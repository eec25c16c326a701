// Actions of agents on the wire, and the queries of what agents read.
import Type from 'typebox';
import { Closed, Described, Enum, pageOfSchema, pageQuery, Timestamp } from '../../../http/schemas.js';
import type { PlatformId } from '../../../kernel/ids.js';
import { InternalAccountTypeSchema } from '../../accounts/internal-accounts/schemas.js';
import { TransactionSchema } from '../../payments/payments/payment-schemas.js';
import { renderPayment } from '../../payments/payments/schemas.js';
import { QuoteSchema, renderQuote } from '../../payments/quotes/schemas.js';
import { TransactionQuery } from '../../payments/transactions/schemas.js';
import { ACTION_STATUSES, type ShownAction } from './agent-action.js';

const ActionStatus = Enum(ACTION_STATUSES, {
  title: 'AgentActionStatus',
  description:
    '`PENDING_APPROVAL` waits for the platform. `APPROVED` was executed, by the policy or by the platform. `REJECTED` was refused by the ' +
    'platform. `FAILED` was not executed, or its transaction failed.',
});

export const AgentActionSchema = Type.Object(
  {
    id: Type.String({ description: 'The action, `AgentAction:<uuid>`.' }),
    agentId: Type.String({ description: 'The agent that asked.' }),
    customerId: Type.String({ description: 'The customer for whom it acts.' }),
    platformCustomerId: Type.String({ description: "The platform's own id of the customer." }),
    status: Described(ActionStatus, 'Where the action stands.'),
    type: Described(Enum(['EXECUTE_QUOTE'], { title: 'AgentActionType' }), 'What the agent asked for.'),
    quote: Type.Optional(Described(QuoteSchema, 'The quote as it stands now.')),
    transaction: Type.Optional(Described(TransactionSchema, 'The payment, once its execution has begun.')),
    rejectionReason: Type.Optional(Type.String({ description: 'Why it was rejected, if the platform said so.' })),
    createdAt: Timestamp({ description: 'When the agent asked.' }),
    updatedAt: Timestamp({ description: 'When the status last changed.' }),
  },
  { title: 'AgentAction' },
);

export const AgentActionListResponse = pageOfSchema(AgentActionSchema, 'AgentActionListResponse');

export const AgentActionRejectRequest = Closed(
  { reason: Type.Optional(Type.String({ maxLength: 1024, description: 'Shown on the action as `rejectionReason`.' })) },
  { title: 'AgentActionRejectRequest' },
);

const filter = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));

export const ApprovalQuery = Closed({
  agentId: filter('Actions of one agent, also of a deleted one.'),
  customerId: filter('Actions for one customer.'),
  startDate: Type.Optional(Timestamp({ description: 'Actions created at this time or later.' })),
  endDate: Type.Optional(Timestamp({ description: 'Actions created at this time or earlier.' })),
  ...pageQuery,
  sortOrder: Type.Optional(Enum(['asc', 'desc'], { default: 'desc', description: 'Oldest or newest first.' })),
});

export const ActionQuery = Closed({ status: Type.Optional(Described(ActionStatus, 'Actions with one status.')), ...pageQuery });

export const InternalAccountQuery = Closed({
  currency: filter('Accounts in one currency.'),
  type: Type.Optional(Described(InternalAccountTypeSchema, 'Accounts of one type.')),
  ...pageQuery,
});

export const ExternalAccountQuery = Closed({ currency: filter('Accounts in one currency.'), ...pageQuery });

/** As platforms filter, but for the customer, which is the agent's. */
const { customerId: _customer, platformCustomerId: _own, cardId: _card, ...transactionFilters } = TransactionQuery.properties;
export const AgentTransactionQuery = Closed(transactionFilters);

/** The transaction is shown once the execution has begun. */
export const renderAction = (platformId: PlatformId, { action, quote, challenge }: ShownAction): Record<string, unknown> => ({
  id: action.id,
  agentId: action.agentId,
  customerId: action.customerId,
  platformCustomerId: action.platformCustomerId,
  status: action.status,
  type: 'EXECUTE_QUOTE',
  quote: renderQuote(quote, challenge),
  ...(action.started && { transaction: renderPayment(platformId, quote.payment) }),
  ...(action.rejectionReason !== null && { rejectionReason: action.rejectionReason }),
  createdAt: action.createdAt.toISOString(),
  updatedAt: action.updatedAt.toISOString(),
});
