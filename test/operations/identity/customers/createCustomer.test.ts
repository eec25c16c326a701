import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { eventsAbout, placesHolding } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
});
after(() => service.stop());

const ada = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' };
const engines = { customerType: 'BUSINESS', businessInfo: { legalName: 'Analytical Engines Ltd', country: 'GB' } };
const consent = {
  type: 'SERVICE_END_USER_TERMS',
  acceptedAt: '2025-10-02T09:00:00Z',
  ipAddress: '192.0.2.7',
  termsVersion: '2025-10-01',
  acceptanceMethod: 'CHECKBOX',
};
const { type: _terms, ...termsConsent } = consent;

const create = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  service.platform.post('/customers', { ...ada, ...fields }, { headers });
const created = (fields: Record<string, unknown> = {}) => expectStatus(201, create(fields));
const refused = (fields: Record<string, unknown>): Promise<Answer> => changesNothing(service.db, () => create(fields));
const accountsOf = async (
  id: string,
): Promise<{ type: string; status: string; balance: { amount: number; currency: { code: string } } }[]> =>
  (await expectStatus(200, service.platform.get(`/customers/internal-accounts?customerId=${id}`))).data;

describe('201', () => {
  test('an individual, as it was sent', async () => {
    const sent = {
      ...ada,
      platformCustomerId: 'ada-1815',
      region: 'GB',
      currencies: ['USD'],
      email: 'ada@example.com',
      phoneNumber: '+14155550123',
      umaAddress: '$ada@uma.example.com',
      birthDate: '1815-12-10',
      nationality: 'GB',
      address: { line1: '12 St James Square', city: 'London', postalCode: 'SW1Y 4JH', country: 'GB' },
      idType: 'NON_US_TAX_ID',
      countryOfIssuance: 'GB',
      sourceOfFundsCategories: ['INHERITANCE', 'OTHER'],
      sourceOfFundsOtherDescription: 'Patents',
      pepStatus: 'NONE',
    };
    const { id, createdAt, updatedAt, ...customer } = await created(sent);
    assert.match(id, /^Customer:[0-9a-f-]{36}$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(customer, { ...sent, kycStatus: 'APPROVED', isDeleted: false });
  });

  test('a business, as it was sent', async () => {
    const businessInfo = {
      ...engines.businessInfo,
      registrationNumber: '00445790',
      taxId: '12-3456789',
      entityType: 'LLC',
      naicsCode: '334111',
    };
    const address = { line1: '1 Dorset Street', postalCode: 'W1U 4EG', country: 'GB' };
    const customer = await created({ ...engines, fullName: undefined, businessInfo, address });
    assert.equal(customer.customerType, 'BUSINESS');
    assert.deepEqual(customer.businessInfo, businessInfo);
    assert.deepEqual(customer.address, address);
  });

  test('reads the same when fetched', async () => {
    const customer = await created({ agreementConsents: [consent] });
    assert.deepEqual(await expectStatus(200, service.platform.get(`/customers/${customer.id}`)), customer);
  });

  test('missing platformCustomerId and umaAddress are generated, and differ', async () => {
    const [one, two] = [await created(), await created()];
    for (const { umaAddress, platformCustomerId } of [one, two]) {
      assert.match(umaAddress, /^\$[a-z0-9]+@[a-z0-9.]+$/);
      assert.ok(platformCustomerId.length > 0);
    }
    assert.notEqual(one.umaAddress, two.umaAddress);
    assert.notEqual(one.platformCustomerId, two.platformCustomerId);
  });

  test("comes with an account in each of the platform's currencies, USDB as an embedded wallet", async () => {
    const { id } = await created();
    const accounts = (await accountsOf(id)).map(({ type, status, balance }) => [balance.currency.code, type, status, balance.amount]);
    assert.deepEqual(accounts.sort(), [
      ['USD', 'INTERNAL_FIAT', 'ACTIVE', 0],
      ['USDB', 'EMBEDDED_WALLET', 'ACTIVE', 0],
    ]);
  });

  test('a currency the platform adds later is one of the next customer', async () => {
    const platform = await service.newPlatform();
    const { supportedCurrencies } = await expectStatus(200, platform.get('/config'));
    const added = ['EUR', 'USDC', 'BTC', 'JMD'].map((currencyCode) => ({ ...supportedCurrencies[0], currencyCode }));
    await expectStatus(200, platform.patch('/config', { supportedCurrencies: [...supportedCurrencies, ...added] }));
    const customer = await expectStatus(201, platform.post('/customers', ada));
    assert.deepEqual(customer.currencies, ['USD', 'USDB', 'EUR', 'USDC', 'BTC', 'JMD']);
    const { data } = await expectStatus(200, platform.get(`/customers/internal-accounts?customerId=${customer.id}`));
    const types = Object.fromEntries(
      data.map(({ balance, type }: { balance: { currency: { code: string } }; type: string }) => [balance.currency.code, type]),
    );
    assert.deepEqual(types, {
      USD: 'INTERNAL_FIAT',
      USDB: 'EMBEDDED_WALLET',
      EUR: 'INTERNAL_FIAT',
      USDC: 'INTERNAL_CRYPTO',
      BTC: 'INTERNAL_CRYPTO',
      JMD: 'INTERNAL_FIAT',
    });
  });
});

describe('verification', () => {
  const outcomes: [string, string, string[]][] = [
    ['Ada Pending 001', 'PENDING', ['CUSTOMER.KYC_PENDING']],
    ['Ada Rejected 002', 'REJECTED', ['CUSTOMER.KYC_REJECTED']],
    ['Ada Unverified 003', 'UNVERIFIED', []],
    ['Ada Lovelace', 'APPROVED', ['CUSTOMER.KYC_APPROVED']],
    ['Ada 0010', 'APPROVED', ['CUSTOMER.KYC_APPROVED']],
  ];
  for (const [fullName, kycStatus, types] of outcomes) {
    test(`sandbox: "${fullName}" is ${kycStatus}`, async () => {
      const customer = await created({ fullName });
      assert.equal(customer.kycStatus, kycStatus);
      assert.deepEqual(
        await eventsAbout(service.db, customer.id),
        types.map((type) => ({ type, data: customer })),
      );
    });
  }

  for (const registrationNumber of ['00445790', '001', '002', '003']) {
    test(`sandbox: a business (registration number ${registrationNumber}) is created UNVERIFIED`, async () => {
      const customer = await created({ ...engines, fullName: undefined, businessInfo: { ...engines.businessInfo, registrationNumber } });
      assert.equal(customer.kybStatus, 'UNVERIFIED');
      assert.deepEqual(await eventsAbout(service.db, customer.id), []);
    });
  }

  test('a regulated platform: the status starts APPROVED', async () => {
    const platform = await service.newPlatform();
    const { id } = await expectStatus(200, platform.get('/config'));
    await service.db.run(sql`
      update platforms set config = config || '{"isRegulatedFinancialInstitution": true}' where id = ${id.slice('Platform:'.length)}`);
    const person = await expectStatus(201, platform.post('/customers', { ...ada, fullName: 'Ada Rejected 002' }));
    const business = await expectStatus(201, platform.post('/customers', engines));
    assert.equal(person.kycStatus, 'APPROVED');
    assert.equal(business.kybStatus, 'APPROVED');
    assert.deepEqual(
      (await eventsAbout(service.db, business.id)).map(({ type }) => type),
      ['CUSTOMER.KYB_APPROVED'],
    );
  });

  test('the status cannot be claimed; stating the one that holds is harmless', async () => {
    assertInvalid(await refused({ fullName: 'Ada Pending 001', kycStatus: 'APPROVED' }), 'kycStatus');
    await created({ kycStatus: 'APPROVED' });
    assertInvalid(
      await changesNothing(service.db, () => service.platform.post('/customers', { ...engines, kybStatus: 'APPROVED' })),
      'kybStatus',
    );
  });
});

describe('the identifier', () => {
  test('is never shown, and nowhere in the database, the events or the log', async () => {
    const identifier = '078-05-1120-canary';
    const answer = await create({ idType: 'SSN', identifier }, { 'idempotency-key': 'identifier' });
    assert.equal(answer.status, 201);
    assert.ok(!answer.text.includes(identifier));
    assert.ok(!(await service.platform.get(`/customers/${answer.body.id}`)).text.includes(identifier));
    assert.deepEqual(await placesHolding(service.db, identifier), []);
    assert.ok(!service.logged.some((line) => line.includes(identifier)));
    const row = await service.db.one<{ sealed: boolean }>(sql`
      select identifier_sealed is not null as sealed from customers where id = ${answer.body.id.slice('Customer:'.length)}`);
    assert.equal(row?.sealed, true);
  });

  test('is not echoed by a refusal', async () => {
    const identifier = '9'.repeat(101);
    const answer = await refused({ identifier });
    assertInvalid(answer, 'identifier');
    assert.ok(!answer.text.includes(identifier));
  });
});

describe('agreements', () => {
  test('a consent is kept and shown in both forms', async () => {
    const both = await created({ agreementConsents: [consent, { ...consent, type: 'BANK_PRIVACY_POLICY', termsVersion: '2025-04-01' }] });
    assert.deepEqual(both.endUserTermsConsent, termsConsent);
    assert.deepEqual(
      both.agreementConsents.map(({ type }: { type: string }) => type),
      ['SERVICE_END_USER_TERMS', 'BANK_PRIVACY_POLICY'],
    );
    const deprecated = await created({ endUserTermsConsent: termsConsent });
    assert.deepEqual(deprecated.agreementConsents, [consent]);
  });

  test('the current version of every agreement is accepted', async () => {
    const { data } = await expectStatus(200, service.platform.get('/customers/agreements'));
    const agreementConsents = data.map(({ type, version }: { type: string; version: string }) => ({
      ...consent,
      type,
      termsVersion: version,
    }));
    assert.deepEqual((await created({ agreementConsents })).agreementConsents, agreementConsents);
  });

  test('400 END_USER_TERMS_VERSION_NOT_FOUND: submitted version unsupported for that agreement', async () => {
    assertRefused(
      await refused({ agreementConsents: [{ ...consent, termsVersion: '1999-01-01' }] }),
      400,
      'END_USER_TERMS_VERSION_NOT_FOUND',
    );
    assertRefused(await refused({ endUserTermsConsent: { ...termsConsent, termsVersion: '' } }), 400, 'END_USER_TERMS_VERSION_NOT_FOUND');
  });

  test('both forms together, one type twice, and an address that is none are refused', async () => {
    assertInvalid(await refused({ agreementConsents: [consent], endUserTermsConsent: termsConsent }), 'endUserTermsConsent');
    assertInvalid(await refused({ agreementConsents: [consent, consent] }), 'agreementConsents.1.type');
    assertInvalid(await refused({ agreementConsents: [{ ...consent, ipAddress: '999.1.1.1' }] }), 'agreementConsents.0.ipAddress');
  });
});

describe('400: details.errors has one entry per invalid field', () => {
  test('every bad field at once, in dot notation, with its constraint', async () => {
    const answer = await refused({
      email: 'not an address',
      phoneNumber: '0123',
      birthDate: '1815-02-30',
      fullName: 'x'.repeat(251),
      pepStatus: 'KING',
      address: { line1: '12 St James Square', country: 'GB' },
      kycStatus: 'DONE',
      surprise: 1,
    });
    assertInvalid(answer, 'email', 'phoneNumber', 'birthDate', 'fullName', 'pepStatus', 'address.postalCode', 'kycStatus', 'surprise');
    const constraints = Object.fromEntries(
      answer.body.details.errors.map(({ field, constraint }: { field: string; constraint?: unknown }) => [field, constraint]),
    );
    assert.deepEqual(constraints.email, { format: 'email' });
    assert.deepEqual(constraints.fullName, { maxLength: 250 });
    assert.deepEqual(constraints.phoneNumber, { pattern: '^\\+[1-9]\\d{1,14}$' });
    assert.deepEqual(constraints.birthDate, { format: 'date' });
    assert.deepEqual(constraints.pepStatus, { enum: ['NONE', 'DOMESTIC', 'FOREIGN', 'HIO', 'FAMILY_OR_ASSOCIATE'] });
  });

  test('exactly the longest name is accepted', async () => {
    await created({ fullName: 'x'.repeat(250) });
  });

  const bad: [string, Record<string, unknown>, string[]][] = [
    ['no customerType', { customerType: undefined }, ['customerType']],
    ['an unknown customerType', { customerType: 'ROBOT' }, ['customerType']],
    ['a field of the other kind', { businessInfo: engines.businessInfo }, ['businessInfo']],
    ['a business without businessInfo', { ...engines, fullName: undefined, businessInfo: undefined }, ['businessInfo']],
    [
      'a business without legalName and country',
      { ...engines, fullName: undefined, businessInfo: {} },
      ['businessInfo.legalName', 'businessInfo.country'],
    ],
    ['unknown fields', { deleted: true, number: 'Customer:1' }, ['deleted', 'number']],
    ['null for text', { fullName: null }, ['fullName']],
    ['a currency the platform does not support', { currencies: ['USD', 'XAU'] }, ['currencies.1']],
    ['a currency listed twice', { currencies: ['USD', 'USDB', 'USD'] }, ['currencies.2']],
    ['an empty platformCustomerId', { platformCustomerId: '' }, ['platformCustomerId']],
  ];
  for (const [name, fields, named] of bad) {
    test(name, async () => assertInvalid(await refused(fields), ...named));
  }

  test('an unknown kind is answered with the kinds that there are', async () => {
    const { errors } = (await refused({ customerType: 'ROBOT' })).body.details;
    assert.deepEqual(errors, [
      {
        field: 'customerType',
        constraint: { enum: ['INDIVIDUAL', 'BUSINESS'] },
        message: 'must be one of INDIVIDUAL, BUSINESS',
      },
    ]);
  });

  test('INVALID_INPUT names every bad field, the UMA address among them', async () =>
    assertInvalid(await refused({ umaAddress: 'bad', currencies: ['XXX'] }), 'currencies.0', 'umaAddress'));

  for (const umaAddress of [
    'ada@uma.example.com',
    '$ada',
    '$@uma.example.com',
    '$a da@uma.example.com',
    '$ada@uma..com',
    '$ada@uma.4',
    '$ada@1.2',
    '$ada@uma.example.com:443',
    '',
  ]) {
    test(`INVALID_UMA_ADDRESS: "${umaAddress}"`, async () => assertRefused(await refused({ umaAddress }), 400, 'INVALID_UMA_ADDRESS'));
  }
});

describe('409', () => {
  test('CONFLICT: platformCustomerId colliding with an existing active customer on the platform', async () => {
    const { id } = await created({ platformCustomerId: 'taken' });
    const answer = await refused({ platformCustomerId: 'taken' });
    assertRefused(answer, 409, 'CONFLICT');
    assert.deepEqual(answer.body.details, { field: 'platformCustomerId', customerId: id }, 'the existing customer is named');

    await expectStatus(201, (await service.newPlatform()).post('/customers', { ...ada, platformCustomerId: 'taken' }));
    await expectStatus(200, service.platform.delete(`/customers/${id}`));
    await created({ platformCustomerId: 'taken' });
  });

  test('UMA_ADDRESS_EXISTS, whatever the case of its letters', async () => {
    await created({ umaAddress: '$byron@uma.example.com' });
    assertRefused(await refused({ umaAddress: '$Byron@UMA.example.com' }), 409, 'UMA_ADDRESS_EXISTS');
  });

  race('of many at once with one platformCustomerId exactly one is created', async () => {
    const platformCustomerId = `race-${randomUUID()}`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => create({ platformCustomerId })));
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    const { data, totalCount } = await expectStatus(200, service.platform.get(`/customers?platformCustomerId=${platformCustomerId}`));
    assert.equal(totalCount, 1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assertRefused(answer, 409, 'CONFLICT');
      assert.equal(answer.body.details.customerId, data[0].id);
    }
  });
});

