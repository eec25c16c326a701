// Wire schemas of external accounts. The many accountInfo variants are built from the table in `account-types.ts`.
import Type, { type Static, type TSchema } from 'typebox';
import { type Answer, created } from '../../../http/operation.js';
import { Address, Closed, Enum, NullableString, OneOf, pageOfSchema, ReadOnly, Timestamp } from '../../../http/schemas.js';
import type { FieldError } from '../../../kernel/errors.js';
import type { CustomerId } from '../../../kernel/ids.js';
import { ACCOUNT_TYPES, type BankType, type BeneficiaryForm, type Field, paymentRailsOf } from './account-types.js';
import {
  type AccountInfo,
  type AccountType,
  BENEFICIARY_VERIFICATION_STATUSES,
  type Beneficiary,
  EXTERNAL_ACCOUNT_STATUSES,
  type ExternalAccount,
  type NewExternalAccount,
  OWNERSHIP_METHODS,
  OWNERSHIP_TYPES,
  type OwnershipChallenge,
  type OwnershipProof,
} from './external-account.js';

type Properties = Record<string, TSchema>;

const short = (maxLength: number): TSchema => Type.String({ maxLength });

// ---- Beneficiaries

const CONTACT: Properties = { email: short(320), phoneNumber: short(50), countryOfResidence: Type.String(), address: Address };
const INDIVIDUAL: Properties = { ...CONTACT, birthDate: Type.String(), nationality: Type.String() };
const BUSINESS: Properties = { ...CONTACT, registrationNumber: short(100), taxId: short(100) };
const INDIVIDUAL_EXTRAS: { readonly [extras in BeneficiaryForm['individualExtras']]: Properties } = {
  NONE: {},
  REGISTRATION_NUMBER: { registrationNumber: short(100) },
  DOCUMENT: {
    documentType: Enum(['CC', 'CE', 'TI', 'NIT', 'PP'], { maxLength: 32 }),
    documentNumber: Type.String({ minLength: 1, maxLength: 50 }),
  },
};

const KINDS = {
  INDIVIDUAL: { title: 'IndividualBeneficiary', name: 'fullName' },
  BUSINESS: { title: 'BusinessBeneficiary', name: 'legalName' },
} as const;

/** Named by what it has beyond the common form, so that types of one shape share one schema. */
function beneficiary(kind: keyof typeof KINDS, others: Properties, required: readonly string[], extras: readonly string[] = []): TSchema {
  const { title, name } = KINDS[kind];
  const special = [...new Set([...extras, ...required])].sort().map((word) => word[0]?.toUpperCase() + word.slice(1));
  const properties = { beneficiaryType: Enum([kind]), [name]: short(250), ...withRequired(others, required) };
  return Closed(properties, { title: title + (special.length > 0 ? `With${special.join('And')}` : '') });
}

function withRequired(properties: Properties, required: readonly string[]): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, required.includes(name) ? schema : Type.Optional(schema)]),
  );
}

const WalletBeneficiary = OneOf<Beneficiary>(
  'beneficiaryType',
  [
    Closed(
      { beneficiaryType: Enum(['INDIVIDUAL']), fullName: short(250), countryOfResidence: Type.String() },
      { title: 'WalletIndividualBeneficiary' },
    ),
    beneficiary('BUSINESS', BUSINESS, []),
  ],
  { title: 'WalletBeneficiaryOneOf' },
);

function beneficiaryOf({ beneficiary: form }: BankType): TSchema {
  const extras = INDIVIDUAL_EXTRAS[form.individualExtras];
  return OneOf<Beneficiary>('beneficiaryType', [
    beneficiary('INDIVIDUAL', { ...INDIVIDUAL, ...extras }, form.individual, Object.keys(extras)),
    beneficiary('BUSINESS', { ...BUSINESS, taxId: short(form.taxIdMaxLength) }, form.business),
  ]);
}

// ---- accountInfo

const fieldSchema = ({ bounds, description }: Field): TSchema =>
  Type.Unsafe<string>({ type: 'string', ...bounds, ...(description !== undefined && { description }) });

function fieldsOf(fields: Readonly<Record<string, Field>>, required: readonly string[] = []): Properties {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const schema = fieldSchema(field);
      return [name, field.isOptional && !required.includes(name) ? Type.Optional(schema) : schema];
    }),
  );
}

/** Both follow from the type of the account. Older clients send them. */
const IGNORED_AT_CREATION: Properties = {
  paymentRails: Type.Optional(ReadOnly(Type.Array(Type.String()))),
  countries: Type.Optional(ReadOnly(Type.Array(Type.String()))),
};

type Variants = { readonly create: TSchema; readonly answer: TSchema };

