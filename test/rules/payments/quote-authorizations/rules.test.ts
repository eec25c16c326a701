// In which steps the payer authorizes a payment, and how the payee is named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstStep, isTrusted, nextStep, payeeOf } from '../../../../src/domains/payments/quote-authorizations/rules.js';
import { newId } from '../../../../src/kernel/ids.js';
import { externalAccount } from '../../../support/payment-facts.js';

const money = (sending: string, receiving: string) => ({
  sent: { amount: 1n, currency: sending },
  received: { amount: 1n, currency: receiving },
});

test('a conversion is authorized before the payout; within one currency there is one step', () => {
  assert.equal(firstStep(money('USD', 'USD')), 'TRANSFER');
  assert.equal(firstStep(money('USD', 'EUR')), 'CURRENCY_CONVERSION');
  assert.deepEqual((['CURRENCY_CONVERSION', 'PAYOUT', 'TRANSFER', null] as const).map(nextStep), [
    'PAYOUT',
    undefined,
    undefined,
    undefined,
  ]);
});

test('a trusted beneficiary of the payer needs no challenge; one of somebody else does', () => {
  const id = newId('Customer');
  const account = (isTrusted: boolean, customerId = id) => externalAccount({ customerId, isTrusted });
  assert.equal(isTrusted(account(true), { id }), true);
  assert.equal(isTrusted(account(false), { id }), false);
  assert.equal(isTrusted(account(true, newId('Customer')), { id }), false);
  assert.equal(isTrusted(undefined, { id }), false);
});

test('the payee: a UMA address, the beneficiary of an account, or else the account itself', () => {
  const uma = { destinationType: 'UMA_ADDRESS', umaAddress: '$bob@example.com', currency: 'EUR' } as const;
  const account = { destinationType: 'ACCOUNT', accountId: 'ExternalAccount:1' } as const;
  assert.equal(payeeOf({ destination: uma }, 'Bob'), '$bob@example.com');
  assert.equal(payeeOf({ destination: account }, 'Bob'), 'Bob');
  assert.equal(payeeOf({ destination: account }, undefined), 'ExternalAccount:1');
});
