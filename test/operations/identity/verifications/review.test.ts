// The life of a packet that is complete: what the sandbox makes of it, decisions by hand, compliance, and what an unverified customer may not do.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Sql, sql } from '../../../../src/db/sql.js';
import { uuidOf } from '../../../../src/kernel/ids.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { completeBusiness, completePerson, identity, upload } from '../../../support/identity/verifications.js';
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
const get = async (id: string) => expectStatus(200, service.platform.get(`/verifications/${id}`));
const typesAbout = async (id: string) => (await eventsAbout(service.db, id)).map(({ type }) => type);
const setStatus = (id: string, status: string) => service.platform.put(`/sandbox/customers/${id}/verification-status`, { status });
const decide = (id: string, body: object) => service.platform.post(`/sandbox/verifications/${id}/decision`, body);

describe('the name of a person decides, at the moment of submission', () => {
  test('one that cannot be decided holds up no other', async () => {
    const [broken, other] = [
      await build().submit(await completePerson(service.platform)),
      await build().submit(await completePerson(service.platform)),
    ];
    const constraint = new Sql(`poison check (id <> '${uuidOf(broken.id)}' or status = 'IN_PROGRESS')`, []);
    await service.db.run(sql`alter table verifications add constraint ${constraint}`);
    await service.platform.clock.advance(5000);
    assert.equal((await get(other.id)).verificationStatus, 'APPROVED');
    assert.equal((await get(broken.id)).verificationStatus, 'IN_PROGRESS');
    await service.db.run(sql`alter table verifications drop constraint poison`);
  });

  test('any other name: IN_PROGRESS and PENDING, then APPROVED five seconds later by the clock', async () => {
    const person = await completePerson(service.platform);
    const verification = await build().submit(person);
    assert.deepEqual([verification.verificationStatus, verification.errors], ['IN_PROGRESS', []]);
    assert.equal((await customer(person.id)).kycStatus, 'PENDING');
    await service.platform.clock.advance(4_999);
    assert.equal((await get(verification.id)).verificationStatus, 'IN_PROGRESS');
    await service.platform.clock.advance(1);
    assert.equal((await get(verification.id)).verificationStatus, 'APPROVED');
    assert.deepEqual(await typesAbout(verification.id), ['VERIFICATION.IN_PROGRESS', 'VERIFICATION.APPROVED']);
    assert.deepEqual(await typesAbout(person.id), ['CUSTOMER.KYC_PENDING', 'CUSTOMER.KYC_APPROVED']);
    assert.deepEqual((await eventsAbout(service.db, person.id)).at(-1)?.data, await customer(person.id));
  });

  test('002: then REJECTED, with a cause', async () => {
    const person = await completePerson(service.platform, 'Ada Lovelace 002');
    const { id } = await build().submit(person);
    await service.platform.clock.advance(5_000);
    const verification = await get(id);
    assert.deepEqual([verification.verificationStatus, verification.errors[0].type], ['REJECTED', 'APPLICANT_REJECTED']);
    assert.deepEqual(await typesAbout(person.id), ['CUSTOMER.KYC_PENDING', 'CUSTOMER.KYC_REJECTED']);
  });

  test('003: RESOLVE_ERRORS about the identity document; the customer stays UNVERIFIED', async () => {
    const person = await completePerson(service.platform, 'Ada Lovelace 003');
    const { verificationStatus, errors } = await build().submit(person);
    const [document] = (await expectStatus(200, service.platform.get(`/documents?documentHolder=${person.id}`))).data;
    assert.deepEqual(
      [verificationStatus, errors[0].type, errors[0].resourceId, errors.length],
      ['RESOLVE_ERRORS', 'POOR_QUALITY_DOCUMENT', document.id, 1],
    );
    assert.equal((await customer(person.id)).kycStatus, 'UNVERIFIED');
    // The document was handed over.
    assertRefused(await service.platform.delete(`/documents/${document.id}`), 409, 'CONFLICT');
  });

  test('001: PENDING_MANUAL_REVIEW, and it stays so', async () => {
    const person = await completePerson(service.platform, 'Ada Lovelace 001');
    const verification = await build().submit(person);
    assert.equal(verification.verificationStatus, 'PENDING_MANUAL_REVIEW');
    await service.platform.clock.advance(60_000);
    assert.equal((await get(verification.id)).verificationStatus, 'PENDING_MANUAL_REVIEW');
    assert.equal((await customer(person.id)).kycStatus, 'PENDING');
  });
});

