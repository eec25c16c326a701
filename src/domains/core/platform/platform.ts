// A platform, its configuration and the API tokens it calls with.
import type { Permission } from '../../../http/operation.js';
import type { PlatformId, TokenId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

export type Mode = 'sandbox' | 'live';

/** Fields of people that providers ask each other for, as the API names them. */
export const CUSTOMER_INFO_FIELDS = [
  'FULL_NAME',
  'BIRTH_DATE',
  'NATIONALITY',
  'PHONE_NUMBER',
  'EMAIL',
  'POSTAL_ADDRESS',
  'TAX_ID',
  'REGISTRATION_NUMBER',
  'USER_TYPE',
  'COUNTRY_OF_RESIDENCE',
  'ACCOUNT_IDENTIFIER',
  'FI_LEGAL_ENTITY_NAME',
  'FI_ADDRESS',
  'PURPOSE_OF_PAYMENT',
  'ULTIMATE_INSTITUTION_COUNTRY',
  'IDENTIFIER',
  'BUSINESS_TYPE',
  'COMPANY_LEGAL_NAME',
  'ID_TYPE',
  'ID_NUMBER',
] as const;
export type CustomerInfoField = (typeof CUSTOMER_INFO_FIELDS)[number];

export type CurrencyConfig = {
  readonly currencyCode: CurrencyCode;
  readonly minAmount: number;
  readonly maxAmount: number;
  readonly requiredCounterpartyFields: readonly { readonly name: string; readonly mandatory: boolean }[];
  readonly enabledTransactionTypes: readonly ('INCOMING' | 'OUTGOING')[];
};

/** Limits for every card of the platform, in addition to the card's own. The lower one applies. */
export type CardConfigs = {
  readonly maxSpendPerTransaction?: number | null;
  readonly maxSpendPerDay?: number | null;
  readonly maxTransactionsPerDay?: number | null;
  readonly pinTargetOrigin?: string | null;
  readonly panRevealCssUrl?: string | null;
};

export type EmbeddedWalletConfig = {
  readonly appName?: string;
  readonly otpLength?: number;
  readonly alphanumeric?: boolean;
  readonly expirationSeconds?: number;
  readonly sendFromEmailAddress?: string;
  readonly sendFromEmailSenderName?: string;
  readonly replyToEmailAddress?: string;
  readonly logoUrl?: string;
};

export type FeeConfig = {
  readonly feeType: 'CROSS_CURRENCY_TRANSACTION' | 'RAIL';
  readonly variableFeeBps: number;
  readonly fixedFee: { readonly amount: number; readonly currency: CurrencyCode };
  readonly sourceCurrency?: CurrencyCode;
  readonly rail?: string;
  readonly direction?: 'IN' | 'OUT';
  readonly originator?: string;
};

/** The settings that a platform changes itself, as stored in the `config` column. */
export type PlatformConfig = {
  readonly umaDomain: string;
  readonly supportedCurrencies: readonly CurrencyConfig[];
  readonly isRegulatedFinancialInstitution: boolean;
  readonly embeddedWalletConfig?: EmbeddedWalletConfig;
  readonly cardTokenization2faConfig?: Readonly<Record<string, unknown>>;
  readonly cardConfigs?: CardConfigs;
  readonly feeConfigs?: readonly FeeConfig[];
};

export type Platform = {
  readonly id: PlatformId;
  readonly name: string;
  readonly mode: Mode;
  /** Counterparty rules require the owner of a self-custody wallet to be named, and a first-party owner to prove it. */
  readonly counterpartyRules: boolean;
  readonly maxLiveCards: number | null;
  readonly maxCardsPerCardholder: number | null;
  readonly cardProgram: string;
  /** Whether rule-based accounts, which sweep incoming money, may be created. */
  readonly ruleBasedAccounts: boolean;
  /** Whether a sandbox platform asks for accepted end-user terms before a customer pays. A live platform always does. */
  readonly endUserTermsRequired: boolean;
  /** Web origins on which customers use passkeys for strong authentication; null for the default of the mode. */
  readonly scaOrigins: readonly string[] | null;
  readonly config: PlatformConfig;
  readonly webhookEndpoint: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type ApiToken = {
  readonly id: TokenId;
  readonly name: string;
  readonly clientId: string;
  readonly permissions: readonly Permission[];
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
