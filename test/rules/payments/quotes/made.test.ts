// What a quote and its payment become, what the owner of a wallet signs, and when a quote can be executed or paid for.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OUTGOING_STATES, type OutgoingState } from '../../../../src/domains/payments/payments/payment.js';
import { refuseExecution, refuseFunding, refuseRealtime } from '../../../../src/domains/payments/quotes/execution-rules.js';
import type { Funding, Quote } from '../../../../src/domains/payments/quotes/quote.js';
import { currencyOfDestination, type NewQuoteFacts, newQuote, signedTransaction } from '../../../../src/domains/payments/quotes/rules.js';
import { fraction } from '../../../../src/kernel/fraction.js';
import { newId, newUuid } from '../../../../src/kernel/ids.js';
import { sandboxRates } from '../../../../src/providers/sandbox-rates.js';
import { currencyConfig, externalAccount, individualCustomer, internalAccount, platformWith } from '../../../support/payment-facts.js';
import { outgoingPayment } from '../../../support/payments.js';
import { quoteFacts, quoteRequest } from '../../../support/quote-facts.js';
import { answerOf, refusalBy } from '../../../support/refusal.js';

const NOW = new Date('2026-03-04T05:00:00.000Z');
const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

const made = (fields: Partial<NewQuoteFacts> = {}) =>
  newQuote({
    ...quoteFacts(),
    ids: { quote: newId('Quote'), payment: newId('Transaction') },
    agentId: null,
    platformId: newId('Platform'),
    rail: { paymentRail: 'ACH', railSelection: 'AUTO' },
    priced: {
      terms: {
        sending: 'USD',
        receiving: 'EUR',
        rate: fraction(92n, 100n),
        fees: { platformFixed: 50n, platformBps: 30n, serviceFixed: 10n, serviceBps: 30n },
      },
      price: { sent: 100_000n, received: 91_714n, fees: 310n, platformFees: 53n, serviceVariable: 247n },
    },
    table: sandboxRates.table,
    feeAccountId: null,
    instructions: null,
    ...fields,
  });

describe('a new quote', () => {
  test('"expiresAt = creation + 5 minutes; realtime funding 15"', () => {
    const life = (source: NewQuoteFacts['source']) => made({ source });
    const account = internalAccount();
    assert.deepEqual(life({ kind: 'INTERNAL', account }).quote.expiresAt, after(5));
    assert.deepEqual(life({ kind: 'EXTERNAL', account: externalAccount(), isPullable: true }).quote.expiresAt, after(5));
    const realtime = life({ kind: 'REALTIME', currency: 'USD', network: undefined });
    assert.deepEqual([realtime.quote.expiresAt, realtime.payment.expiresAt, realtime.quote.createdAt], [after(15), after(15), NOW]);
  });

  test('the payment has the price, the ends and the holder of the quote', () => {
    const customer = individualCustomer();
    const [source, destination] = [internalAccount({ customerId: customer.id }), externalAccount({ currency: 'EUR' })];
    const { quote, payment } = made({
      customer,
      source: { kind: 'INTERNAL', account: source },
      destination: { kind: 'EXTERNAL', account: destination, rails: ['SEPA'], network: undefined },
      request: quoteRequest({ description: 'rent', remittanceInformation: 'INV 1', purposeOfPayment: 'GIFT' }),
    });
    assert.deepEqual(
      {
        state: [payment.type, payment.state],
        holder: [payment.customerId, payment.platformCustomerId],
        ends: [payment.source, payment.destination],
        sent: payment.sent,
        received: payment.received,
        fees: [payment.fees, payment.platformFees],
        shown: [payment.exchangeRate, payment.paymentRail, payment.railSelection],
        texts: [payment.description, payment.remittanceInformation, payment.purposeOfPayment],
        rest: [
          payment.failureReason,
          payment.refund,
          payment.settledAt,
          payment.fundedAmount,
          payment.borne,
          payment.counterpartyInformation,
        ],
        times: [payment.createdAt, payment.updatedAt],
        quote: payment.quoteId,
      },
      {
        state: ['OUTGOING', 'QUOTED'],
        holder: [customer.id, 'ada'],
        ends: [
          { type: 'ACCOUNT', accountId: source.id },
          { type: 'ACCOUNT', accountId: destination.id },
        ],
        sent: { amount: 100_000n, currency: 'USD' },
        received: { amount: 91_714n, currency: 'EUR' },
        fees: [310n, 53n],
        shown: ['1.08695652', 'ACH', 'AUTO'],
        texts: ['rent', 'INV 1', 'GIFT'],
        rest: [null, null, null, null, 0n, null],
        times: [NOW, NOW],
        quote: quote.id,
      },
    );
    assert.equal(payment.rateDetails?.gridApiFixedFee, 10);
    assert.deepEqual([quote.funding, quote.rate, quote.payloadToSign], ['PREFUNDED', fraction(92n, 100n), null]);
  });

  test('of the platform itself: its id stands for the holder; realtime money and UMA receivers are no accounts', () => {
    const platformId = newId('Platform');
    const { quote, payment } = made({
      platformId,
      source: { kind: 'REALTIME', currency: 'USD', network: undefined },
      destination: { kind: 'UMA', address: '$bob@example.com', currency: 'EUR' },
    });
    assert.deepEqual([payment.customerId, payment.platformCustomerId], [null, platformId]);
    assert.deepEqual(payment.source, { type: 'REALTIME_FUNDING' });
    assert.deepEqual(payment.destination, { type: 'UMA_ADDRESS', umaAddress: '$bob@example.com' });
    assert.equal(quote.funding, 'REALTIME');
    assert.deepEqual([payment.description, payment.remittanceInformation, payment.purposeOfPayment], [null, null, null]);
  });

  test('within one currency no rate must be honoured later', () => {
    const fees = { platformFixed: 0n, platformBps: 0n, serviceFixed: 0n, serviceBps: 0n };
    const terms = { sending: 'USD', receiving: 'USD', rate: fraction(1n), fees };
    const price = { sent: 100n, received: 100n, fees: 0n, platformFees: 0n, serviceVariable: 0n };
    const { quote, payment } = made({ priced: { terms, price } });
    assert.deepEqual([quote.rate, payment.rateDetails, payment.exchangeRate], [null, null, '1']);
  });

  test('the receiving currency is that of the account, or the one asked for of a UMA receiver', () => {
    assert.equal(currencyOfDestination({ kind: 'UMA', address: '$bob@example.com', currency: 'MXN' }), 'MXN');
    assert.equal(currencyOfDestination({ kind: 'INTERNAL', account: internalAccount({ currency: 'GBP' }) }), 'GBP');
  });
});