describe('Idempotency-Key', () => {
  test('a replay returns the stored status and bytes and creates nothing', async () => {
    const fields = { email: 'replay@example.com' };
    const first = await create(fields, { 'idempotency-key': 'key-1' });
    const second = await changesNothing(service.db, () => create(fields, { 'idempotency-key': 'key-1' }));
    assert.equal(first.status, 201);
    assert.deepEqual([second.status, second.text], [first.status, first.text]);
    assertRefused(
      await changesNothing(service.db, () => create({ email: 'other@example.com' }, { 'idempotency-key': 'key-1' })),
      409,
      'CONFLICT',
    );
  });

  race('sent many times at once it creates one customer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => create({ email: 'once@example.com' }, { 'idempotency-key': 'key-2' })),
    );
    assert.deepEqual([...new Set(answers.map(({ status, text }) => `${status} ${text}`))].length, 1);
  });

  test('a refused request leaves the key free', async () => {
    assertInvalid(await create({ currencies: ['XAU'] }, { 'idempotency-key': 'key-3' }), 'currencies.0');
    assert.equal((await create({}, { 'idempotency-key': 'key-3' })).status, 201);
  });
});

test('403 FORBIDDEN without MANAGE', async () => {
  const token = await expectStatus(201, service.platform.post('/tokens', { name: 'reader', permissions: ['VIEW', 'TRANSACT'] }));
  const reader = service.as(token.clientId, token.clientSecret);
  assertRefused(await changesNothing(service.db, () => reader.post('/customers', ada)), 403, 'FORBIDDEN');
});
