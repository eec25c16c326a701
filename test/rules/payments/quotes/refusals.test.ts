// Which quotes are refused, by which code, and which refusal comes first.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExternalAccount } from '../../../../src/domains/accounts/external-accounts/external-account.js';
import type { InternalAccount } from '../../../../src/domains/accounts/internal-accounts/internal-account.js';
import {
  checkRequest,
  type DestinationFacts,
  fundingOf,
  leaves,
  platformFeesFor,
  priceQuote,
  type QuoteFacts,
  refuseAccountStates,
  refuseInactive,
  refuseTransfer,
  refuseUnproved,
  type SourceFacts,
} from '../../../../src/domains/payments/quotes/rules.js';
import { fraction } from '../../../../src/kernel/fraction.js';
import { newId } from '../../../../src/kernel/ids.js';
import { currencyConfig, externalAccount, individualCustomer, internalAccount, platformWith } from '../../../support/payment-facts.js';
import { marketOf, quoteFacts, quoteRequest } from '../../../support/quote-facts.js';
import { answerOf, refusalBy } from '../../../support/refusal.js';

const from = (fields: Partial<InternalAccount> = {}): SourceFacts => ({ kind: 'INTERNAL', account: internalAccount(fields) });
const pulled = (fields: Partial<ExternalAccount> = {}, isPullable = true): SourceFacts => ({
  kind: 'EXTERNAL',
  account: externalAccount(fields),
  isPullable,
});
const pushed = (currency = 'USD'): SourceFacts => ({ kind: 'REALTIME', currency, network: undefined });
const inside = (fields: Partial<InternalAccount> = {}): DestinationFacts => ({ kind: 'INTERNAL', account: internalAccount(fields) });
const outside = (fields: Partial<ExternalAccount> = {}, rails: readonly string[] = ['ACH', 'WIRE']): DestinationFacts => ({
  kind: 'EXTERNAL',
  account: externalAccount(fields),
  rails,
  network: undefined,
});
const uma = (address = '$bob@example.com', currency = 'EUR'): DestinationFacts => ({ kind: 'UMA', address, currency });

const checked = (fields: Partial<QuoteFacts>): string => refusalBy(() => checkRequest(quoteFacts(fields)));

test('how the money is provided', () => {
  assert.deepEqual([pushed(), pulled(), from({ type: 'EMBEDDED_WALLET' }), from(), from({ type: 'BULK_SETTLEMENT' })].map(fundingOf), [
    'REALTIME',
    'PULL',
    'EMBEDDED_WALLET',
    'PREFUNDED',
    'PREFUNDED',
  ]);
  assert.deepEqual([outside(), uma(), inside()].map(leaves), [true, true, false]);
});

/** A receiver that takes these currencies. */
const lookupOf = (currencies: readonly { readonly code: string; readonly min: bigint; readonly max: bigint }[]) => ({
  id: newId('Lookup'),
  receiver: '$bob@example.com',
  expiresAt: new Date(),
  found: { address: '$bob@example.com', callback: 'https://example.com', version: '1.0', currencies, payerFields: [] },
});

