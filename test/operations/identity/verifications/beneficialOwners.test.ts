// createBeneficialOwner, listBeneficialOwners, getBeneficialOwner, updateBeneficialOwner, deleteBeneficialOwner.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { lockWaits } from '../../../support/database.js';
import { placesHolding } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { identity, US_OWNER } from '../../../support/identity/verifications.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';

let service: TestService;
before(async () => {
  service = await startOwnService();
  await service.platform.clock.freeze('2026-03-01T00:00:00Z');
});
after(() => service.stop());

const build = () => identity(service.platform);
const path = (owner: { id: string }) => `/beneficial-owners/${owner.id}`;
const UNKNOWN = 'BeneficialOwner:01a1e141-d124-7566-a823-262cc273f644';

describe('createBeneficialOwner', () => {
  test('201: the owner, UNVERIFIED, with a masked identifier; the business shows it', async () => {
    const business = await build().business();
    const owner = await build().owner(business);
    assert.deepEqual(owner, {
      id: owner.id,
      customerId: business.id,
      roles: ['UBO', 'CONTROL_PERSON'],
      ownershipPercentage: 60,
      personalInfo: { ...US_OWNER.personalInfo, identifier: '***-**-6789' },
      kycStatus: 'UNVERIFIED',
      createdAt: '2026-03-01T00:00:00.000Z',
      updatedAt: '2026-03-01T00:00:00.000Z',
    });
    assert.match(owner.id, /^BeneficialOwner:/);
    assert.deepEqual((await expectStatus(200, service.platform.get(`/customers/${business.id}`))).beneficialOwners, [owner]);
    assert.equal('beneficialOwners' in business, false);
  });

  test('the identifier is in no table and no log in plain text', async () => {
    await build().owner(await build().business(), {}, { identifier: '911-22-7643' });
    assert.deepEqual(await placesHolding(service.db, '911-22-7643'), []);
    assert.equal(service.logged.join().includes('911-22-7643'), false);
  });

  test('APPROVED at once on a regulated platform', async () => {
    const other = await service.newPlatform();
    await service.db.run(
      sql`
        update platforms p set config = jsonb_set(config, '{isRegulatedFinancialInstitution}', 'true')
        from api_tokens t where t.platform_id = p.id and t.client_id = ${other.tokenId}`,
    );
    assert.equal((await identity(other).owner(await identity(other).business())).kycStatus, 'APPROVED');
  });

  test('the same Idempotency-Key adds one owner', async () => {
    const business = await build().business();
    const body = { customerId: business.id, ...US_OWNER };
    const send = () => service.platform.post('/beneficial-owners', body, { headers: { 'idempotency-key': 'owner-1' } });
    const [first, second] = [await send(), await send()];
    assert.deepEqual([second.status, second.text], [201, first.text]);
    assert.equal((await expectStatus(200, service.platform.get(`/beneficial-owners?customerId=${business.id}`))).totalCount, 1);
  });

  test('all owners of a business own 100 % together, exactly that much is fine', async () => {
    const business = await build().business();
    await build().owner(business, { ownershipPercentage: 60 });
    await build().owner(business, { ownershipPercentage: 40 });
    await build().owner(business, { ownershipPercentage: 0, roles: ['DIRECTOR'] });
    assertInvalid(
      await changesNothing(service.db, () =>
        service.platform.post('/beneficial-owners', { customerId: business.id, ...US_OWNER, ownershipPercentage: 1 }),
      ),
      'ownershipPercentage',
    );
  });

  race('of several at once only as many are added as make 100 %', async () => {
    const business = await build().business();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        service.platform.post('/beneficial-owners', { customerId: business.id, ...US_OWNER, ownershipPercentage: 30 }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 400, 400, 400, 400, 400]);
  });

  test('400: every bad field is named, nothing is stored', async () => {
    const business = await build().business();
    const refused = async (fields: object, person: object, ...named: string[]) =>
      assertInvalid(
        await changesNothing(service.db, () =>
          service.platform.post('/beneficial-owners', {
            customerId: business.id,
            ...US_OWNER,
            ...fields,
            personalInfo: { ...US_OWNER.personalInfo, ...person },
          }),
        ),
        ...named,
      );
    await refused({ roles: [] }, {}, 'roles');
    await refused({ roles: ['BOSS'] }, {}, 'roles.0');
    await refused({ roles: ['UBO', 'UBO'] }, {}, 'roles.1');
    await refused({ ownershipPercentage: 101 }, {}, 'ownershipPercentage');
    await refused({ ownershipPercentage: -1 }, {}, 'ownershipPercentage');
    await refused({ ownershipPercentage: 2.5 }, {}, 'ownershipPercentage');
    await refused({}, { birthDate: '2026-03-02' }, 'personalInfo.birthDate');
    await refused({}, { firstName: undefined, identifier: undefined }, 'personalInfo.firstName', 'personalInfo.identifier');
    await refused(
      {},
      { nationality: 'American', countryOfIssuance: 'us', address: { ...US_OWNER.personalInfo.address, country: 'USA' } },
      'personalInfo.nationality',
      'personalInfo.countryOfIssuance',
      'personalInfo.address.country',
    );
    await refused({}, { shoeSize: 42 }, 'personalInfo.shoeSize');
  });

  test('400 naming customerId: a person has no beneficial owners', async () => {
    const { id } = await given(service.platform).customer();
    assertInvalid(
      await changesNothing(service.db, () => service.platform.post('/beneficial-owners', { customerId: id, ...US_OWNER })),
      'customerId',
    );
  });

  test('404 CUSTOMER_NOT_FOUND: unknown, foreign, malformed and deleted alike', async () => {
    const foreign = await identity(await service.newPlatform()).business();
    const deleted = await build().business();
    await expectStatus(200, service.platform.delete(`/customers/${deleted.id}`));
    for (const id of [foreign.id, deleted.id, 'Customer:x', 'Customer:01a1e141-d124-7566-a823-262cc273f644']) {
      const answer = await changesNothing(service.db, () => service.platform.post('/beneficial-owners', { customerId: id, ...US_OWNER }));
      assertRefused(answer, 404, 'CUSTOMER_NOT_FOUND');
    }
  });
});

