// An internal account: a balance the service holds for a customer or for the platform itself.
import type { CustomerId, InternalAccountId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

export const INTERNAL_ACCOUNT_TYPES = ['INTERNAL_FIAT', 'INTERNAL_CRYPTO', 'EMBEDDED_WALLET', 'RULE_BASED', 'BULK_SETTLEMENT'] as const;
export type InternalAccountType = (typeof INTERNAL_ACCOUNT_TYPES)[number];

export const INTERNAL_ACCOUNT_STATUSES = ['PENDING', 'ACTIVE', 'CLOSED', 'FROZEN', 'FAILED'] as const;
export type InternalAccountStatus = (typeof INTERNAL_ACCOUNT_STATUSES)[number];

/** A card may be issued on an account that waits for its wallet, too. */
export const canFundCards = ({ status }: { readonly status: InternalAccountStatus }): boolean =>
  status === 'ACTIVE' || status === 'PENDING';

/** How to pay money in, as the bank or chain behind the account gave it to us; shown as it is. */
export type PaymentInstructions = {
  readonly instructionsNotes?: string;
  readonly isPlatformAccount?: boolean;
  readonly accountOrWalletInfo: { readonly accountType: string; readonly [field: string]: unknown };
};

/** Where money that arrives on a rule-based account goes, and between which amounts. */
export type SweepRule = {
  readonly destination: { readonly accountId: InternalAccountId };
  readonly minimumAmount: bigint;
  readonly maximumAmount: bigint;
  readonly purposeOfPayment?: string;
  readonly description?: string;
  readonly remittanceInformation?: string;
  readonly platformFeeOverride?: {
    readonly platformFixedFee: { readonly amount: number; readonly currency: CurrencyCode };
    readonly platformVariableFeeBps: number;
  };
};

/** What a caller asks for when it creates an account. */
export type InternalAccountDraft = {
  readonly type: InternalAccountType;
  readonly currency: CurrencyCode;
  readonly customerId?: string;
  readonly onBehalfOfCustomerId?: string;
  readonly label?: string;
  readonly sweepRule?: Omit<SweepRule, 'destination' | 'minimumAmount' | 'maximumAmount'> & {
    readonly destination: { readonly accountId: string; readonly paymentRail?: string };
  };
};

/** The balance is as it was read: whoever decides about money decides on what the ledger locked. */
export type InternalAccount = {
  readonly id: InternalAccountId;
  /** Null: the platform's own. */
  readonly customerId: CustomerId | null;
  readonly type: InternalAccountType;
  readonly status: InternalAccountStatus;
  readonly currency: CurrencyCode;
  readonly available: bigint;
  readonly total: bigint;
  readonly onBehalfOfCustomerId: CustomerId | null;
  readonly label: string | null;
  readonly sweepRule: SweepRule | null;
  /** Only embedded wallets have it. */
  readonly privateEnabled: boolean | null;
  readonly fundingInstructions: readonly PaymentInstructions[];
  /** The program a card issued on this account now would belong to. */
  readonly cardProgram: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** An account about to be opened: no money on it yet. */
export type NewInternalAccount = Omit<InternalAccount, 'available' | 'total' | 'cardProgram'>;

export type CardCapabilities = {
  readonly supportsSpendLimits: boolean;
  readonly supportsSpendLimitsAtIssuance: boolean;
  readonly supportsTransactionCountLimit: boolean;
  readonly supports3dSecurePassword: boolean;
  readonly supportsPanReveal: boolean;
  readonly supportsDigitalWalletTokenization: boolean;
};

/** What a card on an account of this currency could do under a program; undefined where none can be issued. The cards domain knows. */
export type CardCapabilitiesFor = (currency: CurrencyCode, program: string) => CardCapabilities | undefined;