describe('account states', () => {
  const STATES: Readonly<Record<InternalAccount['status'], string>> = {
    ACTIVE: 'allowed',
    CLOSED: 'ACCOUNT_NOT_FOUND',
    PENDING: 'INVALID_INPUT',
    FROZEN: 'INVALID_INPUT',
    FAILED: 'INVALID_INPUT',
  };
  for (const [status, expected] of Object.entries(STATES) as [InternalAccount['status'], string][])
    test(`internal ${status}: ${expected}`, () => {
      const named = (field: string) => (expected === 'INVALID_INPUT' ? `${expected} ${field}` : expected);
      assert.equal(checked({ source: from({ status }) }), named('source.accountId'));
      assert.equal(checked({ destination: inside({ status }) }), named('destination.accountId'));
    });

  const EXTERNAL: Readonly<Record<ExternalAccount['status'], string>> = {
    ACTIVE: 'allowed',
    PENDING: 'BANK_ACCOUNT_VALIDATION_PENDING',
    INACTIVE: 'INVALID_BANK_ACCOUNT',
    UNDER_REVIEW: 'INVALID_RECEIVER',
    PENDING_OWNERSHIP_VERIFICATION: 'allowed',
    UNVERIFIED: 'allowed',
  };
  for (const [status, expected] of Object.entries(EXTERNAL) as [ExternalAccount['status'], string][])
    test(`external ${status}: ${expected}`, () => {
      assert.equal(checked({ destination: outside({ status }) }), expected);
      assert.equal(checked({ source: pulled({ status }) }), expected);
    });

  test('an account that is gone comes before one that is not ready yet, whichever end it is', () => {
    const states = (source: SourceFacts, destination: DestinationFacts) => refusalBy(() => refuseAccountStates(source, destination));
    assert.equal(states(pulled({ status: 'PENDING' }), inside({ status: 'CLOSED' })), 'ACCOUNT_NOT_FOUND');
    assert.equal(states(from({ status: 'CLOSED' }), outside({ status: 'PENDING' })), 'ACCOUNT_NOT_FOUND');
    assert.equal(states(from({ status: 'FROZEN' }), outside({ status: 'INACTIVE' })), 'allowed');
  });

  test('at execution: accounts that became unusable, the payer first', () => {
    const inactive = (source: SourceFacts, destination: DestinationFacts) => refusalBy(() => refuseInactive(source, destination));
    assert.equal(inactive(from({ status: 'FROZEN' }), inside({ status: 'FROZEN' })), 'INVALID_INPUT source.accountId');
    assert.equal(inactive(from(), inside({ status: 'FROZEN' })), 'INVALID_INPUT destination.accountId');
    assert.equal(inactive(from({ status: 'FROZEN' }), outside({ status: 'INACTIVE' })), 'INVALID_INPUT source.accountId');
    assert.equal(inactive(from(), uma()), 'allowed');
  });
});

describe('who may pay whom', () => {
  const [ada, bob] = [individualCustomer(), individualCustomer({ umaAddress: '$bob@uma.example' })];
  test('"a customer pays to external accounts of her own and of the platform, the platform to any"', () => {
    const toBob = outside({ customerId: bob.id });
    assert.equal(checked({ customer: ada, destination: toBob }), 'INVALID_INPUT destination.accountId');
    assert.equal(checked({ customer: bob, destination: toBob }), 'allowed');
    assert.equal(checked({ customer: ada, destination: outside() }), 'allowed');
    assert.equal(checked({ customer: null, destination: toBob }), 'allowed');
  });

  test('money is pulled from a pullable account of the sender alone', () => {
    assert.equal(checked({ source: pulled({}, false) }), 'INVALID_INPUT source.accountId');
    assert.equal(checked({ customer: ada, source: pulled({ customerId: ada.id }) }), 'allowed');
    assert.equal(checked({ customer: ada, source: pulled({ customerId: bob.id }) }), 'INVALID_INPUT source.accountId');
    assert.equal(checked({ customer: ada, source: pulled() }), 'INVALID_INPUT source.accountId');
    assert.equal(checked({ customer: null, source: pulled({ customerId: ada.id }) }), 'INVALID_INPUT source.accountId');
  });

  test('RULE_BASED accounts are neither source nor destination', () => {
    assert.equal(checked({ source: from({ type: 'RULE_BASED' }) }), 'INVALID_INPUT source.accountId');
    assert.equal(checked({ destination: inside({ type: 'RULE_BASED' }) }), 'INVALID_INPUT destination.accountId');
  });

  test('source = destination, or a UMA address of the own: SELF_PAYMENT', () => {
    const account = internalAccount();
    assert.equal(checked({ source: { kind: 'INTERNAL', account }, destination: { kind: 'INTERNAL', account } }), 'SELF_PAYMENT');
    const bank = externalAccount();
    const self = { source: { kind: 'EXTERNAL', account: bank, isPullable: true } } as const;
    assert.equal(checked({ ...self, destination: { kind: 'EXTERNAL', account: bank, rails: [], network: undefined } }), 'SELF_PAYMENT');
    const own = individualCustomer({ umaAddress: '$Ada@uma.example' });
    assert.equal(checked({ customer: own, destination: uma('$ada@uma.example') }), 'SELF_PAYMENT');
    assert.equal(checked({ source: pushed(), destination: outside() }), 'allowed');
  });
});

