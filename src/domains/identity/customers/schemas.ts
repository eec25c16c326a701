// Wire schemas of customers. Requests are closed; `identifier` is accepted and never returned.
import Type, { type Static, type TSchema } from 'typebox';
import { Address, Closed, Enum, OneOf, pageOfSchema, ReadOnly, Timestamp } from '../../../http/schemas.js';
import {
  AGREEMENT_TYPES,
  type AgreementConsent,
  type BusinessPatch,
  CUSTOMER_TYPES,
  type Customer,
  type CustomerDraft,
  type CustomerPatch,
  type IndividualPatch,
  VERIFICATION_STATUSES,
} from './customer.js';
import { BeneficialOwnerSchema, IdentificationType, KycStatus, renderBeneficialOwner } from './owner-schemas.js';
import { isInRegulatedRegion } from './regions.js';

const text = (maxLength = 255) => Type.Optional(Type.String({ maxLength }));
const nonEmptyText = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }));
const date = () => Type.Optional(Type.String({ format: 'date' }));
const listOf = <Item extends TSchema>(item: Item, minItems = 0) => Type.Optional(Type.Array(item, { minItems, maxItems: 250 }));
const codes = () => listOf(Type.String({ maxLength: 255 }));

// ---- agreements

const AgreementTypeSchema = Enum(AGREEMENT_TYPES, { title: 'AgreementType' });

const acceptance = {
  acceptedAt: Timestamp(),
  ipAddress: Type.String({ maxLength: 45 }),
  termsVersion: Type.String({ maxLength: 64 }),
  acceptanceMethod: Enum(['CHECKBOX', 'CLICK_TO_ACCEPT'], { title: 'AgreementAcceptanceMethod' }),
};
const EndUserTermsConsent = Closed(acceptance, { title: 'EndUserTermsConsent', deprecated: true });
export const AgreementConsentRequest = Closed({ type: AgreementTypeSchema, ...acceptance }, { title: 'AgreementConsentRequest' });

const consents = {
  endUserTermsConsent: Type.Optional(EndUserTermsConsent),
  agreementConsents: Type.Optional(Type.Array(AgreementConsentRequest, { maxItems: 50 })),
};

export const EndUserTerms = Type.Object(
  { version: Type.String(), url: Type.String({ format: 'uri' }) },
  { title: 'EndUserTerms', deprecated: true },
);

export const AgreementDocumentListResponse = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        { type: AgreementTypeSchema, version: Type.String(), url: Type.String({ format: 'uri' }) },
        { title: 'AgreementDocument' },
      ),
    ),
  },
  { title: 'AgreementDocumentListResponse' },
);

// ---- persons

const PurposeOfAccount = Enum(
  [
    'CONTRACTOR_PAYOUTS',
    'CREATOR_PAYOUTS',
    'EMPLOYEE_PAYOUTS',
    'MARKETPLACE_SELLER_PAYOUTS',
    'SUPPLIER_PAYMENTS',
    'CROSS_BORDER_B2B',
    'AR_AUTOMATION',
    'AP_AUTOMATION',
    'EMBEDDED_PAYMENTS',
    'PLATFORM_FEE_COLLECTION',
    'P2P_TRANSFERS',
    'CHARITABLE_DONATIONS',
    'OTHER',
  ],
  { title: 'PurposeOfAccount' },
);
const ExpectedMonthlyTransactionCount = Enum(
  ['COUNT_UNDER_10', 'COUNT_10_TO_100', 'COUNT_100_TO_500', 'COUNT_500_TO_1000', 'COUNT_OVER_1000'],
  { title: 'ExpectedMonthlyTransactionCount' },
);
const ExpectedMonthlyTransactionVolume = Enum(
  ['VOLUME_UNDER_10K', 'VOLUME_10K_TO_100K', 'VOLUME_100K_TO_1M', 'VOLUME_1M_TO_10M', 'VOLUME_OVER_10M'],
  { title: 'ExpectedMonthlyTransactionVolume' },
);

