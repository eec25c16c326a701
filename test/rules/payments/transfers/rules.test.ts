// Which debits of an external account may be made, and what they become.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExternalAccount } from '../../../../src/domains/accounts/external-accounts/external-account.js';
import type { InternalAccount } from '../../../../src/domains/accounts/internal-accounts/internal-account.js';
import { amountOf, type DebitFacts, newDebit, refuseDebit } from '../../../../src/domains/payments/transfers/rules.js';
import { newId } from '../../../../src/kernel/ids.js';
import { currencyConfig, externalAccount, individualCustomer, internalAccount, platformWith } from '../../../support/payment-facts.js';
import { refusalBy } from '../../../support/refusal.js';

test('"amount required, integer ≥ 1", up to what JSON carries exactly', () => {
  const amount = (value: number | undefined) => refusalBy(() => amountOf(value));
  assert.equal(amount(undefined), 'INVALID_INPUT amount');
  assert.deepEqual([0, -1, 1, Number.MAX_SAFE_INTEGER].map(amount), ['INVALID_AMOUNT', 'INVALID_AMOUNT', 'allowed', 'allowed']);
  assert.equal(amount(Number.MAX_SAFE_INTEGER + 1), 'INVALID_AMOUNT');
  assert.deepEqual([amountOf(1), amountOf(500)], [1n, 500n]);
});

const facts = (fields: Partial<DebitFacts> = {}): DebitFacts => ({
  platform: platformWith(),
  source: externalAccount(),
  destination: internalAccount(),
  customer: null,
  ...fields,
});
const debit = (fields: Partial<DebitFacts>): string => refusalBy(() => refuseDebit(facts(fields)));