describe('the sender', () => {
  test('must be APPROVED: CUSTOMER_NOT_VERIFIED; the platform itself is not asked', () => {
    for (const verificationStatus of ['UNVERIFIED', 'PENDING', 'REJECTED', 'HOLD'] as const)
      assert.equal(checked({ customer: individualCustomer({ verificationStatus }) }), 'CUSTOMER_NOT_VERIFIED');
    assert.equal(checked({ customer: individualCustomer() }), 'allowed');
  });

  test('accepts the terms where the operator asks for them', () => {
    const platform = platformWith({ endUserTermsRequired: true });
    assert.equal(checked({ platform, customer: individualCustomer() }), 'END_USER_TERMS_NOT_ACCEPTED');
    assert.equal(checked({ platform, customer: null }), 'allowed');
  });
});

describe('the rail', () => {
  const asked = (paymentRail?: string) =>
    quoteRequest({ destination: { destinationType: 'ACCOUNT', accountId: 'ExternalAccount:1', ...(paymentRail && { paymentRail }) } });
  const railOf = (fields: Partial<QuoteFacts>) => checkRequest(quoteFacts(fields)).rail;

  test('asked for: MANUAL; the default of the account: AUTO; without a rail neither', () => {
    assert.deepEqual(railOf({ request: asked('WIRE') }), { paymentRail: 'WIRE', railSelection: 'MANUAL' });
    assert.deepEqual(railOf({ request: asked() }), { paymentRail: 'ACH', railSelection: 'AUTO' });
    assert.deepEqual(railOf({ destination: outside({}, []) }), { paymentRail: null, railSelection: null });
    assert.deepEqual(railOf({ destination: inside() }), { paymentRail: null, railSelection: null });
  });

  test('one that the account does not have is INVALID_INPUT and names those it has; an internal destination has none', () => {
    assert.deepEqual(
      answerOf(() => railOf({ request: asked('SEPA') })),
      [
        'INVALID_INPUT',
        {
          errors: [{ field: 'destination.paymentRail', message: 'is not a rail of the account', constraint: { enum: ['ACH', 'WIRE'] } }],
        },
      ],
    );
    assert.equal(checked({ request: asked('ACH'), destination: inside() }), 'INVALID_INPUT destination.paymentRail');
  });
});

describe('currencies', () => {
  test('the platform must have the sending currency with OUTGOING enabled', () => {
    assert.equal(checked({ source: from({ currency: 'GBP' }) }), 'INVALID_CURRENCY');
    const platform = platformWith({
      config: { supportedCurrencies: [currencyConfig('USD', { enabledTransactionTypes: ['INCOMING'] }), currencyConfig('EUR')] },
    });
    assert.equal(checked({ platform }), 'INVALID_CURRENCY');
  });

  test('realtime funding: USD, EUR, MXN, BRL, COP, ARS, USDC, USDT, BTC and USDB', () => {
    const currencies = 'USD EUR MXN BRL COP ARS USDC USDT BTC USDB GBP INR'.split(' ');
    const platform = platformWith({ config: { supportedCurrencies: currencies.map((code) => currencyConfig(code)) } });
    const refused = currencies.filter((currency) => checked({ platform, source: pushed(currency) }) !== 'allowed');
    assert.deepEqual(refused, ['GBP', 'INR']);
    assert.equal(checked({ platform, source: pushed('GBP') }), 'INVALID_CURRENCY');
    assert.equal(checked({ platform, source: from({ currency: 'GBP' }) }), 'allowed', 'an account may hold any');
  });

  test('a UMA receiver takes the currencies of its look-up', () => {
    const lookup = lookupOf([
      { code: 'EUR', min: 1n, max: 9n },
      { code: 'MXN', min: 1n, max: 9n },
    ]);
    assert.equal(checked({ destination: uma('$bob@example.com', 'EUR'), lookup }), 'allowed');
    assert.equal(checked({ destination: uma('$bob@example.com', 'GBP'), lookup }), 'INVALID_CURRENCY');
    assert.equal(checked({ destination: uma('$bob@example.com', 'EUR'), lookup: { ...lookup, found: null } }), 'INVALID_CURRENCY');
    assert.equal(checked({ destination: uma('$bob@example.com', 'EUR') }), 'INVALID_CURRENCY');
  });
});

describe('immediatelyExecute', () => {
  const request = quoteRequest({ immediatelyExecute: true });
  test('"not for an embedded wallet nor for realtime funding"', () => {
    assert.equal(checked({ request, source: from({ type: 'EMBEDDED_WALLET' }) }), 'INVALID_INPUT immediatelyExecute');
    assert.equal(checked({ request, source: pushed() }), 'INVALID_INPUT immediatelyExecute');
    assert.equal(checked({ request, source: from() }), 'allowed');
    assert.equal(checked({ request, source: pulled() }), 'allowed');
    assert.equal(checked({ source: from({ type: 'EMBEDDED_WALLET' }) }), 'allowed', 'without it');
  });
});

