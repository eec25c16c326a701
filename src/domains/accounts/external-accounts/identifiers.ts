// Checks of payment identifiers: checksums, registered lengths, curves. Pure, one predicate per identifier.
import { bech32 } from '@scure/base';
import { isCountry } from '../../../kernel/countries.js';
import { decodeBitcoinAddress, isEvmWallet, isSandboxSpark, isSolanaWallet, isTronWallet } from './addresses.js';
import type { WalletAccountType } from './external-account.js';

export { isCountry } from '../../../kernel/countries.js';

/** The registered length of an IBAN by country. A country that is not listed issues none. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 ' +
    'FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 ' +
    'LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 ' +
    'SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const digitsOf = (text: string): number[] => Array.from(text, Number);
const weighted = (digits: readonly number[], weights: readonly number[]): number =>
  digits.reduce((sum, digit, at) => sum + digit * weights[at % weights.length]!, 0);

/** ISO 13616: country, two check digits, and the length that the country has registered. */
export const hasIbanForm = (text: string): boolean =>
  /^[A-Z]{2}[0-9]{2}[A-Z0-9]+$/i.test(text) && IBAN_LENGTHS.get(text.slice(0, 2).toUpperCase()) === text.length;

/** Check digits 02 to 98, remainder 1 modulo 97. */
export function isIban(text: string): boolean {
  const iban = text.toUpperCase();
  if (!hasIbanForm(iban)) return false;
  const checkDigits = Number(iban.slice(2, 4));
  if (checkDigits < 2 || checkDigits > 98) return false;
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

/** ISO 9362: bank, country, location, and optionally a branch. */
export const isBic = (text: string): boolean => /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text) && isCountry(text.slice(4, 6));

/** ABA: nine digits that begin with a Federal Reserve district (00 is reserved for the government). */
export const hasRoutingNumberForm = (text: string): boolean => /^(0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)[0-9]{7}$/.test(text);

/** With the 3-7-1 checksum. */
export const isRoutingNumber = (text: string): boolean => hasRoutingNumberForm(text) && weighted(digitsOf(text), [3, 7, 1]) % 10 === 0;

/** Mexico: 17 digits and a control digit over their products' last digits. */
export function isClabe(text: string): boolean {
  if (!/^[0-9]{18}$/.test(text)) return false;
  const digits = digitsOf(text);
  const sum = digits.slice(0, 17).reduce((total, digit, at) => total + ((digit * [3, 7, 1][at % 3]!) % 10), 0);
  return (10 - (sum % 10)) % 10 === digits[17];
}

/** India: four letters of the bank, a reserved zero, six characters of the branch. */
export const isIfsc = (text: string): boolean => /^[A-Z]{4}0[A-Z0-9]{6}$/.test(text);

/** Brazil, a person: two check digits modulo 11. Eleven equal digits pass the check but are never issued. */
export function isCpf(text: string): boolean {
  if (!/^[0-9]{11}$/.test(text) || /^(.)\1+$/.test(text)) return false;
  const digits = digitsOf(text);
  const check = (length: number): number => modulo11(weightedDown(digits.slice(0, length), length + 1));
  return digits[9] === check(9) && digits[10] === check(10);
}

/** Brazil, a company. */
export function isCnpj(text: string): boolean {
  if (!/^[0-9]{14}$/.test(text) || /^(.)\1+$/.test(text)) return false;
  const digits = digitsOf(text);
  const weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  return (
    digits[12] === modulo11(weighted(digits.slice(0, 12), weights.slice(1))) &&
    digits[13] === modulo11(weighted(digits.slice(0, 13), weights))
  );
}

const weightedDown = (digits: readonly number[], from: number): number => digits.reduce((sum, digit, at) => sum + digit * (from - at), 0);
const modulo11 = (sum: number): number => (sum % 11 < 2 ? 0 : 11 - (sum % 11));

export const isBrazilianTaxId = (text: string): boolean => isCpf(text) || isCnpj(text);
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text);
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
export const isBrazilianPhone = (text: string): boolean => /^\+55[0-9]{10,11}$/.test(text);

/** BOLT 11 on mainnet: prefix with an optional amount, timestamp (7 words) and signature (104 words), checksum. */
export function isLightningInvoice(text: string): boolean {
  if (!/^lnbc([1-9][0-9]*[munp]?)?1/i.test(text) || text.length > 2_000) return false;
  const decoded = bech32.decodeUnsafe(text, false);
  return decoded !== undefined && /^lnbc([1-9][0-9]*[munp]?)?$/.test(decoded.prefix) && decoded.words.length >= 111;
}

/** BOLT 12 offer: bech32 letters without a checksum, holding at least one field. */
export const isLightningOffer = (text: string): boolean => /^(lno1[02-9ac-hj-np-z]{4,1996}|LNO1[02-9AC-HJ-NP-Z]{4,1996})$/.test(text);

/** LUD-16: a lower-case name, an optional tag, and a domain. */
export const isLightningAddress = (text: string): boolean =>
  text.length <= 320 && /^[a-z0-9._-]+(\+[a-z0-9._-]+)?@[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text);

const isBitcoinFamilyAddress = (text: string): boolean => {
  const kind = decodeBitcoinAddress(text)?.kind;
  return kind !== undefined && kind !== 'UNSUPPORTED';
};

export const ADDRESS_CHECKS: { readonly [type in WalletAccountType]: (text: string) => boolean } = {
  BASE_WALLET: isEvmWallet,
  ETHEREUM_WALLET: isEvmWallet,
  POLYGON_WALLET: isEvmWallet,
  PLASMA_WALLET: isEvmWallet,
  ARBITRUM_WALLET: isEvmWallet,
  SOLANA_WALLET: isSolanaWallet,
  TRON_WALLET: isTronWallet,
  SPARK_WALLET: isBitcoinFamilyAddress,
};

const isBitcoin = (text: string): boolean => {
  const kind = decodeBitcoinAddress(text)?.kind;
  return kind !== undefined && kind !== 'UNSUPPORTED' && kind !== 'SPARK';
};
const isSpark = (text: string): boolean => decodeBitcoinAddress(text)?.kind === 'SPARK' || isSandboxSpark(text);

const NETWORK_ADDRESSES: Readonly<Record<string, (text: string) => boolean>> = {
  ETHEREUM: isEvmWallet,
  BASE: isEvmWallet,
  POLYGON: isEvmWallet,
  PLASMA: isEvmWallet,
  ARBITRUM: isEvmWallet,
  SOLANA: isSolanaWallet,
  TRON: isTronWallet,
  BITCOIN: isBitcoin,
  SPARK: isSpark,
  LIGHTNING: (text) => isLightningInvoice(text) || isLightningOffer(text) || isLightningAddress(text),
};

/** Whether money can be sent to the address on a network. */
export const isAddressOn = (network: string, address: string): boolean =>
  Object.hasOwn(NETWORK_ADDRESSES, network) && NETWORK_ADDRESSES[network]?.(address) === true;
