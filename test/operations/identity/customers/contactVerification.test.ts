// Contacts of customers in a regulated region: required at creation, and verified again after every change.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { confirmContact, lockCustomer } from '../../../../src/domains/identity/customers/actions.js';
import { type PlatformId, parseId } from '../../../../src/kernel/ids.js';
import { assertInvalid, expectStatus } from '../../../support/client.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const german = {
  customerType: 'INDIVIDUAL',
  fullName: 'Emmy Noether',
  region: 'DE',
  email: 'emmy@example.com',
  phoneNumber: '+4930123456',
};
const business = {
  customerType: 'BUSINESS',
  region: 'FR',
  email: 'desk@example.com',
  phoneNumber: '+33123456789',
  businessInfo: { legalName: 'Ateliers', country: 'FR', primaryContactFirstName: 'Sophie', primaryContactLastName: 'Germain' },
};

describe('a customer in a regulated region', () => {
  test('shows both channels as PENDING', async () => {
    const customer = await expectStatus(201, service.platform.post('/customers', german));
    assert.deepEqual(customer.contactVerification, { email: 'PENDING', phone: 'PENDING' });
    assert.deepEqual((await expectStatus(200, service.platform.get(`/customers/${customer.id}`))).contactVerification, {
      email: 'PENDING',
      phone: 'PENDING',
    });
  });

  test('cannot be created without e-mail and phone number', async () => {
    const { email: _email, phoneNumber: _phone, ...neither } = german;
    assertInvalid(await service.platform.post('/customers', neither), 'email', 'phoneNumber');
  });

  test('a business also names its primary contact', async () => {
    await expectStatus(201, service.platform.post('/customers', business));
    assertInvalid(
      await service.platform.post('/customers', { ...business, businessInfo: { legalName: 'Ateliers', country: 'FR' } }),
      'businessInfo.primaryContactFirstName',
      'businessInfo.primaryContactLastName',
    );
  });

  test('a changed contact is PENDING again; the other one and a repeated value are not', async () => {
    const { id } = await expectStatus(201, service.platform.post('/customers', german));
    const customerId = parseId('Customer', id);
    const { platform_id: bare } = (await service.db.one<{ platform_id: string }>(
      sql`select platform_id from customers where id = ${id.slice(9)}`,
    )) as { platform_id: string };
    const platformId: PlatformId = `Platform:${bare}`;
    for (const channel of ['EMAIL', 'PHONE'] as const) {
      await service.db.transaction(async (tx) =>
        confirmContact(tx, platformId, await lockCustomer(tx, platformId, customerId), channel, new Date('2026-01-01T00:00:00Z')),
      );
    }
    const patch = async (fields: object) =>
      (await expectStatus(200, service.platform.patch(`/customers/${id}`, { customerType: 'INDIVIDUAL', ...fields }))).contactVerification;
    assert.deepEqual(await patch({ email: german.email }), { email: 'VERIFIED', phone: 'VERIFIED' });
    assert.deepEqual(await patch({ phoneNumber: '+4930999999' }), { email: 'VERIFIED', phone: 'PENDING' });
    assert.deepEqual(await patch({ email: 'noether@example.com' }), { email: 'PENDING', phone: 'PENDING' });
  });
});

test('a customer elsewhere, or without a region, has no contactVerification and needs no phone number', async () => {
  for (const region of ['GB', 'CH', 'US', undefined]) {
    const customer = await expectStatus(
      201,
      service.platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', ...(region && { region }) }),
    );
    assert.equal('contactVerification' in customer, false);
  }
});
