import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { identity } from '../../../support/identity/verifications.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
  await service.platform.clock.freeze('2026-03-01T00:00:00Z');
});
after(() => service.stop());

const build = () => identity(service.platform);
const customer = async (id: string) => expectStatus(200, service.platform.get(`/customers/${id}`));
const submit = (customerId: string) => service.platform.post('/verifications', { customerId });
const typesAbout = async (id: string) => (await eventsAbout(service.db, id)).map(({ type }) => type);

describe('a packet that lacks something', () => {
  test('200 RESOLVE_ERRORS with every problem; the customer stays UNVERIFIED', async () => {
    const person = await build().person({ birthDate: undefined, address: undefined });
    const verification = await build().submit(person);
    assert.deepEqual(
      { ...verification, errors: verification.errors.map(({ type, field }: { type: string; field?: string }) => field ?? type) },
      {
        id: verification.id,
        customerId: person.id,
        verificationStatus: 'RESOLVE_ERRORS',
        errors: ['birthDate', 'address.line1', 'address.postalCode', 'address.country', 'MISSING_IDENTITY_DOCUMENT'],
        createdAt: '2026-03-01T00:00:00.000Z',
        updatedAt: '2026-03-01T00:00:00.000Z',
      },
    );
    assert.equal((await customer(person.id)).kycStatus, 'UNVERIFIED');
    assert.deepEqual(await eventsAbout(service.db, verification.id), [{ type: 'VERIFICATION.RESOLVE_ERRORS', data: verification }]);
    assert.deepEqual(await typesAbout(person.id), []);
  });

  test('submitted again it is the same record: errors that were resolved are gone, and the change is an event', async () => {
    const person = await build().person({ birthDate: undefined });
    const first = await build().submit(person);
    await service.platform.clock.advance(1000);
    await expectStatus(200, service.platform.patch(`/customers/${person.id}`, { customerType: 'INDIVIDUAL', birthDate: '1990-01-01' }));
    const second = await build().submit(person);
    assert.deepEqual([second.id, second.createdAt], [first.id, first.createdAt]);
    assert.ok(second.updatedAt > first.updatedAt);
    assert.deepEqual(
      second.errors.map(({ type }: { type: string }) => type),
      ['MISSING_IDENTITY_DOCUMENT'],
    );
    assert.equal((await eventsAbout(service.db, first.id)).length, 2);
    // Unchanged: no further event.
    await build().submit(person);
    assert.equal((await eventsAbout(service.db, first.id)).length, 2);
  });

  test('a business lists fields, documents and people', async () => {
    const business = await build().business({ taxId: undefined });
    const { errors } = await build().submit(business);
    assert.deepEqual(
      errors.map(({ type, field }: { type: string; field?: string }) => field ?? type),
      [
        'businessInfo.taxId',
        'MISSING_LEGAL_PRESENCE_DOCUMENT',
        'MISSING_CONTROL_STRUCTURE_DOCUMENT',
        'MISSING_OWNERSHIP_STRUCTURE_DOCUMENT',
        'MISSING_PROOF_OF_ADDRESS_DOCUMENT',
        'MISSING_BENEFICIAL_OWNER',
        'MISSING_CONTROL_PERSON',
      ],
    );
  });

  test('contacts in a regulated region are part of the packet', async () => {
    const person = await build().person({ region: 'DE', email: 'e@example.com', phoneNumber: '+4930123456' });
    const fields = (await build().submit(person)).errors.map(({ field }: { field?: string }) => field);
    assert.deepEqual(fields.slice(1), ['email', 'phoneNumber']);
  });
});

describe('the sandbox decides a business by its registration number, without checks', () => {
  test('any other number: APPROVED at once, with both events; owners follow their names', async () => {
    const business = await build().business({ registrationNumber: 'HRB-12345' });
    const [approved, pending, rejected] = [
      await build().owner(business, { ownershipPercentage: 10 }),
      await build().owner(business, { ownershipPercentage: 10 }, { lastName: 'Hopper 001' }),
      await build().owner(business, { ownershipPercentage: 10 }, { lastName: 'Hopper 002' }),
    ];
    const verification = await build().submit(business);
    assert.deepEqual([verification.verificationStatus, verification.errors], ['APPROVED', []]);
    const shown = await customer(business.id);
    assert.equal(shown.kybStatus, 'APPROVED');
    assert.deepEqual(
      shown.beneficialOwners.map(({ id, kycStatus }: { id: string; kycStatus: string }) => [id, kycStatus]),
      [
        [approved.id, 'APPROVED'],
        [pending.id, 'PENDING'],
        [rejected.id, 'REJECTED'],
      ],
    );
    assert.deepEqual(await eventsAbout(service.db, verification.id), [{ type: 'VERIFICATION.APPROVED', data: verification }]);
    assert.deepEqual(await eventsAbout(service.db, business.id), [{ type: 'CUSTOMER.KYB_APPROVED', data: shown }]);
  });

  test('002: REJECTED at once', async () => {
    const business = await build().business({ registrationNumber: 'HRB-002' });
    const verification = await build().submit(business);
    assert.equal(verification.verificationStatus, 'REJECTED');
    assert.deepEqual(
      verification.errors.map(({ type, resourceId }: { type: string; resourceId: string }) => [type, resourceId]),
      [['APPLICANT_REJECTED', business.id]],
    );
    assert.deepEqual(await typesAbout(business.id), ['CUSTOMER.KYB_REJECTED']);
  });

  for (const registrationNumber of ['HRB-001', 'HRB-003', undefined])
    test(`${registrationNumber ?? 'no number'}: the checks apply`, async () => {
      const { verificationStatus } = await build().submit(await build().business({ registrationNumber }));
      assert.equal(verificationStatus, 'RESOLVE_ERRORS');
    });
});

