// What a complete packet needs: each requirement by itself, on a packet that is otherwise complete.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BusinessCustomer, IndividualCustomer } from '../../../../src/domains/identity/customers/customer.js';
import {
  asksAgainFor,
  findProblems,
  findUnanswered,
  identityDocumentOf,
  type RequirementFacts,
} from '../../../../src/domains/identity/verifications/requirements.js';
import type {
  DocumentType,
  HeldDocument,
  HolderId,
  KycError,
  OwnerOfPacket,
  RecordStatus,
  Verification,
} from '../../../../src/domains/identity/verifications/verification.js';

const NOW = new Date('2026-06-01T12:00:00Z');
const ADDRESS = { line1: '1 Main Street', postalCode: '10115', country: 'DE' };

const common = {
  platformCustomerId: 'p',
  umaAddress: '$p@example.com',
  verificationStatus: 'UNVERIFIED',
  region: null,
  currencies: [],
  email: null,
  phoneNumber: null,
  emailVerifiedAt: null,
  phoneVerifiedAt: null,
  consents: [],
  createdAt: NOW,
  updatedAt: NOW,
  deletedAt: null,
} as const;

const ada: IndividualCustomer = {
  ...common,
  id: 'Customer:ada',
  customerType: 'INDIVIDUAL',
  profile: { fullName: 'Ada Lovelace', birthDate: '1990-12-10', nationality: 'GB', address: ADDRESS },
};
const firm: BusinessCustomer = {
  ...common,
  id: 'Customer:firm',
  customerType: 'BUSINESS',
  beneficialOwners: [],
  profile: {
    address: ADDRESS,
    businessInfo: {
      legalName: 'Engines',
      country: 'DE',
      registrationNumber: 'HRB-001',
      taxId: 'DE1',
      incorporatedOn: '2015-05-05',
      countriesOfOperation: ['DE'],
    },
  },
};
const grace: OwnerOfPacket = {
  id: 'BeneficialOwner:grace',
  customerId: firm.id,
  roles: ['UBO', 'CONTROL_PERSON'],
  ownershipPercentage: 60,
  personalInfo: {
    firstName: 'Grace',
    lastName: 'Hopper',
    birthDate: '1980-12-09',
    nationality: 'US',
    address: { line1: '2 Navy Yard', postalCode: '20374', country: 'US' },
    idType: 'SSN',
  },
  maskedIdentifier: '***-**-6789',
  identifier: '123-45-6789',
  kycStatus: 'UNVERIFIED',
  createdAt: NOW,
  updatedAt: NOW,
};

let made = 0;
const doc = (holderId: HolderId, documentType: DocumentType, side: 'FRONT' | 'BACK' | null = null, country = 'DE'): HeldDocument => {
  made += 1;
  return { id: `Document:${made}`, holderId, documentType, side, country, isSubmitted: false };
};

const FIRM_DOCUMENTS = [
  doc(firm.id, 'CERTIFICATE_OF_INCORPORATION'),
  doc(firm.id, 'DIRECTOR_REGISTRY'),
  doc(firm.id, 'SHAREHOLDER_REGISTER'),
  doc(firm.id, 'UTILITY_BILL'),
];

const facts = (fields: Partial<RequirementFacts>): RequirementFacts => ({
  customer: ada,
  identifier: undefined,
  owners: [],
  documents: [doc(ada.id, 'PASSPORT')],
  unverifiedChannels: [],
  isInRegulatedRegion: false,
  now: NOW,
  ...fields,
});
const firmFacts = (fields: Partial<RequirementFacts> = {}) =>
  facts({ customer: firm, owners: [grace], documents: FIRM_DOCUMENTS, ...fields });

/** `TYPE resource field-or-accepted` of each problem. */
const found = (fields: RequirementFacts): string[] =>
  findProblems(fields).map(({ resourceId, type, field, acceptedDocumentTypes }) =>
    [type, resourceId.split(':')[1], field ?? acceptedDocumentTypes?.join('/')].filter(Boolean).join(' '),
  );

const person = (profile: Record<string, unknown>, more: Partial<RequirementFacts> = {}) =>
  found(facts({ customer: { ...ada, profile: { ...ada.profile, ...profile } }, ...more }));