describe('a debit', () => {
  const STATES: Readonly<Record<ExternalAccount['status'], string>> = {
    ACTIVE: 'allowed',
    PENDING: 'BANK_ACCOUNT_VALIDATION_PENDING',
    INACTIVE: 'INVALID_BANK_ACCOUNT',
    UNDER_REVIEW: 'INVALID_RECEIVER',
    PENDING_OWNERSHIP_VERIFICATION: 'allowed',
    UNVERIFIED: 'allowed',
  };
  for (const [status, expected] of Object.entries(STATES) as [ExternalAccount['status'], string][])
    test(`of a source that is ${status}: ${expected}`, () => assert.equal(debit({ source: externalAccount({ status }) }), expected));

  const DESTINATIONS: Readonly<Record<InternalAccount['status'], string>> = {
    ACTIVE: 'allowed',
    CLOSED: 'ACCOUNT_NOT_FOUND',
    PENDING: 'INVALID_INPUT destination.accountId',
    FROZEN: 'INVALID_INPUT destination.accountId',
    FAILED: 'INVALID_INPUT destination.accountId',
  };
  for (const [status, expected] of Object.entries(DESTINATIONS) as [InternalAccount['status'], string][])
    test(`to an account that is ${status}: ${expected}`, () => assert.equal(debit({ destination: internalAccount({ status }) }), expected));

  test('pulls from a USD bank account alone', () => {
    assert.equal(debit({ source: externalAccount({ accountInfo: { accountType: 'BASE_WALLET' } }) }), 'INVALID_INPUT source.accountId');
  });

  test('"of the same holder into that holder\'s internal account"', () => {
    const [ada, bob] = [individualCustomer(), individualCustomer()];
    assert.equal(debit({ customer: ada, source: externalAccount({ customerId: ada.id }) }), 'allowed');
    assert.equal(debit({ customer: ada, source: externalAccount({ customerId: bob.id }) }), 'INVALID_INPUT source.accountId');
    assert.equal(debit({ customer: ada }), 'INVALID_INPUT source.accountId');
    assert.equal(debit({ source: externalAccount({ customerId: ada.id }) }), 'INVALID_INPUT source.accountId');
  });

  test('not into a RULE_BASED account', () => {
    assert.equal(debit({ destination: internalAccount({ type: 'RULE_BASED' }) }), 'INVALID_INPUT destination.accountId');
  });

  test('in one currency, which the platform takes in', () => {
    assert.equal(debit({ destination: internalAccount({ currency: 'EUR' }) }), 'INVALID_CURRENCY');
    const config = (supportedCurrencies: ReturnType<typeof currencyConfig>[]) => platformWith({ config: { supportedCurrencies } });
    assert.equal(debit({ platform: config([currencyConfig('EUR')]) }), 'INVALID_CURRENCY');
    assert.equal(debit({ platform: config([currencyConfig('USD', { enabledTransactionTypes: ['OUTGOING'] })]) }), 'INVALID_CURRENCY');
  });

  test('closed account, pending account, customer, kind of account, holder, currency: the first refusal wins', () => {
    const wrong = {
      customer: individualCustomer({ verificationStatus: 'HOLD' }),
      source: externalAccount({ status: 'PENDING', accountInfo: { accountType: 'BASE_WALLET' }, currency: 'USDC' }),
      destination: internalAccount({ status: 'CLOSED' }),
    } as const;
    let given: Partial<DebitFacts> = wrong;
    const steps: [Partial<DebitFacts>, string][] = [
      [{}, 'ACCOUNT_NOT_FOUND'],
      [{ destination: internalAccount({ type: 'RULE_BASED' }) }, 'BANK_ACCOUNT_VALIDATION_PENDING'],
      [
        { source: externalAccount({ status: 'INACTIVE', accountInfo: { accountType: 'BASE_WALLET' }, currency: 'USDC' }) },
        'CUSTOMER_NOT_VERIFIED',
      ],
      [{ customer: individualCustomer() }, 'INVALID_INPUT source.accountId'],
      [{ source: externalAccount({ status: 'INACTIVE', currency: 'USDC' }), customer: null }, 'INVALID_INPUT destination.accountId'],
      [{ destination: internalAccount() }, 'INVALID_BANK_ACCOUNT'],
      [{ source: externalAccount({ currency: 'USDC' }) }, 'INVALID_CURRENCY'],
      [{ source: externalAccount() }, 'allowed'],
    ];
    for (const [mended, expected] of steps) {
      given = { ...given, ...mended };
      assert.equal(debit(given), expected);
    }
  });
});

test('a debit is an INCOMING payment that the bank has not acknowledged; the same amount is credited, without fees', () => {
  const now = new Date('2026-03-04T05:00:00.000Z');
  const [id, platformId] = [newId('Transaction'), newId('Platform')];
  const { source, destination } = facts();
  const made = newDebit({ id, platformId, source, destination, customer: null, amount: 700n, now });
  assert.deepEqual(
    {
      type: [made.type, made.state],
      holder: [made.customerId, made.platformCustomerId],
      ends: [made.source, made.destination],
      amounts: [made.sent, made.received, made.fees, made.platformFees, made.borne, made.exchangeRate],
      empty: [made.quoteId, made.refund, made.settledAt, made.expiresAt, made.failureReason, made.creditTo, made.fundedAmount],
      times: [made.createdAt, made.updatedAt],
    },
    {
      type: ['INCOMING', 'SUBMITTED'],
      holder: [null, platformId],
      ends: [
        { type: 'ACCOUNT', accountId: source.id },
        { type: 'ACCOUNT', accountId: destination.id },
      ],
      amounts: [{ amount: 700n, currency: 'USD' }, { amount: 700n, currency: 'USD' }, 0n, 0n, 0n, '1'],
      empty: [null, null, null, null, null, null, null],
      times: [now, now],
    },
  );
  const customer = individualCustomer();
  const own = newDebit({ id, platformId, source, destination, customer, amount: 700n, now });
  assert.deepEqual([own.customerId, own.platformCustomerId], [customer.id, 'ada']);
});
