// The table of account types: fields, payment rails and beneficiary of each. Schemas, checks and payment rails are derived from it,
// so a new type is one new row.
import type {
  AccountField,
  AccountInfo,
  AccountType,
  BankAccountType,
  LightningAccountType,
  WalletAccountType,
} from './external-account.js';
import {
  ADDRESS_CHECKS,
  isBic,
  isBrazilianPhone,
  isBrazilianTaxId,
  isClabe,
  isCnpj,
  isCountry,
  isCpf,
  isEmail,
  isIban,
  isIfsc,
  isLightningAddress,
  isLightningInvoice,
  isLightningOffer,
  isRoutingNumber,
  isUuid,
} from './identifiers.js';

/** A text field: the bounds in its schema, and under `format` a check that a schema cannot express. */
export type Field = {
  readonly bounds: {
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly pattern?: string;
    readonly enum?: readonly string[];
  };
  readonly isOptional?: true;
  /** What it is, where its name does not say it. */
  readonly description?: string;
  readonly format?: { readonly name: string; readonly holds: (text: string) => boolean };
};
export type Fields = { readonly [name in AccountField]?: Field };

/** A group of rails that reach the account. It is usable if the field `by` is given (or always), and then requires the fields `with`. */
export type Route = { readonly rails: readonly string[]; readonly by?: AccountField; readonly with?: readonly AccountField[] };

/** The members of a beneficiary that a type requires beyond the name. */
export type BeneficiaryForm = {
  readonly individual: readonly string[];
  readonly individualExtras: 'NONE' | 'REGISTRATION_NUMBER' | 'DOCUMENT';
  readonly business: readonly string[];
  readonly taxIdMaxLength: number;
};

type Common = { readonly name: string; readonly fields: Fields; readonly currency?: string };
export type BankType = Common & {
  readonly kind: 'BANK';
  readonly routes: readonly Route[];
  readonly beneficiary: BeneficiaryForm;
  /** Fields that are optional in the answer but must be sent at creation. */
  readonly requiredAtCreation: readonly AccountField[];
};
export type WalletType = Common & { readonly kind: 'WALLET'; readonly chain: string };
export type LightningType = Common & { readonly kind: 'LIGHTNING' };

const text = (minLength: number, maxLength: number, pattern?: string): Field => ({
  bounds: { minLength, maxLength, ...(pattern !== undefined && { pattern }) },
});
const formatted = (field: Field, name: string, holds: (text: string) => boolean): Field => ({ ...field, format: { name, holds } });
const optional = (field: Field): Field => ({ ...field, isOptional: true });
const choice = (...values: string[]): Field => ({ bounds: { enum: values } });
const digits = (from: number, to = from): Field => text(from, to, from === to ? `^[0-9]{${from}}$` : `^[0-9]{${from},${to}}$`);
const phone = (pattern: string): Field => text(7, 15, pattern);

const ANY_ACCOUNT_NUMBER = text(1, 34);
const BANK_NAME = text(1, 255);
const BIC = formatted(text(8, 11, '^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$'), 'bic', isBic);
const ROUTING_NUMBER = formatted(digits(9), 'aba-routing-number', isRoutingNumber);
const BANK_ACCOUNT_TYPE = choice('CHECKING', 'SAVINGS');
const PHONE = phone('^\\+[0-9]{6,14}$');
const COUNTRY = formatted(text(2, 2, '^[A-Z]{2}$'), 'iso-3166-1-alpha-2', isCountry);
const PROVIDER = text(1, 255);
const nationalIban = (pattern: string, length: number): Field => formatted(text(length, length, pattern), 'iban', isIban);
const ANY_IBAN = formatted(text(15, 34, '^[A-Z]{2}[0-9]{2}[A-Za-z0-9]{11,30}$'), 'iban', isIban);
const region = (...codes: string[]): Field => ({ bounds: { ...text(2, 2, '^[A-Z]{2}$').bounds, enum: codes } });

const always = (...rails: string[]): Route[] => [{ rails }];
const BANK = always('BANK_TRANSFER');
const MOBILE = always('MOBILE_MONEY');
const SEPA = always('SEPA', 'SEPA_INSTANT');
const bankBy = (by: AccountField, ...others: AccountField[]): Route => ({ rails: ['BANK_TRANSFER'], by, with: others });
const MOBILE_BY_PHONE: Route = { rails: ['MOBILE_MONEY'], by: 'phoneNumber' };
const BANK_OR_MOBILE: Route[] = [bankBy('accountNumber'), MOBILE_BY_PHONE];