describe('400 ALREADY_DECIDED', () => {
  const decided: [string, () => Promise<{ id: string }>][] = [
    ['a person approved at creation', () => given(service.platform).customer()],
    ['a person rejected at creation', () => given(service.platform).customer({ fullName: 'Ada 002' })],
    [
      'a business after its verdict',
      async () => {
        const business = await build().business({ registrationNumber: 'HRB-9' });
        await build().submit(business);
        return business;
      },
    ],
  ];
  for (const [name, make] of decided)
    test(name, async () => {
      const { id } = await make();
      const answer = await changesNothing(service.db, () => submit(id));
      assertRefused(answer, 400, 'INVALID_INPUT');
      assert.equal(answer.body.details.cause, 'ALREADY_DECIDED');
    });
});

test('404 CUSTOMER_NOT_FOUND: unknown, foreign, malformed and deleted alike', async () => {
  const foreign = await identity(await service.newPlatform()).person();
  const deleted = await build().person();
  await expectStatus(200, service.platform.delete(`/customers/${deleted.id}`));
  const answers = [];
  for (const id of [foreign.id, deleted.id, 'Customer:x', 'Customer:01a1e141-d124-7566-a823-262cc273f644'])
    answers.push(await changesNothing(service.db, () => submit(id)));
  for (const answer of answers) assertRefused(answer, 404, 'CUSTOMER_NOT_FOUND');
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
});

test('400: customerId is required and nothing else is taken', async () => {
  assertInvalid(await service.platform.post('/verifications', {}), 'customerId');
  assertInvalid(await service.platform.post('/verifications', { customerId: 'Customer:x', force: true }), 'force');
});

test('16 submissions at once give one record and one event', async () => {
  for (const make of [() => build().person(), () => build().business({ registrationNumber: 'HRB-001' })]) {
    const { id } = await make();
    const answers = await Promise.all(Array.from({ length: 16 }, () => submit(id)));
    const ids = new Set(answers.map(({ body }) => body.id));
    assert.deepEqual([ids.size, new Set(answers.map(({ status }) => status))], [1, new Set([200])]);
    assert.equal((await eventsAbout(service.db, [...ids][0])).length, 1);
    assert.equal((await expectStatus(200, service.platform.get(`/verifications?customerId=${id}`))).totalCount, 1);
  }
});

race('16 at once of a business that is approved: one verdict, the others find it decided', async () => {
  const { id } = await build().business({ registrationNumber: 'HRB-8' });
  const answers = await Promise.all(Array.from({ length: 16 }, () => submit(id)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.deepEqual(await typesAbout(id), ['CUSTOMER.KYB_APPROVED']);
});

describe('listVerifications and getVerification', () => {
  test('newest first, by customer and status; an unknown customer gives none', async () => {
    const platform = await service.newPlatform();
    const make = identity(platform);
    const [open, done] = [await make.submit(await make.person()), await make.submit(await make.business({ registrationNumber: 'X-9' }))];
    const ids = async (query: string) =>
      (await expectStatus(200, platform.get(`/verifications${query}`))).data.map(({ id }: { id: string }) => id);
    assert.deepEqual(await ids(''), [done.id, open.id]);
    assert.deepEqual(await ids('?verificationStatus=RESOLVE_ERRORS'), [open.id]);
    assert.deepEqual(await ids('?verificationStatus=READY_FOR_VERIFICATION'), []);
    assert.deepEqual(await ids(`?customerId=${done.customerId}`), [done.id]);
    assert.deepEqual(await ids('?customerId=Customer:x'), []);
    assertInvalid(await platform.get('/verifications?verificationStatus=DONE'), 'verificationStatus');
    const page = await expectStatus(200, platform.get('/verifications?limit=1'));
    assert.deepEqual([page.data[0].id, page.hasMore, page.totalCount], [done.id, true, 2]);
    assert.deepEqual(await ids(`?limit=1&cursor=${page.nextCursor}`), [open.id]);
    assert.deepEqual(await expectStatus(200, platform.get(`/verifications/${open.id}`)), open);
  });

  test('404 VERIFICATION_NOT_FOUND: unknown, foreign, malformed, and of a deleted customer', async () => {
    const person = await build().person();
    const ended = await build().submit(person);
    await expectStatus(200, service.platform.delete(`/customers/${person.id}`));
    const other = identity(await service.newPlatform());
    const foreign = await other.submit(await other.person());
    for (const id of [ended.id, foreign.id, 'Verification:x', 'Verification:01a1e141-d124-7566-a823-262cc273f644'])
      assertRefused(await service.platform.get(`/verifications/${id}`), 404, 'VERIFICATION_NOT_FOUND');
    assert.deepEqual((await expectStatus(200, service.platform.get(`/verifications?customerId=${person.id}`))).data, []);
  });
});