describe('purpose and documents', () => {
  const china = (beneficiaryType: 'BUSINESS' | 'INDIVIDUAL') =>
    outside({ currency: 'CNY', accountInfo: { accountType: 'CNY_ACCOUNT', accountNumber: '6222', beneficiary: { beneficiaryType } } });
  const invoice = {
    id: newId('PaymentDocument'),
    customerId: null,
    documentType: 'INVOICE',
    fileId: newId('File'),
    fileName: 'invoice.pdf',
    sizeBytes: 1,
    contentType: 'application/pdf',
    quoteId: null,
    expiresAt: new Date('2027-01-01T00:00:00Z'),
    createdAt: new Date('2026-01-01T00:00:00Z'),
  } as const;
  const purpose = (purposeOfPayment: string) => quoteRequest({ purposeOfPayment });

  test('a purpose is required for INR and for business bank payouts in CNY, else optional', () => {
    assert.equal(checked({ destination: outside({ currency: 'INR' }) }), 'INVALID_INPUT purposeOfPayment');
    assert.equal(checked({ destination: outside({ currency: 'INR' }), request: purpose('GIFT') }), 'allowed');
    assert.equal(checked({ destination: china('BUSINESS') }), 'INVALID_INPUT purposeOfPayment');
    assert.equal(checked({ destination: china('INDIVIDUAL') }), 'allowed');
    const wallet = outside({ currency: 'CNY', accountInfo: { accountType: 'CNY_ACCOUNT', beneficiary: { beneficiaryType: 'BUSINESS' } } });
    assert.equal(checked({ destination: wallet }), 'allowed', 'a wallet is no bank account');
    assert.equal(checked({ destination: outside({ accountInfo: { accountType: 'CNY_ACCOUNT', accountNumber: '1' } }) }), 'allowed');
    assert.equal(checked({ request: purpose('GIFT') }), 'allowed');
    assert.equal(checked({ destination: inside(), request: purpose('GIFT') }), 'allowed');
  });

  test('documents prove the purpose there, and are taken nowhere else', () => {
    const documents = [invoice];
    assert.equal(checked({ destination: china('BUSINESS'), request: purpose('SERVICE_CHARGES'), documents }), 'allowed');
    assert.equal(checked({ destination: china('BUSINESS'), request: purpose('SERVICE_CHARGES') }), 'DOCUMENTS_REQUIRED');
    assert.equal(checked({ destination: china('BUSINESS'), request: purpose('GIFT'), documents }), 'SENDER_NOT_ACCEPTED');
    assert.equal(checked({ request: purpose('SERVICE_CHARGES'), documents }), 'INVALID_INPUT documentIds');
    assert.equal(checked({ destination: inside(), documents }), 'INVALID_INPUT documentIds');
  });

  test('a used or expired document comes before everything about the sender', () => {
    const customer = individualCustomer({ verificationStatus: 'PENDING' });
    assert.equal(checked({ customer, documents: [{ ...invoice, quoteId: newId('Quote') }] }), 'PAYMENT_DOCUMENT_ALREADY_USED');
    assert.equal(checked({ customer, documents: [{ ...invoice, expiresAt: quoteFacts().now }] }), 'PAYMENT_DOCUMENT_EXPIRED');
  });
});