describe('a person', () => {
  test('a complete packet has no problem', () => assert.deepEqual(found(facts({})), []));

  test('an empty one lists every requirement at once', () => {
    assert.deepEqual(found(facts({ customer: { ...ada, profile: {} }, documents: [] })), [
      'MISSING_FIELD ada fullName',
      'MISSING_FIELD ada birthDate',
      'MISSING_FIELD ada nationality',
      'MISSING_FIELD ada address.line1',
      'MISSING_FIELD ada address.postalCode',
      'MISSING_FIELD ada address.country',
      'MISSING_IDENTITY_DOCUMENT ada PASSPORT/DRIVERS_LICENSE/NATIONAL_ID',
    ]);
  });

  test('blank is missing', () => assert.deepEqual(person({ fullName: '  ' }), ['MISSING_FIELD ada fullName']));
  test('the name has two words', () => assert.deepEqual(person({ fullName: 'Ada' }), ['INVALID_FIELD ada fullName']));

  for (const [birthDate, isAdult] of [
    ['2008-06-01', true],
    ['2008-06-02', false],
    ['2027-01-01', false],
    ['9999-12-31', false],
  ] as const)
    test(`born ${birthDate} is ${isAdult ? 'of age' : 'refused'} on 2026-06-01`, () =>
      assert.deepEqual(person({ birthDate }), isAdult ? [] : ['INVALID_FIELD ada birthDate']));

  test('countries are alpha-2 codes', () => {
    assert.deepEqual(person({ nationality: 'British', address: { ...ADDRESS, country: 'Germany' } }), [
      'INVALID_FIELD ada nationality',
      'INVALID_FIELD ada address.country',
    ]);
  });

  describe('a US account holder', () => {
    test('by nationality, address or region, needs an identifier and its type', () => {
      const missing = ['MISSING_FIELD ada idType', 'MISSING_FIELD ada identifier'];
      assert.deepEqual(person({ nationality: 'US' }), missing);
      assert.deepEqual(person({ address: { ...ADDRESS, country: 'US' } }), missing);
      assert.deepEqual(found(facts({ customer: { ...ada, region: 'US' } })), missing);
    });
    for (const [idType, identifier, problems] of [
      ['SSN', '123-45-6789', []],
      ['SSN', '123456789', ['identifier']],
      ['ITIN', '912-34-5678', []],
      ['ITIN', '812-34-5678', ['identifier']],
      ['EIN', '12-3456789', ['idType']],
      ['NON_US_TAX_ID', 'x', ['idType']],
    ] as const)
      test(`${idType} ${identifier}: ${problems.join() || 'accepted'}`, () =>
        assert.deepEqual(
          person({ nationality: 'US', idType }, { identifier }),
          problems.map((field) => `INVALID_FIELD ada ${field}`),
        ));
    test('the identifier is issued by the US', () => {
      const us = { nationality: 'US', idType: 'SSN' };
      assert.deepEqual(person({ ...us, countryOfIssuance: 'US' }, { identifier: '123-45-6789' }), []);
      assert.deepEqual(person({ ...us, countryOfIssuance: 'DE' }, { identifier: '123-45-6789' }), ['INVALID_FIELD ada countryOfIssuance']);
    });
  });

  test('an answer OTHER needs its description', () => {
    const other = { sourceOfFundsCategories: ['SALARY', 'OTHER'], sourceOfWealthCategories: ['OTHER'], purposeOfAccount: 'OTHER' };
    assert.deepEqual(person(other), [
      'MISSING_FIELD ada sourceOfFundsOtherDescription',
      'MISSING_FIELD ada sourceOfWealthOtherDescription',
      'MISSING_FIELD ada purposeOfAccountOtherDescription',
    ]);
    const described = { sourceOfFundsOtherDescription: 'a', sourceOfWealthOtherDescription: 'b', purposeOfAccountOtherDescription: 'c' };
    assert.deepEqual(person({ ...other, ...described }), []);
  });

  test('a licence or identity card needs both sides, and one side satisfies nothing', () => {
    const front = doc(ada.id, 'DRIVERS_LICENSE', 'FRONT');
    assert.deepEqual(found(facts({ documents: [front] })), [
      `INCOMPLETE_DOCUMENT ${front.id.split(':')[1]} DRIVERS_LICENSE`,
      'MISSING_IDENTITY_DOCUMENT ada PASSPORT/DRIVERS_LICENSE/NATIONAL_ID',
    ]);
    assert.deepEqual(found(facts({ documents: [front, doc(ada.id, 'DRIVERS_LICENSE', 'BACK')] })), []);
    assert.deepEqual(found(facts({ documents: [doc(ada.id, 'NATIONAL_ID', 'BACK'), doc(ada.id, 'NATIONAL_ID', 'FRONT')] })), []);
    assert.equal(found(facts({ documents: [front, doc(ada.id, 'NATIONAL_ID', 'BACK')] })).length, 3);
  });
  test('a Brazilian licence has no sides', () => {
    assert.deepEqual(found(facts({ documents: [doc(ada.id, 'DRIVERS_LICENSE', null, 'BR')] })), []);
  });
  test("another holder's document does not count", () => {
    assert.deepEqual(found(facts({ documents: [doc(grace.id, 'PASSPORT')] })), [
      'MISSING_IDENTITY_DOCUMENT ada PASSPORT/DRIVERS_LICENSE/NATIONAL_ID',
    ]);
  });

  test('contacts that are not verified are listed', () => {
    assert.deepEqual(found(facts({ unverifiedChannels: ['EMAIL', 'PHONE'] })), [
      'INVALID_FIELD ada email',
      'INVALID_FIELD ada phoneNumber',
    ]);
  });
});

