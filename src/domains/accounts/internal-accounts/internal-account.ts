// An internal account: a balance the service holds for a customer or for the platform itself.
import type { CustomerId, ExternalAccountId, InternalAccountId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';

export const INTERNAL_ACCOUNT_TYPES = ['INTERNAL_FIAT', 'INTERNAL_CRYPTO', 'EMBEDDED_WALLET', 'RULE_BASED', 'BULK_SETTLEMENT'] as const;
export type InternalAccountType = (typeof INTERNAL_ACCOUNT_TYPES)[number];

export const INTERNAL_ACCOUNT_STATUSES = ['PENDING', 'ACTIVE', 'CLOSED', 'FROZEN', 'FAILED'] as const;
export type InternalAccountStatus = (typeof INTERNAL_ACCOUNT_STATUSES)[number];

/** PENDING as well: a card may be issued before the wallet of the account is provisioned. */
export const canFundCards = ({ status }: { readonly status: InternalAccountStatus }): boolean =>
  status === 'ACTIVE' || status === 'PENDING';

/** How to pay money in, as the account's bank or chain provides it. Shown unchanged. */
export type PaymentInstructions = {
  readonly instructionsNotes?: string;
  readonly isPlatformAccount?: boolean;
  readonly accountOrWalletInfo: { readonly accountType: string; readonly [field: string]: unknown };
};

/** The destination of money that arrives on a rule-based account, and the amounts that are swept there. */
export type SweepRule = {
  readonly destination: { readonly accountId: InternalAccountId | ExternalAccountId; readonly paymentRail?: string };
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

/** The amounts that a rule sweeps, both included. */
export type SweepBounds = Pick<SweepRule, 'minimumAmount' | 'maximumAmount'>;

/** The request to create an account. */
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

/** The balance is as read without a lock. Decisions about money use the balances that the ledger locks. */
export type InternalAccount = {
  readonly id: InternalAccountId;
  /** Null for an account of the platform itself. */
  readonly customerId: CustomerId | null;
  readonly type: InternalAccountType;
  readonly status: InternalAccountStatus;
  readonly currency: CurrencyCode;
  readonly available: bigint;
  readonly total: bigint;
  /** What the holder owes the service. */
  readonly owed: bigint;
  readonly onBehalfOfCustomerId: CustomerId | null;
  readonly label: string | null;
  readonly sweepRule: SweepRule | null;
  /** Null unless the account is an embedded wallet. */
  readonly privateEnabled: boolean | null;
  readonly fundingInstructions: readonly PaymentInstructions[];
  /** The program of a card that is issued on this account now. */
  readonly cardProgram: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** An account to be opened, with no balance yet. */
export type NewInternalAccount = Omit<InternalAccount, 'available' | 'total' | 'owed' | 'cardProgram'>;

export type CardCapabilities = {
  readonly supportsSpendLimits: boolean;
  readonly supportsSpendLimitsAtIssuance: boolean;
  readonly supportsTransactionCountLimit: boolean;
  readonly supports3dSecurePassword: boolean;
  readonly supportsPanReveal: boolean;
  readonly supportsDigitalWalletTokenization: boolean;
};

/** The capabilities of a card on an account of this currency under a program; undefined if none can be issued. Answered by the cards domain. */
export type CardCapabilitiesFor = (currency: CurrencyCode, program: string) => CardCapabilities | undefined;