describe('amounts', () => {
  const terms = {
    sending: 'USD',
    receiving: 'USD',
    rate: fraction(1n),
    fees: { platformFixed: 0n, platformBps: 0n, serviceFixed: 0n, serviceBps: 0n },
  };
  const priced = (lockedAmount: bigint, fields: Partial<QuoteFacts> = {}, config = currencyConfig('USD'), more = {}): string =>
    refusalBy(() =>
      priceQuote(quoteFacts({ request: quoteRequest({ lockedAmount, ...more }), ...fields }), terms, config, (sent) =>
        fraction(sent, 100n),
      ),
    );

  test("the platform's bounds, both included", () => {
    const config = currencyConfig('USD', { minAmount: 500, maxAmount: 1_000 });
    assert.deepEqual(
      [499n, 500n, 1_000n, 1_001n].map((amount) => priced(amount, {}, config)),
      ['AMOUNT_OUT_OF_RANGE', 'allowed', 'allowed', 'AMOUNT_OUT_OF_RANGE'],
    );
    assert.equal(priced(499n, { destination: inside() }, config), 'AMOUNT_OUT_OF_RANGE', 'also within the service');
  });

  test('"from the equivalent of 1.00 USD to 100,000.00 USD. Exactly the bound is allowed. Internal destinations: no band"', () => {
    assert.deepEqual(
      [99n, 100n, 10_000_000n, 10_000_001n].map((amount) => priced(amount)),
      ['AMOUNT_OUT_OF_RANGE', 'allowed', 'allowed', 'TRANSACTION_SIZE_LIMIT_EXCEEDED'],
    );
    assert.deepEqual(
      [1n, 10_000_001n].map((amount) => priced(amount, { destination: inside() })),
      ['allowed', 'allowed'],
    );
  });

  test('"a transfer-out from 1 unit", and no larger than a quote', () => {
    const isTransfer = { isTransfer: true };
    assert.equal(priced(1n, {}, currencyConfig('USD'), isTransfer), 'allowed');
    assert.equal(priced(10_000_001n, {}, currencyConfig('USD'), isTransfer), 'TRANSACTION_SIZE_LIMIT_EXCEEDED');
  });

  test('without a rate to USD the band is unknown: QUOTE_REQUEST_FAILED', () => {
    const facts = { source: from({ currency: 'EUR' }), market: marketOf('EUR') };
    assert.equal(priced(10_000n, facts), 'QUOTE_REQUEST_FAILED');
    assert.equal(priced(10_000n, { ...facts, destination: inside() }), 'allowed');
  });

  test('the bounds of a UMA receiver, both included', () => {
    const lookup = lookupOf([
      { code: 'EUR', min: 1n, max: 1n },
      { code: 'USD', min: 200n, max: 300n },
    ]);
    const to = { destination: uma('$bob@example.com', 'USD'), lookup };
    assert.deepEqual(
      [199n, 200n, 300n, 301n].map((amount) => priced(amount, to)),
      ['AMOUNT_OUT_OF_RANGE', 'allowed', 'allowed', 'AMOUNT_OUT_OF_RANGE'],
    );
    assert.equal(priced(1_000n, { ...to, lookup: undefined }), 'allowed');
    assert.equal(priced(1_000n, { lookup }), 'allowed', 'they bind no account');
  });

  test('an unproved wallet takes "up to and including the equivalent of 1000.00 EUR", at creation too', () => {
    const unproved = outside({ status: 'UNVERIFIED' });
    assert.equal(priced(100_000n, { destination: unproved }), 'allowed');
    assert.equal(priced(100_001n, { destination: unproved }), 'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED');
  });
});

describe('a wallet whose ownership is not proved', () => {
  const EUR = { least: fraction(1n, 100n), bound: fraction(1_000n), above: fraction(100_001n, 100n) };
  const TABLE: Readonly<Record<ExternalAccount['status'], boolean>> = {
    ACTIVE: false,
    PENDING: false,
    INACTIVE: false,
    UNDER_REVIEW: false,
    PENDING_OWNERSHIP_VERIFICATION: true,
    UNVERIFIED: true,
  };
  for (const [status, isBound] of Object.entries(TABLE) as [ExternalAccount['status'], boolean][])
    test(`${status}: ${isBound ? 'up to 1000.00 EUR' : 'no bound'}`, () => {
      const refused = isBound ? 'EXTERNAL_ACCOUNT_VERIFICATION_REQUIRED' : 'allowed';
      assert.deepEqual(
        [EUR.least, EUR.bound, EUR.above, undefined].map((eur) => refusalBy(() => refuseUnproved({ status }, eur))),
        ['allowed', 'allowed', refused, refused],
      );
    });
});