function variantsOf(accountTypes: readonly AccountType[]): Variants {
  const type = ACCOUNT_TYPES[accountTypes[0]!];
  const tag = { accountType: Enum(accountTypes) };
  if (type.kind === 'BANK') {
    const party = { beneficiary: beneficiaryOf(type) };
    const rails = { paymentRails: ReadOnly(Type.Array(Enum([...new Set(type.routes.flatMap(({ rails }) => rails))]))) };
    return {
      create: Closed(
        { ...tag, ...fieldsOf(type.fields, type.requiredAtCreation), ...party, ...IGNORED_AT_CREATION },
        { title: `${type.name}ExternalAccountCreateInfo` },
      ),
      answer: Closed({ ...tag, ...fieldsOf(type.fields), ...rails, ...party }, { title: `${type.name}ExternalAccountInfo` }),
    };
  }
  const party = type.kind === 'WALLET' ? { beneficiary: Type.Optional(WalletBeneficiary) } : {};
  const schema = Closed({ ...tag, ...fieldsOf(type.fields), ...party }, { title: `${type.name}ExternalAccountInfo` });
  return { create: schema, answer: schema };
}

/** `LIGHTNING_ACCOUNT` is the same variant as `LIGHTNING`. */
const VARIANTS: readonly Variants[] = (Object.keys(ACCOUNT_TYPES) as AccountType[])
  .filter((type) => type !== 'LIGHTNING_ACCOUNT')
  .map((type) => variantsOf(type === 'LIGHTNING' ? ['LIGHTNING', 'LIGHTNING_ACCOUNT'] : [type]));

export const ExternalAccountCreateInfo = OneOf<AccountInfo>(
  'accountType',
  VARIANTS.map((variant) => variant.create),
  { title: 'ExternalAccountCreateInfoOneOf' },
);
export const ExternalAccountInfo = OneOf<AccountInfo>(
  'accountType',
  VARIANTS.map((variant) => variant.answer),
  { title: 'ExternalAccountInfoOneOf' },
);

// ---- accounts

const OwnershipTypeEnum = Enum(OWNERSHIP_TYPES, { title: 'OwnershipType' });

const creation = {
  currency: Type.String(),
  platformAccountId: Type.Optional(Type.String({ maxLength: 255 })),
  ownershipType: Type.Optional(OwnershipTypeEnum),
  accountInfo: ExternalAccountCreateInfo,
};

export const PlatformExternalAccountCreateRequest = Closed(creation, { title: 'PlatformExternalAccountCreateRequest' });
export const CustomerExternalAccountCreateRequest = Closed(
  {
    ...creation,
    // In the list of required members, as in the contract. A request without it gets the default.
    customerId: NullableString({
      default: null,
      description: 'The owner. Null, or left out, creates an account of the platform itself.',
    }),
    defaultUmaDepositAccount: Type.Optional(Type.Boolean({ default: false })),
  },
  { title: 'CustomerExternalAccountCreateRequest' },
);

/** Of an agent, whose customer is the owner. */
export const ExternalAccountCreateRequest = Closed(
  {
    ...creation,
    customerId: Type.Optional(Type.String({ maxLength: 255, description: "The agent's customer, and no other. It may be left out." })),
    defaultUmaDepositAccount: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether it receives what is paid to the UMA address of the customer.' }),
    ),
  },
  { title: 'ExternalAccountCreateRequest' },
);

export const ExternalAccountSchema = Type.Object(
  {
    id: ReadOnly(Type.String()),
    customerId: Type.Optional(NullableString({ description: 'Null when the account is on behalf of the platform.' })),
    status: ReadOnly(Enum(EXTERNAL_ACCOUNT_STATUSES, { title: 'ExternalAccountStatus' })),
    platformAccountId: Type.Optional(Type.String()),
    ownershipType: Type.Optional(OwnershipTypeEnum),
    currency: Type.String(),
    defaultUmaDepositAccount: Type.Optional(Type.Boolean()),
    beneficiaryVerificationStatus: Type.Optional(
      ReadOnly(Enum(BENEFICIARY_VERIFICATION_STATUSES, { title: 'BeneficiaryVerificationStatus' })),
    ),
    beneficiaryVerifiedData: Type.Optional(
      ReadOnly(Type.Object({ fullName: Type.Optional(Type.String()) }, { title: 'BeneficiaryVerifiedData' })),
    ),
    accountInfo: ExternalAccountInfo,
  },
  { title: 'ExternalAccount' },
);

export const ExternalAccountListResponse = pageOfSchema(ExternalAccountSchema, 'ExternalAccountListResponse');