describe('listBeneficialOwners', () => {
  test('newest first, in pages; an unknown customer has none', async () => {
    const business = await build().business();
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await build().owner(business, { ownershipPercentage: 10 })).id);
    const first = await expectStatus(200, service.platform.get(`/beneficial-owners?customerId=${business.id}&limit=2`));
    assert.deepEqual([first.data.map((one: { id: string }) => one.id), first.hasMore, first.totalCount], [ids.slice(0, 2), true, 3]);
    const rest = await expectStatus(
      200,
      service.platform.get(`/beneficial-owners?customerId=${business.id}&limit=2&cursor=${first.nextCursor}`),
    );
    assert.deepEqual([rest.data.map((one: { id: string }) => one.id), rest.hasMore], [ids.slice(2), false]);
    for (const unknown of ['Customer:x', 'Customer:01a1e141-d124-7566-a823-262cc273f644'])
      assert.deepEqual((await expectStatus(200, service.platform.get(`/beneficial-owners?customerId=${unknown}`))).data, []);
  });
  test('400: customerId is required', async () => assertInvalid(await service.platform.get('/beneficial-owners'), 'customerId'));
});

describe('updateBeneficialOwner', () => {
  test('200: only what is given changes; an address is replaced whole', async () => {
    const owner = await build().owner(await build().business(), {}, { middleName: 'Brewster' });
    await service.platform.clock.advance(1000);
    const address = { line1: '9 New Road', postalCode: 'N1', country: 'GB' };
    const changed = await expectStatus(200, service.platform.patch(path(owner), { personalInfo: { lastName: 'Murray', address } }));
    const updatedAt = (await service.platform.clock.now()).toISOString();
    assert.deepEqual(changed, { ...owner, personalInfo: { ...owner.personalInfo, lastName: 'Murray', address }, updatedAt });
    assert.deepEqual(await expectStatus(200, service.platform.get(path(owner))), changed);
    const again = await expectStatus(200, service.platform.patch(path(owner), { roles: ['TRUSTEE'], ownershipPercentage: 100 }));
    assert.deepEqual(again, { ...changed, roles: ['TRUSTEE'], ownershipPercentage: 100 });
  });

  test('the masked identifier, sent back, changes nothing; another one replaces it', async () => {
    const owner = await build().owner(await build().business());
    const stored = async () =>
      service.db.one(sql`
        select identifier_sealed from beneficial_owners where id = ${owner.id.split(':')[1]}`);
    const before = await stored();
    const patched = await expectStatus(200, service.platform.patch(path(owner), { personalInfo: owner.personalInfo }));
    assert.deepEqual([patched.personalInfo, await stored()], [owner.personalInfo, before]);
    const replaced = await expectStatus(200, service.platform.patch(path(owner), { personalInfo: { identifier: '987-65-4321' } }));
    assert.equal(replaced.personalInfo.identifier, '***-**-4321');
    assert.notDeepEqual(await stored(), before);
  });

  test('its own share does not count against the new one', async () => {
    const business = await build().business();
    const owner = await build().owner(business, { ownershipPercentage: 60 });
    await build().owner(business, { ownershipPercentage: 30 });
    await expectStatus(200, service.platform.patch(path(owner), { ownershipPercentage: 70 }));
    assertInvalid(
      await changesNothing(service.db, () => service.platform.patch(path(owner), { ownershipPercentage: 71 })),
      'ownershipPercentage',
    );
  });

  test('400: customerId, kycStatus of another value and unknown members', async () => {
    const owner = await build().owner(await build().business());
    assertInvalid(await service.platform.patch(path(owner), { shoeSize: 42 }), 'shoeSize');
    assertInvalid(
      await service.platform.patch(path(owner), { personalInfo: { nationality: 'Mars', birthDate: '2999-01-01' } }),
      'personalInfo.nationality',
      'personalInfo.birthDate',
    );
    assertInvalid(await service.platform.patch(path(owner), { roles: [] }), 'roles');
    assertInvalid(await service.platform.patch(path(owner), { customerId: 'Customer:x' }), 'customerId');
  });
});

