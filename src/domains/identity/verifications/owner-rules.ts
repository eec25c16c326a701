// What a beneficial owner may be and become. Every bad field is named in one answer.
import { isCountry } from '../../../kernel/countries.js';
import { ApiError, type FieldError, invalid, invalidField } from '../../../kernel/errors.js';
import { utcDay } from '../../../kernel/time.js';
import type { BeneficialOwner, BeneficialOwnerId, BusinessCustomer, Customer, OwnerDraft, OwnerPatch } from '../customers/customer.js';
import { isUnderReview } from './rules.js';
import type { Verification } from './verification.js';

/** A bound on the size of a customer, which shows its owners. */
const MAX_OWNERS = 100;
const SHOWN_CHARACTERS = 4;

/** Masks letters and digits but the last ones; at least half of a short identifier is masked. */
export function maskIdentifier(identifier: string): string {
  const characters = identifier.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const masked = characters - Math.min(SHOWN_CHARACTERS, Math.floor(characters / 2));
  let seen = 0;
  return identifier.replace(/[\p{L}\p{N}]/gu, (character) => {
    seen += 1;
    return seen <= masked ? '*' : character;
  });
}

export function requireBusiness(customer: Customer): BusinessCustomer {
  if (customer.customerType !== 'BUSINESS') throw invalidField('customerId', 'must be a business');
  return customer;
}

const countryProblem = (field: string, value: string | undefined): FieldError[] =>
  value === undefined || isCountry(value)
    ? []
    : [{ field, constraint: { format: 'iso-3166-1-alpha-2' }, message: 'must be an ISO 3166-1 alpha-2 code' }];

function refuseBadFields(patch: OwnerPatch, others: readonly BeneficialOwner[], now: Date): void {
  const { roles = [], ownershipPercentage = 0, personalInfo: info = {} } = patch;
  const problems: FieldError[] = roles.flatMap((role, i) =>
    roles.indexOf(role) < i ? [{ field: `roles.${i}`, message: 'is listed twice' }] : [],
  );
  const taken = others.reduce((sum, owner) => sum + owner.ownershipPercentage, 0);
  if (ownershipPercentage > 0 && taken + ownershipPercentage > 100)
    problems.push({
      field: 'ownershipPercentage',
      constraint: { maximum: 100 - taken },
      message: `the owners of a business own at most 100 % together; the others own ${taken} %`,
    });
  if (info.birthDate !== undefined && info.birthDate > utcDay(now))
    problems.push({ field: 'personalInfo.birthDate', message: 'must not be in the future' });
  problems.push(
    ...countryProblem('personalInfo.nationality', info.nationality),
    ...countryProblem('personalInfo.address.country', info.address?.country),
    ...countryProblem('personalInfo.countryOfIssuance', info.countryOfIssuance),
  );
  if (problems.length > 0) throw invalid(...problems);
}

export type NewOwnerFacts = {
  readonly id: BeneficialOwnerId;
  readonly business: BusinessCustomer;
  readonly draft: OwnerDraft;
  readonly isRegulated: boolean;
  readonly open: Verification | undefined;
  readonly now: Date;
};

export function newOwner({ id, business, draft, isRegulated, open, now }: NewOwnerFacts): BeneficialOwner {
  const others = business.beneficialOwners;
  refuseBadFields(draft, others, now);
  if (others.length >= MAX_OWNERS) throw invalidField('customerId', `has ${MAX_OWNERS} beneficial owners, which is the maximum`);
  const { identifier, ...personalInfo } = draft.personalInfo;
  return {
    id,
    customerId: business.id,
    roles: draft.roles,
    ownershipPercentage: draft.ownershipPercentage,
    personalInfo,
    maskedIdentifier: maskIdentifier(identifier),
    // A regulated platform has verified its customers itself. An owner who joins a business under review is reviewed with it.
    kycStatus: isRegulated ? 'APPROVED' : open && isUnderReview(open) ? 'PENDING' : 'UNVERIFIED',
    createdAt: now,
    updatedAt: now,
  };
}

export type OwnerChange = { readonly owner: BeneficialOwner /** Undefined: it stays. */; readonly identifier: string | undefined };

export function changeOwner(owner: BeneficialOwner, business: BusinessCustomer, patch: OwnerPatch, now: Date): OwnerChange {
  refuseBadFields(
    patch,
    business.beneficialOwners.filter(({ id }) => id !== owner.id),
    now,
  );
  const { identifier: given, ...personalInfo } = patch.personalInfo ?? {};
  // An answer that is sent back unchanged holds the masked text.
  const identifier = given === owner.maskedIdentifier ? undefined : given;
  return {
    owner: {
      ...owner,
      roles: patch.roles ?? owner.roles,
      ownershipPercentage: patch.ownershipPercentage ?? owner.ownershipPercentage,
      personalInfo: { ...owner.personalInfo, ...personalInfo },
      maskedIdentifier: identifier === undefined ? owner.maskedIdentifier : maskIdentifier(identifier),
      updatedAt: now,
    },
    identifier,
  };
}

/** The provider looks at the owners it was told of. */
export function refuseDeletion(open: Verification | undefined): void {
  if (open && isUnderReview(open))
    throw new ApiError(
      'CONFLICT',
      { cause: 'UNDER_REVIEW' },
      { reason: 'The business is under review; its owners cannot be deleted now.' },
    );
}
