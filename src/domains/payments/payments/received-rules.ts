// What the receiver has of a payment that stays in the service. Pure.
import type { IncomingPayment, OutgoingPayment } from './payment.js';

export type ReceivedFacts = Pick<IncomingPayment, 'id' | 'customerId' | 'platformCustomerId'> & {
  readonly payment: OutgoingPayment;
  readonly now: Date;
};

/** The receiver's side of a payment that stays in the service. The payer bears the fees; the payer's agent, rule and bank are no part of it. */
export const receivedPayment = ({ id, customerId, platformCustomerId, payment, now }: ReceivedFacts): IncomingPayment => ({
  ...payment,
  type: 'INCOMING',
  state: 'COMPLETED',
  id,
  customerId,
  platformCustomerId,
  quoteId: null,
  source: payment.source.type === 'UMA_ADDRESS' ? payment.source : { ...payment.source, rail: undefined },
  ruleBasedAccountId: null,
  agentId: null,
  fees: 0n,
  platformFees: 0n,
  rateDetails: null,
  feeAccountId: null,
  counterpartId: payment.id,
  settledAt: now,
  createdAt: now,
  updatedAt: now,
});
