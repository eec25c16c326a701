// What the issuer is told of a change: pure, because no sandbox issuer shows what it was told.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Card, CardPatch } from '../../../../src/domains/cards/cards/card.js';
import { findProgram } from '../../../../src/domains/cards/cards/programs.js';
import { changeCard, type NewFunding } from '../../../../src/domains/cards/cards/rules.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const FREEZE = { status: 'FROZEN', substatus: 'LOST', reason: 'left in a taxi' } as const;

const card: Card = {
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
  details: null,
  maxSpendPerTransaction: 500n,
  maxSpendPerDay: null,
  maxTransactionsPerDay: null,
  version: 7,
  provisioningDueAt: null,
  createdAt: NOW,
  updatedAt: NOW,
};
const other: NewFunding = {
  account: { id: 'InternalAccount:2', customerId: card.customerId, type: 'INTERNAL_FIAT', status: 'ACTIVE', currency: 'USD' },
  fundingSourceId: 'CardFundingSource:2',
};

function told(programId: string, patch: CardPatch, newFunding?: NewFunding) {
  const program = findProgram(programId);
  assert.ok(program);
  const { instruction } = changeCard({ card: { ...card, program: programId }, program, patch, newFunding, hasUsableKey: false, now: NOW });
  if (!instruction) return undefined;
  const { card: named, ...rest } = instruction;
  assert.deepEqual([named.id, named.version], [card.id, card.version]);
  return rest;
}

describe('what the issuer is told', () => {
  test('a requested status with its substatus, "forwarded to the issuer", and its reason', () =>
    assert.deepEqual(told('service_full', FREEZE), { status: { to: 'FROZEN', substatus: 'LOST', reason: 'left in a taxi' } }));

  test('a 3-D Secure password, and with a status both at once', () => {
    const threeDSecurePassword = 'correct horse 1';
    assert.deepEqual(told('service_3ds', { threeDSecurePassword }), { threeDSecurePassword });
    assert.deepEqual(Object.keys(told('service_3ds', { ...FREEZE, threeDSecurePassword }) ?? {}), ['status', 'threeDSecurePassword']);
  });

  test('limits and funding where the issuer decides authorizations; the limits all, as they shall be', () => {
    const limits = { maxSpendPerTransaction: 500n, maxSpendPerDay: 900n, maxTransactionsPerDay: null };
    assert.deepEqual(told('issuer_decided', { maxSpendPerDay: 900n }), { limits });
    assert.deepEqual(told('issuer_decided', { fundingSource: other.account.id }, other), { fundingAccountId: other.account.id });
  });

  test('nothing of limits and funding where the service decides', () => {
    assert.equal(told('service_full', { maxSpendPerDay: 900n }), undefined);
    assert.equal(told('service_full', { fundingSource: other.account.id }, other), undefined);
  });
});
