// Types of external accounts: bank accounts, wallets and Lightning accounts outside the service.
import type { CustomerId, ExternalAccountId, Id } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

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

/** The text fields of accountInfo. The table in `account-types.ts` lists the fields of each type. */
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

export const EXTERNAL_ACCOUNT_STATUSES = [
  'PENDING',
  'ACTIVE',
  'PENDING_OWNERSHIP_VERIFICATION',
  'UNVERIFIED',
  'UNDER_REVIEW',
  'INACTIVE',
] as const;
export type ExternalAccountStatus = (typeof EXTERNAL_ACCOUNT_STATUSES)[number];

export const OWNERSHIP_TYPES = ['FIRST_PARTY', 'THIRD_PARTY'] as const;
export type OwnershipType = (typeof OWNERSHIP_TYPES)[number];

export const BENEFICIARY_VERIFICATION_STATUSES = [
  'MATCHED',
  'PARTIAL_MATCH',
  'NOT_MATCHED',
  'UNSUPPORTED',
  'CHECKED_BY_RECEIVING_FI',
  'PENDING',
] as const;
export type BeneficiaryVerificationStatus = (typeof BENEFICIARY_VERIFICATION_STATUSES)[number];

/** The rail's check of the beneficiary's name. `dueAt` is set while the check is pending. */
export type BeneficiaryCheck = {
  readonly status: BeneficiaryVerificationStatus;
  readonly verifiedName?: string;
  readonly dueAt?: Date;
};

/** The kind of owner: `/platform/external-accounts` serves the platform's own accounts, `/customers/external-accounts` those of customers. */
export type OwnerScope = 'PLATFORM' | 'CUSTOMER';

export type NewExternalAccount = {
  readonly customerId: CustomerId | undefined;
  readonly currency: CurrencyCode;
  readonly platformAccountId: string | undefined;
  readonly ownershipType: OwnershipType | undefined;
  readonly defaultUmaDepositAccount: boolean;
  readonly accountInfo: AccountInfo;
};

export type ExternalAccount = NewExternalAccount & {
  readonly id: ExternalAccountId;
  readonly status: ExternalAccountStatus;
  /** Undefined for wallets and Lightning, which have no name to check. */
  readonly beneficiaryCheck: BeneficiaryCheck | undefined;
  /** "A trusted beneficiary cannot be deleted until untrusted." */
  readonly isTrusted: boolean;
  /** The open challenge. A new one replaces it. */
  readonly challenge: OwnershipChallenge | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export const OWNERSHIP_METHODS = ['WALLET_SIGNATURE', 'LIVENESS'] as const;
export type OwnershipMethod = (typeof OWNERSHIP_METHODS)[number];

export type OwnershipChallenge = { readonly createdAt: Date; readonly expiresAt: Date } & (
  | { readonly method: 'WALLET_SIGNATURE'; readonly messageToSign: string }
  | { readonly method: 'LIVENESS'; readonly checkId: string }
);

/** The record of one answered challenge. */
export type OwnershipProof = {
  readonly id: Id<'OwnershipProof'>;
  readonly accountId: ExternalAccountId;
  readonly method: OwnershipMethod;
  readonly chain: string;
  readonly address: string;
  readonly message: string | undefined;
  readonly signature: string | undefined;
  readonly scheme: string | undefined;
  readonly verdict: 'VALID' | 'INVALID' | 'EXPIRED';
  /** Why the proof was invalid. The caller of verify learns only that it was. */
  readonly cause: string | undefined;
  readonly challengedAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date;
  readonly software: string;
};
