// The model of a packet: customers, owners and documents as they were sent, and everything that keeps a packet from being handed over.

// biome-ignore lint/suspicious/noExplicitAny: the fields are those that the history sent, and the answers are checked against the document.
export type Fields = Record<string, any>;

export type Status = 'UNVERIFIED' | 'PENDING' | 'APPROVED' | 'REJECTED' | 'HOLD';
export type RecordStatus = 'RESOLVE_ERRORS' | 'IN_PROGRESS' | 'PENDING_MANUAL_REVIEW' | 'APPROVED' | 'REJECTED';

export type Paper = {
  readonly id: string;
  readonly holder: string;
  /** Type, country, side, number and authority, as they were sent last. */
  fields: Fields;
  fileName: string;
  content: Buffer;
  contentType: string;
  readonly createdAt: number;
  updatedAt: number;
  /** Undefined where nothing says whether the provider has it. */
  isSubmitted: boolean | undefined;
};

export type Owner = {
  readonly id: string;
  fields: Fields;
  /** In plain text; answers mask it. */
  identifier: string;
  kycStatus: Status;
  readonly papers: Paper[];
};

export type Verification = {
  readonly id: string;
  status: RecordStatus;
  errors: Problem[];
  readonly createdAt: number;
  updatedAt: number;
  /** What the provider will say, and when. */
  planned: { readonly at: number; readonly status: 'APPROVED' | 'REJECTED' } | undefined;
  /** How often a packet was handed over. */
  submissions: number;
  readonly notified: string[];
};

export type Customer = {
  readonly id: string;
  readonly number: number;
  readonly isBusiness: boolean;
  /** What was sent, and what the service made for what was not. */
  fields: Fields;
  identifier: string | undefined;
  status: Status;
  /** In a regulated region only. */
  readonly contacts: { email: string; phone: string } | undefined;
  readonly owners: Owner[];
  readonly papers: Paper[];
  readonly records: Verification[];
  readonly notified: string[];
  /** Internal accounts that closed when the customer was deleted. */
  closed: string[];
  isDeleted: boolean;
};

/** One entry of `errors`, without its sentence. */
export type Problem = {
  readonly resourceId: string;
  readonly type: string;
  readonly field?: string | undefined;
  readonly accepted?: readonly string[] | undefined;
  /** What its sentence names: with another one it is another entry. */
  readonly about?: string | undefined;
};

/** The problems in an order of their own: the specification defines none. */
export const inOrder = (problems: readonly Problem[]): string[] =>
  problems.map(({ resourceId, type, field, accepted = [] }) => [type, field, [...accepted].sort(), resourceId].join(' ')).sort();

export const areSame = (some: readonly Problem[], others: readonly Problem[]): boolean => {
  const text = (list: readonly Problem[]) => [...inOrder(list), ...list.map(({ resourceId, about }) => `${resourceId} ${about}`).sort()];
  return text(some).join() === text(others).join();
};

export const suffixOf = (text: string | undefined): string => text?.slice(-3) ?? '';
export const lastOf = ({ records }: Customer): Verification | undefined => records.at(-1);
export const isUnderReview = (record: Verification | undefined): boolean =>
  record?.status === 'IN_PROGRESS' || record?.status === 'PENDING_MANUAL_REVIEW';
export const isDecided = ({ status }: Customer): boolean => status === 'APPROVED' || status === 'REJECTED';
/** "a customer has at most one open Verification" */
export const openOf = (customer: Customer): Verification | undefined => {
  const last = lastOf(customer);
  return last && last.status !== 'APPROVED' && last.status !== 'REJECTED' ? last : undefined;
};

/** "every letter and digit but the last four becomes `*`, separators stay" */
export const masked = (identifier: string): string => identifier.replaceAll(/[a-z\d](?=(?:[^a-z\d]*[a-z\d]){4})/gi, '*');

// ---- what a complete packet needs

/** The countries that the histories name. */
const COUNTRIES: ReadonlySet<string> = new Set(['BR', 'DE', 'FR', 'GB', 'US']);
const isCountry = (code: string): boolean => COUNTRIES.has(code);

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** Eighteen years after the birth, by the UTC day of the clock. */
const isOfAge =
  (now: number) =>
  (birth: string): boolean =>
    `${Number(birth.slice(0, 4)) + 18}${birth.slice(4)}` <= day(now);

