// A card, its programs and the accounts that fund it, in memory, for tests of pure rules.
import type { Card, CardProgram, FundingAccount } from '../../src/domains/cards/cards/card.js';
import { findProgram } from '../../src/domains/cards/cards/programs.js';

export const NOW = new Date('2026-03-01T12:00:00.000Z');
const BEFORE = new Date('2026-03-01T11:00:00.000Z');

export const details = { brand: 'VISA', last4: '4242', expMonth: 3, expYear: 2030, processorRef: 'p', issuerRef: 'i' } as const;

/** A provisioned ACTIVE card on a USD account, with changes. */
export const cardOf = (change: Partial<Card> = {}): Card => ({
  id: 'Card:1',
  customerId: 'Customer:1',
  platformCardId: 'p',
  status: 'ACTIVE',
  statusReason: null,
  program: 'service_full',
  form: 'VIRTUAL',
  currency: 'USD',
  fundingAccountId: 'InternalAccount:1',
  fundingCurrency: 'USD',
  fundingSourceId: 'CardFundingSource:1',
  pinStatus: 'NOT_SET',
  details,
  maxSpendPerTransaction: 500n,
  maxSpendPerDay: 900n,
  maxTransactionsPerDay: 9,
  version: 7,
  provisioningDueAt: null,
  createdAt: BEFORE,
  updatedAt: BEFORE,
  ...change,
});

/** The card after one change now. */
export const changed = (card: Card, change: Partial<Card>): Card => ({ ...card, ...change, version: card.version + 1, updatedAt: NOW });

export function programOf(id: string): CardProgram {
  const program = findProgram(id);
  if (!program) throw new Error(`no program ${id}`);
  return program;
}

export const usd: FundingAccount = {
  id: 'InternalAccount:2',
  customerId: 'Customer:1',
  type: 'INTERNAL_FIAT',
  status: 'ACTIVE',
  currency: 'USD',
};
