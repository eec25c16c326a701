// Types of the ledger. Accounts hold money, transfers move one amount between two of them, holds are transfers not yet decided.
import type { CurrencyCode } from '../../kernel/money.js';

/** The bare uuid of a ledger account; an internal account and its ledger account share it. */
export type AccountUuid = string;

/** Where money stands that is not a customer's or the platform's own. */
export type ServicePurpose = 'FUNDING' | 'CARD_SETTLEMENT' | 'FEES' | 'RESERVE';

/** An account with a balance of its own, as read under its row lock. */
export type Balance = {
  readonly accountId: AccountUuid;
  readonly currency: CurrencyCode;
  readonly available: bigint;
  readonly total: bigint;
  readonly lastEntry: bigint;
  /** What was taken from it and may come back. Asked for where money arrives, which must leave room for that. */
  readonly outstanding?: bigint | undefined;
};

export type HoldOutcome = 'POSTED' | 'VOIDED' | 'EXPIRED';

export type Transfer = {
  readonly id: string;
  readonly from: AccountUuid;
  readonly to: AccountUuid;
  readonly amount: bigint;
  readonly currency: CurrencyCode;
  /** Why the money moved, for whoever reads the ledger. */
  readonly cause: string;
  readonly transactionId?: string | undefined;
};

export type Hold = Transfer;

/** One step of the ledger: money moves, is held, or a hold is resolved. */
export type Move =
  | { readonly kind: 'POST'; readonly transfer: Transfer }
  | { readonly kind: 'HOLD'; readonly transfer: Transfer }
  | { readonly kind: 'RESOLVE'; readonly hold: Hold; readonly outcome: HoldOutcome };

export type Entry = {
  readonly transferId: string;
  readonly accountId: AccountUuid;
  readonly currency: CurrencyCode;
  readonly amount: bigint;
  readonly number: bigint | null;
  readonly balanceAfter: bigint | null;
  readonly transactionId: string | null;
};

/** What a list of moves comes to: the balances after it and the rows to write. */
export type Posting = {
  readonly balances: ReadonlyMap<AccountUuid, Balance>;
  readonly transfers: readonly (Transfer & { readonly state: 'PENDING' | 'POSTED' })[];
  readonly resolutions: readonly { readonly id: string; readonly outcome: HoldOutcome }[];
  readonly entries: readonly Entry[];
};
