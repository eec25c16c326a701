// Hooks of transactions, answered by later domains.
import type { Tx } from '../../../db/pool.js';
import { defineHook } from '../../../kernel/hook.js';
import type { PlatformId, TransactionId } from '../../../kernel/ids.js';
import type { Payment } from '../payments/payment.js';

export type AgentDecision = {
  readonly platformId: PlatformId;
  readonly transactionId: TransactionId;
  readonly decision: 'APPROVE' | 'REJECT';
  readonly reason?: string | undefined;
  readonly now: Date;
};

/**
 * The platform decides on what an agent wants to pay. Called before any row is locked, for an outgoing payment of an agent. Undefined when
 * nothing of the agent waits for the platform.
 */
export const agentDecision = defineHook<(tx: Tx, decision: AgentDecision) => Promise<Payment | undefined>>('transactions.agent-decision');
