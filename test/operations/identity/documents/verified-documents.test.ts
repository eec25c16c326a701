// Documents in verifications: of beneficial owners, handed over with a packet, and replaced after a rejection.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, type Client, expectStatus } from '../../../support/client.js';
import { filePart, givenDocument, NATIONAL_ID, PASSPORT, replace, upload } from '../../../support/documents.js';
import { identity } from '../../../support/identity/verifications.js';
import { pdf } from '../../../support/multipart.js';
import { startTestService, type TestService } from '../../../support/service.js';

let service: TestService;
let platform: Client;
before(async () => {
  service = await startTestService();
  platform = service.platform;
});
after(() => service.stop());

type VerificationError = { type: string; resourceId: string };
const errorsOf = ({ errors }: { errors: VerificationError[] }) => errors.map(({ type, resourceId }) => [type, resourceId]);

describe('a document of a beneficial owner', () => {
  test('is held by the owner, and goes with it', async () => {
    const owner = await identity(platform).owner(await identity(platform).business());
    const document = await givenDocument(platform, owner.id, PASSPORT, filePart(pdf(400_000)));
    assert.equal(document.documentHolder, owner.id);
    assert.deepEqual((await expectStatus(200, platform.get(`/documents?documentHolder=${owner.id}`))).data, [document]);
    assert.equal((await platform.delete(`/beneficial-owners/${owner.id}`)).status, 204);
    assertRefused(await platform.get(`/documents/${document.id}`), 404, 'NOT_FOUND');
    assertRefused(await upload(platform, owner.id, PASSPORT), 404, 'DOCUMENT_HOLDER_NOT_FOUND');
  });

  test('goes with the business', async () => {
    const business = await identity(platform).business();
    const owner = await identity(platform).owner(business);
    const document = await givenDocument(platform, owner.id, PASSPORT);
    await expectStatus(200, platform.delete(`/customers/${business.id}`));
    assertRefused(await platform.get(`/documents/${document.id}`), 404, 'NOT_FOUND');
  });
});

describe('a packet', () => {
  test('misses the identity document until it is uploaded; one side of a card is incomplete', async () => {
    const person = await identity(platform).person();
    assert.deepEqual(errorsOf(await identity(platform).submit(person)), [['MISSING_IDENTITY_DOCUMENT', person.id]]);
    const front = await givenDocument(platform, person.id, NATIONAL_ID);
    assert.ok(errorsOf(await identity(platform).submit(person)).some(([type, id]) => type === 'INCOMPLETE_DOCUMENT' && id === front.id));
    await givenDocument(platform, person.id, { ...NATIONAL_ID, side: 'BACK' });
    assert.deepEqual(
      errorsOf(await identity(platform).submit(person)).map(([type]) => type),
      ['POOR_QUALITY_DOCUMENT'],
      'the sandbox rejects the scan of this name',
    );
  });

  test('a document that was handed over can be replaced and not deleted; a replacement was not handed over', async () => {
    const person = await identity(platform).person();
    const document = await givenDocument(platform, person.id, PASSPORT);
    await identity(platform).submit(person);
    assertRefused(await platform.delete(`/documents/${document.id}`), 409, 'CONFLICT');
    await expectStatus(200, replace(platform, document.id, PASSPORT));
    assert.equal((await platform.delete(`/documents/${document.id}`)).status, 204);
  });

  test('a submission and a deletion at once: the packet was complete, or the document is gone', async () => {
    for (let round = 0; round < 4; round += 1) {
      const person = await identity(platform).person();
      const document = await givenDocument(platform, person.id, PASSPORT);
      const [verification, deleted] = await Promise.all([identity(platform).submit(person), platform.delete(`/documents/${document.id}`)]);
      const [first] = errorsOf(verification).map(([type]) => type);
      assert.deepEqual(
        [first, deleted.status],
        deleted.status === 204 ? ['MISSING_IDENTITY_DOCUMENT', 204] : ['POOR_QUALITY_DOCUMENT', 409],
      );
    }
  });
});