test('"counterpartyInformation shows the beneficiary\'s fields that the config asks for"', () => {
  const address = { line1: '1 Main St', postalCode: '10001', country: 'US' };
  const beneficiary = {
    beneficiaryType: 'INDIVIDUAL',
    fullName: 'Bob',
    legalName: 'Acme',
    birthDate: '1990-01-01',
    nationality: 'US',
    email: 'bob@example.com',
    phoneNumber: '+1',
    registrationNumber: '77',
    taxId: '88',
    countryOfResidence: 'CA',
    documentType: 'PASSPORT',
    address,
  } as const;
  const ASKED: Readonly<Record<string, unknown>> = {
    FULL_NAME: 'Bob',
    COMPANY_LEGAL_NAME: 'Acme',
    BIRTH_DATE: '1990-01-01',
    NATIONALITY: 'US',
    EMAIL: 'bob@example.com',
    PHONE_NUMBER: '+1',
    REGISTRATION_NUMBER: '77',
    TAX_ID: '88',
    COUNTRY_OF_RESIDENCE: 'CA',
    POSTAL_ADDRESS: address,
    ID_TYPE: 'PASSPORT',
  };
  const shown = (names: readonly string[], of?: typeof beneficiary, destination?: NewQuoteFacts['destination']) => {
    const requiredCounterpartyFields = names.map((name) => ({ name, mandatory: true }));
    const platform = platformWith({
      config: { supportedCurrencies: [currencyConfig('EUR'), currencyConfig('USD', { requiredCounterpartyFields })] },
    });
    const account = externalAccount({ accountInfo: { accountType: 'USD_ACCOUNT', ...(of && { beneficiary: of }) } });
    return made({ platform, destination: destination ?? { kind: 'EXTERNAL', account, rails: [], network: undefined } }).payment
      .counterpartyInformation;
  };
  assert.deepEqual(shown(Object.keys(ASKED), beneficiary), ASKED);
  assert.deepEqual(shown(['EMAIL', 'ID_NUMBER'], beneficiary), { EMAIL: 'bob@example.com' }, 'as far as it is known');
  assert.equal(shown([], beneficiary), null);
  assert.equal(shown(['FULL_NAME']), null);
  assert.equal(shown(['FULL_NAME'], beneficiary, { kind: 'INTERNAL', account: internalAccount() }), null);
});