const need = (
  resourceId: string,
  field: string,
  value: unknown,
  isRight: (text: string) => boolean = () => true,
  about?: string,
): Problem[] => {
  const isMissing = value === undefined || (Array.isArray(value) && value.length === 0);
  if (isMissing) return [{ resourceId, type: 'MISSING_FIELD', field }];
  return typeof value === 'string' && !isRight(value) ? [{ resourceId, type: 'INVALID_FIELD', field, about }] : [];
};

/** "`ddd-dd-dddd` (ITIN: first digit 9)" */
const hasForm =
  (idType: string) =>
  (identifier: string): boolean =>
    /^\d{3}-\d{2}-\d{4}$/.test(identifier) && (idType !== 'ITIN' || identifier.startsWith('9'));

export const IDENTITY_PAPERS = ['PASSPORT', 'DRIVERS_LICENSE', 'NATIONAL_ID'];

/** "licence or ID with one side only: INCOMPLETE_DOCUMENT on that document (and it satisfies nothing)" */
const hasBothSides = ({ fields: { documentType, side } }: Paper, all: readonly Paper[]): boolean =>
  side === undefined ||
  all.some(({ fields: other }) => other['documentType'] === documentType && ![side, undefined].includes(other['side']));

const incomplete = (papers: readonly Paper[]): Problem[] =>
  papers
    .filter((paper) => !hasBothSides(paper, papers))
    .map(({ id, fields }) => ({ resourceId: id, type: 'INCOMPLETE_DOCUMENT', accepted: [fields['documentType']], about: fields['side'] }));

const needPaper = (resourceId: string, papers: readonly Paper[], type: string, accepted: readonly string[]): Problem[] =>
  papers.some((paper) => accepted.includes(paper.fields['documentType']) && hasBothSides(paper, papers))
    ? []
    : [{ resourceId, type, accepted }];

const needAddress = (id: string, address: Fields | undefined, isRight?: (text: string) => boolean): Problem[] => [
  ...need(id, 'address.line1', address?.['line1']),
  ...need(id, 'address.postalCode', address?.['postalCode']),
  ...need(id, 'address.country', address?.['country'], isRight),
];

/** "a channel not VERIFIED: INVALID_FIELD `email` or `phoneNumber`" */
const unverifiedContacts = ({ id, contacts }: Customer): Problem[] => [
  ...(contacts?.email === 'PENDING' ? [{ resourceId: id, type: 'INVALID_FIELD', field: 'email' }] : []),
  ...(contacts?.phone === 'PENDING' ? [{ resourceId: id, type: 'INVALID_FIELD', field: 'phoneNumber' }] : []),
];

/** Every problem of the packet of a customer. */
export const problemsOf = (customer: Customer, now: number): Problem[] => [
  ...(customer.isBusiness ? problemsOfBusiness(customer, now) : problemsOfPerson(customer, now)),
  ...unverifiedContacts(customer),
];

function problemsOfPerson({ id, fields, identifier, papers }: Customer, now: number): Problem[] {
  const isUs = [fields['region'], fields['nationality'], fields['address']?.country].includes('US');
  const { idType, countryOfIssuance } = fields;
  const isTaxId = (type: string): boolean => type === 'SSN' || type === 'ITIN';
  const isOther = (answer: unknown): boolean => answer === 'OTHER' || (Array.isArray(answer) && answer.includes('OTHER'));
  const described = { purposeOfAccount: 'purposeOfAccountOtherDescription', sourceOfFundsCategories: 'sourceOfFundsOtherDescription' };
  return [
    ...need(id, 'fullName', fields['fullName'], (name) => name.split(' ').length >= 2),
    ...need(id, 'birthDate', fields['birthDate'], isOfAge(now)),
    ...need(id, 'nationality', fields['nationality'], isCountry),
    ...needAddress(id, fields['address'], isCountry),
    ...(isUs ? need(id, 'idType', idType, isTaxId) : []),
    ...(isUs ? need(id, 'identifier', identifier, isTaxId(idType) ? hasForm(idType) : undefined, idType) : []),
    ...(isUs && countryOfIssuance !== undefined ? need(id, 'countryOfIssuance', countryOfIssuance, (code) => code === 'US') : []),
    ...Object.entries(described).flatMap(([answer, text]) => (isOther(fields[answer]) ? need(id, text, fields[text]) : [])),
    ...incomplete(papers),
    ...needPaper(id, papers, 'MISSING_IDENTITY_DOCUMENT', IDENTITY_PAPERS),
  ];
}