describe('a business', () => {
  test('a complete packet has no problem', () => assert.deepEqual(found(firmFacts()), []));

  test('an empty one lists every requirement at once', () => {
    const empty = { ...firm, profile: { businessInfo: { legalName: '' } } };
    assert.deepEqual(found(firmFacts({ customer: empty, owners: [], documents: [], isInRegulatedRegion: true })), [
      'MISSING_FIELD firm businessInfo.legalName',
      'MISSING_FIELD firm businessInfo.country',
      'MISSING_FIELD firm businessInfo.registrationNumber',
      'MISSING_FIELD firm businessInfo.taxId',
      'MISSING_FIELD firm businessInfo.countriesOfOperation',
      'MISSING_FIELD firm businessInfo.primaryContactFirstName',
      'MISSING_FIELD firm businessInfo.primaryContactLastName',
      'MISSING_FIELD firm businessInfo.incorporatedOn',
      'MISSING_FIELD firm address.line1',
      'MISSING_FIELD firm address.postalCode',
      'MISSING_FIELD firm address.country',
      'MISSING_LEGAL_PRESENCE_DOCUMENT firm CERTIFICATE_OF_INCORPORATION/ARTICLES_OF_INCORPORATION/ARTICLES_OF_ASSOCIATION/STATE_REGISTRY_EXCERPT',
      'MISSING_CONTROL_STRUCTURE_DOCUMENT firm DIRECTOR_REGISTRY/TRUST_AGREEMENT/STATE_COMPANY_REGISTRY/PARTNERSHIP_CONTROL_AGREEMENT',
      'MISSING_OWNERSHIP_STRUCTURE_DOCUMENT firm SHAREHOLDER_REGISTER/TRUST_AGREEMENT/PARTNERSHIP_AGREEMENT',
      'MISSING_PROOF_OF_ADDRESS_DOCUMENT firm UTILITY_BILL/RENT_OR_LEASE_AGREEMENT/ELECTRICITY_BILL/BANK_STATEMENT/TAX_RETURN/PROOF_OF_ADDRESS',
      'MISSING_BENEFICIAL_OWNER firm',
      'MISSING_CONTROL_PERSON firm',
    ]);
  });

  test('the day of incorporation is not in the future', () => {
    const info = { ...firm.profile.businessInfo, incorporatedOn: '2026-06-02' };
    assert.deepEqual(found(firmFacts({ customer: { ...firm, profile: { ...firm.profile, businessInfo: info } } })), [
      'INVALID_FIELD firm businessInfo.incorporatedOn',
    ]);
  });

  test('the day of incorporation may be today', () => {
    const info = { ...firm.profile.businessInfo, incorporatedOn: '2026-06-01' };
    assert.deepEqual(found(firmFacts({ customer: { ...firm, profile: { ...firm.profile, businessInfo: info } } })), []);
  });

  for (const countriesOfOperation of [[], [''], [' ', '']])
    test(`countries of operation ${JSON.stringify(countriesOfOperation)} are missing`, () => {
      const info = { ...firm.profile.businessInfo, countriesOfOperation };
      assert.deepEqual(found(firmFacts({ customer: { ...firm, profile: { ...firm.profile, businessInfo: info } } })), [
        'MISSING_FIELD firm businessInfo.countriesOfOperation',
      ]);
    });
  test('a blank country of operation beside another one is not', () => {
    const info = { ...firm.profile.businessInfo, countriesOfOperation: ['', 'DE'] };
    assert.deepEqual(found(firmFacts({ customer: { ...firm, profile: { ...firm.profile, businessInfo: info } } })), []);
  });
  test('one document may serve two categories', () => {
    const documents = [doc(firm.id, 'STATE_REGISTRY_EXCERPT'), doc(firm.id, 'TRUST_AGREEMENT'), doc(firm.id, 'PROOF_OF_ADDRESS')];
    assert.deepEqual(found(firmFacts({ documents })), []);
  });

  test('one of the people controls it', () => {
    assert.deepEqual(found(firmFacts({ owners: [{ ...grace, roles: ['UBO'] }] })), ['MISSING_CONTROL_PERSON firm']);
  });
});

