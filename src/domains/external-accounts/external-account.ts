// The words of the domain. An external account is a bank account, wallet or Lightning account outside the service.

export type WalletAccountType =
  | 'BASE_WALLET'
  | 'ETHEREUM_WALLET'
  | 'POLYGON_WALLET'
  | 'PLASMA_WALLET'
  | 'ARBITRUM_WALLET'
  | 'SOLANA_WALLET'
  | 'TRON_WALLET'
  | 'SPARK_WALLET';

export type LightningAccountType = 'LIGHTNING' | 'LIGHTNING_ACCOUNT';

export type BankAccountType =
  | 'AED_ACCOUNT'
  | 'BDT_ACCOUNT'
  | 'BRL_ACCOUNT'
  | 'BWP_ACCOUNT'
  | 'CAD_ACCOUNT'
  | 'COP_ACCOUNT'
  | 'DKK_ACCOUNT'
  | 'EGP_ACCOUNT'
  | 'EUR_ACCOUNT'
  | 'GBP_ACCOUNT'
  | 'GHS_ACCOUNT'
  | 'GTQ_ACCOUNT'
  | 'HKD_ACCOUNT'
  | 'HTG_ACCOUNT'
  | 'IDR_ACCOUNT'
  | 'INR_ACCOUNT'
  | 'JMD_ACCOUNT'
  | 'KES_ACCOUNT'
  | 'MWK_ACCOUNT'
  | 'MXN_ACCOUNT'
  | 'MYR_ACCOUNT'
  | 'NGN_ACCOUNT'
  | 'PHP_ACCOUNT'
  | 'PKR_ACCOUNT'
  | 'RWF_ACCOUNT'
  | 'SGD_ACCOUNT'
  | 'SLV_ACCOUNT'
  | 'THB_ACCOUNT'
  | 'TZS_ACCOUNT'
  | 'UGX_ACCOUNT'
  | 'USD_ACCOUNT'
  | 'VND_ACCOUNT'
  | 'XAF_ACCOUNT'
  | 'XOF_ACCOUNT'
  | 'ZAR_ACCOUNT'
  | 'ZMW_ACCOUNT'
  | 'SWIFT_ACCOUNT'
  | 'CNY_ACCOUNT'
  | 'ILS_ACCOUNT'
  | 'TRY_ACCOUNT';

export type AccountType = BankAccountType | WalletAccountType | LightningAccountType;

/** The text fields an accountInfo can carry; which of them a type has is in the table of `account-types.ts`. */
export type AccountField =
  | 'accountNumber'
  | 'address'
  | 'bankAccountType'
  | 'bankCode'
  | 'bankName'
  | 'bolt12'
  | 'branchCode'
  | 'clabeNumber'
  | 'country'
  | 'fiToFiInformation'
  | 'iban'
  | 'ifsc'
  | 'intermediaryBankName'
  | 'intermediaryRoutingNumber'
  | 'invoice'
  | 'lightningAddress'
  | 'phoneNumber'
  | 'pixKey'
  | 'pixKeyType'
  | 'provider'
  | 'rail'
  | 'region'
  | 'routingNumber'
  | 'sortCode'
  | 'swiftCode'
  | 'taxId'
  | 'vaspName'
  | 'vpa';

export type PostalAddress = {
  readonly line1: string;
  readonly line2?: string;
  readonly city?: string;
  readonly state?: string;
  readonly postalCode: string;
  readonly country: string;
};

export type Beneficiary = {
  readonly beneficiaryType: 'INDIVIDUAL' | 'BUSINESS';
  readonly fullName?: string;
  readonly legalName?: string;
  readonly birthDate?: string;
  readonly nationality?: string;
  readonly email?: string;
  readonly phoneNumber?: string;
  readonly registrationNumber?: string;
  readonly taxId?: string;
  readonly documentType?: string;
  readonly documentNumber?: string;
  readonly countryOfResidence?: string;
  readonly address?: PostalAddress;
};

export type AccountInfo = { readonly accountType: AccountType; readonly beneficiary?: Beneficiary } & {
  readonly [field in AccountField]?: string;
};
