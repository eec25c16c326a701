// A quote that can be made, without a database: tests of rules change one fact of it.
import type { QuoteFacts, QuoteRequest } from '../../src/domains/payments/quotes/rules.js';
import type { Market } from '../../src/domains/payments/rates/price.js';
import { sandboxRates } from '../../src/providers/sandbox-rates.js';
import { externalAccount, internalAccount, platformWith } from './payment-facts.js';

const AT = new Date('2026-03-04T05:00:00.000Z');

/** The published table. Currencies in `without` have no rate at the moment. */
export const marketOf = (...without: readonly string[]): Market => ({
  currencies: ['USD', 'EUR'],
  rateOf: (sending, receiving) =>
    without.includes(sending) || without.includes(receiving) ? undefined : sandboxRates.table.rateOf(sending, receiving),
  honours: () => true,
  updatedAt: () => AT,
});

export const quoteRequest = (fields: Partial<QuoteRequest> = {}): QuoteRequest => ({
  source: { sourceType: 'ACCOUNT', accountId: 'InternalAccount:1' },
  destination: { destinationType: 'ACCOUNT', accountId: 'ExternalAccount:1' },
  lockedSide: 'SENDING',
  lockedAmount: 10_000n,
  immediatelyExecute: false,
  description: undefined,
  remittanceInformation: undefined,
  purposeOfPayment: undefined,
  documentIds: [],
  lookupId: undefined,
  senderCustomerInfo: {},
  platformFeeOverride: undefined,
  ...fields,
});

/** The platform pays from its USD account to its own USD bank account. */
export const quoteFacts = (fields: Partial<QuoteFacts> = {}): QuoteFacts => ({
  platform: platformWith(),
  request: quoteRequest(),
  source: { kind: 'INTERNAL', account: internalAccount() },
  destination: { kind: 'EXTERNAL', account: externalAccount(), rails: ['ACH', 'WIRE'], network: undefined },
  customer: null,
  documents: [],
  lookup: undefined,
  market: marketOf(),
  now: AT,
  ...fields,
});
