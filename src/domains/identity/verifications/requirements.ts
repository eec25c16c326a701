// What a complete packet needs. Pure: lists every problem of a packet, one entry each, and never an offending value.
import { isCountry } from '../../../kernel/countries.js';
import { utcDay } from '../../../kernel/time.js';
import type { BusinessCustomer, IndividualCustomer } from '../customers/customer.js';
import type { DocumentType, HeldDocument, HolderId, KycError, KycErrorType, OwnerOfPacket, Packet, Verification } from './verification.js';

/** Channels of the customer that still have to be verified, in a regulated region. */
export type RequirementFacts = Packet & {
  readonly unverifiedChannels: readonly ('EMAIL' | 'PHONE')[];
  readonly isInRegulatedRegion: boolean;
  readonly now: Date;
};

export function findProblems(facts: RequirementFacts): KycError[] {
  const { customer } = facts;
  const own = customer.customerType === 'INDIVIDUAL' ? problemsOfPerson(customer, facts) : problemsOfBusiness(customer, facts);
  return [...own, ...problemsOfContacts(facts)];
}

// ---- building blocks

const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.every(isBlank));

const missing = (resourceId: string, field: string): KycError => ({
  resourceId,
  type: 'MISSING_FIELD',
  field,
  reason: `${field} is missing.`,
});

const wrong = (resourceId: string, field: string, rule: string): KycError => ({
  resourceId,
  type: 'INVALID_FIELD',
  field,
  reason: `${field} ${rule}.`,
});

/** MISSING_FIELD for a blank value, INVALID_FIELD for one that breaks its rule. */
function check(
  resourceId: string,
  field: string,
  value: unknown,
  rule?: readonly [holds: (text: string) => boolean, text: string],
): KycError[] {
  if (isBlank(value)) return [missing(resourceId, field)];
  return rule && typeof value === 'string' && !rule[0](value) ? [wrong(resourceId, field, rule[1])] : [];
}

const COUNTRY_RULE = [isCountry, 'must be an ISO 3166-1 alpha-2 code'] as const;
const ADULT_AGE = 18;

/** A person born on the 29th of February is of age on the 1st of March. Days compare as texts only while their years have four digits. */
const isOfAge = (birthDate: string, now: Date): boolean =>
  birthDate <= utcDay(now) && `${String(Number(birthDate.slice(0, 4)) + ADULT_AGE).padStart(4, '0')}${birthDate.slice(4)}` <= utcDay(now);

const ageRule = (now: Date) => [(text: string) => isOfAge(text, now), `must be at least ${ADULT_AGE} years ago`] as const;

const US_TAX_ID = /^\d{3}-\d{2}-\d{4}$/;
const hasTaxIdForm = (idType: string, identifier: string): boolean =>
  US_TAX_ID.test(identifier) && (idType !== 'ITIN' || identifier.startsWith('9'));

const taxIdRule = (idType: string) =>
  [
    (text: string) => hasTaxIdForm(idType, text),
    `must have the form of an ${idType}: ddd-dd-dddd${idType === 'ITIN' ? ', beginning with 9' : ''}`,
  ] as const;

// ---- documents

const TWO_SIDED: ReadonlySet<DocumentType> = new Set(['DRIVERS_LICENSE', 'NATIONAL_ID']);
const IDENTITY_DOCUMENTS = ['PASSPORT', 'DRIVERS_LICENSE', 'NATIONAL_ID'] as const satisfies readonly DocumentType[];

const of = (documents: readonly HeldDocument[], holderId: HolderId): HeldDocument[] => documents.filter((one) => one.holderId === holderId);

/** Licences and identity cards have two sides, but for the Brazilian licence. */
function isComplete(document: HeldDocument, documents: readonly HeldDocument[]): boolean {
  if (!TWO_SIDED.has(document.documentType) || document.side === null) return true;
  return documents.some(({ documentType, side }) => documentType === document.documentType && side !== document.side && side !== null);
}

