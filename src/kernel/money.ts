// Amounts in the smallest unit of their currency, always bigint inside. `number` appears only where JSON is read or written.
import { assert } from './errors.js';

export type CurrencyCode = string;
export type Currency = { readonly code: CurrencyCode; readonly name: string; readonly symbol: string; readonly decimals: number };

/** code, name, symbol, decimals. USDB counts in cents so that 1 USDB = 1 USD holds unit for unit. */
const TABLE: readonly (readonly [string, string, string, number])[] = [
  ['USD', 'US Dollar', '$', 2],
  ['USDB', 'USDB', '$', 2],
  ['USDC', 'USD Coin', '$', 6],
  ['USDT', 'Tether USD', '$', 6],
  ['BTC', 'Bitcoin', '₿', 8],
  ['AED', 'UAE Dirham', 'د.إ', 2],
  ['ARS', 'Argentine Peso', '$', 2],
  ['BDT', 'Bangladeshi Taka', '৳', 2],
  ['BRL', 'Brazilian Real', 'R$', 2],
  ['BWP', 'Botswana Pula', 'P', 2],
  ['CAD', 'Canadian Dollar', '$', 2],
  ['CNY', 'Chinese Yuan', '¥', 2],
  ['COP', 'Colombian Peso', '$', 2],
  ['DKK', 'Danish Krone', 'kr', 2],
  ['EGP', 'Egyptian Pound', '£', 2],
  ['EUR', 'Euro', '€', 2],
  ['GBP', 'Pound Sterling', '£', 2],
  ['GHS', 'Ghanaian Cedi', '₵', 2],
  ['GTQ', 'Guatemalan Quetzal', 'Q', 2],
  ['HKD', 'Hong Kong Dollar', '$', 2],
  ['HTG', 'Haitian Gourde', 'G', 2],
  ['IDR', 'Indonesian Rupiah', 'Rp', 2],
  ['ILS', 'Israeli New Shekel', '₪', 2],
  ['INR', 'Indian Rupee', '₹', 2],
  ['JMD', 'Jamaican Dollar', '$', 2],
  ['KES', 'Kenyan Shilling', 'KSh', 2],
  ['MWK', 'Malawian Kwacha', 'MK', 2],
  ['MXN', 'Mexican Peso', '$', 2],
  ['MYR', 'Malaysian Ringgit', 'RM', 2],
  ['NGN', 'Nigerian Naira', '₦', 2],
  ['PHP', 'Philippine Peso', '₱', 2],
  ['PKR', 'Pakistani Rupee', '₨', 2],
  ['RWF', 'Rwandan Franc', 'FRw', 0],
  ['SGD', 'Singapore Dollar', '$', 2],
  ['THB', 'Thai Baht', '฿', 2],
  ['TRY', 'Turkish Lira', '₺', 2],
  ['TZS', 'Tanzanian Shilling', 'TSh', 2],
  ['UGX', 'Ugandan Shilling', 'USh', 0],
  ['VND', 'Vietnamese Dong', '₫', 0],
  ['XAF', 'Central African CFA Franc', 'FCFA', 0],
  ['XOF', 'West African CFA Franc', 'CFA', 0],
  ['ZAR', 'South African Rand', 'R', 2],
  ['ZMW', 'Zambian Kwacha', 'ZK', 2],
];

export const CURRENCIES: ReadonlyMap<CurrencyCode, Currency> = new Map(
  TABLE.map(([code, name, symbol, decimals]) => [code, Object.freeze({ code, name, symbol, decimals })]),
);

export const isCurrency = (code: string): boolean => CURRENCIES.has(code);

const CRYPTO: ReadonlySet<CurrencyCode> = new Set(['USDB', 'USDC', 'USDT', 'BTC']);

/** Whether amounts of the currency travel on a chain or over Lightning. */
export const isCrypto = (code: CurrencyCode): boolean => CRYPTO.has(code);

export const currencyOf = (code: CurrencyCode): Currency => {
  const currency = CURRENCIES.get(code);
  assert(currency, `unknown currency ${code}`);
  return currency;
};

/** JSON carries integers exactly up to here, so no amount is larger. */
export const MAX_AMOUNT = BigInt(Number.MAX_SAFE_INTEGER);

/** A bigint as a JSON number. Every amount we store is bounded, so an unsafe one is a broken invariant, never a rounding. */
export function toWire(amount: bigint): number {
  assert(amount <= MAX_AMOUNT && amount >= -MAX_AMOUNT, 'amount beyond what JSON carries exactly');
  return Number(amount);
}

export type WireAmount = { amount: number; currency: Currency };

/** `CurrencyAmount` of the API. */
export const renderMoney = (amount: bigint, currency: CurrencyCode): WireAmount => ({
  amount: toWire(amount),
  currency: currencyOf(currency),
});

/** "12.34" for people; the wire never uses it. */
export function formatAmount(amount: bigint, currency: CurrencyCode): string {
  const { decimals } = currencyOf(currency);
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0');
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
