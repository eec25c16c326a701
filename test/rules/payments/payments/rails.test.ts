// Which rail carries a payment, what the API shows of it, and the data of the travel rule.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AccountInfo, AccountType } from '../../../../src/domains/accounts/external-accounts/external-account.js';
import {
  carrierOf,
  depositRail,
  isIncomingEvent,
  isInstant,
  isOutgoingEvent,
  needsTravelRule,
  networkOf,
  orderKindOf,
  railDetailsFor,
  railsByPreference,
  refundedKindOf,
  travelRuleOf,
  wasPaidOut,
} from '../../../../src/domains/payments/payments/rail-rules.js';
import { fraction } from '../../../../src/kernel/fraction.js';
import { idOf, newId } from '../../../../src/kernel/ids.js';
import type { RailMessageKind } from '../../../../src/providers/rails.js';
import { businessCustomer, externalAccount, individualCustomer, platformWith } from '../../../support/payment-facts.js';
import { incomingPayment, outgoingPayment } from '../../../support/payments.js';

const ID = idOf('Transaction', '01950000-0000-7000-8000-000000000001');
const accountWith = (accountInfo: AccountInfo) => externalAccount({ accountInfo });

describe('the default rail', () => {
  const order = (rails: readonly string[], rail?: string) => railsByPreference(rails, rail === undefined ? {} : { rail }).join(' ');
  test('EUR: SEPA_INSTANT before SEPA; SGD: FAST before PAYNOW; else the order of the account type', () => {
    assert.equal(order(['SEPA', 'SEPA_INSTANT']), 'SEPA_INSTANT SEPA');
    assert.equal(order(['PAYNOW', 'BANK_TRANSFER', 'FAST']), 'BANK_TRANSFER FAST PAYNOW');
    assert.equal(order(['FAST', 'PAYNOW', 'BANK_TRANSFER']), 'FAST BANK_TRANSFER PAYNOW');
    assert.equal(order(['ACH', 'ACH_SAME_DAY', 'WIRE', 'RTP', 'FEDNOW']), 'ACH ACH_SAME_DAY WIRE RTP FEDNOW');
  });
  test('the rail that the account names comes first, where it is one of its rails', () => {
    assert.equal(order(['SEPA', 'SEPA_INSTANT'], 'SEPA'), 'SEPA SEPA_INSTANT');
    assert.equal(order(['ACH', 'WIRE'], 'WIRE'), 'WIRE ACH');
    assert.equal(order(['ACH', 'WIRE'], 'PIX'), 'ACH WIRE');
  });
});

test('instant rails have no expected settlement', () => {
  const INSTANT = 'RTP FEDNOW SEPA_INSTANT FASTER_PAYMENTS SPEI PIX UPI FAST PAYNOW MOBILE_MONEY'.split(' ');
  const SLOW = 'ACH ACH_SAME_DAY WIRE SEPA NEFT RTGS SWIFT BANK_TRANSFER'.split(' ');
  assert.deepEqual([...INSTANT, ...SLOW, ''].filter(isInstant), INSTANT);
});

const NETWORKS: Readonly<Partial<Record<AccountType, string>>> = {
  BASE_WALLET: 'BASE',
  ETHEREUM_WALLET: 'ETHEREUM',
  POLYGON_WALLET: 'POLYGON',
  PLASMA_WALLET: 'PLASMA',
  ARBITRUM_WALLET: 'ARBITRUM',
  SOLANA_WALLET: 'SOLANA',
  TRON_WALLET: 'TRON',
  SPARK_WALLET: 'SPARK',
};