type Form = Partial<BeneficiaryForm>;
const REGISTERED_BUSINESS: Form = { business: ['registrationNumber', 'taxId'] };

function bank(code: string, fields: Fields, routes: readonly Route[], form: Form = {}, more: Partial<BankType> = {}): BankType {
  const name = `${code[0]}${code.slice(1).toLowerCase()}`;
  const beneficiary = { individual: [], individualExtras: 'NONE', business: [], taxIdMaxLength: 100, ...form } as const;
  return { kind: 'BANK', name, currency: code, fields, routes, beneficiary, requiredAtCreation: [], ...more };
}

/** Asian bank transfers, which need the bank's name and BIC in addition to the account number. */
const bankWithBic = (code: string, bankName: Field = BANK_NAME, routes: readonly Route[] = BANK): BankType =>
  bank(code, { bankName, accountNumber: ANY_ACCOUNT_NUMBER, swiftCode: BIC }, routes);

const mobileMoney = (code: string, phoneNumber: Field = PHONE, more: Fields = {}): BankType =>
  bank(code, { phoneNumber, provider: PROVIDER, ...more }, MOBILE, REGISTERED_BUSINESS);

const BANK_TYPES: { readonly [type in BankAccountType]: BankType } = {
  AED_ACCOUNT: bank('AED', { iban: nationalIban('^AE[0-9]{21}$', 23), swiftCode: optional(BIC) }, BANK, {
    individual: ['address'],
    business: ['address'],
  }),
  BDT_ACCOUNT: bank(
    'BDT',
    {
      accountNumber: optional(ANY_ACCOUNT_NUMBER),
      bankName: BANK_NAME,
      branchCode: optional(digits(5)),
      swiftCode: optional(BIC),
      phoneNumber: optional(PHONE),
    },
    BANK_OR_MOBILE,
  ),
  BRL_ACCOUNT: bank(
    'BRL',
    {
      pixKey: text(1, 77),
      pixKeyType: choice('CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM'),
      taxId: formatted(digits(11, 14), 'cpf-or-cnpj', isBrazilianTaxId),
    },
    always('PIX'),
  ),
  BWP_ACCOUNT: mobileMoney('BWP'),
  CAD_ACCOUNT: bank('CAD', { bankCode: digits(3), branchCode: digits(5), accountNumber: digits(7, 12) }, BANK, {
    individualExtras: 'REGISTRATION_NUMBER',
  }),
  COP_ACCOUNT: bank(
    'COP',
    {
      accountNumber: optional(ANY_ACCOUNT_NUMBER),
      bankAccountType: optional(BANK_ACCOUNT_TYPE),
      bankName: BANK_NAME,
      phoneNumber: optional(PHONE),
    },
    [bankBy('accountNumber', 'bankAccountType'), MOBILE_BY_PHONE],
    { individualExtras: 'DOCUMENT', business: ['taxId'], taxIdMaxLength: 64 },
  ),
  DKK_ACCOUNT: bank('DKK', { iban: nationalIban('^DK[0-9]{16}$', 18), swiftCode: optional(BIC) }, SEPA),
  EGP_ACCOUNT: bank(
    'EGP',
    { iban: optional(nationalIban('^EG[0-9]{27}$', 29)), bankName: BANK_NAME, phoneNumber: optional(PHONE) },
    [bankBy('iban'), MOBILE_BY_PHONE],
    { business: ['address'] },
  ),
  EUR_ACCOUNT: bank('EUR', { iban: ANY_IBAN, swiftCode: optional(BIC) }, SEPA, {
    individual: ['countryOfResidence'],
    business: ['registrationNumber', 'taxId', 'countryOfResidence'],
  }),
  GBP_ACCOUNT: bank('GBP', { sortCode: digits(6), accountNumber: digits(8) }, always('FASTER_PAYMENTS')),
  GHS_ACCOUNT: bank(
    'GHS',
    { accountNumber: optional(ANY_ACCOUNT_NUMBER), bankName: BANK_NAME, phoneNumber: optional(PHONE) },
    BANK_OR_MOBILE,
  ),
  GTQ_ACCOUNT: bank('GTQ', { accountNumber: ANY_ACCOUNT_NUMBER, bankAccountType: BANK_ACCOUNT_TYPE, bankName: BANK_NAME }, BANK, {
    individual: ['phoneNumber', 'countryOfResidence'],
  }),
  HKD_ACCOUNT: bankWithBic('HKD', optional(BANK_NAME)),
  HTG_ACCOUNT: bank('HTG', { phoneNumber: PHONE }, MOBILE),
  IDR_ACCOUNT: bank(
    'IDR',
    { bankName: BANK_NAME, accountNumber: ANY_ACCOUNT_NUMBER, swiftCode: BIC, phoneNumber: phone('^\\+62[0-9]{9,12}$') },
    BANK,
  ),
  INR_ACCOUNT: bank(
    'INR',
    {
      vpa: optional(text(3, 255, '^[a-zA-Z0-9.\\-_]+@[a-zA-Z0-9]+$')),
      accountNumber: optional(digits(9, 18)),
      ifsc: optional(formatted(text(11, 11, '^[A-Z]{4}0[A-Z0-9]{6}$'), 'ifsc', isIfsc)),
      rail: optional(text(1, 32)),
    },
    [
      { rails: ['UPI'], by: 'vpa' },
      { rails: ['NEFT', 'RTGS'], by: 'accountNumber', with: ['ifsc', 'rail'] },
    ],
  ),
  JMD_ACCOUNT: bank(
    'JMD',
    { accountNumber: ANY_ACCOUNT_NUMBER, branchCode: digits(5), bankAccountType: BANK_ACCOUNT_TYPE, bankName: BANK_NAME },
    BANK,
    { individual: ['address', 'phoneNumber'] },
  ),
  KES_ACCOUNT: mobileMoney('KES', phone('^\\+254[0-9]{9}$')),
  MWK_ACCOUNT: mobileMoney('MWK'),
  MXN_ACCOUNT: bank('MXN', { clabeNumber: formatted(digits(18), 'clabe', isClabe) }, always('SPEI')),
  MYR_ACCOUNT: bankWithBic('MYR'),
  NGN_ACCOUNT: bank('NGN', { accountNumber: digits(10), bankName: BANK_NAME }, BANK, REGISTERED_BUSINESS),
  PHP_ACCOUNT: bank('PHP', { rail: optional(text(1, 32)), bankName: BANK_NAME, accountNumber: digits(8, 16) }, BANK),
  PKR_ACCOUNT: bank(
    'PKR',
    {
      bankName: BANK_NAME,
      accountNumber: optional(ANY_ACCOUNT_NUMBER),
      iban: optional(nationalIban('^PK[0-9]{2}[A-Z]{4}[0-9]{16}$', 24)),
      phoneNumber: optional(PHONE),
    },
    [bankBy('accountNumber'), bankBy('iban'), MOBILE_BY_PHONE],
  ),
  RWF_ACCOUNT: mobileMoney('RWF', phone('^\\+250[0-9]{9}$')),
  SGD_ACCOUNT: bankWithBic('SGD', optional(BANK_NAME), always('PAYNOW', 'FAST', 'BANK_TRANSFER')),
  SLV_ACCOUNT: bank(
    'SLV',
    {
      bankName: optional(BANK_NAME),
      accountNumber: optional(ANY_ACCOUNT_NUMBER),
      bankAccountType: optional(BANK_ACCOUNT_TYPE),
      phoneNumber: optional(PHONE),
    },
    [bankBy('accountNumber', 'bankAccountType'), MOBILE_BY_PHONE],
    {},
    { currency: 'USD' }, // El Salvador uses the US dollar; SLV names the country
  ),
  THB_ACCOUNT: bankWithBic('THB'),
  TZS_ACCOUNT: mobileMoney('TZS', phone('^\\+255[0-9]{9}$')),
  UGX_ACCOUNT: mobileMoney('UGX'),
  USD_ACCOUNT: bank(
    'USD',
    {
      accountNumber: ANY_ACCOUNT_NUMBER,
      routingNumber: ROUTING_NUMBER,
      bankAccountType: optional(BANK_ACCOUNT_TYPE),
      bankName: optional(text(1, 140)),
      intermediaryBankName: optional(text(1, 140)),
      intermediaryRoutingNumber: optional(ROUTING_NUMBER),
      fiToFiInformation: optional({ bounds: { maxLength: 210 } }),
    },
    always('ACH', 'ACH_SAME_DAY', 'WIRE', 'RTP', 'FEDNOW'),
    {},
    { requiredAtCreation: ['bankAccountType'] },
  ),
  VND_ACCOUNT: bankWithBic('VND'),
  XAF_ACCOUNT: mobileMoney('XAF', PHONE, { region: region('CM', 'CG') }),
  XOF_ACCOUNT: mobileMoney('XOF', PHONE, { region: region('BJ', 'CI', 'SN', 'TG') }),
  ZAR_ACCOUNT: bank('ZAR', { accountNumber: digits(9, 13), bankName: BANK_NAME }, BANK, REGISTERED_BUSINESS),
  ZMW_ACCOUNT: mobileMoney('ZMW', phone('^\\+260[0-9]{9}$')),
  SWIFT_ACCOUNT: anyCurrency(
    bank(
      'SWIFT',
      { country: COUNTRY, swiftCode: BIC, bankName: BANK_NAME, accountNumber: optional(ANY_ACCOUNT_NUMBER), iban: optional(ANY_IBAN) },
      [
        { rails: ['SWIFT'], by: 'accountNumber' },
        { rails: ['SWIFT'], by: 'iban' },
      ],
    ),
  ),
  CNY_ACCOUNT: bank(
    'CNY',
    { accountNumber: optional(ANY_ACCOUNT_NUMBER), bankName: BANK_NAME, phoneNumber: optional(PHONE) },
    BANK_OR_MOBILE,
    { business: ['address'] },
  ),
  ILS_ACCOUNT: bank('ILS', { iban: nationalIban('^IL[0-9]{21}$', 23), bankName: BANK_NAME }, BANK, { business: ['address'] }),
  TRY_ACCOUNT: bank('TRY', { iban: nationalIban('^TR[0-9]{2}[0-9A-Z]{22}$', 26), bankName: BANK_NAME }, BANK, {
    individual: ['countryOfResidence'],
    business: ['countryOfResidence'],
  }),
};