/** Documents of a business: "any one per category, one document may serve two" */
export const CATEGORIES = {
  MISSING_LEGAL_PRESENCE_DOCUMENT: [
    'CERTIFICATE_OF_INCORPORATION',
    'ARTICLES_OF_INCORPORATION',
    'ARTICLES_OF_ASSOCIATION',
    'STATE_REGISTRY_EXCERPT',
  ],
  MISSING_CONTROL_STRUCTURE_DOCUMENT: ['DIRECTOR_REGISTRY', 'TRUST_AGREEMENT', 'STATE_COMPANY_REGISTRY', 'PARTNERSHIP_CONTROL_AGREEMENT'],
  MISSING_OWNERSHIP_STRUCTURE_DOCUMENT: ['SHAREHOLDER_REGISTER', 'TRUST_AGREEMENT', 'PARTNERSHIP_AGREEMENT'],
  MISSING_PROOF_OF_ADDRESS_DOCUMENT: [
    'UTILITY_BILL',
    'RENT_OR_LEASE_AGREEMENT',
    'ELECTRICITY_BILL',
    'BANK_STATEMENT',
    'TAX_RETURN',
    'PROOF_OF_ADDRESS',
  ],
} as const;

function problemsOfBusiness({ id, fields, contacts, owners, papers }: Customer, now: number): Problem[] {
  const info: Fields = fields['businessInfo'];
  const names = ['legalName', 'country', 'registrationNumber', 'taxId', 'countriesOfOperation'];
  const ofContact = contacts ? ['primaryContactFirstName', 'primaryContactLastName'] : [];
  const isLed = owners.some((owner) => owner.fields['roles'].includes('CONTROL_PERSON'));
  return [
    ...[...names, ...ofContact].flatMap((name) => need(id, `businessInfo.${name}`, info[name])),
    ...need(id, 'businessInfo.incorporatedOn', info['incorporatedOn'], (date) => date <= day(now)),
    ...needAddress(id, fields['address']),
    ...Object.entries(CATEGORIES).flatMap(([type, accepted]) => needPaper(id, papers, type, accepted)),
    ...(owners.length === 0 ? [{ resourceId: id, type: 'MISSING_BENEFICIAL_OWNER' }] : []),
    ...(isLed ? [] : [{ resourceId: id, type: 'MISSING_CONTROL_PERSON' }]),
    ...owners.flatMap((owner) => problemsOfOwner(owner, now)),
  ];
}

/** The schema of an owner leaves only these problems. */
function problemsOfOwner({ id, fields, identifier, papers }: Owner, now: number): Problem[] {
  const { nationality, address, idType, birthDate, countryOfIssuance }: Fields = fields['personalInfo'];
  const isUs = nationality === 'US' || address.country === 'US';
  const isAccepted = (isUs ? ['SSN', 'ITIN'] : ['ITIN', 'NON_US_TAX_ID']).includes(idType);
  const hasUsForm = isAccepted && idType !== 'NON_US_TAX_ID' ? hasForm(idType) : undefined;
  return [
    ...need(id, 'personalInfo.birthDate', birthDate, isOfAge(now)),
    ...need(id, 'personalInfo.idType', idType, () => isAccepted, `${isUs}`),
    ...need(id, 'personalInfo.identifier', identifier, hasUsForm, idType),
    ...(!isUs && idType === 'NON_US_TAX_ID' ? need(id, 'personalInfo.countryOfIssuance', countryOfIssuance) : []),
    ...incomplete(papers),
    ...(isUs ? [] : needPaper(id, papers, 'MISSING_IDENTITY_DOCUMENT', ['PASSPORT'])),
    ...(isUs ? [] : needPaper(id, papers, 'MISSING_IDENTITY_DOCUMENT', ['DRIVERS_LICENSE', 'NATIONAL_ID'])),
  ];
}
