import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { openMissingAccounts } from '../../../../src/domains/accounts/internal-accounts/actions.js';
import { sandboxDeposits } from '../../../../src/providers/deposits.js';
import { type Answer, assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { eventsAbout, placesHolding } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { quoting } from '../../../support/quotes.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';
import { platformIdOf } from '../../../support/webhooks/platform.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
  await service.platform.clock.freeze('2026-03-01T00:00:00Z');
});
after(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Customer = any;

const ada = (fields: Record<string, unknown> = {}): Promise<Customer> => given(service.platform).customer(fields);
const engines = (): Promise<Customer> =>
  expectStatus(
    201,
    service.platform.post('/customers', {
      customerType: 'BUSINESS',
      businessInfo: { legalName: 'Analytical Engines Ltd', country: 'GB', taxId: '12-3456789' },
    }),
  );
const patch = ({ id, customerType }: Customer, fields: Record<string, unknown>): Promise<Answer> =>
  service.platform.patch(`/customers/${id}`, { customerType, ...fields });
const patched = (customer: Customer, fields: Record<string, unknown>): Promise<Customer> => expectStatus(200, patch(customer, fields));
const refused = (customer: Customer, fields: Record<string, unknown>): Promise<Answer> =>
  changesNothing(service.db, () => patch(customer, fields));

describe('200', () => {
  const fields: [string, unknown][] = [
    ['fullName', 'Augusta Ada King'],
    ['email', 'countess@example.com'],
    ['phoneNumber', '+442071234567'],
    ['umaAddress', '$countess@uma.example.com'],
    ['currencies', ['USDB']],
    ['birthDate', '1815-12-10'],
    ['nationality', 'GB'],
    ['address', { line1: 'Ockham Park', postalCode: 'GU23 6NQ', country: 'GB' }],
    ['idType', 'NON_US_TAX_ID'],
    ['countryOfIssuance', 'GB'],
    ['annualIncomeRange', 'OVER_1M'],
  ];
  for (const [name, value] of fields) {
    test(`${name}: set; everything absent stays`, async () => {
      const customer = await ada({
        address: { line1: 'St James', line2: 'Upstairs', postalCode: 'SW1Y', country: 'GB' },
        pepStatus: 'NONE',
      });
      await service.platform.clock.advance(1000);
      const changed = await patched(customer, { [name]: value });
      assert.deepEqual(changed, { ...customer, [name]: value, updatedAt: (await service.platform.clock.now()).toISOString() });
      assert.deepEqual(await expectStatus(200, service.platform.get(`/customers/${customer.id}`)), changed);
    });
  }

  test('nothing but customerType changes nothing but updatedAt', async () => {
    const customer = await ada();
    await service.platform.clock.advance(1000);
    const { updatedAt, ...rest } = await patched(customer, {});
    const { updatedAt: before, ...same } = customer;
    assert.deepEqual(rest, same);
    assert.notEqual(updatedAt, before);
  });

  test('the answers about a business merge one by one; an address is replaced whole', async () => {
    const business = await engines();
    await patched(business, { address: { line1: '1 Dorset Street', line2: 'Rear', postalCode: 'W1U', country: 'GB' } });
    const address = { line1: '2 Dorset Street', postalCode: 'W1U', country: 'GB' };
    const changed = await patched(business, { businessInfo: { doingBusinessAs: 'Engines' }, address });
    assert.deepEqual(changed.businessInfo, { ...business.businessInfo, doingBusinessAs: 'Engines' });
    assert.deepEqual(changed.address, address);
  });

  test('a change of name is no new verification', async () => {
    const customer = await ada();
    assert.equal((await patched(customer, { fullName: 'Ada Rejected 002' })).kycStatus, 'APPROVED');
    assert.equal((await eventsAbout(service.db, customer.id)).length, 1);
  });

  test('sending back the status that holds is harmless', async () => {
    assert.equal((await patched(await ada(), { kycStatus: 'APPROVED' })).kycStatus, 'APPROVED');
  });

  test('a new identifier is sealed and never shown', async () => {
    const customer = await ada({ identifier: '111-11-1111-first' });
    const sealed = async () =>
      (
        await service.db.one<{ sealed: Buffer }>(sql`
        select identifier_sealed as sealed from customers where id = ${customer.id.slice('Customer:'.length)}`)
      )?.sealed;
    const first = await sealed();
    await patched(customer, { nationality: 'GB' });
    assert.deepEqual(await sealed(), first, 'absent leaves it');
    const answer = await patch(customer, { identifier: '222-22-2222-second' });
    assert.ok(!answer.text.includes('second'));
    assert.notDeepEqual(await sealed(), first);
    assert.deepEqual(await placesHolding(service.db, '222-22-2222-second'), []);
  });

  test('a currency the customer has already brings nothing: no account, no credential', async () => {
    const customer = await given(service.platform).customer({ email: undefined });
    const account = await given(service.platform).account(customer, 'USDB');
    const change = (fields: object) => service.platform.patch(`/customers/${customer.id}`, { customerType: 'INDIVIDUAL', ...fields });
    await expectStatus(200, change({ email: 'late@example.com' }));
    await expectStatus(200, change({ currencies: ['USD', 'USDB'] }));
    assert.deepEqual((await expectStatus(200, service.platform.get(`/auth/credentials?accountId=${account.id}`))).data, []);
  });

  test('a currency that is added brings its account', async () => {
    const platform = await service.newPlatform();
    const customer = await given(platform).customer();
    const { supportedCurrencies } = await expectStatus(200, platform.get('/config'));
    const euro = { ...supportedCurrencies[0], currencyCode: 'EUR' };
    await expectStatus(200, platform.patch('/config', { supportedCurrencies: [...supportedCurrencies, euro] }));
    for (const currencies of [['USD', 'EUR'], ['EUR']]) {
      await expectStatus(200, platform.patch(`/customers/${customer.id}`, { customerType: 'INDIVIDUAL', currencies }));
      const { totalCount } = await expectStatus(200, platform.get(`/customers/internal-accounts?customerId=${customer.id}`));
      assert.equal(totalCount, 3);
    }
  });
});

test('401: both signature headers make a retry, also of a customer whose wallet asks for none', async () => {
  const { id } = await ada();
  const headers = { 'service-wallet-signature': 'x', 'request-id': 'Request:01a1e141-d124-7566-a823-262cc273f644' };
  const patch = () => service.platform.patch(`/customers/${id}`, { customerType: 'INDIVIDUAL', fullName: 'Ada King' }, { headers });
  assertRefused(await changesNothing(service.db, patch), 401, 'WALLET_SIGNATURE_MALFORMED');
});

describe('agreements: consents only add', () => {
  const consent = (type: string, termsVersion: string, ipAddress = '192.0.2.7') => ({
    type,
    acceptedAt: '2025-10-02T09:00:00Z',
    ipAddress,
    termsVersion,
    acceptanceMethod: 'CLICK_TO_ACCEPT',
  });

  test('a further type is added, a newer version stands for its type, the first acceptance of a version is kept', async () => {
    const terms = consent('SERVICE_END_USER_TERMS', '2025-04-01');
    const customer = await ada({ agreementConsents: [terms] });
    const privacy = consent('SERVICE_PRIVACY_POLICY', '2025-10-01');
    assert.deepEqual((await patched(customer, { agreementConsents: [privacy] })).agreementConsents, [terms, privacy]);
    const again = consent('SERVICE_END_USER_TERMS', '2025-04-01', '198.51.100.1');
    assert.deepEqual((await patched(customer, { agreementConsents: [again] })).agreementConsents, [terms, privacy]);
    const newer = consent('SERVICE_END_USER_TERMS', '2025-10-01');
    const { agreementConsents, endUserTermsConsent } = await patched(customer, { agreementConsents: [newer] });
    assert.deepEqual(agreementConsents, [newer, privacy]);
    assert.equal(endUserTermsConsent.termsVersion, '2025-10-01');
    assert.deepEqual((await patched(customer, { agreementConsents: [] })).agreementConsents, [newer, privacy]);
  });

  test('an unknown version is refused', async () => {
    assertRefused(
      await refused(await ada(), { agreementConsents: [consent('BANK_PRIVACY_POLICY', '1')] }),
      400,
      'END_USER_TERMS_VERSION_NOT_FOUND',
    );
  });
});

describe('400', () => {
  test('every bad field at once', async () => {
    assertInvalid(
      await refused(await ada(), { email: null, phoneNumber: '12', platformCustomerId: 'x', region: 'GB', birthDate: 'today' }),
      'email',
      'phoneNumber',
      'platformCustomerId',
      'region',
      'birthDate',
    );
  });
  test('customerType is required and cannot be changed', async () => {
    const customer = await ada();
    assertInvalid(await refused(customer, { customerType: undefined }), 'customerType');
    assertInvalid(await refused(customer, { customerType: 'BUSINESS' }), 'customerType');
  });
  test('the status cannot be claimed', async () => {
    assertInvalid(await refused(await ada({ fullName: 'Ada Pending 001' }), { kycStatus: 'APPROVED' }), 'kycStatus');
    assertInvalid(await refused(await engines(), { kybStatus: 'APPROVED' }), 'kybStatus');
  });
  test('a currency the platform does not support', async () => {
    assertInvalid(await refused(await ada(), { currencies: ['USD', 'XAU'] }), 'currencies.1');
  });
  test('INVALID_UMA_ADDRESS', async () => {
    assertRefused(await refused(await ada(), { umaAddress: 'ada' }), 400, 'INVALID_UMA_ADDRESS');
  });
});

test('409 UMA_ADDRESS_EXISTS', async () => {
  await ada({ umaAddress: '$taken@uma.example.com' });
  assertRefused(await refused(await ada(), { umaAddress: '$Taken@uma.example.com' }), 409, 'UMA_ADDRESS_EXISTS');
});

test('404 CUSTOMER_NOT_FOUND: foreign, unknown, malformed and deleted alike', async () => {
  const foreign = await given(await service.newPlatform()).customer();
  const deleted = await ada();
  await expectStatus(200, service.platform.delete(`/customers/${deleted.id}`));
  for (const id of [foreign.id, 'Customer:01a1e141-d124-7566-a823-262cc273f644', 'Customer:x', deleted.id]) {
    assertRefused(await refused({ id, customerType: 'INDIVIDUAL' }, { nationality: 'GB' }), 404, 'CUSTOMER_NOT_FOUND');
  }
});

race('200: the account of a new currency is opened by a refund at the same moment: there is one', async () => {
  const platform = await service.newPlatform();
  const customer = await given(platform).customer();
  await quoting(platform).currencies('USD', 'USDC');
  const platformId = await platformIdOf(service, platform);
  const holder = { platformId, customerId: customer.id, currencies: ['USDC'], now: new Date() };
  const pending = await service.db.transaction(async (tx) => {
    // As the refund of a payment that the payer made in crypto does.
    assert.equal(await openMissingAccounts(tx, sandboxDeposits, holder), true);
    const change = platform.patch(`/customers/${customer.id}`, { customerType: 'INDIVIDUAL', currencies: ['USDC'] });
    await Promise.race([change, new Promise((resolve) => setTimeout(resolve, 500))]);
    return [change];
  });
  const answer = await pending[0];
  assert.equal(answer?.status, 200, JSON.stringify(answer?.body));
  const { data } = await expectStatus(200, platform.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USDC`));
  assert.equal(data.length, 1);
});

race('changes of different fields at once are all kept', async () => {
  const customer = await ada();
  const fields = {
    nationality: 'GB',
    email: 'at-once@example.com',
    phoneNumber: '+442071234567',
    pepStatus: 'NONE',
    annualIncomeRange: 'OVER_1M',
  };
  await Promise.all(Object.entries(fields).map(([name, value]) => patched(customer, { [name]: value })));
  const after = await expectStatus(200, service.platform.get(`/customers/${customer.id}`));
  assert.deepEqual({ ...after, ...fields }, after);
});