const dueDiligence = {
  sourceOfFundsCategories: listOf(
    Enum(
      [
        'SALARY',
        'SELF_EMPLOYMENT_INCOME',
        'INVESTMENT_INCOME',
        'PENSION',
        'RENTAL_INCOME',
        'GIFT',
        'INHERITANCE',
        'LOAN',
        'SAVINGS',
        'SALE_OF_ASSETS',
        'OTHER',
      ],
      { title: 'IndividualSourceOfFundsCategory' },
    ),
    1,
  ),
  sourceOfFundsOtherDescription: text(500),
  sourceOfWealthCategories: listOf(
    Enum(['SALARY', 'BUSINESS_INCOME', 'INVESTMENTS', 'INHERITANCE', 'PROPERTY_SALE', 'GIFT', 'RETIREMENT', 'SAVINGS', 'OTHER'], {
      title: 'SourceOfWealthCategory',
    }),
    1,
  ),
  sourceOfWealthOtherDescription: text(500),
  purposeOfAccount: Type.Optional(PurposeOfAccount),
  purposeOfAccountOtherDescription: text(500),
  expectedMonthlyTransactionCount: Type.Optional(ExpectedMonthlyTransactionCount),
  expectedMonthlyTransactionVolume: Type.Optional(ExpectedMonthlyTransactionVolume),
  annualIncomeRange: Type.Optional(
    Enum(['UNDER_50K', 'RANGE_50K_100K', 'RANGE_100K_250K', 'RANGE_250K_1M', 'OVER_1M'], { title: 'AnnualIncomeRange' }),
  ),
  netWorthRange: Type.Optional(
    Enum(['UNDER_100K', 'RANGE_100K_500K', 'RANGE_500K_1M', 'RANGE_1M_5M', 'RANGE_5M_25M', 'OVER_25M'], { title: 'NetWorthRange' }),
  ),
  pepStatus: Type.Optional(Enum(['NONE', 'DOMESTIC', 'FOREIGN', 'HIO', 'FAMILY_OR_ASSOCIATE'], { title: 'PepStatus' })),
};

const individual = {
  customerType: Enum(['INDIVIDUAL']),
  kycStatus: Type.Optional(KycStatus),
  fullName: text(250),
  birthDate: date(),
  nationality: text(),
  address: Type.Optional(Address),
  idType: Type.Optional(IdentificationType),
  countryOfIssuance: text(),
  ...dueDiligence,
};

const profileOf = ({ customerType: _type, kycStatus: _status, ...profile }: typeof individual) => profile;
const individualRequest = { ...individual, identifier: Type.Optional(Type.String({ maxLength: 100, writeOnly: true })) };

// ---- businesses

const businessAnswers = {
  doingBusinessAs: text(250),
  registrationNumber: text(100),
  incorporatedOn: date(),
  entityType: Type.Optional(
    Enum(
      [
        'SOLE_PROPRIETORSHIP',
        'PARTNERSHIP',
        'LLC',
        'CORPORATION',
        'S_CORPORATION',
        'NON_PROFIT',
        'PUBLICLY_LISTED_COMPANY',
        'TRUST',
        'PRIVATE_FOUNDATION',
        'CHARITY',
        'OTHER',
      ],
      { title: 'EntityType' },
    ),
  ),
  taxId: text(100),
  countriesOfOperation: codes(),
  businessType: Type.Optional(
    Enum(
      [
        'AGRICULTURE_FORESTRY_FISHING_AND_HUNTING',
        'MINING_QUARRYING_AND_OIL_AND_GAS_EXTRACTION',
        'UTILITIES',
        'CONSTRUCTION',
        'MANUFACTURING',
        'WHOLESALE_TRADE',
        'RETAIL_TRADE',
        'TRANSPORTATION_AND_WAREHOUSING',
        'INFORMATION',
        'FINANCE_AND_INSURANCE',
        'REAL_ESTATE_AND_RENTAL_AND_LEASING',
        'PROFESSIONAL_SCIENTIFIC_AND_TECHNICAL_SERVICES',
        'MANAGEMENT_OF_COMPANIES_AND_ENTERPRISES',
        'ADMINISTRATIVE_AND_SUPPORT_AND_WASTE_MANAGEMENT_AND_REMEDIATION_SERVICES',
        'EDUCATIONAL_SERVICES',
        'HEALTH_CARE_AND_SOCIAL_ASSISTANCE',
        'ARTS_ENTERTAINMENT_AND_RECREATION',
        'ACCOMMODATION_AND_FOOD_SERVICES',
        'OTHER_SERVICES',
        'PUBLIC_ADMINISTRATION',
      ],
      { title: 'BusinessType' },
    ),
  ),
  purposeOfAccount: Type.Optional(PurposeOfAccount),
  purposeOfAccountOtherDescription: nonEmptyText(500),
  sourceOfFunds: text(500),
  sourceOfFundsCategories: listOf(
    Enum(['OPERATING_REVENUE', 'INVESTMENT_INCOME', 'LOANS', 'VENTURE_CAPITAL', 'PERSONAL_SAVINGS', 'DONATIONS', 'OTHER'], {
      title: 'SourceOfFundsCategory',
    }),
  ),
  sourceOfFundsOtherDescription: nonEmptyText(500),
  expectedMonthlyTransactionCount: Type.Optional(ExpectedMonthlyTransactionCount),
  expectedMonthlyTransactionVolume: Type.Optional(ExpectedMonthlyTransactionVolume),
  expectedRecipientJurisdictions: codes(),
  expectedCounterpartyCountries: codes(),
  naicsCode: Type.Optional(Type.String({ pattern: '^\\d{2,6}$' })),
  primaryContactFirstName: text(250),
  primaryContactLastName: text(250),
};
const legalName = Type.String({ minLength: 1, maxLength: 250 });
const country = Type.String({ maxLength: 255 });