describe('under review', () => {
  test('a business and its owners are PENDING; the answer to a second submission is the record as it is, without an event', async () => {
    const business = await completeBusiness(service.platform);
    const verification = await build().submit(business);
    assert.equal(verification.verificationStatus, 'IN_PROGRESS');
    const shown = await customer(business.id);
    assert.deepEqual([shown.kybStatus, shown.beneficialOwners[0].kycStatus], ['PENDING', 'PENDING']);
    await service.platform.clock.advance(1_000);
    assert.deepEqual(await changesNothing(service.db, () => build().submit(business)), verification);
    assert.deepEqual(await typesAbout(business.id), ['CUSTOMER.KYB_PENDING']);
  });

  test('409 CONFLICT: its owners cannot be deleted; one who joins is PENDING', async () => {
    const business = await completeBusiness(service.platform);
    const verification = await build().submit(business);
    const [owner] = business.beneficialOwners;
    assertRefused(await changesNothing(service.db, () => service.platform.delete(`/beneficial-owners/${owner.id}`)), 409, 'CONFLICT');
    assert.equal((await build().owner(business, { ownershipPercentage: 5 })).kycStatus, 'PENDING');
    await build().decide(verification, 'RESOLVE_ERRORS');
    await expectStatus(204, service.platform.delete(`/beneficial-owners/${owner.id}`));
  });

  test('an owner who joins before a packet is submitted again is PENDING with it', async () => {
    const business = await completeBusiness(service.platform);
    await build().decide(await build().submit(business), 'RESOLVE_ERRORS');
    const joined = await build().owner(business, { ownershipPercentage: 5 });
    assert.equal(joined.kycStatus, 'UNVERIFIED');
    await build().submit(business);
    assert.equal((await expectStatus(200, service.platform.get(`/beneficial-owners/${joined.id}`))).kycStatus, 'PENDING');
    assert.deepEqual(await typesAbout(business.id), ['CUSTOMER.KYB_PENDING']);
  });

  race('16 submissions at once of a complete packet: one record, one event of each kind', async () => {
    const person = await completePerson(service.platform);
    const answers = await Promise.all(Array.from({ length: 16 }, () => service.platform.post('/verifications', { customerId: person.id })));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.deepEqual(await typesAbout(answers[0]?.body.id), ['VERIFICATION.IN_PROGRESS']);
    assert.deepEqual(await typesAbout(person.id), ['CUSTOMER.KYC_PENDING']);
  });
});

