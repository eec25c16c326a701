// The instruction to the issuer for a change of a card. A unit test, because the sandbox issuer does not show the instructions it received.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CardPatch } from '../../../../src/domains/cards/cards/card.js';
import { findProgram } from '../../../../src/domains/cards/cards/programs.js';
import { changeCard, type NewFunding } from '../../../../src/domains/cards/cards/rules.js';
import { cardOf, NOW } from '../../../support/card.js';

const FREEZE = { status: 'FROZEN', substatus: 'LOST', reason: 'left in a taxi' } as const;

const card = cardOf({ details: null, maxSpendPerDay: null, maxTransactionsPerDay: null });
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

describe('instruction to the issuer', () => {
  test('contains the requested status with its substatus, "forwarded to the issuer", and its reason', () =>
    assert.deepEqual(told('service_full', FREEZE), { status: { to: 'FROZEN', substatus: 'LOST', reason: 'left in a taxi' } }));

  test('contains the 3-D Secure password, alone or with a status', () => {
    const threeDSecurePassword = 'correct horse 1';
    assert.deepEqual(told('service_3ds', { threeDSecurePassword }), { threeDSecurePassword });
    assert.deepEqual(Object.keys(told('service_3ds', { ...FREEZE, threeDSecurePassword }) ?? {}), ['status', 'threeDSecurePassword']);
  });

  test('contains all limits and the funding source if the issuer decides authorizations', () => {
    const limits = { maxSpendPerTransaction: 500n, maxSpendPerDay: 900n, maxTransactionsPerDay: null };
    assert.deepEqual(told('issuer_decided', { maxSpendPerDay: 900n }), { limits });
    assert.deepEqual(told('issuer_decided', { fundingSource: other.account.id }, other), { fundingAccountId: other.account.id });
  });

  test('contains neither limits nor funding source if the service decides authorizations', () => {
    assert.equal(told('service_full', { maxSpendPerDay: 900n }), undefined);
    assert.equal(told('service_full', { fundingSource: other.account.id }, other), undefined);
  });
});