describe('platformFeeOverride', () => {
  const configured = { platformFixed: 50n, platformBps: 30n };
  const override = (amount: bigint, bps: bigint, currency = 'USD') => ({ platformFeeOverride: { fixed: { amount, currency }, bps } });
  const fees = (customer: QuoteFacts['customer'], more: Parameters<typeof quoteRequest>[0] = {}, sending = 'USD') =>
    platformFeesFor({ request: quoteRequest(more), customer }, sending, configured);
  const ada = individualCustomer();

  test('replaces the settings for one quote of a customer', () => {
    assert.deepEqual(fees(ada), configured);
    assert.deepEqual(fees(ada, override(7n, 9n)), { platformFixed: 7n, platformBps: 9n });
    assert.deepEqual(fees(ada, override(0n, 0n)), { platformFixed: 0n, platformBps: 0n });
  });

  test('payments of the platform itself carry none, and an override other than zero is refused', () => {
    assert.deepEqual(fees(null), { platformFixed: 0n, platformBps: 0n });
    assert.deepEqual(fees(null, override(0n, 0n)), { platformFixed: 0n, platformBps: 0n });
    for (const given of [override(1n, 0n), override(0n, 1n)])
      assert.equal(
        refusalBy(() => fees(null, given)),
        'INVALID_INPUT platformFeeOverride',
      );
  });

  test('"INVALID_INPUT when the sending currency is not USD, the fixed fee is in another currency"', () => {
    assert.equal(
      refusalBy(() => fees(ada, override(1n, 1n, 'EUR'), 'EUR')),
      'INVALID_INPUT platformFeeOverride',
    );
    assert.equal(
      refusalBy(() => fees(ada, override(1n, 1n, 'EUR'))),
      'INVALID_INPUT platformFeeOverride.platformFixedFee.currency',
    );
  });
});

describe('a transfer without a quote', () => {
  const transfer = (fields: Partial<QuoteFacts>, consent = false) => refusalBy(() => refuseTransfer(quoteFacts(fields), () => consent));
  test('goes from an account in the service to one outside, in one currency, and not from a wallet that signs', () => {
    assert.equal(transfer({}), 'allowed');
    assert.equal(transfer({ destination: inside() }), 'ACCOUNT_NOT_FOUND');
    assert.equal(transfer({ source: pulled() }), 'ACCOUNT_NOT_FOUND');
    assert.equal(transfer({ source: from({ currency: 'EUR' }) }), 'INVALID_CURRENCY');
    assert.equal(transfer({ source: from({ type: 'EMBEDDED_WALLET' }) }), 'INVALID_INPUT source.accountId');
  });

  test('states of accounts, then consent (409), then the customer, then the kind of account', () => {
    const wallet = from({ type: 'EMBEDDED_WALLET' });
    const customer = individualCustomer({ verificationStatus: 'PENDING' });
    assert.equal(transfer({ source: from({ status: 'CLOSED' }), customer }, true), 'ACCOUNT_NOT_FOUND');
    assert.equal(transfer({ source: wallet, customer }, true), 'CONFLICT');
    assert.equal(transfer({ source: wallet, customer }), 'CUSTOMER_NOT_VERIFIED');
  });
});

test('the first refusal wins: states, documents, sender, ends, immediate execution, rail, currency, purpose', () => {
  const request = quoteRequest({
    immediatelyExecute: true,
    destination: { destinationType: 'ACCOUNT', accountId: 'ExternalAccount:1', paymentRail: 'PIX' },
  });
  const wrong = {
    request,
    source: from({ type: 'EMBEDDED_WALLET', currency: 'GBP' }),
    destination: outside({ status: 'PENDING', currency: 'INR' }),
    customer: individualCustomer({ verificationStatus: 'HOLD' }),
  };
  const steps: [Partial<QuoteFacts>, string][] = [
    [{}, 'BANK_ACCOUNT_VALIDATION_PENDING'],
    [{ destination: outside({ status: 'INACTIVE', currency: 'INR' }) }, 'CUSTOMER_NOT_VERIFIED'],
    [{ customer: null }, 'INVALID_BANK_ACCOUNT'],
    [{ destination: outside({ currency: 'INR' }) }, 'INVALID_INPUT immediatelyExecute'],
    [{ request: { ...request, immediatelyExecute: false } }, 'INVALID_INPUT destination.paymentRail'],
    [{ request: quoteRequest() }, 'INVALID_CURRENCY'],
    [{ source: from() }, 'INVALID_INPUT purposeOfPayment'],
    [{ request: quoteRequest({ purposeOfPayment: 'GIFT' }) }, 'allowed'],
  ];
  let facts: Partial<QuoteFacts> = wrong;
  for (const [mended, expected] of steps) {
    facts = { ...facts, ...mended };
    assert.equal(checked(facts), expected);
  }
});