describe('sandboxDecideVerification', () => {
  test('APPROVED: customer, owners and both events', async () => {
    const business = await completeBusiness(service.platform);
    const verification = await build().submit(business);
    const decided = await build().decide(verification, 'APPROVED');
    assert.deepEqual([decided.id, decided.verificationStatus, decided.errors], [verification.id, 'APPROVED', []]);
    const shown = await customer(business.id);
    assert.deepEqual([shown.kybStatus, shown.beneficialOwners[0].kycStatus], ['APPROVED', 'APPROVED']);
    assert.deepEqual(await typesAbout(verification.id), ['VERIFICATION.IN_PROGRESS', 'VERIFICATION.APPROVED']);
    assert.deepEqual(await typesAbout(business.id), ['CUSTOMER.KYB_PENDING', 'CUSTOMER.KYB_APPROVED']);
  });

  test('the owners have their verdict also where compliance decided the business before', async () => {
    for (const [compliance, verdict] of [
      ['APPROVED', 'APPROVED'],
      ['REJECTED', 'APPROVED'],
      ['APPROVED', 'REJECTED'],
    ] as const) {
      const business = await completeBusiness(service.platform);
      const verification = await build().submit(business);
      await expectStatus(200, setStatus(business.id, compliance));
      await build().decide(verification, verdict);
      const shown = await customer(business.id);
      assert.notEqual(shown.beneficialOwners[0].kycStatus, 'PENDING', `${compliance}, then ${verdict}`);
    }
  });

  test('REJECTED: by default an APPLICANT_REJECTED on the customer; errors that are given are kept', async () => {
    for (const errors of [undefined, [{ resourceId: 'x', type: 'APPLICANT_FRAUD', reason: 'Fraud.' }]]) {
      const business = await completeBusiness(service.platform);
      const decided = await build().decide(await build().submit(business), 'REJECTED', errors);
      assert.deepEqual([decided.verificationStatus, decided.errors[0].type], ['REJECTED', errors?.[0]?.type ?? 'APPLICANT_REJECTED']);
      assert.equal(decided.errors[0].resourceId, errors?.[0]?.resourceId ?? business.id);
    }
  });

  test('RESOLVE_ERRORS, then the packet is submitted again: the same record goes on', async () => {
    const person = await completePerson(service.platform, 'Ada Lovelace 001');
    const first = await build().submit(person);
    const asked = await build().decide(first, 'RESOLVE_ERRORS');
    assert.equal(asked.errors[0].type, 'POOR_QUALITY_DOCUMENT');
    assert.equal((await customer(person.id)).kycStatus, 'PENDING');
    await service.platform.clock.advance(1_000);
    const again = await build().submit(person);
    assert.deepEqual([again.id, again.verificationStatus, again.errors], [first.id, 'PENDING_MANUAL_REVIEW', []]);
    assert.deepEqual(await typesAbout(first.id), [
      'VERIFICATION.PENDING_MANUAL_REVIEW',
      'VERIFICATION.RESOLVE_ERRORS',
      'VERIFICATION.PENDING_MANUAL_REVIEW',
    ]);
  });

  test('a decision by hand replaces the one that was announced', async () => {
    const person = await completePerson(service.platform);
    const verification = await build().submit(person);
    await build().decide(verification, 'PENDING_MANUAL_REVIEW');
    await service.platform.clock.advance(60_000);
    assert.equal((await get(verification.id)).verificationStatus, 'PENDING_MANUAL_REVIEW');
    await build().decide(verification, 'REJECTED');
    assert.equal((await customer(person.id)).kycStatus, 'REJECTED');
  });

  test('409 CONFLICT: not under review', async () => {
    const open = await build().submit(await build().person());
    const decided = await build().submit(await build().business({ registrationNumber: 'HRB-77' }));
    for (const { id } of [open, decided])
      assertRefused(await changesNothing(service.db, () => decide(id, { outcome: 'APPROVED' })), 409, 'CONFLICT');
  });

  race('of contrary decisions at once exactly one takes effect', async () => {
    const business = await completeBusiness(service.platform);
    const { id } = await build().submit(business);
    const outcomes = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 'APPROVED' : 'REJECTED'));
    const answers = await Promise.all(outcomes.map((outcome) => decide(id, { outcome })));
    assert.deepEqual(
      [answers.filter(({ status }) => status === 200).length, answers.filter(({ status }) => status === 409).length],
      [1, 11],
    );
    const { verificationStatus } = await get(id);
    assert.deepEqual(await typesAbout(business.id), ['CUSTOMER.KYB_PENDING', `CUSTOMER.KYB_${verificationStatus}`]);
  });

  race('a decision and the due time at once: one of them', async () => {
    const person = await completePerson(service.platform);
    const { id } = await build().submit(person);
    await Promise.all([service.platform.clock.advance(5_000), decide(id, { outcome: 'REJECTED' })]);
    const { verificationStatus } = await get(id);
    assert.deepEqual(await typesAbout(person.id), ['CUSTOMER.KYC_PENDING', `CUSTOMER.KYC_${verificationStatus}`]);
  });

  test('400 and 404', async () => {
    const { id } = await build().submit(await completePerson(service.platform, 'Ada Lovelace 001'));
    const errors = [{ resourceId: 'x', type: 'MISSING_FIELD', reason: 'r' }];
    assertInvalid(await decide(id, { outcome: 'APPROVED', errors }), 'errors');
    assertInvalid(await decide(id, { outcome: 'IN_PROGRESS' }), 'outcome');
    assertInvalid(await decide(id, { outcome: 'REJECTED', errors: [{ ...errors[0], type: 'BAD' }] }), 'errors.0.type');
    for (const unknown of ['Verification:x', 'Verification:01a1e141-d124-7566-a823-262cc273f644'])
      assertRefused(await decide(unknown, { outcome: 'APPROVED' }), 404, 'VERIFICATION_NOT_FOUND');
  });
});

