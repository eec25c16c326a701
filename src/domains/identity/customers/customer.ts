// A customer of a platform: a person or a business, its data and its verification status.
import type { CustomerId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

export const CUSTOMER_TYPES = ['INDIVIDUAL', 'BUSINESS'] as const;
export type CustomerType = (typeof CUSTOMER_TYPES)[number];

/** `kycStatus` of a person, `kybStatus` of a business. */
export const VERIFICATION_STATUSES = ['UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED', 'HOLD'] as const;
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

export const AGREEMENT_TYPES = [
  'SERVICE_END_USER_TERMS',
  'SERVICE_E_SIGN_CONSENT',
  'SERVICE_PRIVACY_POLICY',
  'BANK_E_SIGN_CONSENT',
  'BANK_ACCOUNTHOLDER_CONSUMER_AGREEMENT',
  'BANK_ACCOUNTHOLDER_COMMERCIAL_AGREEMENT',
  'BANK_PRIVACY_POLICY',
  'BANK_CARDHOLDER_CONSUMER_AGREEMENT',
  'BANK_CARDHOLDER_COMMERCIAL_AGREEMENT',
] as const;
export type AgreementType = (typeof AGREEMENT_TYPES)[number];

/** The customer's acceptance of one version of an agreement, stored as the platform reported it. */
export type AgreementConsent = {
  readonly type: AgreementType;
  readonly acceptedAt: string;
  readonly ipAddress: string;
  readonly termsVersion: string;
  readonly acceptanceMethod: 'CHECKBOX' | 'CLICK_TO_ACCEPT';
};

export type Address = {
  readonly line1: string;
  readonly line2?: string;
  readonly city?: string;
  readonly state?: string;
  readonly postalCode: string;
  readonly country: string;
};

/** What the platform reported of a person beside the common fields, including the answers of enhanced due diligence. */
export type IndividualProfile = {
  readonly fullName?: string;
  readonly birthDate?: string;
  readonly nationality?: string;
  readonly address?: Address;
  readonly idType?: string;
  readonly countryOfIssuance?: string;
  readonly [answer: string]: unknown;
};

export type BusinessInfo = {
  readonly legalName: string;
  readonly country?: string;
  readonly registrationNumber?: string;
  readonly primaryContactFirstName?: string;
  readonly primaryContactLastName?: string;
  readonly [answer: string]: unknown;
};

export type BusinessProfile = { readonly address?: Address; readonly businessInfo: BusinessInfo };

type Common = {
  readonly id: CustomerId;
  readonly platformCustomerId: string;
  readonly umaAddress: string;
  readonly verificationStatus: VerificationStatus;
  readonly region: string | null;
  readonly currencies: readonly CurrencyCode[];
  readonly email: string | null;
  readonly phoneNumber: string | null;
  /** When the end user confirmed the current address; null again once it changes. Asked for in regulated regions only. */
  readonly emailVerifiedAt: Date | null;
  readonly phoneVerifiedAt: Date | null;
  readonly consents: readonly AgreementConsent[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
};

export type IndividualCustomer = Common & { readonly customerType: 'INDIVIDUAL'; readonly profile: IndividualProfile };
export type BusinessCustomer = Common & { readonly customerType: 'BUSINESS'; readonly profile: BusinessProfile };
export type Customer = IndividualCustomer | BusinessCustomer;

/** An agreement a customer may be asked to accept, in its current version. */
export type Agreement = { readonly type: AgreementType; readonly version: string; readonly url: string };

type PatchFields = {
  readonly currencies: readonly CurrencyCode[] | undefined;
  readonly email: string | undefined;
  readonly phoneNumber: string | undefined;
  readonly umaAddress: string | undefined;
  readonly endUserTermsConsent: Omit<AgreementConsent, 'type'> | undefined;
  readonly agreementConsents: readonly AgreementConsent[] | undefined;
  /** A status that the caller sent. Verification decides the status, so it can only be confirmed. */
  readonly claimedStatus: VerificationStatus | undefined;
};

export type IndividualPatch = PatchFields & {
  readonly customerType: 'INDIVIDUAL';
  readonly profile: IndividualProfile;
  readonly identifier: string | undefined;
};
export type BusinessPatch = PatchFields & {
  readonly customerType: 'BUSINESS';
  readonly profile: { readonly address?: Address; readonly businessInfo?: Partial<BusinessInfo> };
};

/** What a platform may change of a customer. An absent member leaves the current value. */
export type CustomerPatch = IndividualPatch | BusinessPatch;

/** What a platform sends to create a customer. The profile of a business is complete. */
export type CustomerDraft = (IndividualPatch | (BusinessPatch & { readonly profile: BusinessProfile })) & {
  readonly platformCustomerId: string | undefined;
  readonly region: string | undefined;
};
