// Banks and mobile wallets that payouts reach, by country. Pure.
import type { CurrencyCode } from '../../../kernel/money.js';

export type Institution = {
  readonly bankName: string;
  readonly displayName: string;
  readonly country: string;
  readonly currency: CurrencyCode;
};

const TABLE: readonly (readonly [currency: CurrencyCode, country: string, ...names: string[]])[] = [
  ['BDT', 'BD', 'BRAC Bank', 'Dutch-Bangla Bank', 'bKash'],
  ['COP', 'CO', 'Bancolombia', 'Davivienda', 'Nequi'],
  ['EGP', 'EG', 'National Bank of Egypt', 'Banque Misr', 'Vodafone Cash'],
  ['GHS', 'GH', 'GCB Bank', 'Ecobank Ghana', 'MTN'],
  ['GTQ', 'GT', 'Banco GYT Continental', 'Banco Industrial'],
  ['IDR', 'ID', 'Bank Central Asia', 'Bank Mandiri'],
  ['JMD', 'JM', 'Bank of Nova Scotia', 'National Commercial Bank'],
  ['MYR', 'MY', 'Maybank', 'CIMB Bank'],
  ['NGN', 'NG', 'First Bank of Nigeria', 'Access Bank', 'GTBank'],
  ['PHP', 'PH', 'BDO Unibank', 'Bank of the Philippine Islands', 'GCash'],
  ['PKR', 'PK', 'HBL', 'Meezan Bank', 'Easypaisa'],
  ['THB', 'TH', 'Bangkok Bank', 'Kasikornbank'],
  ['VND', 'VN', 'Vietcombank', 'Techcombank'],
  ['ZAR', 'ZA', 'Standard Bank', 'FNB'],
  ['CNY', 'CN', 'AliPay', 'WeChat Pay', 'Bank of China', 'ICBC'],
  ['ILS', 'IL', 'Bank Leumi', 'Bank Hapoalim'],
  ['TRY', 'TR', 'Garanti BBVA', 'Ziraat Bankasi'],
];

export const INSTITUTIONS: readonly Institution[] = TABLE.flatMap(([currency, country, ...names]) =>
  names.map((bankName) => ({ bankName, displayName: bankName, country, currency })),
);

const NAMES: ReadonlyMap<CurrencyCode, readonly string[]> = new Map(TABLE.map(([currency, , ...names]) => [currency, names]));

/** The names of the currency, in their spelling; undefined where every bank is taken. */
export const institutionsIn = (currency: CurrencyCode): readonly string[] | undefined => NAMES.get(currency);
