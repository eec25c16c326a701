// What a customer may be and become. Every bad field is named in one answer.
import { isIP } from 'node:net';
import { ApiError, type FieldError, invalid } from '../../../kernel/errors.js';
import { type CustomerId, uuidOf } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { domainOfUma } from '../../../kernel/uma-address.js';
import {
  AGREEMENT_TYPES,
  type Agreement,
  type AgreementConsent,
  type AgreementType,
  type Customer,
  type CustomerDraft,
  type CustomerPatch,
  type VerificationStatus,
} from './customer.js';
import { isInRegulatedRegion } from './regions.js';

// ---- agreements

/** Newest first. Consent to an older version in this list is accepted; any other version is unknown. */
const SUPPORTED_VERSIONS = ['2025-10-01', '2025-04-01'] as const;

export const currentAgreement = (type: AgreementType): Agreement => ({
  type,
  version: SUPPORTED_VERSIONS[0],
  url: `https://agreements.switchyard.example/${type.toLowerCase().replaceAll('_', '-')}/${SUPPORTED_VERSIONS[0]}`,
});

const isSupported = (version: string): boolean => SUPPORTED_VERSIONS.some((supported) => supported === version);

/** Whether the customer has accepted the end-user terms in a version that is still supported. */
export const hasAcceptedTerms = ({ consents }: Pick<Customer, 'consents'>): boolean =>
  consents.some(({ type, termsVersion }) => type === 'SERVICE_END_USER_TERMS' && isSupported(termsVersion));

export const AGREEMENTS: readonly Agreement[] = AGREEMENT_TYPES.map(currentAgreement);

/** The consents of a request; the deprecated form is converted to the general one. */
function consentsOf({ endUserTermsConsent, agreementConsents }: CustomerPatch): readonly AgreementConsent[] {
  return endUserTermsConsent ? [{ type: 'SERVICE_END_USER_TERMS', ...endUserTermsConsent }] : (agreementConsents ?? []);
}

function consentProblems(patch: CustomerPatch): FieldError[] {
  if (patch.endUserTermsConsent && patch.agreementConsents)
    return [{ field: 'endUserTermsConsent', message: 'cannot be combined with agreementConsents' }];
  const seen = new Set<AgreementType>();
  return consentsOf(patch).flatMap((consent, i) => {
    const at = patch.endUserTermsConsent ? 'endUserTermsConsent' : `agreementConsents.${i}`;
    const problems: FieldError[] = [];
    if (isIP(consent.ipAddress) === 0)
      problems.push({ field: `${at}.ipAddress`, constraint: { format: 'ip' }, message: 'must be an IPv4 or IPv6 address' });
    if (seen.has(consent.type)) problems.push({ field: `${at}.type`, message: 'is listed twice' });
    seen.add(consent.type);
    return problems;
  });
}

/** Consents are only added. The first acceptance of a version is kept. */
function addConsents(given: readonly AgreementConsent[], added: readonly AgreementConsent[]): readonly AgreementConsent[] {
  const isNew = (consent: AgreementConsent) =>
    !given.some(({ type, termsVersion }) => type === consent.type && termsVersion === consent.termsVersion);
  return [...given, ...added.filter(isNew)];
}

// ---- the other fields

/** Whether the text is a UMA address, whoever it belongs to. */
export const isUmaAddress = (text: string): boolean => domainOfUma(text) !== undefined;

const NO_UMA_ADDRESS: FieldError = { field: 'umaAddress', message: 'must have the form $name@domain' };

const currencyProblems = (currencies: readonly CurrencyCode[], supported: readonly CurrencyCode[]): FieldError[] =>
  currencies.flatMap((currency, i) => {
    const field = `currencies.${i}`;
    if (!supported.includes(currency)) return [{ field, constraint: { enum: supported }, message: 'is not a currency of the platform' }];
    return currencies.indexOf(currency) < i ? [{ field, message: 'is listed twice' }] : [];
  });

/** In a regulated region verification begins with the contacts, so a customer needs both. */
function missingContacts(draft: CustomerDraft): FieldError[] {
  if (!isInRegulatedRegion({ region: draft.region ?? null })) return [];
  const required: Record<string, unknown> = { email: draft.email, phoneNumber: draft.phoneNumber };
  if (draft.customerType === 'BUSINESS') {
    required['businessInfo.primaryContactFirstName'] = draft.profile.businessInfo.primaryContactFirstName;
    required['businessInfo.primaryContactLastName'] = draft.profile.businessInfo.primaryContactLastName;
  }
  return Object.entries(required).flatMap(([field, value]) => (value ? [] : [{ field, message: 'is required in this region' }]));
}

