// UMA addresses, and the data about people that providers ask each other for. Pure.
import { ApiError } from '../../../kernel/errors.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import { domainOfUma } from '../../../kernel/uma-address.js';
import type { InternalAccount } from '../../accounts/internal-accounts/internal-account.js';
import type { CurrencyConfig, Platform } from '../../core/platform/platform.js';
import type { Customer } from '../../identity/customers/customer.js';
import { FIELD_NAMES, type FieldDefinition, type FieldName, type Invoice, type PersonData, type UmaAddress } from './uma.js';

// ---- addresses

const MAX_ADDRESS = 200;

/** The address in lower case, or a refusal. */
export function parseUmaAddress(text: string): UmaAddress {
  const domain = text.length <= MAX_ADDRESS ? domainOfUma(text) : undefined;
  if (domain === undefined) throw new ApiError('INVALID_UMA_ADDRESS');
  return { address: text.toLowerCase(), domain };
}

/** The address that the platform itself sends from. */
const PLATFORM_NAME = '$platform';

export const umaDomainOf = ({ config }: Pick<Platform, 'config'>): string => config.umaDomain.toLowerCase();

export const senderAddress = (platform: Pick<Platform, 'config'>, customer: Customer | null): string =>
  customer ? customer.umaAddress.toLowerCase() : `${PLATFORM_NAME}@${umaDomainOf(platform)}`;

// ---- names of fields

/** Names of the protocol that do not follow from ours. */
const OTHER_NAMES: Readonly<Partial<Record<FieldName, string>>> = { FULL_NAME: 'name' };

const camelCase = (name: string): string => name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const PROTOCOL_NAMES: ReadonlyMap<FieldName, string> = new Map(FIELD_NAMES.map((name) => [name, OTHER_NAMES[name] ?? camelCase(name)]));
const OWN_NAMES: ReadonlyMap<string, FieldName> = new Map([...PROTOCOL_NAMES].map(([own, protocol]) => [protocol, own]));

export const protocolName = (name: FieldName): string => PROTOCOL_NAMES.get(name) ?? camelCase(name);

type NamedField = { readonly name: string; readonly mandatory: boolean };

/** Fields by our names. A mandatory field that has no name here cannot be given: undefined. */
export function fieldsOfProtocol(fields: readonly NamedField[]): FieldDefinition[] | undefined {
  const known = fields.flatMap(({ name, mandatory }): FieldDefinition[] => {
    const own = OWN_NAMES.get(name);
    return own ? [{ name: own, mandatory }] : [];
  });
  return fields.some(({ name, mandatory }) => mandatory && !OWN_NAMES.has(name)) ? undefined : known;
}

export const dataOfProtocol = (data: Readonly<Record<string, unknown>>): PersonData =>
  Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => {
      const own = OWN_NAMES.get(name);
      return own && value != null ? [[own, value]] : [];
    }),
  );

// ---- data about people

/** What the record of a customer says, by the names of fields. */
export function knownOf(platform: Pick<Platform, 'name'>, customer: Customer | null): PersonData {
  const present = (data: PersonData): PersonData => Object.fromEntries(Object.entries(data).filter(([, value]) => value != null));
  if (!customer) return { FULL_NAME: platform.name, COMPANY_LEGAL_NAME: platform.name, USER_TYPE: 'BUSINESS' };
  const { address } = customer.profile;
  const common: PersonData = {
    EMAIL: customer.email,
    PHONE_NUMBER: customer.phoneNumber,
    POSTAL_ADDRESS: address,
    COUNTRY_OF_RESIDENCE: address?.country,
    USER_TYPE: customer.customerType,
    IDENTIFIER: customer.umaAddress,
  };
  if (customer.customerType === 'BUSINESS') {
    const { legalName, registrationNumber, country } = customer.profile.businessInfo;
    return present({
      ...common,
      FULL_NAME: legalName,
      COMPANY_LEGAL_NAME: legalName,
      REGISTRATION_NUMBER: registrationNumber,
      COUNTRY_OF_RESIDENCE: country ?? address?.country,
    });
  }
  const { fullName, birthDate, nationality, idType } = customer.profile;
  return present({ ...common, FULL_NAME: fullName, BIRTH_DATE: birthDate, NATIONALITY: nationality, ID_TYPE: idType });
}

/** Whether a caller gave the field. */
const isGiven = (value: unknown): boolean => value != null && value !== '';

/** The data that a receiver asks for: what the caller gives, else what the record says. Refuses when a mandatory field is in neither. */
export function payerDataFor(fields: readonly FieldDefinition[], known: PersonData, given: Readonly<Record<string, unknown>>): PersonData {
  const dataOf = (name: FieldName): unknown => (isGiven(given[name]) ? given[name] : known[name]);
  const missingFields = fields.filter(({ name, mandatory }) => mandatory && !isGiven(dataOf(name))).map(({ name }) => name);
  if (missingFields.length > 0) throw new ApiError('MISSING_MANDATORY_USER_INFO', { missingFields });
  return Object.fromEntries(fields.flatMap(({ name }) => (isGiven(dataOf(name)) ? [[name, dataOf(name)]] : [])));
}

export const protocolData = (data: PersonData): Record<string, unknown> =>
  Object.fromEntries(FIELD_NAMES.flatMap((name) => (name in data ? [[protocolName(name), data[name]]] : [])));

// ---- receiving

export type Receivable = { readonly account: InternalAccount; readonly config: CurrencyConfig };

/** How a customer can be paid in a currency: into an active account of the customer, where the platform has enabled incoming payments. */
export function receivableIn(
  platform: Pick<Platform, 'config'>,
  accounts: readonly InternalAccount[],
  currency: CurrencyCode,
): Receivable | undefined {
  const config = platform.config.supportedCurrencies.find(({ currencyCode }) => currencyCode === currency);
  const account = accounts.find((own) => own.currency === currency && own.status === 'ACTIVE');
  return config?.enabledTransactionTypes.includes('INCOMING') && account ? { account, config } : undefined;
}

/** What the platform asks for about a payer, as far as the payer's provider has said it. */
export function asksFor(
  platform: Pick<Platform, 'config'>,
  { currency, senderData }: Pick<Invoice, 'currency' | 'senderData'>,
): PersonData | null {
  const config = platform.config.supportedCurrencies.find(({ currencyCode }) => currencyCode === currency);
  const asked = (config ? fieldsOfConfig(config) : []).filter(({ name }) => senderData[name] !== undefined);
  return asked.length > 0 ? Object.fromEntries(asked.map(({ name }) => [name, senderData[name]])) : null;
}

export const isWithin = ({ config }: Receivable, amount: bigint): boolean =>
  amount >= BigInt(config.minAmount) && amount <= BigInt(config.maxAmount);

/** What the platform wants to know of payers in a currency. */
export const fieldsOfConfig = ({ requiredCounterpartyFields }: CurrencyConfig): FieldDefinition[] =>
  requiredCounterpartyFields.flatMap(({ name, mandatory }) => {
    const own = FIELD_NAMES.find((field) => field === name);
    return own ? [{ name: own, mandatory }] : [];
  });
