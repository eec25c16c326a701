// Builders of businesses, beneficial owners and persons that are to be verified.
import { type Client, expectStatus } from '../client.js';

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