function refuseBadFields(
  patch: CustomerPatch,
  status: VerificationStatus,
  supported: readonly CurrencyCode[],
  missing: readonly FieldError[] = [],
): void {
  const problems = [...missing, ...currencyProblems(patch.currencies ?? [], supported), ...consentProblems(patch)];
  // Verification decides the status. A caller may send back the current status, but not another one.
  if (patch.claimedStatus !== undefined && patch.claimedStatus !== status) {
    const field = patch.customerType === 'INDIVIDUAL' ? 'kycStatus' : 'kybStatus';
    problems.push({ field, message: 'is decided by verification and cannot be set' });
  }
  const badUma = patch.umaAddress !== undefined && !isUmaAddress(patch.umaAddress) ? [NO_UMA_ADDRESS] : [];
  if (problems.length > 0) throw invalid(...problems, ...badUma);
  // A bad UMA address alone has its own error code.
  if (badUma.length > 0) throw new ApiError('INVALID_UMA_ADDRESS', { errors: badUma });
  const unknown = consentsOf(patch).find(({ termsVersion }) => !isSupported(termsVersion));
  if (unknown) throw new ApiError('END_USER_TERMS_VERSION_NOT_FOUND', { type: unknown.type, supportedVersions: SUPPORTED_VERSIONS });
}

// ---- a new customer

export type NewCustomerFacts = {
  readonly id: CustomerId;
  readonly draft: CustomerDraft;
  readonly umaDomain: string;
  readonly supportedCurrencies: readonly CurrencyCode[];
  readonly isRegulated: boolean;
  /** What the KYC provider returned at once. */
  readonly screened: VerificationStatus;
  readonly now: Date;
};

export function newCustomer(facts: NewCustomerFacts): Customer {
  const { id, draft, now } = facts;
  // A regulated platform has verified its customers itself.
  const verificationStatus = facts.isRegulated ? 'APPROVED' : facts.screened;
  refuseBadFields(draft, verificationStatus, facts.supportedCurrencies, missingContacts(draft));
  const bare = uuidOf(id);
  return {
    id,
    platformCustomerId: draft.platformCustomerId ?? bare,
    umaAddress: draft.umaAddress ?? `$c${bare.replaceAll('-', '')}@${facts.umaDomain}`,
    verificationStatus,
    region: draft.region ?? null,
    currencies: draft.currencies ?? facts.supportedCurrencies,
    email: draft.email ?? null,
    phoneNumber: draft.phoneNumber ?? null,
    emailVerifiedAt: null,
    phoneVerifiedAt: null,
    consents: addConsents([], consentsOf(draft)),
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    ...(draft.customerType === 'INDIVIDUAL'
      ? { customerType: draft.customerType, profile: draft.profile }
      : { customerType: draft.customerType, profile: draft.profile, beneficialOwners: [] }),
  };
}

// ---- a changed customer

export type ChangeFacts = {
  readonly customer: Customer;
  readonly patch: CustomerPatch;
  readonly supportedCurrencies: readonly CurrencyCode[];
  readonly now: Date;
};

export function changeCustomer({ customer, patch, supportedCurrencies, now }: ChangeFacts): Customer {
  const changed = changeProfile(customer, patch);
  refuseBadFields(patch, customer.verificationStatus, supportedCurrencies);
  return {
    ...changed,
    umaAddress: patch.umaAddress ?? customer.umaAddress,
    currencies: patch.currencies ?? customer.currencies,
    email: patch.email ?? customer.email,
    phoneNumber: patch.phoneNumber ?? customer.phoneNumber,
    emailVerifiedAt: isOther(patch.email, customer.email) ? null : customer.emailVerifiedAt,
    phoneVerifiedAt: isOther(patch.phoneNumber, customer.phoneNumber) ? null : customer.phoneVerifiedAt,
    consents: addConsents(customer.consents, consentsOf(patch)),
    updatedAt: now,
  };
}

const isOther = (given: string | undefined, current: string | null): boolean => given !== undefined && given !== current;

/** An address is replaced as a whole; the fields of `businessInfo` are merged one by one. */
function changeProfile(customer: Customer, patch: CustomerPatch): Customer {
  if (customer.customerType === 'INDIVIDUAL' && patch.customerType === 'INDIVIDUAL')
    return { ...customer, profile: { ...customer.profile, ...patch.profile } };
  if (customer.customerType === 'BUSINESS' && patch.customerType === 'BUSINESS') {
    const businessInfo = { ...customer.profile.businessInfo, ...patch.profile.businessInfo };
    return { ...customer, profile: { ...customer.profile, ...patch.profile, businessInfo } };
  }
  throw invalid({ field: 'customerType', constraint: { enum: [customer.customerType] }, message: 'cannot be changed' });
}

/** The email or phone number that a patch changes; undefined if it changes neither. */
export function contactChange(customer: Customer, changed: Customer): { email?: string; phoneNumber?: string } | undefined {
  const email = changed.email !== customer.email ? changed.email : null;
  const phoneNumber = changed.phoneNumber !== customer.phoneNumber ? changed.phoneNumber : null;
  if (email === null && phoneNumber === null) return undefined;
  return { ...(email === null ? {} : { email }), ...(phoneNumber === null ? {} : { phoneNumber }) };
}

// ---- conflicts

/** The refusal of a creation. The existing customer may be named, because it is one of the caller's own platform. */
export function conflictOf({ platformCustomerId }: Customer, existing: Customer | undefined): ApiError {
  if (existing !== undefined && existing.platformCustomerId !== platformCustomerId) return new ApiError('UMA_ADDRESS_EXISTS');
  return new ApiError(
    'CONFLICT',
    { field: 'platformCustomerId', ...(existing && { customerId: existing.id }) },
    { reason: 'An active customer of the platform already has this platformCustomerId.' },
  );
}