/** The complete documents of a holder, and a problem for each with one side only. */
function splitDocuments(documents: readonly HeldDocument[]): { complete: HeldDocument[]; problems: KycError[] } {
  const complete = documents.filter((document) => isComplete(document, documents));
  const problems = documents
    .filter((document) => !complete.includes(document))
    .map(
      ({ id, documentType, side }): KycError => ({
        resourceId: id,
        type: 'INCOMPLETE_DOCUMENT',
        acceptedDocumentTypes: [documentType],
        reason: `The ${side === 'FRONT' ? 'back' : 'front'} of the document is missing.`,
      }),
    );
  return { complete, problems };
}

function requireOneOf(
  holderId: HolderId,
  documents: readonly HeldDocument[],
  type: KycErrorType,
  accepted: readonly DocumentType[],
  what: string,
): KycError[] {
  if (documents.some(({ documentType }) => accepted.includes(documentType))) return [];
  return [{ resourceId: holderId, type, acceptedDocumentTypes: accepted, reason: `${what} is missing.` }];
}

/** The document that proves who the holder is. */
export const identityDocumentOf = (documents: readonly HeldDocument[], holderId: HolderId): HeldDocument | undefined =>
  of(documents, holderId).find(({ documentType }) => IDENTITY_DOCUMENTS.some((type) => type === documentType));

// ---- persons

const hasTwoWords = (name: string): boolean => name.trim().split(/\s+/).length >= 2;

function problemsOfPerson({ id, region, profile }: IndividualCustomer, { identifier, documents, now }: RequirementFacts): KycError[] {
  const { address } = profile;
  const { complete, problems } = splitDocuments(of(documents, id));
  const isUsHolder = [region, profile.nationality, address?.country].includes('US');
  return [
    ...check(id, 'fullName', profile.fullName, [hasTwoWords, 'must hold given and family name']),
    ...check(id, 'birthDate', profile.birthDate, ageRule(now)),
    ...check(id, 'nationality', profile.nationality, COUNTRY_RULE),
    ...check(id, 'address.line1', address?.line1),
    ...check(id, 'address.postalCode', address?.postalCode),
    ...check(id, 'address.country', address?.country, COUNTRY_RULE),
    ...(isUsHolder ? problemsOfUsHolder(id, profile, identifier) : []),
    ...missingDescriptions(id, profile),
    ...problems,
    ...requireOneOf(id, complete, 'MISSING_IDENTITY_DOCUMENT', IDENTITY_DOCUMENTS, 'A document that proves the identity'),
  ];
}

const isUsTaxIdType = (idType: string): boolean => idType === 'SSN' || idType === 'ITIN';

function problemsOfUsHolder(id: string, profile: IndividualCustomer['profile'], identifier: string | undefined): KycError[] {
  const { idType, countryOfIssuance } = profile;
  return [
    ...check(id, 'idType', idType, [isUsTaxIdType, 'must be SSN or ITIN']),
    ...check(id, 'identifier', identifier, idType !== undefined && isUsTaxIdType(idType) ? taxIdRule(idType) : undefined),
    ...(isBlank(countryOfIssuance) ? [] : check(id, 'countryOfIssuance', countryOfIssuance, [(code) => code === 'US', 'must be US'])),
  ];
}

/** An answer OTHER needs its description. */
const DESCRIPTIONS = [
  ['sourceOfFundsCategories', 'sourceOfFundsOtherDescription'],
  ['sourceOfWealthCategories', 'sourceOfWealthOtherDescription'],
  ['purposeOfAccount', 'purposeOfAccountOtherDescription'],
] as const;

function missingDescriptions(id: string, profile: IndividualCustomer['profile']): KycError[] {
  return DESCRIPTIONS.flatMap(([answer, description]) => {
    const given = profile[answer];
    const isOther = given === 'OTHER' || (Array.isArray(given) && given.includes('OTHER'));
    return isOther && isBlank(profile[description]) ? [missing(id, description)] : [];
  });
}

// ---- businesses

