// UMA addresses, the names of fields between providers, and the data about people.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  asksFor,
  dataOfProtocol,
  fieldsOfConfig,
  fieldsOfProtocol,
  isWithin,
  knownOf,
  parseUmaAddress,
  payerDataFor,
  protocolData,
  protocolName,
  receivableIn,
  senderAddress,
  umaDomainOf,
} from '../../../../src/domains/payments/uma/rules.js';
import { FIELD_NAMES } from '../../../../src/domains/payments/uma/uma.js';
import { businessCustomer, currencyConfig, individualCustomer, internalAccount, platformWith } from '../../../support/payment-facts.js';
import { answerOf, refusalBy } from '../../../support/refusal.js';

describe('addresses', () => {
  test('"$name@domain, name of a-z 0-9 - _ . +", in lower case', () => {
    assert.deepEqual(parseUmaAddress('$Ada.L+x_1-y@Example.COM'), { address: '$ada.l+x_1-y@example.com', domain: 'example.com' });
    assert.deepEqual(parseUmaAddress('$a@localhost'), { address: '$a@localhost', domain: 'localhost' });
  });

  const invalid = [
    '',
    '$',
    'ada@example.com',
    '$@example.com',
    '$ada@',
    '$ada',
    '$a b@example.com',
    '$a@ex ample.com',
    '$a@-x.com',
    '$a@x-.com',
  ];
  for (const text of [...invalid, '$a@x..com', '$a@.com', '$a@x.com.', '$ä@example.com', '$a@example.com\n', ' $a@example.com'])
    test(`${JSON.stringify(text)}: INVALID_UMA_ADDRESS`, () =>
      assert.equal(
        refusalBy(() => parseUmaAddress(text)),
        'INVALID_UMA_ADDRESS',
      ));

  test('a name of 64, a label of 63 and 200 characters in all are the most', () => {
    const outcome = (text: string) => refusalBy(() => parseUmaAddress(text));
    assert.equal(outcome(`$${'a'.repeat(64)}@b.c`), 'allowed');
    assert.equal(outcome(`$${'a'.repeat(65)}@b.c`), 'INVALID_UMA_ADDRESS');
    assert.equal(outcome(`$a@${'b'.repeat(63)}.c`), 'allowed');
    assert.equal(outcome(`$a@${'b'.repeat(64)}.c`), 'INVALID_UMA_ADDRESS');
    const long = `$a@${'b.'.repeat(98)}`;
    assert.equal(outcome(`${long}c`), 'allowed');
    assert.equal(`${long}c`.length, 200);
    assert.equal(outcome(`${long}cc`), 'INVALID_UMA_ADDRESS');
  });

  test("a sender's address: the customer's, or that of the platform itself", () => {
    const platform = platformWith({ config: { umaDomain: 'UMA.Example' } });
    assert.equal(umaDomainOf(platform), 'uma.example');
    assert.equal(senderAddress(platform, null), '$platform@uma.example');
    assert.equal(senderAddress(platform, individualCustomer({ umaAddress: '$Ada@UMA.Example' })), '$ada@uma.example');
  });
});

describe('names of fields', () => {
  test('camel case on the wire; FULL_NAME is name', () => {
    assert.deepEqual((['FULL_NAME', 'BIRTH_DATE', 'EMAIL', 'FI_LEGAL_ENTITY_NAME'] as const).map(protocolName), [
      'name',
      'birthDate',
      'email',
      'fiLegalEntityName',
    ]);
    assert.equal(new Set(FIELD_NAMES.map(protocolName)).size, FIELD_NAMES.length);
  });

  test('fields of another provider by our names; an optional one that is unknown is left out, a mandatory one cannot be given', () => {
    const field = (name: string, mandatory: boolean) => ({ name, mandatory });
    assert.deepEqual(fieldsOfProtocol([field('name', true), field('birthDate', false), field('shoeSize', false)]), [
      { name: 'FULL_NAME', mandatory: true },
      { name: 'BIRTH_DATE', mandatory: false },
    ]);
    assert.equal(fieldsOfProtocol([field('name', true), field('shoeSize', true)]), undefined);
    assert.deepEqual(fieldsOfProtocol([]), []);
    assert.equal(fieldsOfProtocol([field('__proto__', true)]), undefined);
  });

  test('data in both directions; what is empty or unknown is left out', () => {
    assert.deepEqual(dataOfProtocol({ name: 'Ada', birthDate: null, email: undefined, shoeSize: 9 }), { FULL_NAME: 'Ada' });
    assert.deepEqual(protocolData({ FULL_NAME: 'Ada', BIRTH_DATE: '1990-01-01' }), { name: 'Ada', birthDate: '1990-01-01' });
  });
});