export const renderExternalAccount = (account: ExternalAccount) => {
  const { beneficiaryCheck: check, accountInfo } = account;
  const paymentRails = paymentRailsOf(accountInfo);
  return {
    id: account.id,
    customerId: account.customerId ?? null,
    status: account.status,
    ...(account.platformAccountId !== undefined && { platformAccountId: account.platformAccountId }),
    ...(account.ownershipType !== undefined && { ownershipType: account.ownershipType }),
    currency: account.currency,
    defaultUmaDepositAccount: account.defaultUmaDepositAccount,
    ...(check && { beneficiaryVerificationStatus: check.status }),
    ...(check?.verifiedName !== undefined && { beneficiaryVerifiedData: { fullName: check.verifiedName } }),
    accountInfo: paymentRails.length > 0 ? { ...accountInfo, paymentRails } : accountInfo,
  };
};

// ---- ownership

const OwnershipMethodEnum = Enum(OWNERSHIP_METHODS, { title: 'OwnershipVerificationMethod' });

export const OwnershipChallengeRequest = Closed({ method: OwnershipMethodEnum }, { title: 'OwnershipChallengeRequest' });

const WalletSignatureChallenge = Type.Object(
  { method: Enum(['WALLET_SIGNATURE']), messageToSign: Type.String(), expiresAt: Timestamp() },
  { title: 'WalletSignatureChallenge' },
);
const LivenessChallenge = Type.Object(
  {
    method: Enum(['LIVENESS']),
    verificationLink: Type.String({ format: 'uri', 'x-secret': true }),
    token: Type.Optional(Type.String()),
    expiresAt: Timestamp(),
  },
  { title: 'LivenessChallenge' },
);
export const OwnershipChallengeSchema = OneOf<OwnershipChallenge>('method', [WalletSignatureChallenge, LivenessChallenge], {
  title: 'OwnershipChallenge',
});

export const renderChallenge = (challenge: OwnershipChallenge, linkOf: (checkId: string) => string) => ({
  method: challenge.method,
  ...(challenge.method === 'LIVENESS' ? { verificationLink: linkOf(challenge.checkId) } : { messageToSign: challenge.messageToSign }),
  expiresAt: challenge.expiresAt.toISOString(),
});

/** Longer than any signature a wallet makes, contract wallets' wrappers included. */
const LONGEST_SIGNATURE = 8_192;

export const OwnershipVerifyRequest = Closed(
  {
    signature: Type.String({ minLength: 1, maxLength: LONGEST_SIGNATURE }),
    signatureScheme: Type.Optional(Enum(['bip137', 'electrum'], { default: 'bip137' })),
  },
  { title: 'OwnershipVerifyRequest' },
);

export const LivenessOutcomeRequest = Closed({ outcome: Enum(['PASS', 'FAIL']) }, { title: 'SandboxLivenessOutcomeRequest' });

const OwnershipProofSchema = Type.Object(
  {
    id: Type.String(),
    externalAccountId: Type.String(),
    method: OwnershipMethodEnum,
    chain: Type.String(),
    address: Type.String(),
    message: Type.Optional(Type.String()),
    signature: Type.Optional(Type.String()),
    signatureScheme: Type.Optional(Type.String()),
    verdict: Enum(['VALID', 'INVALID', 'EXPIRED']),
    cause: Type.Optional(Type.String({ description: 'Why the proof is invalid.' })),
    challengedAt: Timestamp(),
    expiresAt: Timestamp(),
    decidedAt: Timestamp(),
    software: Type.String({ description: 'What judged the proof.' }),
  },
  { title: 'OwnershipProof' },
);
export const OwnershipProofListResponse = pageOfSchema(OwnershipProofSchema, 'OwnershipProofListResponse');

export const renderProof = ({ accountId, scheme, ...proof }: OwnershipProof) => ({
  ...proof,
  externalAccountId: accountId,
  signatureScheme: scheme,
  challengedAt: proof.challengedAt.toISOString(),
  expiresAt: proof.expiresAt.toISOString(),
  decidedAt: proof.decidedAt.toISOString(),
});

type CreationBody = Static<typeof PlatformExternalAccountCreateRequest> & { readonly defaultUmaDepositAccount?: boolean };

export const parseNewAccount = (body: CreationBody, customerId: CustomerId | undefined): NewExternalAccount => ({
  customerId,
  currency: body.currency,
  platformAccountId: body.platformAccountId,
  ownershipType: body.ownershipType,
  defaultUmaDepositAccount: body.defaultUmaDepositAccount ?? false,
  accountInfo: body.accountInfo,
});

/** RFC 7234, section 5.5: warn-code 299 is a persistent warning of any kind. */
export function answerCreated({
  account,
  warnings,
}: {
  readonly account: ExternalAccount;
  readonly warnings: readonly FieldError[];
}): Answer {
  const texts = warnings.map(({ field, message }) => `299 switchyard "${field} ${message}; live mode refuses it"`);
  return created(renderExternalAccount(account), texts.length > 0 ? { warning: texts.join(', ') } : {});
}