const BUSINESS_DOCUMENTS: readonly (readonly [type: KycErrorType, what: string, accepted: readonly DocumentType[]])[] = [
  [
    'MISSING_LEGAL_PRESENCE_DOCUMENT',
    'A document that proves the legal presence',
    ['CERTIFICATE_OF_INCORPORATION', 'ARTICLES_OF_INCORPORATION', 'ARTICLES_OF_ASSOCIATION', 'STATE_REGISTRY_EXCERPT'],
  ],
  [
    'MISSING_CONTROL_STRUCTURE_DOCUMENT',
    'A document that shows who controls the business',
    ['DIRECTOR_REGISTRY', 'TRUST_AGREEMENT', 'STATE_COMPANY_REGISTRY', 'PARTNERSHIP_CONTROL_AGREEMENT'],
  ],
  [
    'MISSING_OWNERSHIP_STRUCTURE_DOCUMENT',
    'A document that shows who owns the business',
    ['SHAREHOLDER_REGISTER', 'TRUST_AGREEMENT', 'PARTNERSHIP_AGREEMENT'],
  ],
  [
    'MISSING_PROOF_OF_ADDRESS_DOCUMENT',
    'A proof of the address',
    ['UTILITY_BILL', 'RENT_OR_LEASE_AGREEMENT', 'ELECTRICITY_BILL', 'BANK_STATEMENT', 'TAX_RETURN', 'PROOF_OF_ADDRESS'],
  ],
];

function problemsOfBusiness({ id, profile }: BusinessCustomer, facts: RequirementFacts): KycError[] {
  const { businessInfo: info, address } = profile;
  const { owners, documents, now } = facts;
  const { complete, problems } = splitDocuments(of(documents, id));
  const required = ['legalName', 'country', 'registrationNumber', 'taxId', 'countriesOfOperation'];
  const contacts = facts.isInRegulatedRegion ? ['primaryContactFirstName', 'primaryContactLastName'] : [];
  return [
    ...[...required, ...contacts].flatMap((name) => check(id, `businessInfo.${name}`, info[name])),
    ...check(id, 'businessInfo.incorporatedOn', info['incorporatedOn'], [(day) => day <= utcDay(now), 'must not be in the future']),
    ...check(id, 'address.line1', address?.line1),
    ...check(id, 'address.postalCode', address?.postalCode),
    ...check(id, 'address.country', address?.country),
    ...problems,
    ...BUSINESS_DOCUMENTS.flatMap(([type, what, accepted]) => requireOneOf(id, complete, type, accepted, what)),
    ...missingPeople(id, owners),
    ...owners.flatMap((owner) => problemsOfOwner(owner, of(documents, owner.id), now)),
  ];
}

function missingPeople(id: string, owners: readonly OwnerOfPacket[]): KycError[] {
  const problems: KycError[] = [];
  if (owners.length === 0)
    problems.push({ resourceId: id, type: 'MISSING_BENEFICIAL_OWNER', reason: 'Everybody who owns 25 % or more must be named.' });
  if (!owners.some(({ roles }) => roles.includes('CONTROL_PERSON')))
    problems.push({ resourceId: id, type: 'MISSING_CONTROL_PERSON', reason: 'One person who controls the business must be named.' });
  return problems;
}

// ---- owners