describe('what the record of a customer says', () => {
  const address = { line1: '1 Main St', postalCode: '10001', country: 'US' };
  const platform = platformWith({ name: 'Pay Ltd' });

  test('of a person', () => {
    const person = individualCustomer({
      email: 'ada@example.com',
      phoneNumber: '+1',
      profile: { fullName: 'Ada Lovelace', birthDate: '1990-12-10', nationality: 'GB', idType: 'PASSPORT', address },
    });
    assert.deepEqual(knownOf(platform, person), {
      EMAIL: 'ada@example.com',
      PHONE_NUMBER: '+1',
      POSTAL_ADDRESS: address,
      COUNTRY_OF_RESIDENCE: 'US',
      USER_TYPE: 'INDIVIDUAL',
      IDENTIFIER: '$ada@uma.example',
      FULL_NAME: 'Ada Lovelace',
      BIRTH_DATE: '1990-12-10',
      NATIONALITY: 'GB',
      ID_TYPE: 'PASSPORT',
    });
    assert.deepEqual(knownOf(platform, individualCustomer({ profile: {} })), { USER_TYPE: 'INDIVIDUAL', IDENTIFIER: '$ada@uma.example' });
  });

  test('of a business: its own country before that of its address', () => {
    const business = (country?: string) =>
      businessCustomer({
        profile: { address, businessInfo: { legalName: 'Acme', registrationNumber: '77', ...(country && { country }) } },
      });
    assert.deepEqual(knownOf(platform, business('CA')), {
      POSTAL_ADDRESS: address,
      COUNTRY_OF_RESIDENCE: 'CA',
      USER_TYPE: 'BUSINESS',
      IDENTIFIER: '$ada@uma.example',
      FULL_NAME: 'Acme',
      COMPANY_LEGAL_NAME: 'Acme',
      REGISTRATION_NUMBER: '77',
    });
    assert.equal(knownOf(platform, business()).COUNTRY_OF_RESIDENCE, 'US');
  });

  test('of the platform itself', () => {
    assert.deepEqual(knownOf(platform, null), { FULL_NAME: 'Pay Ltd', COMPANY_LEGAL_NAME: 'Pay Ltd', USER_TYPE: 'BUSINESS' });
  });
});

describe('payer data', () => {
  const asked = [
    { name: 'FULL_NAME', mandatory: true },
    { name: 'BIRTH_DATE', mandatory: true },
    { name: 'NATIONALITY', mandatory: false },
  ] as const;

  test('what the caller gives comes before what the record says; nothing that was not asked for', () => {
    assert.deepEqual(payerDataFor(asked, { FULL_NAME: 'Ada', BIRTH_DATE: '1990-12-10', EMAIL: 'x' }, { FULL_NAME: 'Ada L' }), {
      FULL_NAME: 'Ada L',
      BIRTH_DATE: '1990-12-10',
    });
    assert.deepEqual(payerDataFor(asked, { FULL_NAME: 'Ada', BIRTH_DATE: '1990-12-10' }, { FULL_NAME: '', NATIONALITY: 'GB' }), {
      FULL_NAME: 'Ada',
      BIRTH_DATE: '1990-12-10',
      NATIONALITY: 'GB',
    });
  });

  test('MISSING_MANDATORY_USER_INFO names every mandatory field that is in neither', () => {
    assert.deepEqual(
      answerOf(() => payerDataFor(asked, {}, { FULL_NAME: null, BIRTH_DATE: '' })),
      ['MISSING_MANDATORY_USER_INFO', { missingFields: ['FULL_NAME', 'BIRTH_DATE'] }],
    );
    assert.deepEqual(
      answerOf(() => payerDataFor(asked, { FULL_NAME: 'Ada' }, {})),
      ['MISSING_MANDATORY_USER_INFO', { missingFields: ['BIRTH_DATE'] }],
    );
  });
});

describe('receiving', () => {
  const platform = platformWith({
    config: { supportedCurrencies: [currencyConfig('USD'), currencyConfig('EUR', { enabledTransactionTypes: ['OUTGOING'] })] },
  });
  test('into an active account in the currency, where the platform has enabled INCOMING', () => {
    const [usd, eur, frozen] = [internalAccount(), internalAccount({ currency: 'EUR' }), internalAccount({ status: 'FROZEN' })];
    assert.equal(receivableIn(platform, [eur, frozen, usd], 'USD')?.account, usd);
    assert.equal(receivableIn(platform, [usd], 'USD')?.config.currencyCode, 'USD');
    assert.equal(receivableIn(platform, [eur], 'EUR'), undefined);
    assert.equal(receivableIn(platform, [frozen], 'USD'), undefined);
    assert.equal(receivableIn(platform, [internalAccount({ currency: 'GBP' })], 'GBP'), undefined);
  });

  test('"outside minAmount..maxAmount of the platform\'s config AMOUNT_OUT_OF_RANGE": both bounds are inside', () => {
    const config = currencyConfig('USD', { minAmount: 100, maxAmount: 200 });
    assert.deepEqual(
      [99n, 100n, 200n, 201n].map((amount) => isWithin({ account: internalAccount(), config }, amount)),
      [false, true, true, false],
    );
  });

  test('"counterpartyInformation for the config\'s requiredCounterpartyFields", as far as the sender has said it', () => {
    const requiredCounterpartyFields = [
      { name: 'FULL_NAME', mandatory: true },
      { name: 'BIRTH_DATE', mandatory: false },
      { name: 'SHOE_SIZE', mandatory: true },
    ];
    const config = currencyConfig('USD', { requiredCounterpartyFields });
    assert.deepEqual(fieldsOfConfig(config), requiredCounterpartyFields.slice(0, 2));
    const asking = platformWith({ config: { supportedCurrencies: [currencyConfig('EUR'), config] } });
    const shown = (senderData: object, currency = 'USD') => asksFor(asking, { currency, senderData });
    assert.deepEqual(shown({ FULL_NAME: 'Bob', EMAIL: 'bob@example.com' }), { FULL_NAME: 'Bob' });
    assert.equal(shown({ EMAIL: 'bob@example.com' }), null);
    assert.equal(shown({ FULL_NAME: 'Bob' }, 'EUR'), null);
    assert.equal(shown({ FULL_NAME: 'Bob' }, 'GBP'), null);
  });
});
