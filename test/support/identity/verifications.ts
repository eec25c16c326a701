// Builders of businesses, beneficial owners and persons that are to be verified.
import assert from 'node:assert/strict';
import { type Client, expectStatus } from '../client.js';
import { formOf, png } from '../multipart.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; their shape is checked against the document.
type Resource = any;

export const ADDRESS = { line1: '1 Main Street', postalCode: '10115', country: 'DE' };

/** The fields of a person whose packet lacks nothing but documents. The name keeps the person UNVERIFIED at creation. */
export const PERSON = {
  customerType: 'INDIVIDUAL',
  fullName: 'Ada Lovelace 003',
  birthDate: '1990-12-10',
  nationality: 'GB',
  address: ADDRESS,
};

/** The fields of a business whose packet lacks nothing but documents and people. Its registration number asks for the checks. */
export const BUSINESS = {
  customerType: 'BUSINESS',
  address: ADDRESS,
  businessInfo: {
    legalName: 'Analytical Engines',
    country: 'DE',
    registrationNumber: 'HRB-001',
    taxId: 'DE123456789',
    incorporatedOn: '2015-05-05',
    countriesOfOperation: ['DE'],
  },
};

export const US_OWNER = {
  roles: ['UBO', 'CONTROL_PERSON'],
  ownershipPercentage: 60,
  personalInfo: {
    firstName: 'Grace',
    lastName: 'Hopper',
    birthDate: '1980-12-09',
    nationality: 'US',
    address: { line1: '2 Navy Yard', postalCode: '20374', country: 'US' },
    idType: 'SSN',
    identifier: '123-45-6789',
  },
};

export const identity = (platform: Client) => ({
  person: (fields: Record<string, unknown> = {}): Promise<Resource> =>
    expectStatus(201, platform.post('/customers', { ...PERSON, ...fields })),
  /** `info` replaces members of `businessInfo`. */
  business: (info: Record<string, unknown> = {}, fields: Record<string, unknown> = {}): Promise<Resource> =>
    expectStatus(201, platform.post('/customers', { ...BUSINESS, ...fields, businessInfo: { ...BUSINESS.businessInfo, ...info } })),
  owner: (customer: Resource, fields: Record<string, unknown> = {}, person: Record<string, unknown> = {}): Promise<Resource> =>
    expectStatus(
      201,
      platform.post('/beneficial-owners', {
        customerId: customer.id,
        ...US_OWNER,
        ...fields,
        personalInfo: { ...US_OWNER.personalInfo, ...person },
      }),
    ),
  submit: (customer: Resource): Promise<Resource> => expectStatus(200, platform.post('/verifications', { customerId: customer.id })),
  decide: (verification: Resource, outcome: string, errors?: unknown): Promise<Resource> =>
    expectStatus(200, platform.post(`/sandbox/verifications/${verification.id}/decision`, { outcome, ...(errors ? { errors } : {}) })),
});

type Papers = {
  readonly documentType: string;
  readonly side?: string;
  readonly documentNumber?: string;
  readonly issuingAuthority?: string;
};

const IDENTITY_PAPER = { documentNumber: 'X1234567', issuingAuthority: 'City of Berlin' };
export const PASSPORT: Papers = { documentType: 'PASSPORT', ...IDENTITY_PAPER };

/** Uploads a document of a customer or owner. */
export async function upload(platform: Client, holder: Resource, papers: Papers): Promise<Resource> {
  const texts = Object.entries({ documentHolder: holder.id, country: 'DE', ...papers }).map(([name, value]) => ({ name, value }));
  const { body, contentType } = formOf([...texts, { name: 'file', value: png(), fileName: 'scan.png', contentType: 'image/png' }]);
  const answer = await platform.request('POST', '/documents', body, { headers: { 'content-type': contentType } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A person whose packet is complete. The suffix of the name chooses what the sandbox makes of it. */
export async function completePerson(platform: Client, fullName = 'Ada Lovelace'): Promise<Resource> {
  const person = await identity(platform).person();
  await upload(platform, person, PASSPORT);
  return expectStatus(200, platform.patch(`/customers/${person.id}`, { customerType: 'INDIVIDUAL', fullName }));
}

/** A business whose packet is complete, with one owner. Its registration number leaves it under review. */
export async function completeBusiness(platform: Client): Promise<Resource> {
  const business = await identity(platform).business();
  await identity(platform).owner(business);
  for (const documentType of ['CERTIFICATE_OF_INCORPORATION', 'DIRECTOR_REGISTRY', 'SHAREHOLDER_REGISTER', 'UTILITY_BILL'])
    await upload(platform, business, { documentType });
  return expectStatus(200, platform.get(`/customers/${business.id}`));
}
