// The contract with a KYC vendor over HTTP, which is a process of its own: packets go out signed, decisions come back signed, twice, late
// and out of order.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { assertRefused, expectStatus } from '../../../support/client.js';
import { eventsAbout } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { startVendor } from '../../../support/identity/kyc-vendor.js';
import { completeBusiness, completePerson, identity, PERSON, upload } from '../../../support/identity/verifications.js';
import { png } from '../../../support/multipart.js';
import { race } from '../../../support/race.js';
import { startOwnService, type TestService } from '../../../support/service.js';

const SECRET = 'a shared secret of at least 32 characters';
let service: TestService;
let vendor: Awaited<ReturnType<typeof startVendor>>;
before(async () => {
  vendor = await startVendor(SECRET);
  // Without a worker, packets are sent by an advance of the clock alone.
  service = await startOwnService({ ROLE: 'api', KYC_PROVIDER_URL: vendor.url, KYC_PROVIDER_SECRET: SECRET });
  await service.platform.clock.freeze('2026-03-01T00:00:00Z');
});
after(async () => {
  await service.stop();
  await vendor.stop();
});
beforeEach(() => vendor.reset());

const build = () => identity(service.platform);
const get = async (id: string) => expectStatus(200, service.platform.get(`/verifications/${id}`));
const customer = async (id: string) => expectStatus(200, service.platform.get(`/customers/${id}`));
const typesAbout = async (id: string) => (await eventsAbout(service.db, id)).map(({ type }) => type);
const deliver = (ms = 1) => service.platform.clock.advance(ms);
const callBack = (content: object, options?: Parameters<typeof vendor.callBack>[2]) => vendor.callBack(service.baseUrl, content, options);
const PROBLEM = { resourceId: 'Document:1', type: 'UNREADABLE_DOCUMENT', reason: 'The document cannot be read.' };

/** A person whose packet the vendor has. */
async function sent() {
  const person = await completePerson(service.platform);
  const verification = await build().submit(person);
  await deliver();
  const { packet } = (await vendor.received()).at(-1) ?? assert.fail('nothing was sent');
  return { person, verification, reference: packet.reference, documentId: packet.documents[0].id };
}

test('a customer is UNVERIFIED at creation, whatever its name', async () => {
  assert.equal((await build().person({ fullName: 'Ada Lovelace' })).kycStatus, 'UNVERIFIED');
});