describe('wallets and Lightning', () => {
  for (const [accountType, network] of Object.entries(NETWORKS) as [AccountType, string][])
    test(`${accountType}: ${network}, shown with the hash of its transaction`, () => {
      assert.deepEqual([networkOf(accountType), carrierOf({ accountType })], [network, network]);
      const shown = railDetailsFor(ID, null, accountWith({ accountType }));
      assert.ok(shown?.paymentRail === 'ONCHAIN');
      assert.equal(shown.network, network);
      assert.match(shown.transactionHash, /^[0-9a-f]{64}$/);
    });

  for (const accountType of ['LIGHTNING', 'LIGHTNING_ACCOUNT'] as const)
    test(`${accountType}: LIGHTNING, and no network is shown`, () => {
      assert.deepEqual([networkOf(accountType), carrierOf({ accountType })], [undefined, 'LIGHTNING']);
      const shown = railDetailsFor(ID, null, accountWith({ accountType }));
      assert.deepEqual(shown && Object.keys(shown), ['paymentRail', 'transactionHash']);
    });

  test('a bank account has neither', () => {
    assert.deepEqual([networkOf('USD_ACCOUNT'), carrierOf({ accountType: 'USD_ACCOUNT' })], [undefined, undefined]);
  });
});

describe('railDetails of a bank', () => {
  const info: AccountInfo = {
    accountType: 'USD_ACCOUNT',
    accountNumber: '000123456789',
    routingNumber: '021000021',
    bankName: 'Bank of Ada',
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
  };
  const REFERENCES = {
    ACH: /^\d{15}$/,
    ACH_SAME_DAY: /^\d{15}$/,
    WIRE: /^\d{8}SYDBUS33\d{6}$/,
    RTP: /^[0-9A-F]{35}$/,
    FEDNOW: /^[0-9A-F]{35}$/,
  };
  for (const [rail, reference] of Object.entries(REFERENCES))
    test(`${rail}: PENDING, a reference of its form, the account masked to its last four`, () => {
      const shown = railDetailsFor(ID, rail, accountWith(info));
      assert.ok(shown && shown.paymentRail !== 'ONCHAIN');
      assert.deepEqual([shown.paymentRail, shown.status], [rail, 'PENDING']);
      assert.match(shown.reference, reference);
      assert.deepEqual(shown.bankAccount, {
        accountHolderName: 'Ada Lovelace',
        routingNumber: '021000021',
        accountNumber: '********6789',
        ...(rail === 'WIRE' && { bankName: 'Bank of Ada' }),
      });
    });

  test('every trace number has 15 digits, and those of payments that were made never change', () => {
    const trace = (last: number) => {
      const shown = depositRail(idOf('Transaction', `01950000-0000-7000-8000-${String(last).padStart(12, '0')}`), 'USD', new Date(0));
      return shown && 'reference' in shown ? shown.reference : '';
    };
    const traces = Array.from({ length: 60 }, (_, i) => trace(i));
    assert.equal(new Set(traces).size, 60);
    for (const text of traces) assert.match(text, /^\d{15}$/);
    assert.ok(
      traces.some((text) => text.startsWith('0')),
      'a short number is filled up',
    );
    assert.equal(trace(1), '252808612652593');
    for (const rail of ['ACH', 'ACH_SAME_DAY']) {
      const shown = railDetailsFor(ID, rail, accountWith(info));
      assert.equal(shown && 'reference' in shown && shown.reference, '252808612652593', rail);
    }
    const hash = 'ec27a2bbefdf640c23f03ac1038f63882af0c6807a594e50c85dd506535d14c4';
    for (const shown of [depositRail(ID, 'BTC', new Date(0)), railDetailsFor(ID, null, accountWith({ accountType: 'BASE_WALLET' }))])
      assert.equal(shown && 'transactionHash' in shown && shown.transactionHash, hash);
  });

  test('references differ by rail and by payment, and stay the same for both', () => {
    const reference = (id: typeof ID, rail: string) => {
      const shown = railDetailsFor(id, rail, accountWith(info));
      return shown && 'reference' in shown ? shown.reference : undefined;
    };
    const other = idOf('Transaction', '01950000-0000-7000-8000-000000000002');
    assert.equal(reference(ID, 'ACH'), reference(ID, 'ACH'));
    assert.notEqual(reference(ID, 'ACH'), reference(other, 'ACH'));
    assert.notEqual(reference(ID, 'WIRE')?.slice(0, 8), reference(ID, 'WIRE')?.slice(-6));
  });

  test('what the account does not say is left out; a business is named by its legal name; four digits stay as they are', () => {
    const bank = (more: Omit<AccountInfo, 'accountType'>) => {
      const shown = railDetailsFor(ID, 'WIRE', accountWith({ accountType: 'USD_ACCOUNT', ...more }));
      return shown && 'bankAccount' in shown ? shown.bankAccount : undefined;
    };
    assert.deepEqual(bank({}), {});
    assert.deepEqual(bank({ beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Acme' } }), { accountHolderName: 'Acme' });
    assert.deepEqual(bank({ accountNumber: '6789' }), { accountNumber: '6789' });
    assert.deepEqual(bank({ accountNumber: '56789' }), { accountNumber: '*6789' });
  });

  test('other rails, and payments without one, show none', () => {
    for (const rail of ['SEPA', 'PIX', 'SWIFT', 'toString', null]) assert.equal(railDetailsFor(ID, rail, accountWith(info)), undefined);
  });
});

test('the rail that brought a deposit: ACH for USD, the chain for crypto, none for others', () => {
  const now = new Date('2026-03-04T05:06:07.000Z');
  const usd = depositRail(ID, 'USD', now);
  assert.ok(usd?.paymentRail === 'ACH');
  assert.match(usd.reference, /^\d{15}$/);
  assert.deepEqual([usd.status, usd.settledAt], ['SETTLED', '2026-03-04T05:06:07.000Z']);
  for (const [currency, network] of [
    ['USDB', 'SPARK'],
    ['BTC', 'SPARK'],
    ['USDC', 'BASE'],
    ['USDT', 'TRON'],
  ] as const) {
    const shown = depositRail(ID, currency, now);
    assert.ok(shown?.paymentRail === 'ONCHAIN');
    assert.equal(shown.network, network);
    assert.match(shown.transactionHash, /^[0-9a-f]{64}$/);
  }
  assert.equal(depositRail(ID, 'EUR', now), undefined);
});

describe('the travel rule', () => {
  test('"on platforms under counterparty rules, elsewhere from 3,000 USD equivalent"; without a rate as well', () => {
    const free = { counterpartyRules: false };
    const cents = (amount: bigint) => fraction(amount, 100n);
    assert.deepEqual(
      [cents(299_999n), cents(300_000n), cents(300_001n), undefined].map((usd) => needsTravelRule(free, usd)),
      [false, true, true, true],
    );
    assert.equal(needsTravelRule({ counterpartyRules: true }, cents(1n)), true);
  });

  const platform = platformWith({ name: 'Pay Ltd' });
  const payment = outgoingPayment();
  const address = { line1: '1 Main St', postalCode: '10001', country: 'US' };
  const account = externalAccount({ ownershipType: 'THIRD_PARTY', accountInfo: { accountType: 'BASE_WALLET' } });
  const person = individualCustomer({ profile: { fullName: 'Ada Lovelace', birthDate: '1990-12-10', address } });

  test('the originator: name, address, birth date of a person or registration number of a business, and the account', () => {
    const originator = (customer: Parameters<typeof travelRuleOf>[0]['customer']) =>
      travelRuleOf({ platform, customer, payment, account }).originator;
    assert.ok(payment.source.type === 'ACCOUNT');
    const { accountId } = payment.source;
    assert.deepEqual(originator(person), { name: 'Ada Lovelace', accountId, address, birthDate: '1990-12-10' });
    assert.deepEqual(originator(individualCustomer({ profile: {} })), { name: '', accountId });
    const acme = businessCustomer({ profile: { address, businessInfo: { legalName: 'Acme', registrationNumber: '77' } } });
    assert.deepEqual(originator(acme), { name: 'Acme', accountId, address, registrationNumber: '77' });
    assert.deepEqual(originator(businessCustomer({ profile: { businessInfo: { legalName: 'Acme' } } })), { name: 'Acme', accountId });
    assert.deepEqual(originator(undefined), { name: 'Pay Ltd', accountId });
  });

  test('money that the payer pushed has no account: the payment stands for it', () => {
    const pushed = outgoingPayment({ source: { type: 'REALTIME_FUNDING' } });
    assert.equal(travelRuleOf({ platform, customer: undefined, payment: pushed, account }).originator.accountId, pushed.id);
  });

  test('the beneficiary: name, country, and the provider of the wallet; the owner of a first-party wallet is the payer', () => {
    const beneficiary = (fields: Parameters<typeof externalAccount>[0]) =>
      travelRuleOf({ platform, customer: person, payment, account: externalAccount(fields) }).beneficiary;
    const wallet = (more: Omit<AccountInfo, 'accountType'>) => ({ accountInfo: { accountType: 'BASE_WALLET' as const, ...more } });
    assert.deepEqual(beneficiary({ ownershipType: 'THIRD_PARTY', ...wallet({}) }), {});
    assert.deepEqual(beneficiary({ ownershipType: 'FIRST_PARTY', ...wallet({}) }), { name: 'Ada Lovelace' });
    const bob = { beneficiaryType: 'INDIVIDUAL', fullName: 'Bob', countryOfResidence: 'CA', address } as const;
    assert.deepEqual(beneficiary({ ownershipType: 'FIRST_PARTY', ...wallet({ beneficiary: bob, vaspName: 'Custody Inc' }) }), {
      name: 'Bob',
      country: 'CA',
      vaspName: 'Custody Inc',
    });
    const acme = { beneficiaryType: 'BUSINESS', legalName: 'Acme', address } as const;
    assert.deepEqual(beneficiary(wallet({ beneficiary: acme })), { name: 'Acme', country: 'US' });
  });
});

test('which messages of rails are about payments out, and which about payments in', () => {
  /** kind → out, in. */
  const KINDS: Readonly<Record<RailMessageKind, string>> = {
    ACCEPTED: 'out in',
    COLLECTED: 'out in',
    COLLECTION_FAILED: 'out in',
    SETTLED: 'out in',
    FAILED: 'out in',
    RETURNED: 'out in',
    CANCELLED: 'out in',
    DISHONORED: 'out in',
    CONTESTED: 'out in',
    REFUND_PAID: 'out in',
    REFUND_FAILED: 'out in',
    REVERSED: '- in',
  };
  for (const [kind, expected] of Object.entries(KINDS) as [RailMessageKind, string][])
    assert.equal(`${isOutgoingEvent(kind) ? 'out' : '-'} ${isIncomingEvent(kind) ? 'in' : '-'}`, expected, kind);
});

describe('the order of a payment', () => {
  const none = { quoteId: null, ruleBasedAccountId: null };
  test('is a transfer without a quote; a sweep has none and is settled like one', () => {
    assert.equal(orderKindOf(none), 'TRANSFER');
    assert.equal(orderKindOf({ ...none, quoteId: newId('Quote') }), 'QUOTE');
    assert.equal(orderKindOf({ ...none, ruleBasedAccountId: newId('InternalAccount') }), 'QUOTE');
  });
  test('is undone by its refund; money that came in was on its way to an account of its receiver', () => {
    assert.equal(refundedKindOf(outgoingPayment(none)), 'TRANSFER');
    assert.equal(refundedKindOf(outgoingPayment({ ...none, quoteId: newId('Quote') })), 'QUOTE');
    assert.equal(refundedKindOf(incomingPayment(none)), 'FORWARD');
  });
  test('was never given for funds of another amount', () => {
    assert.equal(wasPaidOut({ failureReason: 'FUNDING_AMOUNT_MISMATCH' }), false);
    for (const failureReason of [null, 'PAYOUT_RETURNED']) assert.equal(wasPaidOut({ failureReason }), true);
  });
});