describe('an owner', () => {
  const owner = (info: Partial<OwnerOfPacket['personalInfo']>, identifier = grace.identifier, documents: HeldDocument[] = []) =>
    found(
      firmFacts({
        owners: [{ ...grace, identifier, personalInfo: { ...grace.personalInfo, ...info } }],
        documents: [...FIRM_DOCUMENTS, ...documents],
      }),
    );
  const german = { nationality: 'DE', address: ADDRESS, idType: 'NON_US_TAX_ID', countryOfIssuance: 'DE' } as const;
  const papers = [doc(grace.id, 'PASSPORT'), doc(grace.id, 'NATIONAL_ID', 'FRONT'), doc(grace.id, 'NATIONAL_ID', 'BACK')];

  test('a US person needs an SSN or ITIN and no document', () => {
    assert.deepEqual(owner({ idType: 'ITIN' }, '912-34-5678'), []);
    assert.deepEqual(owner({ idType: 'NON_US_TAX_ID' }), ['INVALID_FIELD grace personalInfo.idType']);
    assert.deepEqual(owner({}, '123'), ['INVALID_FIELD grace personalInfo.identifier']);
  });
  test('an address in the US makes a US person', () => {
    assert.deepEqual(owner({ nationality: 'DE', idType: 'NON_US_TAX_ID', countryOfIssuance: 'DE' }), [
      'INVALID_FIELD grace personalInfo.idType',
    ]);
  });
  test('any other person needs a passport and one more identity document', () => {
    assert.deepEqual(owner(german, 'any', papers), []);
    assert.deepEqual(owner(german, 'any'), [
      'MISSING_IDENTITY_DOCUMENT grace PASSPORT',
      'MISSING_IDENTITY_DOCUMENT grace DRIVERS_LICENSE/NATIONAL_ID',
    ]);
    assert.deepEqual(owner(german, 'any', papers.slice(0, 1)), ['MISSING_IDENTITY_DOCUMENT grace DRIVERS_LICENSE/NATIONAL_ID']);
    assert.deepEqual(owner(german, 'any', papers.slice(1)), ['MISSING_IDENTITY_DOCUMENT grace PASSPORT']);
  });
  test('any other person has an ITIN or a tax id of a named country', () => {
    const { countryOfIssuance: _none, ...unnamed } = german;
    assert.deepEqual(owner(unnamed, 'any', papers), ['MISSING_FIELD grace personalInfo.countryOfIssuance']);
    assert.deepEqual(owner({ ...german, idType: 'ITIN' }, '912-34-5678', papers), []);
    assert.deepEqual(owner({ ...german, idType: 'SSN' }, '123-45-6789', papers), ['INVALID_FIELD grace personalInfo.idType']);
  });
  test('an EIN is for no person', () => {
    assert.deepEqual(owner({ idType: 'EIN' }), ['INVALID_FIELD grace personalInfo.idType']);
    assert.deepEqual(owner({ ...german, idType: 'EIN' }, 'any', papers), ['INVALID_FIELD grace personalInfo.idType']);
  });
  test('has every field of a person', () => {
    for (const field of ['firstName', 'lastName', 'birthDate', 'nationality'] as const)
      assert.deepEqual(owner({ [field]: ' ' }), [`MISSING_FIELD grace personalInfo.${field}`]);
    for (const field of ['line1', 'postalCode', 'country'])
      assert.deepEqual(owner({ address: { ...grace.personalInfo.address, [field]: ' ' } }), [
        `MISSING_FIELD grace personalInfo.address.${field}`,
      ]);
  });
  test('a citizen of the US abroad is a US person', () => {
    assert.deepEqual(owner({ nationality: 'US', address: ADDRESS }), []);
  });
  test('is of age', () => assert.deepEqual(owner({ birthDate: '2008-06-02' }), ['INVALID_FIELD grace personalInfo.birthDate']));
});