test('the owner of a wallet signs quote, ends, both amounts, the end of its life and the one transfer that may leave', () => {
  const quote = made({ source: { kind: 'INTERNAL', account: internalAccount({ type: 'EMBEDDED_WALLET' }) } });
  const debit = { id: newUuid(), from: newUuid(), to: newUuid(), amount: 100_000n, currency: 'USD', cause: 'PAYMENT' };
  const text = (of: typeof quote) => JSON.parse(Buffer.from(signedTransaction(of, debit), 'hex').toString('utf8'));
  assert.ok(quote.payment.source.type === 'ACCOUNT' && quote.payment.destination.type === 'ACCOUNT');
  assert.deepEqual(text(quote), {
    quoteId: quote.quote.id,
    source: quote.payment.source.accountId,
    destination: quote.payment.destination.accountId,
    sendingAmount: '100000',
    sendingCurrency: 'USD',
    receivingAmount: '91714',
    receivingCurrency: 'EUR',
    expiresAt: '2026-03-04T05:05:00.000Z',
    transfer: { transferId: debit.id, to: debit.to, amount: '100000', currency: 'USD', cause: 'PAYMENT' },
  });
  const toUma = made({ destination: { kind: 'UMA', address: '$bob@example.com', currency: 'EUR' } });
  assert.equal(text(toUma).destination, '$bob@example.com');
  const pushed = made({ source: { kind: 'REALTIME', currency: 'USD', network: undefined } });
  assert.throws(() => signedTransaction(pushed, debit), 'only an account is signed for');
});

describe('executing and paying for a quote', () => {
  const quote = (state: OutgoingState, expiresAt: Date | null = after(5), funding: Funding = 'PREFUNDED'): Quote => ({
    ...made().quote,
    funding,
    payment: outgoingPayment({ state, expiresAt }),
  });
  const at = (ms: number) => new Date(after(5).getTime() + ms);

  test('"now < expiresAt may execute, now ≥ expiresAt may not": QUOTE_EXPIRED', () => {
    assert.deepEqual(
      [at(-1), at(0), at(1)].map((now) => refusalBy(() => refuseExecution(quote('QUOTED'), now))),
      ['allowed', 'QUOTE_EXPIRED', 'QUOTE_EXPIRED'],
    );
  });

  for (const state of Object.keys(OUTGOING_STATES) as OutgoingState[]) {
    const { status } = OUTGOING_STATES[state];
    const expected = state === 'QUOTED' ? 'allowed' : status === 'EXPIRED' ? 'QUOTE_EXPIRED' : 'CONFLICT';
    test(`${state}: executing is ${expected}`, () => {
      assert.equal(
        refusalBy(() => refuseExecution(quote(state), NOW)),
        expected,
      );
      if (expected === 'CONFLICT')
        assert.deepEqual(
          answerOf(() => refuseExecution(quote(state), NOW)),
          ['CONFLICT', { status }],
        );
    });
  }

  test('a realtime quote is paid by sending the money, and no other is', () => {
    for (const funding of ['PREFUNDED', 'EMBEDDED_WALLET', 'PULL', 'REALTIME'] as const) {
      const isRealtime = funding === 'REALTIME';
      const one = quote('QUOTED', after(15), funding);
      assert.equal(
        refusalBy(() => refuseRealtime(one)),
        isRealtime ? 'INVALID_INPUT quoteId' : 'allowed',
      );
      assert.equal(
        refusalBy(() => refuseFunding(one, 'USD', NOW)),
        isRealtime ? 'allowed' : 'INVALID_INPUT quoteId',
      );
    }
  });

  test('money: expired before already funded before another currency', () => {
    const funded = (state: OutgoingState, currency = 'USD', now = NOW) =>
      refusalBy(() => refuseFunding(quote(state, after(5), 'REALTIME'), currency, now));
    assert.equal(funded('QUOTED', 'EUR', at(0)), 'QUOTE_EXPIRED');
    assert.equal(funded('EXPIRED', 'EUR'), 'QUOTE_EXPIRED');
    assert.equal(funded('PROCESSING', 'EUR'), 'INVALID_INPUT quoteId');
    assert.equal(funded('QUOTED', 'EUR'), 'INVALID_INPUT currencyCode');
    assert.equal(funded('QUOTED', 'USD', at(-1)), 'allowed');
  });
});
