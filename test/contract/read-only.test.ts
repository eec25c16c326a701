// Members that the contract has only in answers are ignored in requests; members that nobody knows stay refused.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, expectStatus } from '../support/client.js';
import { accountInfoOf } from '../support/external-accounts/account-infos.js';
import { given } from '../support/given.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const TIME = '2001-01-01T00:00:00.000Z';

describe('an external account', () => {
  const usd = (accountNumber: string, more: Record<string, unknown> = {}) => ({
    currency: 'USD',
    accountInfo: { ...accountInfoOf('USD_ACCOUNT', { accountNumber }), ...more },
  });

  test('id, status, paymentRails and countries are ignored, of any type', async () => {
    const body = {
      ...usd('700000001', { paymentRails: ['CARRIER_PIGEON'], countries: 'US' }),
      id: 5,
      status: 'INACTIVE',
      beneficiaryVerificationStatus: 'NOT_MATCHED',
      beneficiaryVerifiedData: { fullName: 'Nobody' },
    };
    const account = await expectStatus(201, service.platform.post('/platform/external-accounts', body));
    assert.match(account.id, /^ExternalAccount:/);
    assert.equal(account.status, 'ACTIVE');
    assert.equal(account.beneficiaryVerificationStatus, 'MATCHED');
    assert.deepEqual(account.accountInfo.paymentRails.includes('CARRIER_PIGEON'), false);
    assert.equal('countries' in account.accountInfo, false);
  });

  test('an answer can be sent again for another owner', async () => {
    const account = await expectStatus(201, service.platform.post('/platform/external-accounts', usd('700000002')));
    const { id: customerId } = await given(service.platform).customer();
    const copy = await expectStatus(201, service.platform.post('/customers/external-accounts', { ...account, customerId }));
    assert.deepEqual({ ...copy, id: account.id, customerId: null }, account);
  });

  test('members of the other owner, and members that nobody knows, stay refused', async () => {
    const body = { ...usd('700000003', { nickname: 'x' }), customerId: null, defaultUmaDepositAccount: true, colour: 'red' };
    assertInvalid(
      await service.platform.post('/platform/external-accounts', body),
      'accountInfo.nickname',
      'colour',
      'customerId',
      'defaultUmaDepositAccount',
    );
  });
});

test('a customer: an answer can be sent back as a change', async () => {
  const { id } = await given(service.platform).customer();
  const {
    platformCustomerId: _,
    region: __,
    kycStatus: ___,
    ...customer
  } = await expectStatus(200, service.platform.get(`/customers/${id}`));
  const changed = await expectStatus(
    200,
    service.platform.patch(`/customers/${id}`, { ...customer, fullName: 'Ada King', id: 'Customer:x', createdAt: TIME, isDeleted: true }),
  );
  assert.deepEqual([changed.id, changed.fullName, changed.createdAt, changed.isDeleted], [id, 'Ada King', customer.createdAt, false]);
  assertInvalid(await service.platform.patch(`/customers/${id}`, { ...customer, deleted: true }), 'deleted');
});

test('the configuration: an answer can be sent back, and what a provider requires is not for the platform to say', async () => {
  const config = await expectStatus(200, service.platform.get('/config'));
  const [first, ...others] = config.supportedCurrencies;
  const echoed = { ...config, supportedCurrencies: [{ ...first, providerRequiredCustomerFields: ['FULL_NAME'] }, ...others] };
  const changed = await expectStatus(
    200,
    service.platform.patch('/config', { ...echoed, id: 'Platform:x', isRegulatedFinancialInstitution: true, updatedAt: TIME }),
  );
  assert.deepEqual({ ...changed, updatedAt: config.updatedAt }, config);
  assertInvalid(await service.platform.patch('/config', { regulated: true }), 'regulated');
});

test('an API token: an identifier and a secret are never chosen by the caller, and an expiry that is not supported is refused', async () => {
  const token = await expectStatus(
    201,
    service.platform.post('/tokens', {
      name: 'mine',
      permissions: ['VIEW'],
      id: 'Token:x',
      clientId: 'x',
      clientSecret: 'y',
      createdAt: TIME,
    }),
  );
  assert.notEqual(token.clientId, 'x');
  assert.notEqual(token.clientSecret, 'y');
  assertInvalid(await service.platform.post('/tokens', { name: 'mine', permissions: ['VIEW'], expiresAt: TIME }), 'expiresAt');
});

test('a request that is not the object of its answer has no such members', async () => {
  assertInvalid(await service.platform.post('/sandbox/internal-accounts/x/fund', { amount: 1, id: 'x' }), 'id');
});

describe('the document marks them readOnly', () => {
  const propertiesOf = (name: string) => {
    const { components } = service.contract.document as { components: { schemas: Record<string, { properties: Record<string, object> }> } };
    return components.schemas[name]?.properties ?? {};
  };
  const marked = (name: string) =>
    Object.entries(propertiesOf(name)).flatMap(([property, schema]) => ('readOnly' in schema ? [property] : []));

  const expected: readonly [schema: string, ...members: string[]][] = [
    ['ExternalAccount', 'beneficiaryVerificationStatus', 'beneficiaryVerifiedData', 'id', 'status'],
    ['UsdExternalAccountInfo', 'paymentRails'],
    ['UsdExternalAccountCreateInfo', 'countries', 'paymentRails'],
    ['IndividualCustomer', 'contactVerification', 'createdAt', 'id', 'isDeleted', 'updatedAt'],
    ['PlatformCurrencyConfig', 'providerRequiredCounterpartyCustomerFields', 'providerRequiredCustomerFields'],
    ['SweepRule', 'maximumAmount', 'minimumAmount'],
    ['CurrencyAmount'],
  ];
  for (const [schema, ...members] of expected) test(schema, () => assert.deepEqual(marked(schema).sort(), members));
});
