// Checks of accountInfo that a schema cannot express: identifier checksums, fields that require each other, blank names.
// Pure. Returns every problem with its exact field, in the order of the table.
import type { FieldError } from '../../../kernel/errors.js';
import { isDate } from '../../../kernel/time.js';
import { ACCOUNT_TYPES, type BankType, PIX_KEY_CHECKS, paymentRailsOf } from './account-types.js';
import type { AccountField, AccountInfo, Beneficiary } from './external-account.js';
import { hasRightForm } from './identifier-forms.js';
import { isCountry, isEmail } from './identifiers.js';
import { institutionsIn } from './institutions.js';

/** Problems of check digits alone: the sandbox takes such a value and warns, live mode refuses it. */
export const isCheckDigitProblem = (info: AccountInfo, { field, constraint }: FieldError): boolean =>
  hasRightForm(constraint?.['format'], info[field.replace('accountInfo.', '') as AccountField] ?? '');

export function findProblems(info: AccountInfo): FieldError[] {
  const type = ACCOUNT_TYPES[info.accountType];
  const problems = [...badFormats(info), ...(info.beneficiary ? badBeneficiary(info.beneficiary) : [])];
  if (type.kind === 'BANK') problems.push(...missingForRoutes(info, type), ...unknownBank(info, type), ...typeRules(info));
  if (type.kind === 'LIGHTNING') problems.push(...notExactlyOne(info, ['invoice', 'bolt12', 'lightningAddress']));
  return problems;
}

const problem = (field: string, message: string, format?: string): FieldError => ({
  field: `accountInfo.${field}`,
  ...(format !== undefined && { constraint: { format } }),
  message,
});

function badFormats(info: AccountInfo): FieldError[] {
  return Object.entries(ACCOUNT_TYPES[info.accountType].fields).flatMap(([name, { format }]) => {
    const value = info[name as AccountField];
    return value === undefined || !format || format.holds(value) ? [] : [problem(name, `is not a valid ${format.name}`, format.name)];
  });
}

const BENEFICIARY_CHECKS: { readonly [field in keyof Beneficiary]?: readonly [format: string, holds: (text: string) => boolean] } = {
  fullName: ['non-blank', isNotBlank],
  legalName: ['non-blank', isNotBlank],
  birthDate: ['date', isDate],
  nationality: ['iso-3166-1-alpha-2', isCountry],
  countryOfResidence: ['iso-3166-1-alpha-2', isCountry],
  email: ['email', isEmail],
};

function isNotBlank(text: string): boolean {
  return text.trim() !== '';
}

function badBeneficiary(beneficiary: Beneficiary): FieldError[] {
  const problems = Object.entries(BENEFICIARY_CHECKS).flatMap(([name, [format, holds]]) => {
    const value = beneficiary[name as keyof typeof BENEFICIARY_CHECKS];
    return typeof value !== 'string' || holds(value) ? [] : [problem(`beneficiary.${name}`, `is not a valid ${format} value`, format)];
  });
  const country = beneficiary.address?.country;
  if (country !== undefined && !isCountry(country)) {
    problems.push(problem('beneficiary.address.country', 'is not a valid iso-3166-1-alpha-2 value', 'iso-3166-1-alpha-2'));
  }
  return problems;
}

/** At least one route must be usable, and a usable route must have all its fields. */
function missingForRoutes(info: AccountInfo, type: BankType): FieldError[] {
  const keys = type.routes.flatMap(({ by }) => by ?? []);
  const isUsable = keys.length === 0 || keys.some((name) => info[name] !== undefined);
  if (!isUsable) return keys.map((name) => problem(name, `one of ${keys.join(', ')} is required`));
  return type.routes.flatMap(({ by, with: required = [] }) =>
    by === undefined || info[by] === undefined
      ? []
      : required.filter((name) => info[name] === undefined).map((name) => problem(name, `is required with ${by}`)),
  );
}

/** In some currencies payouts reach the banks and wallets of `GET /discoveries` only. Upper and lower case are the same. */
function unknownBank({ bankName }: AccountInfo, { currency }: BankType): FieldError[] {
  const names = currency === undefined ? undefined : institutionsIn(currency);
  if (!names || bankName === undefined || names.some((name) => name.toLowerCase() === bankName.toLowerCase())) return [];
  return [{ ...problem('bankName', 'must be a bankName of GET /discoveries in the currency'), constraint: { enum: names } }];
}

function typeRules(info: AccountInfo): FieldError[] {
  if (info.accountType === 'BRL_ACCOUNT') {
    const holds = PIX_KEY_CHECKS[info.pixKeyType ?? ''];
    return holds?.(info.pixKey ?? '') ? [] : [problem('pixKey', `is not a valid key of type ${info.pixKeyType}`, `pix-${info.pixKeyType}`)];
  }
  if (info.accountType === 'INR_ACCOUNT' && info.rail !== undefined) {
    const rails = paymentRailsOf(info);
    if (rails.length === 0 || rails.includes(info.rail)) return [];
    return [{ ...problem('rail', `must be ${rails.join(' or ')} for the identifiers given`), constraint: { enum: rails } }];
  }
  if (info.accountType === 'CNY_ACCOUNT' && info.accountNumber !== undefined && info.beneficiary?.beneficiaryType !== 'BUSINESS') {
    return [problem('beneficiary.beneficiaryType', 'must be BUSINESS for a bank transfer in CNY')];
  }
  return [];
}

function notExactlyOne(info: AccountInfo, names: readonly AccountField[]): FieldError[] {
  const given = names.filter((name) => info[name] !== undefined);
  if (given.length === 1) return [];
  return (given.length === 0 ? names : given).map((name) => problem(name, `exactly one of ${names.join(', ')} is required`));
}