function problemsOfOwner(owner: OwnerOfPacket, documents: readonly HeldDocument[], now: Date): KycError[] {
  const { id, identifier, personalInfo: info } = owner;
  const isUsPerson = info.nationality === 'US' || info.address.country === 'US';
  const accepted = isUsPerson ? ['SSN', 'ITIN'] : ['ITIN', 'NON_US_TAX_ID'];
  const isAccepted = accepted.includes(info.idType);
  const { complete, problems } = splitDocuments(documents);
  return [
    ...check(id, 'personalInfo.firstName', info.firstName),
    ...check(id, 'personalInfo.lastName', info.lastName),
    ...check(id, 'personalInfo.birthDate', info.birthDate, ageRule(now)),
    ...check(id, 'personalInfo.nationality', info.nationality, COUNTRY_RULE),
    ...check(id, 'personalInfo.address.line1', info.address.line1),
    ...check(id, 'personalInfo.address.postalCode', info.address.postalCode),
    ...check(id, 'personalInfo.address.country', info.address.country, COUNTRY_RULE),
    ...(isAccepted ? [] : [wrong(id, 'personalInfo.idType', `must be ${accepted.join(' or ')} for this person`)]),
    ...check(id, 'personalInfo.identifier', identifier, isAccepted && isUsTaxIdType(info.idType) ? taxIdRule(info.idType) : undefined),
    ...(info.idType === 'NON_US_TAX_ID' && isAccepted ? check(id, 'personalInfo.countryOfIssuance', info.countryOfIssuance) : []),
    ...problems,
    ...(isUsPerson
      ? []
      : [
          ...requireOneOf(id, complete, 'MISSING_IDENTITY_DOCUMENT', ['PASSPORT'], 'A passport'),
          ...requireOneOf(id, complete, 'MISSING_IDENTITY_DOCUMENT', ['DRIVERS_LICENSE', 'NATIONAL_ID'], 'A second identity document'),
        ]),
  ];
}

// ---- contacts

function problemsOfContacts({ customer, unverifiedChannels }: RequirementFacts): KycError[] {
  return unverifiedChannels.map((channel) =>
    wrong(customer.id, channel === 'EMAIL' ? 'email' : 'phoneNumber', 'must be verified by the customer first'),
  );
}

// ---- what the provider asked for

/** What is between the provider and the platform: an end user can do nothing about it. */
const NOT_ASKED: ReadonlySet<KycErrorType> = new Set([
  'SUSPECTED_FRAUD_DOCUMENT',
  'APPLICANT_SANCTIONED',
  'APPLICANT_FRAUD',
  'APPLICANT_CRIMINAL_RECORD',
  'APPLICANT_REJECTED',
]);
const PEOPLE: ReadonlySet<KycErrorType> = new Set(['MISSING_BENEFICIAL_OWNER', 'MISSING_CONTROL_PERSON']);

/**
 * The errors of the provider's last answer that nothing has been given for since then. One about a document names the types that are
 * accepted instead.
 */
export function findUnanswered(open: Verification | undefined, packet: Packet): KycError[] {
  if (open?.status !== 'RESOLVE_ERRORS' || open.submissions === 0) return [];
  const isLater = (at: Date | undefined) => at === undefined || at > open.updatedAt;
  const changedAt = new Map<string, Date>([packet.customer, ...packet.owners].map(({ id, updatedAt }) => [id, updatedAt]));
  return open.errors.flatMap((error): KycError[] => {
    const { resourceId, type, field } = error;
    if (NOT_ASKED.has(type)) return [];
    if (field !== undefined) return isLater(changedAt.get(resourceId)) ? [] : [error];
    if (PEOPLE.has(type)) return packet.owners.some(({ createdAt }) => isLater(createdAt)) ? [] : [error];
    const named = packet.documents.find(({ id }) => id === resourceId);
    const holderId = named?.holderId ?? [packet.customer, ...packet.owners].find(({ id }) => id === resourceId)?.id;
    const accepted = error.acceptedDocumentTypes?.length ? error.acceptedDocumentTypes : named ? [named.documentType] : [];
    // The other side of a document is no answer to a problem of this side.
    const answers = ({ id, documentType, isSubmitted }: HeldDocument) =>
      !isSubmitted && (id === named?.id || (documentType !== named?.documentType && accepted.includes(documentType)));
    if (holderId === undefined || accepted.length === 0 || of(packet.documents, holderId).some(answers)) return [];
    return [{ ...error, acceptedDocumentTypes: accepted }];
  });
}

/** Whether the provider has seen the document and wants another one in its place. */
export const asksAgainFor = (
  { resourceId, acceptedDocumentTypes = [] }: KycError,
  { id, holderId, documentType, isSubmitted }: HeldDocument,
): boolean => isSubmitted && (resourceId === id || (resourceId === holderId && acceptedDocumentTypes.includes(documentType)));
