// createCustomerKycLink, and the hosted page that the link leads to.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../../../src/db/sql.js';
import { assertInvalid, assertRefused, expectStatus } from '../../../support/client.js';
import { eventsAbout, placesHolding } from '../../../support/database-state.js';
import { changesNothing } from '../../../support/fingerprint.js';
import { given } from '../../../support/given.js';
import { completeBusiness, completePerson, identity, PASSPORT, US_OWNER } from '../../../support/identity/verifications.js';
import { formOf, type Part, png } from '../../../support/multipart.js';
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
const create = (id: string, body?: object, headers?: Record<string, string>) =>
  service.platform.post(`/customers/${id}/kyc-link`, body, headers && { headers });
const linkOf = async ({ id }: { id: string }, body?: object): Promise<string> => (await expectStatus(201, create(id, body))).kycUrl;

const open = async (url: string) => {
  const response = await fetch(url, { redirect: 'manual' });
  return { status: response.status, html: await response.text(), headers: response.headers };
};
const scan = (name: string): Part => ({ name, value: png(), fileName: 'scan.png', contentType: 'image/png' });
const send = async (url: string, fields: Record<string, string> = {}, files: readonly string[] = []) => {
  const { body, contentType } = formOf([...Object.entries(fields).map(([name, value]) => ({ name, value })), ...files.map(scan)]);
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': contentType },
    body: new Uint8Array(body),
  });
  return { status: response.status, html: await response.text(), location: response.headers.get('location') };
};
const inputsOf = (html: string): string[] => [...html.matchAll(/<(?:input|select)[^>]* name="([^"]+)"/g)].map((match) => match[1] ?? '');

const PASSPORT_FIELDS = Object.fromEntries(
  Object.entries({ ...PASSPORT, country: 'DE' }).map(([name, value]) => [`documents.0.${name}`, value]),
) as Record<string, string>;

describe('createCustomerKycLink', () => {
  test('201: a link for a day, for persons and businesses, in every status; no status changes', async () => {
    for (const made of [await build().person(), await build().business(), await given(service.platform).customer()]) {
      const link = await expectStatus(201, create(made.id));
      assert.deepEqual(link, { kycUrl: link.kycUrl, expiresAt: '2026-03-02T00:00:00.000Z', provider: 'HOSTED_KYC' });
      assert.ok(link.kycUrl.startsWith(`${service.baseUrl}/kyc/`), link.kycUrl);
      assert.deepEqual(await customer(made.id), made);
    }
  });

  test('each call gives a fresh link; the older ones stay valid', async () => {
    const person = await build().person();
    const [first, second] = [await linkOf(person), await linkOf(person)];
    assert.notEqual(first, second);
    for (const url of [first, second]) assert.equal((await open(url)).status, 200);
  });

  test('the same Idempotency-Key answers the same bytes; the token is in no table and no log in plain text', async () => {
    const { id } = await build().person();
    const [first, second] = [await create(id, {}, { 'idempotency-key': 'l1' }), await create(id, {}, { 'idempotency-key': 'l1' })];
    assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text]);
    const token = first.body.kycUrl.split('/').at(-1);
    assert.equal((await open(first.body.kycUrl)).status, 200);
    assert.deepEqual(await placesHolding(service.db, token), []);
    assert.equal(service.logged.join().includes(token), false);
  });

  test('400: redirectUri is https, or http on this machine', async () => {
    const { id } = await build().person();
    for (const redirectUri of [
      'http://example.com/',
      'https://user@example.com/',
      'javascript:alert(1)',
      'done',
      `https://a.example/${'a'.repeat(2100)}`,
    ])
      assertInvalid(await changesNothing(service.db, () => create(id, { redirectUri })), 'redirectUri');
    await expectStatus(201, create(id, { redirectUri: 'http://localhost:3000/done' }));
  });

  test('409 CONFLICT: contacts of a regulated region come first', async () => {
    const { id } = await build().person({ region: 'DE', email: 'e@example.com', phoneNumber: '+4930123456' });
    const answer = await changesNothing(service.db, () => create(id));
    assertRefused(answer, 409, 'CONFLICT');
    assert.deepEqual(answer.body.details.missing, ['email', 'phone']);
    const confirm = async (channel: string) => {
      await expectStatus(204, service.platform.post(`/customers/${id}/verify-${channel}`));
      await expectStatus(200, service.platform.post(`/customers/${id}/verify-${channel}/confirm`, { code: '123456' }));
    };
    await confirm('phone');
    assert.deepEqual((await create(id)).body.details.missing, ['email']);
    await confirm('email');
    await expectStatus(201, create(id));
  });

  test('404 CUSTOMER_NOT_FOUND: unknown, foreign, malformed and deleted alike', async () => {
    const foreign = await identity(await service.newPlatform()).person();
    const deleted = await build().person();
    await expectStatus(200, service.platform.delete(`/customers/${deleted.id}`));
    for (const id of [foreign.id, deleted.id, 'Customer:x', 'Customer:01a1e141-d124-7566-a823-262cc273f644'])
      assertRefused(await changesNothing(service.db, () => create(id)), 404, 'CUSTOMER_NOT_FOUND');
  });
});

