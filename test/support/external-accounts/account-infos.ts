// A valid accountInfo for every account type, as a caller sends it.
import type { AccountInfo, AccountType, Beneficiary } from '../../../src/domains/accounts/external-accounts/external-account.js';
import { bitcoinWallet, evmWallet, solanaWallet, tronWallet } from './wallets.js';

const HOME = { line1: '1 Main Street', city: 'Springfield', postalCode: '12345', country: 'US' } as const;

export const PERSON: Beneficiary = {
  beneficiaryType: 'INDIVIDUAL',
  fullName: 'Ada Lovelace',
  birthDate: '1990-12-10',
  nationality: 'GB',
  email: 'ada@example.com',
  phoneNumber: '+15551234567',
  countryOfResidence: 'US',
  address: HOME,
};

export const COMPANY: Beneficiary = {
  beneficiaryType: 'BUSINESS',
  legalName: 'Analytical Engines Ltd',
  registrationNumber: 'R-1815',
  taxId: 'T-1852',
  countryOfResidence: 'US',
  address: HOME,
};

type Details = Omit<AccountInfo, 'accountType'>;
const bank = (bankName: string) => ({ accountNumber: '000123456789', bankName });
const withBic = (bankName = 'First Bank') => ({ ...bank(bankName), swiftCode: 'CHASUS33' });
const mobile = (phoneNumber: string): Details => ({ phoneNumber, provider: 'Mobile Co' });

const DETAILS: { readonly [type in AccountType]: Details } = {
  AED_ACCOUNT: { iban: 'AE070331234567890123456' },
  BDT_ACCOUNT: bank('BRAC Bank'),
  BRL_ACCOUNT: { pixKey: 'ada@example.com', pixKeyType: 'EMAIL', taxId: '52998224725' },
  BWP_ACCOUNT: mobile('+26771234567'),
  CAD_ACCOUNT: { bankCode: '001', branchCode: '00012', accountNumber: '1234567' },
  COP_ACCOUNT: { ...bank('Bancolombia'), bankAccountType: 'SAVINGS' },
  DKK_ACCOUNT: { iban: 'DK5000400440116243' },
  EGP_ACCOUNT: { iban: 'EG380019000500000000263180002', bankName: 'Banque Misr' },
  EUR_ACCOUNT: { iban: 'DE89370400440532013000', swiftCode: 'DEUTDEFF' },
  GBP_ACCOUNT: { sortCode: '200000', accountNumber: '55779911' },
  GHS_ACCOUNT: bank('GCB Bank'),
  GTQ_ACCOUNT: { ...bank('Banco Industrial'), bankAccountType: 'CHECKING' },
  HKD_ACCOUNT: withBic(),
  HTG_ACCOUNT: { phoneNumber: '+50934101234' },
  IDR_ACCOUNT: { ...withBic('Bank Mandiri'), phoneNumber: '+628123456789' },
  INR_ACCOUNT: { accountNumber: '123456789012', ifsc: 'SBIN0001234', rail: 'NEFT' },
  JMD_ACCOUNT: { ...bank('National Commercial Bank'), branchCode: '00012', bankAccountType: 'CHECKING' },
  KES_ACCOUNT: mobile('+254712345678'),
  MWK_ACCOUNT: mobile('+265881234567'),
  MXN_ACCOUNT: { clabeNumber: '032180000118359719' },
  MYR_ACCOUNT: withBic('Maybank'),
  NGN_ACCOUNT: { ...bank('First Bank of Nigeria'), accountNumber: '0123456789' },
  PHP_ACCOUNT: bank('BDO Unibank'),
  PKR_ACCOUNT: { bankName: 'Meezan Bank', iban: 'PK36SCBL0000001123456702' },
  RWF_ACCOUNT: mobile('+250781234567'),
  SGD_ACCOUNT: withBic(),
  SLV_ACCOUNT: { ...bank('First Bank'), bankAccountType: 'SAVINGS' },
  THB_ACCOUNT: withBic('Bangkok Bank'),
  TZS_ACCOUNT: mobile('+255712345678'),
  UGX_ACCOUNT: mobile('+256712345678'),
  USD_ACCOUNT: { accountNumber: '000123456789', routingNumber: '021000021', bankAccountType: 'CHECKING' },
  VND_ACCOUNT: withBic('Vietcombank'),
  XAF_ACCOUNT: { ...mobile('+237671234567'), region: 'CM' },
  XOF_ACCOUNT: { ...mobile('+221771234567'), region: 'SN' },
  ZAR_ACCOUNT: bank('Standard Bank'),
  ZMW_ACCOUNT: mobile('+260971234567'),
  SWIFT_ACCOUNT: { country: 'US', ...withBic() },
  CNY_ACCOUNT: { bankName: 'Alipay', phoneNumber: '+8613812345678' },
  ILS_ACCOUNT: { iban: 'IL620108000000099999999', bankName: 'Bank Leumi' },
  TRY_ACCOUNT: { iban: 'TR330006100519786457841326', bankName: 'Garanti BBVA' },
  BASE_WALLET: evmWallet('base'),
  ETHEREUM_WALLET: evmWallet('ethereum'),
  POLYGON_WALLET: evmWallet('polygon'),
  PLASMA_WALLET: evmWallet('plasma'),
  ARBITRUM_WALLET: evmWallet('arbitrum'),
  SOLANA_WALLET: solanaWallet('solana'),
  TRON_WALLET: tronWallet('tron'),
  SPARK_WALLET: bitcoinWallet('spark', 'SPARK'),
  LIGHTNING: { lightningAddress: 'ada@example.com' },
  LIGHTNING_ACCOUNT: { lightningAddress: 'ada@example.com' },
};

export function accountInfoOf(accountType: AccountType, change: Partial<Details> = {}): AccountInfo {
  const { address, ...details } = DETAILS[accountType];
  if (address !== undefined) return { accountType, address, ...change };
  const isLightning = accountType.startsWith('LIGHTNING');
  return { accountType, ...details, ...(isLightning ? {} : { beneficiary: PERSON }), ...change };
}
