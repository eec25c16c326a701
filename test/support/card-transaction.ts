// A card transaction in memory, for tests of pure rules.
import type { CardTransaction } from '../../src/domains/cards/authorizations/card-transaction.js';

const AT = new Date('2026-03-01T12:00:00.000Z');

/** An open purchase of 100 on which nothing has been reserved, with changes. */
export const transactionOf = (change: Partial<CardTransaction> = {}): CardTransaction => ({
  id: 'Transaction:1',
  cardId: 'Card:1',
  accountId: 'InternalAccount:1',
  customerId: 'Customer:1',
  platformCustomerId: 'ada',
  issuerToken: 'token',
  merchant: { descriptor: 'CORNER SHOP' },
  currency: 'USD',
  direction: 'DEBIT',
  status: 'AUTHORIZED',
  declinedReason: null,
  originalTransactionId: null,
  authorized: 100n,
  settled: 0n,
  refunded: 0n,
  held: 0n,
  pulled: 0n,
  shortfall: 0n,
  pull: 'PROMPT',
  pullDueAt: null,
  expiresAt: null,
  createdAt: AT,
  updatedAt: AT,
  ...change,
});
