// Wire schemas of beneficial owners, which a business shows and the operations on owners take.
import Type, { type Static } from 'typebox';
import { Address, Closed, Enum, pageOfSchema, ReadOnly, Timestamp } from '../../../http/schemas.js';
import {
  type BeneficialOwner,
  IDENTIFICATION_TYPES,
  OWNER_ROLES,
  type OwnerDraft,
  type OwnerPatch,
  VERIFICATION_STATUSES,
} from './customer.js';

export const IdentificationType = Enum(IDENTIFICATION_TYPES, { title: 'IdentificationType' });
export const KycStatus = Enum(VERIFICATION_STATUSES, { title: 'KycStatus' });
const Role = Enum(OWNER_ROLES, { title: 'BeneficialOwnerRole' });

const name = () => Type.String({ minLength: 1, maxLength: 250 });
const countryCode = () => Type.String({ maxLength: 255, description: 'ISO 3166-1 alpha-2.' });
const optional = {
  middleName: Type.Optional(Type.String({ maxLength: 250 })),
  email: Type.Optional(Type.String({ format: 'email', maxLength: 255 })),
  phoneNumber: Type.Optional(Type.String({ pattern: '^\\+[1-9]\\d{1,14}$' })),
  countryOfIssuance: Type.Optional(countryCode()),
};
const required = {
  firstName: name(),
  lastName: name(),
  birthDate: Type.String({ format: 'date' }),
  nationality: countryCode(),
  address: Address,
  idType: IdentificationType,
  identifier: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Stored encrypted. Answers show the last characters and mask the others.',
  }),
};

const PersonalInfo = Closed({ ...required, ...optional }, { title: 'BeneficialOwnerPersonalInfo' });
const { identifier: _sealed, ...shownOfPerson } = required;
/** The identifier is stored sealed, in another column. */
export const StoredPersonalInfo = Type.Object({ ...shownOfPerson, ...optional });
const PersonalInfoUpdate = Closed(
  {
    firstName: Type.Optional(name()),
    lastName: Type.Optional(name()),
    birthDate: Type.Optional(required.birthDate),
    nationality: Type.Optional(countryCode()),
    address: Type.Optional(Address),
    idType: Type.Optional(IdentificationType),
    identifier: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'The masked text of an answer leaves the identifier unchanged.' }),
    ),
    ...optional,
  },
  { title: 'BeneficialOwnerPersonalInfoUpdate' },
);

const roles = () => Type.Array(Role, { minItems: 1, maxItems: OWNER_ROLES.length });
const ownershipPercentage = () => Type.Integer({ minimum: 0, maximum: 100 });

export const BeneficialOwnerCreateRequest = Closed(
  {
    customerId: Type.String({ description: 'A business.' }),
    roles: roles(),
    ownershipPercentage: ownershipPercentage(),
    personalInfo: PersonalInfo,
  },
  { title: 'BeneficialOwnerCreateRequest' },
);

export const BeneficialOwnerUpdateRequest = Closed(
  {
    roles: Type.Optional(roles()),
    ownershipPercentage: Type.Optional(ownershipPercentage()),
    personalInfo: Type.Optional(PersonalInfoUpdate),
  },
  { title: 'BeneficialOwnerUpdateRequest' },
);

export const BeneficialOwnerSchema = Type.Object(
  {
    id: ReadOnly(Type.String()),
    customerId: Type.String(),
    roles: Type.Array(Role),
    ownershipPercentage: ownershipPercentage(),
    personalInfo: PersonalInfo,
    kycStatus: ReadOnly(KycStatus),
    createdAt: ReadOnly(Timestamp()),
    updatedAt: Type.Optional(ReadOnly(Timestamp())),
  },
  { title: 'BeneficialOwner' },
);

export const BeneficialOwnerListResponse = pageOfSchema(BeneficialOwnerSchema, 'BeneficialOwnerListResponse');

export const renderBeneficialOwner = (owner: BeneficialOwner) => ({
  id: owner.id,
  customerId: owner.customerId,
  roles: owner.roles,
  ownershipPercentage: owner.ownershipPercentage,
  personalInfo: { ...owner.personalInfo, identifier: owner.maskedIdentifier },
  kycStatus: owner.kycStatus,
  createdAt: owner.createdAt.toISOString(),
  updatedAt: owner.updatedAt.toISOString(),
});

/** Only members that were sent are members of the patch: an absent field stays absent. */
export const parseOwnerPatch = (request: Static<typeof BeneficialOwnerUpdateRequest>): OwnerPatch => request;

export const parseOwnerDraft = ({ customerId: _named, ...draft }: Static<typeof BeneficialOwnerCreateRequest>): OwnerDraft => draft;