test('every reason names its field and the rule', () => {
  const reasons = findProblems(facts({ customer: { ...ada, profile: { ...ada.profile, birthDate: '2008-06-02', nationality: '' } } }));
  assert.deepEqual(
    reasons.map(({ reason }) => reason),
    ['birthDate must be at least 18 years ago.', 'nationality is missing.'],
  );
});

test("the identity document is the holder's own, of a kind that proves who somebody is", () => {
  const bill = doc(ada.id, 'UTILITY_BILL');
  for (const type of ['PASSPORT', 'DRIVERS_LICENSE', 'NATIONAL_ID'] as const) {
    const own = doc(ada.id, type);
    assert.equal(identityDocumentOf([bill, doc(grace.id, type), own], ada.id), own);
  }
  assert.equal(identityDocumentOf([bill, doc(grace.id, 'PASSPORT')], ada.id), undefined);
});

test('no reason holds a value that was sent', () => {
  const secret = '987-65-432X';
  const packets = [
    facts({ customer: { ...ada, profile: { ...ada.profile, fullName: secret, nationality: 'US', idType: 'SSN' } }, identifier: secret }),
    firmFacts({ owners: [{ ...grace, identifier: secret }] }),
  ];
  for (const packet of packets) {
    const problems = findProblems(packet);
    assert.ok(problems.length > 0);
    assert.equal(JSON.stringify(problems).includes(secret), false);
  }
});