describe('deleteBeneficialOwner', () => {
  test('204: gone from the business, the list and by id', async () => {
    const business = await build().business();
    const owner = await build().owner(business);
    await expectStatus(204, service.platform.delete(path(owner)));
    assertRefused(await service.platform.get(path(owner)), 404, 'NOT_FOUND');
    assert.equal('beneficialOwners' in (await expectStatus(200, service.platform.get(`/customers/${business.id}`))), false);
    assert.deepEqual((await expectStatus(200, service.platform.get(`/beneficial-owners?customerId=${business.id}`))).data, []);
    // The share is free again.
    await build().owner(business, { ownershipPercentage: 100 });
  });

  race('of several at once exactly one deletes', async () => {
    const owner = await build().owner(await build().business());
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => service.platform.delete(path(owner))))).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [204, 404, 404, 404, 404, 404]);
  });
});

test('404 NOT_FOUND: unknown, foreign, malformed, and the owners of a deleted business, on every operation alike', async () => {
  const other = await service.newPlatform();
  const foreign = await identity(other).owner(await identity(other).business());
  const business = await build().business();
  const orphan = await build().owner(business);
  await expectStatus(200, service.platform.delete(`/customers/${business.id}`));
  for (const id of [foreign.id, orphan.id, UNKNOWN, 'BeneficialOwner:x']) {
    const answers = [
      await service.platform.get(path({ id })),
      await changesNothing(service.db, () => service.platform.patch(path({ id }), { roles: ['UBO'] })),
      await changesNothing(service.db, () => service.platform.delete(path({ id }))),
    ];
    for (const answer of answers) assertRefused(answer, 404, 'NOT_FOUND');
  }
});

race('404 NOT_FOUND: the business is deleted while the request waits for it', async () => {
  const business = await build().business();
  const owner = await build().owner(business);
  const id = business.id.slice('Customer:'.length);
  const sent = await service.db.transaction(async (tx) => {
    await tx.run(sql`update customers set deleted_at = now() where id = ${id}`);
    await tx.run(sql`update beneficial_owners set deleted_at = now() where customer_id = ${id}`);
    const late = [service.platform.patch(path(owner), { roles: ['UBO'] }), service.platform.delete(path(owner))];
    for (let waits = 0, looks = 0; waits < late.length && looks < 400; looks += 1) {
      waits = (await service.db.one<{ count: number }>(lockWaits()))?.count ?? 0;
      await delay(5);
    }
    return late;
  });
  for (const answer of await Promise.all(sent)) assertRefused(answer, 404, 'NOT_FOUND');
});

test('403: VIEW reads and does not write', async () => {
  const owner = await build().owner(await build().business());
  const { clientId, clientSecret } = await expectStatus(201, service.platform.post('/tokens', { name: 'viewer', permissions: ['VIEW'] }));
  const viewer = service.as(clientId, clientSecret);
  await expectStatus(200, viewer.get(path(owner)));
  assertRefused(await viewer.patch(path(owner), {}), 403, 'FORBIDDEN');
  assertRefused(await viewer.delete(path(owner)), 403, 'FORBIDDEN');
  assertRefused(await viewer.post('/beneficial-owners', {}), 403, 'FORBIDDEN');
});