describe('the page', () => {
  test('asks for exactly what is missing, by the names of the fields; loads nothing and has no script', async () => {
    const url = await linkOf(await build().person({ birthDate: undefined, fullName: 'Ada003' }), {
      redirectUri: 'https://shop.example/done',
    });
    const { status, html, headers } = await open(url);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self' https://shop.example"])
      assert.ok(policy.includes(part), policy);
    assert.doesNotMatch(html, /<script|<img|<link|https?:\/\//);
    assert.match(html, /<form method="post" enctype="multipart\/form-data">/);
    assert.deepEqual(
      inputsOf(html).filter((name) => !name.startsWith('documents.')),
      ['fullName', 'birthDate'],
    );
    assert.match(html, /name="fullName"[^>]* value="Ada003"/);
    for (const member of ['documentType', 'country', 'documentNumber', 'issuingAuthority', 'side', 'file'])
      assert.ok(inputsOf(html).includes(`documents.0.${member}`), member);
  });

  test('opening it changes nothing', async () => {
    const url = await linkOf(await build().person());
    await changesNothing(service.db, async () => {
      await open(url);
      await open(url);
    });
  });

  test('what a customer wrote is escaped', async () => {
    const { html } = await open(await linkOf(await build().person({ fullName: '"><script>alert(1)</script>003' })));
    assert.doesNotMatch(html, /<script/);
  });

  test('a complete form: stored, submitted, 303 exactly to redirectUri; the link is used up', async () => {
    const person = await build().person({ birthDate: undefined, nationality: undefined, fullName: 'Ada Lovelace 003' });
    const redirectUri = 'https://shop.example/done?state=a%20b#x';
    const url = await linkOf(person, { redirectUri });
    const answer = await send(url, { birthDate: '1990-12-10', nationality: 'GB', ...PASSPORT_FIELDS }, ['documents.0.file']);
    assert.deepEqual([answer.status, answer.location], [303, redirectUri], answer.html);
    const shown = await customer(person.id);
    assert.deepEqual([shown.birthDate, shown.nationality], ['1990-12-10', 'GB']);
    const [verification] = (await expectStatus(200, service.platform.get(`/verifications?customerId=${person.id}`))).data;
    // The sandbox asks persons with this name for a better document.
    assert.equal(verification.verificationStatus, 'RESOLVE_ERRORS');
    assert.equal(verification.errors[0].type, 'POOR_QUALITY_DOCUMENT');
    assert.equal((await expectStatus(200, service.platform.get(`/documents?documentHolder=${person.id}`))).totalCount, 1);
    for (const late of [await open(url), await changesNothing(service.db, () => send(url))]) assert.equal(late.status, 404);
  });

  test('without redirectUri a closing page', async () => {
    const business = await build().business({ registrationNumber: 'HRB-55' });
    const answer = await send(await linkOf(business));
    assert.deepEqual([answer.status, answer.location], [200, null]);
    assert.match(answer.html, /Thank you/);
    assert.equal((await customer(business.id)).kybStatus, 'APPROVED');
  });

  test('still incomplete: good values are stored, the page comes again, the link stays usable', async () => {
    const person = await build().person({ birthDate: undefined });
    const url = await linkOf(person);
    const answer = await send(url, { birthDate: '1990-12-10' });
    assert.equal(answer.status, 200);
    assert.deepEqual(
      inputsOf(answer.html).filter((name) => !name.startsWith('documents.')),
      [],
    );
    assert.equal((await customer(person.id)).birthDate, '1990-12-10');
    assert.equal((await expectStatus(200, service.platform.get(`/verifications?customerId=${person.id}`))).totalCount, 0);
    assert.equal((await open(url)).status, 200);
  });

  test('a bad value stores nothing, not even the good ones; the page names it and the link stays usable', async () => {
    const person = await build().person({ birthDate: undefined, address: undefined });
    const url = await linkOf(person);
    const answer = await changesNothing(service.db, () =>
      send(url, { birthDate: 'yesterday', 'address.line1': '1 Road', 'address.postalCode': 'N1', 'address.country': 'GB' }),
    );
    assert.equal(answer.status, 200);
    assert.match(answer.html, /birthDate:/);
    assert.match(answer.html, /name="address.line1"[^>]* value="1 Road"/);
    const refused = await changesNothing(service.db, () =>
      send(url, { birthDate: '1990-12-10', ...PASSPORT_FIELDS, 'documents.0.documentNumber': '' }, ['documents.0.file']),
    );
    assert.match(refused.html, /documents.0.documentNumber:/);
    assert.equal((await open(url)).status, 200);
  });

  test('a file that is too large or a text that cannot be read: the page again, with what was typed', async () => {
    const person = await build().person({ birthDate: undefined });
    const url = await linkOf(person);
    const large: Part = {
      name: 'documents.0.file',
      value: Buffer.alloc(10 * 1024 * 1024 + 1),
      fileName: 'photo.png',
      contentType: 'image/png',
    };
    const forms: [part: Part, problem: RegExp][] = [
      [large, /documents\.0\.file: is larger than/],
      [{ name: 'fullName', value: Buffer.from([0x41, 0xff]) }, /fullName: is not UTF-8/],
    ];
    for (const [part, problem] of forms) {
      const { body, contentType } = formOf([{ name: 'birthDate', value: '1990-12-10' }, part]);
      const answer = await changesNothing(service.db, async () => {
        const page = await fetch(url, { method: 'POST', headers: { 'content-type': contentType }, body: new Uint8Array(body) });
        // What nobody keeps is deleted after the answer.
        while (await service.db.one(sql`select 1 as found from stored_files where kept_at is null limit 1`))
          await new Promise((resolve) => setImmediate(resolve));
        return page;
      });
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
      const html = await answer.text();
      assert.equal(answer.status, 200);
      assert.match(html, problem);
      assert.match(html, /name="birthDate"[^>]* value="1990-12-10"/);
    }
  });

  test('an identifier is never shown back, and known fields cannot be changed', async () => {
    const person = await build().person({ nationality: 'US' });
    const url = await linkOf(person);
    const first = await send(url, {
      idType: 'SSN',
      identifier: '12345',
      fullName: 'Mallory Changed',
      kycStatus: 'APPROVED',
      __proto__x: 'y',
    });
    assert.equal(first.html.includes('12345'), false);
    assert.match(first.html, /identifier must have the form/);
    assert.equal((await customer(person.id)).fullName, person.fullName);
    const second = await send(url, { identifier: '123-45-6789', ...PASSPORT_FIELDS }, ['documents.0.file']);
    assert.match(second.html, /Thank you/);
    assert.deepEqual(await placesHolding(service.db, '123-45-6789'), []);
  });

  test('an identifier that is known cannot be changed', async () => {
    const person = await build().person({ nationality: 'US', idType: 'SSN', identifier: '123-45-6789' });
    const sealed = () =>
      service.db.one(sql`select encode(identifier_sealed, 'hex') from customers where id = ${person.id.slice('Customer:'.length)}`);
    const before = await sealed();
    const url = await linkOf(person);
    assert.equal(inputsOf((await open(url)).html).includes('identifier'), false);
    assert.match((await send(url, { identifier: '987-65-4321', ...PASSPORT_FIELDS }, ['documents.0.file'])).html, /Thank you/);
    assert.deepEqual(await sealed(), before);
  });

  test('inputs of people are unknown names on the page of a person', async () => {
    const person = await build().person({ birthDate: undefined });
    const answer = await send(await linkOf(person), {
      birthDate: '1990-12-10',
      'owners.0.roles': 'UBO',
      'owners.0.personalInfo.lastName': 'X',
    });
    assert.doesNotMatch(answer.html, /owners|customerId/);
    assert.equal((await customer(person.id)).birthDate, '1990-12-10');
  });

  test('blank entries of a list are not given', async () => {
    const business = await build().business({ countriesOfOperation: [''] });
    const url = await linkOf(business);
    assert.ok(inputsOf((await open(url)).html).includes('businessInfo.countriesOfOperation'));
    const blank = await send(url, { 'businessInfo.countriesOfOperation': ' , ' });
    assert.ok(inputsOf(blank.html).includes('businessInfo.countriesOfOperation'));
    await send(url, { 'businessInfo.countriesOfOperation': ' DE,, FR ,' });
    assert.deepEqual((await customer(business.id)).businessInfo.countriesOfOperation, ['DE', 'FR']);
  });

  test('a business names its people and their documents', async () => {
    const business = await build().business({ taxId: undefined });
    const url = await linkOf(business);
    const page = await open(url);
    for (const name of ['businessInfo.taxId', 'owners.0.roles', 'owners.0.personalInfo.lastName', 'documents.3.file'])
      assert.ok(inputsOf(page.html).includes(name), name);
    const { address, ...person } = US_OWNER.personalInfo;
    const flat = Object.entries({
      ...person,
      ...Object.fromEntries(Object.entries(address).map(([name, value]) => [`address.${name}`, value])),
    });
    const owner = Object.fromEntries(flat.map(([name, value]) => [`owners.0.personalInfo.${name}`, value]));
    const types = ['CERTIFICATE_OF_INCORPORATION', 'DIRECTOR_REGISTRY', 'SHAREHOLDER_REGISTER', 'UTILITY_BILL'];
    const documents = Object.fromEntries(
      types.flatMap((type, n) => [
        [`documents.${n}.documentType`, type],
        [`documents.${n}.country`, 'DE'],
      ]),
    );
    const answer = await send(
      url,
      { 'businessInfo.taxId': 'DE1', 'owners.0.roles': 'UBO,CONTROL_PERSON', 'owners.0.ownershipPercentage': '60', ...owner, ...documents },
      types.map((_, n) => `documents.${n}.file`),
    );
    assert.match(answer.html, /Thank you/, answer.html);
    const shown = await customer(business.id);
    assert.deepEqual(
      [shown.kybStatus, shown.businessInfo.taxId, shown.beneficialOwners[0].personalInfo.identifier, shown.beneficialOwners[0].kycStatus],
      ['PENDING', 'DE1', '***-**-6789', 'PENDING'],
    );
  });

  test('problems of an owner that is known are asked for by the owner', async () => {
    const business = await build().business();
    const owner = await build().owner(business, {}, { idType: 'EIN' });
    const url = await linkOf(business);
    const name = `owners.${owner.id}.personalInfo.idType`;
    assert.ok(inputsOf((await open(url)).html).includes(name));
    await send(url, { [name]: 'SSN', [`owners.${owner.id}.ownershipPercentage`]: '1' });
    assert.equal((await expectStatus(200, service.platform.get(`/beneficial-owners/${owner.id}`))).personalInfo.idType, 'SSN');
    assert.equal((await expectStatus(200, service.platform.get(`/beneficial-owners/${owner.id}`))).ownershipPercentage, 60);
    const bad = await send(url, { 'owners.0.roles': 'BOSS', 'owners.0.ownershipPercentage': '101' });
    assert.match(bad.html, /owners\.0\.roles\.0:/);
    assert.match(bad.html, /owners\.0\.ownershipPercentage:/);
  });

  test('what the provider asks for again is asked for, and the document is replaced', async () => {
    const person = await build().person();
    assert.match((await send(await linkOf(person), PASSPORT_FIELDS, ['documents.0.file'])).html, /Thank you/);
    const [before] = (await expectStatus(200, service.platform.get(`/documents?documentHolder=${person.id}`))).data;
    const [asked] = (await expectStatus(200, service.platform.get(`/verifications?customerId=${person.id}`))).data;
    assert.deepEqual([asked.verificationStatus, asked.errors[0].resourceId], ['RESOLVE_ERRORS', before.id]);

    const url = await linkOf(person);
    const page = await open(url);
    assert.doesNotMatch(page.html, /Nothing is missing/);
    assert.match(page.html, /not legible/);
    assert.match(page.html, /<option selected>PASSPORT/);
    await service.platform.clock.advance(1_000);
    const answer = await send(url, { ...PASSPORT_FIELDS, 'documents.0.documentNumber': 'NEW-1' }, ['documents.0.file']);
    assert.match(answer.html, /Thank you/, answer.html);
    const { data, totalCount } = await expectStatus(200, service.platform.get(`/documents?documentHolder=${person.id}`));
    assert.deepEqual([totalCount, data[0].id, data[0].documentNumber], [1, before.id, 'NEW-1']);
    const [judged] = (await expectStatus(200, service.platform.get(`/verifications?customerId=${person.id}`))).data;
    assert.equal(judged.id, asked.id);
    assert.notEqual(judged.updatedAt, asked.updatedAt);
    // A document that the provider does not ask for again is refused as by the API.
    const other = await completePerson(service.platform);
    const refused = await send(await linkOf(other), PASSPORT_FIELDS, ['documents.0.file']);
    assert.match(refused.html, /documents\.0:/);
  });

  test('the provider asks a business for a field, a document, and says what is not for its end user', async () => {
    const business = await completeBusiness(service.platform);
    const verification = await build().submit(business);
    const about = (type: string, rest: object) => ({ resourceId: business.id, type, reason: `${type} it is.`, ...rest });
    await build().decide(verification, 'RESOLVE_ERRORS', [
      about('INVALID_FIELD', { field: 'businessInfo.taxId' }),
      about('INVALID_FIELD', { field: 'businessInfo.naicsCode' }),
      about('MISSING_GOOD_STANDING_DOCUMENT', { acceptedDocumentTypes: ['GOOD_STANDING_CERTIFICATE'] }),
      about('APPLICANT_FRAUD', {}),
    ]);
    const url = await linkOf(business);
    const page = await open(url);
    assert.doesNotMatch(page.html, /APPLICANT_FRAUD|naicsCode|Nothing is missing/);
    assert.deepEqual(
      inputsOf(page.html).filter((name) => /^businessInfo|documentType$/.test(name)),
      ['businessInfo.taxId', 'documents.0.documentType'],
    );
    await service.platform.clock.advance(1_000);
    const answer = await send(
      url,
      { 'businessInfo.taxId': 'DE2', 'documents.0.documentType': 'GOOD_STANDING_CERTIFICATE', 'documents.0.country': 'DE' },
      ['documents.0.file'],
    );
    assert.match(answer.html, /Thank you/, answer.html);
    assert.equal((await customer(business.id)).businessInfo.taxId, 'DE2');
    assert.equal((await expectStatus(200, service.platform.get(`/documents?documentHolder=${business.id}`))).totalCount, 5);
  });

  test('a decided customer: the page has nothing to ask, and a submission changes nothing', async () => {
    const url = await linkOf(await given(service.platform).customer(), { redirectUri: 'https://shop.example/' });
    assert.deepEqual(inputsOf((await open(url)).html), []);
    const answer = await changesNothing(service.db, () => send(url, { fullName: 'Other Name' }));
    assert.deepEqual([answer.status, answer.location], [303, 'https://shop.example/']);
  });

  test('a submission that waited for another one of the same link stores nothing', async () => {
    const person = await build().person({ birthDate: undefined, nationality: undefined });
    const url = await linkOf(person);
    const forms = ['GB', 'FR', 'IT', 'ES'].map((nationality) =>
      send(url, { birthDate: '1990-12-10', nationality, ...PASSPORT_FIELDS }, ['documents.0.file']),
    );
    const answers = await Promise.all(forms);
    assert.equal(answers.filter(({ html }) => html.includes('Thank you')).length, 1);
    const winner = ['GB', 'FR', 'IT', 'ES'][answers.findIndex(({ html }) => html.includes('Thank you'))];
    assert.equal((await customer(person.id)).nationality, winner);
    assert.equal((await expectStatus(200, service.platform.get(`/documents?documentHolder=${person.id}`))).totalCount, 1);
  });

  race('of two submissions at once one counts', async () => {
    const business = await build().business({ registrationNumber: 'HRB-66' });
    const url = await linkOf(business, { redirectUri: 'https://shop.example/' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(url)));
    assert.ok(answers.every(({ status }) => status === 303 || status === 404));
    assert.deepEqual(
      (await eventsAbout(service.db, business.id)).map(({ type }) => type),
      ['CUSTOMER.KYB_APPROVED'],
    );
    assert.equal((await expectStatus(200, service.platform.get(`/verifications?customerId=${business.id}`))).totalCount, 1);
  });
});

describe('404: the same page for every link that cannot be used', () => {
  test('unknown, malformed, expired by the clock, used, and of a deleted customer', async () => {
    const platform = await service.newPlatform();
    await platform.clock.freeze('2026-03-01T00:00:00Z');
    const make = identity(platform);
    const link = async (made: { id: string }) => (await expectStatus(201, platform.post(`/customers/${made.id}/kyc-link`))).kycUrl;
    const [expiring, deleted] = [await make.person(), await make.person()];
    const urls = [await link(expiring), await link(deleted), `${service.baseUrl}/kyc/x`, `${service.baseUrl}/kyc/${'A'.repeat(64)}`];
    await expectStatus(200, platform.delete(`/customers/${deleted.id}`));
    await platform.clock.advance(24 * 3_600_000 - 1);
    assert.equal((await open(urls[0] ?? '')).status, 200);
    await platform.clock.advance(1);
    const pages = [];
    for (const url of urls) pages.push(await open(url), await send(url, { birthDate: '1990-12-10' }, ['documents.0.file']));
    assert.deepEqual(new Set(pages.map(({ status }) => status)), new Set([404]));
    assert.equal(new Set(pages.map(({ html }) => html)).size, 1);
  });

  test('expired links are swept', async () => {
    await linkOf(await build().person());
    await service.platform.clock.advance(25 * 3_600_000);
    const [row] = await service.db.many<{ count: bigint }>(sql`
      select count(*) from kyc_links l join api_tokens t on t.platform_id = l.platform_id where t.client_id = ${service.platform.tokenId}`);
    assert.equal(row?.count, 0n);
  });
});

test('the page opens while owners are deleted', async () => {
  const business = await build().business();
  const link = await linkOf(business);
  for (let round = 0; round < 20; round += 1) {
    const owners = await Promise.all(Array.from({ length: 4 }, () => build().owner(business, { ownershipPercentage: 1 })));
    const [pages] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => open(link))),
      ...owners.map(({ id }) => expectStatus(204, service.platform.delete(`/beneficial-owners/${id}`))),
    ]);
    assert.deepEqual(
      pages.map(({ status }) => status),
      pages.map(() => 200),
      `round ${round}`,
    );
  }
});