describe('what the provider asked for', () => {
  const LATER = new Date(NOW.getTime() + 1);
  const error = (resourceId: string, type: KycError['type'], rest: Partial<KycError> = {}): KycError => ({
    resourceId,
    type,
    reason: 'r',
    ...rest,
  });
  const record = (errors: readonly KycError[], status: RecordStatus = 'RESOLVE_ERRORS', submissions = 1): Verification => ({
    id: 'Verification:v',
    customerId: firm.id,
    status,
    errors,
    submissions,
    planned: null,
    sendAt: null,
    sendFailures: 0,
    createdAt: NOW,
    updatedAt: NOW,
  });
  const seen = (documents: readonly HeldDocument[]) => documents.map((document) => ({ ...document, isSubmitted: true }));
  const asked = (errors: readonly KycError[], fields: Partial<RequirementFacts> = {}) =>
    findUnanswered(record(errors), firmFacts({ documents: seen(FIRM_DOCUMENTS), ...fields }));

  test('nothing without an answer that asks for more', () => {
    const errors = [error(firm.id, 'INVALID_FIELD', { field: 'businessInfo.taxId' })];
    assert.deepEqual(findUnanswered(undefined, firmFacts()), []);
    assert.deepEqual(findUnanswered(record(errors, 'IN_PROGRESS'), firmFacts()), []);
    assert.deepEqual(findUnanswered(record(errors, 'RESOLVE_ERRORS', 0), firmFacts()), []);
    assert.deepEqual(asked(errors), errors);
  });
  test('a field until its customer or owner is changed', () => {
    const errors = [
      error(firm.id, 'INVALID_FIELD', { field: 'businessInfo.taxId' }),
      error(grace.id, 'MISSING_FIELD', { field: 'personalInfo.email' }),
    ];
    assert.deepEqual(asked(errors), errors);
    assert.deepEqual(asked(errors, { customer: { ...firm, updatedAt: LATER } }), errors.slice(1));
    assert.deepEqual(asked(errors, { owners: [{ ...grace, updatedAt: LATER }] }), errors.slice(0, 1));
    assert.deepEqual(asked(errors, { owners: [] }), errors.slice(0, 1), 'an owner that was deleted');
  });
  test('people until one is added', () => {
    for (const type of ['MISSING_BENEFICIAL_OWNER', 'MISSING_CONTROL_PERSON'] as const) {
      const errors = [error(firm.id, type)];
      assert.deepEqual(asked(errors), errors);
      assert.deepEqual(asked(errors, { owners: [grace, { ...grace, createdAt: LATER }] }), []);
    }
  });
  test('a document of its type until it is replaced, or given in another type that is accepted', () => {
    const [front, back] = seen([doc(grace.id, 'NATIONAL_ID', 'FRONT'), doc(grace.id, 'NATIONAL_ID', 'BACK')]);
    assert.ok(front && back);
    const fresh = (document: HeldDocument) => ({ ...document, isSubmitted: false });
    const plain = error(front.id, 'POOR_QUALITY_DOCUMENT');
    for (const acceptedDocumentTypes of [undefined, []])
      assert.deepEqual(asked([{ ...plain, ...(acceptedDocumentTypes && { acceptedDocumentTypes }) }], { documents: [front, back] }), [
        { ...plain, acceptedDocumentTypes: ['NATIONAL_ID'] },
      ]);
    assert.deepEqual(asked([plain], { documents: [fresh(front), back] }), []);
    assert.equal(asked([plain], { documents: [front, fresh(back)] }).length, 1, 'the other side is no answer');
    const open = { ...plain, acceptedDocumentTypes: ['NATIONAL_ID', 'PASSPORT'] as const };
    assert.deepEqual(asked([open], { documents: [front, back] }), [open]);
    assert.deepEqual(asked([open], { documents: [front, back, doc(grace.id, 'PASSPORT')] }), []);
    assert.equal(asked([open], { documents: [front, back, doc(firm.id, 'PASSPORT')] }).length, 1, 'of another holder');
    assert.equal(asked([plain], { documents: [front, back, doc(grace.id, 'PASSPORT')] }).length, 1, 'of a type that is not accepted');
  });
  test('a document of a holder until one is given that the provider has not seen', () => {
    const missing = error(firm.id, 'MISSING_PROOF_OF_ADDRESS_DOCUMENT', { acceptedDocumentTypes: ['UTILITY_BILL'] });
    assert.deepEqual(asked([missing]), [missing]);
    assert.deepEqual(asked([missing], { documents: FIRM_DOCUMENTS }), []);
    assert.deepEqual(asked([{ ...missing, resourceId: 'BeneficialOwner:gone' }]), []);
    assert.deepEqual(asked([error(firm.id, 'UNREADABLE_DOCUMENT')]), [], 'no document is named');
  });
  test('never what is for the platform alone', () => {
    const [passport] = seen([doc(firm.id, 'PASSPORT')]);
    assert.ok(passport);
    const types = ['APPLICANT_SANCTIONED', 'APPLICANT_FRAUD', 'APPLICANT_CRIMINAL_RECORD', 'APPLICANT_REJECTED'] as const;
    const errors = [
      ...types.map((type) => error(firm.id, type, { field: 'address.line1' })),
      error(passport.id, 'SUSPECTED_FRAUD_DOCUMENT'),
    ];
    assert.deepEqual(asked(errors, { documents: [passport] }), []);
  });
  test('a document that the provider has seen is replaced where it is named, or its kind is asked for', () => {
    const [bill] = seen([doc(firm.id, 'UTILITY_BILL')]);
    assert.ok(bill);
    const named = error(bill.id, 'EXPIRED_DOCUMENT');
    const kind = error(firm.id, 'MISSING_PROOF_OF_ADDRESS_DOCUMENT', { acceptedDocumentTypes: ['UTILITY_BILL'] });
    for (const problem of [named, kind]) {
      assert.equal(asksAgainFor(problem, bill), true);
      assert.equal(asksAgainFor(problem, { ...bill, isSubmitted: false }), false);
    }
    assert.equal(asksAgainFor(named, { ...bill, id: 'Document:other' }), false);
    assert.equal(asksAgainFor(kind, { ...bill, documentType: 'TAX_RETURN' }), false);
    assert.equal(asksAgainFor(kind, { ...bill, holderId: grace.id }), false);
    assert.equal(asksAgainFor(error(firm.id, 'MISSING_FIELD'), bill), false);
  });
});
