// Payments without a database, for tests of rules.
import type { IncomingPayment, OutgoingPayment } from '../../src/domains/payments/payments/payment.js';
import { idOf, newId, newUuid } from '../../src/kernel/ids.js';

const AT = new Date('2026-03-04T05:00:00.000Z');

const common = () => ({
  id: newId('Transaction'),
  customerId: newId('Customer'),
  platformCustomerId: 'customer',
  quoteId: newId('Quote'),
  sent: { amount: 100_000n, currency: 'USD' },
  received: { amount: 91_714n, currency: 'EUR' },
  fees: 310n,
  platformFees: 0n,
  exchangeRate: '1.08695652',
  rateDetails: null,
  fundedAmount: null,
  paymentRail: 'SEPA_INSTANT',
  railSelection: 'AUTO' as const,
  failureReason: null,
  pendingReason: null,
  refund: null,
  description: null,
  remittanceInformation: null,
  purposeOfPayment: null,
  counterpartyInformation: null,
  feeAccountId: null,
  counterpartId: null,
  creditTo: null,
  requestedFields: [],
  borne: 0n,
  ruleBasedAccountId: null,
  agentId: null,
  settledAt: null,
  expectedSettlementAt: null,
  settlementSeconds: null,
  receiptConfirmedAt: null,
  expiresAt: null,
  createdAt: AT,
  updatedAt: AT,
});

/** A payment of a customer's USD account to a EUR account outside. */
export const outgoingPayment = (fields: Partial<OutgoingPayment> = {}): OutgoingPayment => ({
  ...common(),
  type: 'OUTGOING',
  state: 'QUOTED',
  source: { type: 'ACCOUNT', accountId: idOf('InternalAccount', newUuid()) },
  destination: { type: 'ACCOUNT', accountId: idOf('ExternalAccount', newUuid()) },
  ...fields,
});

/** A deposit to a customer's USD account. */
export const incomingPayment = (fields: Partial<IncomingPayment> = {}): IncomingPayment => ({
  ...common(),
  type: 'INCOMING',
  state: 'PROCESSING',
  quoteId: null,
  sent: { amount: 5_000n, currency: 'USD' },
  received: { amount: 5_000n, currency: 'USD' },
  fees: 0n,
  exchangeRate: '1',
  source: { type: 'REALTIME_FUNDING' },
  destination: { type: 'ACCOUNT', accountId: idOf('InternalAccount', newUuid()) },
  ...fields,
});