function anyCurrency({ currency: _, ...type }: BankType): BankType {
  return type;
}

const wallet = (type: WalletAccountType, chain: string): WalletType => ({
  kind: 'WALLET',
  name: `${chain}Wallet`,
  chain,
  fields: {
    address: formatted(
      { bounds: {}, description: 'Address on the chain.' },
      `${type === 'SPARK_WALLET' ? 'spark-or-bitcoin' : chain.toLowerCase()}-address`,
      ADDRESS_CHECKS[type],
    ),
    // A blank name would count as custody at a VASP and skip the ownership check.
    vaspName: optional(formatted({ bounds: {} }, 'non-blank', (name) => name.trim() !== '')),
  },
});

const WALLET_TYPES: { readonly [type in WalletAccountType]: WalletType } = {
  BASE_WALLET: wallet('BASE_WALLET', 'Base'),
  ETHEREUM_WALLET: wallet('ETHEREUM_WALLET', 'Ethereum'),
  POLYGON_WALLET: wallet('POLYGON_WALLET', 'Polygon'),
  PLASMA_WALLET: wallet('PLASMA_WALLET', 'Plasma'),
  ARBITRUM_WALLET: wallet('ARBITRUM_WALLET', 'Arbitrum'),
  SOLANA_WALLET: wallet('SOLANA_WALLET', 'Solana'),
  SPARK_WALLET: wallet('SPARK_WALLET', 'Spark'),
  TRON_WALLET: wallet('TRON_WALLET', 'Tron'),
};