describe('the packet', () => {
  test('is sent after the submission has committed, signed, with everything a vendor needs', async () => {
    const person = await completePerson(service.platform);
    const verification = await build().submit(person);
    assert.deepEqual(
      [verification.verificationStatus, (await customer(person.id)).kycStatus, await vendor.received()],
      ['IN_PROGRESS', 'PENDING', []],
    );
    await deliver();
    const [{ packet, headers, isAuthentic } = assert.fail('nothing was sent')] = await vendor.received();
    assert.equal(isAuthentic, true);
    assert.equal(headers['idempotency-key'], packet.reference);
    assert.deepEqual(
      [packet.customer.id, packet.customer.fullName, packet.customer.birthDate, packet.documents[0].documentType],
      [person.id, 'Ada Lovelace', PERSON.birthDate, 'PASSPORT'],
    );
    await deliver(3_600_000);
    assert.equal((await vendor.received()).length, 1, 'it is sent once');
  });

  test('of a business holds its owners with their identifiers, which stay out of the log', async () => {
    await build().submit(await completeBusiness(service.platform));
    await deliver();
    assert.equal((await vendor.received())[0]?.packet.owners[0].personalInfo.identifier, '123-45-6789');
    assert.equal(service.logged.join().includes('123-45-6789'), false);
  });

  test('that is handed over holds only submitted documents: none of them can be deleted', async () => {
    const person = await completePerson(service.platform);
    await build().submit(person);
    // The packet is gathered when it is sent: what was added since the submission goes with it.
    const { id } = await upload(service.platform, person, { documentType: 'UTILITY_BILL' });
    await deliver();
    const [{ packet } = assert.fail('nothing was sent')] = await vendor.received();
    assert.deepEqual(
      packet.documents.map(({ documentType }: { documentType: string }) => documentType),
      ['PASSPORT', 'UTILITY_BILL'],
    );
    const refused = await changesNothing(service.db, () => service.platform.delete(`/documents/${id}`));
    assertRefused(refused, 409, 'CONFLICT');
    assert.deepEqual(refused.body.details, { cause: 'SUBMITTED' });
  });

  test('that lacks something is not sent', async () => {
    await build().submit(await build().person());
    await deliver();
    assert.deepEqual(await vendor.received(), []);
  });

  test('is sent again, further apart, while the vendor fails; then it goes on', async () => {
    const failures = [
      { status: 500 },
      { status: 429 },
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      { status: 200, body: 'not json' },
      { status: 200, body: { outcome: 'PERHAPS' } },
      { status: 200, body: { outcome: 'RESOLVE_ERRORS', errors: [] } },
      { status: 200, body: { outcome: 'APPROVED', padding: 'x'.repeat(300_000) } },
    ];
    const person = await completePerson(service.platform);
    const { id } = await build().submit(person);
    for (const [i, failure] of failures.entries()) {
      await vendor.answerWith(failure);
      await deliver(i === 0 ? 1 : 30_000 * 2 ** (i - 1));
      assert.deepEqual([(await vendor.received()).length, (await get(id)).verificationStatus], [i + 1, 'IN_PROGRESS']);
    }
    assert.equal(new Set((await vendor.received()).map(({ packet }) => packet.reference)).size, 1, 'under one reference');
    await vendor.answerWith({ status: 200, body: { outcome: 'APPROVED' } });
    await deliver(3_600_000);
    assert.equal((await customer(person.id)).kycStatus, 'APPROVED');
  });

  test('whose vendor is killed before it answers, or is not there, is sent again under its reference', async () => {
    await vendor.answerWith({ status: 200, isSilent: true });
    const person = await completePerson(service.platform);
    const { id } = await build().submit(person);
    const delivering = deliver();
    while ((await vendor.received()).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [first] = await vendor.received();
    await vendor.kill();
    await delivering;
    await deliver(30_000);
    assert.equal((await get(id)).verificationStatus, 'IN_PROGRESS', 'nobody listens at the address');

    await vendor.startAgain();
    await deliver(3_600_000);
    const [again] = await vendor.received();
    assert.deepEqual([again?.packet, again?.isAuthentic], [first?.packet, true]);
    assert.deepEqual((await callBack({ reference: again?.packet.reference, outcome: 'APPROVED' })).body, { applied: true });
  });

  test('that the vendor refuses to read is for people to look at', async () => {
    await vendor.answerWith({ status: 422 });
    const { verification, person } = await sent();
    assert.equal((await get(verification.id)).verificationStatus, 'PENDING_MANUAL_REVIEW');
    assert.equal((await customer(person.id)).kycStatus, 'PENDING');
  });

  test('may be decided in the answer: errors are kept', async () => {
    await vendor.answerWith({ status: 200, body: { outcome: 'RESOLVE_ERRORS', errors: [PROBLEM] } });
    const { verification } = await sent();
    const { verificationStatus, errors } = await get(verification.id);
    assert.deepEqual([verificationStatus, errors], ['RESOLVE_ERRORS', [PROBLEM]]);
  });
});

describe('getKycDocument', () => {
  test('a replaced document that the vendor has read counts as submitted', async () => {
    const person = await completePerson(service.platform);
    await build().submit(person);
    await deliver();
    const [{ packet } = assert.fail('nothing was sent')] = await vendor.received();
    const { id } = packet.documents[0];
    const texts = { documentType: 'PASSPORT', country: 'DE', documentNumber: 'N1', issuingAuthority: 'Berlin' };
    await expectStatus(
      200,
      service.platform.upload('PUT', `/documents/${id}`, [
        ...Object.entries(texts).map(([name, value]) => ({ name, value })),
        { name: 'file', value: png(), fileName: 'scan.png', contentType: 'image/png' },
      ]),
    );
    assert.equal((await vendor.readDocument(service.baseUrl, packet.reference, id)).status, 200);
    assertRefused(await changesNothing(service.db, () => service.platform.delete(`/documents/${id}`)), 409, 'CONFLICT');
  });

  test('200: the vendor reads the documents of the packet, while it is under review', async () => {
    const { reference, documentId: id } = await sent();
    const read = await vendor.readDocument(service.baseUrl, reference, id);
    assert.deepEqual([read.status, read.type, read.bytes.equals(png())], [200, 'image/png', true]);
    await callBack({ reference, outcome: 'APPROVED' });
    assert.equal((await vendor.readDocument(service.baseUrl, reference, id)).status, 404);
  });

  test('404: a document of another packet; 401: signed for another document or with another secret', async () => {
    const other = await sent();
    const { reference, documentId } = await sent();
    assert.equal((await vendor.readDocument(service.baseUrl, reference, other.documentId)).status, 404);
    assert.equal((await vendor.readDocument(service.baseUrl, reference, 'Document:x')).status, 404);
    assert.equal(
      (await vendor.readDocument(service.baseUrl, reference, documentId, { signed: `${other.reference}/${documentId}` })).status,
      401,
    );
    assert.equal((await vendor.readDocument(service.baseUrl, reference, documentId, { key: 'another' })).status, 401);
  });
});

describe('a callback', () => {
  test('decides: customer, verification and both events', async () => {
    const { person, verification, reference } = await sent();
    assert.deepEqual(await callBack({ reference, outcome: 'APPROVED' }), { status: 200, body: { applied: true } });
    assert.deepEqual(await typesAbout(person.id), ['CUSTOMER.KYC_PENDING', 'CUSTOMER.KYC_APPROVED']);
    assert.deepEqual(await typesAbout(verification.id), ['VERIFICATION.IN_PROGRESS', 'VERIFICATION.APPROVED']);
  });

  test('REJECTED names a cause, also when the vendor does not', async () => {
    const { person, verification, reference } = await sent();
    await callBack({ reference, outcome: 'REJECTED' });
    assert.deepEqual(
      (await get(verification.id)).errors.map(({ type, resourceId }: { type: string; resourceId: string }) => [type, resourceId]),
      [['APPLICANT_REJECTED', person.id]],
    );
  });

  race('twice, and at once, changes once', async () => {
    const { person, reference } = await sent();
    const answers = await Promise.all(Array.from({ length: 8 }, () => callBack({ reference, outcome: 'APPROVED' })));
    assert.deepEqual(answers.map(({ body }) => body.applied).sort(), [false, false, false, false, false, false, false, true]);
    const late = await changesNothing(service.db, () => callBack({ reference, outcome: 'APPROVED' }));
    assert.deepEqual(late, { status: 200, body: { applied: false } });
    assert.deepEqual(await typesAbout(person.id), ['CUSTOMER.KYC_PENDING', 'CUSTOMER.KYC_APPROVED']);
  });

  test('out of order: nothing comes after a final decision', async () => {
    const { verification, reference } = await sent();
    await callBack({ reference, outcome: 'REJECTED' });
    for (const outcome of ['PENDING_MANUAL_REVIEW', 'APPROVED', 'IN_PROGRESS'])
      assert.deepEqual((await changesNothing(service.db, () => callBack({ reference, outcome }))).body, { applied: false });
    assert.equal((await get(verification.id)).verificationStatus, 'REJECTED');
  });

  test('about an earlier submission does not decide the later one', async () => {
    const { person, verification, reference } = await sent();
    await callBack({ reference, outcome: 'RESOLVE_ERRORS', errors: [PROBLEM] });
    await build().submit(person);
    await deliver();
    assert.deepEqual((await callBack({ reference, outcome: 'REJECTED' })).body, { applied: false });
    assert.equal((await get(verification.id)).verificationStatus, 'IN_PROGRESS');
    const second = (await vendor.received()).at(-1)?.packet.reference;
    assert.notEqual(second, reference);
    assert.deepEqual((await callBack({ reference: second, outcome: 'APPROVED' })).body, { applied: true });
  });

  test('may come before the answer to the packet, which then changes nothing', async () => {
    const person = await completePerson(service.platform);
    const { id } = await build().submit(person);
    const callBackFirst = { baseUrl: service.baseUrl, outcome: 'APPROVED' };
    await vendor.answerWith({ status: 200, body: { outcome: 'PENDING_MANUAL_REVIEW' }, callBackFirst });
    await deliver();
    assert.deepEqual(await typesAbout(id), ['VERIFICATION.IN_PROGRESS', 'VERIFICATION.APPROVED']);
  });

  test('may come before the answer to the packet and be overtaken by it: an answer that decides is not lost', async () => {
    const person = await completePerson(service.platform);
    const { id } = await build().submit(person);
    const callBackFirst = { baseUrl: service.baseUrl, outcome: 'PENDING_MANUAL_REVIEW' };
    await vendor.answerWith({ status: 200, body: { outcome: 'APPROVED' }, callBackFirst });
    await deliver();
    assert.deepEqual(await typesAbout(id), ['VERIFICATION.IN_PROGRESS', 'VERIFICATION.PENDING_MANUAL_REVIEW', 'VERIFICATION.APPROVED']);
    assert.equal((await customer(person.id)).kycStatus, 'APPROVED');
  });

  test('proves that the vendor has the packet: an answer that cannot be used does not send it again', async () => {
    const { id } = await build().submit(await completePerson(service.platform));
    const callBackFirst = { baseUrl: service.baseUrl, outcome: 'PENDING_MANUAL_REVIEW' };
    for (const status of [500, 422]) {
      await vendor.answerWith({ status, callBackFirst });
      await deliver();
      await deliver(3_600_000);
      assert.deepEqual([(await vendor.received()).length, (await get(id)).verificationStatus], [1, 'PENDING_MANUAL_REVIEW']);
    }
  });

  test('for a deleted customer is not found', async () => {
    const { person, reference } = await sent();
    await expectStatus(200, service.platform.delete(`/customers/${person.id}`));
    const { status, body } = await changesNothing(service.db, () => callBack({ reference, outcome: 'APPROVED' }));
    assert.deepEqual([status, body.code], [404, 'VERIFICATION_NOT_FOUND']);
  });

  test('401: another secret, an old or future time, an altered body', async () => {
    const { reference } = await sent();
    const content = { reference, outcome: 'APPROVED' };
    for (const options of [{ key: `${SECRET}.` }, { at: Date.now() - 301_000 }, { at: Date.now() + 302_000 }, { altered: ' ' }]) {
      const { status, body } = await changesNothing(service.db, () => callBack(content, options));
      assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED'], JSON.stringify(options));
    }
    const unsigned = await fetch(`${service.baseUrl}/kyc/callbacks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(content),
    });
    assert.equal(unsigned.status, 401);
  });

  test('404: a reference that names nothing', async () => {
    const { reference } = await sent();
    const others = ['x', `${reference}.1`, reference.replace(/\d+$/, '0'), reference.replace(/^[0-9a-f]{8}/, '00000000')];
    for (const other of others) {
      const { status, body } = await callBack({ reference: other, outcome: 'APPROVED' });
      assert.deepEqual([status, body.code], [404, 'VERIFICATION_NOT_FOUND'], other);
    }
  });

  test('400: RESOLVE_ERRORS without errors, unknown outcomes', async () => {
    const { reference } = await sent();
    for (const content of [{ reference, outcome: 'RESOLVE_ERRORS' }, { reference, outcome: 'MAYBE' }, { outcome: 'APPROVED' }])
      assert.equal((await callBack(content)).status, 400);
  });
});

race('two advances of the clock at once send a packet once', async () => {
  const { id } = await build().submit(await completePerson(service.platform));
  await Promise.all([deliver(1), deliver(1)]);
  assert.equal((await vendor.received()).filter(({ packet }) => packet.reference.includes(id.split(':')[1])).length, 1);
});