const BusinessInfo = Closed({ legalName, country, ...businessAnswers }, { title: 'BusinessInfo' });
const BusinessInfoUpdate = Closed(
  { legalName: Type.Optional(legalName), country: Type.Optional(country), ...businessAnswers },
  { title: 'BusinessInfoUpdate' },
);
const BusinessInfoResponse = Type.Object(
  { legalName, country: Type.Optional(country), ...businessAnswers },
  { title: 'BusinessInfoResponse' },
);

const business = {
  customerType: Enum(['BUSINESS']),
  kybStatus: Type.Optional(Enum(VERIFICATION_STATUSES, { title: 'KybStatus' })),
  address: Type.Optional(Address),
};

/** What is stored of a customer beside the common fields. */
export const StoredProfiles = {
  INDIVIDUAL: Type.Object(profileOf(individual)),
  BUSINESS: Type.Object({ address: Type.Optional(Address), businessInfo: BusinessInfoResponse }),
} as const;

// ---- requests

const contact = {
  email: Type.Optional(Type.String({ format: 'email', maxLength: 255 })),
  phoneNumber: Type.Optional(Type.String({ pattern: '^\\+[1-9]\\d{1,14}$' })),
};
const ContactVerificationStatus = Enum(['PENDING', 'VERIFIED'], { title: 'ContactVerificationStatus' });

/** Present in regulated regions only. */
const ContactVerification = Type.Object(
  { email: Type.Optional(ContactVerificationStatus), phone: Type.Optional(ContactVerificationStatus) },
  { title: 'ContactVerification' },
);
const changeable = { currencies: codes(), ...contact, umaAddress: text(), ...consents };
const onCreation = { platformCustomerId: nonEmptyText(255), region: text(), ...changeable };

const IndividualCustomerCreateRequest = Closed({ ...onCreation, ...individualRequest }, { title: 'IndividualCustomerCreateRequest' });
const BusinessCustomerCreateRequest = Closed(
  { ...onCreation, ...business, businessInfo: BusinessInfo },
  { title: 'BusinessCustomerCreateRequest' },
);
export type CustomerCreateRequest = Static<typeof IndividualCustomerCreateRequest> | Static<typeof BusinessCustomerCreateRequest>;
export const CustomerCreateRequestOneOf = OneOf<CustomerCreateRequest>(
  'customerType',
  [IndividualCustomerCreateRequest, BusinessCustomerCreateRequest],
  { title: 'CustomerCreateRequestOneOf' },
);

const IndividualCustomerUpdateRequest = Closed({ ...changeable, ...individualRequest }, { title: 'IndividualCustomerUpdateRequest' });
const BusinessCustomerUpdateRequest = Closed(
  { ...changeable, ...business, businessInfo: Type.Optional(BusinessInfoUpdate) },
  { title: 'BusinessCustomerUpdateRequest' },
);
export type CustomerUpdateRequest = Static<typeof IndividualCustomerUpdateRequest> | Static<typeof BusinessCustomerUpdateRequest>;
export const CustomerUpdateRequestOneOf = OneOf<CustomerUpdateRequest>(
  'customerType',
  [IndividualCustomerUpdateRequest, BusinessCustomerUpdateRequest],
  { title: 'CustomerUpdateRequestOneOf' },
);

export const CustomerTypeSchema = Enum(CUSTOMER_TYPES, { title: 'CustomerType' });

export function parseCustomerCreate(request: CustomerCreateRequest): CustomerDraft {
  const { platformCustomerId, region, ...patch } = request;
  if (patch.customerType === 'INDIVIDUAL') return { platformCustomerId, region, ...parseIndividual(patch) };
  const business = parseBusiness(patch);
  return { platformCustomerId, region, ...business, profile: { ...business.profile, businessInfo: patch.businessInfo } };
}