const LIGHTNING: LightningType = {
  kind: 'LIGHTNING',
  name: 'Lightning',
  currency: 'BTC',
  fields: {
    invoice: optional(formatted({ bounds: {} }, 'bolt11', isLightningInvoice)),
    bolt12: optional(formatted({ bounds: {} }, 'bolt12', isLightningOffer)),
    lightningAddress: optional(formatted({ bounds: {} }, 'lightning-address', isLightningAddress)),
  },
};
const LIGHTNING_TYPES: { readonly [type in LightningAccountType]: LightningType } = { LIGHTNING, LIGHTNING_ACCOUNT: LIGHTNING };

export const ACCOUNT_TYPES: { readonly [type in AccountType]: BankType | WalletType | LightningType } = {
  ...BANK_TYPES,
  ...WALLET_TYPES,
  ...LIGHTNING_TYPES,
};

export const isWalletType = (type: AccountType): type is WalletAccountType => type in WALLET_TYPES;

export const chainOf = (type: WalletAccountType): string => WALLET_TYPES[type].chain;

/** The format of a Pix key depends on its type. */
export const PIX_KEY_CHECKS: { readonly [type in string]: (text: string) => boolean } = {
  CPF: isCpf,
  CNPJ: isCnpj,
  EMAIL: isEmail,
  PHONE: isBrazilianPhone,
  RANDOM: isUuid,
};

/** The rails that can pay into this account. */
export function paymentRailsOf(info: AccountInfo): readonly string[] {
  const type = ACCOUNT_TYPES[info.accountType];
  if (type.kind !== 'BANK') return [];
  return [...new Set(type.routes.filter(({ by }) => by === undefined || info[by] !== undefined).flatMap(({ rails }) => rails))];
}
