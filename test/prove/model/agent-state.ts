// The objects of a history of agents.
import type { AgentClient } from '../../support/agents.js';
import type { Keys } from '../../support/wallet.js';
import { type Account, type Payee, Payment, type Policy, type Usage } from './agent-model.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is checked against the document.
export type Resource = any;

/** An id that nothing has, without its prefix. */
export const UNKNOWN = '01950000-0000-7000-8000-000000000000';

/** Money that arrived on an account. */
export type Deposit = { readonly id: string; readonly account: Account; readonly amount: number };

export type Person = {
  readonly id: string;
  readonly platformCustomerId: string;
  readonly usd: Account;
  readonly usdb: Account;
  readonly credential: Resource;
  keys: Keys | undefined;
  signedInUntil: number;
  isDeleted: boolean;
  /** "KYC is not asked here: quotes ask it." */
  readonly isVerified: boolean;
  /** In the order of creation, like every list of the model. */
  readonly payees: Payee[];
  readonly transactions: (Payment | Deposit)[];
};

export type Code = { readonly code: string; readonly expiresAt: number; state: 'OPEN' | 'REDEEMED' | 'REPLACED' };

export type Action = {
  readonly id: string;
  readonly agent: AgentState;
  readonly payment: Payment;
  readonly neededApproval: boolean;
  readonly createdAt: number;
  status: 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED' | 'FAILED';
  hasStarted: boolean;
  /** The time of the quote passed before anyone decided. */
  isUndecided: boolean;
  reason: string | undefined;
};

export type AgentState = {
  readonly id: string;
  readonly person: Person;
  readonly createdAt: number;
  readonly usage: Usage;
  readonly codes: Code[];
  readonly payments: Payment[];
  readonly actions: Action[];
  name: string;
  isPaused: boolean;
  isDeleted: boolean;
  policy: Policy;
  /** With its access token, once it is connected. */
  client: AgentClient | undefined;
};

/** An agent that has redeemed its code. */
export type Connected = AgentState & { client: AgentClient };

/** A transaction as the model knows it. */
export const rowOf = (row: Payment | Deposit): unknown[] =>
  row instanceof Payment
    ? [row.facts.id, 'OUTGOING', row.status, row.facts.agentId, row.facts.amount]
    : [row.id, 'INCOMING', 'COMPLETED', undefined, row.amount];
export const gist = ({ id, type, status, agentId, sentAmount, receivedAmount }: Resource): unknown[] => [
  id,
  type,
  status,
  agentId,
  (type === 'INCOMING' ? receivedAmount : sentAmount).amount,
];