describe('sandboxSetVerificationStatus: compliance', () => {
  test('every status from every other, with the event of the new one; the same status is 409', async () => {
    const statuses = ['UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'HOLD'];
    const { id } = await build().person();
    let current = 'UNVERIFIED';
    const expected: string[] = [];
    for (const from of statuses)
      for (const to of statuses) {
        if (current !== from) {
          await expectStatus(200, setStatus(id, from));
          if (['PENDING', 'APPROVED', 'REJECTED'].includes(from)) expected.push(`CUSTOMER.KYC_${from}`);
        }
        const answer = await setStatus(id, to);
        current = to;
        if (from === to) {
          assertRefused(answer, 409, 'CONFLICT');
          continue;
        }
        assert.deepEqual([answer.status, answer.body.kycStatus], [200, to]);
        if (['PENDING', 'APPROVED', 'REJECTED'].includes(to)) expected.push(`CUSTOMER.KYC_${to}`);
      }
    assert.deepEqual(await typesAbout(id), expected);
  });

  test('404 CUSTOMER_NOT_FOUND', async () => assertRefused(await setStatus('Customer:x', 'HOLD'), 404, 'CUSTOMER_NOT_FOUND'));
});

describe('what a customer may not do before approval', () => {
  test('400 CARDHOLDER_KYC_NOT_APPROVED in every other status, also on HOLD', async () => {
    const person = await given(service.platform).customer();
    const account = await given(service.platform).account(person, 'USD');
    let key = 0;
    const issue = () => {
      key += 1;
      return service.platform.post(
        '/cards',
        { customerId: person.id, form: 'VIRTUAL', fundingSource: account.id },
        { headers: { 'idempotency-key': `k${key}` } },
      );
    };
    await expectStatus(201, issue());
    for (const status of ['HOLD', 'REJECTED', 'PENDING', 'UNVERIFIED']) {
      await expectStatus(200, setStatus(person.id, status));
      assertRefused(await issue(), 400, 'CARDHOLDER_KYC_NOT_APPROVED');
    }
  });
});

test('the deletion of a customer ends what is open: owners, documents, verifications and announced decisions', async () => {
  const person = await completePerson(service.platform);
  const verification = await build().submit(person);
  await expectStatus(200, service.platform.delete(`/customers/${person.id}`));
  await service.platform.clock.advance(10_000);
  assertRefused(await service.platform.get(`/verifications/${verification.id}`), 404, 'VERIFICATION_NOT_FOUND');
  assert.deepEqual(await typesAbout(person.id), ['CUSTOMER.KYC_PENDING']);

  const business = await completeBusiness(service.platform);
  const [owner] = business.beneficialOwners;
  const paper = await upload(service.platform, owner, { documentType: 'OTHER' });
  await expectStatus(200, service.platform.delete(`/customers/${business.id}`));
  assertRefused(await service.platform.get(`/documents/${paper.id}`), 404, 'NOT_FOUND');
});

test('the documents of a deleted owner are gone', async () => {
  const business = await completeBusiness(service.platform);
  const [owner] = business.beneficialOwners;
  const paper = await upload(service.platform, owner, { documentType: 'OTHER' });
  await expectStatus(204, service.platform.delete(`/beneficial-owners/${owner.id}`));
  assertRefused(await service.platform.get(`/documents/${paper.id}`), 404, 'NOT_FOUND');
});