/** Only members that were sent are members of the patch: an absent field stays absent. */
export const parseCustomerPatch = (request: CustomerUpdateRequest): CustomerPatch =>
  request.customerType === 'INDIVIDUAL' ? parseIndividual(request) : parseBusiness(request);

function parseIndividual(request: Static<typeof IndividualCustomerUpdateRequest>): IndividualPatch {
  const { currencies, email, phoneNumber, umaAddress, endUserTermsConsent, agreementConsents, ...own } = request;
  const { customerType, kycStatus, identifier, ...profile } = own;
  const common = { currencies, email, phoneNumber, umaAddress, endUserTermsConsent, agreementConsents };
  return { ...common, customerType, claimedStatus: kycStatus, identifier, profile };
}

function parseBusiness(request: Static<typeof BusinessCustomerUpdateRequest>): BusinessPatch {
  const { currencies, email, phoneNumber, umaAddress, endUserTermsConsent, agreementConsents, ...own } = request;
  const { customerType, kybStatus, ...profile } = own;
  const common = { currencies, email, phoneNumber, umaAddress, endUserTermsConsent, agreementConsents };
  return { ...common, customerType, claimedStatus: kybStatus, profile };
}

// ---- answers

const shown = {
  id: ReadOnly(Type.String()),
  platformCustomerId: Type.String(),
  umaAddress: Type.String(),
  region: text(),
  currencies: codes(),
  ...contact,
  ...consents,
  contactVerification: Type.Optional(ReadOnly(ContactVerification)),
  createdAt: Type.Optional(ReadOnly(Timestamp())),
  updatedAt: Type.Optional(ReadOnly(Timestamp())),
  isDeleted: Type.Optional(ReadOnly(Type.Boolean())),
};

export const CustomerOneOf = OneOf<unknown>(
  'customerType',
  [
    Type.Object({ ...shown, ...individual }, { title: 'IndividualCustomer' }),
    Type.Object(
      {
        ...shown,
        ...business,
        businessInfo: Type.Optional(BusinessInfoResponse),
        beneficialOwners: Type.Optional(ReadOnly(Type.Array(BeneficialOwnerSchema))),
      },
      { title: 'BusinessCustomer' },
    ),
  ],
  { title: 'CustomerOneOf' },
);

export const CustomerListResponse = pageOfSchema(CustomerOneOf, 'CustomerListResponse');

/** The consent in force for each type: the one given last. */
function currentConsents(customer: Customer): AgreementConsent[] {
  return [...new Map(customer.consents.map((consent) => [consent.type, consent])).values()];
}

function renderConsents(customer: Customer) {
  const current = currentConsents(customer);
  if (current.length === 0) return {};
  const terms = current.find(({ type }) => type === 'SERVICE_END_USER_TERMS');
  if (!terms) return { agreementConsents: current };
  const { type: _implied, ...endUserTermsConsent } = terms;
  return { endUserTermsConsent, agreementConsents: current };
}

function renderContactVerification(customer: Customer) {
  if (!isInRegulatedRegion(customer)) return {};
  const statusOf = (verifiedAt: Date | null) => (verifiedAt === null ? 'PENDING' : 'VERIFIED');
  return { contactVerification: { email: statusOf(customer.emailVerifiedAt), phone: statusOf(customer.phoneVerifiedAt) } };
}

export function renderCustomer(customer: Customer) {
  const { region, email, phoneNumber, verificationStatus } = customer;
  return {
    id: customer.id,
    platformCustomerId: customer.platformCustomerId,
    customerType: customer.customerType,
    umaAddress: customer.umaAddress,
    ...(region === null ? {} : { region }),
    currencies: customer.currencies,
    ...(email === null ? {} : { email }),
    ...(phoneNumber === null ? {} : { phoneNumber }),
    ...(customer.customerType === 'INDIVIDUAL' ? { kycStatus: verificationStatus } : { kybStatus: verificationStatus }),
    ...customer.profile,
    ...(customer.customerType === 'BUSINESS' &&
      customer.beneficialOwners.length > 0 && { beneficialOwners: customer.beneficialOwners.map(renderBeneficialOwner) }),
    ...renderConsents(customer),
    ...renderContactVerification(customer),
    createdAt: customer.createdAt.toISOString(),
    updatedAt: customer.updatedAt.toISOString(),
    isDeleted: customer.deletedAt !== null,
  };
}
