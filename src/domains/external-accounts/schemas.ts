// Wire schemas of external accounts. The many accountInfo variants are built from the table in `account-types.ts`.
import Type, { type TSchema } from 'typebox';
import { Address } from '../../http/schemas.js';
import { ACCOUNT_TYPES, type BankType, type BeneficiaryForm, type Field } from './account-types.js';
import type { AccountInfo, AccountType, Beneficiary } from './external-account.js';

type Properties = Record<string, TSchema>;

const closed = (title: string, properties: Properties): TSchema => Type.Object(properties, { title, additionalProperties: false });
const oneOfText = (...values: string[]): TSchema => Type.Unsafe<string>({ type: 'string', enum: values });
const short = (maxLength: number): TSchema => Type.String({ maxLength });

/** A union told apart by one property, so that a mistake is reported against the variant that was meant. */
function discriminated<T>(propertyName: string, variants: readonly TSchema[], title?: string) {
  return Type.Unsafe<T>({
    ...(title !== undefined && { title }),
    type: 'object',
    required: [propertyName],
    discriminator: { propertyName },
    oneOf: variants,
  });
}

// ---- Beneficiaries

const CONTACT: Properties = { email: short(320), phoneNumber: short(50), countryOfResidence: Type.String(), address: Address };
const INDIVIDUAL: Properties = { ...CONTACT, birthDate: Type.String(), nationality: Type.String() };
const BUSINESS: Properties = { ...CONTACT, registrationNumber: short(100), taxId: short(100) };
const INDIVIDUAL_EXTRAS: { readonly [extras in BeneficiaryForm['individualExtras']]: Properties } = {
  NONE: {},
  REGISTRATION_NUMBER: { registrationNumber: short(100) },
  DOCUMENT: {
    documentType: Type.Unsafe<string>({ type: 'string', enum: ['CC', 'CE', 'TI', 'NIT', 'PP'], maxLength: 32 }),
    documentNumber: Type.String({ minLength: 1, maxLength: 50 }),
  },
};

function beneficiary(title: string, beneficiaryType: string, name: string, others: Properties, required: readonly string[]): TSchema {
  return closed(title, {
    beneficiaryType: oneOfText(beneficiaryType),
    [name]: short(250),
    ...withRequired(others, required),
  });
}

function withRequired(properties: Properties, required: readonly string[]): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, required.includes(name) ? schema : Type.Optional(schema)]),
  );
}

const SharedBusiness = beneficiary('BusinessBeneficiary', 'BUSINESS', 'legalName', BUSINESS, []);
const WalletIndividual = beneficiary('WalletIndividualBeneficiary', 'INDIVIDUAL', 'fullName', { countryOfResidence: Type.String() }, [
  'countryOfResidence',
]);
const WalletBeneficiary = discriminated<Beneficiary>('beneficiaryType', [WalletIndividual, SharedBusiness], 'WalletBeneficiaryOneOf');

function beneficiaryOf({ name, beneficiary: form }: BankType): TSchema {
  const person = { ...INDIVIDUAL, ...INDIVIDUAL_EXTRAS[form.individualExtras] };
  const company = { ...BUSINESS, taxId: short(form.taxIdMaxLength) };
  const business =
    form.business === 'SHARED'
      ? SharedBusiness
      : beneficiary(`${name}BusinessBeneficiary`, 'BUSINESS', 'legalName', company, form.business);
  return discriminated('beneficiaryType', [beneficiary(`${name}Beneficiary`, 'INDIVIDUAL', 'fullName', person, form.individual), business]);
}

// ---- accountInfo

const fieldSchema = ({ bounds }: Field): TSchema => Type.Unsafe<string>({ type: 'string', ...bounds });

function fieldsOf(fields: Readonly<Record<string, Field>>, required: readonly string[] = []): Properties {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const schema = fieldSchema(field);
      return [name, field.isOptional && !required.includes(name) ? Type.Optional(schema) : schema];
    }),
  );
}

type Variants = { readonly create: TSchema; readonly answer: TSchema };

function variantsOf(accountTypes: readonly AccountType[]): Variants {
  const type = ACCOUNT_TYPES[accountTypes[0]!];
  const tag = { accountType: oneOfText(...accountTypes) };
  if (type.kind === 'BANK') {
    const party = { beneficiary: beneficiaryOf(type) };
    const rails = { paymentRails: Type.Array(oneOfText(...new Set(type.ways.flatMap((way) => way.rails)))) };
    return {
      create: closed(`${type.name}ExternalAccountCreateInfo`, { ...tag, ...fieldsOf(type.fields, type.requiredAtCreation), ...party }),
      answer: closed(`${type.name}ExternalAccountInfo`, { ...tag, ...fieldsOf(type.fields), ...rails, ...party }),
    };
  }
  const party = type.kind === 'WALLET' ? { beneficiary: Type.Optional(WalletBeneficiary) } : {};
  const schema = closed(`${type.name}ExternalAccountInfo`, { ...tag, ...fieldsOf(type.fields), ...party });
  return { create: schema, answer: schema };
}

/** `LIGHTNING_ACCOUNT` is the same variant as `LIGHTNING`. */
const VARIANTS: readonly Variants[] = (Object.keys(ACCOUNT_TYPES) as AccountType[])
  .filter((type) => type !== 'LIGHTNING_ACCOUNT')
  .map((type) => variantsOf(type === 'LIGHTNING' ? ['LIGHTNING', 'LIGHTNING_ACCOUNT'] : [type]));

export const ExternalAccountCreateInfoSchema = discriminated<AccountInfo>(
  'accountType',
  VARIANTS.map((variant) => variant.create),
  'ExternalAccountCreateInfoOneOf',
);
export const ExternalAccountInfoSchema = discriminated<AccountInfo & { paymentRails?: string[] }>(
  'accountType',
  VARIANTS.map((variant) => variant.answer),
  'ExternalAccountInfoOneOf',
);
