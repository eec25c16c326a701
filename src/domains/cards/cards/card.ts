// A card, what funds it and what its program allows. Types only.
import type { CardFundingSourceId, CardId, CustomerId, InternalAccountId, TokenId } from '../../../kernel/ids.js';
import type { CurrencyCode } from '../../../kernel/money.js';
import type { CardDetails, CardLimits } from '../../../providers/card-issuer.js';
import type { CardCapabilities, InternalAccount } from '../../accounts/internal-accounts/internal-account.js';

export type {
  CardDetails,
  CardInstruction,
  CardLimits,
  CardOrder,
  TokenizationPayload,
  TokenizationRequest,
} from '../../../providers/card-issuer.js';

export const CARD_STATUSES = ['PENDING_KYC', 'PROCESSING', 'PENDING', 'ACTIVE', 'FROZEN', 'CLOSED'] as const;
export type CardStatus = (typeof CARD_STATUSES)[number];

/** Statuses that a platform may request. `PENDING` is managed by the service. */
export const REQUESTABLE_STATUSES = ['ACTIVE', 'FROZEN', 'CLOSED'] as const;
export type RequestableStatus = (typeof REQUESTABLE_STATUSES)[number];

export const CARD_STATUS_REASONS = ['DELEGATION_REQUIRED', 'ISSUER_REJECTED', 'CLOSED_BY_PLATFORM', 'CLOSED_BY_GRID'] as const;
export type CardStatusReason = (typeof CARD_STATUS_REASONS)[number];

export const CARD_SUBSTATUSES = [
  'LOST',
  'COMPROMISED',
  'DAMAGED',
  'END_USER_REQUEST',
  'ISSUER_REQUEST',
  'NOT_ACTIVE',
  'SUSPICIOUS_ACTIVITY',
  'INTERNAL_REVIEW',
  'EXPIRED',
  'UNDELIVERABLE',
  'OTHER',
] as const;
export type CardSubstatus = (typeof CARD_SUBSTATUSES)[number];

export const CARD_BRANDS = ['VISA', 'MASTERCARD'] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

export const CARD_FORMS = ['VIRTUAL'] as const;
export type CardForm = (typeof CARD_FORMS)[number];

export const PIN_STATUSES = ['NOT_SET', 'OK', 'BLOCKED'] as const;
export type PinStatus = (typeof PIN_STATUSES)[number];

export type Card = CardLimits & {
  readonly id: CardId;
  readonly customerId: CustomerId;
  readonly platformCardId: string;
  readonly status: CardStatus;
  /** Present when `PENDING` or `CLOSED`, absent otherwise. */
  readonly statusReason: CardStatusReason | null;
  readonly program: string;
  readonly form: CardForm;
  /** The currency of the card's transactions, whichever account funds it. */
  readonly currency: CurrencyCode;
  readonly fundingAccountId: InternalAccountId;
  readonly fundingCurrency: CurrencyCode;
  /** The binding of card and account; null once it is detached by closing. */
  readonly fundingSourceId: CardFundingSourceId | null;
  /** Null where the program has no PIN management. */
  readonly pinStatus: PinStatus | null;
  /** Null until the card is provisioned. */
  readonly details: CardDetails | null;
  /** Counts changes. */
  readonly version: number;
  /** While `PROCESSING`: when the order is repeated. Of a card that the service has closed: when the issuer is told again. */
  readonly provisioningDueAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The fields of an internal account that decide whether it can fund a card. */
export type FundingAccount = Pick<InternalAccount, 'id' | 'customerId' | 'type' | 'status' | 'currency'>;

/** Terms of an issuer. They never change once cards were issued under them: another offer is another program. */
export type CardProgram = {
  readonly id: string;
  readonly summary: string;
  /** Who decides authorizations. */
  readonly decides: 'SERVICE' | 'ISSUER';
  readonly currency: CurrencyCode;
  readonly brand: CardBrand;
  readonly fundingCurrencies: readonly CurrencyCode[];
  readonly capabilities: CardCapabilities;
  readonly supportsPin: boolean;
};

/** A PATCH as sent: an absent field is left unchanged, null clears it. */
export type CardPatch = {
  readonly status?: RequestableStatus;
  readonly substatus?: CardSubstatus;
  readonly reason?: string;
  readonly fundingSource?: string;
  readonly maxSpendPerTransaction?: bigint | null;
  readonly maxSpendPerDay?: bigint | null;
  readonly maxTransactionsPerDay?: number | null;
  readonly threeDSecurePassword?: string;
};

/** A POST as sent. */
export type CardIssueRequest = {
  readonly customerId: string;
  readonly form: CardForm;
  readonly fundingSource: string;
  readonly maxSpendPerTransaction?: bigint;
  readonly maxSpendPerDay?: bigint;
  readonly maxTransactionsPerDay?: number;
  readonly threeDSecurePassword?: string;
};

export const DIGITAL_WALLETS = ['APPLE_PAY', 'GOOGLE_PAY', 'SAMSUNG_PAY'] as const;

export type CardChangeCause =
  | 'ISSUED'
  | 'PROVISIONED'
  | 'REJECTED'
  | 'UPDATED'
  | 'PASSWORD_REPLACED'
  | 'CUSTOMER_DELETED'
  | 'DELEGATION_COMPLETED'
  | 'DELEGATION_REVOKED'
  | 'PIN_SET'
  | 'PIN_UNBLOCKED'
  | 'PIN_BLOCKED'
  | 'REVEALED'
  | 'TOKENIZED';

/** One row of a card's history: why the card changed and who requested it. The rest of the row is the card as changed. */
export type CardChange = {
  readonly cause: CardChangeCause;
  /** Null when the service or the issuer acted. */
  readonly tokenId: TokenId | null;
  readonly substatus?: CardSubstatus;
  readonly reason?: string;
};

/** What a card has been authorized for on one UTC calendar day. Only the reversal of a late decision reduces it. */
export type DaySpend = { readonly spent: bigint; readonly count: number };

/** The spend of the two days that were written last, the latest written first. */
export type SpendDays = readonly (DaySpend & { readonly day: string })[];
