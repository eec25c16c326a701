// Types of the ledger. Accounts hold money, transfers move one amount between two accounts, holds reserve an amount for a transfer.
import type { CurrencyCode } from '../../kernel/money.js';

/** The bare uuid of a ledger account. An internal account and its ledger account have the same one. */
export type AccountUuid = string;

/** The purpose of a service-side account, which belongs neither to a customer nor to the platform. */
export const SERVICE_PURPOSES = ['FUNDING', 'CARD_SETTLEMENT', 'FEES', 'RESERVE', 'RECEIVABLE', 'CLEARING', 'FX', 'SUSPENSE'] as const;
export type ServicePurpose = (typeof SERVICE_PURPOSES)[number];

/** An account with a balance of its own, as read under its row lock. */
export type Balance = {
  readonly accountId: AccountUuid;
  readonly currency: CurrencyCode;
  readonly available: bigint;
  readonly total: bigint;
  readonly lastEntry: bigint;
  /** What the holder owes the service. Money that arrives pays it first, and as much of the available balance cannot be spent. */
  readonly owed: bigint;
  /** Money in the account leaves it only with a signature of the holder's key, as in an embedded wallet. */
  readonly underHolderKey: boolean;
  /** The earliest time of the next entry; null before the first. */
  readonly notBefore: Date | null;
  /** Money that left the account and may be returned to it. Read only for incoming money, which must leave room for the return. */
  readonly outstanding?: bigint | undefined;
};

export type HoldOutcome = 'POSTED' | 'VOIDED' | 'EXPIRED';

export type Transfer = {
  readonly id: string;
  readonly from: AccountUuid;
  readonly to: AccountUuid;
  readonly amount: bigint;
  readonly currency: CurrencyCode;
  /** Why the money moved, shown on statements. */
  readonly cause: string;
  readonly transactionId?: string | undefined;
  /** What the entry of `to` names instead, where its holder has a transaction of their own. */
  readonly receivedAs?: string | undefined;
};

/**
 * The money of a transfer that may follow. It is found by its owner, for example a card, and by its transaction; one that names no owner
 * is owned by its transaction. A hold of 0 reserves nothing: it keeps the expiry of an authorization whose money is not held.
 */
export type Hold = Transfer & { readonly ownerId?: string | undefined; readonly expiresAt?: Date | null | undefined };

/**
 * One step of a posting: move money, hold it, resolve a hold, or book a receivable. OWE: the service pays the transfer from RECEIVABLE,
 * and the holder of `debtor` owes it.
 */
export type Move =
  | { readonly kind: 'POST'; readonly transfer: Transfer }
  | { readonly kind: 'HOLD'; readonly transfer: Hold }
  | { readonly kind: 'OWE'; readonly transfer: Transfer; readonly debtor: AccountUuid }
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

/** The result of a list of moves: the balances after it and the rows to write. */
export type Posting = {
  readonly balances: ReadonlyMap<AccountUuid, Balance>;
  readonly transfers: readonly (Transfer & { readonly debtor?: AccountUuid })[];
  readonly opened: readonly Hold[];
  readonly ended: readonly Hold[];
  readonly entries: readonly Entry[];
};
